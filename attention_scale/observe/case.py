"""One call of attention: which rows are looked at, and their logits."""

from collections.abc import Iterator
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np

from attention_scale.arguments import array, number
from attention_scale.observe.arrays import (
    floats,
    is_boolean,
    like,
    namespace,
    numpy_of,
    shape_of,
    transposed,
)

AT_ONCE = 2**22  # logits in memory
TEXTS = 16  # of a batch that are looked at, if so few have rows enough
# Added to a logit it masks: -1e4 as bfloat16 has it, and all that is less.
MASKS = -9984.0


class Drawn(NamedTuple):
    """Rows to look at: places in the batch, and of the queries."""

    texts: np.ndarray
    queries: np.ndarray


class Rows:
    """Rows (batch, heads, queries, keys) of which a few are drawn."""

    xp: Any
    batch: int
    heads: int
    n_queries: int
    n_keys: int
    causal = False
    cross = False  # whether queries and keys are of different texts

    def __init__(self, sink: Any = None) -> None:
        self.first_is_sink = isinstance(sink, str)
        self.sink_logits = _sink(sink, self.heads)

    @property
    def offset(self) -> int:
        """The first query's key under a causal mask."""
        return self.n_keys - self.n_queries if self.causal else 0

    def logits(self, drawn: Drawn, head: int | None = None) -> tuple[Any, Any]:
        """Return logits (texts, heads, rows, keys), and which ones count."""
        raise NotImplementedError

    def first_keys(self, texts: np.ndarray) -> np.ndarray:
        """Return the first key of each text that any query sees."""
        return np.zeros(texts.size, int)

    def places(self, drawn: Drawn, counts: Any) -> Any:
        """Return at which key each query stands, (texts, 1, rows), or None."""
        if self.cross or self.n_keys < self.n_queries:
            return None
        if self.causal or self.n_keys == self.n_queries:
            return (drawn.queries + self.offset)[np.newaxis, np.newaxis]
        # after cached keys: at the last that it sees
        seen = np.asarray(numpy_of(counts).any(axis=1, keepdims=True))
        return self.n_keys - 1 - seen[..., ::-1].argmax(axis=-1)

    def draw(
        self, rng: np.random.Generator, rows: int | None, least_keys: int
    ) -> Drawn:
        """Return the rows to look at: some that see enough keys, or all."""
        first = 0
        if self.causal and rows is not None:
            first = max(least_keys - self.offset - 1, 0)
        first = min(first, max(self.n_queries - 2, 0))
        there = self.n_queries - first
        texts, queries = np.arange(self.batch), np.arange(there)
        if rows is not None and rows < self.batch * there:
            many = min(self.batch, rows, max(TEXTS, ceil(rows / there)))
            each = min(there, ceil(rows / many))
            texts = np.sort(rng.choice(texts, many, replace=False))
            queries = np.sort(rng.choice(queries, each, replace=False))
        return Drawn(texts, first + queries)

    def blocks(self, drawn: Drawn) -> Iterator[Drawn]:
        """Return what is drawn in blocks that fit into memory."""
        each = self.heads * self.n_keys
        rows = max(1, min(drawn.queries.size, AT_ONCE // each))
        texts = max(1, min(drawn.texts.size, AT_ONCE // (each * rows)))
        for some in _split(drawn.texts, texts):
            for queries in _split(drawn.queries, rows):
                yield Drawn(some, queries)


class Case(Rows):
    """Queries and keys as (batch, heads, n, d), and what is done to them."""

    def __init__(
        self,
        query: Any,
        key: Any,
        scale: float | None = None,
        causal: bool = False,
        mask: Any = None,
        sink: Any = None,
        cap: float | None = None,
        cross: bool = False,
    ) -> None:
        xp = self.xp = namespace(query, key)
        query, key = floats(xp, "query", query), floats(xp, "key", key)
        query, key, batch = _alike(xp, query, key)
        self.batch = int(np.prod(batch, dtype=int))
        self.heads, self.n_queries, d = map(int, query.shape[-3:])
        self.shape = (*batch, self.heads, self.n_queries)
        self.of_keys, self.n_keys = map(int, key.shape[-3:-1])
        self.causal, self.cross = causal, cross
        if self.offset < 0:
            raise ValueError(
                f"{_shapes(query, key)}; under a causal mask there should be "
                "as many keys as queries, or more"
            )
        self.scale = 1 / sqrt(d) if scale is None else number("scale", scale)
        if not np.isfinite(self.scale):
            raise ValueError(f"scale: {self.scale:g}; it should be finite")
        self.cap = None if cap is None else number("cap", cap)
        if self.cap is not None and not 0 < self.cap < np.inf:
            raise ValueError(
                f"cap: {self.cap:g}; it should be positive and finite"
            )
        self.query = xp.reshape(query, (self.batch, *query.shape[-3:]))
        self.key = xp.reshape(key, (self.batch, *key.shape[-3:]))
        self.mask = self._mask(mask, batch)
        super().__init__(sink)

    def _mask(self, mask, batch):
        """Return a mask with the axes (batch, heads, queries, keys)."""
        if mask is None:
            return None
        wanted = (*self.shape, self.n_keys)
        try:
            fits = np.broadcast_shapes(mask.shape, wanted) == wanted
        except (AttributeError, ValueError):
            fits = False
        if not fits:
            raise ValueError(
                f"mask: shape {shape_of(mask)}; it should broadcast to "
                f"{wanted}"
            )
        if not is_boolean(mask) and "float" not in str(mask.dtype):
            raise TypeError(
                f"mask: an array of {mask.dtype}; it should be of booleans, "
                "true where a query sees a key, or of floats"
            )
        axes = (1,) * (len(wanted) - mask.ndim) + tuple(mask.shape)
        first = int(np.prod(axes[:-3], dtype=int))
        if first not in (1, self.batch):
            mask = self.xp.broadcast_to(mask, (*batch, *axes[-3:]))
            first = self.batch
        return self.xp.reshape(mask, (first, *axes[-3:]))

    def first_keys(self, texts: np.ndarray) -> np.ndarray:
        """Return the first key of each text that any query sees."""
        if self.mask is None:
            return super().first_keys(texts)
        mask = self.mask if is_boolean(self.mask) else self.mask > MASKS
        seen = numpy_of(self.xp.any(mask, axis=(1, 2)))
        if seen.shape[1] == 1:
            return super().first_keys(texts)
        return np.broadcast_to(seen, (self.batch, self.n_keys))[texts].argmax(
            axis=-1
        )

    def logits(self, drawn: Drawn, head: int | None = None) -> tuple[Any, Any]:
        """Return logits (texts, heads, rows, keys), and which ones count."""
        xp = self.xp
        heads, of_keys = self.heads, self.of_keys
        query, key = self._of(drawn.texts, self.query, self.key)
        if head is not None:
            query = query[:, head : head + 1, :, :]
            group = head // (heads // of_keys)
            key = key[:, group : group + 1, :, :]
            heads = of_keys = 1
        if drawn.queries.size < self.n_queries:
            query = xp.take(query, like(xp, drawn.queries, query), axis=2)
        texts, _, rows, d = query.shape
        # queries that share a key stand below each other: keys aren't copied
        query = xp.reshape(
            query * self.scale, (texts, of_keys, heads // of_keys * rows, d)
        )
        x = xp.matmul(query, transposed(xp, key))
        x = xp.reshape(x, (texts, heads, rows, self.n_keys))
        if self.cap is not None:
            x = self.cap * xp.tanh(x / self.cap)
        return self._masked(x, drawn, head)

    def _masked(self, x, drawn, head):
        """Return logits with what is added to them, and which ones count."""
        xp = self.xp
        counts = None
        if self.causal:
            last = drawn.queries[:, np.newaxis] + self.offset
            counts = like(xp, np.arange(self.n_keys) <= last, x)
        if self.mask is not None:
            mask = self.mask
            if mask.shape[0] > 1:
                (mask,) = self._of(drawn.texts, mask)
            if head is not None and mask.shape[1] > 1:
                mask = mask[:, head : head + 1, :, :]
            if mask.shape[2] > 1:
                mask = xp.take(mask, like(xp, drawn.queries, x), axis=2)
            seen = mask
            if not is_boolean(mask):
                added = xp.asarray(mask, dtype=x.dtype)
                seen = added > MASKS
                x = x + xp.where(seen, added, xp.zeros_like(added))
            counts = seen if counts is None else xp.logical_and(counts, seen)
        if counts is None:
            counts = xp.ones_like(x, dtype=xp.bool if xp is not np else bool)
        return x, xp.broadcast_to(counts, x.shape)

    def _of(self, texts, *arrays):
        """Return what belongs to some of the batch."""
        if texts.size == self.batch:
            return arrays
        index = like(self.xp, texts, self.query)
        return [self.xp.take(values, index, axis=0) for values in arrays]


class Written(Rows):
    """Logits (batch, heads, queries, keys) that a model wrote out itself.

    Where its mask was added, they are -9984 or less.
    """

    def __init__(self, logits: Any, sink: Any, cross: bool = False) -> None:
        self.xp = namespace(logits)
        self.all = logits
        self.batch, self.heads, self.n_queries, self.n_keys = logits.shape
        self.cross = cross
        super().__init__(sink)

    def first_keys(self, texts: np.ndarray) -> np.ndarray:
        """Return the first key of each text that any query sees."""
        seen = numpy_of(self.xp.any(self.all > MASKS, axis=(1, 2)))
        return seen[texts].argmax(axis=-1)

    def logits(self, drawn: Drawn, head: int | None = None) -> tuple[Any, Any]:
        """Return logits (texts, heads, rows, keys), and which ones count."""
        xp, x = self.xp, self.all
        if drawn.texts.size < self.batch:
            x = xp.take(x, like(xp, drawn.texts, x), axis=0)
        if drawn.queries.size < self.n_queries:
            x = xp.take(x, like(xp, drawn.queries, x), axis=2)
        x = floats(xp, "logits", x)
        # what is NaN counts: it is no mask
        return x, xp.logical_not(x <= MASKS)


def check_whole(name: str, value: Any, least: int, more: str = "") -> None:
    """Refuse what is no whole number of at least so many."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (whole and value >= least):
        should = f"a whole number from {least}{more}"
        raise ValueError(f"{name}: {value!r}; it should be {should}")


def check_rows(rows: Any) -> None:
    """Refuse what is no number of rows to draw."""
    if rows is not None:
        check_whole("rows", rows, 2, ", or None for all")


def check_sink(sink: Any) -> None:
    """Refuse a name of what is no sink."""
    if isinstance(sink, str) and sink != "first":
        raise ValueError(
            f"sink: {sink!r}; it should be 'first', or an array (heads)"
        )


def _alike(xp, query, key):
    """Return queries and keys of one batch, and the batch's shape."""
    words = _shapes(query, key)
    if query.ndim < 2 or query.ndim != key.ndim:
        raise ValueError(f"{words}; both should have axes (..., heads, n, d)")
    if query.ndim == 2:
        query, key = query[None, ...], key[None, ...]
    *batch, heads, n_queries, d = query.shape
    *others, of_keys, n_keys, d_key = key.shape
    if heads == 1 and of_keys > 1:
        query = xp.broadcast_to(query, (*batch, of_keys, n_queries, d))
        heads = of_keys
    try:
        both = np.broadcast_shapes(tuple(batch), tuple(others))
    except ValueError:
        both = None
    if both is None or d != d_key or not of_keys or heads % of_keys:
        raise ValueError(
            f"{words}; they should be alike but for the numbers of queries "
            "and keys, and of heads, which the key's should divide"
        )
    if not n_queries or n_keys < 2:
        raise ValueError(f"{words}; there should be at least two keys")
    if both != tuple(batch):
        query = xp.broadcast_to(query, (*both, *query.shape[-3:]))
    if both != tuple(others):
        key = xp.broadcast_to(key, (*both, *key.shape[-3:]))
    return query, key, both


def _sink(sink, heads):
    """Return the logits of a sink beside the row, or None."""
    check_sink(sink)
    if sink is None or isinstance(sink, str):
        return None
    logits = array("sink", numpy_of(sink)).astype(np.float64)
    if logits.shape not in ((), (heads,)):
        raise ValueError(
            f"sink: shape {logits.shape}; it should be ({heads},)"
        )
    return np.broadcast_to(logits, heads)


def _split(values, each):
    return np.array_split(values, ceil(values.size / each))


def _shapes(query, key):
    return f"query: shape {shape_of(query)}, key: shape {shape_of(key)}"
