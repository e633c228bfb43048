"""What happens to q and k before each softmax: a class is run on symbols
instead of tensors.

The tracer executes `__init__` and `forward` of a class statement by statement,
with names for numbers and with the list of what was done to them for tensors.
A condition whose value follows from the default configuration takes its
branch; the other branch is run too, and what only it does is noted as not by
default. A condition that does not follow takes both.
"""

import ast
import operator
import re
from dataclasses import dataclass, field, replace

from experiments.census.symbols import (
    NONE,
    THING,
    UNKNOWN,
    Op,
    Value,
    atom,
    literal,
    opaque,
    over,
    power,
    times,
)
from experiments.census.wheel import Module, Wheel

DEEPEST = 7
ROTARY = re.compile(r"rotary|rotate|rope|_rot_|complex", re.IGNORECASE)
NORM = re.compile(r"norm|L2Clip|L2clip", re.IGNORECASE)
PROJECTION = re.compile(r"Gated|Conv|Linear|Proj")
SAME = re.compile(
    r"Dropout|Identity|Quant|DropPath|LayerDrop|Wrapper|Permute|Rearrange",
    re.IGNORECASE,
)
FLASH = re.compile(
    r"^_?(flash_attention_forward|flash_attn_func|flash_attn_varlen_func|"
    r"memory_efficient_attention)$"
)
NATTEN = re.compile(r"^(natten\w*qk|na\dd_qk)")
CLASS = re.compile(r"^[A-Z]|^norm_layer$")


def words(text: str) -> list[str]:
    return text.split()


CACHE = words("update cat_cache update_and_fetch update_and_return_kv fetch"
              " _update")  # fmt: skip
SOFTMAX = words(
    "softmax stable_softmax log_softmax softmax_one clipped_softmax"
    " _gumbel_softmax gumbel_softmax hard_softmax masked_softmax"
    " softmax_off_by_one softmax1 softmax_func"
)
MATMUL = words(
    "matmul bmm baddbmm einsum mm multiply_transposed sparse_matmul"
)
SDPA = ["scaled_dot_product_attention"]
FILLED = words("tensor as_tensor full array")
EMPTY = words("ones zeros empty full randn rand new_empty new_zeros new_ones")
NO_TENSOR = words("dim tolist item numel any all argmax dtype")
JOINED = words("cat concat concatenate stack hstack")
HANDED_ON = words("zip enumerate reversed tuple list map cast deepcopy")
SINKS = words("s_aux sinks sink")
INSIDE = {  # what a kernel is told to do to the scores
    "sink": SINKS,
    "bias": words("position_bias attn_bias bias"),
}
NORMS = {
    "normalize": "L2",
    "l2norm": "L2",
    "l2_norm": "L2",
    "rms_norm": "RMSNorm",
    "layer_norm": "LayerNorm",
}
TAGS = {
    "mask": "mask",
    "bias": "bias",
    "alibi": "bias",
    "rel_pos": "bias",
    "cos": "rope",
    "sin": "rope",
    "freqs": "rope",
    "sink": "sink",
    "s_aux": "sink",
    "position": "position",
}
TRACED = ("scores", "tensor", "weights")
COMPUTED = ("scores", "tensor")
MADE = ("module", "function")
FACTORS = ("times", "learned", "position")
ACTIVE = Value("tensor", active=True)
WEIGHTS = Value("weights", active=True)
POSITIONS = Value("tensor", tags=frozenset({"position"}))
SIZE = Value("number", powers=(("size", 1.0),))
HEADS = Value(
    "module", name="MultiheadAttention", data=(None, "MultiheadAttention")
)
OPERATORS = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
}
COMPARISONS = {
    ast.Eq: operator.eq,
    ast.Is: operator.eq,
    ast.NotEq: operator.ne,
    ast.IsNot: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass
class Event:
    """A softmax of a product of two traced tensors."""

    line: int
    via: str
    query: tuple
    key: tuple
    scores: tuple
    by_default: bool

    @property
    def places(self) -> tuple:
        return self.query, self.key, self.scores


@dataclass
class Frame:
    """Where a statement is executed: the names it sees, and the module it
    stands in.
    """

    names: dict
    module: Module
    depth: int
    owner: str = ""
    on: bool = True
    returned: list = field(default_factory=list)


@dataclass
class Call:
    """A call of a name, its arguments traced."""

    name: str
    node: ast.Call
    args: list
    kwargs: dict
    frame: Frame

    @property
    def first(self) -> Value:
        return self.args[0] if self.args else THING

    @property
    def values(self) -> list:
        return [*self.args, *self.kwargs.values()]

    @property
    def line(self) -> int:
        return self.node.lineno

    @property
    def on(self) -> bool:
        return self.frame.on

    def given(self, *names: str) -> Value | None:
        """The first of some arguments that was given by name."""
        return next((self.kwargs[n] for n in names if n in self.kwargs), None)

    def done(self, value: Value, what: str, detail="") -> Value:
        return done(value, what, detail, self.line, self.on)


def _flat(values: list) -> list:
    """Values, those of sequences one by one."""
    several = (v.data if v.kind == "sequence" else [v] for v in values)
    return [value for part in several for value in part]


def _computed(value: Value) -> bool:
    return value.kind in COMPUTED and value.active


def _class_of(module: Value) -> str:
    cls = module.data[1] if module.data else module.name
    return cls.name if isinstance(cls, ast.ClassDef) else str(cls)


def _alternative(module: Value) -> str:
    """The class of a module that stands here where it is not the default."""
    if not module.ops or module.ops[0].what != "alternative":
        return ""
    other = module.ops[0].detail
    return _class_of(other) if other.data else ""


def defaults_of(function) -> dict[str, ast.expr]:
    """The defaults of a function's arguments by name."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args][::-1]
    pairs = [
        *zip(plain, arguments.defaults[::-1], strict=False),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return {a.arg: default for a, default in pairs if default is not None}


def forward_argument(argument: ast.arg, default: ast.expr | None) -> Value:
    """A symbol for an argument of `forward`: a tensor, or its default."""
    written = ast.unparse(argument.annotation) if argument.annotation else ""
    if written.split(" ")[0] in ("bool", "int", "float", "str") and default:
        constant = isinstance(default, ast.Constant)
        return literal(default.value) if constant else THING
    return replace(ACTIVE, tags=tags_of(argument.arg), name=argument.arg)


def _or(first: Value, module: Value) -> Value:
    return replace(first, ops=(Op("alternative", module),))


def join(
    first: Value | None, other: Value | None, preferred: bool | None
) -> Value:
    """What a name means after a branch: `preferred` says that the first is the
    default; None, that nobody knows.
    """
    if first is None:
        return other if preferred is None else _off(other)
    if other is None or first is other:
        return first
    kinds = first.kind, other.kind
    if first.const is None and other.kind != "thing":
        if preferred is None:
            return other
        return _or(first, other) if other.kind == "module" else first
    if set(kinds) <= set(TRACED):
        return _join_traced(first, other, preferred)
    if set(kinds) <= {"function", "attention"}:
        return first if first.kind == "function" else other
    if kinds == ("module", "module") and first != other:
        return _or(first, other)
    if kinds[0] == "thing" != kinds[1] and preferred is None:
        return other
    if kinds == ("sequence", "sequence") and len(first.data) == len(
        other.data
    ):
        pairs = zip(first.data, other.data, strict=True)
        data = tuple(join(a, b, preferred) for a, b in pairs)
        return replace(first, data=data)
    if kinds == ("number", "number") and first.const is not other.const:
        return replace(first, const=first.const if preferred else UNKNOWN)
    return first


def _join_traced(first: Value, other: Value, preferred: bool | None) -> Value:
    """What was done to a tensor on either way."""
    extra = other if preferred is None else _off(other)
    scores = preferred is None and other.kind == "scores"
    return replace(
        first,
        kind="scores" if scores else first.kind,
        ops=_union(first.ops, extra.ops),
        query_ops=_union(first.query_ops, extra.query_ops),
        key_ops=_union(first.key_ops, extra.key_ops),
        active=first.active or other.active,
        tags=first.tags | (other.tags if preferred is None else frozenset()),
        const=UNKNOWN,
    )


def _changed(value: Value, change) -> Value:
    """The same value, with another list of what was done to it."""
    ops, query, key = map(change, (value.ops, value.query_ops, value.key_ops))
    return replace(value, ops=ops, query_ops=query, key_ops=key)


def _off(value: Value) -> Value:
    """The same value, in which nothing happens by default."""
    return _changed(
        value, lambda ops: tuple(replace(op, by_default=False) for op in ops)
    )


def _without(value: Value, what: str) -> Value:
    """The same value, to which that was not done."""
    return _changed(
        value, lambda ops: tuple(op for op in ops if op.what != what)
    )


def _union(first: tuple, other: tuple) -> tuple:
    """What happened on either way; where both multiply, by different factors,
    the first way's count.
    """
    seen, there = (
        {(op.what, str(op.detail), op.line) for op in ops}
        for ops in (first, other)
    )
    extra = tuple(
        op for op in other if (op.what, str(op.detail), op.line) not in seen
    )
    if any(
        op.what in FACTORS
        and op.by_default
        and (op.what, str(op.detail), op.line) not in there
        for op in first
    ):
        extra = tuple(
            replace(op, by_default=False) if op.what in FACTORS else op
            for op in extra
        )
    return first + extra


def done(
    value: Value, what: str, detail="", line: int = 0, on: bool = True
) -> Value:
    """The value after one more thing was done to it."""
    if (what, line, str(detail)) in {
        (op.what, op.line, str(op.detail)) for op in value.ops
    }:
        return value
    ops = (*value.ops, Op(what, detail, line, on))
    return replace(value, ops=ops, const=UNKNOWN)


def tags_of(name: str) -> frozenset:
    """What a name says of the value that it is given."""
    return frozenset(tag for word, tag in TAGS.items() if word in name.lower())


def rotated(values: list, line: int, on: bool) -> Value:
    """A rotation keeps lengths: each tensor comes back as it went in."""
    turned = tuple(
        done(value, "rope", "", line, on)
        for value in values
        if value.kind == "tensor" and not value.tags & {"rope", "position"}
    )
    if len(turned) > 1:
        return Value("sequence", data=turned)
    return turned[0] if turned else THING


class Tracer:
    """Runs one class of a module on symbols; afterwards `events` has its
    softmaxes of products.
    """

    def __init__(self, wheel: Wheel, module: Module, name: str):
        self.wheel, self.module, self.cls = wheel, module, name
        self.config: dict = {}
        self.events: list[Event] = []
        self.attributes: dict[str, Value] = {}
        self.steps = 0

    # classes

    def find(
        self, module: Module, name: str, kind: str
    ) -> tuple[Module, ast.AST] | None:
        """A class or function by name, in the module or where the module
        imports it from.
        """
        for _ in range(4):
            if name in getattr(module, kind):
                return module, getattr(module, kind)[name]
            if name not in module.imports:
                return None
            origin, name = module.imports[name]
            module = self.wheel.module(origin) or self.wheel.module(
                origin.replace(".py", "/__init__.py")
            )
            if module is None:
                return None
        return None

    def lineage(
        self, name: str | None = None, module: Module | None = None
    ) -> list[tuple[Module, ast.ClassDef]]:
        """The class and what it inherits from, as far as the wheel has it."""
        found = self.find(module or self.module, name or self.cls, "classes")
        if found is None:
            return []
        chain = [found]
        for base in found[1].bases:
            text = ast.unparse(base).split("[")[0]
            if "." not in text and text != found[1].name:
                chain += self.lineage(text, found[0])
        return chain

    def method(
        self, name: str, after: str | None = None
    ) -> tuple[Module, ast.FunctionDef, str] | None:
        """A method of the class; with `after`, the one that super() finds."""
        ready = after is None
        for module, node in self.lineage():
            for statement in node.body if ready else ():
                function = isinstance(statement, ast.FunctionDef)
                if function and statement.name == name:
                    return module, statement, node.name
            ready = ready or node.name == after
        return None

    def run(self, entry: str) -> None:
        """Execute `__init__`, then the entry."""
        for module, node in reversed(self.lineage()):
            frame = Frame({}, module, DEEPEST - 1)
            for statement in node.body:
                match statement:
                    case (
                        ast.Assign(
                            targets=[ast.Name(id=name), *_], value=given
                        )
                        | ast.AnnAssign(target=ast.Name(id=name), value=given)
                    ) if given is not None:
                        self.attributes[name] = self.value(given, frame)
        init = self.method("__init__")
        if init:
            given = self.constructed(init[1])
            self.call_method(init, self.parameters(init[1], given, True), 0)
        forward = self.method(entry)
        self.call_method(forward, self.parameters(forward[1], {}, False), 0)

    def constructed(self, init: ast.FunctionDef) -> dict:
        """What the first call of the class in its file passes: constants, and
        fields of the configuration.
        """
        names = [argument.arg for argument in init.args.args[1:]]
        config = Value("config", name="config", data=self.config)
        frame = Frame(
            {"config": config, "self": THING}, self.module, DEEPEST - 1
        )
        result = {}
        for node in self.module.calls.get(self.cls, [])[:1]:
            given = dict(zip(names, node.args, strict=False))
            given |= {k.arg: k.value for k in node.keywords if k.arg}
            for name, expression in given.items():
                text = ast.unparse(expression).replace("self.config", "config")
                constant = isinstance(expression, ast.Constant)
                if constant or re.match(r"config\.\w+$", text):
                    known = ast.parse(text, mode="eval").body
                    result[name] = self.value(known, frame)
        return {
            name: value
            for name, value in result.items()
            if value.kind == "number" or value.const is not UNKNOWN
        }

    def parameters(
        self, function: ast.FunctionDef, given: dict, init: bool
    ) -> dict:
        """Symbols for the arguments of `__init__` or `forward`."""
        names = {}
        arguments, defaults = function.args, defaults_of(function)
        plain = [*arguments.posonlyargs, *arguments.args]
        for argument in [*plain[1:], *arguments.kwonlyargs]:
            name = argument.arg
            default = defaults.get(name)
            if name in given:
                names[name] = given[name]
            elif not init:
                names[name] = forward_argument(argument, default)
            elif re.search(r"config|args$|^params$", name):
                names[name] = Value("config", name=name, data=self.config)
            elif isinstance(default, ast.Constant):
                names[name] = atom(name, default.value)
            else:
                names[name] = atom(name)
        if arguments.vararg:
            name = arguments.vararg.arg
            names[name] = replace(ACTIVE, name=name)
        if arguments.kwarg:
            names[arguments.kwarg.arg] = Value("mapping", data={})
        return names

    def call_method(
        self, found: tuple, names: dict, depth: int, on: bool = True
    ) -> Value:
        module, function, owner = found
        return self.body(function, names, module, depth + 1, owner, on)

    def body(
        self, function, names: dict, module: Module, depth: int, owner, on
    ) -> Value:
        """What a function returns; all returns are joined, as each may be
        reached.
        """
        if depth > DEEPEST or self.steps > 60_000:
            return THING
        frame = Frame(names, module, depth, owner, on)
        if isinstance(function, ast.Lambda):
            return self.value(function.body, frame)
        self.block(function.body, frame)
        result = None
        for value, by_default in frame.returned:
            if by_default:
                result = value if result is None else join(result, value, None)
        for value, by_default in frame.returned:
            if not by_default:
                result = join(result, value, True)
        return NONE if result is None else result

    # statements

    def block(self, statements: list, frame: Frame) -> bool:
        """Execute statements; True where the block surely ends in return or
        raise.
        """
        for statement in statements:
            self.steps += 1
            if self.statement(statement, frame):
                return True
        return False

    def statement(self, node: ast.stmt, frame: Frame) -> bool:
        match node:
            case ast.Return():
                value = self.value(node.value, frame) if node.value else NONE
                frame.returned.append((value, True))
                return True
            case ast.Raise():
                return True
            case ast.Assign():
                value = self.value(node.value, frame)
                for target in node.targets:
                    self.assign(target, value, frame)
            case ast.AnnAssign() if node.value is not None:
                self.assign(node.target, self.value(node.value, frame), frame)
            case ast.AugAssign():
                left = self.value(node.target, frame)
                right = self.value(node.value, frame)
                value = self.binary(node.op, left, right, node, frame)
                self.assign(node.target, value, frame)
            case ast.Expr():
                self.expression_statement(node.value, frame)
            case ast.If():
                return self.branch(node, frame)
            case ast.For():
                iterated = self.value(node.iter, frame)
                self.assign(node.target, self.element(iterated), frame)
                self.block(node.body, frame)
            case ast.While():
                self.block(node.body, frame)
            case ast.With():
                for item in node.items:
                    self.value(item.context_expr, frame)
                return self.block(node.body, frame)
            case ast.Try():
                return self.block(node.body, frame)
            case ast.FunctionDef():
                data = (frame.module, node, dict(frame.names))
                made = Value("function", name=node.name, data=data)
                frame.names[node.name] = made
        return False

    def expression_statement(self, node: ast.expr, frame: Frame) -> None:
        """A call for its effect: what is copied or appended is joined to what
        was there.
        """
        value = self.value(node, frame)
        match node:
            case ast.Call(
                func=ast.Attribute(attr="copy_" | "append", value=receiver),
                args=[first, *_],
            ):
                while isinstance(receiver, ast.Subscript):
                    receiver = receiver.value
                old, new = (self.value(x, frame) for x in (receiver, first))
                if new.kind in COMPUTED:
                    both = old.kind in COMPUTED
                    new = join(new, old, None) if both else new
                    self.assign(receiver, new, frame)
            case ast.Call(func=ast.Attribute(attr=method, value=receiver)) if (
                method.endswith("_") and method != "_"
            ):
                if value.kind in COMPUTED:
                    self.assign(receiver, value, frame)
            case ast.Call(
                func=ast.Attribute(attr="register_buffer"),
                args=[ast.Constant(value=name), given, *_],
            ):
                self.attributes[name] = self.value(given, frame)

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        match target:
            case ast.Name(id=name):
                learned = "parameter" in value.tags
                value = replace(value, name=name) if learned else value
                frame.names[name] = value
            case ast.Attribute(value=receiver, attr=name):
                if self.value(receiver, frame).kind == "self":
                    if value.kind in ("tensor", "module") or not value.name:
                        value = replace(value, name=name)
                    self.attributes[name] = value
            case ast.Tuple() | ast.List():
                self.unpack(target, value, frame)
            case ast.Subscript(value=receiver):
                old = self.value(receiver, frame)
                if old.kind in COMPUTED and value.kind in COMPUTED:
                    self.assign(receiver, join(value, old, None), frame)

    def unpack(self, target, value: Value, frame: Frame) -> None:
        """Assign the parts of a value to several names."""
        elements = [
            e.value if isinstance(e, ast.Starred) else e for e in target.elts
        ]
        if value.kind == "sequence" and len(value.data) > 1:
            parts = [*value.data, *[THING] * len(elements)]
            elements = target.elts
        elif value.name == "shape" and value.data is not None:
            parts = [SIZE] * (len(elements) - 1) + [atom("last_dim")]
            pairs = zip(target.elts, parts, strict=True)
            pairs = [p for p in pairs if isinstance(p[0], ast.Name)]
            elements, parts = zip(*pairs, strict=True) if pairs else ([], [])
        else:
            parts = [self.element(value)] * len(elements)
        for element, part in zip(elements, parts, strict=False):
            self.assign(element, part, frame)

    def element(self, value: Value) -> Value:
        if value.kind == "sequence":
            tensors = [part for part in value.data if part.kind in COMPUTED]
            return [*tensors, *value.data, THING][0]
        traced = value.kind in TRACED
        return replace(value, const=UNKNOWN) if traced else THING

    def branch(self, node: ast.If, frame: Frame) -> bool:
        """Both branches, joined; the one that the defaults do not take is
        marked.
        """
        test = self.truth(node.test, frame)
        before = self.attributes
        outcomes = []
        for statements, taken in (
            (node.body, test is not False),
            (node.orelse, test is not True),
        ):
            self.attributes = dict(before)
            names, on = dict(frame.names), frame.on and taken
            inner = replace(frame, names=names, on=on, returned=[])
            ended = self.block(statements, inner)
            outcomes.append((inner, self.attributes, ended))
        if test is False:
            outcomes.reverse()
        (first, own, ended), (second, others, other_ended) = outcomes
        preferred = None if test is None else True
        frame.returned += first.returned
        frame.returned += [
            (v, on and not preferred) for v, on in second.returned
        ]
        if ended and (test is not None or other_ended):
            return True
        if ended or other_ended:
            frame.names = second.names if ended else first.names
            self.attributes = others if ended else own
            return False
        frame.names = self.joined(
            first.names, second.names, frame.names, preferred
        )
        self.attributes = self.joined(own, others, before, preferred)
        return False

    @staticmethod
    def joined(
        first: dict, second: dict, before: dict, preferred: bool | None
    ) -> dict:
        """Names after a branch. What only one of them changed has changed, as
        far as nobody knows better.
        """
        result = {}
        for name in {**first, **second}:
            one, two = first.get(name), second.get(name)
            same = one is not None and one is before.get(name)
            if preferred is None and same and two is not None:
                one, two = two, one
            result[name] = join(one, two, preferred)
        return result

    def truth(self, node: ast.expr, frame: Frame) -> bool | None:
        """Whether a condition holds by default; None where nobody knows."""
        value = self.value(node, frame)
        if value.kind in MADE:
            return True
        return None if value.const is UNKNOWN else bool(value.const)

    # an expression of each kind

    def value(self, node: ast.expr, frame: Frame) -> Value:
        self.steps += 1
        handler = self.OF_NODES.get(type(node))
        return handler(self, node, frame) if handler else THING

    def operation(self, node: ast.BinOp, frame: Frame) -> Value:
        left = self.value(node.left, frame)
        right = self.value(node.right, frame)
        return self.binary(node.op, left, right, node, frame)

    def signed(self, node: ast.UnaryOp, frame: Frame) -> Value:
        if isinstance(node.op, ast.USub):
            inner = self.value(node.operand, frame)
            number = inner.kind == "number"
            return times(literal(-1.0), inner) if number else inner
        if isinstance(node.op, ast.Not):
            truth = self.truth(node.operand, frame)
            return THING if truth is None else literal(not truth)
        return THING

    def choice(self, node: ast.IfExp, frame: Frame) -> Value:
        test = self.truth(node.test, frame)
        body = self.value(node.body, frame)
        other = self.value(node.orelse, frame)
        if test is False:
            body, other = other, body
        return join(body, other, None if test is None else True)

    def sequence(self, node: ast.Tuple | ast.List, frame: Frame) -> Value:
        parts = []
        for element in node.elts:
            inner = self.value(element, frame)
            starred = isinstance(element, ast.Starred)
            several = starred and inner.kind == "sequence"
            parts += inner.data if several else [inner]
        return Value("sequence", data=tuple(parts))

    def mapping(self, node: ast.Dict, frame: Frame) -> Value:
        keys = (getattr(key, "value", None) for key in node.keys)
        values = [self.value(value, frame) for value in node.values]
        return Value("mapping", data=dict(zip(keys, values, strict=True)))

    def function(self, node: ast.Lambda, frame: Frame) -> Value:
        return Value("function", data=(frame.module, node, dict(frame.names)))

    def comprehension(
        self, node: ast.ListComp | ast.GeneratorExp, frame: Frame
    ) -> Value:
        inner = replace(frame, names=dict(frame.names))
        for part in node.generators:
            iterated = self.value(part.iter, inner)
            self.assign(part.target, self.element(iterated), inner)
        return Value("sequence", data=(self.value(node.elt, inner),))

    def walrus(self, node: ast.NamedExpr, frame: Frame) -> Value:
        value = self.value(node.value, frame)
        self.assign(node.target, value, frame)
        return value

    def name(self, name: str, frame: Frame) -> Value:
        if name in frame.names:
            return frame.names[name]
        if name in ("self", "module"):
            return Value("self")
        if name == "ALL_ATTENTION_FUNCTIONS":
            return Value("attention")
        found = self.find(frame.module, name, "functions")
        if found:
            return Value("function", name=name, data=(*found, None))
        found = self.find(frame.module, name, "classes")
        if found:
            return Value("class", name=name, data=found)
        constant = self.find(frame.module, name, "constants")
        if constant and isinstance(constant[1], (ast.Constant, ast.Dict)):
            return self.value(constant[1], Frame({}, constant[0], frame.depth))
        return Value("thing", name=name)

    def attribute(self, node: ast.Attribute, frame: Frame) -> Value:
        receiver, name = self.value(node.value, frame), node.attr
        if receiver.kind == "self":
            return self.own(name, frame)
        if receiver.kind == "config":
            return self.configured(receiver, name)
        if receiver.kind in TRACED:
            if name in ("T", "mT", "H", "data"):
                return receiver
            shape = receiver if name == "shape" else None
            return Value("thing", name=name, data=shape)
        if receiver.kind == "module" and name == "weight":
            tags = frozenset({"parameter"})
            return Value("tensor", name=receiver.name + ".weight", tags=tags)
        text = ast.unparse(node)
        if text in ("torch.pi", "math.pi"):
            return literal(3.141592653589793)
        return Value("thing", name=text)

    def own(self, name: str, frame: Frame) -> Value:
        if name in self.attributes:
            return self.attributes[name]
        found = self.method(name)
        if found:
            decorators = map(ast.unparse, found[1].decorator_list)
            if any("property" in d for d in decorators):
                return self.call_method(found, {}, frame.depth, frame.on)
            return Value("method", name=name, data=found)
        training = name == "training"
        return literal(False) if training else Value("thing", name=name)

    def configured(self, config: Value, name: str) -> Value:
        """A field of the configuration, with the default of its class."""
        known = config.data or {}
        name = known.get("attribute_map", {}).get(name, name)
        default = known.get(name, UNKNOWN)
        if isinstance(default, dict):
            return Value("config", name=name, data=default)
        if name not in known and name.endswith("_config"):
            return Value("config", name=name, data={})
        return atom("config." + name, default)

    def boolean(self, node: ast.BoolOp, frame: Frame) -> Value:
        values = [self.value(v, frame) for v in node.values]
        stop = isinstance(node.op, ast.Or)
        for i, value in enumerate(values):
            known = value.const is not UNKNOWN
            if not known and value.kind not in MADE:
                return self._undecided(values[i:], stop)
            if bool(value.const if known else True) == stop:
                return value
        return values[-1]

    @staticmethod
    def _undecided(values: list, stop: bool) -> Value:
        if not stop and any(v.const in (False, None) for v in values):
            return literal(False)
        if stop and any(v.const is True for v in values):
            return literal(True)
        usable = values[0].kind in ("number", "tensor", "config")
        return values[0] if stop and usable else THING

    def comparison(self, node: ast.Compare, frame: Frame) -> Value:
        if len(node.ops) != 1:
            return THING
        [op] = node.ops
        left = self.value(node.left, frame)
        right = self.value(node.comparators[0], frame)
        identity = isinstance(op, (ast.Is, ast.IsNot))
        if identity and right.const is None:
            made = left.kind in (*MADE, "weights", "scores")
            if left.const is UNKNOWN and not made:
                made = left.kind == "tensor" and left.ops
                if not made:
                    return THING
            absent = left.const is None
            return literal(absent == isinstance(op, ast.Is))
        known = left.const is not UNKNOWN and right.const is not UNKNOWN
        if not known or type(op) not in COMPARISONS:
            return THING
        try:
            return literal(COMPARISONS[type(op)](left.const, right.const))
        except TypeError:
            return THING

    def subscript(self, node: ast.Subscript, frame: Frame) -> Value:
        value = self.value(node.value, frame)
        index = self.value(node.slice, frame)
        at, data = index.const, value.data
        if value.name == "shape" and data is not None:
            return self.size(data, index)
        if value.kind == "sequence":
            inside = isinstance(at, int) and -len(data) <= at < len(data)
            return data[at] if inside else self.element(value)
        if value.kind == "mapping":
            made = [
                v for v in data.values() if v.kind in ("function", "class")
            ]
            return data[at] if at in data else [*made, THING][0]
        if value.kind in (*TRACED, "attention"):
            return value
        if value.kind == "config":
            return replace(value, data=self.config)
        if value.kind == "number":
            text = f"{value.name}[{ast.unparse(node.slice)}]"
            return value if value.tags else atom(text)
        return THING

    OF_NODES = {
        ast.Constant: lambda self, node, frame: literal(node.value),
        ast.Name: lambda self, node, frame: self.name(node.id, frame),
        ast.Attribute: attribute,
        ast.Call: lambda self, node, frame: self.call(node, frame),
        ast.BinOp: operation,
        ast.UnaryOp: signed,
        ast.BoolOp: boolean,
        ast.Compare: comparison,
        ast.IfExp: choice,
        ast.Tuple: sequence,
        ast.List: sequence,
        ast.Dict: mapping,
        ast.Subscript: subscript,
        ast.Lambda: function,
        ast.ListComp: comprehension,
        ast.GeneratorExp: comprehension,
        ast.NamedExpr: walrus,
        ast.Starred: lambda self, node, frame: self.value(node.value, frame),
    }

    @staticmethod
    def size(tensor: Value, index: Value) -> Value:
        """A length of a traced tensor; the last one of q or k is the dimension
        of a head once it is split.
        """
        last = index.const == -1
        last = last or (index.const == 3 and tensor.kind == "tensor")
        return atom("last_dim") if last else SIZE

    def binary(
        self, op: ast.operator, left: Value, right: Value, node, frame: Frame
    ) -> Value:
        left, right = (
            Value("number", powers=((v.name, 1.0),), name=v.name)
            if v.const is None and v.name
            else v
            for v in (left, right)
        )
        kinds = {left.kind, right.kind}
        if kinds == {"number"}:
            return self.arithmetic(op, left, right)
        if isinstance(op, ast.MatMult):
            return self.product(left, right)
        if isinstance(op, (ast.Mult, ast.Div, ast.FloorDiv)):
            if not kinds & set(TRACED):
                return THING
            up = isinstance(op, ast.Mult)
            return self.scaled(left, right, up, node.lineno, frame.on)
        if isinstance(op, (ast.Add, ast.Sub)):
            return self.added(left, right, node, frame.on)
        return left if left.kind in TRACED else THING

    @staticmethod
    def arithmetic(op: ast.operator, left: Value, right: Value) -> Value:
        match op:
            case ast.Mult():
                return times(left, right)
            case ast.Div():
                return over(left, right)
            case ast.FloorDiv():
                return over(left, right, floor=True)
            case ast.Pow() if not right.powers and right.const is not UNKNOWN:
                return power(left, right.const)
        sign, operation = OPERATORS.get(type(op), ("?", None))
        const = UNKNOWN
        known = left.const is not UNKNOWN and right.const is not UNKNOWN
        if operation and known:
            const = operation(left.const, right.const)
        return opaque("({} " + sign + " {})", left, right, const=const)

    @staticmethod
    def product(left: Value, right: Value) -> Value:
        """A matrix product: scores, the output, or a projection."""
        kinds = {left.kind, right.kind}
        if "weights" in kinds:
            return ACTIVE
        if "scores" in kinds:
            return left if left.kind == "scores" else right
        if "mask" in left.tags & right.tags:
            return left
        if kinds == {"tensor"} and left.active and right.active:
            tags = left.tags & right.tags
            ops = {"query_ops": left.ops, "key_ops": right.ops}
            return Value("scores", tags=tags, **ops)
        if "tensor" in kinds:
            tags = (left.tags | right.tags) - {"parameter"}
            return Value(
                "tensor", active=left.active or right.active, tags=tags
            )
        return THING

    def scaled(
        self, left: Value, right: Value, multiply: bool, line: int, on: bool
    ) -> Value:
        """A traced tensor times or over something."""
        traced, other, swapped = left, right, False
        if left.kind not in TRACED or (
            right.kind == "scores" and left.kind == "tensor"
        ):
            traced, other, swapped = right, left, True
        idle = traced.kind == "tensor" and not traced.active
        if idle and other.kind == "tensor" and other.active:
            traced, other = other, traced
        if traced.kind == "weights":
            return traced
        if other.kind in COMPUTED:
            return self.scaled_by_tensor(traced, other, line, on)
        if other.kind == "number":
            if swapped and not multiply:
                return done(traced, "inverse", "", line, on)
            factor = other
        elif traced.kind == "scores" or other.name:
            factor = atom(other.name or "unresolved")
        else:
            return traced
        factor = factor if multiply else over(literal(1.0), factor)
        return done(traced, "times", factor, line, on)

    @staticmethod
    def scaled_by_tensor(
        traced: Value, other: Value, line: int, on: bool
    ) -> Value:
        if traced.kind == "scores" and other.kind == "scores":
            return traced
        if {"log", "position"} <= other.tags:
            return done(traced, "position", other.name, line, on)
        if "parameter" in other.tags and not other.active:
            return done(traced, "learned", other.name, line, on)
        if "mask" in other.tags:
            return traced
        tags = traced.tags | other.tags
        return replace(done(traced, "gate", other.name, line, on), tags=tags)

    def added(
        self, left: Value, right: Value, node: ast.AST, on: bool
    ) -> Value:
        """A sum: a mask or a bias on scores, a bias on q, or positions."""
        traced, other = left, right
        if (right.kind == "scores" != left.kind) or (
            left.kind not in COMPUTED and right.kind in COMPUTED
        ):
            traced, other = right, left
        if traced.kind == "scores":
            return self.added_to_scores(traced, other, node, on)
        if traced.kind == "tensor" and other.kind == "tensor":
            norms = tuple(op for op in other.ops if op.what == "norm")
            return replace(
                traced,
                ops=_union(traced.ops, norms),
                active=traced.active or other.active,
                tags=(traced.tags | other.tags) - {"parameter"},
            )
        return traced if traced.kind in TRACED else THING

    @staticmethod
    def added_to_scores(
        scores: Value, other: Value, node: ast.AST, on: bool
    ) -> Value:
        line, text = node.lineno, ast.unparse(node)[-80:]
        if other.kind == "scores":
            shifted = isinstance(getattr(node, "op", None), ast.Sub)
            return (
                scores if shifted else done(scores, "bias", "scores", line, on)
            )
        masks = "mask" in other.tags or "mask" in text
        if other.kind == "tensor" and (
            "bias" in other.tags or other.ops or not masks
        ):
            return done(scores, "bias", text, line, on)
        return scores

    # calls

    def call(self, node: ast.Call, frame: Frame) -> Value:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        call = Call(name, node, [], {}, frame)
        for argument in node.args:
            inner = self.value(argument, frame)
            starred = isinstance(argument, ast.Starred)
            several = starred and inner.kind == "sequence"
            call.args.extend(inner.data if several else [inner])
        for keyword in node.keywords:
            value = self.value(keyword.value, frame)
            if keyword.arg:
                call.kwargs[keyword.arg] = value
            elif value.kind == "mapping":
                texts = (k for k in value.data if isinstance(k, str))
                call.kwargs.update({k: value.data[k] for k in texts})
        match node.func:
            case ast.Attribute():
                return self.method_call(call)
            case ast.Name():
                return self.named_call(call)
        return self.apply(self.value(node.func, frame), call)

    def named_call(self, call: Call) -> Value:
        name, args, first = call.name, call.args, call.first
        local = call.frame.names.get(name)
        if local is not None:
            return self.apply(local, call)
        if name == "getattr":
            found = self.fetched(call)
            if found is not None:
                return found
        if name == "hasattr" and first.kind == "self":
            return literal(args[1].const in self.attributes)
        if name in ("hasattr", "isinstance", "callable"):
            return THING
        if name in ("float", "int", "abs", "round") and first.kind == "number":
            return first
        if name == "super":
            return Value("super", name=call.frame.owner)
        numbers = args and all(a.kind == "number" for a in args)
        if name in ("max", "min") and numbers:
            return opaque(name + "({})", first)
        if name in HANDED_ON:
            return args[-1] if args else THING
        function = self.name(name, call.frame)
        if function.kind == "thing":
            return self.library(call)
        return self.apply(function, call)

    def fetched(self, call: Call) -> Value | None:
        """An attribute by its name, or what stands for it where none is."""
        receiver, name = call.first, call.args[1].const
        other = call.args[2] if len(call.args) > 2 else None
        if not isinstance(call.node.args[1], ast.Constant):
            return (
                (other or receiver) if receiver.kind == "attention" else None
            )
        if receiver.kind == "config":
            absent = receiver.data and name not in receiver.data
            return (
                other if other and absent else self.configured(receiver, name)
            )
        if receiver.kind == "self":
            return self.own(name, call.frame)
        return other or THING

    def method_call(self, call: Call) -> Value:
        name, args, frame = call.name, call.args, call.frame
        receiver = self.value(call.node.func.value, frame)
        kind = receiver.kind
        if kind == "super":
            found = self.method(name, after=receiver.name)
            if not found:
                return THING
            names = self.bind(found[1], call, True)
            return self.call_method(found, names, frame.depth, frame.on)
        if kind == "self":
            return self.apply(self.own(name, frame), call)
        if kind == "attention":
            functions = [a for a in args if a.kind == "function"]
            return functions[0] if functions else receiver
        cached = name in CACHE and len(args) >= 2 and kind != "number"
        if cached and call.first.kind == "tensor":
            return Value("sequence", data=tuple(args[:2]))
        if kind in TRACED:
            handler = self.OF_TENSORS.get(name)
            found = handler(self, receiver, call) if handler else None
            return receiver if found is None else found
        if kind == "number":
            return receiver
        if kind == "mapping" and name in ("get", "pop") and args:
            default = args[1] if len(args) > 1 else NONE
            return receiver.data.get(call.first.const, default)
        if kind == "config" and name == "get" and args:
            return self.configured(receiver, str(call.first.const))
        if kind == "module":
            return self.module_call(receiver, call)
        soft = args and re.search("oftmax", ast.unparse(call.node.func))
        if name == "apply" and soft:
            return self.softmax(call.first, call.node, call.on)
        if kind == "class":
            tensors = any(a.kind == "tensor" for a in args)
            return ACTIVE if tensors else THING
        return self.library(call)

    # methods of tensors; None where the tensor comes back as it is

    def tensor_scaled(self, receiver: Value, call: Call) -> Value:
        up = call.name.startswith("mul")
        return self.scaled(receiver, call.first, up, call.line, call.on)

    def tensor_size(self, receiver: Value, call: Call) -> Value:
        if call.args:
            return self.size(receiver, call.first)
        return Value("thing", name="shape", data=receiver)

    def tensor_logarithm(self, receiver: Value, call: Call) -> Value:
        return replace(receiver, tags=receiver.tags | {"log"})

    def tensor_cast(self, receiver: Value, call: Call) -> Value | None:
        wide = call.name == "float" or "float32" in ast.unparse(call.node)
        return call.done(receiver, "fp32") if wide else None

    def tensor_filled(self, receiver: Value, call: Call) -> Value | None:
        same = call.args and call.first.kind == receiver.kind
        return call.first if same else None

    def tensor_norm(self, receiver: Value, call: Call) -> Value:
        tags = receiver.tags | {"norm"}
        return Value("tensor", active=receiver.active, tags=tags)

    OF_TENSORS = {
        name: handler
        for names, handler in [
            (
                SOFTMAX,
                lambda self, x, call: self.softmax(x, call.node, call.on),
            ),
            (
                ["matmul", "bmm", "mm", "__matmul__"],
                lambda self, x, call: self.product(x, call.first),
            ),
            (
                ["baddbmm"],
                lambda self, x, call: self.library(
                    replace(call, args=[x, *call.args])
                ),
            ),
            (["mul", "mul_", "multiply"], tensor_scaled),
            (["div", "div_", "divide"], tensor_scaled),
            (
                ["add", "add_", "sub", "sub_"],
                lambda self, x, call: self.added(
                    x, call.first, call.node, call.on
                ),
            ),
            (["size"], tensor_size),
            (["tanh"], lambda self, x, call: call.done(x, "tanh")),
            (["log", "log1p", "log2"], tensor_logarithm),
            (["float", "to", "type", "astype"], tensor_cast),
            (["copy_", "fill_"], tensor_filled),
            (NO_TENSOR, lambda self, receiver, call: THING),
            (["norm"], tensor_norm),
        ]
        for name in names
    }

    def softmax(self, scores: Value, node: ast.Call, on: bool) -> Value:
        """A softmax: of scores it is attention, of anything else it is not."""
        if scores.kind == "scores":
            if self.cast_back(node):
                scores = _without(scores, "fp32")
            elif re.search(r"float32|\.float\b", ast.unparse(node)):
                scores = done(scores, "fp32", "", node.lineno, on)
            self.note(node.lineno, "softmax", scores, on)
            return WEIGHTS
        if scores.kind == "tensor":
            return replace(scores, ops=(), tags=scores.tags | {"softmaxed"})
        return THING

    @staticmethod
    def cast_back(node: ast.Call) -> bool:
        """Whether a softmax asks for a type that is neither float32 nor its
        argument's: PyTorch casts to it before the softmax, which undoes a cast
        to 32 bits.
        """
        for keyword in node.keywords:
            if keyword.arg == "dtype" and node.args:
                asked = ast.unparse(keyword.value)
                own = f"{ast.unparse(node.args[0])}.dtype"
                return asked != own and not re.search("float32|float$", asked)
        return False

    def note(self, line: int, via: str, scores: Value, on: bool) -> None:
        event = Event(
            line, via, scores.query_ops, scores.key_ops, scores.ops, on
        )
        for i, old in enumerate(self.events):
            if (old.line, old.via) == (line, via):
                if on and not old.by_default:
                    self.events[i] = event
                elif on == old.by_default:
                    pairs = zip(old.places, event.places, strict=True)
                    places = [_union(*pair) for pair in pairs]
                    self.events[i] = Event(line, via, *places, on)
                return
        self.events.append(event)

    def fused(self, via: str, call: Call) -> Value:
        """A kernel that takes q, k, v: it divides by the root of the dimension
        where no scale is passed.
        """
        args = [*call.args, THING, THING]
        q = call.given("query", "query_states", "queries") or args[0]
        k = call.given("key", "key_states") or args[1]
        scale = call.given("scale", "softmax_scale", "scaling", "sm_scale")
        scores = self.scaled_inside(scale, call.line, call.on)
        for what, names in INSIDE.items():
            for name in names:
                value = call.kwargs.get(name, NONE).const
                if value is not None:
                    scores = call.done(scores, what, name)
        mask = call.given("attn_mask", "mask") or NONE
        named = any(
            k.arg in ("attn_mask", "mask") and "bias" in ast.unparse(k.value)
            for k in call.node.keywords
        )
        added = mask.kind == "tensor" and ("bias" in mask.tags or named)
        if mask.kind == "scores" or added:
            scores = call.done(scores, "bias", "mask")
        scores = replace(scores, query_ops=q.ops, key_ops=k.ops)
        self.note(call.line, via, scores, call.on)
        return ACTIVE

    @staticmethod
    def scaled_inside(scale: Value | None, line: int, on: bool) -> Value:
        """The scores of a kernel that was given a scale, or none."""
        passed, scale = scale is not None, scale or NONE
        if scale.kind != "number":
            known = not passed or scale.const is not UNKNOWN
            name = scale.name or "unresolved"
            scale = power(atom("last_dim"), -0.5) if known else atom(name)
        return done(Value("scores"), "times", scale, line, on)

    def library(self, call: Call) -> Value:
        """A call of something that the wheel does not define: PyTorch, MLX,
        NumPy, or an object of unknown class.
        """
        handler = self.BY_NAME.get(call.name)
        found = handler(self, call) if handler else None
        for pattern, handler in self.BY_PATTERN:
            if found is None and pattern.search(call.name):
                found = handler(self, call)
        return self.through(call.values) if found is None else found

    # what is called by name or pattern; None where it is none of the kind

    def library_softmax(self, call: Call) -> Value:
        first = call.given("input") or call.first
        return self.softmax(first, call.node, call.on)

    def library_fused(self, call: Call) -> Value:
        return self.fused("SDPA" if call.name in SDPA else "flash", call)

    def library_matmul(self, call: Call) -> Value:
        tensors = [v for v in call.values if v.kind in TRACED]
        inside = [v.data for v in call.values if v.kind == "sequence"]
        tensors += [d for data in inside for d in data if d.kind == "tensor"]
        if call.name == "baddbmm":
            return self.library_baddbmm(call, tensors)
        if len(tensors) < 2:
            return Value("tensor")
        return self.product(tensors[0], tensors[1])

    def library_baddbmm(self, call: Call, tensors: list) -> Value:
        alpha = call.kwargs.get("alpha")
        scores = self.product(*tensors[-2:]) if len(tensors) > 1 else THING
        if scores.kind == "scores" and tensors[0].tags & {"bias"}:
            scores = call.done(scores, "bias", tensors[0].name)
        if alpha and alpha.kind == "number":
            return call.done(scores, "times", alpha)
        return scores

    def library_scaled(self, call: Call) -> Value:
        sign = ast.Mult() if call.name.startswith("mul") else ast.Div()
        return self.binary(sign, *call.args[:2], call.node, call.frame)

    def library_root(self, call: Call) -> Value:
        first = call.first
        if first.kind == "thing" and first.name:
            first = atom(first.name)
        if first.kind != "number":
            return first
        return power(first, 0.5 if call.name == "sqrt" else -0.5)

    def library_logarithm(self, call: Call) -> Value:
        first = call.first
        if first.kind == "number":
            logged = opaque(call.name + "({})", first)
            more = {"log"} if call.name != "exp" else set()
            return replace(logged, tags=logged.tags | more)
        if first.kind == "tensor":
            return replace(first, tags=first.tags | {"log"})
        return THING

    def library_parameter(self, call: Call) -> Value:
        inner = ast.unparse(call.node.args[0]) if call.node.args else ""
        return Value("tensor", tags=frozenset({"parameter"}), data=inner)

    def library_tanh(self, call: Call) -> Value:
        scores = call.first.kind == "scores"
        return call.done(call.first, "tanh") if scores else call.first

    def library_norm(self, call: Call) -> Value:
        return call.done(call.first, "norm", NORMS[call.name])

    def library_filled(self, call: Call) -> Value | None:
        """A tensor of one number is that number."""
        number = call.args and call.args[-1].kind == "number"
        if number and call.name in FILLED:
            return call.args[-1]
        return Value("tensor", name=call.name) if call.name in EMPTY else None

    def library_class(self, call: Call) -> Value | None:
        """A capital letter makes a module, unless it is given tensors."""
        if any(_computed(v) for v in call.values):
            return None
        cls = ast.unparse(call.node.func).split(".")[-1]
        data = (None, cls, call.args, call.kwargs)
        return Value("module", name=call.name, data=data)

    def concatenated(self, call: Call) -> Value:
        parts = [p for p in _flat(call.values) if p.kind in TRACED]
        if not parts:
            return THING
        scores = [p for p in parts if p.kind == "scores"]
        result = scores[0] if scores else parts[0]
        for part in parts:
            sink = "parameter" in part.tags or "sink" in tags_of(part.name)
            if part.kind == result.kind:
                result = join(result, part, None)
            elif scores and part.kind == "tensor" and sink:
                result = call.done(result, "sink", part.name)
        return result

    BY_NAME = {
        name: handler
        for names, handler in [
            (SOFTMAX, library_softmax),
            (SDPA, library_fused),
            (
                ["multi_head_attention_forward"],
                lambda self, call: self.module_call(HEADS, call),
            ),
            (["MultiheadAttention"], lambda self, call: replace(HEADS)),
            (MATMUL, library_matmul),
            (["mul", "multiply", "div", "divide"], library_scaled),
            (["sqrt", "rsqrt"], library_root),
            (["log", "log2", "log1p", "log10", "exp"], library_logarithm),
            (["arange"], lambda self, call: POSITIONS),
            (["Parameter"], library_parameter),
            (["tanh"], library_tanh),
            (NORMS, library_norm),
            ([*FILLED, *EMPTY], library_filled),
            (JOINED, concatenated),
            (["linear"], lambda self, call: ACTIVE),
        ]
        for name in names
    }
    BY_PATTERN = [
        (FLASH, library_fused),
        (NATTEN, library_matmul),
        (ROTARY, lambda self, call: rotated(call.args, call.line, call.on)),
        (CLASS, library_class),
    ]

    @staticmethod
    def through(values: list) -> Value:
        """What an unknown function returns: the most telling of what it was
        given.
        """
        flat = _flat(values)
        for kind in ("scores", "weights"):
            for value in flat:
                if value.kind == kind:
                    return value
        tensors = [v for v in flat if v.kind == "tensor"]
        active = [v for v in tensors if v.active and "mask" not in v.tags]
        for value in active + tensors:
            return value
        for value in flat:
            if value.kind == "number":
                return Value(
                    "number", powers=(("unknown", 1.0),), tags=value.tags
                )
        return THING

    def apply(self, function: Value, call: Call) -> Value:
        """Call a value."""
        if function.const is None and function.ops:
            unusual = replace(call, frame=replace(call.frame, on=False))
            return self.module_call(function.ops[0].detail, unusual)
        match function.kind:
            case "module":
                return self.module_call(function, call)
            case "method":
                module, definition, owner = function.data
                decorators = map(ast.unparse, definition.decorator_list)
                bound = not any("staticmethod" in d for d in decorators)
                where = (definition, module, owner)
                return self.inlined(*where, call, None, bound)
            case "function":
                return self.defined(function, call)
            case "attention":
                return self.fused(
                    "interface", replace(call, args=call.args[1:])
                )
            case "class":
                if any(_computed(a) for a in call.args):
                    return self.through(call.args)
                data = (*function.data, call.args, call.kwargs)
                return Value("module", name=function.name, data=data)
            case "tensor" | "scores":
                return function
        if isinstance(call.node.func, ast.Attribute):
            return self.library(call)
        return self.through(call.values)

    def defined(self, function: Value, call: Call) -> Value:
        """Call a function of the wheel; what sinks it is given is noted."""
        module, definition, closure = function.data
        before, owner = len(self.events), call.frame.owner
        result = self.inlined(definition, module, owner, call, closure, False)
        for name in SINKS:
            if call.kwargs.get(name, NONE).const is not None:
                sink = Op("sink", name, call.line, call.on)
                for event in self.events[before:]:
                    event.scores = (*event.scores, sink)
                break
        return result

    def inlined(
        self, definition, module, owner, call, closure, bound
    ) -> Value:
        name, frame, args = (
            getattr(definition, "name", ""),
            call.frame,
            call.args,
        )
        line = definition.lineno
        here = ast.Call(ast.Name(name), [], [], lineno=line)
        if name in SOFTMAX and args:
            return self.softmax(args[0], here, frame.on)
        if "mscale" in name:
            return self.mscaled(name, args)
        if ROTARY.search(name) and all(a.kind != "scores" for a in args):
            return rotated(args, line, frame.on)
        if re.match(r"natten\w*qk", name) and len(args) > 1:
            return self.product(args[0], args[1])
        if FLASH.match(name) or name in SDPA:
            return self.fused("flash", replace(call, node=here))
        if frame.depth >= DEEPEST:
            return self.through(call.values)
        names = (closure or {}) | self.bind(definition, call, bound)
        depth = frame.depth + 1
        return self.body(definition, names, module, depth, owner, frame.on)

    @staticmethod
    def mscaled(name: str, args: list) -> Value:
        """YaRN's factor, alone or times the scale that it is given."""
        factor = Value("number", powers=(("YaRN", 1.0),))
        numbers = [a for a in args if a.kind == "number"]
        given = "apply" in name and numbers
        return times(numbers[-1], factor) if given else factor

    def bind(self, function, call: Call, bound: bool) -> dict:
        """The arguments of a call by name."""
        arguments, args = function.args, call.args
        plain = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
        if plain[:1] == ["self"] or (bound and plain[:1] == ["cls"]):
            plain = plain[1:]
        known = [*plain, *(a.arg for a in arguments.kwonlyargs)]
        frame = Frame({}, call.frame.module, call.frame.depth)
        names = dict.fromkeys(known, Value("thing", name="unpassed"))
        for name, default in defaults_of(function).items():
            if name in known:
                names[name] = self.value(default, frame)
        names |= dict(zip(plain, args, strict=False))
        names |= {k: v for k, v in call.kwargs.items() if k in known}
        if arguments.vararg:
            rest = tuple(args[len(plain) :])
            names[arguments.vararg.arg] = Value("sequence", data=rest)
        if arguments.kwarg:
            more = {k: v for k, v in call.kwargs.items() if k not in known}
            names[arguments.kwarg.arg] = Value("mapping", data=more)
        return names

    def whole_attention(self, call: Call) -> Value:
        """PyTorch's own module, which holds its projections and its scale."""
        scale = power(atom("last_dim"), -0.5)
        scores = call.done(Value("scores"), "times", scale)
        masks = [k.value for k in call.node.keywords if k.arg == "attn_mask"]
        if masks and "bias" in ast.unparse(masks[0]):
            scores = call.done(scores, "bias", "attn_mask")
        self.note(call.line, "MultiheadAttention", scores, call.on)
        return Value("sequence", data=(ACTIVE, WEIGHTS))

    def module_call(self, module: Value, call: Call) -> Value:
        """A submodule: a norm is noted, a dropout does nothing, everything
        else is a projection.
        """
        cls, other = _class_of(module), _alternative(module)
        args, first = call.args, self.through(call.values)
        tensor = first.kind == "tensor"
        if NORM.search(other) and not NORM.search(cls) and tensor:
            first = done(first, "norm", other, call.line, False)
        if "MatMul" in cls and len(args) == 2:
            return self.product(*args)
        if cls == "MultiheadAttention":
            return self.whole_attention(call)
        if cls.endswith("Softmax"):
            return self.softmax(call.first, call.node, call.on)
        if first.kind in ("scores", "weights") or SAME.search(cls):
            return first
        if NORM.search(cls) and tensor and not PROJECTION.search(cls):
            return call.done(first, "norm", cls)
        if cls.endswith("RoPE"):
            return rotated(args[:1], call.line, call.on)
        if ROTARY.search(cls) and tensor:
            wave = Value("tensor", tags=frozenset({"rope"}))
            return Value("sequence", data=(wave, wave))
        name = module.name
        if "rope" in tags_of(name) or ROTARY.search(name):
            several = len(args) > 1
            return rotated(args, call.line, call.on) if several else first
        bias = re.search(r"bias|relative", cls + name, re.IGNORECASE)
        return replace(
            ACTIVE, tags=frozenset({"bias"} if bias else ()), name=name
        )
