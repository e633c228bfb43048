"""The attention functions of transformers, through which its models call."""

import sys
from typing import Any, NamedTuple

import torch

from attention_scale.torch.patches import Patch


class Interface(NamedTuple):
    """What a call through transformers' attention functions says of it."""

    heads: int
    positions: Any


def patches(watch: Any) -> list[Patch]:
    """Return what stands between the models and their attention functions.

    The functions keep their names, so that a model makes the mask which
    belongs to its own.
    """
    library = sys.modules.get("transformers.modeling_utils")
    functions: Any = getattr(library, "ALL_ATTENTION_FUNCTIONS", None)
    if not hasattr(functions, "get_interface"):
        return []
    get = functions.get_interface

    def get_interface(name, default):
        return _stand_in(name, get(name, default), watch)

    return [Patch(vars(functions), "get_interface", get_interface)]


def _stand_in(name, own, watch):
    """Return what is called in place of an attention function."""

    def called(module, query, key, value, attention_mask=None, **more):
        def run(query):
            return own(module, query, key, value, attention_mask, **more)

        if torch.compiler.is_compiling():
            return run(query)
        if module not in watch.names or watch.treated or not watch.runs:
            return run(query)
        watch.interface = Interface(query.shape[1], more.get("position_ids"))
        layer, now = watch.names[module], watch.runs[-1]

        def read(call):
            return _fill(call, name, query, key, attention_mask, more)

        try:
            if not watch.watcher.reads:
                treated = watch.tell(layer, now, read)
                watch.treated = True
                return run(query if treated is None else treated)
            if name != "flex_attention" and more.get("s_aux") is None:
                return _inside(watch, now, name, run, query)
            watch.tell(layer, now, read)
            watch.treated = True
            with watch.suspended():
                return run(query)
        finally:
            watch.treated, watch.interface = False, None

    return called


def _inside(watch, now, name, run, query):
    """Run a function in which PyTorch's own will be met."""
    met = now.met
    result = run(query)
    if now.met == met:
        watch.watcher.missed(
            watch.layer,
            f"it runs {name}, of which nothing is read: "
            "model.set_attn_implementation('sdpa') before",
        )
        now.met += 1
    return result


def _fill(call, name, query, key, mask, more):
    """Fill in a call, for what PyTorch's functions do not show.

    A sink is a column of the softmax in eager code, and FlexAttention takes
    functions in place of masks.
    """
    call.query, call.key = query, key
    call.scale, call.cap = more.get("scaling"), more.get("softcap")
    call.sinks = more.get("s_aux")
    call.given_positions = more.get("position_ids")
    if more.get("position_bias") is not None and name != "sdpa":
        raise TypeError(f"{name} with a bias, which is not read")
    if hasattr(mask, "mask_mod"):  # FlexAttention's
        call.mask_mod = mask.mask_mod
        cap = call.cap
        if cap is not None:
            call.score_mod = lambda x, *_: cap * torch.tanh(x / cap)
    elif mask is not None and mask.ndim == 4:
        call.mask = mask[..., : key.shape[2]]
    return call
