"""Factors on the logits that give rows back what fewer keys had."""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from attention_scale.observe.arrays import numpy_of
from attention_scale.observe.case import Case, Drawn, check_rows

# The last queries, for which `factor` takes all keys to be there.
LAST = 8
# Of a factor: beyond, the head is not what the law is about.
SMALLEST, LARGEST = 1 / 64, 64


class Factor(NamedTuple):
    """A factor on the logits of each head, arrays (heads).

    The value is solved on the head's own rows, NaN where none from 1/64 to
    64 does it; its standard error is that of the rows drawn; and the law is
    what chapter 8 says, from the head's α₀ or margin.
    """

    value: np.ndarray
    standard_error: np.ndarray
    law: np.ndarray


def factor(
    query: Any,
    key: Any,
    n: int,
    keep: str = "entropy",
    *,
    scale: float | None = None,
    causal: bool = False,
    mask: Any = None,
    sink: Any = None,
    cap: float | None = None,
    rows: int = 256,
    seed: int = 0,
) -> Factor:
    """Factor that gives each head's rows what their last n keys have.

    A calculation, and no advice: in the one decoder that chapter 13 tried,
    keeping each head's entropy did not help at twice the trained length, and
    one factor for all heads did no worse.

    Parameters
    ----------
    n : the number of keys at which all was well, from 2 to fewer than there
        are: the trained length, say.
    keep : "entropy", the mean entropy of the rows; or "margin", the mean
        weight of the key that is best among the last n.
    query, key, scale, causal, mask, sink, cap, rows, seed : as
        `row_statistics`; the rows are drawn from the last eighth of the
        queries, and a cap is applied before the factor.

    Returns
    -------
    Factor
        With the law's value beside it: `entropy_invariant_scale` of the α₀
        of the last n keys, or the ratio of `margin_scale`.

    Raises
    ------
    TypeError, ValueError : as `row_statistics`, or n or keep is none of these.

    Source: chapter 8; chapter 13 for what it did.

    >>> rng = np.random.default_rng(0)
    >>> q, k = rng.standard_normal((2, 1, 1024, 64))
    >>> found = factor(3 * q, k, n=256, rows=64)
    >>> found.value.round(2), found.law.round(2)
    (array([1.27]), array([1.25]))
    """
    if keep not in ("entropy", "margin"):
        raise ValueError(f"keep: {keep!r}; it should be 'entropy' or 'margin'")
    check_rows(rows)
    case = Case(query, key, scale, causal, mask, sink, cap)
    if not (isinstance(n, int | np.integer) and 2 <= n < case.n_keys):
        raise ValueError(
            f"n: {n!r}; it should be a whole number from 2 to fewer than the "
            f"{case.n_keys} keys"
        )
    rng = np.random.default_rng(seed)
    least = case.n_keys - case.n_queries // LAST
    drawn = case.draw(rng, rows, max(least, n + 1))
    found = []
    for head in range(case.heads):
        own = _of_head(case, head, drawn)
        last = _last_keys(own, n)
        law = _law(own, last, n, keep)
        found.append((*_solve(own, last, keep), law))
    return Factor(*np.transpose(found))


def _of_head(case: Case, head: int, drawn: Drawn) -> np.ndarray:
    """Return a head's finite logits, -inf where none counts."""
    logits, counts = map(numpy_of, case.logits(drawn, head))
    x = np.where(counts, logits.astype(np.float64), -np.inf)
    if case.first_is_sink:
        texts = np.arange(drawn.texts.size)
        x[texts, :, :, case.first_keys(drawn.texts)] = -np.inf
    x = x.reshape(-1, case.n_keys)
    return x[(np.isfinite(x).sum(axis=-1) > 1) & ~np.isnan(x).any(axis=-1)]


def _law(own, last, n, keep):
    """Return what chapter 8 says of a head's rows."""
    from attention_scale.length import entropy_invariant_scale, margin_scale

    many = np.isfinite(own).sum(axis=-1).mean().round()
    if keep == "margin":
        weight = _weight_of_top(last, last, 1.0).mean()
        return float(
            margin_scale(many, weight, 1) / margin_scale(n, weight, 1)
        )
    alpha = np.mean([row[np.isfinite(row)].std() for row in last])
    return (
        float(entropy_invariant_scale(many, alpha, n, tolerance=1e-8)) / alpha
    )


def _last_keys(rows, n):
    """Return rows in which only the last n keys count that did."""
    counts = np.isfinite(rows)
    later = np.cumsum(counts[:, ::-1], axis=-1)[:, ::-1]
    return np.where(counts & (later <= n), rows, -np.inf)


def _solve(rows, last, keep):
    """Return the factor at which rows have what their last keys have."""
    from scipy import optimize

    measure = _entropies if keep == "entropy" else _weight_of_top
    goal = measure(last, last, 1.0)

    def excess(log_factor):
        return float(np.mean(measure(rows, last, np.exp(log_factor)) - goal))

    low, high = log(SMALLEST), log(LARGEST)
    if not excess(low) * excess(high) < 0:
        return np.nan, np.nan
    solved = optimize.brentq(excess, low, high, xtol=1e-10)
    off = measure(rows, last, np.exp(solved)) - goal
    step = 1e-3
    slope = (excess(solved + step) - excess(solved - step)) / (2 * step)
    error = off.std(ddof=1) / sqrt(off.size) / abs(slope) * np.exp(solved)
    return np.exp(solved), error


def _weights(rows, factor):
    """Return softmax of the rows times a factor, and the exponents."""
    below = factor * (rows - rows.max(axis=-1, keepdims=True))
    powers = np.exp(below)
    return powers / powers.sum(axis=-1, keepdims=True), below


def _entropies(rows, last, factor):
    """Return the entropy of each row times a factor."""
    p, below = _weights(rows, factor)
    log_z = -np.log(p.max(axis=-1))
    return log_z - (p * np.where(np.isfinite(below), below, 0)).sum(axis=-1)


def _weight_of_top(rows, last, factor):
    """Return the weight of the key that is the best of the last ones."""
    p, _ = _weights(rows, factor)
    best = last.argmax(axis=-1)[:, np.newaxis]
    return np.take_along_axis(p, best, axis=-1)[:, 0]
