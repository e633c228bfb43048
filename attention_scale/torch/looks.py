"""Look at rows of a model's attention while it runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from attention_scale.observe.case import (
    Case,
    Rows,
    Written,
    check_rows,
    check_sink,
    check_whole,
)
from attention_scale.observe.normal import LEAST_KEYS
from attention_scale.observe.rows import look
from attention_scale.torch.calls import Call, Watch
from attention_scale.torch.flex import FlexCase
from attention_scale.torch.modules import model_of
from attention_scale.torch.report import Report


class Looks:
    """Looks at rows of each call, and reports; arguments as `monitor`'s."""

    reads = True

    def __init__(
        self,
        rows: int | None = 64,
        sink: Any = None,
        near: int = 64,
        seed: int = 0,
    ) -> None:
        check_rows(rows)
        check_sink(sink)
        check_whole("near", near, 1)
        self.rows, self.sink, self.near = rows, sink, near
        self.rng = np.random.default_rng(seed)
        self.report = Report()

    def called(self, call: Call) -> None:
        """Look at a call's rows."""
        case = self._case(call)
        if case is not None:
            self.report.add(
                call.layer,
                look(case, self.rng, self.rows, LEAST_KEYS, self.near),
            )

    def missed(self, layer: str, reason: str) -> None:
        """Report a call that was not read."""
        self.report.miss(layer, reason)

    def _case(self, call: Call) -> Rows | None:
        """Return a call's rows; none of a text of one token."""
        sink = self.sink
        if call.sinks is not None:
            sink = call.sinks.detach().float()
        if call.logits is not None:
            if call.logits.shape[-1] < 2:
                return None
            return Written(call.logits.detach(), sink, call.cross)
        if call.key.shape[-2] < 2:
            return None
        if call.mask_mod is not None or call.score_mod is not None:
            return FlexCase(call, sink)
        return Case(
            call.query.detach(),
            call.key.detach(),
            call.scale,
            call.causal,
            None if call.mask is None else call.mask.detach(),
            sink,
            call.cap,
            call.cross,
        )


@contextmanager
def monitor(
    model: torch.nn.Module,
    *,
    rows: int | None = 64,
    sink: Any = None,
    near: int = 64,
    seed: int = 0,
    uncompile: bool = False,
) -> Iterator[Report]:
    """Look at rows of every attention call of a model.

    The model computes what it computes without, to the last bit: its own
    calls run unchanged, and no random number of PyTorch's is drawn. Nothing
    is raised while it runs; what cannot be read is in the report by its name,
    with the reason.

    Parameters
    ----------
    model : a module. Seen are PyTorch's `scaled_dot_product_attention`, its
        `nn.MultiheadAttention` with the encoder's and decoder's layers, its
        FlexAttention, the attention functions of transformers that run one
        of these, and a softmax that a module of attention writes out itself.
    rows : about how many rows of each head are drawn in each call, over the
        whole batch, or None for all. Each costs as much as a row of the
        model's own, in float32.
    sink : "first" for the first token of a text, or an array (heads) of
        logits beside the row. A sink that the model itself has is left out of
        the row, and its weight reported, without asking.
    near, seed : as `row_statistics`.
    uncompile : whether compiled modules run as they were written, which they
        do slower and with other roundings. Else they are not seen.

    Yields
    ------
    Report

    Raises
    ------
    TypeError, ValueError : as `row_statistics`, on entry.

    A module that is run again by checkpointing, while gradients are computed,
    is looked at once.

    >>> attention = torch.nn.functional.scaled_dot_product_attention
    >>> class Layer(torch.nn.Module):
    ...     def forward(self, x):
    ...         return attention(x, x, x, is_causal=True)
    >>> _ = torch.manual_seed(0)
    >>> layer, x = Layer(), torch.randn(1, 2, 256, 16)
    >>> with monitor(layer) as report:
    ...     _ = layer(x)
    >>> report.alpha.value.shape
    (1, 2)
    """
    looks = Looks(rows, sink, near, seed)
    watch = Watch(model_of(model), looks, uncompile=uncompile)
    with watch.on():
        looks.report.expect(watch.expected, watch.compiled)
        yield looks.report
