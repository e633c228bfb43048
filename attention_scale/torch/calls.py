"""Calls of attention in a running model: where they are met, and as what.

Five places: PyTorch's function, `multi_head_attention_forward`, FlexAttention,
the attention functions of transformers, and a softmax that a module of
attention writes out itself. A model's modules are wrapped while they are
watched, not hooked: the fast path of PyTorch's encoder layers goes away at the
first hook.
"""

import functools
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from torch.nn import functional
from torch.nn.attention.bias import CausalBias
from torch.overrides import TorchFunctionMode, _get_current_function_mode

from attention_scale.torch import flex, interfaces, multihead
from attention_scale.torch.modules import heads_of, innermost
from attention_scale.torch.patches import wrapped

SDPA = functional.scaled_dot_product_attention
MULTIHEAD = functional.multi_head_attention_forward
SOFTMAXES = {
    torch.softmax,
    torch.special.softmax,
    torch.Tensor.softmax,
    functional.softmax,
}
SIGNATURE = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
CROSS = re.compile(
    "cross|encoder_attn|encoder_attention|EncDecAttention|multihead_attn$"
)
# What wrappers of models put before the names of their modules.
WRAPPERS = re.compile(
    r"(^|\.)(module|_orig_mod|_fsdp_wrapped_module|"
    r"_checkpoint_wrapped_module)(?=\.|$)"
)


@dataclass
class Call:
    """A call of attention, in the words of `row_statistics`.

    Either of queries and keys or of the logits themselves.
    """

    layer: str
    number: int
    query: Any = None
    key: Any = None
    scale: float | None = None
    causal: bool = False
    mask: Any = None
    cap: float | None = None
    sinks: Any = None
    cross: bool = False
    logits: Any = None
    given_positions: Any = None
    score_mod: Callable[..., Any] | None = None
    mask_mod: Callable[..., Any] | None = None

    def positions(self) -> np.ndarray:
        """Return the places of the queries in the text, from 0."""
        given, n_queries = self.given_positions, self.query.shape[-2]
        if given is not None and given.shape[-1] == n_queries:
            given = given.detach().cpu().numpy()
            return given[:, np.newaxis, :] if given.ndim == 2 else given
        return np.arange(n_queries) + max(self.key.shape[-2] - n_queries, 0)


class Watcher(Protocol):
    """Who is told of calls."""

    reads: bool  # whether it looks, and changes nothing

    def called(self, call: Call) -> Any:
        """Return the query to be used instead, or None."""

    def missed(self, layer: str, reason: str) -> None:
        """Take note of a call that cannot be read."""


@dataclass
class _Run:
    """A module that runs, and what has been met inside it."""

    name: str
    module: torch.nn.Module
    attention: bool
    met: int = 0


@dataclass
class Watch:
    """A model's modules while they run, and who is told of their calls."""

    model: torch.nn.Module
    watcher: Watcher
    runs: list[_Run] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    uncompile: bool = False
    interface: interfaces.Interface | None = None
    treated: bool = False
    opened: bool = False

    @contextmanager
    def on(self) -> Iterator["Watch"]:
        """Watch while the context is open."""
        with ExitStack() as stack:
            self.names = {
                module: WRAPPERS.sub("", name).lstrip(".")
                or type(module).__name__
                for name, module in self.model.named_modules()
            }
            self.attention = innermost(self.names)
            self.expected = [
                name for m, name in self.names.items() if m in self.attention
            ]
            compiled = {m for m in self.names if self._is_compiled(m)}
            inside = {part for m in compiled for part in m.modules()}
            self.compiled = {self.names[m] for m in inside & self.attention}
            for module in self.names:
                whole = vars(module).get("_compiled_call_impl") is not None
                if module in compiled or module not in inside:
                    name = (
                        "_compiled_call_impl"
                        if module in compiled and whole
                        else "forward"
                    )
                    stack.enter_context(
                        wrapped(module, name, self._runs(module))
                    )
                if self.uncompile and whole:
                    stack.enter_context(
                        wrapped(module, "_compiled_call_impl", self._opens)
                    )
            self.patches = interfaces.patches(self) + flex.patches(self)
            for patch in self.patches:
                patch.on()
                stack.callback(patch.off)
            self.mode = _Mode(self)
            stack.callback(self.runs.clear)
            yield self

    def _runs(self, module):
        """Return what runs a module's own forward, and notes that it does."""
        run = self.names[module], module, module in self.attention

        def runs(own, *args, **kwargs):
            if torch.compiler.is_compiling():
                return own(*args, **kwargs)
            if not self.opened:
                return self._opens(
                    functools.partial(runs, own), *args, **kwargs
                )
            self.runs.append(_Run(*run))
            opaque = self._is_compiled(module) or (
                self.watcher.reads and multihead.has_fast_path(module)
            )
            try:
                with self.suspended() if opaque else nullcontext():
                    result = own(*args, **kwargs)
                self._ran(self.runs[-1], args, kwargs)
                return result
            finally:
                self.runs.pop()

        return runs

    def _opens(self, own, *args, **kwargs):
        """Run a model, and meet PyTorch's functions as long as it runs.

        No longer: modes lie on a stack, and compiled code may be another's.
        """
        with ExitStack() as stack:
            if self.uncompile:
                stack.enter_context(torch.compiler.set_stance("force_eager"))
            stack.enter_context(self.mode)
            self.opened = True
            stack.callback(setattr, self, "opened", False)
            return own(*args, **kwargs)

    def _is_compiled(self, module):
        """Tell whether a module's call runs compiled code."""
        return not self.uncompile and (
            isinstance(module, torch._dynamo.OptimizedModule)
            or getattr(module, "_compiled_call_impl", None) is not None
        )

    def _ran(self, run, args, kwargs):
        """Note that a module has run, and read what only it can say."""
        if in_backward():
            return
        if self.watcher.reads and not run.met:
            try:
                found = multihead.calls_of(run.module, args, kwargs)
            except Exception as error:
                run.met += 1
                self.watcher.missed(run.name, _in_words(error))
                found = []
            for name, arguments in found:
                layer = f"{run.name}.{name}" if name else run.name
                self.tell(layer, run, functools.partial(_of_heads, arguments))
        if run.attention and not run.met:
            self.watcher.missed(run.name, "")
        if len(self.runs) > 1:
            self.runs[-2].met += run.met

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Have everything run as if nobody watched."""
        # another's mode may be above, and what it stops is stopped
        on = _get_current_function_mode() is self.mode
        for patch in reversed(self.patches):
            patch.off()
        if on:
            self.mode.__exit__(None, None, None)
        try:
            yield
        finally:
            if on:
                self.mode.__enter__()
            for patch in self.patches:
                patch.on()

    @property
    def layer(self) -> str:
        """The innermost module of attention that runs, or module."""
        for run in reversed(self.runs):
            if run.attention:
                return run.name
        return self.runs[-1].name

    def tell(
        self, layer: str, run: _Run, read: Callable[[Call], Call | None]
    ) -> Any:
        """Tell of a call, and return a query to be used instead, or None."""
        number = self.numbers.setdefault(layer, len(self.numbers))
        run.met += 1
        if in_backward():
            return None  # checkpointing runs what has been seen
        call = Call(layer, number, cross=bool(CROSS.search(layer)))
        if not self.watcher.reads:
            read(call)
            return self.watcher.called(call)
        if torch.jit.is_tracing():  # what is computed here would be traced
            self.watcher.missed(layer, "it is being traced")
            return None
        try:
            device = next(iter(self.model.parameters()), torch.empty(0)).device
            with torch.no_grad(), _plain(device.type):
                if read(call) is not None:
                    self.watcher.called(call)
        except Exception as error:
            self.watcher.missed(layer, _in_words(error))
        return None


class _Mode(TorchFunctionMode):
    """Meets PyTorch's functions, whoever calls them."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs, watch = kwargs or {}, self.watch
        if torch.compiler.is_compiling():
            return function(*args, **kwargs)
        # outside of the model's own modules it is somebody else's
        if not watch.runs or watch.treated:
            return function(*args, **kwargs)
        if function is SDPA:
            known = dict(zip(SIGNATURE, args, strict=False)) | kwargs
            query = watch.tell(
                watch.layer,
                watch.runs[-1],
                functools.partial(_of_function, known, watch.interface),
            )
            if query is not None:
                return function(**known | {"query": query})
        elif function is MULTIHEAD:
            arguments = multihead.arguments(*args, **kwargs)
            query = watch.tell(
                watch.layer,
                watch.runs[-1],
                functools.partial(_of_heads, arguments),
            )
            if query is not None:
                return multihead.with_query(arguments, query)
        elif watch.watcher.reads and function in SOFTMAXES:
            self._softmax(args, kwargs)
        return function(*args, **kwargs)

    def _softmax(self, args, kwargs):
        """Read the logits of attention that a module writes out itself."""
        watch = self.watch
        run = next((r for r in reversed(watch.runs) if r.attention), None)
        x = kwargs.get("input", args[0] if args else None)
        dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
        if not isinstance(x, torch.Tensor) or dim not in (-1, x.ndim - 1):
            return
        owner = run or watch.runs[-1]
        heads = heads_of(owner.module)
        if run is None and (x.ndim < 4 or heads is None):
            return  # a router's, or a language model's
        watch.tell(owner.name, owner, functools.partial(_of_softmax, x, heads))


def _of_function(known, interface, call):
    """Fill in a call of `scaled_dot_product_attention`."""
    query, key = known["query"], known["key"]
    mask, causal = known.get("attn_mask"), known.get("is_causal", False)
    if query.is_nested or key.is_nested:
        raise TypeError("nested tensors; they should be padded")
    if isinstance(mask, CausalBias):
        mask, causal = mask._materialize(query.device), False
    if interface is not None:
        call.given_positions = interface.positions
        if query.shape[-3] != interface.heads and query.ndim == 4:
            # heads that share a key came as queries of one head
            batch, *_, d = query.shape
            query = query.reshape(batch, interface.heads, 1, d)
            if mask is not None and mask.ndim == 4 and mask.shape[1] > 1:
                mask = mask.reshape(-1, interface.heads, 1, mask.shape[-1])
    n_queries, n_keys = query.shape[-2], key.shape[-2]
    if causal and n_queries != n_keys:
        # PyTorch's first query is at the first key, ours at the last
        mask = torch.ones(
            n_queries, n_keys, dtype=torch.bool, device=query.device
        ).tril()
        causal = False
    call.query, call.key, call.mask, call.causal = query, key, mask, causal
    call.scale = known.get("scale")
    return call


def _of_heads(arguments, call):
    """Fill in a call of `multi_head_attention_forward`."""
    call.query, call.key, call.mask = multihead.projected(arguments)
    call.cross = arguments["query"] is not arguments["key"]
    return call


def _of_softmax(x, heads, call):
    """Fill in logits that go into a softmax, as (batch, heads, rows, keys)."""
    shape = tuple(x.shape)
    if heads is None:
        raise ValueError(
            f"a softmax over {shape}, and no number of heads beside it"
        )
    if len(shape) == 3 and shape[0] % heads == 0:
        x = x.reshape(-1, heads, *shape[1:])
    elif len(shape) == 5 and shape[1] * shape[2] == heads:
        x = x.reshape(shape[0], heads, *shape[3:])
    if x.ndim != 4 or x.shape[1] != heads:
        raise ValueError(f"a softmax over {shape}, which has no {heads} heads")
    call.logits = x
    return call


def _in_words(error):
    """Return what an error says, on one line."""
    words = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {words}"


def in_backward() -> bool:
    """Tell whether gradients are computed: checkpoints run modules again."""
    return torch._C._current_graph_task_id() != -1


@contextmanager
def _plain(device):
    """Leave autocast, which would change what is computed here."""
    try:
        off = torch.autocast(device, enabled=False)
    except RuntimeError:  # a device that has none
        yield
        return
    with off:
        yield
