"""Numbers of a model's attention while it trains, for any logger."""

from contextlib import ExitStack
from typing import Any

import numpy as np
import torch
from torch import distributed

from attention_scale.observe.advice import Advice, advise
from attention_scale.observe.case import check_whole
from attention_scale.observe.rows import RowStatistics, statistics
from attention_scale.observe.sums import RowSums
from attention_scale.torch.calls import Call, Watch
from attention_scale.torch.looks import Looks
from attention_scale.torch.modules import model_of


class AttentionLogger:
    """Looks at one training step in many, and gives numbers for a logger.

    Made once, before the first step. The forward passes of the first step
    are looked at, and of every `every`-th after it, in training mode only;
    between them the model is as it was, and nothing costs anything.

    Parameters
    ----------
    model : as `monitor`.
    every : how many steps there are from one look to the next.
    rows, sink, near, seed, uncompile : as `monitor`.
    prefix : of the names of the numbers.

    Raises
    ------
    TypeError, ValueError : as `monitor`; or `every` is no whole number from 1.

    >>> attention = torch.nn.MultiheadAttention(16, 2, batch_first=True)
    >>> logger = AttentionLogger(attention, every=2)
    >>> for step in range(3):
    ...     x = torch.randn(4, 40, 16, requires_grad=True)
    ...     attention(x, x, x)[0].sum().backward()
    ...     print(len(logger.step()))
    6
    0
    6
    """

    def __init__(
        self,
        model: torch.nn.Module,
        every: int = 100,
        *,
        rows: int | None = 64,
        sink: Any = None,
        near: int = 64,
        seed: int = 0,
        uncompile: bool = False,
        prefix: str = "attention",
    ) -> None:
        check_whole("every", every, 1)
        self.model, self.every = model_of(model), every
        self.uncompile, self.prefix = uncompile, prefix
        self.steps = 0
        self._looks = _InTraining(self.model, rows, sink, near, seed)
        self._open = ExitStack()
        self._first: dict[str, float] = {}
        self._last: dict[str, RowStatistics] = {}
        self._start()

    def step(self) -> dict[str, float]:
        """Count a training step, and return what was seen in it.

        Call it once a step, on every rank, after the backward pass.

        Returns
        -------
        dict
            Empty in a step that was not looked at. Else, by layer and over
            the rows of all ranks, `attention/<layer>/alpha`, `entropy`,
            `effective_keys` and `dead`, the means of its heads; `largest`,
            the largest logit of the rows drawn; and `nonfinite`, how many
            rows were not finite. `attention/unseen`, where there are any, is
            the number of modules that were not seen.
        """
        looked = self.steps % self.every == 0
        self.steps += 1
        found = self._read() if looked else {}
        if self.steps % self.every == 0:
            self._start()
        return found

    def advice(self) -> Advice:
        """Say what to do about the last look, and what rose since the first.

        >>> model = torch.nn.TransformerEncoderLayer(16, 2)
        >>> logger = AttentionLogger(model)
        >>> _ = model(torch.randn(40, 4, 16))
        >>> _ = logger.step()
        >>> print(logger.advice())  # doctest: +ELLIPSIS
        Most likely nothing is to be done. ...
        """
        return advise(self._last, self._first)

    @property
    def unseen(self) -> dict[str, str]:
        """Modules that ran in the last look and were not seen, and why."""
        return self._unseen

    def close(self) -> None:
        """Leave the model as it was, in the middle of a step too."""
        self._open.close()

    def _start(self):
        """Look at what comes now."""
        self._open.close()
        report = self._looks.report
        report.clear()
        watch = Watch(self.model, self._looks, uncompile=self.uncompile)
        self._open.enter_context(watch.on())
        report.expect(watch.expected, watch.compiled)

    def _read(self):
        """Stop looking, and return the numbers of what was seen."""
        self._open.close()
        report = self._looks.report
        self._unseen = report.unseen
        sums = _of_all_ranks(report.sums)
        self._last = {layer: statistics(of) for layer, of in sums.items()}
        report.clear()
        numbers: dict[str, float] = {}
        for layer, of in self._last.items():
            largest = float(np.fmax.reduce(of.largest_logit))
            if np.isfinite(largest):
                self._first.setdefault(layer, largest)
            numbers |= {
                f"{self.prefix}/{layer}/{name}": float(value)
                for name, value in {
                    "alpha": _mean(of.alpha.value),
                    "entropy": _mean(of.entropy.value),
                    "effective_keys": _mean(of.effective_keys.value),
                    "dead": of.dead.value.mean(),
                    "largest": largest,
                    "nonfinite": of.nonfinite.sum(),
                }.items()
            }
        if self._unseen:
            numbers[f"{self.prefix}/unseen"] = float(len(self._unseen))
        return numbers


class _InTraining(Looks):
    """Looks at what a model does in training mode."""

    def __init__(self, model: torch.nn.Module, *how: Any) -> None:
        super().__init__(*how)
        self.model = model

    def called(self, call: Call) -> None:
        """Look at a call's rows, if the model is trained by them."""
        if self.model.training:
            super().called(call)

    def missed(self, layer: str, reason: str) -> None:
        """Report a call that was not read, if the model is trained."""
        if self.model.training:
            super().missed(layer, reason)


def _of_all_ranks(sums: dict[str, RowSums]) -> dict[str, RowSums]:
    """Return what the rows of all ranks add up to, the same on each."""
    if not (distributed.is_available() and distributed.is_initialized()):
        return sums
    gathered: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(gathered, sums)
    joined: dict[str, RowSums] = {}
    for one in gathered:
        for layer, of in one.items():
            if layer in joined:
                joined[layer].merge(of)
            else:
                joined[layer] = of
    return joined


def _mean(values):
    """Return the mean over heads of what is known."""
    known = values[np.isfinite(values)]
    return known.mean() if known.size else np.nan
