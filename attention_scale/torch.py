"""Look at the rows of a PyTorch model while it runs, or scale them.

Needs PyTorch and array-api-compat: pip install 'attention-scale[torch]'. What
calls `scaled_dot_product_attention` is seen, and transformers through its
attention functions, of which "sdpa" and "eager" are read.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.overrides import TorchFunctionMode

from attention_scale.observe import (
    LEAST_KEYS,
    Case,
    RowStatistics,
    Statistic,
    summary,
)

__all__ = ["Report", "monitor", "rescaled"]

READ = ("sdpa", "eager")  # of transformers' attention functions


class Report:
    """What `monitor` saw: by layer the statistics of its heads' rows.

    It fills while the model runs. Printed, it is a table of the layers; as
    arrays, `report.alpha` and the other statistics of `RowStatistics` by
    layer and head; `report[name]` is a layer's `RowStatistics`, and
    `heat_map` draws one statistic.
    """

    def __init__(self) -> None:
        self._rows: dict[str, list[dict[str, np.ndarray]]] = {}
        self._known: dict[str, tuple[int, RowStatistics]] = {}

    def add(self, layer: str, rows: dict[str, np.ndarray]) -> None:
        """Take the rows of one call of a layer."""
        self._rows.setdefault(layer, []).append(rows)

    @property
    def layers(self) -> list[str]:
        """Names of the layers, in the order in which they were first seen."""
        return list(self._rows)

    def __getitem__(self, layer: str | int) -> RowStatistics:
        name = self.layers[layer] if isinstance(layer, int) else layer
        calls = self._rows[name]
        if self._known.get(name, (0, None))[0] != len(calls):
            self._known[name] = len(calls), summary(calls)
        return self._known[name][1]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in RowStatistics.__annotations__:
            raise AttributeError(f"a report has no {name!r}")
        found = [getattr(self[layer], name) for layer in self.layers]
        if not found:
            raise AttributeError(f"{name}: {self!r}")
        if isinstance(found[0], Statistic):
            values, errors = zip(*found, strict=True)
            return Statistic(_stacked(values), _stacked(errors))
        return _stacked(found)

    def __repr__(self) -> str:
        if not self._rows:
            return (
                "no rows seen: the model has not run, or its attention is "
                "neither scaled_dot_product_attention nor read here"
            )
        heads = (
            "layer  heads  keys seen  alpha            /alpha_c  "
            "H     (normal)  keys    (normal)  largest  sink  near  dead"
        )
        lines = [heads]
        for i, layer in enumerate(self.layers):
            of = self[layer]
            normal = of.normal
            alpha = of.alpha.value
            lines.append(
                f"{i:>5}  {alpha.size:>5}  {_middle(of.keys):>9,.0f}  "
                f"{_middle(alpha):4.2f} [{_end(alpha, min):4.2f}, "
                f"{_end(alpha, max):4.2f}]  "
                f"{_middle(alpha / normal.alpha_c):7.2f}  "
                f"{_middle(of.entropy.value):4.2f}  "
                f"{_middle(normal.entropy):8.2f}  "
                f"{_middle(of.effective_keys.value):6.1f}  "
                f"{_middle(normal.effective_keys):8.1f}  "
                f"{_end(of.largest_logit, max):7.1f}  "
                f"{_middle(of.sink_weight.value):4.2f}  "
                f"{_middle(of.near.value):4.2f}  "
                f"{_middle(of.dead.value):4.2f}"
            )
        return "\n".join(lines)

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


@contextmanager
def monitor(
    model: torch.nn.Module,
    *,
    rows: int = 256,
    sink: str | None = None,
    near: int = 64,
    seed: int = 0,
) -> Iterator[Report]:
    """Look at rows of every attention call of a model.

    The model computes what it computes without: its own calls run unchanged,
    and no random number of PyTorch's is drawn. Rows are looked at in float32.

    Parameters
    ----------
    model : a module. Attention is seen in `scaled_dot_product_attention`, and
        in the attention functions "sdpa" and "eager" of transformers.
    rows : how many queries are drawn in each call.
    sink, near, seed : as `row_statistics`. A sink that the model itself has
        is left out of the row, and its weight reported, without asking.

    Yields
    ------
    Report

    Raises
    ------
    NotImplementedError : a model of transformers runs another kernel; call
        model.set_attn_implementation("sdpa") before.
    TypeError, ValueError : as `row_statistics`.

    Not under torch.compile, and not in code that multiplies queries and keys
    by itself.

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
    report, rng = Report(), np.random.default_rng(seed)

    def look(call):
        if call.key.shape[-2] < 2:
            return  # the first token of a text alone
        with torch.no_grad():
            case = Case(
                call.query.detach(),
                call.key.detach(),
                call.scale,
                call.causal,
                None if call.mask is None else call.mask.detach(),
                sink if call.sinks is None else call.sinks.detach().float(),
                call.cap,
            )
            report.add(call.layer, case.rows(rng, rows, LEAST_KEYS, near))

    def seen(call):
        look(call)
        return call.query

    with _hooked(model, seen, reads=True):
        yield report


@contextmanager
def rescaled(model: torch.nn.Module, factor: Any) -> Iterator[None]:
    """Multiply the logits of a model's attention, through its queries.

    Any kernel runs unchanged: softmax gets factor times the logits. A soft
    cap, and what is added to the logits, come after the factor.

    Parameters
    ----------
    model : as `monitor`; of transformers any attention function.
    factor : a number; an array (layers, heads); or a function of the layer's
        number, the heads' (heads, 1) and the positions of the queries
        (queries) or (batch, 1, queries), which returns numbers that broadcast
        to (batch, heads, queries). Positions count from 0, from those that
        the model is given or else from the number of keys.

    Raises
    ------
    ValueError : a factor is not finite, or does not broadcast.

    The product is rounded once to the query's precision.

    >>> from attention_scale.rules import log_length
    >>> def grow(layer, heads, positions):
    ...     return np.maximum(log_length(positions + 1, 2048), 1)
    >>> with rescaled(torch.nn.Identity(), grow):
    ...     pass
    """
    with _hooked(model, _multiplies(factor), reads=False):
        yield


def _multiplies(factor):
    """Return what multiplies the query of a call."""
    if callable(factor):
        of = factor
    else:
        table = np.asarray(factor, np.float64)
        if table.ndim not in (0, 2):
            raise ValueError(
                f"factor: shape {table.shape}; it should be a number, an "
                "array (layers, heads), or a function"
            )

        def of(layer, heads, positions):
            return table if table.ndim == 0 else table[layer][heads]

    def multiplied(call):
        query = call.query
        heads = np.arange(query.shape[-3])[:, np.newaxis]
        values = np.asarray(of(call.number, heads, call.positions()))
        values = values.astype(np.float64)
        wanted = tuple(query.shape[:-1])
        try:
            np.broadcast_shapes(values.shape, wanted)
        except ValueError:
            raise ValueError(
                f"factor: shape {values.shape} in layer {call.number}; it "
                f"should broadcast to {wanted}"
            ) from None
        if not np.isfinite(values).all():
            raise ValueError(
                f"factor: not finite in layer {call.number}; it should be"
            )
        if (values == 1).all():
            return query
        # in single precision: 1.05 itself is none of bfloat16's numbers
        kind = torch.promote_types(query.dtype, torch.float32)
        factors = torch.as_tensor(values, dtype=kind, device=query.device)
        return (query.to(kind) * factors[..., None]).to(query.dtype)

    return multiplied


class _Call:
    """A call of attention, in the words of `row_statistics`."""

    def __init__(self, layer, number, query, key, scale, causal, mask):
        self.layer, self.number = layer, number
        self.query, self.key, self.scale = query, key, scale
        self.causal, self.mask = causal, mask
        self.cap = self.sinks = self.given_positions = None
        self.n_keys = key.shape[-2]

    def positions(self):
        """Return the places of the queries in the text, from 0."""
        given = self.given_positions
        n_queries = self.query.shape[-2]
        if given is not None and given.shape[-1] == n_queries:
            given = given.detach().cpu().numpy()
            return given[:, np.newaxis, :] if given.ndim == 2 else given
        return np.arange(n_queries) + max(self.n_keys - n_queries, 0)


@contextmanager
def _hooked(model, treat, reads):
    """Have `treat` see each call, and give the query that is used instead."""
    if not isinstance(model, torch.nn.Module):
        raise TypeError(
            f"model: {type(model).__name__}; it should be a torch.nn.Module"
        )
    with ExitStack() as stack:
        names = _Names(model, stack)
        mode = _Mode(names, treat)
        stack.enter_context(_transformers(names, treat, mode, reads))
        stack.enter_context(mode)
        yield


class _Names:
    """Which module of a model runs, and the numbers of its layers."""

    def __init__(self, model, stack):
        self.of = {module: name for name, module in model.named_modules()}
        self.running: list[str] = []
        self.numbers: dict[str, int] = {}
        for module, name in self.of.items():
            before = module.register_forward_pre_hook(self._enters(name))
            after = module.register_forward_hook(
                self._leaves, always_call=True
            )
            stack.callback(before.remove)
            stack.callback(after.remove)

    def _enters(self, name):
        """Return a hook that notes that a module runs."""

        def enter(*_):
            self.running.append(name)

        return enter

    def _leaves(self, *_):
        """Note that it has run; a hook's result would be the module's."""
        self.running.pop()

    def number(self, layer):
        """Return a layer's number, by the order of first calls."""
        return self.numbers.setdefault(layer, len(self.numbers))


class _Mode(TorchFunctionMode):
    """Sees `scaled_dot_product_attention`, whoever calls it."""

    def __init__(self, names, treat):
        super().__init__()
        self.names, self.treat = names, treat
        self.treated = False

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        # outside of the model's own modules it is somebody else's
        known = self.names.running and not self.treated
        if function is not scaled_dot_product_attention or not known:
            return function(*args, **kwargs)
        known = dict(zip(SIGNATURE, args, strict=False)) | kwargs
        query, key = known["query"], known["key"]
        mask, causal = known.get("attn_mask"), known.get("is_causal", False)
        n_queries, n_keys = query.shape[-2], key.shape[-2]
        if causal and n_queries != n_keys:
            # PyTorch's first query is at the first key, ours at the last
            mask = torch.ones(
                n_queries, n_keys, dtype=torch.bool, device=query.device
            ).tril()
            causal = False
        layer = self.names.running[-1]
        call = _Call(
            layer,
            self.names.number(layer),
            query,
            key,
            known.get("scale"),
            causal,
            mask,
        )
        self.treated = True
        try:
            query = self.treat(call)
        finally:
            self.treated = False
        return function(**known | {"query": query})


SIGNATURE = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")


@contextmanager
def _transformers(names, treat, mode, reads):
    """Put ourselves before the attention functions of transformers.

    Under their own names, so that a model makes the mask that belongs to its
    function: "sdpa" takes no mask for a causal one, "eager" for none at all.
    """
    library = sys.modules.get("transformers.modeling_utils")
    if library is None:
        yield
        return
    functions = library.ALL_ATTENTION_FUNCTIONS
    before = dict(functions._local_mapping)
    known: dict[str, Callable | None] = {"eager": None, **dict(functions)}
    for name, function in known.items():
        functions[name] = _stand_in(name, function, names, treat, mode, reads)
    try:
        yield
    finally:
        functions._local_mapping.clear()
        functions._local_mapping.update(before)


def _stand_in(name, function, names, treat, mode, reads):
    """Return what is called in place of an attention function."""

    def called(module, query, key, value, attention_mask=None, **more):
        own = function or _eager_of(module)
        if module not in names.of or mode.treated:
            return own(module, query, key, value, attention_mask, **more)
        if reads and name not in READ:
            raise NotImplementedError(
                f"monitor reads {' and '.join(READ)} attention, and this "
                f"model runs {name}: call model.set_attn_implementation"
                "('sdpa') before"
            )
        call = _call_of(name, names, module, query, key, attention_mask, more)
        mode.treated = True
        try:
            query = treat(call)
            return own(module, query, key, value, attention_mask, **more)
        finally:
            mode.treated = False

    return called


def _call_of(name, names, module, query, key, mask, more):
    """Return a call of transformers in the words of `row_statistics`."""
    layer = names.of[module]
    number = getattr(module, "layer_idx", None)
    if number is None:
        number = names.number(layer)
    causal = False
    n_queries = query.shape[2]
    if name == "sdpa" and mask is None:
        # as sdpa_attention_forward, integrations/sdpa_attention.py:126-150
        asked = more.get("is_causal")
        asked = getattr(module, "is_causal", True) if asked is None else asked
        causal = bool(asked) and n_queries > 1
        if causal and key.shape[2] > n_queries:
            key = key[:, :, :n_queries, :]
    if mask is not None:
        mask = mask[..., : key.shape[2]]
    bias = more.get("position_bias")
    if bias is not None:
        mask = _both(mask, bias)
    scale = more.get("scaling")
    call = _Call(layer, number, query, key, scale, causal, mask)
    call.cap = more.get("softcap")
    call.sinks = more.get("s_aux")
    call.given_positions = more.get("position_ids")
    return call


def _both(mask, bias):
    """Return a mask and a bias as one."""
    if mask is None:
        return bias
    if mask.dtype == torch.bool:
        return torch.where(mask, bias, torch.finfo(bias.dtype).min)
    return mask + bias


def _eager_of(module):
    """Return the eager attention function beside a module's class."""
    for kind in type(module).__mro__:
        found = getattr(
            sys.modules[kind.__module__], "eager_attention_forward", None
        )
        if found is not None:
            return found
    raise NotImplementedError(
        f"{type(module).__name__}: no eager attention function beside it"
    )


def _stacked(arrays):
    """Return arrays (heads) as (layers, heads), NaN where heads are fewer."""
    arrays = [np.asarray(values) for values in arrays]
    if arrays[0].ndim > 1:
        return arrays
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
