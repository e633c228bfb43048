"""Statistics of rows: what is said of each, and of many together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from attention_scale.observe.arrays import like, numpy_of
from attention_scale.observe.bounds import DEAD
from attention_scale.observe.case import Case, Drawn, Rows, check_rows
from attention_scale.observe.normal import (
    LEAST_KEYS,
    NormalRows,
    normal_rows,
)
from attention_scale.observe.sums import RowSums


class Statistic(NamedTuple):
    """A mean over rows, and its standard error, each an array (heads).

    The error is that of the rows drawn, as if they were independent. Rows of
    one text are not: for what holds of other texts, repeat over texts.
    """

    value: np.ndarray
    standard_error: np.ndarray


@dataclass(frozen=True, repr=False)
class RowStatistics:
    """Statistics of each head's rows, without masked keys and the sink.

    Of rows with fewer than `least_keys` keys only where there are no others.

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
        Share of the rows with 1 - Σp² < 0.01; NaN if a row was not finite.
    sink_weight : Statistic
        The weight that the sink takes from the row, 0 without one.
    near : Statistic
        Share of the weight on keys nearer than `near` to the query; NaN
        where the keys are another text's.
    nonfinite : array (heads)
        How many rows had NaN or an infinite logit; the others are what all
        else is said of.
    rows : array (heads)
        How many rows all else is said of.
    short : array (heads)
        How many rows had two keys or more, and fewer than `least_keys`.
    keys : array (heads, rows)
        Numbers of keys of the rows; NaN where a row was left out. Of a
        report some of them.
    """

    alpha: Statistic
    entropy: Statistic
    effective_keys: Statistic
    top_logit: Statistic
    largest_logit: np.ndarray
    dead: Statistic
    sink_weight: Statistic
    near: Statistic
    nonfinite: np.ndarray
    rows: np.ndarray
    short: np.ndarray
    keys: np.ndarray

    @property
    def normal(self) -> NormalRows:
        """What normal rows with the same α₀ and as many keys would have."""
        return normal_rows(self.alpha.value, self.keys)

    @property
    def too_short(self) -> bool:
        """Whether no row has keys enough to compare it with normal ones."""
        return (
            bool((self.rows > 0).any()) and not (self.keys >= LEAST_KEYS).any()
        )

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
            "nonfinite": [f"{count:.0f}" for count in self.nonfinite],
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


def row_statistics(
    query: Any,
    key: Any,
    *,
    scale: float | None = None,
    causal: bool = False,
    mask: Any = None,
    sink: Any = None,
    cap: float | None = None,
    rows: int | None = 256,
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
        query, each serves as many neighbouring heads of the query. Axes
        before the heads may be 1 where the other has more.
    scale : of the scores, a finite number; without, 1 / √d.
    causal : whether a query sees only the keys up to its own place; the last
        query is at the last key.
    mask : array that broadcasts to (..., heads, queries, keys): booleans,
        true where a query sees a key, or floats, added to the logits: of
        -1e4 or less (-9984, which bfloat16 has for it) they mask.
    sink : "first" for the first key that any query sees, or an array (heads)
        of logits beside the row. What it takes is `sink_weight`; all else is
        said of the others, whose weights sum to 1.
    cap : c in c tanh(logits / c), applied before the mask, or none.
    rows : about how many rows of each head are drawn, or None for all.
    near : distance from the query within which a key is near. After cached
        keys a query is at the last key that it sees.
    least_keys : rows that see fewer are left out, if there are longer ones.
    seed : of the draw.

    Returns
    -------
    RowStatistics
        NaN for a head with fewer than two rows.

    Raises
    ------
    TypeError : an array is not of floats, or of no known library; a mask is
        of whole numbers.
    ValueError : shapes do not fit, or a number is outside its range.

    Source: chapters 3, 6 and 13.

    >>> rng = np.random.default_rng(0)
    >>> q, k = rng.standard_normal((2, 1, 512, 64))  # one head
    >>> found = row_statistics(q, k)
    >>> found.alpha.value.round(1), found.normal.entropy.round(1)
    (array([1.]), array([5.7]))
    """
    check_rows(rows)
    case = Case(query, key, scale, causal, mask, sink, cap)
    rng = np.random.default_rng(seed)
    sums = RowSums(least_keys)
    sums.add(look(case, rng, rows, min(least_keys, case.n_keys), near))
    return statistics(sums)


def look(
    case: Rows,
    rng: np.random.Generator,
    rows: int | None,
    least_keys: int,
    near: int,
) -> dict[str, np.ndarray]:
    """Return numbers of drawn rows, by name arrays (heads, rows)."""
    drawn = case.draw(rng, rows, least_keys)
    with np.errstate(invalid="ignore", over="ignore"):
        found = [_per_row(case, block, near) for block in case.blocks(drawn)]
    # (texts, heads, rows) to (heads, texts and rows)
    return {
        name: np.concatenate(
            [
                np.moveaxis(block[name], 1, 0).reshape(case.heads, -1)
                for block in found
            ],
            axis=-1,
        )
        for name in found[0]
    }


def statistics(sums: RowSums) -> RowStatistics:
    """Return what the sums of rows say."""
    of = {name: Statistic(*sums.mean(name)) for name in RowSums.NAMES}
    keys = 1 / of["collision"].value
    spoilt = np.where(sums.nonfinite > 0, np.nan, 1.0)
    return RowStatistics(
        alpha=of["alpha"],
        entropy=of["entropy"],
        effective_keys=Statistic(
            keys, of["collision"].standard_error * keys**2
        ),
        top_logit=of["top"],
        largest_logit=sums.largest.copy(),
        dead=Statistic(*(spoilt * values for values in of["dead"])),
        sink_weight=of["sink"],
        near=of["near"],
        nonfinite=sums.nonfinite.copy(),
        rows=sums.rows,
        short=sums.short,
        keys=sums.keys,
    )


def _per_row(case: Rows, drawn: Drawn, near: int) -> dict[str, np.ndarray]:
    """Return numbers of each row as NumPy arrays (texts, heads, rows)."""
    xp = case.xp
    x, counts = case.logits(drawn)
    zero = xp.zeros_like(x)
    finite = xp.isfinite(x)
    wrong = xp.any(xp.logical_and(counts, ~finite), axis=-1)
    first = None
    if case.first_is_sink:
        index = np.arange(case.n_keys)
        first_keys = case.first_keys(drawn.texts)[:, np.newaxis]
        is_first = like(xp, index == first_keys, x)[:, None, None, :]
        is_first = xp.logical_and(is_first, counts)
        first = xp.sum(xp.where(is_first, x, zero), axis=-1)
        has_first = xp.any(is_first, axis=-1)
        counts = xp.logical_and(counts, ~is_first)
    counts = xp.logical_and(counts, finite)
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
    found = {
        "keys": keys,
        "alpha": xp.sqrt(xp.sum(deviation**2, axis=-1) / some),
        "entropy": xp.log(total) - xp.sum(powers * below, axis=-1) / total,
        "collision": xp.sum(powers**2, axis=-1) / total**2,
        "top": top,
        "near": zero[..., 0] + np.nan,
        "log_z": top + xp.log(total),
        "wrong": xp.where(wrong, zero[..., 0] + 1, zero[..., 0]),
    }
    places = case.places(drawn, counts)
    if places is not None:
        distance = np.abs(np.arange(case.n_keys) - places[..., np.newaxis])
        close = like(xp, distance < near, x)
        found["near"] = xp.sum(xp.where(close, powers, zero), axis=-1) / total
    if first is not None:
        found |= {
            "first": first,
            "has_first": xp.where(has_first, zero[..., 0] + 1, zero[..., 0]),
        }
    known = _fetched(xp, found)
    return _with_sink(known, case.sink_logits)


def _fetched(xp, found: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return arrays of a device as NumPy's, in one transfer."""
    together = numpy_of(xp.stack(list(found.values())))
    return dict(zip(found, together.astype(np.float64), strict=True))


def _with_sink(known, sink_logits):
    """Return a row's numbers with what its sink takes and whether it died."""
    log_z, wrong = known.pop("log_z"), known.pop("wrong") > 0
    known["sink"] = np.zeros_like(log_z)
    if "first" in known:
        share = _share(known.pop("first") - log_z)
        known["sink"] = np.where(known.pop("has_first") > 0, share, 0)
    elif sink_logits is not None:
        known["sink"] = _share(sink_logits[:, np.newaxis] - log_z)
        wrong = wrong | ~np.isfinite(sink_logits)[:, np.newaxis]
    known["dead"] = (1 - known["collision"] < DEAD).astype(float)
    known["nonfinite"] = wrong.astype(float)
    return known


def _share(difference):
    """Return the weight of a logit so much above the log Z of the others."""
    return 1 / (1 + np.exp(np.clip(-difference, -700, 700)))


def _with_errors(statistic, digits):
    return [
        f"{value:.{digits}f}±{error:.{digits}f}"
        for value, error in zip(*statistic, strict=True)
    ]


def _numbers(values, digits):
    return [f"{value:.{digits}f}" for value in values]
