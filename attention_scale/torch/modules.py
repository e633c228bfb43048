"""Modules of a model: which of them attend, and with how many heads."""

import re
from contextlib import suppress
from typing import Any

import torch

NO_ATTENTION = re.compile(
    "norm|rotary|embed|mask|dropout|output|linear$|proj|cache|softmax", re.I
)
HEADS = (
    "num_attention_heads",
    "num_heads",
    "n_heads",
    "n_head",
    "nhead",
    "num_head",
    "heads",
)


def heads_of(module: torch.nn.Module) -> int | None:
    """Return the number of heads that a module names, or its settings."""
    for place in (module, getattr(module, "config", None)):
        for name in HEADS:
            with suppress(Exception):  # a property may raise anything
                found = getattr(place, name, None)
                if isinstance(found, int) and found > 0:
                    return found
    return None


def is_attention(name: str, module: torch.nn.Module) -> bool:
    """Tell whether a module looks, by its names, as if it attended."""
    kind, last = type(module).__name__, name.rpartition(".")[2]
    if NO_ATTENTION.search(kind):
        return False
    words = f"{kind} {last}" if any(module.children()) else kind
    return bool(re.search("att(entio)?n|multihead", words, re.I))


def innermost(names: dict[torch.nn.Module, str]) -> set[torch.nn.Module]:
    """Return the modules of attention that hold no other."""
    found = {m for m, name in names.items() if is_attention(name, m)}
    return {
        module
        for module in found
        if not any(other in found for other in list(module.modules())[1:])
    }


def model_of(model: Any) -> torch.nn.Module:
    """Return a model, or refuse what is none."""
    if not isinstance(model, torch.nn.Module):
        raise TypeError(
            f"model: {type(model).__name__}; it should be a torch.nn.Module"
        )
    return model
