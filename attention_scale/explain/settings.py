"""What a configuration says, in whichever words its family has for it."""

import json
import os
from collections.abc import Mapping
from math import log, nan, sqrt
from typing import Any

from attention_scale import rules

STD = 0.02  # initializer_range of a configuration that names none
# The same number goes by several names.
WIDTH = ("hidden_size", "n_embd", "d_model", "dim")
HEADS = (
    "num_attention_heads",
    "n_head",
    "num_heads",
    "n_heads",
    "decoder_attention_heads",
    "encoder_attention_heads",
)
LENGTH = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "n_ctx",
    "max_target_positions",
    "seq_length",
)
PARTS = ("text_config", "language_config", "llm_config")


def read(config: Any) -> dict[str, Any]:
    """Return a configuration as a dictionary, that of the text if several."""
    if isinstance(config, str | os.PathLike):
        if os.path.isdir(config):
            config = os.path.join(config, "config.json")
        with open(config, encoding="utf-8") as file:
            try:
                config = json.load(file)
            except json.JSONDecodeError as error:
                raise ValueError(
                    f"config: {os.fspath(config)} is no JSON: {error}; it "
                    "should be a model's config.json"
                ) from None
    elif hasattr(config, "to_dict"):
        # its class names numbers that the file leaves out, and other names
        names = getattr(config, "attribute_map", {})
        other = {
            name: getattr(config, own)
            for name, own in names.items()
            if hasattr(config, own)
        }
        config = other | config.to_dict()
    if not isinstance(config, Mapping):
        raise TypeError(
            f"config: {type(config).__name__}; it should be a dictionary, a "
            "configuration or model of transformers, or the path of a "
            "config.json or its folder"
        )
    for part in PARTS:
        if isinstance(config.get(part), Mapping):
            return {**config, **config[part]}
    return dict(config)


def first(known, names, what, default=None):
    """Return a whole number that goes by several names."""
    for name in names:
        if isinstance(known.get(name), int):
            return known[name]
    if default is not None:
        return default
    raise ValueError(
        f"config: {what} is missing; it should have one of {', '.join(names)}"
    )


def rope_of(known):
    """Return the parameters of RoPE, in the old form or the new."""
    rope = known.get("rope_parameters") or known.get("rope_scaling") or {}
    if not isinstance(rope, Mapping):
        return {}
    # by kinds of layers: those that see everything count
    rope = rope.get("full_attention", rope)
    kind = rope.get("rope_type") or rope.get("type") or "default"
    original = rope.get("original_max_position_embeddings") or known.get(
        "original_max_position_embeddings"
    )
    return {**rope, "kind": kind, "original": original}


def yarn(factor, mscale=1.0):
    """YaRN's mscale: modeling_rope_utils.py:430-433."""
    return 1.0 if factor <= 1 else 0.1 * mscale * log(factor) + 1


def stretch(known, rope, length):
    """Return by how much RoPE was stretched: modeling_rope_utils.py:425."""
    if rope.get("factor") is not None:
        return float(rope["factor"])
    longest = first(known, LENGTH, "", length)
    return longest / (rope["original"] or longest)


def attention_factor_of(known, rope, length):
    """Return what cos and sin are multiplied by."""
    if rope.get("kind") not in ("yarn", "longrope", "su"):
        return 1.0
    if rope.get("attention_factor") is not None:
        return float(rope["attention_factor"])
    factor = stretch(known, rope, length)
    if rope["kind"] == "yarn":
        # modeling_rope_utils.py:436-440
        one, all_ = rope.get("mscale"), rope.get("mscale_all_dim")
        if one and all_:
            return yarn(factor, one) / yarn(factor, all_)
        return yarn(factor)
    # modeling_rope_utils.py:560-568
    if factor <= 1 or not rope["original"]:
        return 1.0
    return sqrt(1 + log(factor) / log(rope["original"]))


def scale_of(family, known, d, width, heads, rope, length):
    """Return what the code gives to softmax as its scale."""
    if family.scale == "query_pre":
        return known.get("query_pre_attn_scalar", 256) ** -0.5
    if family.scale == "multiplier":
        return float(known.get("attention_multiplier", 1.0))
    if family.scale == "one":
        return 1.0
    if family.scale == "inverse":
        return 1 / d
    if family.scale == "gpt2":
        return d**-0.5 if known.get("scale_attn_weights", True) else 1.0
    if family.scale == "mpt":
        own = known.get("attn_config", {}).get("softmax_scale")
        return float(own) if own is not None else (width / heads) ** -0.5
    scale = d**-0.5
    if family.scale == "latent" and rope.get("kind", "default") != "default":
        mscale_all_dim = rope.get("mscale_all_dim") or 0
        if mscale_all_dim:
            scale *= yarn(stretch(known, rope, length), mscale_all_dim) ** 2
    return scale


def rotated_of(family, known, d, of_rope, rope):
    """Return the share of the dimensions that RoPE rotates."""
    if family.latent:
        return of_rope / d
    for place in rope, known:
        for name in "partial_rotary_factor", "rotary_pct":
            if place.get(name) is not None:
                return float(place[name])
    return family.rotated


def std_of(known):
    """Return the standard deviation of the weights at the start."""
    return known.get("initializer_range", known.get("init_std", STD))


def alpha_at_start(
    family, known, d, width, of_rope, scale, rope_factor, rotated, qk_norm
):
    """Return the standard deviation of the logits, by chapter 2.

    Normed tokens have components of variance 1. So has a normed query; one
    that is not has width times the variance of the weights.
    """
    std = std_of(known)
    if not isinstance(std, int | float):
        return nan
    if family.name in ("t5", "umt5"):
        # modeling_t5.py:611-612: the query's weights have 1 / √(width d)
        return scale
    variance = 1.0 if qk_norm else width * std**2
    amplitude = sqrt(rotated * rope_factor**2 + 1 - rotated)
    if family.latent:
        # a latent is normed, and of fewer dimensions; the key's rotated part
        # comes from the token itself
        of_query = (known.get("q_lora_rank") or width) * std**2
        of_key = known.get("kv_lora_rank", 512) * std**2
        variances = (1 - rotated) * of_key + rotated * rope_factor**2 * (
            width * std**2
        )
        return scale * sqrt(d * of_query * variances)
    return scale * sqrt(d) * variance * amplitude


def growth_of(family, known, rope, length):
    """Return what a rule multiplies the last of n queries by."""
    if family.grows == "llama4" and known.get("attn_temperature_tuning", True):
        base = known.get("floor_scale", 8192)
        return float(rules.llama4(length, base, known.get("attn_scale", 0.1)))
    if family.grows == "ministral" and rope.get("llama_4_scaling_beta"):
        beta = rope["llama_4_scaling_beta"]
        return float(rules.ministral(length, rope["original"], beta))
    return 1.0
