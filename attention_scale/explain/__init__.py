"""What a model multiplies its logits by, as configured and as applied.

    python -m attention_scale config.json

Read from the published code of transformers 5.23.0; each family names the
file and the line.
"""

from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from math import inf, log, sqrt
from typing import Any

import numpy as np

from attention_scale.explain import settings
from attention_scale.explain.explanation import Applied, Explanation
from attention_scale.explain.families import FAMILIES, Family
from attention_scale.explain.remarks import of_a_call, remarks

__all__ = ["FAMILIES", "Applied", "Explanation", "Family", "explain"]


def explain(
    config: Any,
    n: int | None = None,
    inputs: Mapping[str, Any] | None = None,
) -> Explanation:
    """Say what a model multiplies its logits by, and what that means.

    Parameters
    ----------
    config : a published configuration: a dictionary, an object of
        transformers, or the path of a config.json or its folder; of a model
        of text and images its text_config is read. Or a model with a
        configuration: it is called once, and what was applied stands beside.
    n : number of keys; without, the largest that the configuration names.
    inputs : arguments of that call; without, a few random tokens.

    Returns
    -------
    Explanation
        Which prints as a few lines. A family that is not in the list is asked
        for its modules, if transformers is there and has it; else the usual
        1 / √d is assumed, and a warning says so.

    Raises
    ------
    TypeError : config is none of these.
    ValueError : it has no number of heads or width, or is no configuration;
        n is no whole number from 2; the model takes no tokens, and there are
        no inputs.

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
    whole = isinstance(n, int | np.integer) and not isinstance(n, bool)
    if n is not None and not (whole and n >= 2):
        raise ValueError(f"n: {n!r}; it should be a whole number from 2")
    model = None
    if hasattr(config, "named_modules"):
        model, config = config, getattr(config, "config", None)
        if config is None:
            raise TypeError(
                f"config: a {type(model).__name__} without a configuration; "
                "it should be a model of transformers, or have `config`"
            )
    known = settings.read(config)
    found = _configured(known, n)
    if model is not None:
        from attention_scale.explain.live import applied

        measured = applied(model, inputs)
        if measured is None:
            found.warnings.append(
                "nothing was measured: no call of an attention function that "
                "shows its queries and keys was met"
            )
        else:
            found = replace(found, applied=measured)
            found.warnings.extend(of_a_call(found))
    return found


def _configured(known, n):
    """Return what a configuration says."""
    model_type = str(known.get("model_type", "unknown"))
    warnings: list[str] = []
    family, source, asked = _family(model_type, known, warnings)
    width = settings.first(known, settings.WIDTH, "a width")
    heads = settings.first(known, settings.HEADS, "a number of heads")
    length = n or settings.first(known, settings.LENGTH, "", 0)
    if not length:
        length = 2048
        warnings.append("no number of keys is named: 2048 is assumed")
    d = known.get("head_dim") or known.get("d_kv") or family.head_dim
    d = int(asked.get("d") or d or width // heads)
    of_rope = known.get("qk_rope_head_dim", 0)
    if family.latent:
        of_rope = of_rope or 64
        d = int(known.get("qk_nope_head_dim", 128) + of_rope)
    rope = settings.rope_of(known)
    scale = asked.get("scale") or settings.scale_of(
        family, known, d, width, heads, rope, length
    )
    factor = settings.attention_factor_of(known, rope, length)
    rope_factor = (asked.get("amplitude") or factor) ** 2
    rotated = settings.rotated_of(family, known, d, of_rope, rope)
    qk_norm = asked.get("qk_norm") or bool(
        family.norm == "always" or (family.norm and known.get(*family.norm))
    )
    cap = known.get("attn_logit_softcapping")
    if cap is None and "attn_logit_softcapping" not in known:
        cap = 50.0 if model_type == "gemma2" else None
    found = Explanation(
        model_type=model_type,
        d=d,
        scale=scale,
        rope_factor=rope_factor,
        rotated=rotated,
        growth=settings.growth_of(family, known, rope, length),
        cap=float(cap) if cap else inf,
        qk_norm=qk_norm,
        alpha_start=settings.alpha_at_start(
            family,
            known,
            d,
            width,
            of_rope,
            scale,
            rope_factor,
            rotated,
            qk_norm,
        ),
        n=int(length),
        alpha_c=sqrt(2 * log(max(length, 2))),
        source=source,
        warnings=warnings,
    )
    warnings += remarks(found, family, known, width)
    return found


def _family(model_type, known, warnings):
    """Return a family, who says so, and what its modules were asked."""
    family = FAMILIES.get(model_type)
    if family is not None:
        return family, family.source, {}
    found = {}
    if all(map(_installed, ("torch", "transformers"))):
        from attention_scale.explain.live import asked

        found = asked(known)
    if found:
        return Family(model_type, ""), found["source"], found
    warnings.append(
        f"{model_type} is none of the families that were read: 1/√d is "
        "assumed, and neither norms nor caps"
    )
    return Family("llama", "215"), "none: assumed", {}


def _installed(name):
    """Tell whether a library can be imported."""
    spec = find_spec(name)
    return spec is not None and spec.origin is not None
