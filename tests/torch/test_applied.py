"""What is configured beside what one call of a model applies.

Of tiny models that transformers makes of configurations.
"""

import pytest
import torch
import transformers
import zoo

from attention_scale.explain import explain
from attention_scale.torch import monitor

YARN = {
    "rope_type": "yarn",
    "rope_theta": 10000.0,
    "factor": 8.0,
    "original_max_position_embeddings": 512,
}
TINY = {
    "vocab_size": 64,
    "hidden_size": 64,
    "intermediate_size": 64,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
    "pad_token_id": 0,
}
LATENT = {
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 32,
    "qk_rope_head_dim": 16,
    "v_head_dim": 16,
    "n_routed_experts": 2,
    "num_experts_per_tok": 1,
    "n_group": 1,
    "topk_group": 1,
    "num_key_value_heads": 4,
}
AS_THEY_ARE = (
    "mixtral olmo2 smollm3 starcoder2 stablelm cohere cohere2 nanochat "
    "exaone4 gpt_neox"
)
CONFIGS = dict.fromkeys(AS_THEY_ARE.split(), {}) | {
    "llama": {"rope_parameters": YARN},
    "mistral": {"head_dim": 32},
    "qwen2": {"rope_parameters": YARN},
    "qwen3": {"rope_parameters": YARN | {"attention_factor": 1.5}},
    "gemma": {"head_dim": 32},
    "gemma2": {"head_dim": 32, "query_pre_attn_scalar": 144},
    "gemma3_text": {"head_dim": 32, "query_pre_attn_scalar": 168},
    "gpt_oss": {
        "num_local_experts": 2,
        "num_experts_per_tok": 1,
        "rope_parameters": YARN,
    },
    "granite": {"attention_multiplier": 0.0078125},
    "deepseek_v2": LATENT
    | {"rope_parameters": YARN | {"mscale": 0.7, "mscale_all_dim": 0.7}},
    "deepseek_v3": LATENT
    | {"rope_parameters": YARN | {"mscale": 1.0, "mscale_all_dim": 0.5}},
    "phi3": {
        "original_max_position_embeddings": 512,
        "rope_parameters": {
            "rope_type": "longrope",
            "rope_theta": 10000.0,
            "long_factor": [1.0] * 8,
            "short_factor": [1.0] * 8,
        },
    },
    "gpt2": {"n_embd": 64, "n_head": 4, "n_layer": 1},
    "opt": {"ffn_dim": 64, "word_embed_proj_dim": 64},
}
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
    found, _ = measured(model_of(name))
    assert found.applied.scale == pytest.approx(found.scale, rel=1e-6)
    assert found.applied.qk_norm == found.qk_norm
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


WIDE = {
    "hidden_size": 512,
    "num_attention_heads": 8,
    "max_position_embeddings": 512,
    "initializer_range": 0.05,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
}


@pytest.mark.parametrize("name", ["llama", "qwen3", "gemma2", "deepseek_v3"])
def test_alpha_at_the_start_is_that_of_a_fresh_model(name):
    """Queries and keys of normed random tokens, before RoPE turns them."""
    wide = TINY | CONFIGS[name] | WIDE
    if name == "deepseek_v3":
        wide |= {
            "num_key_value_heads": 8,
            "q_lora_rank": 128,
            "kv_lora_rank": 64,
        }
    config = transformers.AutoConfig.for_model(name, **wide)
    torch.manual_seed(0)
    model = transformers.AutoModel.from_config(config).eval()
    with monitor(model, rows=None) as report, torch.no_grad():
        model(inputs_embeds=torch.randn(2, 400, 512))
    # of one draw of the weights, over 8 heads of 48 dimensions or more
    alpha = report.alpha.value.mean()
    assert alpha == pytest.approx(
        explain(config.to_dict()).alpha_start, rel=0.15
    )
