"""What a published configuration multiplies the logits by, and α at the start.

    python -m attention_scale config.json

Read from the published code of transformers 5.23.0; each family names the
file and the line.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, log, nan, sqrt
from typing import Any

from attention_scale import rules

__all__ = ["Explanation", "explain"]

STD = 0.02  # initializer_range of a configuration that names none
FLAT = 0.5  # α at the start under which a warning says so


@dataclass(frozen=True)
class _Family:
    """How a family's code scales its logits.

    source : line of the softmax scale, in models/<name>/modeling_<name>.py.
    norm : "always", or the key of the configuration that decides, with its
        default, or none; norm_line says where.
    head_dim : default of the configuration, where it is not width / heads.
    """

    name: str
    line: str
    scale: str = "head"
    norm: str | tuple[str, bool] = ""
    norm_line: str = ""
    head_dim: int = 0
    latent: bool = False
    grows: str = ""
    more: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        lines = ", ".join(filter(None, (self.line, self.norm_line)))
        return (
            f"transformers 5.23.0, models/{self.name}/modeling_{self.name}.py:"
            f"{lines}"
        )


def _latent(name: str, line: str, grows: str = "") -> _Family:
    return _Family(name, line, scale="latent", latent=True, grows=grows)


FAMILIES = {
    family.name: family
    for family in [
        _Family("bert", "152"),
        _Family("bloom", "186"),
        _Family("cohere", "212", norm=("use_qk_norm", False), norm_line="228"),
        _Family("cohere2", "187"),
        _latent("deepseek_v2", "346, 281-287"),
        _latent("deepseek_v3", "405, 268-274"),
        _Family("exaone4", "198", norm="always", norm_line="209"),
        _Family("falcon", "228"),
        _Family("gemma", "226", head_dim=256),
        _Family("gemma2", "221, 195-198", scale="query_pre", head_dim=256),
        _Family(
            "gemma3",
            "307",
            scale="query_pre",
            norm="always",
            norm_line="327",
            head_dim=256,
            more=("gemma3_text",),
        ),
        _Family(
            "gemma3n",
            "1172",
            scale="one",
            norm="always",
            norm_line="1182",
            head_dim=256,
            more=("gemma3n_text",),
        ),
        _Family(
            "gemma4",
            "1165",
            scale="one",
            norm="always",
            norm_line="1177",
            head_dim=256,
            more=("gemma4_text",),
        ),
        _Family(
            "glm4_moe", "183", norm=("use_qk_norm", False), norm_line="198"
        ),
        _Family("gpt2", "96-100", scale="gpt2"),
        _Family("gpt_neo", "111", scale="one"),
        _Family("gpt_neox", "177"),
        _Family("gpt_oss", "269, 285", head_dim=64),
        _Family("gptj", "97, 149"),
        _Family("granite", "123", scale="multiplier"),
        _Family(
            "inkling", "200", scale="inverse", norm="always", norm_line="215"
        ),
        _Family("llama", "215"),
        _Family(
            "llama4",
            "312, 359-366",
            norm=("use_qk_norm", True),
            norm_line="331",
            head_dim=128,
            grows="llama4",
            more=("llama4_text",),
        ),
        _Family("ministral3", "119, 104-106, 145-149", grows="ministral"),
        _Family("mistral", "130"),
        _latent("mistral4", "419, 277-283, 477-481", grows="ministral"),
        _Family("mixtral", "280"),
        _Family("mpt", "76-78", scale="mpt"),
        _Family("nanochat", "186", norm="always", norm_line="203"),
        _Family("olmo2", "197", norm="always", norm_line="213"),
        _Family("opt", "128"),
        _Family("phi3", "199"),
        _Family("qwen2", "178"),
        _Family("qwen3", "213", norm="always", norm_line="229", head_dim=128),
        _Family(
            "qwen3_moe", "130", norm="always", norm_line="146", head_dim=128
        ),
        _Family("smollm3", "175"),
        _Family(
            "stablelm", "232", norm=("qk_layernorm", False), norm_line="244"
        ),
        _Family("starcoder2", "149"),
        _Family("t5", "197", scale="one", more=("mt5",)),
    ]
}
FAMILIES |= {
    other: family for family in FAMILIES.values() for other in family.more
}

# The same number goes by several names.
WIDTH = ("hidden_size", "n_embd", "d_model")
HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads")
LENGTH = ("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx")


@dataclass(frozen=True)
class Explanation:
    """What `explain` found.

    Attributes
    ----------
    model_type : the family.
    d : dimensions of a query and a key.
    scale : what the products of queries and keys are multiplied by.
    rope_factor : what RoPE's amplitudes multiply the logits by beside it: the
        square of the attention factor, on the rotated dimensions.
    rotated : share of the dimensions that are rotated.
    growth : what a rule multiplies the last query by, at n keys.
    cap : c of a soft cap c tanh(logits / c), or infinity.
    qk_norm : whether queries and keys are normed.
    alpha_start : standard deviation of the logits at the start, by chapter 2:
        normed tokens, weights of the configuration's standard deviation.
    n : the number of keys.
    alpha_c : √(2 log n), around which few keys of a normal row keep the
        weight.
    source : file and line.
    warnings : what to look at twice.
    """

    model_type: str
    d: int
    scale: float
    rope_factor: float
    rotated: float
    growth: float
    cap: float
    qk_norm: bool
    alpha_start: float
    n: int
    alpha_c: float
    source: str
    warnings: list[str] = field(default_factory=list)

    @property
    def factor(self) -> float:
        """What reaches the logits of the rotated dimensions: both factors."""
        return self.scale * self.rope_factor

    def __str__(self) -> str:
        rope = ""
        if self.rope_factor != 1:
            on = ""
            if self.rotated < 1:
                on = f" on {self.rotated:.0%} of the dimensions"
            rope = f"RoPE's amplitudes     × {self.rope_factor:.4g}{on}"
        lines = [
            f"{self.model_type}, {self.d} dimensions a head, {self.n:,} keys",
            f"softmax scale         {self.scale:.4g} = "
            f"{self.scale * sqrt(self.d):.4g} / √{self.d}",
            rope,
            f"at the last key       × {self.growth:.4g}"
            if self.growth != 1
            else "",
            f"capped at             ± {self.cap:g}" if self.cap < inf else "",
            f"α at the start        {self.alpha_start:.2f}"
            + (", by the norms of q and k" if self.qk_norm else ""),
            f"α_c = √(2 log n)      {self.alpha_c:.2f}",
            f"read in               {self.source}",
            *(f"look at:              {words}" for words in self.warnings),
        ]
        return "\n".join(filter(None, lines))


def explain(
    config: Mapping[str, Any] | str | os.PathLike[str], n: int | None = None
) -> Explanation:
    """Say what a configuration multiplies the logits by, and what that means.

    Parameters
    ----------
    config : a published configuration, as a dictionary or the path of its
        config.json; of a model of text and images, its text_config is read.
    n : number of keys; without, the largest that the configuration names.

    Returns
    -------
    Explanation
        Which prints as a few lines. For a family that is not in the list the
        usual 1 / √d is assumed, and a warning says so.

    Raises
    ------
    TypeError : config is neither.
    ValueError : it has no number of heads or width, or is no configuration.

    >>> found = explain({
    ...     "model_type": "llama", "hidden_size": 2048,
    ...     "num_attention_heads": 32, "max_position_embeddings": 32_768,
    ...     "rope_scaling": {"rope_type": "yarn", "factor": 8.0,
    ...                      "original_max_position_embeddings": 4096},
    ... })
    >>> print(found)  # doctest: +ELLIPSIS
    llama, 64 dimensions a head, 32,768 keys
    softmax scale         0.125 = 1 / √64
    RoPE's amplitudes     × 1.459
    α at the start        1.20
    α_c = √(2 log n)      4.56
    read in               transformers 5.23.0, ...modeling_llama.py:215
    look at:              ... cos and sin, ... get its square, 1.459
    """
    known = _read(config)
    model_type = str(known.get("model_type", "unknown"))
    family = FAMILIES.get(model_type)
    warnings = []
    if family is None:
        family = _Family("llama", "215")
        warnings.append(
            f"{model_type} is none of the families that were read: 1/√d is "
            "assumed, and neither norms nor caps"
        )
        source = "none: assumed"
    else:
        source = family.source
    width = _first(known, WIDTH, "a width")
    heads = _first(known, HEADS, "a number of heads")
    length = n or _first(known, LENGTH, "", 0)
    if not length:
        length = 2048
        warnings.append("no number of keys is named: 2048 is assumed")
    d = known.get("head_dim") or known.get("d_kv") or family.head_dim
    d = int(d or width // heads)
    of_rope = known.get("qk_rope_head_dim", 0)
    if family.latent:
        of_rope = of_rope or 64
        d = int(known.get("qk_nope_head_dim", 128) + of_rope)
    rope = _rope(known)
    scale = _scale(family, known, d, width, heads, rope, length)
    attention_factor = _attention_factor(known, rope, length)
    rotated = _rotated(family, known, d, of_rope, rope)
    qk_norm = bool(
        family.norm == "always" or (family.norm and known.get(*family.norm))
    )
    rope_factor = attention_factor**2
    alpha = _alpha_at_start(
        family, known, d, width, of_rope, scale, rope_factor, rotated, qk_norm
    )
    cap = known.get("attn_logit_softcapping")
    if cap is None and "attn_logit_softcapping" not in known:
        cap = 50.0 if model_type == "gemma2" else None
    alpha_c = sqrt(2 * log(max(length, 2)))
    found = Explanation(
        model_type=model_type,
        d=d,
        scale=scale,
        rope_factor=rope_factor,
        rotated=rotated,
        growth=_growth(family, known, rope, length),
        cap=float(cap) if cap else inf,
        qk_norm=qk_norm,
        alpha_start=alpha,
        n=int(length),
        alpha_c=alpha_c,
        source=source,
        warnings=warnings,
    )
    warnings += _warnings(found, family, known, width)
    return found


def _read(config):
    """Return a configuration as a dictionary, that of the text if several."""
    if isinstance(config, str | os.PathLike):
        with open(config, encoding="utf-8") as file:
            try:
                config = json.load(file)
            except json.JSONDecodeError as error:
                raise ValueError(
                    f"config: {os.fspath(config)} is no JSON: {error}; it "
                    "should be a model's config.json"
                ) from None
    if not isinstance(config, Mapping):
        raise TypeError(
            f"config: {type(config).__name__}; it should be a dictionary, or "
            "the path of a config.json"
        )
    for part in ("text_config", "language_config", "llm_config"):
        if isinstance(config.get(part), Mapping):
            return {**config, **config[part]}
    return dict(config)


def _first(known, names, what, default=None):
    """Return a whole number that goes by several names."""
    for name in names:
        if isinstance(known.get(name), int):
            return known[name]
    if default is not None:
        return default
    raise ValueError(
        f"config: {what} is missing; it should have one of {', '.join(names)}"
    )


def _rope(known):
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


def _yarn(factor, mscale=1.0):
    """YaRN's mscale: modeling_rope_utils.py:430-433."""
    return 1.0 if factor <= 1 else 0.1 * mscale * log(factor) + 1


def _stretch(known, rope, length):
    """Return by how much RoPE was stretched: modeling_rope_utils.py:425."""
    if rope.get("factor") is not None:
        return float(rope["factor"])
    longest = _first(known, LENGTH, "", length)
    return longest / (rope["original"] or longest)


def _attention_factor(known, rope, length):
    """Return what cos and sin are multiplied by."""
    if rope.get("kind") not in ("yarn", "longrope", "su"):
        return 1.0
    if rope.get("attention_factor") is not None:
        return float(rope["attention_factor"])
    factor = _stretch(known, rope, length)
    if rope["kind"] == "yarn":
        # modeling_rope_utils.py:436-440
        one, all_ = rope.get("mscale"), rope.get("mscale_all_dim")
        if one and all_:
            return _yarn(factor, one) / _yarn(factor, all_)
        return _yarn(factor)
    # modeling_rope_utils.py:560-568
    if factor <= 1 or not rope["original"]:
        return 1.0
    return sqrt(1 + log(factor) / log(rope["original"]))


def _scale(family, known, d, width, heads, rope, length):
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
            scale *= _yarn(_stretch(known, rope, length), mscale_all_dim) ** 2
    return scale


def _rotated(family, known, d, of_rope, rope):
    """Return the share of the dimensions that RoPE rotates."""
    if family.latent:
        return of_rope / d
    share = rope.get("partial_rotary_factor")
    if share is None:
        share = known.get("partial_rotary_factor", known.get("rotary_pct", 1))
    return float(share)


def _alpha_at_start(
    family, known, d, width, of_rope, scale, rope_factor, rotated, qk_norm
):
    """Return the standard deviation of the logits, by chapter 2.

    Normed tokens have components of variance 1. So has a normed query; one
    that is not has width times the variance of the weights.
    """
    std = known.get("initializer_range", STD)
    if not isinstance(std, int | float):
        return nan
    if family.name == "t5":
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


def _growth(family, known, rope, length):
    """Return what a rule multiplies the last of n queries by."""
    if family.grows == "llama4" and known.get("attn_temperature_tuning", True):
        base = known.get("floor_scale", 8192)
        return float(rules.llama4(length, base, known.get("attn_scale", 0.1)))
    if family.grows == "ministral" and rope.get("llama_4_scaling_beta"):
        beta = rope["llama_4_scaling_beta"]
        return float(rules.ministral(length, rope["original"], beta))
    return 1.0


def _warnings(found, family, known, width):
    """Yield what to look at twice."""
    alpha = found.alpha_start
    if found.qk_norm and found.scale == 1:
        yield (
            "a scale of 1 with normed queries and keys: the gains carry the "
            f"whole scale, and at gains of 1 α would be {alpha:.0f}"
        )
    if family.name == "gpt_neo":
        yield (
            "no scale at all, and no norm: it was trained so. Dividing by √d "
            "would break the published weights"
        )
    if family.scale == "gpt2" and known.get("scale_attn_by_inverse_layer_idx"):
        yield "each layer divides by its number as well, counted from 1"
    if family.scale == "query_pre" and found.scale != found.d**-0.5:
        yield (
            f"the scale is {found.scale**-2:g}^-½ by the configuration, not "
            f"{found.d}^-½: code that takes 1/√d is off by "
            f"{abs(found.d**-0.5 / found.scale - 1):.0%}"
        )
    latent = family.latent and found.scale != found.d**-0.5
    if latent and found.rope_factor != 1:
        yield (
            "YaRN reaches the logits twice: through the softmax scale "
            f"(× {found.scale * sqrt(found.d):.4g}), and through cos and sin "
            f"(× {found.rope_factor:.4g} on the rotated dimensions)"
        )
    elif found.rope_factor != 1:
        yield (
            "the attention factor multiplies cos and sin, queries and keys: "
            f"the logits get its square, {found.rope_factor:.4g}"
        )
    if not found.qk_norm and alpha < FLAT:
        yield (
            f"weights of {known.get('initializer_range', STD):g} at width "
            f"{width} start logits at a standard deviation of {alpha:.2f}: "
            "rows are nearly flat"
        )
    if alpha > found.alpha_c:
        yield (
            f"α at the start, {alpha:.1f}, is above α_c: normal rows would "
            "give their weight to a few keys"
        )
    if found.growth != 1 and family.grows == "llama4":
        yield "the growth with n is on the layers without RoPE only"
