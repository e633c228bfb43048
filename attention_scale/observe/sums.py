"""Sums over rows, which take as much memory for a million as for two."""

from collections.abc import Mapping

import numpy as np

from attention_scale.observe.normal import LEAST_KEYS


class RowSums:
    """Counts, means and squares of each statistic of each head's rows.

    Of rows with keys enough and of short ones, with fewer than `least_keys`,
    apart. Two of the same layer add up, in whatever order their rows came.
    Numbers of keys are kept of as many rows as `kept`, or of all.
    """

    NAMES = ("alpha", "entropy", "collision", "top", "sink", "near", "dead")

    def __init__(
        self, least_keys: int = LEAST_KEYS, kept: int | None = None
    ) -> None:
        self.least_keys, self.kept = least_keys, kept
        self.calls = 0
        # (long or short, statistics, heads)
        self._counts = self._means = self._squares = np.zeros((2, 0, 0))
        self._rows = np.zeros((2, 0))
        self.nonfinite = self.largest = np.zeros(0)
        self._keys: list[list[np.ndarray]] = [[], []]

    def add(self, found: Mapping[str, np.ndarray]) -> None:
        """Take the rows of one call, by name arrays (heads, rows)."""
        keys, wrong = found["keys"], found["nonfinite"] > 0
        fine = (keys >= 2) & ~wrong
        long = fine & (keys >= self.least_keys)
        other = RowSums(self.least_keys, self.kept)
        values = np.stack([found[name] for name in self.NAMES])
        parts = [_moments(values, which) for which in (long, fine & ~long)]
        other._counts, other._means, other._squares = map(
            np.stack, zip(*parts, strict=True)
        )
        other._rows = np.stack([long.sum(-1), (fine & ~long).sum(-1)])
        other.nonfinite = wrong.sum(axis=-1)
        top = np.where(fine, found["top"], -np.inf).max(axis=-1)
        other.largest = np.where(np.isneginf(top), np.nan, top)
        other._keys = [
            [np.where(which, keys, np.nan)] if which.any() else []
            for which in (long, fine & ~long)
        ]
        other.calls = 1
        self.merge(other)

    def merge(self, other: "RowSums") -> None:
        """Take the rows that another has seen."""
        if not self.calls:
            self.__dict__.update(other.__dict__)
            return
        if self.nonfinite.shape != other.nonfinite.shape:
            raise ValueError(
                f"a layer with {self.nonfinite.size} heads has now "
                f"{other.nonfinite.size}"
            )
        count = self._counts + other._counts
        share = other._counts / np.maximum(count, 1)
        apart = np.where(other._counts > 0, other._means - self._means, 0)
        self._squares = (
            self._squares + other._squares + apart**2 * self._counts * share
        )
        self._means = self._means + apart * share
        self._counts = count
        self._rows = self._rows + other._rows
        self.nonfinite = self.nonfinite + other.nonfinite
        self.largest = np.fmax(self.largest, other.largest)
        self.calls += other.calls
        self._keys = [
            self._thinned([*own, *others])
            for own, others in zip(self._keys, other._keys, strict=True)
        ]

    def _thinned(self, keys):
        """Return numbers of keys, no more of them than are kept."""
        if self.kept is None or not keys:
            return keys
        every = np.concatenate(keys, axis=-1)
        if every.shape[1] <= self.kept:
            return [every]
        step = every.shape[1] / self.kept
        return [every[:, (np.arange(self.kept) * step).astype(int)]]

    @property
    def _which(self) -> np.ndarray:
        """Whether each head has no row but short ones."""
        return (self._rows[0] < 2).astype(int)

    @property
    def rows(self) -> np.ndarray:
        """How many rows of each head the means are of."""
        return np.take_along_axis(self._rows, self._which[np.newaxis], 0)[0]

    @property
    def short(self) -> np.ndarray:
        """How many rows of each head had few keys."""
        return self._rows[1].copy()

    @property
    def keys(self) -> np.ndarray:
        """Numbers of keys, (heads, rows), NaN where a row is not counted."""
        parts = []
        for i, kept in enumerate(self._keys):
            if kept and (self._which == i).any():
                keys = np.concatenate(kept, axis=-1)
                own = (self._which == i)[:, np.newaxis]
                parts.append(np.where(own, keys, np.nan))
        if not parts:
            return np.full((self.nonfinite.size, 1), np.nan)
        return np.concatenate(parts, axis=-1)

    def mean(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean of a statistic and its standard error, (heads)."""
        i = self.NAMES.index(name)
        count, mean, squares = (
            np.take_along_axis(of[:, i], self._which[np.newaxis], 0)[0]
            for of in (self._counts, self._means, self._squares)
        )
        enough = np.where(count > 1, count, np.nan)
        known = np.where(count > 1, mean, np.nan)
        return known, np.sqrt(squares / (enough - 1) / enough)


def _moments(values, which):
    """Return counts, means and sums of squares about them, where asked."""
    which = which & np.isfinite(values)
    count = which.sum(axis=-1)
    mean = np.where(which, values, 0).sum(axis=-1) / np.maximum(count, 1)
    off = np.where(which, values - mean[..., np.newaxis], 0)
    return count.astype(float), mean, (off**2).sum(axis=-1)
