"""Multiply the logits of a model's attention while it runs."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from attention_scale.torch.calls import Call, Watch
from attention_scale.torch.modules import model_of


@contextmanager
def rescaled(model: torch.nn.Module, factor: Any) -> Iterator[None]:
    """Multiply the logits of a model's attention, through its queries.

    Any kernel runs unchanged: softmax gets factor times the logits. A soft
    cap, and what is added to the logits, come after the factor. Compiled
    modules run as they were written.

    Parameters
    ----------
    model : as `monitor`; of transformers any attention function, and no
        softmax that is written out.
    factor : a number; an array (layers, heads), or a dictionary from names of
        layers to numbers or arrays (heads), 1 where a name is missing; or a
        function of the layer's number, the heads' (heads, 1) and the
        positions of the queries (queries) or (batch, 1, queries), which
        returns numbers that broadcast to (batch, heads, queries). Layers are
        numbered in the order of their first calls, as in a report. Positions
        count from 0, from those that the model is given or else from the
        number of keys.

    Raises
    ------
    TypeError, ValueError : a factor is no finite number, does not broadcast,
        or has fewer layers than the model.

    Warns
    -----
    UserWarning : modules of attention ran without the factor, at the end.

    The product is rounded once to the query's precision.

    >>> from attention_scale.rules import log_length
    >>> def grow(layer, heads, positions):
    ...     return np.maximum(log_length(positions + 1, 2048), 1)
    >>> with rescaled(torch.nn.Identity(), grow):
    ...     pass
    """
    multiplies = _Multiplies(factor)
    watch = Watch(model_of(model), multiplies, uncompile=True)
    with watch.on():
        yield
    if multiplies.unseen:
        warnings.warn(
            f"{len(multiplies.unseen)} attention modules ran without the "
            f"factor: {', '.join(sorted(multiplies.unseen))}",
            stacklevel=3,
        )


class _Multiplies:
    """Multiplies the query of each call."""

    reads = False

    def __init__(self, factor: Any) -> None:
        self.unseen: set[str] = set()
        if callable(factor) or isinstance(factor, dict):
            self.factor = factor
            return
        self.factor = np.asarray(factor, np.float64)
        if self.factor.ndim not in (0, 2):
            raise ValueError(
                f"factor: shape {self.factor.shape}; it should be a number, "
                "an array (layers, heads), a dictionary, or a function"
            )

    def missed(self, layer: str, reason: str) -> None:
        """Take note of a module without the factor."""
        self.unseen.add(layer)

    def called(self, call: Call) -> Any:
        """Return a call's query times the factor."""
        query = call.query
        wanted = tuple(query.shape[:-1])
        values = self._values(call, np.arange(query.shape[-3])[:, np.newaxis])
        try:
            np.broadcast_shapes(values.shape, wanted)
        except ValueError:
            raise ValueError(
                f"factor: shape {values.shape} in layer {call.number}, "
                f"{call.layer}; it should broadcast to {wanted}"
            ) from None
        if not np.isfinite(values).all():
            raise ValueError(
                f"factor: not finite in layer {call.number}, {call.layer}; "
                "it should be"
            )
        if (values == 1).all():
            return None
        # in single precision: 1.05 itself is none of bfloat16's numbers
        kind = torch.promote_types(query.dtype, torch.float32)
        factors = torch.as_tensor(values, dtype=kind, device=query.device)
        return (query.to(kind) * factors[..., None]).to(query.dtype)

    def _values(self, call, heads):
        """Return the factors of a call's heads."""
        of = self.factor
        if callable(of):
            found = of(call.number, heads, call.positions())
        elif isinstance(of, dict):
            found = np.asarray(of.get(call.layer, 1.0))
            found = found[heads] if found.ndim else found
        elif of.ndim == 0:
            found = of
        elif call.number >= len(of):
            raise ValueError(
                f"factor: {len(of)} layers; it should have more: "
                f"{call.layer} is layer {call.number}"
            )
        else:
            found = of[call.number][heads]
        return np.asarray(found).astype(np.float64)
