"""What a few numbers of a row bound: its dead share, its largest logit."""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from attention_scale.arguments import (
    Array,
    finite,
    key_counts,
    number,
    refuse,
    together,
)

DEAD = 0.01  # 1 - Σp² below which a row passes hardly any gradient
# Of the largest score of a row: the step of a sum, and where it ends. The
# density at the largest of 1e12 scores is a tenth wide: 30 steps.
STEP_OF_LARGEST, ENDS_OF_LARGEST = 0.004, (-9.0, 37.5)


def dead_share_bound(n: ArrayLike, scale: ArrayLike) -> Array:
    """At most this share of rows of normal scores is dead: 1 - Σp² < 0.01.

    The share of rows whose best score leads the second by what kills a row
    whatever the others do. The others can only keep it alive.

    Parameters
    ----------
    n : whole number of keys from 2 to 1e12, or an array of them.
    scale : the scale α, a number from 0, or an array that broadcasts with n.

    Returns
    -------
    array
        n ∫ φ(m) Φ(m - λ/α)^(n-1) dm with λ = 2 arcosh(1/√0.02). Of 128 to
        8192 keys fewer rows are dead, by up to 0.032 in 1; where most are
        dead, by less than 5% of them.

    Raises
    ------
    TypeError, ValueError : an argument is no such number.

    Source: chapter 3, bound of the dead rows.

    >>> dead_share_bound([128, 8192], 8.0).round(4)
    array([0.1499, 0.0664])
    """
    n, scale = together(
        n=key_counts("n", n, least=2), scale=finite("scale", scale, least=0)
    )
    refuse("n", n, n > 1e12, "at most 1e12")
    with np.errstate(divide="ignore"):
        gap = 2 * np.arccosh(1 / sqrt(2 * DEAD)) / scale
    m = np.arange(*ENDS_OF_LARGEST, STEP_OF_LARGEST)
    others = special.log_ndtr(m - gap[..., np.newaxis])
    n = n[..., np.newaxis]
    density = np.exp(np.log(n) - m**2 / 2 + (n - 1) * others)
    return STEP_OF_LARGEST / sqrt(2 * np.pi) * density.sum(axis=-1)


def largest_logit(
    lse: ArrayLike, lse_k: ArrayLike, k: float
) -> tuple[Array, Array]:
    """Bounds of a row's largest logit, from two sums that a kernel returns.

    Fused kernels keep the weights to themselves, but return log Z. Called
    again with k times the query they return log Σ exp(k x), and that bounds
    the largest logit x: Σ p^k lies between p^k and p^(k - 1) of the largest
    weight p. A power of two as k is exact in bfloat16. Caps and biases: k
    must multiply what softmax gets.

    Parameters
    ----------
    lse : array, log Σ exp(x) of the rows, nats.
    lse_k : array that broadcasts with it, log Σ exp(k x).
    k : number above 1.

    Returns
    -------
    lower, upper : arrays
        (lse_k - lse) / (k - 1) and lse_k / k. Over 8192 normal logits of
        standard deviation 3 they are 1.7, 0.14 and 0.016 apart for k = 2, 16
        and 128, on average.

    Raises
    ------
    TypeError : an argument is no such number.
    ValueError : likewise; or lse_k is above k lse, which no row has.

    >>> x = np.array([3.0, 1.0, 0.0])
    >>> lse, lse_16 = np.log(np.exp(x).sum()), np.log(np.exp(16 * x).sum())
    >>> [float(bound.round(3)) for bound in largest_logit(lse, lse_16, 16)]
    [2.989, 3.0]
    """
    k = number("k", k)
    if not 1 < k < np.inf:
        raise ValueError(f"k: {k:g}; it should be above 1, and finite")
    first, second = together(
        lse=finite("lse", lse), lse_k=finite("lse_k", lse_k)
    )
    lower, upper = (second - first) / (k - 1), second / k
    # with a single key both are the logit, but for what a kernel rounds
    slack = 1e-3 * np.maximum(1, np.abs(upper))
    refuse("lse_k", second, lower > upper + slack, "at most k times lse")
    return np.minimum(lower, upper), upper


def effective_keys(lse: ArrayLike, lse_2: ArrayLike) -> Array:
    """Effective number of keys, 1/Σp², from two sums that a kernel returns.

    Parameters
    ----------
    lse : array, log Σ exp(x) of the rows, nats.
    lse_2 : array that broadcasts with it, log Σ exp(2 x): the kernel called
        again with twice the query.

    Returns
    -------
    array
        exp(2 lse - lse_2), from 1 to the number of keys.

    Raises
    ------
    TypeError, ValueError : an argument is no such number.

    Source: chapter 9.

    >>> x = np.zeros(5)
    >>> lse, lse_2 = np.log(np.exp(x).sum()), np.log(np.exp(2 * x).sum())
    >>> float(effective_keys(lse, lse_2).round(9))
    5.0
    """
    lse, lse_2 = together(lse=finite("lse", lse), lse_2=finite("lse_2", lse_2))
    return np.exp(2 * lse - lse_2)
