"""Statistics of a model's rows of attention, beside those of random rows.

From queries and keys of any array library with the array API standard, NumPy
without anything else and PyTorch, JAX or CuPy with array-api-compat. Rows are
sampled, in blocks, and no array of all queries times all keys is made.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from attention_scale.arguments import (
    Array,
    array,
    finite,
    key_counts,
    number,
    refuse,
    together,
)
from attention_scale.explain import Explanation, explain

__all__ = [
    "Explanation",
    "Factor",
    "RowStatistics",
    "Statistic",
    "dead_share_bound",
    "effective_keys",
    "explain",
    "factor",
    "largest_logit",
    "row_statistics",
]

AT_ONCE = 2**22  # logits in memory
LEAST_KEYS = 32  # a row of fewer is left out: its entropy says little
DEAD = 0.01  # 1 - Σp² below which a row passes hardly any gradient
# Of the largest score of a row: the step of a sum, and where it ends. The
# density at the largest of 1e12 scores is a tenth wide: 30 steps.
STEP_OF_LARGEST, ENDS_OF_LARGEST = 0.004, (-9.0, 37.5)
# The last queries, for which `factor` takes all keys to be there.
LAST = 8
# Of a factor: beyond, the head is not what the law is about.
SMALLEST, LARGEST = 1 / 64, 64
# Heads beyond which normal rows are interpolated, nodes, and where they end.
FEW_HEADS, NODES_OF_SCALE, WIDEST = 24, 24, 50.0


class Statistic(NamedTuple):
    """A mean over rows, and its standard error, each an array (heads).

    The error is that of the rows drawn, as if they were independent. Rows of
    one text are not: for what holds of other texts, repeat over texts.
    """

    value: np.ndarray
    standard_error: np.ndarray


class NormalRows(NamedTuple):
    """What rows of independent normal logits would have, arrays (heads).

    With each head's own standard deviation and numbers of keys; NaN where
    the standard deviation is above 50.
    """

    alpha_c: np.ndarray
    entropy: np.ndarray
    effective_keys: np.ndarray


@dataclass(frozen=True, repr=False)
class RowStatistics:
    """Statistics of each head's rows, without masked keys and the sink.

    Attributes
    ----------
    alpha : Statistic
        α₀, standard deviation of the logits within a row.
    entropy : Statistic
        Shannon's, in nats.
    effective_keys : Statistic
        1 / mean of Σp².
    top_logit : Statistic
        The largest logit of a row.
    largest_logit : array (heads)
        The largest of all rows drawn: other rows may have larger ones.
    dead : Statistic
        Share of the rows with 1 - Σp² < 0.01.
    sink_weight : Statistic
        The weight that the sink takes from the row, 0 without one.
    near : Statistic
        Share of the weight on keys nearer than `near` to the query.
    keys : array (heads, rows)
        Numbers of keys of the rows; NaN where a row was left out.
    """

    alpha: Statistic
    entropy: Statistic
    effective_keys: Statistic
    top_logit: Statistic
    largest_logit: np.ndarray
    dead: Statistic
    sink_weight: Statistic
    near: Statistic
    keys: np.ndarray

    @property
    def normal(self) -> NormalRows:
        """What normal rows with the same α₀ and as many keys would have."""
        return _normal_rows(self.alpha.value, self.keys)

    def __repr__(self) -> str:
        normal = self.normal
        columns = {
            "head": [str(i) for i in range(self.largest_logit.size)],
            "alpha": _with_errors(self.alpha, 2),
            "/alpha_c": _numbers(self.alpha.value / normal.alpha_c, 2),
            "H": _with_errors(self.entropy, 2),
            "(normal)": _numbers(normal.entropy, 2),
            "keys": _with_errors(self.effective_keys, 1),
            "(normal) ": _numbers(normal.effective_keys, 1),
            "largest": _numbers(self.largest_logit, 1),
            "sink": _numbers(self.sink_weight.value, 2),
            "near": _numbers(self.near.value, 2),
            "dead": _numbers(self.dead.value, 2),
        }
        widths = [
            max(map(len, [head, *cells])) for head, cells in columns.items()
        ]
        lines = [list(columns), *zip(*columns.values(), strict=True)]
        return "\n".join(
            "  ".join(
                cell.rjust(width)
                for cell, width in zip(line, widths, strict=True)
            )
            for line in lines
        )


class Factor(NamedTuple):
    """A factor on the logits of each head, arrays (heads).

    The value is solved on the head's own rows, NaN where none from 1/64 to
    64 does it; its standard error is that of the rows drawn; and the law is
    what chapter 8 says, from the head's α₀ or margin.
    """

    value: np.ndarray
    standard_error: np.ndarray
    law: np.ndarray


def row_statistics(
    query: Any,
    key: Any,
    *,
    scale: float | None = None,
    causal: bool = False,
    mask: Any = None,
    sink: Any = None,
    cap: float | None = None,
    rows: int = 256,
    near: int = 64,
    least_keys: int = LEAST_KEYS,
    seed: int = 0,
) -> RowStatistics:
    """Statistics of the rows of each head, of rows drawn at random.

    Parameters
    ----------
    query : array (..., heads, queries, d) of any array library, in float16,
        bfloat16, float32 or float64; computed in float32, or float64 if it
        is that. Axes before the heads are pooled.
    key : array (..., heads of keys, keys, d). With fewer heads than the
        query, each serves as many neighbouring heads of the query.
    scale : of the scores, a number of at least 0; without, 1 / √d.
    causal : whether a query sees only the keys up to its own place; the last
        query is at the last key.
    mask : array that broadcasts to (..., heads, queries, keys): booleans,
        true where a query sees a key, or floats, added to the logits: of
        -1e9 or less (in float16, half of the least) they mask.
    sink : "first" for the first key, or an array (heads) of logits beside the
        row. What it takes is `sink_weight`; all else is said of the others,
        whose weights sum to 1.
    cap : c in c tanh(logits / c), applied before the mask, or none.
    rows : how many queries are drawn.
    near : distance from the query within which a key is near.
    least_keys : rows that see fewer are left out.
    seed : of the draw.

    Returns
    -------
    RowStatistics
        NaN for a head with fewer than two rows left.

    Raises
    ------
    TypeError : an array is not of floats, or of no known library.
    ValueError : shapes do not fit, or a number is outside its range.

    Source: chapters 3, 6 and 13.

    >>> rng = np.random.default_rng(0)
    >>> q, k = rng.standard_normal((2, 1, 512, 64))  # one head
    >>> found = row_statistics(q, k)
    >>> found.alpha.value.round(1), found.normal.entropy.round(1)
    (array([1.]), array([5.7]))
    """
    case = Case(query, key, scale, causal, mask, sink, cap)
    least_keys = min(least_keys, case.n_keys)
    rng = np.random.default_rng(seed)
    return summary([case.rows(rng, rows, least_keys, near)], least_keys)


def summary(
    found_rows: Sequence[dict[str, np.ndarray]], least_keys: int = LEAST_KEYS
) -> RowStatistics:
    """Statistics of rows that were looked at, perhaps in several calls.

    Parameters
    ----------
    found_rows : what `Case.rows` returned, of cases with as many heads.
    least_keys : rows that see fewer are left out.
    """
    found = {
        name: np.concatenate([rows[name] for rows in found_rows], axis=-1)
        for name in found_rows[0]
    }
    kept = found["keys"] >= max(least_keys, 2)
    found = {
        name: np.where(kept, values, np.nan) for name, values in found.items()
    }
    collision = _mean(found["collision"])
    keys = 1 / collision.value
    return RowStatistics(
        alpha=_mean(found["alpha"]),
        entropy=_mean(found["entropy"]),
        effective_keys=Statistic(keys, collision.standard_error * keys**2),
        top_logit=_mean(found["top"]),
        largest_logit=_largest(found["top"]),
        dead=_mean(np.where(kept, 1 - found["collision"] < DEAD, np.nan)),
        sink_weight=_mean(found["sink"]),
        near=_mean(found["near"]),
        keys=found["keys"],
    )


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
    from attention_scale.length import entropy_invariant_scale, margin_scale

    if keep not in ("entropy", "margin"):
        raise ValueError(f"keep: {keep!r}; it should be 'entropy' or 'margin'")
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
        own = case.of_head(head, drawn)
        last = _last_keys(own, n)
        solved = _solve(own, last, keep)
        if keep == "entropy":
            alpha = np.mean([row[np.isfinite(row)].std() for row in last])
            count = np.isfinite(own).sum(axis=-1).mean().round()
            law = (
                float(entropy_invariant_scale(count, alpha, n, tolerance=1e-8))
                / alpha
            )
        else:
            weight = _weight_of_top(last, last, 1.0).mean()
            many = np.isfinite(own).sum(axis=-1).mean().round()
            law = float(
                margin_scale(many, weight, 1) / margin_scale(n, weight, 1)
            )
        found.append((*solved, law))
    return Factor(*np.transpose(found))


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
    TypeError, ValueError : an argument is no such number.

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
    return (second - first) / (k - 1), second / k


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


class Case:
    """Queries and keys as (batch, heads, n, d), and what is done to them."""

    def __init__(self, query, key, scale, causal, mask, sink, cap):
        xp = self.xp = _namespace(query, key)
        query, key = _floats(xp, "query", query), _floats(xp, "key", key)
        shapes = f"query: shape {_shape(query)}, key: shape {_shape(key)}"
        if query.ndim < 2 or query.ndim != key.ndim:
            raise ValueError(
                f"{shapes}; both should have axes (..., heads, n, d)"
            )
        if query.ndim == 2:
            query, key = query[None, ...], key[None, ...]
        *batch, heads, n_queries, d = query.shape
        *others, of_keys, n_keys, d_key = key.shape
        if batch != others or d != d_key or not of_keys or heads % of_keys:
            raise ValueError(
                f"{shapes}; they should be alike but for the numbers of "
                "queries and keys, and of heads, which the key's should divide"
            )
        if not n_queries or n_keys < 2:
            raise ValueError(f"{shapes}; there should be at least two keys")
        self.batch = int(np.prod(batch, dtype=int))
        self.heads, self.of_keys = int(heads), int(of_keys)
        self.n_queries, self.n_keys = int(n_queries), int(n_keys)
        self.offset = self.n_keys - self.n_queries if causal else 0
        self.causal = causal
        if causal and self.offset < 0:
            raise ValueError(
                f"{shapes}; under a causal mask there should be as many keys "
                "as queries, or more"
            )
        self.scale = 1 / sqrt(d) if scale is None else number("scale", scale)
        if not 0 <= self.scale < np.inf:
            raise ValueError(
                f"scale: {self.scale:g}; it should be finite and at least 0"
            )
        self.cap = None if cap is None else number("cap", cap)
        if self.cap is not None and not 0 < self.cap < np.inf:
            raise ValueError(
                f"cap: {self.cap:g}; it should be positive and finite"
            )
        self.query = xp.reshape(query, (self.batch, heads, n_queries, d))
        self.key = xp.reshape(key, (self.batch, of_keys, n_keys, d))
        self.mask = self._mask(mask, batch)
        self.sink_logits = self._sink(sink)
        self.first_is_sink = isinstance(sink, str)

    def _mask(self, mask, batch):
        """Return a mask with the axes (batch, heads, queries, keys)."""
        if mask is None:
            return None
        wanted = (*batch, self.heads, self.n_queries, self.n_keys)
        try:
            fits = np.broadcast_shapes(mask.shape, wanted) == wanted
        except (AttributeError, ValueError):
            fits = False
        if not fits:
            raise ValueError(
                f"mask: shape {_shape(mask)}; it should broadcast to {wanted}"
            )
        axes = (1,) * (len(wanted) - mask.ndim) + tuple(mask.shape)
        first = int(np.prod(axes[:-3], dtype=int))
        if first not in (1, self.batch):
            mask = self.xp.broadcast_to(mask, (*batch, *axes[-3:]))
            first = self.batch
        return self.xp.reshape(mask, (first, *axes[-3:]))

    def _sink(self, sink):
        """Return the logits of a sink beside the row, or None."""
        if sink is None or (isinstance(sink, str) and sink == "first"):
            return None
        if isinstance(sink, str):
            raise ValueError(
                f"sink: {sink!r}; it should be 'first', or an array (heads)"
            )
        logits = array("sink", numpy_of(sink)).astype(np.float64)
        if logits.shape not in ((), (self.heads,)):
            raise ValueError(
                f"sink: shape {logits.shape}; it should be ({self.heads},)"
            )
        return np.broadcast_to(logits, self.heads)

    def draw(self, rng, rows, least_keys):
        """Return the queries to look at, of those that see enough keys."""
        if not (isinstance(rows, int | np.integer) and rows >= 2):
            raise ValueError(
                f"rows: {rows!r}; it should be a whole number from 2"
            )
        first = 0
        if self.causal:
            first = max(least_keys - self.offset - 1, 0)
        first = min(first, max(self.n_queries - 2, 0))
        there = self.n_queries - first
        if rows >= there:
            return np.arange(first, self.n_queries)
        return first + np.sort(rng.choice(there, rows, replace=False))

    def blocks(self, positions):
        """Return the positions in blocks that fit into memory."""
        each = self.batch * self.heads * self.n_keys
        count = max(1, min(len(positions), AT_ONCE // each))
        return np.array_split(positions, ceil(len(positions) / count))

    def logits(self, positions, head=None):
        """Return logits (batch, heads, rows, keys), and which ones count."""
        xp = self.xp
        index = self._like(positions)
        heads, of_keys = self.heads, self.of_keys
        query, key, mask = self.query, self.key, self.mask
        if head is not None:
            query = query[:, head : head + 1, :, :]
            group = head // (heads // of_keys)
            key = key[:, group : group + 1, :, :]
            if mask is not None and mask.shape[1] > 1:
                mask = mask[:, head : head + 1, :, :]
            heads = of_keys = 1
        query = xp.take(query, index, axis=2) * self.scale
        rows, d = query.shape[2:]
        # queries that share a key stand below each other: keys aren't copied
        query = xp.reshape(
            query, (self.batch, of_keys, heads // of_keys * rows, d)
        )
        x = xp.matmul(query, _transposed(xp, key))
        x = xp.reshape(x, (self.batch, heads, rows, self.n_keys))
        if self.cap is not None:
            x = self.cap * xp.tanh(x / self.cap)
        counts = np.ones((rows, self.n_keys), bool)
        if self.causal:
            last = positions[:, np.newaxis] + self.offset
            counts &= np.arange(self.n_keys) <= last
        counts = self._like(counts)
        if mask is not None:
            if mask.shape[2] > 1:
                mask = xp.take(mask, index, axis=2)
            if "bool" in str(mask.dtype):
                counts = xp.logical_and(counts, mask)
            else:
                added = xp.asarray(mask, dtype=x.dtype)
                seen = added > _lowest(mask.dtype)
                x = x + xp.where(seen, added, xp.zeros_like(added))
                counts = xp.logical_and(counts, seen)
        return x, xp.broadcast_to(counts, x.shape)

    def rows(self, rng, rows, least_keys, near):
        """Return numbers of drawn rows, by name arrays (heads, rows)."""
        drawn = self.draw(rng, rows, least_keys)
        blocks = [self.per_row(block, near) for block in self.blocks(drawn)]
        # (batch, heads, rows) to (heads, batch and rows)
        return {
            name: np.moveaxis(
                np.concatenate([block[name] for block in blocks], axis=-1),
                1,
                0,
            ).reshape(self.heads, -1)
            for name in blocks[0]
        }

    def per_row(self, positions, near):
        """Return numbers of each row as NumPy arrays (batch, heads, rows)."""
        xp = self.xp
        x, counts = self.logits(positions)
        first, first_counts = x[..., 0], counts[..., 0]
        zero = xp.zeros_like(x)
        if self.first_is_sink:
            others = self._like(np.arange(self.n_keys) > 0)
            counts = xp.logical_and(counts, others)
        keys = xp.sum(xp.where(counts, zero + 1, zero), axis=-1)
        some = xp.where(keys > 0, keys, xp.ones_like(keys))
        top = xp.max(xp.where(counts, x, zero - np.inf), axis=-1)
        top = xp.where(keys > 0, top, xp.zeros_like(top))
        mean = xp.sum(xp.where(counts, x, zero), axis=-1) / some
        deviation = xp.where(counts, x - mean[..., None], zero)
        below = xp.where(counts, x - top[..., None], zero)
        powers = xp.where(counts, xp.exp(below), zero)
        total = xp.sum(powers, axis=-1)
        total = xp.where(keys > 0, total, xp.ones_like(total))
        log_z = top + xp.log(total)
        places = positions[:, np.newaxis] + self.offset
        distance = np.abs(np.arange(self.n_keys) - places)
        close = xp.where(self._like(distance < near), powers, zero)
        found = {
            "keys": keys,
            "alpha": xp.sqrt(xp.sum(deviation**2, axis=-1) / some),
            "entropy": xp.log(total) - xp.sum(powers * below, axis=-1) / total,
            "collision": xp.sum((powers / total[..., None]) ** 2, axis=-1),
            "top": top,
            "near": xp.sum(close, axis=-1) / total,
            "log_z": log_z,
        }
        known = {
            name: np.asarray(numpy_of(values), np.float64)
            for name, values in found.items()
        }
        log_z = known.pop("log_z")
        known["sink"] = np.zeros_like(log_z)
        if self.first_is_sink:
            first = np.asarray(numpy_of(first), np.float64)
            seen = np.asarray(numpy_of(first_counts), bool)
            known["sink"] = np.where(seen, _share(first - log_z), 0)
        elif self.sink_logits is not None:
            known["sink"] = _share(self.sink_logits[:, np.newaxis] - log_z)
        return known

    def of_head(self, head, positions):
        """Return a head's logits as NumPy rows, -inf where none counts."""
        x, counts = self.logits(positions, head)
        x = np.asarray(numpy_of(x), np.float64)
        x = np.where(numpy_of(counts), x, -np.inf)
        if self.first_is_sink:
            x[..., 0] = -np.inf
        x = x.reshape(-1, self.n_keys)
        return x[np.isfinite(x).sum(axis=-1) > 1]

    def _like(self, values):
        """Return a NumPy array as one of the library, on the same device."""
        if self.xp is np:
            return values
        device = getattr(self.query, "device", None)
        return self.xp.asarray(values, device=device)


def numpy_of(values: Any) -> np.ndarray:
    """Return an array of any library as one of NumPy."""
    if isinstance(values, np.ndarray | np.generic | list | float | int):
        return np.asarray(values)
    if hasattr(values, "detach"):  # PyTorch
        return values.detach().cpu().numpy()
    if hasattr(values, "get"):  # CuPy
        return values.get()
    try:
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError):
        return np.from_dlpack(values)


def _namespace(*arrays) -> ModuleType:
    """Return the array library, by its standard names."""
    if all(isinstance(values, np.ndarray) for values in arrays):
        return np
    try:
        from array_api_compat import array_namespace
    except ImportError:
        kinds = {type(values).__module__.split(".")[0] for values in arrays}
        raise ImportError(
            f"query, key: arrays of {' and '.join(sorted(kinds))}; other "
            "libraries than NumPy need array-api-compat: pip install "
            "'attention-scale[observe]'"
        ) from None
    try:
        return array_namespace(*arrays)
    except TypeError:
        kinds = {type(values).__name__ for values in arrays}
        raise TypeError(
            f"query, key: {' and '.join(sorted(kinds))}; both should be "
            "arrays of one library"
        ) from None


def _floats(xp, name, values):
    """Return floats in float32, or in float64 where they are that."""
    if "float" not in str(values.dtype):
        raise TypeError(
            f"{name}: an array of {values.dtype}; it should be of floats"
        )
    if values.dtype in (xp.float32, xp.float64):
        return values
    return xp.asarray(values, dtype=xp.float32)


def _lowest(dtype):
    """Return below what an added float masks: as often the least as -inf."""
    half = "float16" in str(dtype) and "bfloat16" not in str(dtype)
    return -32752.0 if half else -1e9


def _transposed(xp, values):
    """Return matrices transposed; NumPy 1 has no name of the standard."""
    if xp is np:
        return np.swapaxes(values, -1, -2)
    return xp.matrix_transpose(values)


def _shape(values):
    return tuple(getattr(values, "shape", ()))


def _share(difference):
    """Return the weight of a logit so much above the log Z of the others."""
    return 1 / (1 + np.exp(np.clip(-difference, -700, 700)))


def _mean(values):
    """Return means over rows that are not NaN, and their standard errors."""
    there = np.isfinite(values)
    count = there.sum(axis=-1)
    enough = np.where(count > 1, count, np.nan)
    mean = np.where(there, values, 0).sum(axis=-1) / enough
    off = np.where(there, values - mean[:, np.newaxis], 0)
    return Statistic(
        mean, np.sqrt((off**2).sum(axis=-1) / (enough - 1) / enough)
    )


def _largest(values):
    """Return the largest number of each head, NaN if there is none."""
    largest = np.where(np.isfinite(values), values, -np.inf).max(axis=-1)
    return np.where(np.isneginf(largest), np.nan, largest)


def _normal_rows(alpha, keys):
    """Return means over normal rows, of each head's α and numbers of keys."""
    known = np.isfinite(alpha) & (alpha <= WIDEST)
    there = np.isfinite(keys)
    alpha_c = np.sqrt(2 * np.log(np.where(there, keys, 2)))
    weights = there / np.maximum(there.sum(axis=-1, keepdims=True), 1)
    found = np.full((3, alpha.size), np.nan)
    found[0] = np.where(
        there.any(axis=-1), (alpha_c * weights).sum(-1), np.nan
    )
    if known.any():
        entropy, collision = _interpolated(
            alpha[known], np.where(there, keys, keys[there].min())[known]
        )
        found[1, known] = (entropy * weights[known]).sum(axis=-1)
        found[2, known] = 1 / (collision * weights[known]).sum(axis=-1)
    return NormalRows(*found)


def _interpolated(alpha, keys):
    """Return E[H] and E[Σp²] at each α (heads) and n (heads, rows).

    Exact averages at a few n, and α where there are many heads, and
    polynomials between: both are smooth in log n and log(1 + α).
    """
    from attention_scale.quenched import averages_at_real_n

    at_n, of_n = _polynomial(np.log(keys), 3 + int(np.ptp(np.log(keys)) * 2))
    if alpha.size <= FEW_HEADS:
        at_alpha, of_alpha = np.log1p(alpha), np.eye(alpha.size)
    else:
        at_alpha, of_alpha = _polynomial(np.log1p(alpha), NODES_OF_SCALE)
    exact = averages_at_real_n(
        np.exp(at_n), np.expm1(at_alpha)[:, np.newaxis], tolerance=1e-8
    )
    return (
        np.einsum("hrn,ha,an->hr", of_n, of_alpha, values)
        for values in (exact.entropy, exact.collision)
    )


def _polynomial(values, most):
    """Return nodes, and with which weights they interpolate at the values."""
    low, high = values.min(), values.max()
    if high - low < 1e-9:
        return np.array([low]), np.ones((*values.shape, 1))
    nodes = np.polynomial.chebyshev.chebpts1(most)
    at = (2 * values - low - high) / (high - low)
    vander = np.polynomial.chebyshev.chebvander
    weights = vander(at, most - 1) @ np.linalg.inv(vander(nodes, most - 1))
    return (low + high + (high - low) * nodes) / 2, weights


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


def _with_errors(statistic, digits):
    return [
        f"{value:.{digits}f}±{error:.{digits}f}"
        for value, error in zip(*statistic, strict=True)
    ]


def _numbers(values, digits):
    return [f"{value:.{digits}f}" for value in values]
