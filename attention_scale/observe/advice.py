"""What to do about rows of attention, and which chapter has why."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attention_scale.observe.rows import RowStatistics

# The threshold of QK-clip where it was published, and a step of bfloat16,
# which has 8 bits, of a half: two logits that far apart may look alike.
LARGE = 100.0
HALF = 65504.0  # float16 has no larger number
DEAD_SHARE = 0.05  # share of a head's rows; normal rows at α_c have less
SPREAD = 2.0  # α over α_c: of chapter 13's heads one in 800 is above
RISEN = 2.0  # of a layer's largest logit since the first look
REMEDIES = (
    "QK-norm, which sets the spread to its gains (chapters 7 and 10); "
    "QK-clip at 100, which keeps the spread below about 17 (chapter 10); "
    "a cap of at least 4.5 log n (chapter 10); a lower rate, at first of the "
    "weights of Q and K (chapter 12 tried one rate for all)"
)


@dataclass(frozen=True)
class Remark:
    """One thing that was found, where, what to do, and the chapters."""

    layers: tuple[str, ...]
    found: str
    do: str
    chapters: tuple[int, ...]

    def __str__(self) -> str:
        some = ", ".join(self.layers[:4])
        more = f" and {len(self.layers) - 4} more" * (len(self.layers) > 4)
        where = f" ({some}{more})" if self.layers else ""
        which = " and ".join(map(str, self.chapters))
        chapters = "chapters" if len(self.chapters) > 1 else "chapter"
        return f"{self.found}{where}. {self.do} [{chapters} {which}]"


class Advice(list[Remark]):
    """Remarks, the gravest first; printed, one to a paragraph."""

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    __repr__ = __str__


def advise(
    layers: Mapping[str, RowStatistics],
    before: Mapping[str, float] | None = None,
) -> Advice:
    """Say what to do about the statistics of layers.

    Parameters
    ----------
    layers : statistics by the layer's name, those of a report.
    before : the largest logit of each layer at an earlier look, if any.

    Returns
    -------
    Advice
        If nothing is remarkable, that most likely nothing is to be done.
        Thresholds are rules of thumb; what the book measured stands with each.

    >>> from attention_scale.observe import row_statistics
    >>> q, k = np.random.default_rng(0).standard_normal((2, 1, 64, 8))
    >>> print(advise({"layer": row_statistics(q, k)}))
    ... # doctest: +ELLIPSIS
    Most likely nothing is to be done. ... [chapters 12 and 13]
    """
    found = Advice()
    found += _nonfinite(layers)
    found += _nothing_seen(layers)
    found += _large(layers, before or {})
    found += _dead(layers)
    found += _spread(layers)
    if not found:
        found.append(
            Remark(
                (),
                "Most likely nothing is to be done",
                "Within the trained length no factor on the logits was "
                "measurably better than 1, and small decoders that started "
                "with a spread from 1/16 to 1 ended within 0.1 nats of each "
                "other at their best rates",
                (12, 13),
            )
        )
    return found


def _those(layers, wanted):
    """Return the names of layers of which something is true."""
    return tuple(name for name, of in layers.items() if wanted(of))


def _nonfinite(layers):
    """Remark on rows with NaN or infinite logits."""
    where = _those(layers, lambda of: (of.nonfinite > 0).any())
    if where:
        count = sum(int(layers[name].nonfinite.sum()) for name in where)
        yield Remark(
            where,
            f"{count} rows have NaN or infinite logits",
            "Stop and look at the first of these layers: its input or its "
            "weights are not finite, or half precision overflowed at 65,504. "
            "Keep logits and sums in float32, and remove the cause of large "
            "logits before you go back to the last good checkpoint",
            (11,),
        )


def _nothing_seen(layers):
    """Remark on layers of which nothing can be said though all is finite."""
    where = _those(
        layers,
        lambda of: (
            not np.isfinite(of.alpha.value).any()
            and not (of.nonfinite > 0).any()
        ),
    )
    if where:
        yield Remark(
            where,
            "The means are NaN: fewer than two rows with two keys were seen",
            "Give the model a longer text, or more rows",
            (13,),
        )


def _large(layers, before):
    """Remark on the largest logits, and on those that rise."""
    largest = {
        name: float(np.nanmax(of.largest_logit))
        for name, of in layers.items()
        if np.isfinite(of.largest_logit).any()
    }
    risen = tuple(
        name
        for name, value in largest.items()
        if value > RISEN * max(before.get(name, np.inf), 1.0)
    )
    if risen:
        name = max(risen, key=lambda name: largest[name])
        yield Remark(
            risen,
            "The largest logit rises: "
            f"{before[name]:.0f} at the first look, {largest[name]:.0f} now",
            "While the loss falls most likely nothing is to be done: heads "
            "sharpen as they learn. If it jumps or goes on rising above 100, "
            f"one of these: {REMEDIES}",
            (10, 12),
        )
    large = tuple(name for name, value in largest.items() if value > LARGE)
    if large:
        top = max(largest[name] for name in large)
        over = " and float16 cannot hold it" * (top > HALF)
        yield Remark(
            large,
            f"A logit of {top:.0f}: there bfloat16 tells logits apart by "
            f"{2.0 ** (np.floor(np.log2(top)) - 7):g}{over}",
            "Compute logits in float32, as fused kernels do. If it still "
            f"rises, one of these: {REMEDIES}",
            (10, 11),
        )


def _dead(layers):
    """Remark on heads in which many rows pass hardly a gradient."""
    where = _those(layers, lambda of: (of.dead.value > DEAD_SHARE).any())
    if where:
        share = max(np.nanmax(layers[name].dead.value) for name in where)
        yield Remark(
            where,
            f"Up to {share:.0%} of a head's rows are dead",
            "A dead row does harm only if its choice is wrong. In chapter 12 "
            "small decoders that ended with more than half of the rows of "
            "their upper layers dead were no worse that could be seen: if the "
            "loss falls, do nothing. If it stalls from the start, begin with "
            "a spread of 1 or below, or use QK-norm, which took back 0.14 of "
            "the 0.23 nats that a start at 4 cost",
            (3, 12),
        )


def _spread(layers):
    """Remark on heads with far more spread than the landmark."""
    where = _those(
        layers,
        lambda of: (of.alpha.value > SPREAD * of.normal.alpha_c).any(),
    )
    if where:
        yield Remark(
            where,
            f"The spread of a head is above {SPREAD:g} α_c",
            "In a trained model that alone is no fault: one head in ten of "
            "chapter 13 was above α_c at 2048 keys, and of all rows fewer "
            "than one in a thousand was dead. But twice α_c is rare. At the "
            "start of training lower the scale or the weights: a start at 2 "
            "cost 0.12 nats, one at 8 or 16 a third of a nat",
            (12, 13),
        )
