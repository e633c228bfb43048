"""How spread a row of weights is: entropies of Shannon, Rényi and Tsallis.

All take weights `p`, which sum to 1 along the last axis, with any leading
axes, in float32 or float64; a weight of 0 counts for nothing. All stay exact
to rounding close to one-hot rows, where 1 - p and log p lose their digits.
"""

import numpy as np
from numpy.typing import ArrayLike

from attention_scale.arguments import (
    Array,
    number,
    refuse,
    row_entropies,
    weight_rows,
)

__all__ = [
    "collision",
    "complement",
    "normalize",
    "renyi",
    "shannon",
    "tsallis",
]

# Floats have all their digits down to 2e-308. A ratio to the largest weight
# keeps a factor 1e18 from there, in which the weights themselves are small.
TINY = 1e-290
TO_ROUNDING = 4.5e-16  # of a power, relative: two steps between floats


def shannon(p: ArrayLike) -> Array:
    """Shannon's entropy of weights.

    Parameters
    ----------
    p : array (..., n), weights.

    Returns
    -------
    array (...)
        -Σ p log p in nats, from 0 (one-hot) to log n (uniform).

    Raises
    ------
    TypeError, ValueError : p is not rows of weights.

    Source: chapter 4.

    >>> float(shannon([0.25, 0.25, 0.25, 0.25]).round(4))  # log 4
    1.3863
    """
    p = weight_rows(p, signs=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.log(p)
        terms *= p
    total = np.asarray(terms.sum(axis=-1))
    # NaN comes of 0 log 0, or of the logarithm of what is below 0. A weight
    # above a half, whose logarithm takes more, leaves log 2 + ½ log n at most.
    again = ~(total < -np.log(2) - np.log(p.shape[-1]) / 2)
    if again.any():
        # a copy of few rows takes less than a look at all, of many more
        chosen = again if again.mean() < 0.1 else ...
        rows, terms = p[chosen], terms[chosen]
        if np.isnan(total).any():
            weight_rows(p)
            terms = np.where(rows > 0, terms, 0)
        large, logarithms = _near_1(rows)
        terms.flat[large] = rows.flat[large] * logarithms
        total[chosen] = terms.sum(axis=-1)
    return _at_least_0(-total, p.dtype)


def renyi(p: ArrayLike, order: float) -> Array:
    """Rényi's entropy of weights.

    exp of it is a number of effective keys: 1/Σp² for order 2, of which few
    small weights take nothing, and more the lower the order.

    Parameters
    ----------
    p : array (..., n), weights.
    order : number of at least 0, infinity included. Order 0 counts the
        weights that are not 0, order 1 is Shannon's, infinity is -log max p.

    Returns
    -------
    array (...)
        log(Σ p^order) / (1 - order) in nats, from 0 (one-hot) to log n.

    Raises
    ------
    TypeError, ValueError : p is not rows of weights, or the order is not a
        number of at least 0.

    Source: chapter 3.

    >>> float(renyi([0.5, 0.25, 0.25], order=2).round(4))  # log 8/3
    0.9808
    """
    p, order = weight_rows(p), number("order", order)
    refuse("order", order, order < 0, "at least 0")
    if order == 0:
        return np.log(np.count_nonzero(p, axis=-1), dtype=p.dtype)
    if order == 1:
        return shannon(p)
    largest = p.max(axis=-1)
    log_largest = _logarithm(p).max(axis=-1)
    # The largest weight decides, up to a relative 1 / order.
    if order > 1 / float(np.finfo(p.dtype).eps):
        return _at_least_0(-log_largest, p.dtype)
    # Σ p^order either as 1 + excess or with the largest weight taken out:
    # each is exact where the other loses digits.
    excess = _excess(p, order)
    near = np.abs(excess) < 0.5
    ratio = p / largest[..., np.newaxis]
    out_taken = order * log_largest + np.log((ratio**order).sum(axis=-1))
    log_sum = np.where(near, np.log1p(np.where(near, excess, 0)), out_taken)
    return _at_least_0(log_sum / (1 - order), p.dtype)


def tsallis(p: ArrayLike, order: float) -> Array:
    """Entropy of Tsallis of weights.

    Order 2 is what a row's gradient has: 1 - Σp², the chance that two draws
    by the weights give different keys, exact where 1 - `collision` is not.

    Parameters, errors : as `renyi`, but the order is finite; order 1 is
    Shannon's entropy, order 2 the Gini impurity 1 - Σp².

    Returns
    -------
    array (...)
        (1 - Σ p^order) / (order - 1), 0 for one-hot weights.

    Source: chapter 3.

    >>> float(tsallis([0.5, 0.25, 0.25], order=2))
    0.625
    """
    p, order = weight_rows(p), number("order", order)
    refuse("order", order, not 0 <= order < np.inf, "finite and at least 0")
    if order == 1:
        return shannon(p)
    return _at_least_0(_excess(p, order) / (1 - order), p.dtype)


def collision(p: ArrayLike) -> Array:
    """Probability that two draws by the weights give the same key.

    Parameters, errors : as `shannon`.

    Returns
    -------
    array (...)
        Σp², from 1/n (uniform) to 1 (one-hot).

    Source: chapter 3.

    >>> float(1 / collision([0.5, 0.5, 0.0, 0.0]))  # effective keys
    2.0
    """
    return (weight_rows(p) ** 2).sum(axis=-1)


def complement(p: ArrayLike) -> Array:
    """What each weight leaves to the others, without cancellation.

    Parameters, errors : as `shannon`.

    Returns
    -------
    array (..., n)
        1 - p; for the largest weight of a row, the sum of the others.

    >>> complement([1.0, 1e-20])
    array([1.e-20, 1.e+00])
    """
    p = weight_rows(p)
    top = p.argmax(axis=-1, keepdims=True)
    others = p.copy()
    np.put_along_axis(others, top, 0, axis=-1)
    rest = 1 - p
    np.put_along_axis(rest, top, others.sum(-1, keepdims=True), axis=-1)
    return rest


def normalize(p: ArrayLike, entropy: ArrayLike) -> Array:
    """Weights raised to the power that gives them a prescribed entropy.

    Parameters
    ----------
    p : array (..., n), weights.
    entropy : number or array that broadcasts with the rows, nats; above the
        logarithm of the number of a row's largest weights, and at most that
        of the number of its weights that are not 0.

    Returns
    -------
    array (..., n)
        p^gamma / Σ p^gamma with gamma at least 0 and Shannon's entropy as
        asked, to rounding: softmax at another scale.

    Raises
    ------
    TypeError : an argument is not of float32, float64 or whole numbers.
    ValueError : p is not rows of weights, shapes do not fit, or no power
        gives the entropy.

    Source: chapter 9; source 002.

    >>> row = normalize([0.5, 0.25, 0.25], entropy=1.0)
    >>> row.round(4)
    array([0.5501, 0.225 , 0.225 ])
    >>> float(shannon(row).round(9))
    1.0
    """
    p = weight_rows(p)
    weights = p.astype(np.float64)
    top = weights.max(axis=-1, keepdims=True)
    counts = weights > 0
    lowest = np.log(np.count_nonzero(weights == top, axis=-1))
    highest = np.log(np.count_nonzero(counts, axis=-1))
    entropy = row_entropies(entropy, lowest, highest)
    # log(p / max p), exact close to 0; 0 where a key doesn't count
    below = np.where(weights > top / 2, weights - top, 0) / top
    ratio = np.where(counts & (below == 0), weights, top) / top
    log_ratio = np.log(np.where(counts, weights, top)) - np.log(top)
    log_ratio = np.where(ratio < TINY, log_ratio, np.log(ratio))
    log_p = np.log1p(below) + log_ratio
    gamma = _exponents(log_p, counts, entropy - lowest, highest - lowest)
    powers = np.where(counts, np.exp(gamma[..., np.newaxis] * log_p), 0)
    return (powers / powers.sum(axis=-1, keepdims=True)).astype(p.dtype)


def _exponents(log_p, counts, goal, most):
    """Return the powers that leave an entropy of `goal` above the lowest."""
    shape = np.broadcast_shapes(goal.shape, most.shape)
    goal, most = (np.broadcast_to(x, shape).ravel() for x in (goal, most))
    log_p, counts = (
        np.broadcast_to(x, (*shape, x.shape[-1])).reshape(-1, x.shape[-1])
        for x in (log_p, counts)
    )
    gamma = np.zeros(goal.size)
    # power 0 gives the highest entropy, which no bracket would enclose
    row = np.flatnonzero(goal < most)

    def excess(gamma, row):
        return _above_lowest(log_p[row], counts[row], gamma) - goal[row]

    if row.size:
        gamma[row] = _root(excess, row)
    return gamma.reshape(shape)


def _root(excess, row):
    """Return, for each row, where its falling excess is 0, to rounding."""
    from scipy.optimize import elementwise

    start = np.ones(row.size)
    enclosed = elementwise.bracket_root(
        excess, start, 2 * start, xmin=0, args=(row,)
    )
    tight = {"xatol": 0, "xrtol": TO_ROUNDING, "fatol": 0, "frtol": 0}
    return elementwise.find_root(
        excess, enclosed.bracket, args=(row,), tolerances=tight
    ).x


def _above_lowest(log_p, counts, gamma):
    """Return the entropy less its limit for large powers, log of the ties.

    Both are taken with the largest weight divided out, so that little is left
    of what they share.
    """
    exponents = gamma[:, np.newaxis] * log_p
    powers = np.where(counts, np.exp(exponents), 0)
    top = log_p == 0
    ties = np.count_nonzero(counts & top, axis=-1)
    rest = np.where(top, 0, powers).sum(axis=-1)
    mean = (powers * exponents).sum(axis=-1) / (ties + rest)
    return np.log1p(rest / ties) - mean


def _logarithm(p):
    """Return log p, exact close to p = 1, and -inf where p is 0."""
    with np.errstate(divide="ignore"):
        logarithm = np.log(p)
    large, logarithm.flat[large] = _near_1(p)
    return logarithm


def _near_1(p):
    """Return where weights exceed a half, and their logarithms.

    So large a weight has its digits in what it leaves to the others.
    """
    large = np.flatnonzero(p > 0.5)
    row, key = np.divmod(large, p.shape[-1])
    others = p.reshape(-1, p.shape[-1])[row]
    others[np.arange(large.size), key] = 0
    return large, np.log1p(-others.sum(axis=-1))


def _at_least_0(values, dtype):
    """Return values of a precision, 0 in place of -0."""
    return np.add(values, 0.0, dtype=dtype, casting="same_kind")


def _excess(p, order):
    """Return Σ p^order - 1 = Σ p (p^(order - 1) - 1), a sum of one sign."""
    power = (order - 1) * np.where(p > 0, _logarithm(p), 0).astype(np.float64)
    # expm1 keeps the digits of a small power, but not of one beyond range
    small = power < 1
    terms = np.where(
        small, p * np.expm1(np.where(small, power, 0)), p**order - p
    )
    return np.where(p > 0, terms, 0).sum(axis=-1)
