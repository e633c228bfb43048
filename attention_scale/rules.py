"""What published models multiply 1/√d by when the text grows longer.

Each rule is computed as its source computes it, for the logits: where a rule
scales queries and keys, the factor here is the square. n counts the keys that
a query sees: its position, counted from 0, plus 1.
"""

import numpy as np
from numpy.typing import ArrayLike

from attention_scale.arguments import (
    Array,
    finite,
    key_counts,
    refuse,
    together,
)

__all__ = [
    "beam",
    "infoscale",
    "inkling",
    "llama4",
    "log_length",
    "longrope",
    "ministral",
    "qwen",
    "yarn",
]

BEAM_LENGTH, BEAM_POWER = 2048, 0.1  # of the published configuration
STEEPEST = 1e100  # slope


def log_length(n: ArrayLike, base_length: ArrayLike = 512) -> Array:
    """Su's entropy invariance: log n / log base_length.

    His code takes fewer than 16 keys for 16.

    Parameters
    ----------
    n : whole number of keys from 1, or an array of them.
    base_length : whole number of keys from 2, or an array that broadcasts.

    Returns
    -------
    array
        The factor on the logits.

    Raises
    ------
    TypeError, ValueError : an argument is no such number.

    Source: kexue.fm/archives/8823; bert4keras, backend.py:330-332.

    >>> log_length([512, 1024, 2048]).round(3)
    array([1.   , 1.111, 1.222])
    """
    n, base_length = _arguments(n, base_length)
    return np.log(n) / np.log(base_length)


def qwen(n: ArrayLike, base_length: ArrayLike = 8192) -> Array:
    """Qwen's logn: log n / log base_length, but at least 1.

    Parameters, errors : as `log_length`.

    Source: Qwen-7B, modeling_qwen.py:289-294, config.json:28.

    >>> qwen([512, 8192, 32_768]).round(3)
    array([1.   , 1.   , 1.154])
    """
    return np.maximum(log_length(n, base_length), 1)


def llama4(
    n: ArrayLike, base_length: ArrayLike = 8192, slope: ArrayLike = 0.1
) -> Array:
    """Llama 4: 1 + slope log(1 + ⌊n / base_length⌋).

    Parameters, errors : as `log_length`; slope : number from 0 to 1e100.

    Source: llama-models, models/llama4/model.py:223-229, args.py:81-82.

    >>> llama4([8191, 8192, 131_072]).round(3)
    array([1.   , 1.069, 1.283])
    """
    n, base_length, slope = _with_slope(n, base_length, slope)
    return _one_plus_log(1 + n // base_length, slope)


def ministral(
    n: ArrayLike, base_length: ArrayLike = 16384, slope: ArrayLike = 0.1
) -> Array:
    """Ministral 3: 1 + slope log(1 + ⌊(n - 1) / base_length⌋).

    Parameters, errors : as `llama4`.

    Source: transformers 5.23.0, modeling_ministral3.py:104-106.

    >>> ministral([16_384, 262_144]).round(3)
    array([1.   , 1.277])
    """
    n, base_length, slope = _with_slope(n, base_length, slope)
    return _one_plus_log(1 + (n - 1) // base_length, slope)


def inkling(
    n: ArrayLike, base_length: ArrayLike = 128_000, slope: ArrayLike = 0.1
) -> Array:
    """Inkling 2: 1 + slope log(n / base_length), but at least 1.

    Parameters, errors : as `llama4`.

    Source: transformers 5.23.0, modeling_inkling2.py:590-602; base_length
    from configuration_inkling2.py:103-106.

    >>> inkling([128_000, 1_024_000]).round(3)
    array([1.   , 1.208])
    """
    n, base_length, slope = _with_slope(n, base_length, slope)
    return _one_plus_log(np.maximum(n / base_length, 1), slope)


def beam(n: ArrayLike) -> Array:
    """Beam: (1 + n / 2048)^0.1, a power of n.

    Parameters, errors : as `log_length`, without a base.

    Source: transformers 5.23.0, modeling_beam.py:492-494.

    >>> beam([2048, 8192]).round(3)
    array([1.072, 1.175])
    """
    return np.exp(BEAM_POWER * np.log1p(key_counts("n", n) / BEAM_LENGTH))


def yarn(
    n: ArrayLike, base_length: ArrayLike = 4096, slope: ArrayLike = 0.1
) -> Array:
    """YaRN: (1 + slope log(n / base_length))², at least 1.

    Parameters, errors : as `llama4`; n : the longest text, for all positions.

    Source: yarn, LlamaYaRNScaledRotaryEmbedding.py:24-27, 53-54.

    >>> yarn([4096, 131_072]).round(3)
    array([1.   , 1.813])
    """
    return inkling(n, base_length, slope) ** 2


def longrope(n: ArrayLike, base_length: ArrayLike = 4096) -> Array:
    """LongRoPE: 1 + log(n / base_length) / log base_length, at least 1.

    Which is Qwen's formula, log n / log base_length.

    Parameters, errors : as `log_length`; n : the longest text, for all
    positions.

    Source: transformers 4.57.1, modeling_rope_utils.py:436-440.

    >>> longrope([4096, 131_072]).round(3)
    array([1.   , 1.417])
    """
    return qwen(n, base_length)


def infoscale(
    n: ArrayLike, d: ArrayLike = 64, base_length: ArrayLike = 512
) -> Array:
    """InfoScale: √((1 - n^(-2/d)) / (1 - base_length^(-2/d))).

    Parameters, errors : as `log_length`; d : head dimension from 1.

    Source: arXiv:2501.08570, its code model/my_gau_alpha_eval/layer.py:316.

    >>> infoscale([512, 4096, 32_768]).round(3)
    array([1.   , 1.137, 1.251])
    """
    n, base_length, d = _arguments(n, base_length, d=key_counts("d", d))
    longest = -np.expm1(-2 / d * np.log(n))
    return np.sqrt(longest / -np.expm1(-2 / d * np.log(base_length)))


def _one_plus_log(growth, slope):
    """Return 1 + slope log(growth), of which rules differ in the growth."""
    return 1 + slope * np.log(growth)


def _with_slope(n, base_length, slope):
    """Return the arguments as arrays of one shape."""
    return _arguments(n, base_length, slope=_slopes(slope))


def _slopes(slope):
    """Return slopes whose rules are still floats when squared."""
    slope = finite("slope", slope, least=0)
    refuse("slope", slope, slope > STEEPEST, f"at most {STEEPEST:g}")
    return slope


def _arguments(n, base_length, **others):
    """Return the arguments as arrays of one shape."""
    return together(
        n=key_counts("n", n),
        base_length=key_counts("base_length", base_length, least=2),
        **others,
    )
