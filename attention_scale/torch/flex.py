"""Calls of FlexAttention, whose masks and scores are functions of places."""

import functools
import sys
from typing import Any

import torch

from attention_scale.observe.case import Case, Drawn
from attention_scale.torch.patches import Patch

NAMES = ("query", "key", "value", "score_mod", "block_mask", "scale")


class FlexCase(Case):
    """Queries and keys whose mask and scores are functions of places."""

    def __init__(self, call: Any, sink: Any) -> None:
        super().__init__(
            call.query, call.key, call.scale, sink=sink, cross=call.cross
        )
        self.score_mod, self.mask_mod = call.score_mod, call.mask_mod

    def logits(self, drawn: Drawn, head: int | None = None) -> tuple[Any, Any]:
        """Return logits (texts, heads, rows, keys), and which ones count."""
        x, counts = super().logits(drawn, head)
        device = x.device
        heads = torch.arange(self.heads) if head is None else [head]
        places = [
            torch.as_tensor(drawn.texts, device=device).view(-1, 1, 1, 1),
            torch.as_tensor(heads, device=device).view(1, -1, 1, 1),
            torch.as_tensor(drawn.queries, device=device).view(1, 1, -1, 1),
            torch.arange(self.n_keys, device=device).view(1, 1, 1, -1),
        ]
        if self.score_mod is not None:
            x = self.score_mod(x, *places)
            counts = counts & (x > -torch.inf)
        if self.mask_mod is not None:
            counts = counts & self.mask_mod(*places)
        return x, counts.expand(x.shape)


def fill(call: Any, arguments: dict[str, Any]) -> Any:
    """Fill in a call of `flex_attention`."""
    call.query, call.key = arguments["query"], arguments["key"]
    call.scale = arguments.get("scale")
    call.score_mod = arguments.get("score_mod")
    call.mask_mod = getattr(arguments.get("block_mask"), "mask_mod", None)
    return call


def patches(watch: Any) -> list[Patch]:
    """Return what meets calls of the function, under the names it has.

    No mode of PyTorch's meets it, and most often it is compiled.
    """
    module = sys.modules.get("torch.nn.attention.flex_attention")
    if module is None:
        return []
    own = module.flex_attention
    places = {
        sys.modules[kind.__module__]
        for part in watch.names
        for kind in type(part).__mro__
        if kind.__module__ in sys.modules
    }
    places = {p for p in places if not p.__name__.startswith("torch.")}
    return [
        Patch(vars(place), name, _met(watch, value))
        for place in places | {module}
        for name, value in vars(place).items()
        if callable(value)
        and getattr(value, "_torchdynamo_orig_callable", value) is own
    ]


def _met(watch, own):
    """Return what is called in place of the function."""

    @functools.wraps(own)
    def flex_attention(*args, **kwargs):
        if torch.compiler.is_compiling() or not watch.runs or watch.treated:
            return own(*args, **kwargs)
        known = dict(zip(NAMES, args, strict=False)) | kwargs
        query = watch.tell(
            watch.layer, watch.runs[-1], lambda call: fill(call, known)
        )
        if query is not None and args:
            args = query, *args[1:]
        elif query is not None:
            kwargs = kwargs | {"query": query}
        with watch.suspended():
            return own(*args, **kwargs)

    return flex_attention
