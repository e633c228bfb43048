"""What a running model does to queries, keys and scores before each softmax.

A `Follow` meets every function of PyTorch that a model calls. Each tensor
carries a trail: the product of all factors since its last projection or norm,
and what else happened to it. Where two tensors that are computed from the
input are multiplied and a softmax of the product is taken, an event is noted.
The factors are the numbers that are multiplied, not names in the code.
"""

import math
import re
from dataclasses import dataclass, field, replace

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

PRODUCTS = {"matmul", "rmatmul", "bmm", "einsum", "baddbmm", "mm"}
PROJECTIONS = re.compile(
    r"^(linear|addmm|bilinear|grouped_mm|conv(_transpose)?[123]d)$"
)
NORMS = {"layer_norm", "rms_norm", "group_norm", "normalize"}
LENGTHS = {"norm", "vector_norm", "linalg_norm", "linalg_vector_norm",
           "rsqrt", "sqrt"}  # fmt: skip
GROWING = {"log", "log1p", "log2", "pow", "rpow"}
JOINS = {"cat", "concat", "concatenate", "stack", "hstack"}
CARRIED = {"act", "param", "log", "length", "trig", "emb"}
LEAST = -900.0  # a score below is a mask's


@dataclass(frozen=True)
class Trail:
    """What was done to a tensor since its last projection or norm.

    `turn` is the factor that a rotation brought. Scores also have the trails
    of their factors, the undivided product, the size d that it sums over, and
    the last factor, which a soft cap undoes.
    """

    gain: float = 1.0
    turn: float = 1.0
    marks: frozenset = frozenset()
    query: "Trail | None" = None
    key: "Trail | None" = None
    size: int = 0
    raw: object = field(default=None, compare=False)
    last: float = 1.0
    cap: float | None = None

    def has(self, *marks):
        return bool(self.marks.intersection(marks))

    def plus(self, *marks):
        return replace(self, marks=self.marks | set(marks))

    def times(self, factor):
        """After one more factor; the one that ends a soft cap is none."""
        if self.cap and abs(factor / self.cap - 1) < 1e-6:
            return replace(self, cap=None)
        return replace(self, gain=self.gain * factor, last=factor)


NOTHING = Trail()


def trail_of(tensor):
    """Return a tensor's trail, or that of the tensor it is a view of."""
    found = getattr(tensor, "census_trail", None)
    if found is None and tensor._base is not None:
        found = getattr(tensor._base, "census_trail", None)
    if found is None and isinstance(tensor, nn.Parameter):
        return Trail(marks=frozenset({"param"}))
    return found or NOTHING


def mark(tensor, trail):
    """Give a tensor a trail."""
    if isinstance(tensor, torch.Tensor) and not isinstance(
        tensor, nn.Parameter
    ):
        numbers = tensor.is_floating_point() or tensor.is_complex()
        tensor.census_trail = trail if numbers else NOTHING


def name_of(cls):
    """The folder of a model and the name of a class: `bert.BertLayer`."""
    return f"{cls.__module__.split('.')[-2]}.{cls.__name__}"


def tensors_in(value):
    """Yield the tensors of nested arguments."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))


def is_mask(tensor):
    """Tell whether a tensor only masks: one number, which moves all logits
    alike, and large negative ones.
    """
    if tensor.dtype == torch.bool or not tensor.is_floating_point():
        return True
    rest = tensor[~((tensor < LEAST) | tensor.isnan())]
    return not rest.numel() or bool(rest.max() == rest.min())


def is_wave(tensor, trail):
    """Tell whether a factor rotates: complex, or a stored table of waves."""
    if tensor.is_complex() or trail.has("param", "act", "log"):
        return tensor.is_complex()
    return bool((tensor < 0).any() and (tensor.abs() <= 1).all())


def is_bias(tensor):
    """Tell whether what is added to scores is more than a mask: zeros are,
    where they come from weights that have not been trained.
    """
    weights = trail_of(tensor).has("param", "emb", "act")
    masks = not tensor.is_floating_point() or bool((tensor < LEAST).any())
    return not is_mask(tensor) or (weights and not masks)


def rank(trail):
    """Order trails by how much they say: scores, computed, rotations."""
    return trail.has("scores"), trail.has("act"), trail.has("trig")


def first_of(trails):
    """Return the trail that says most, the first of several."""
    return max(trails, key=rank) if trails else NOTHING


def union(trails):
    return frozenset().union(*(trail.marks for trail in trails))


def operands(args, kwargs):
    """Return the two operands of an elementwise operation."""
    named = [kwargs[name] for name in ("other", "value") if name in kwargs]
    return [*args[:2], *named, 1.0][:2]


# Handlers: (name, args, kwargs, tensors, trails, out) -> Trail.


def projected(name, args, kwargs, tensors, trails, out):
    return Trail(marks=frozenset({"act"}))


def embedded(name, args, kwargs, tensors, trails, out):
    return Trail(marks=frozenset({"emb"}))


def normed(name, args, kwargs, tensors, trails, out):
    return with_norm(first_of(trails), name)


def with_norm(trail, kind):
    """A norm undoes what was multiplied before it."""
    kept = trail.marks - {"learned", "position", "gate"}
    kept = {m for m in kept if not m.startswith("norm:")}
    return replace(
        trail, gain=1.0, turn=1.0, marks=frozenset(kept | {f"norm:{kind}"})
    )


def weighted(name, args, kwargs, tensors, trails, out):
    return Trail(marks=frozenset({"act", "weights"}))


def wave(name, args, kwargs, tensors, trails, out):
    return Trail(marks=frozenset({"trig"}))


def growing(name, args, kwargs, tensors, trails, out):
    first = first_of(trails)
    if first.has("act", "scores"):
        return first
    return Trail(marks=(union(trails) & CARRIED) | {"log"})


def length(name, args, kwargs, tensors, trails, out):
    """The length of a vector that is computed; else a root of a number."""
    marks = union(trails) & CARRIED
    return Trail(marks=marks | {"length"} if "act" in marks else marks)


def capped(name, args, kwargs, tensors, trails, out):
    first = first_of(trails)
    if not first.has("scores"):
        return Trail(marks=union(trails) & CARRIED)
    last = first.last or 1.0
    return replace(
        first.plus("cap"), gain=first.gain / last, last=1.0, cap=1 / last
    )


def largest(name, args, kwargs, tensors, trails, out):
    first = first_of(trails)
    return replace(first, marks=(first.marks - {"scores"}) | {"largest"})


def joined(name, args, kwargs, tensors, trails, out):
    """Tensors side by side: what all have holds, a logit beside is a sink."""
    first = first_of(trails)
    if first.has("scores"):
        told = [t for t in trails if t.has("scores")]
        marks = union(told) & {"bias", "cap", "sink"}
        return first.plus(
            *marks, *(["sink"] if len(told) < len(trails) else [])
        )
    active = [t for t in trails if t.has("act")]
    if not active:
        return first.plus(*(union(trails) & CARRIED))
    every = active[0].marks.intersection(*(t.marks for t in active))
    partial = {
        m for m in union(active) - every if m.startswith("norm:")
    }  # a norm of a part only
    uneven = len({round(t.gain * t.turn, 9) for t in active}) > 1
    marks = union(active) - partial
    return replace(
        first, marks=frozenset(marks | ({"uneven"} if uneven else set()))
    )


def summed(name, args, kwargs, tensors, trails, out):
    """The sum of an elementwise product of queries and keys is a product."""
    first = first_of(trails)
    if not first.has("pair"):
        return first
    dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
    if not isinstance(dim, int):
        return first
    return replace(
        first,
        gain=1.0,
        turn=1.0,
        marks=frozenset({"act", "scores"}),
        size=tensors[0].shape[dim],
    )


def added(name, args, kwargs, tensors, trails, out):
    a, b = operands(args, kwargs)
    if not isinstance(a, torch.Tensor):
        a, b = b, a
    if not isinstance(b, torch.Tensor):
        return trail_of(a)
    left, right = trail_of(a), trail_of(b)
    if rank(right) > rank(left):
        b, left, right = a, right, left
    if left.has("scores"):
        if right.has("largest"):
            return left
        return left.plus("bias") if is_bias(b) else left
    if left.has("act"):
        return left.plus(*(right.marks & {"rotated", "learned"}))
    return left.plus(*(right.marks & CARRIED))


def multiplied(name, args, kwargs, tensors, trails, out):
    """Multiplication or division: of trails by numbers, or of two trails."""
    a, b = operands(args, kwargs)
    sign = -1 if "div" in name else 1
    if not isinstance(a, torch.Tensor):
        a, b = b, a
        if sign < 0:  # a number over a tensor
            return Trail(marks=union(trails) & CARRIED)
    if not isinstance(b, torch.Tensor):
        number = b.real if isinstance(b, complex) else float(b)
        return trail_of(a).times(number**sign if number else 0.0)
    left, right = trail_of(a), trail_of(b)
    larger = rank(right), b.numel()
    if larger > (rank(left), a.numel()):
        a, b, left, right = b, a, right, left
    if not left.has("act", "scores", "trig"):
        return Trail(marks=(left.marks | right.marks) & CARRIED)
    return by_tensor(left, right, b, sign)


def by_tensor(left, right, values, sign):
    """A trail after a factor that is a tensor."""
    if right.has("length") and left.has("act"):
        return with_norm(left, "length")
    if right.has("trig") or is_wave(values, right):
        turn = left.turn * right.gain**sign
        return replace(left.plus("rotated"), turn=turn)
    if right.has("act"):
        if left.has("scores"):
            return left.plus("gate")
        return replace(
            left.plus("gate", "pair"), query=left, key=right, last=1.0
        )
    marks = ["learned"] if right.has("param") else []
    if right.has("log"):
        marks.append("position")
    numbers = values.detach().double().flatten()
    mask = not len(numbers) or bool(((numbers == 0) | (numbers == 1)).all())
    if mask and not marks:
        return left
    value = float(numbers.median()) if len(numbers) else 1.0
    if float(numbers.max() - numbers.min()) > 1e-6 * abs(value):
        marks.append("uneven" if "learned" in marks else "position")
    return left.plus(*marks).times(value**sign if value else 0.0)


def summed_over(name, args, a):
    """The size of what a product sums over."""
    if name != "einsum" or not isinstance(args[0], str):
        return a.shape[-1]
    terms, _, kept = args[0].replace(" ", "").partition("->")
    left, right = terms.split(",")[:2]
    gone = set(left) & set(right) - set(kept) - {"."}
    from_end = left[::-1]
    return math.prod(a.shape[-1 - from_end.index(c)] for c in gone)


def product(name, args, kwargs, tensors, trails, out):
    """Scores, where two tensors that are computed from the input meet."""
    if len(tensors) < 2:
        return NOTHING
    (a, _), (left, right) = tensors[-2:], trails[-2:]
    fixed = [t for t in (left, right) if not t.has("act")]
    if fixed:
        marks = (left.marks | right.marks) & CARRIED
        return Trail(marks=marks - {"param", "log", "length"})
    if left.has("weights") or right.has("weights"):
        return Trail(marks=frozenset({"act"}))
    marks = {"act", "scores"}
    if name == "baddbmm" and kwargs.get("beta", 1) and not is_mask(tensors[0]):
        marks.add("bias")
    alpha = float(kwargs.get("alpha", 1.0)) if name == "baddbmm" else 1.0
    return Trail(
        alpha,
        marks=frozenset(marks),
        query=left,
        key=right,
        size=summed_over(name, args, a),
        raw=(out / alpha).detach() if out.numel() < 2e6 else None,
    )


def passed(name, args, kwargs, tensors, trails, out):
    """All else keeps the trail that says most."""
    first = first_of(trails)
    if first.has("act", "scores"):
        return first
    return first.plus(*(union(trails) & CARRIED))


HANDLERS = {
    **dict.fromkeys(PRODUCTS, product),
    **dict.fromkeys(NORMS, normed),
    **dict.fromkeys(LENGTHS, length),
    **dict.fromkeys(GROWING, growing),
    **dict.fromkeys(JOINS, joined),
    **dict.fromkeys(["mul", "rmul", "imul", "multiply"], multiplied),
    **dict.fromkeys(
        ["div", "truediv", "rtruediv", "true_divide", "itruediv", "divide"],
        multiplied,
    ),
    **dict.fromkeys(
        ["add", "radd", "iadd", "sub", "rsub", "isub", "subtract"], added
    ),
    **dict.fromkeys(["cos", "sin", "polar"], wave),
    **dict.fromkeys(["max", "amax"], largest),
    **dict.fromkeys(
        ["softmax", "scaled_dot_product_attention",
         "multi_head_attention_forward", "gumbel_softmax"],
        weighted,
    ),
    "embedding": embedded,
    "tanh": capped,
    "sum": summed,
}  # fmt: skip
KERNEL = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")


class Follow(TorchFunctionMode):
    """Follows every tensor while it is open; `events` are the softmaxes."""

    def __init__(self):
        super().__init__()
        self.events, self.stack, self.hooks = [], [], []

    def __enter__(self):
        hooks = nn.modules.module
        self.hooks = [
            hooks.register_module_forward_pre_hook(self._before),
            hooks.register_module_forward_hook(self._after),
        ]
        return super().__enter__()

    def __exit__(self, *error):
        for hook in self.hooks:
            hook.remove()
        self.stack.clear()
        return super().__exit__(*error)

    def _before(self, module, args):
        self.stack.append(module)

    def _after(self, module, args, out):
        if self.stack and self.stack[-1] is module:
            self.stack.pop()
        kind = type(module).__name__
        same = (
            args
            and isinstance(args[0], torch.Tensor)
            and isinstance(out, torch.Tensor)
            and args[0].shape == out.shape
        )
        if same and "Norm" in kind and "BatchNorm" not in kind:
            mark(out, with_norm(trail_of(args[0]), kind))

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(function, "__name__", "").strip("_")
        if name == "softmax":
            self._softmax(args, kwargs)
        elif name == "scaled_dot_product_attention":
            self._kernel(dict(zip(KERNEL, args, strict=False)) | kwargs)
        elif name == "multi_head_attention_forward":
            self._heads(args, kwargs)
        out = function(*args, **kwargs)
        if name == "setitem":
            self._assigned(args)
        elif isinstance(out, (torch.Tensor, list, tuple)):
            self._follow(name, args, kwargs, out)
        return out

    def _follow(self, name, args, kwargs, out):
        tensors = [*tensors_in(args), *tensors_in(kwargs)]
        trails = [trail_of(t) for t in tensors]
        handler = HANDLERS.get(
            name, projected if PROJECTIONS.match(name) else passed
        )
        trail = handler(name, args, kwargs, tensors, trails, out)
        for tensor in tensors_in(out):
            mark(tensor, trail)
        whole = out._base if isinstance(out, torch.Tensor) else None
        if whole is not None and args and out is args[0]:
            mark(whole, trail)  # it was changed in place

    def _assigned(self, args):
        into, value = args[0], args[2]
        if isinstance(value, torch.Tensor):
            whole = into if into._base is None else into._base
            mark(whole, first_of([trail_of(value), trail_of(whole)]))

    def _softmax(self, args, kwargs):
        x = args[0] if args else kwargs.get("input")
        trail = trail_of(x)
        if not trail.has("scores") or trail.query is None:
            return
        kind = kwargs.get("dtype") or x.dtype
        self.note(
            "softmax", trail, dtype=str(kind).removeprefix("torch."),
            ratio=self._ratio(x, trail),
        )  # fmt: skip

    @staticmethod
    def _ratio(x, trail):
        """Softmax's input over the undivided product, where only factors
        stand between.
        """
        raw = trail.raw
        if (
            raw is None
            or raw.numel() != x.numel()
            or trail.has("bias", "cap", "sink", "largest")
        ):
            return None
        x, raw = x.detach().flatten().double(), raw.flatten().double()
        good = (x.abs() < -LEAST) & (raw.abs() > 1e-6)
        ratio = float((x / raw)[good].median()) if good.any() else 0.0
        return float(f"{ratio:.5g}") or None

    def _kernel(self, known):
        query, key = trail_of(known["query"]), trail_of(known["key"])
        mask, scale = known.get("attn_mask"), known.get("scale")
        size = known["query"].shape[-1]
        self.note(
            "sdpa",
            Trail(
                size**-0.5 if scale is None else float(scale),
                marks=frozenset({"bias"} if self._biased(mask) else ()),
                query=query,
                key=key,
                size=size,
            ),
        )

    def _heads(self, args, kwargs):
        width = args[3] if len(args) > 3 else kwargs["embed_dim_to_check"]
        heads = args[4] if len(args) > 4 else kwargs["num_heads"]
        mask = kwargs.get("attn_mask")
        self.note(
            "MultiheadAttention",
            Trail(
                (width // heads) ** -0.5,
                marks=frozenset({"bias"} if self._biased(mask) else ()),
                query=NOTHING,
                key=NOTHING,
                size=width // heads,
            ),
        )

    @staticmethod
    def _biased(mask):
        return mask is not None and is_bias(mask)

    def note(self, via, trail, dtype="", ratio=None):
        """Note a softmax, with the class of the library whose it is."""
        owners = [
            type(m)
            for m in self.stack
            if type(m).__module__.startswith("transformers.models")
        ]
        query, key = trail.query, trail.key
        both = query.marks | key.marks | trail.marks
        norms = [
            {m[5:] for m in t.marks if m.startswith("norm:")}
            for t in (query, key)
        ]
        self.events.append(
            {
                "owners": [name_of(c) for c in owners],
                "via": via,
                "q": query.gain,
                "k": key.gain,
                "scores": trail.gain,
                "turn": query.turn * key.turn,
                "d": trail.size,
                "ratio": ratio,
                "learned": int("learned" in both),
                "position": int("position" in both),
                "uneven": int("uneven" in both),
                "gate": int(trail.has("gate")),
                "query_norm": "/".join(sorted(norms[0])),
                "key_norm": "/".join(sorted(norms[1])),
                "cap": int(trail.has("cap")),
                "sink": int(trail.has("sink")),
                "bias": int(trail.has("bias")),
                "rotated": int("rotated" in both),
                "dtype": dtype,
            }
        )
