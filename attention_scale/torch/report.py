"""What was seen of a model's attention, and what was not."""

from collections import Counter
from typing import Any

import numpy as np

from attention_scale.observe.advice import Advice, advise
from attention_scale.observe.rows import (
    RowStatistics,
    Statistic,
    statistics,
)
from attention_scale.observe.sums import RowSums

KEPT = 256  # rows of a layer whose numbers of keys are kept
NAMED = 6  # modules of one reason that are named in print
COMPILED = "it is compiled: uncompile=True runs it as it was written"
UNKNOWN = (
    "no softmax over its keys was met: linear attention, or a kernel that is "
    "called directly"
)


class Report:
    """What `monitor` saw: by layer the statistics of its heads' rows.

    It fills while the model runs, and takes no more memory the longer that
    is. Printed, it is a table of the layers, and what was not seen; as
    arrays, `report.alpha` and the others are statistics of `RowStatistics` by
    layer and head, NaN where a layer has fewer heads; `report[name]` is a
    layer's `RowStatistics`, also by its number in `layers`; `heat_map` draws
    one statistic, and `advice` says what to do.
    """

    def __init__(self) -> None:
        self._sums: dict[str, RowSums] = {}
        self._known: dict[str, tuple[int, RowStatistics]] = {}
        self._missed: dict[str, Counter[str]] = {}
        self._expected: list[str] = []
        self._compiled: set[str] = set()

    def add(self, layer: str, rows: dict[str, np.ndarray]) -> None:
        """Take the rows of one call of a layer."""
        self._sums.setdefault(layer, RowSums(kept=KEPT)).add(rows)

    def miss(self, layer: str, reason: str) -> None:
        """Take note of a call that was not read."""
        self._missed.setdefault(layer, Counter())[reason or UNKNOWN] += 1

    def expect(self, layers: list[str], compiled: set[str]) -> None:
        """Take note of which modules attend, by their names."""
        self._expected, self._compiled = layers, compiled

    def clear(self) -> None:
        """Forget what was seen."""
        self._sums, self._known, self._missed = {}, {}, {}

    @property
    def layers(self) -> list[str]:
        """Names of the layers, in the order in which they were first seen."""
        return list(self._sums)

    @property
    def unseen(self) -> dict[str, str]:
        """Modules of attention that ran and were not seen, with the reason."""
        found = {
            name: reasons.most_common(1)[0][0]
            for name, reasons in self._missed.items()
            if name not in self._sums
        }
        compiled = self._compiled - set(self._sums)
        return found | {
            name: COMPILED for name in self._expected if name in compiled
        }

    @property
    def sums(self) -> dict[str, RowSums]:
        """By layer what its rows add up to, to be joined with another's."""
        return self._sums

    def __getitem__(self, layer: str | int) -> RowStatistics:
        name = self.layers[layer] if isinstance(layer, int) else layer
        sums = self._sums[name]
        if self._known.get(name, (0, None))[0] != sums.calls:
            self._known[name] = sums.calls, statistics(sums)
        return self._known[name][1]

    @property
    def alpha(self) -> Statistic:
        """Standard deviation of the logits within a row, (layers, heads)."""
        return self._statistic("alpha")

    @property
    def entropy(self) -> Statistic:
        """Entropy of a row in nats, (layers, heads)."""
        return self._statistic("entropy")

    @property
    def effective_keys(self) -> Statistic:
        """1 / mean of Σp², (layers, heads)."""
        return self._statistic("effective_keys")

    @property
    def top_logit(self) -> Statistic:
        """The largest logit of a row, (layers, heads)."""
        return self._statistic("top_logit")

    @property
    def dead(self) -> Statistic:
        """Share of the rows that pass hardly a gradient, (layers, heads)."""
        return self._statistic("dead")

    @property
    def sink_weight(self) -> Statistic:
        """Weight that the sink takes, (layers, heads)."""
        return self._statistic("sink_weight")

    @property
    def near(self) -> Statistic:
        """Share of the weight on keys near by, (layers, heads)."""
        return self._statistic("near")

    @property
    def largest_logit(self) -> np.ndarray:
        """The largest logit of all rows drawn, (layers, heads)."""
        return self._stacked("largest_logit")

    @property
    def nonfinite(self) -> np.ndarray:
        """How many rows had NaN or an infinite logit, (layers, heads)."""
        return self._stacked("nonfinite")

    @property
    def rows(self) -> np.ndarray:
        """How many rows the statistics are of, (layers, heads)."""
        return self._stacked("rows")

    def _statistic(self, name):
        found = [getattr(self[layer], name) for layer in self._seen()]
        values, errors = zip(*found, strict=True)
        return Statistic(_stacked(values), _stacked(errors))

    def _stacked(self, name):
        return _stacked([getattr(self[layer], name) for layer in self._seen()])

    def _seen(self):
        if not self._sums:
            raise ValueError(f"{self!r}")
        return self.layers

    def advice(self) -> Advice:
        """Say what to do about what was seen, and which chapter has why."""
        return advise({layer: self[layer] for layer in self.layers})

    def notes(self) -> list[str]:
        """Say what was not seen, and what the numbers leave out."""
        notes = []
        unseen = self.unseen
        total = len(set(self._expected) | set(self._sums) | set(unseen))
        by_reason: dict[str, list[str]] = {}
        for name, reason in unseen.items():
            by_reason.setdefault(reason, []).append(name)
        for reason, names in by_reason.items():
            more = f" and {len(names) - NAMED} more" * (len(names) > NAMED)
            were = "module was" if total == 1 else "modules were"
            notes.append(
                f"{len(names)} of {total} attention {were} not seen: "
                f"{', '.join(names[:NAMED])}{more}: {reason}"
            )
        for name, reasons in self._missed.items():
            if name in self._sums:
                (reason, count), *_ = reasons.most_common(1)
                notes.append(
                    f"{name}: {count} of "
                    f"{self._sums[name].calls + reasons.total()} calls were "
                    f"not seen: {reason}"
                )
        short = [name for name in self.layers if self[name].too_short]
        if short:
            which = "all layers" if len(short) == total else ", ".join(short)
            notes.append(
                f"rows of fewer than 32 keys only, in {which}: too few to "
                "compare them with normal rows"
            )
        return notes

    def __repr__(self) -> str:
        notes = self.notes()
        if not self._sums:
            never = ["the model has not run, or attends nowhere"]
            return "no rows seen: " + "\n".join(notes or never)
        width = max(5, *map(len, self.layers))
        lines = [
            f"{'layer':<{width}}  heads  keys seen  alpha [min, max]   "
            "/alpha_c  H     (normal)  keys    (normal)  largest  sink  near  "
            "dead  nonfinite"
        ]
        lines += [self._line(layer, width) for layer in self.layers]
        return "\n".join(lines + notes)

    def _line(self, layer, width):
        """Return a layer's line of the table."""
        of = self[layer]
        normal, alpha = of.normal, of.alpha.value
        return (
            f"{layer:<{width}}  {alpha.size:>5}  {_middle(of.keys):>9,.0f}  "
            f"{_middle(alpha):4.2f} [{_end(alpha, min):4.2f}, "
            f"{_end(alpha, max):5.2f}]  "
            f"{_middle(alpha / normal.alpha_c):8.2f}  "
            f"{_middle(of.entropy.value):4.2f}  "
            f"{_middle(normal.entropy):8.2f}  "
            f"{_middle(of.effective_keys.value):6.1f}  "
            f"{_middle(normal.effective_keys):8.1f}  "
            f"{_end(of.largest_logit, max):7.1f}  "
            f"{_middle(of.sink_weight.value):4.2f}  "
            f"{_middle(of.near.value):4.2f}  "
            f"{np.max(of.dead.value):4.2f}  "
            f"{of.nonfinite.sum():9.0f}"
        )

    def heat_map(self, name: str = "alpha", ax: Any = None) -> Any:
        """Draw a statistic of every head; needs Matplotlib.

        Parameters
        ----------
        name : of an attribute of `RowStatistics`.
        ax : Matplotlib's axes, or none for new ones.

        Returns
        -------
        the axes
        """
        from matplotlib import pyplot

        values = getattr(self, name)
        if isinstance(values, Statistic):
            values = values.value
        if ax is None:
            ax = pyplot.figure(layout="constrained").subplots()
        image = ax.imshow(values, aspect="auto", cmap="viridis")
        ax.set(xlabel="head", ylabel="layer", title=name)
        ax.figure.colorbar(image, ax=ax)
        return ax


def _stacked(arrays):
    """Return arrays (heads) as (layers, heads), NaN where heads are fewer."""
    arrays = [np.asarray(values) for values in arrays]
    stacked = np.full((len(arrays), max(a.size for a in arrays)), np.nan)
    for row, values in zip(stacked, arrays, strict=True):
        row[: values.size] = values
    return stacked


def _middle(values):
    """Return the median of what is known."""
    known = values[np.isfinite(values)]
    return np.median(known) if known.size else np.nan


def _end(values, end):
    """Return the least or largest of what is known."""
    known = values[np.isfinite(values)]
    return end(known) if known.size else np.nan
