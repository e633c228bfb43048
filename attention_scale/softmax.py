"""Softmax of scaled scores, its Jacobian, and the step back through it.

Rows of scores or weights lie along the last axis, with any leading axes, in
float32 or float64, which the result keeps. A scale is a number, or an array
that broadcasts with the rows: one for each head or position, or a vector of
scales for one row, which gives a row of weights for each scale.
"""

import numpy as np
from numpy.typing import ArrayLike

from attention_scale.arguments import (
    Array,
    finite,
    large_weights,
    numbers,
    scales,
    score_rows,
    weight_rows,
)
from attention_scale.entropy import complement, tsallis

__all__ = [
    "gradient_norm",
    "jacobian",
    "log_partition",
    "log_softmax",
    "softmax",
    "vjp",
]


def softmax(scores: ArrayLike, scale: ArrayLike = 1.0) -> Array:
    """Weights of the keys: softmax of the scaled scores.

    Parameters
    ----------
    scores : array (..., n); -inf masks a key.
    scale : number or array that broadcasts with the rows, at least 0.

    Returns
    -------
    array (..., n)
        p = exp(scale * scores) / Σ exp(scale * scores): at least 0, 0 at
        masked keys, with sum 1.

    Raises
    ------
    TypeError : an argument is not of float32, float64 or whole numbers.
    ValueError : an argument holds NaN, a score is +inf, a row is masked
        altogether, a scale is negative or infinite, or shapes do not fit.

    Source: chapter 3.

    >>> softmax([2.0, 1.0, -np.inf]).round(3)
    array([0.731, 0.269, 0.   ])
    >>> softmax([2.0, 1.0], scale=[0.0, 1.0, 10.0]).round(3)
    array([[0.5  , 0.5  ],
           [0.731, 0.269],
           [1.   , 0.   ]])
    """
    scores, largest = score_rows(scores)
    powers = _exponents(scores, largest, scale)
    np.exp(powers, out=powers)
    powers /= powers.sum(axis=-1, keepdims=True)
    return powers


def log_softmax(scores: ArrayLike, scale: ArrayLike = 1.0) -> Array:
    """Logarithms of the weights, exact also where the weights underflow.

    Parameters, errors : as `softmax`.

    Returns
    -------
    array (..., n)
        log p in nats, -inf at masked keys.

    Source: chapter 4.

    >>> log_softmax([2000.0, 0.0])
    array([    0., -2000.])
    """
    scores, largest = score_rows(scores)
    exponents = _exponents(scores, largest, scale)
    return exponents - _log_sum(exponents)


def log_partition(scores: ArrayLike, scale: ArrayLike = 1.0) -> Array:
    """Logarithm of the partition function, log Z.

    Parameters, errors : as `softmax`.

    Returns
    -------
    array (...)
        log Σ exp(scale * scores) in nats; infinite where scale * max is.

    Source: chapter 4.

    >>> float(log_partition([0.0, 0.0, 0.0]).round(4))  # log 3
    1.0986
    """
    scores, largest = score_rows(scores)
    with np.errstate(over="ignore"):
        logit = (largest * scales(scale, scores))[..., 0]
    return logit + _log_sum(_exponents(scores, largest, scale))[..., 0]


def jacobian(p: ArrayLike, scale: ArrayLike = 1.0) -> Array:
    """Jacobian of softmax: derivatives of the weights by the scores.

    Parameters
    ----------
    p : array (..., n), weights: all that the Jacobian depends on.
    scale : number or array that broadcasts with the rows, at least 0.

    Returns
    -------
    array (..., n, n)
        scale * (diag(p) - p pᵀ).

    Raises
    ------
    TypeError, ValueError : p is not rows of weights, a scale is negative or
        infinite, or shapes do not fit.

    Source: chapter 3.

    >>> jacobian([0.75, 0.25])
    array([[ 0.1875, -0.1875],
           [-0.1875,  0.1875]])
    """
    p = weight_rows(p)
    scale = scales(scale, p)
    outer = -p[..., :, np.newaxis] * p[..., np.newaxis, :]
    diagonal = np.arange(p.shape[-1])
    outer[..., diagonal, diagonal] = p * complement(p)
    return scale[..., np.newaxis] * outer


def vjp(p: ArrayLike, upstream: ArrayLike, scale: ArrayLike = 1.0) -> Array:
    """The step back: the loss's gradient by the scores, without the Jacobian.

    Parameters
    ----------
    p : array (..., n), the weights of the forward pass.
    upstream : array (..., n), the loss's gradient by the weights; leading
        axes broadcast.
    scale : number or array that broadcasts with the rows, at least 0.

    Returns
    -------
    array (..., n)
        Jᵀ upstream = scale * p * (upstream - Σ p upstream), with sum 0;
        infinite where that is beyond the precision.

    Raises
    ------
    TypeError, ValueError : p is not rows of weights, upstream is not finite,
        a scale is negative or infinite, or shapes do not fit.

    Source: chapter 3.

    >>> vjp([0.75, 0.25], upstream=[1.0, 0.0])
    array([ 0.1875, -0.1875])
    """
    p = weight_rows(p, signs=False)
    large = large_weights(p)
    upstream = numbers("upstream", upstream)
    scale = scales(scale, p)
    try:
        if upstream.shape[-1:] != p.shape[-1:]:
            raise ValueError
        if upstream.shape != p.shape:
            p, upstream = np.broadcast_arrays(p, upstream)
            large = large_weights(p)
    except ValueError:
        finite("upstream", upstream)
        raise ValueError(
            f"upstream: shape {upstream.shape}; it should fit the weights, "
            f"shape {p.shape}"
        ) from None
    try:
        with np.errstate(over="raise", invalid="raise"):
            above = upstream.astype(p.dtype, copy=False)
            return _step_back(p, above, scale, large)
    except FloatingPointError:
        pass
    # either upstream is not finite, or a difference is too large for a float
    upstream = finite("upstream", upstream, p.dtype)
    with np.errstate(over="ignore"):
        return 2 * _step_back(p, upstream / 2, scale, large)


def gradient_norm(p: ArrayLike, scale: ArrayLike = 1.0) -> Array:
    """Half the sum of the absolute entries of the Jacobian, and its trace.

    Parameters, errors : as `jacobian`.

    Returns
    -------
    array (...)
        ½‖J‖₁ = tr J = scale * (1 - Σp²).

    Source: chapter 3.

    >>> float(gradient_norm([0.75, 0.25], scale=2.0))
    0.75
    """
    p = weight_rows(p)
    return scales(scale, p)[..., 0] * tsallis(p, 2)


def _exponents(scores, largest, scale):
    """Return scale * (scores - largest): at most 0, -inf at masked keys."""
    scale = scales(scale, scores)
    kind = np.finfo(scores.dtype)
    # In halves where the difference of two floats can be too large for one.
    huge = (np.abs(largest) > kind.eps * kind.max / 4).any()
    below = scores / 2 - largest / 2 if huge else scores - largest
    with np.errstate(over="ignore", invalid="ignore"):
        exponents = _scaled(below, scale)
        if huge:
            exponents *= 2
    # at scale 0 too a masked key stays masked
    if (scale == 0).any():
        masked = np.broadcast_to(scores == -np.inf, exponents.shape)
        exponents[masked] = -np.inf
    return exponents


def _step_back(p, upstream, scale, large):
    """Return scale * p * (upstream - Σ p upstream).

    large : where weights exceed a half.

    Raises
    ------
    FloatingPointError : upstream holds NaN.
    """
    step = p * upstream
    mean = step.sum(axis=-1, keepdims=True)
    if np.isnan(mean).any():
        raise FloatingPointError
    np.subtract(upstream, mean, out=step)
    # A constant in upstream changes nothing: J 1 = 0. Without the top key's
    # own part, nothing cancels close to one-hot weights.
    if large.size:
        close = np.zeros(p.shape[:-1], bool)
        close.flat[large // p.shape[-1]] = True
        weights, above = p[close], upstream[close]
        top = weights.argmax(axis=-1, keepdims=True)
        above -= np.take_along_axis(above, top, axis=-1)
        step[close] = above - (weights * above).sum(axis=-1, keepdims=True)
    step *= p
    return _scaled(step, scale)


def _scaled(values, scale):
    """Return scale * values: if the scale is one number, in their place."""
    alone = scale.size == 1 and scale.ndim <= values.ndim
    return np.multiply(values, scale, out=values if alone else None)


def _log_sum(exponents):
    """Return log Σ exp(exponents), the largest of which is 0."""
    top = exponents.argmax(axis=-1, keepdims=True)
    others = np.exp(exponents)
    np.put_along_axis(others, top, 0, axis=-1)
    return np.log1p(others.sum(axis=-1, keepdims=True))
