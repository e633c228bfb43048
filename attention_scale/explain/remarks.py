"""What to look at twice in a configuration, or a call of its model."""

from math import sqrt

from attention_scale.explain.settings import std_of

FLAT = 0.5  # α at the start under which a remark says so
# Of what is applied to what is configured: rounding of half precision, and,
# where RoPE turns some dimensions, how the norm lies in those.
CLOSE, CLOSE_IN_PART = 0.01, 0.15


def remarks(found, family, known, width):
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
            f"weights of {std_of(known):g} at width "
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


def of_a_call(found):
    """Yield where what is applied is not what is configured."""
    applied = found.applied
    ratio = applied.factor / found.configured
    close = CLOSE
    if found.rotated < 1 and found.rope_factor != 1:
        close = CLOSE_IN_PART
    if found.qk_norm != applied.qk_norm:
        words = "norms" if applied.qk_norm else "no norms"
        yield f"the model has {words} of queries and keys, unlike its family"
    if abs(ratio - 1) < close:
        return
    words = (
        f"{applied.factor:.4g} is applied where {found.configured:.4g} is "
        f"configured, {ratio:.4g} times as much"
    )
    rope = found.rope_factor
    for guess, why in {
        1 / rope: "RoPE's amplitudes are dropped",
        rope: "RoPE's amplitudes are doubled",
        rope**-0.5: "RoPE's amplitudes are on queries or keys alone",
        found.d**0.5: "1/√d is dropped",
        found.d**-0.5: "1/√d is doubled",
    }.items():
        if guess != 1 and abs(ratio / guess - 1) < close:
            words += f": {why}"
            break
    yield words
