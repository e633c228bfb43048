"""What is configured beside what one call of a model applies."""

import pytest
import torch
import transformers
import zoo
from test_published import CONFIGS, TINY, YARN

from attention_scale.explain import explain

FACTOR = 1.0 + 0.1 * torch.log(torch.tensor(8.0)).item()  # YaRN's


def model_of(name, **more):
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(
        name, **TINY | CONFIGS.get(name, {}) | {"pad_token_id": 0} | more
    )
    model = transformers.AutoModel.from_config(config)
    if hasattr(config, "n_routed_experts"):
        model.set_experts_implementation("eager")  # the other wants them wide
    return model


def measured(model):
    found = explain(model)
    return found, " ".join(found.warnings)


# of rotations of half of the dimensions the norm lies in both
@pytest.mark.parametrize(
    "name", [n for n in CONFIGS if not n.startswith("deepseek")]
)
def test_what_is_configured_is_applied(name):
    found, words = measured(model_of(name))
    # a rotation of 24 bits, of two thousand numbers
    assert found.applied.factor == pytest.approx(found.configured, rel=1e-4)
    assert found.applied.qk_norm == found.qk_norm
    assert "is applied where" not in words
    assert "actually applied" in str(found)


@pytest.mark.parametrize("name", ["deepseek_v2", "deepseek_v3"])
def test_scales_of_latent_attention(name):
    found, words = measured(model_of(name))
    assert found.applied.scale == pytest.approx(found.scale, rel=1e-6)
    assert found.applied.rope_factor == pytest.approx(
        found.rope_factor, rel=1e-5
    )


def rotations(model):
    return [m for m in model.modules() if hasattr(m, "attention_scaling")]


def test_a_factor_that_was_dropped():
    model = model_of("llama")
    for module in rotations(model):
        module.attention_scaling = 1.0
    found, words = measured(model)
    assert found.applied.factor == pytest.approx(0.25, rel=1e-4)
    assert found.configured == pytest.approx(0.25 * FACTOR**2)
    assert "is applied where 0.3648 is configured" in words
    assert "RoPE's amplitudes are dropped" in words


def test_a_factor_that_was_doubled():
    model = model_of("qwen2")
    for layer in model.layers:
        layer.self_attn.scaling *= FACTOR**2
    _, words = measured(model)
    assert "RoPE's amplitudes are doubled" in words


def test_a_factor_on_the_queries_alone():
    """By hand, where neither the scale nor the rotation shows it."""
    model = model_of("llama")
    for module in rotations(model):
        module.attention_scaling = 1.0
    own = transformers.models.llama.modeling_llama.apply_rotary_pos_emb

    def by_hand(query, key, *more):
        query, key = own(query, key, *more)
        return FACTOR * query, key

    try:
        transformers.models.llama.modeling_llama.apply_rotary_pos_emb = by_hand
        _, words = measured(model)
    finally:
        transformers.models.llama.modeling_llama.apply_rotary_pos_emb = own
    assert "RoPE's amplitudes are on queries or keys alone" in words


def test_a_scale_that_was_forgotten():
    model = model_of("llama", rope_parameters={"rope_type": "default"})
    for layer in model.layers:
        layer.self_attn.scaling = 1.0
    _, words = measured(model)
    assert "1/√d is dropped" in words


def test_a_configuration_of_yarn_that_nobody_applies():
    """Of a family whose code has no rotations of that kind."""
    model = model_of("gpt2")
    model.config.rope_parameters = YARN
    _, words = measured(model)
    assert "RoPE's amplitudes are dropped" in words


@pytest.mark.parametrize("model_type", ["codegen", "gptj", "bloom"])
def test_what_cannot_be_measured_is_told(model_type):
    model, _ = zoo.built(model_type, "eager")
    found, words = measured(model)
    assert found.applied is None
    assert "nothing was measured" in words


def test_a_family_is_asked_for_its_modules():
    """One that is in no list, in a configuration without a model."""
    config = transformers.HunYuanDenseV1Config(
        hidden_size=256, num_attention_heads=4, head_dim=64
    )
    found = explain(config)
    assert found.scale == 1 / 8
    assert found.qk_norm
    assert found.source == (
        "the modules of transformers "
        f"{transformers.__version__}, models/hunyuan_v1_dense"
    )
    assert "none of the families" not in " ".join(found.warnings)


@pytest.mark.parametrize("name", ["vit", "wav2vec2"])
def test_other_inputs_are_given(name):
    model, inputs = zoo.built(name, "sdpa")
    with pytest.raises(ValueError, match="^inputs: missing; it should have"):
        explain(model, n=50)
    found = explain(model, n=50, inputs=inputs)
    assert found.applied.factor == pytest.approx(found.configured, rel=1e-4)


def test_a_model_stays_as_it_was():
    model = model_of("llama").train()
    before = torch.get_rng_state()
    explain(model)
    assert model.training
    assert torch.equal(torch.get_rng_state(), before)
    assert not any(m._forward_hooks for m in model.modules())
    with pytest.raises(TypeError, match="^config: a Linear without a config"):
        explain(torch.nn.Linear(1, 1))
