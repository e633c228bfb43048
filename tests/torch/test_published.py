"""`explain` against the modules that transformers makes of configurations."""

import pytest
import torch
import transformers

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
CONFIGS = {
    "llama": {"rope_parameters": YARN},
    "mistral": {"head_dim": 32},
    "mixtral": {},
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
    "olmo2": {},
    "smollm3": {},
    "starcoder2": {},
    "stablelm": {},
    "cohere": {},
    "cohere2": {},
    "nanochat": {},
    "exaone4": {},
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
    "gpt_neox": {},
    "gpt2": {"n_embd": 64, "n_head": 4, "n_layer": 1},
    "opt": {"ffn_dim": 64, "word_embed_proj_dim": 64},
}


@pytest.mark.parametrize("name", CONFIGS)
def test_factors_are_those_of_the_modules(name):
    config = transformers.AutoConfig.for_model(name, **TINY | CONFIGS[name])
    with torch.device("meta"):
        model = transformers.AutoModel.from_config(config)
    found = explain(config.to_dict())
    scales = {
        float(module.scaling)
        for module in model.modules()
        if isinstance(getattr(module, "scaling", None), float)
    }
    assert list(scales) == [pytest.approx(found.scale, rel=1e-12)]
    amplitudes = {
        float(module.attention_scaling)
        for module in model.modules()
        if hasattr(module, "attention_scaling")
    }
    (amplitude,) = amplitudes or {1.0}
    assert amplitude**2 == pytest.approx(found.rope_factor, rel=1e-12)
    assert bool([n for n, _ in model.named_modules() if "q_norm" in n]) == (
        found.qk_norm
    )


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
