"""What happens to q and k before each softmax: a class is run on symbols
instead of tensors.

The tracer executes `__init__` and `forward` of a class statement by statement,
with names for numbers and with the list of what was done to them for tensors.
A condition whose value follows from the default configuration takes its
branch; the other branch is run too, and what only it does is noted as not by
default. A condition that does not follow takes both.
"""

import ast
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
TRACED = ("scores", "tensor", "weights")
ROTARY = re.compile(r"rotary|rotate|rope|_rot_|complex", re.IGNORECASE)
NORM = re.compile(r"norm|L2Clip|L2clip", re.IGNORECASE)
SAME = re.compile(
    r"Dropout|Identity|Quant|DropPath|LayerDrop|Wrapper|Permute|Rearrange",
    re.IGNORECASE,
)
CACHE = {
    "update",
    "cat_cache",
    "update_and_fetch",
    "update_and_return_kv",
    "fetch",
    "_update",
}
SOFTMAX = {
    "softmax",
    "stable_softmax",
    "log_softmax",
    "softmax_one",
    "clipped_softmax",
    "_gumbel_softmax",
}
SOFTMAX |= {
    "gumbel_softmax",
    "hard_softmax",
    "masked_softmax",
    "softmax_off_by_one",
    "softmax1",
    "softmax_func",
}
MATMUL = {
    "matmul",
    "bmm",
    "baddbmm",
    "einsum",
    "mm",
    "multiply_transposed",
    "sparse_matmul",
}
SDPA = {"scaled_dot_product_attention"}
FLASH = re.compile(
    r"^_?(flash_attention_forward|flash_attn_func|flash_attn_varlen_func|memory_efficient_attention)$"
)

FILLED = ["tensor", "as_tensor", "full", "array"]
EMPTY = [
    *("ones", "zeros", "empty", "full", "randn", "rand"),
    *("new_empty", "new_zeros", "new_ones"),
]
NO_TENSOR = [
    *("dim", "tolist", "item", "numel", "any", "all", "argmax", "dtype"),
]
JOINED = ["cat", "concat", "concatenate", "stack", "hstack"]
NORMS = {
    "normalize": "L2",
    "l2norm": "L2",
    "l2_norm": "L2",
    "rms_norm": "RMSNorm",
    "layer_norm": "LayerNorm",
}
NATTEN = re.compile(r"^(natten\w*qk|na\dd_qk)")
CLASS = re.compile(r"^[A-Z]|^norm_layer$")
HEADS = Value(
    "module", name="MultiheadAttention", data=(None, "MultiheadAttention")
)


@dataclass
class Event:
    """A softmax of a product of two traced tensors."""

    line: int
    via: str
    query: tuple
    key: tuple
    scores: tuple
    by_default: bool


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
    def values(self) -> list:
        return [*self.args, *self.kwargs.values()]

    @property
    def line(self) -> int:
        return self.node.lineno

    @property
    def on(self) -> bool:
        return self.frame.on


def _alternative(module: Value) -> str:
    """The class of a module that stands here where it is not the default."""
    if not module.ops or module.ops[0].what != "alternative":
        return ""
    data = module.ops[0].detail.data
    other = data[1] if data else ""
    return other.name if isinstance(other, ast.ClassDef) else str(other)


def forward_argument(argument: ast.arg, default: ast.expr | None) -> Value:
    """A symbol for an argument of `forward`: a tensor, or its default."""
    written = ast.unparse(argument.annotation) if argument.annotation else ""
    if written.split(" ")[0] in ("bool", "int", "float", "str") and default:
        constant = isinstance(default, ast.Constant)
        return literal(default.value) if constant else THING
    name = argument.arg
    return Value("tensor", active=True, tags=tags_of(name), name=name)


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
    if first.const is None and other.kind != "thing":
        if preferred is not None and other.kind == "module":
            return replace(first, ops=(Op("alternative", other),))
        return other if preferred is None else first
    if first.kind in TRACED and other.kind in TRACED:
        return _join_traced(first, other, preferred)
    if first.kind in ("function", "attention") and other.kind in (
        "function",
        "attention",
    ):
        return first if first.kind == "function" else other
    if first.kind == "module" and other.kind == "module" and first != other:
        return replace(first, ops=(Op("alternative", other),))
    if first.kind == "thing" and other.kind != "thing" and preferred is None:
        return other
    if (
        first.kind == "sequence"
        and other.kind == "sequence"
        and len(first.data) == len(other.data)
    ):
        return replace(
            first,
            data=tuple(
                join(a, b, preferred)
                for a, b in zip(first.data, other.data, strict=True)
            ),
        )
    if (
        first.kind == "number"
        and other.kind == "number"
        and first.const is not other.const
    ):
        return replace(first, const=first.const if preferred else UNKNOWN)
    return first


def _join_traced(first: Value, other: Value, preferred: bool | None) -> Value:
    """What was done to a tensor on either way."""
    extra = other if preferred is None else _off(other)
    kind = "scores" if "scores" in (first.kind, other.kind) else first.kind
    return replace(
        first,
        kind=first.kind if preferred is not None else kind,
        ops=_union(first.ops, extra.ops),
        query_ops=_union(first.query_ops, extra.query_ops),
        key_ops=_union(first.key_ops, extra.key_ops),
        active=first.active or other.active,
        tags=first.tags | (other.tags if preferred is None else frozenset()),
        const=UNKNOWN,
    )


def _off(value: Value) -> Value:
    """The same value, in which nothing happens by default."""
    off = [
        tuple(replace(op, by_default=False) for op in ops)
        for ops in (value.ops, value.query_ops, value.key_ops)
    ]
    return replace(value, ops=off[0], query_ops=off[1], key_ops=off[2])


def _without(value: Value, what: str) -> Value:
    """The same value, to which that was not done."""
    kept = [
        tuple(op for op in ops if op.what != what)
        for ops in (value.ops, value.query_ops, value.key_ops)
    ]
    return replace(value, ops=kept[0], query_ops=kept[1], key_ops=kept[2])


FACTORS = ("times", "learned", "position")


def _union(first: tuple, other: tuple) -> tuple:
    """What happened on either way; where both multiply, by different factors,
    the first way's count.
    """
    seen = {(op.what, str(op.detail), op.line) for op in first}
    extra = tuple(
        op for op in other if (op.what, str(op.detail), op.line) not in seen
    )
    there = {(op.what, str(op.detail), op.line) for op in other}
    alone = [
        op
        for op in first
        if op.what in FACTORS
        and (op.what, str(op.detail), op.line) not in there
    ]
    if any(op.by_default for op in alone):
        extra = tuple(
            replace(op, by_default=False) if op.what in FACTORS else op
            for op in extra
        )
    return first + extra


def done(
    value: Value, what: str, detail="", line: int = 0, on: bool = True
) -> Value:
    """The value after one more thing was done to it."""
    if any(
        op.what == what and op.line == line and str(op.detail) == str(detail)
        for op in value.ops
    ):
        return value
    return replace(
        value, ops=(*value.ops, Op(what, detail, line, on)), const=UNKNOWN
    )


def tags_of(name: str) -> frozenset:
    """What a name says of the value that it is given."""
    words = {
        "mask": "mask",
        "bias": "bias",
        "alibi": "bias",
        "cos": "rope",
        "sin": "rope",
        "freqs": "rope",
    }
    words |= {
        "sink": "sink",
        "s_aux": "sink",
        "position": "position",
        "rel_pos": "bias",
    }
    return frozenset(
        tag for word, tag in words.items() if word in name.lower()
    )


class Tracer:
    """Runs one class of a module on symbols; afterwards `events` has its
    softmaxes of products.
    """

    def __init__(
        self,
        wheel: Wheel,
        module: Module,
        name: str,
        config: dict | None = None,
    ):
        self.wheel, self.module, self.cls = wheel, module, name
        self.config = config or {}
        self.events: list[Event] = []
        self.attributes: dict[str, Value] = {}
        self.steps = 0

    # classes

    def find(
        self, module: Module, name: str, table: str
    ) -> tuple[Module, ast.AST] | None:
        """A class or function by name, in the module or where the module
        imports it from.
        """
        for _ in range(4):
            if name in getattr(module, table):
                return module, getattr(module, table)[name]
            if name not in module.imports:
                return None
            origin, original = module.imports[name]
            found = self.wheel.module(origin) or self.wheel.module(
                origin.replace(".py", "/__init__.py")
            )
            if found is None:
                return None
            module, name = found, original
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
            if ready:
                for statement in node.body:
                    if (
                        isinstance(statement, ast.FunctionDef)
                        and statement.name == name
                    ):
                        return module, statement, node.name
            ready = ready or node.name == after
        return None

    def run(
        self, entry: str = "forward", arguments: dict | None = None
    ) -> "Tracer":
        """Execute `__init__`, then the entry."""
        for module, node in reversed(self.lineage()):
            for statement in node.body:
                if (
                    isinstance(statement, (ast.Assign, ast.AnnAssign))
                    and statement.value is not None
                ):
                    frame = Frame({}, module, DEEPEST - 1)
                    target = (
                        statement.targets[0]
                        if isinstance(statement, ast.Assign)
                        else statement.target
                    )
                    if isinstance(target, ast.Name):
                        self.attributes[target.id] = self.value(
                            statement.value, frame
                        )
        init = self.method("__init__")
        if init:
            self.call_method(
                init,
                self.parameters(
                    init[1], arguments or self.constructed(init[1]), True
                ),
                0,
            )
        forward = self.method(entry)
        if forward:
            self.call_method(
                forward, self.parameters(forward[1], {}, False), 0
            )
        return self

    def constructed(self, init: ast.FunctionDef) -> dict:
        """What the first call of the class in its file passes: constants, and
        fields of the configuration.
        """
        names = [argument.arg for argument in init.args.args[1:]]
        for node in self.module.calls.get(self.cls, [])[:1]:
            if node:
                given = dict(zip(names, node.args, strict=False)) | {
                    k.arg: k.value for k in node.keywords if k.arg
                }
                config = Value("config", name="config", data=self.config)
                frame = Frame(
                    {"config": config, "self": THING}, self.module, DEEPEST - 1
                )
                result = {}
                for name, expression in given.items():
                    text = ast.unparse(expression).replace(
                        "self.config", "config"
                    )
                    if isinstance(expression, ast.Constant) or re.match(
                        r"config\.\w+$", text
                    ):
                        result[name] = self.value(
                            ast.parse(text, mode="eval").body, frame
                        )
                return {
                    k: v
                    for k, v in result.items()
                    if v.kind == "number" or v.const is not UNKNOWN
                }
        return {}

    def parameters(
        self, function: ast.FunctionDef, given: dict, init: bool
    ) -> dict:
        """Symbols for the arguments of `__init__` or `forward`."""
        names = {}
        arguments = function.args
        plain = [*arguments.posonlyargs, *arguments.args]
        defaults = dict(
            zip(
                [a.arg for a in plain][::-1],
                arguments.defaults[::-1],
                strict=False,
            )
        )
        defaults |= {
            a.arg: d
            for a, d in zip(
                arguments.kwonlyargs, arguments.kw_defaults, strict=True
            )
            if d
        }
        for argument in [*plain[1:], *arguments.kwonlyargs]:
            name = argument.arg
            if name in given:
                names[name] = given[name]
            elif not init:
                names[name] = forward_argument(argument, defaults.get(name))
            elif re.search(r"config|args$|^params$", name):
                names[name] = Value("config", name=name, data=self.config)
            elif name in defaults and isinstance(defaults[name], ast.Constant):
                default = defaults[name].value
                number = isinstance(default, (int, float)) and not isinstance(
                    default, bool
                )
                names[name] = (
                    atom(name, default)
                    if number
                    else replace(literal(default), name=name)
                )
            else:
                names[name] = atom(name)
        if arguments.vararg:
            names[arguments.vararg.arg] = Value(
                "tensor", active=True, name=arguments.vararg.arg
            )
        if arguments.kwarg:
            names[arguments.kwarg.arg] = Value("mapping", data={})
        return names

    def call_method(
        self, found: tuple, names: dict, depth: int, on: bool = True
    ) -> Value:
        module, function, owner = found
        return self.body(function, names, module, depth + 1, owner, on)

    def body(
        self,
        function,
        names: dict,
        module: Module,
        depth: int,
        owner: str = "",
        on: bool = True,
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
        usual = [value for value, by_default in frame.returned if by_default]
        unusual = [
            value for value, by_default in frame.returned if not by_default
        ]
        result = None
        for other in usual:
            result = other if result is None else join(result, other, None)
        for other in unusual:
            result = join(result, other, True)
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
                value = self.binary(
                    node.op, left, self.value(node.value, frame), node, frame
                )
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
                closure = dict(frame.names)
                frame.names[node.name] = Value(
                    "function",
                    name=node.name,
                    data=(frame.module, node, closure),
                )
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
                old, new = (
                    self.value(receiver, frame),
                    self.value(first, frame),
                )
                if new.kind in ("tensor", "scores"):
                    new = (
                        join(new, old, None)
                        if old.kind in ("tensor", "scores")
                        else new
                    )
                    self.assign(receiver, new, frame)
            case ast.Call(func=ast.Attribute(attr=method, value=receiver)) if (
                method.endswith("_") and method != "_"
            ):
                if value.kind in ("tensor", "scores"):
                    self.assign(receiver, value, frame)
            case ast.Call(
                func=ast.Attribute(attr="register_buffer"),
                args=[ast.Constant(value=name), given, *_],
            ):
                self.attributes[name] = self.value(given, frame)

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        match target:
            case ast.Name():
                frame.names[target.id] = (
                    replace(value, name=target.id)
                    if "parameter" in value.tags
                    else value
                )
            case ast.Attribute(value=receiver):
                if self.value(receiver, frame).kind == "self":
                    if value.kind in ("tensor", "module") or not value.name:
                        value = replace(value, name=target.attr)
                    self.attributes[target.attr] = value
            case ast.Tuple() | ast.List():
                if value.kind == "sequence" and len(value.data) > 1:
                    parts = [*value.data, *[THING] * len(target.elts)]
                    for element, part in zip(target.elts, parts, strict=False):
                        self.assign(element, part, frame)
                elif value.name == "shape" and value.data is not None:
                    for i, element in enumerate(target.elts):
                        if isinstance(element, ast.Name):
                            last = i == len(target.elts) - 1
                            part = (
                                atom("last_dim")
                                if last
                                else Value("number", powers=(("size", 1.0),))
                            )
                            self.assign(element, part, frame)
                else:
                    for element in target.elts:
                        element = (
                            element.value
                            if isinstance(element, ast.Starred)
                            else element
                        )
                        self.assign(element, self.element(value), frame)
            case ast.Subscript(value=receiver):
                old = self.value(receiver, frame)
                if old.kind in ("tensor", "scores") and value.kind in (
                    "tensor",
                    "scores",
                ):
                    self.assign(receiver, join(value, old, None), frame)

    def element(self, value: Value) -> Value:
        if value.kind == "sequence":
            tensors = [
                part
                for part in value.data
                if part.kind in ("tensor", "scores")
            ]
            return (
                tensors[0]
                if tensors
                else value.data[0]
                if value.data
                else THING
            )
        return (
            replace(value, const=UNKNOWN)
            if value.kind in ("tensor", "scores", "weights")
            else THING
        )

    def branch(self, node: ast.If, frame: Frame) -> bool:
        """Both branches, joined; the one that the defaults do not take is
        marked.
        """
        test = self.truth(node.test, frame)
        before = dict(self.attributes)
        outcomes = []
        for statements, taken in (
            (node.body, test is not False),
            (node.orelse, test is not True),
        ):
            self.attributes = dict(before)
            inner = replace(
                frame,
                names=dict(frame.names),
                on=frame.on and taken,
                returned=[],
            )
            ended = self.block(statements, inner)
            outcomes.append((inner, self.attributes, ended))
        if test is False:
            outcomes.reverse()
        first, first_attributes, first_ended = outcomes[0]
        second, second_attributes, second_ended = outcomes[1]
        preferred = None if test is None else True
        frame.returned += first.returned + [
            (v, on and not preferred) for v, on in second.returned
        ]
        if first_ended and (test is not None or second_ended):
            return True
        if first_ended:
            frame.names, self.attributes = second.names, second_attributes
            return False
        if second_ended:
            frame.names, self.attributes = first.names, first_attributes
            return False
        frame.names = self.joined(
            first.names, second.names, frame.names, preferred
        )
        self.attributes = self.joined(
            first_attributes, second_attributes, before, preferred
        )
        return False

    def joined(
        self, first: dict, second: dict, before: dict, preferred: bool | None
    ) -> dict:
        """Names after a branch. What only one of them changed has changed, as
        far as nobody knows better.
        """
        result = {}
        for name in {**first, **second}:
            one, two = first.get(name), second.get(name)
            if (
                preferred is None
                and one is not None
                and one is before.get(name)
                and two is not None
            ):
                one, two = two, one
            result[name] = join(one, two, preferred)
        return result

    def truth(self, node: ast.expr, frame: Frame) -> bool | None:
        """Whether a condition holds by default; None where nobody knows."""
        value = self.value(node, frame)
        if value.kind in ("module", "function"):
            return True
        return None if value.const is UNKNOWN else bool(value.const)

    # expressions

    def value(self, node: ast.expr, frame: Frame) -> Value:
        self.steps += 1
        handler = self.OF_NODES.get(type(node))
        return handler(self, node, frame) if handler else THING

    # an expression of each kind

    def named(self, node: ast.Name, frame: Frame) -> Value:
        return self.name(node.id, frame)

    def operation(self, node: ast.BinOp, frame: Frame) -> Value:
        left, right = (
            self.value(node.left, frame),
            self.value(node.right, frame),
        )
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
        if test is None:
            return join(body, other, None)
        chosen, rest = (body, other) if test else (other, body)
        return join(chosen, rest, True)

    def sequence(self, node: ast.Tuple | ast.List, frame: Frame) -> Value:
        parts = []
        for element in node.elts:
            starred = isinstance(element, ast.Starred)
            inner = self.value(element.value if starred else element, frame)
            several = starred and inner.kind == "sequence"
            parts += inner.data if several else [inner]
        return Value("sequence", data=tuple(parts))

    def mapping(self, node: ast.Dict, frame: Frame) -> Value:
        keys = [
            k.value if isinstance(k, ast.Constant) else None for k in node.keys
        ]
        pairs = zip(keys, node.values, strict=True)
        data = {key: self.value(value, frame) for key, value in pairs}
        return Value("mapping", data=data)

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
        match receiver.kind:
            case "self":
                return self.own(name, frame)
            case "config":
                return self.configured(receiver, name)
            case "tensor" | "scores" | "weights":
                if name == "shape":
                    return Value("thing", name="shape", data=receiver)
                if name in ("T", "mT", "H", "data"):
                    return receiver
                return Value("thing", name=name)
            case "module":
                if name == "weight":
                    return Value(
                        "tensor",
                        name=receiver.name + ".weight",
                        tags=frozenset({"parameter"}),
                    )
        text = ast.unparse(node)
        if text in ("torch.pi", "math.pi"):
            return literal(3.141592653589793)
        return Value("thing", name=text)

    def own(self, name: str, frame: Frame) -> Value:
        if name in self.attributes:
            return self.attributes[name]
        found = self.method(name)
        if found:
            if any(
                "property" in ast.unparse(d) for d in found[1].decorator_list
            ):
                return self.call_method(found, {}, frame.depth, frame.on)
            return Value("method", name=name, data=found)
        if name == "training":
            return literal(False)
        return Value("thing", name=name)

    def configured(self, config: Value, name: str) -> Value:
        """A field of the configuration, with the default of its class."""
        known = config.data or {}
        name = known.get("attribute_map", {}).get(name, name)
        if name in known:
            default = known[name]
            if isinstance(default, dict):
                return Value("config", name=name, data=default)
            return atom("config." + name, default)
        if name.endswith("_config"):
            return Value("config", name=name, data={})
        return atom("config." + name)

    def boolean(self, node: ast.BoolOp, frame: Frame) -> Value:
        values = [self.value(v, frame) for v in node.values]
        stop = isinstance(node.op, ast.Or)
        for i, value in enumerate(values):
            if value.const is UNKNOWN and value.kind not in (
                "module",
                "function",
            ):
                return self._undecided(values[i:], stop)
            if (
                bool(value.const if value.const is not UNKNOWN else True)
                == stop
            ):
                return value
        return values[-1]

    @staticmethod
    def _undecided(values: list, stop: bool) -> Value:
        if not stop and any(
            v.const is False or v.const is None for v in values
        ):
            return literal(False)
        if stop and any(v.const is True for v in values):
            return literal(True)
        first = values[0]
        return (
            first
            if stop and first.kind in ("number", "tensor", "config")
            else THING
        )

    def comparison(self, node: ast.Compare, frame: Frame) -> Value:
        if len(node.ops) != 1:
            return THING
        left, right = (
            self.value(node.left, frame),
            self.value(node.comparators[0], frame),
        )
        if (
            isinstance(node.ops[0], (ast.Is, ast.IsNot))
            and right.const is None
        ):
            made = left.kind in (
                "module",
                "function",
                "weights",
                "scores",
            ) or (left.kind == "tensor" and left.ops)
            if left.const is UNKNOWN and not made:
                return THING
            absent = left.const is None
            return literal(
                absent if isinstance(node.ops[0], ast.Is) else not absent
            )
        if left.const is UNKNOWN or right.const is UNKNOWN:
            return THING
        try:
            match node.ops[0]:
                case ast.Eq() | ast.Is():
                    return literal(left.const == right.const)
                case ast.NotEq() | ast.IsNot():
                    return literal(left.const != right.const)
                case ast.Lt():
                    return literal(left.const < right.const)
                case ast.LtE():
                    return literal(left.const <= right.const)
                case ast.Gt():
                    return literal(left.const > right.const)
                case ast.GtE():
                    return literal(left.const >= right.const)
        except TypeError:
            return THING
        return THING

    def subscript(self, node: ast.Subscript, frame: Frame) -> Value:
        value = self.value(node.value, frame)
        index = self.value(node.slice, frame)
        if value.name == "shape" and value.data is not None:
            return self.size(value.data, index)
        if value.kind == "sequence":
            if isinstance(index.const, int) and -len(
                value.data
            ) <= index.const < len(value.data):
                return value.data[index.const]
            return self.element(value)
        if value.kind == "mapping":
            if index.const in value.data:
                return value.data[index.const]
            made = [
                v
                for v in value.data.values()
                if v.kind in ("function", "class")
            ]
            return made[0] if made else THING
        if value.kind in ("tensor", "scores", "weights", "attention"):
            return value
        if value.kind == "number" and value.tags:
            return value
        if value.kind == "config":
            return replace(value, data=self.config)
        if value.kind == "number":
            return atom(f"{value.name}[{ast.unparse(node.slice)}]")
        return THING

    OF_NODES = {
        ast.Constant: lambda self, node, frame: literal(node.value),
        ast.Name: named,
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
        if index.const == -1 or (index.const == 3 and tensor.kind == "tensor"):
            return atom("last_dim")
        return Value("number", powers=(("size", 1.0),))

    def binary(
        self,
        op: ast.operator,
        left: Value,
        right: Value,
        node: ast.AST,
        frame: Frame,
    ) -> Value:
        line = node.lineno
        if left.const is None and left.name:
            left = Value("number", powers=((left.name, 1.0),), name=left.name)
        if right.const is None and right.name:
            right = Value(
                "number", powers=((right.name, 1.0),), name=right.name
            )
        if left.kind == "number" and right.kind == "number":
            return self.arithmetic(op, left, right)
        kinds = (left.kind, right.kind)
        if isinstance(op, ast.MatMult):
            return self.product(left, right, line, frame)
        if isinstance(op, (ast.Mult, ast.Div, ast.FloorDiv)):
            if "scores" in kinds or "tensor" in kinds or "weights" in kinds:
                return self.scaled(
                    left, right, isinstance(op, ast.Mult), line, frame
                )
            return THING
        if isinstance(op, (ast.Add, ast.Sub)):
            return self.added(left, right, line, frame, node)
        if isinstance(op, ast.Pow) and left.kind == "tensor":
            return left
        return left if left.kind in ("tensor", "scores", "weights") else THING

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
        const = UNKNOWN
        if left.const is not UNKNOWN and right.const is not UNKNOWN:
            try:
                match op:
                    case ast.Add():
                        const = left.const + right.const
                    case ast.Sub():
                        const = left.const - right.const
                    case ast.Pow():
                        const = left.const**right.const
                    case ast.Mod():
                        const = left.const % right.const
            except (TypeError, ZeroDivisionError, OverflowError):
                const = UNKNOWN
        sign = {ast.Add: "+", ast.Sub: "-", ast.Mod: "%", ast.Pow: "**"}.get(
            type(op), "?"
        )
        return opaque("({} " + sign + " {})", left, right, const=const)

    def product(
        self, left: Value, right: Value, line: int, frame: Frame
    ) -> Value:
        """A matrix product: scores, the output, or a projection."""
        if "weights" in (left.kind, right.kind):
            return Value("tensor", active=True)
        if "scores" in (left.kind, right.kind):
            return left if left.kind == "scores" else right
        if "mask" in left.tags & right.tags:
            return left
        if (
            left.kind == right.kind == "tensor"
            and left.active
            and right.active
        ):
            return Value(
                "scores",
                query_ops=left.ops,
                key_ops=right.ops,
                tags=left.tags & right.tags,
            )
        if left.kind == "tensor" or right.kind == "tensor":
            tags = (left.tags | right.tags) - {"parameter"}
            return Value(
                "tensor", active=left.active or right.active, tags=tags
            )
        return THING

    def scaled(
        self,
        left: Value,
        right: Value,
        multiply: bool,
        line: int,
        frame: Frame,
    ) -> Value:
        """A traced tensor times or over something."""
        on = frame.on
        traced, other, swapped = left, right, False
        if left.kind not in ("scores", "tensor", "weights") or (
            right.kind == "scores" and left.kind == "tensor"
        ):
            traced, other, swapped = right, left, True
        if (
            not traced.active
            and traced.kind == "tensor"
            and other.kind == "tensor"
            and other.active
        ):
            traced, other = other, traced
        if traced.kind == "weights":
            return traced
        if other.kind == "number":
            factor = other if multiply else over(literal(1.0), other)
            if swapped and not multiply:
                return done(traced, "inverse", "", line, on)
            if "position" in other.tags and "log" in other.tags:
                return done(traced, "position", "", line, on)
            return done(traced, "times", factor, line, on)
        if other.kind in ("tensor", "scores"):
            if traced.kind == "scores" and other.kind == "scores":
                return traced
            if {"log", "position"} <= other.tags:
                return done(traced, "position", other.name, line, on)
            if "parameter" in other.tags and not other.active:
                return done(traced, "learned", other.name, line, on)
            if "rope" in other.tags:
                return done(traced, "rope", "", line, on)
            if "mask" in other.tags:
                return traced
            tags = traced.tags | other.tags
            return replace(
                done(traced, "gate", other.name, line, on), tags=tags
            )
        if traced.kind == "scores" or other.name:
            factor = atom(other.name or "unresolved")
            factor = factor if multiply else over(literal(1.0), factor)
            return done(traced, "times", factor, line, on)
        return traced

    def added(
        self, left: Value, right: Value, line: int, frame: Frame, node: ast.AST
    ) -> Value:
        """A sum: a mask or a bias on scores, a bias on q, or positions."""
        traced, other = (
            (right, left)
            if right.kind == "scores" and left.kind != "scores"
            else (left, right)
        )
        if traced.kind not in ("tensor", "scores") and other.kind in (
            "tensor",
            "scores",
        ):
            traced, other = other, traced
        if traced.kind == "scores":
            text = ast.unparse(node)[-80:]
            shifted = isinstance(getattr(node, "op", None), ast.Sub)
            if other.kind == "scores" and shifted:
                return traced
            if other.kind == "scores":
                return done(traced, "bias", "scores", line, frame.on)
            if other.kind == "tensor" and (
                "bias" in other.tags
                or other.ops
                or ("mask" not in other.tags and not re.search(r"mask", text))
            ):
                return done(traced, "bias", text, line, frame.on)
            return traced
        if traced.kind == "tensor" and other.kind == "tensor":
            if "rope" in {op.what for op in other.ops} | {
                op.what for op in traced.ops
            }:
                return replace(traced, ops=_union(traced.ops, other.ops))
            keep = _union(
                traced.ops, tuple(op for op in other.ops if op.what == "norm")
            )
            tags = traced.tags | other.tags
            return replace(
                traced,
                ops=keep,
                active=traced.active or other.active,
                tags=tags - {"parameter"},
            )
        return (
            traced if traced.kind in ("tensor", "scores", "weights") else THING
        )

    # calls

    def call(self, node: ast.Call, frame: Frame) -> Value:
        args = []
        for argument in node.args:
            inner = self.value(
                argument.value
                if isinstance(argument, ast.Starred)
                else argument,
                frame,
            )
            if isinstance(argument, ast.Starred) and inner.kind == "sequence":
                args += inner.data
            else:
                args.append(inner)
        kwargs = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, frame)
            if keyword.arg:
                kwargs[keyword.arg] = value
            elif value.kind == "mapping":
                kwargs |= {
                    k: v for k, v in value.data.items() if isinstance(k, str)
                }
        match node.func:
            case ast.Attribute():
                return self.method_call(node, args, kwargs, frame)
            case ast.Name(id=name):
                return self.named_call(name, node, args, kwargs, frame)
        return self.apply(
            self.value(node.func, frame), node, args, kwargs, frame
        )

    def named_call(
        self, name: str, node: ast.Call, args: list, kwargs: dict, frame: Frame
    ) -> Value:
        local = frame.names.get(name)
        if local is not None:
            return self.apply(local, node, args, kwargs, frame)
        if (
            name in ("getattr",)
            and len(node.args) > 1
            and isinstance(node.args[1], ast.Constant)
        ):
            receiver, field_name = args[0], node.args[1].value
            if receiver.kind == "config":
                known = self.configured(receiver, field_name)
                bare = (
                    field_name not in (receiver.data or {}) and len(args) > 2
                )
                return args[2] if bare and receiver.data else known
            if receiver.kind == "self":
                return self.own(field_name, frame)
            return args[2] if len(args) > 2 else THING
        if name == "getattr" and args[0].kind == "attention":
            return args[2] if len(args) > 2 else args[0]
        if name in ("hasattr", "isinstance", "callable"):
            if name == "hasattr" and args[0].kind == "self":
                return literal(args[1].const in self.attributes)
            return THING
        if (
            name in ("float", "int", "abs", "round")
            and args
            and args[0].kind == "number"
        ):
            return args[0]
        if name == "super":
            return Value("super", name=frame.owner)
        if (
            name in ("max", "min")
            and args
            and all(a.kind == "number" for a in args)
        ):
            return opaque(name + "({})", *args[:1])
        if name in (
            "zip",
            "enumerate",
            "reversed",
            "tuple",
            "list",
            "map",
            "cast",
            "deepcopy",
        ):
            return args[-1] if args else THING
        function = self.name(name, frame)
        if function.kind == "thing":
            return self.library(name, node, args, kwargs, frame)
        return self.apply(function, node, args, kwargs, frame)

    def method_call(
        self, node: ast.Call, args: list, kwargs: dict, frame: Frame
    ) -> Value:
        name = node.func.attr
        receiver = self.value(node.func.value, frame)
        if receiver.kind == "super":
            found = self.method(name, after=receiver.name)
            if found:
                return self.call_method(
                    found,
                    self.bind(found[1], args, kwargs, True, frame),
                    frame.depth,
                    frame.on,
                )
            return THING
        if receiver.kind == "self":
            return self.apply(self.own(name, frame), node, args, kwargs, frame)
        if receiver.kind == "attention":
            functions = [a for a in args if a.kind == "function"]
            return functions[0] if functions else receiver
        if (
            name in CACHE
            and receiver.kind not in ("number",)
            and len(args) >= 2
            and args[0].kind == "tensor"
        ):
            return Value("sequence", data=tuple(args[:2]))
        if receiver.kind in ("tensor", "scores", "weights"):
            return self.tensor_method(
                name, receiver, node, args, kwargs, frame
            )
        if receiver.kind == "number":
            if name in ("sqrt", "rsqrt"):
                return power(receiver, 0.5 if name == "sqrt" else -0.5)
            return receiver
        if receiver.kind == "mapping" and name in ("get", "pop") and args:
            default = args[1] if len(args) > 1 else NONE
            return receiver.data.get(args[0].const, default)
        if receiver.kind == "config" and name == "get" and args:
            return self.configured(receiver, str(args[0].const))
        if receiver.kind == "module":
            return self.module_call(receiver, node, args, kwargs, frame)
        if (
            name == "apply"
            and re.search("oftmax", ast.unparse(node.func))
            and args
        ):
            return self.softmax(args[0], node, kwargs, frame)
        if receiver.kind == "class":
            return (
                Value("tensor", active=True)
                if any(a.kind == "tensor" for a in args)
                else THING
            )
        return self.library(name, node, args, kwargs, frame)

    def tensor_method(
        self, name, receiver: Value, node: ast.Call, args, kwargs, frame: Frame
    ) -> Value:
        """A method of a tensor: most give back what they are given."""
        call = Call(name, node, args, kwargs, frame)
        handler = self.OF_TENSORS.get(name)
        found = handler(self, receiver, call) if handler else None
        return receiver if found is None else found

    # methods of tensors; None where the tensor comes back as it is

    def tensor_softmax(self, receiver: Value, call: Call) -> Value:
        return self.softmax(receiver, call.node, call.kwargs, call.frame)

    def tensor_matmul(self, receiver: Value, call: Call) -> Value:
        return self.product(receiver, call.args[0], call.line, call.frame)

    def tensor_baddbmm(self, receiver: Value, call: Call) -> Value:
        args = [receiver, *call.args]
        return self.library(
            call.name, call.node, args, call.kwargs, call.frame
        )

    def tensor_scaled(self, receiver: Value, call: Call) -> Value | None:
        if not call.args:
            return None
        up = call.name.startswith("mul")
        return self.scaled(receiver, call.args[0], up, call.line, call.frame)

    def tensor_added(self, receiver: Value, call: Call) -> Value | None:
        if not call.args:
            return None
        return self.added(
            receiver, call.args[0], call.line, call.frame, call.node
        )

    def tensor_size(self, receiver: Value, call: Call) -> Value:
        if call.args:
            return self.size(receiver, call.args[0])
        return Value("thing", name="shape", data=receiver)

    def tensor_tanh(self, receiver: Value, call: Call) -> Value | None:
        if receiver.kind != "scores":
            return None
        return done(receiver, "tanh", "", call.line, call.on)

    def tensor_logarithm(self, receiver: Value, call: Call) -> Value | None:
        if receiver.kind != "tensor":
            return None
        return replace(receiver, tags=receiver.tags | {"log"})

    def tensor_cast(self, receiver: Value, call: Call) -> Value | None:
        if call.name != "float" and "float32" not in ast.unparse(call.node):
            return None
        return done(receiver, "fp32", "", call.line, call.on)

    def tensor_filled(self, receiver: Value, call: Call) -> Value | None:
        same = call.args and call.args[0].kind == receiver.kind
        return call.args[0] if same else None

    def tensor_norm(self, receiver: Value, call: Call) -> Value:
        tags = receiver.tags | {"norm"}
        return Value("tensor", active=receiver.active, tags=tags)

    OF_TENSORS = {
        name: handler
        for names, handler in [
            (SOFTMAX, tensor_softmax),
            (["matmul", "bmm", "mm", "__matmul__"], tensor_matmul),
            (["baddbmm"], tensor_baddbmm),
            (["mul", "mul_", "multiply"], tensor_scaled),
            (["div", "div_", "divide"], tensor_scaled),
            (["add", "add_", "sub", "sub_"], tensor_added),
            (["size"], tensor_size),
            (["tanh"], tensor_tanh),
            (["log", "log1p", "log2"], tensor_logarithm),
            (["float", "to", "type", "astype"], tensor_cast),
            (["copy_", "fill_"], tensor_filled),
            (NO_TENSOR, lambda self, receiver, call: THING),
            (["norm"], tensor_norm),
        ]
        for name in names
    }

    def softmax(
        self, scores: Value, node: ast.Call, kwargs: dict, frame: Frame
    ) -> Value:
        """A softmax: of scores it is attention, of anything else it is not."""
        if scores.kind == "scores":
            text = ast.unparse(node)
            if self.cast_back(node):
                scores = _without(scores, "fp32")
            elif re.search(r"float32|\.float\b", text):
                scores = done(scores, "fp32", "", node.lineno, frame.on)
            self.note(node.lineno, "softmax", scores, frame.on)
            return Value("weights", active=True)
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
                    self.events[i] = Event(
                        line,
                        via,
                        _union(old.query, event.query),
                        _union(old.key, event.key),
                        _union(old.scores, event.scores),
                        on,
                    )
                return
        self.events.append(event)

    def fused(
        self, name: str, node: ast.Call, args: list, kwargs: dict, frame: Frame
    ) -> Value:
        """A kernel that takes q, k, v: it divides by the root of the dimension
        where no scale is passed.
        """
        q = kwargs.get(
            "query",
            kwargs.get(
                "query_states",
                kwargs.get("queries", args[0] if args else THING),
            ),
        )
        k = kwargs.get(
            "key",
            kwargs.get("key_states", args[1] if len(args) > 1 else THING),
        )
        given = [
            kwargs[n]
            for n in ("scale", "softmax_scale", "scaling", "sm_scale")
            if n in kwargs
        ]
        scores = self.scaled_inside(given, node.lineno, frame.on)
        for sink in ("s_aux", "sinks", "sink"):
            if sink in kwargs and kwargs[sink].const is not None:
                scores = done(scores, "sink", sink, node.lineno, frame.on)
        for bias in ("position_bias", "attn_bias", "bias"):
            if bias in kwargs and kwargs[bias].const is not None:
                scores = done(scores, "bias", bias, node.lineno, frame.on)
        mask = kwargs.get("attn_mask", kwargs.get("mask"))
        named = any(
            k.arg in ("attn_mask", "mask") and "bias" in ast.unparse(k.value)
            for k in node.keywords
        )
        if mask is not None and (
            mask.kind == "scores"
            or (mask.kind == "tensor" and ("bias" in mask.tags or named))
        ):
            scores = done(scores, "bias", "mask", node.lineno, frame.on)
        for cap in ("softcap", "soft_cap", "logits_soft_cap"):
            if (
                cap in kwargs
                and kwargs[cap].const is not None
                and kwargs[cap].const != 0.0
            ):
                scores = done(scores, "tanh", cap, node.lineno, frame.on)
        self.note(
            node.lineno,
            name,
            replace(scores, query_ops=q.ops, key_ops=k.ops),
            frame.on,
        )
        return Value("tensor", active=True)

    @staticmethod
    def scaled_inside(given: list, line: int, on: bool) -> Value:
        """The scores of a kernel that was given a scale, or none."""
        scale = given[0] if given else NONE
        if scale.kind == "tensor" and "parameter" in scale.tags:
            return done(Value("scores"), "learned", scale.name, line, on)
        if scale.kind != "number":
            passed = bool(given) and scale.const is UNKNOWN
            scale = (
                atom(scale.name or "unresolved")
                if passed
                else power(atom("last_dim"), -0.5)
            )
        return done(Value("scores"), "times", scale, line, on)

    def library(
        self, name: str, node: ast.Call, args: list, kwargs: dict, frame: Frame
    ) -> Value:
        """A call of something that the wheel does not define: PyTorch, MLX,
        NumPy, or an object of unknown class.
        """
        call = Call(name, node, args, kwargs, frame)
        handler = self.BY_NAME.get(name)
        found = handler(self, call) if handler else None
        for pattern, handler in self.BY_PATTERN:
            if found is None and pattern.search(name):
                found = handler(self, call)
        return self.through(call.values) if found is None else found

    # what is called by name or pattern; None where it is none of the kind

    def library_softmax(self, call: Call) -> Value:
        given = [call.kwargs.get("input"), *call.args]
        first = next((v for v in given if v is not None), THING)
        return self.softmax(first, call.node, call.kwargs, call.frame)

    def library_fused(self, call: Call) -> Value:
        via = "SDPA" if call.name in SDPA else "flash"
        return self.fused(via, call.node, call.args, call.kwargs, call.frame)

    def library_heads(self, call: Call) -> Value:
        return self.module_call(
            HEADS, call.node, call.args, call.kwargs, call.frame
        )

    def library_matmul(self, call: Call) -> Value:
        tensors = [
            v for v in call.values if v.kind in ("tensor", "scores", "weights")
        ]
        tensors += [
            d
            for v in call.values
            if v.kind == "sequence"
            for d in v.data
            if d.kind == "tensor"
        ]
        if call.name == "baddbmm":
            return self.library_baddbmm(call, tensors)
        if len(tensors) < 2:
            return Value("tensor")
        return self.product(tensors[0], tensors[1], call.line, call.frame)

    def library_baddbmm(self, call: Call, tensors: list) -> Value:
        alpha = call.kwargs.get("alpha")
        scores = THING
        if len(tensors) > 1:
            scores = self.product(
                tensors[-2], tensors[-1], call.line, call.frame
            )
        if scores.kind == "scores" and tensors[0].tags & {"bias"}:
            scores = done(scores, "bias", tensors[0].name, call.line, call.on)
        if alpha and alpha.kind == "number":
            return done(scores, "times", alpha, call.line, call.on)
        return scores

    def library_scaled(self, call: Call) -> Value | None:
        if len(call.args) < 2:
            return None
        sign = ast.Mult() if call.name.startswith("mul") else ast.Div()
        return self.binary(sign, *call.args[:2], call.node, call.frame)

    def library_added(self, call: Call) -> Value | None:
        if len(call.args) < 2:
            return None
        return self.added(*call.args[:2], call.line, call.frame, call.node)

    def library_root(self, call: Call) -> Value | None:
        if not call.args:
            return None
        first = call.args[0]
        if first.kind == "thing" and first.name:
            first = atom(first.name)
        if first.kind != "number":
            return first
        return power(first, 0.5 if call.name == "sqrt" else -0.5)

    def library_power(self, call: Call) -> Value | None:
        if len(call.args) < 2 or call.args[0].kind != "number":
            return None
        return self.arithmetic(ast.Pow(), *call.args[:2])

    def library_logarithm(self, call: Call) -> Value:
        first = call.args[0] if call.args else THING
        if first.kind == "number":
            logged = opaque(call.name + "({})", first)
            more = {"log"} if call.name != "exp" else set()
            return replace(logged, tags=logged.tags | more)
        if first.kind == "tensor":
            return replace(first, tags=first.tags | {"log"})
        return THING

    def library_positions(self, call: Call) -> Value:
        return Value("tensor", tags=frozenset({"position"}))

    def library_parameter(self, call: Call) -> Value:
        inner = ast.unparse(call.node.args[0]) if call.node.args else ""
        return Value("tensor", tags=frozenset({"parameter"}), data=inner)

    def library_tanh(self, call: Call) -> Value:
        first = call.args[0] if call.args else THING
        if first.kind == "scores":
            return done(first, "tanh", "", call.line, call.on)
        return first

    def library_norm(self, call: Call) -> Value | None:
        if not call.args:
            return None
        norm = NORMS.get(call.name, "L2")
        return done(call.args[0], "norm", norm, call.line, call.on)

    def library_filled(self, call: Call) -> Value | None:
        """A tensor of one number is that number."""
        number = call.args and call.args[-1].kind == "number"
        if number and call.name in FILLED:
            return call.args[-1]
        return Value("tensor", name=call.name) if call.name in EMPTY else None

    def library_joined(self, call: Call) -> Value:
        return self.concatenated(call.args, call.kwargs, call.line, call.on)

    def library_rotated(self, call: Call) -> Value:
        return self.rotated(call.args, call.line, call.on)

    def library_projection(self, call: Call) -> Value:
        return Value("tensor", active=True)

    def library_class(self, call: Call) -> Value | None:
        """A capital letter makes a module, unless it is given tensors."""
        if any(
            v.kind in ("tensor", "scores") and v.active for v in call.values
        ):
            return None
        cls = ast.unparse(call.node.func).split(".")[-1]
        data = (None, cls, call.args, call.kwargs)
        return Value("module", name=call.name, data=data)

    BY_NAME = {
        name: handler
        for names, handler in [
            (SOFTMAX, library_softmax),
            (SDPA, library_fused),
            (["multi_head_attention_forward"], library_heads),
            (["MultiheadAttention"], lambda self, call: replace(HEADS)),
            (MATMUL, library_matmul),
            (["mul", "multiply", "div", "divide"], library_scaled),
            (["add"], library_added),
            (["sqrt", "rsqrt"], library_root),
            (["pow"], library_power),
            (["log", "log2", "log1p", "log10", "exp"], library_logarithm),
            (["arange"], library_positions),
            (["Parameter"], library_parameter),
            (["tanh"], library_tanh),
            (NORMS, library_norm),
            ([*FILLED, *EMPTY], library_filled),
            (JOINED, library_joined),
            (["linear"], library_projection),
        ]
        for name in names
    }
    BY_PATTERN = [
        (FLASH, library_fused),
        (NATTEN, library_matmul),
        (ROTARY, library_rotated),
        (CLASS, library_class),
    ]

    @staticmethod
    def through(values: list) -> Value:
        """What an unknown function returns: the most telling of what it was
        given.
        """
        flat = [
            d
            for v in values
            for d in (v.data if v.kind == "sequence" else [v])
        ]
        for kind in ("scores", "weights"):
            for value in flat:
                if value.kind == kind:
                    return value
        tensors = [v for v in flat if v.kind == "tensor"]
        active = [v for v in tensors if v.active and "mask" not in v.tags]
        for value in active + tensors:
            return value
        numbers = [v for v in flat if v.kind == "number"]
        return (
            Value("number", powers=(("unknown", 1.0),), tags=numbers[0].tags)
            if numbers
            else THING
        )

    def concatenated(
        self, args: list, kwargs: dict, line: int, on: bool
    ) -> Value:
        parts = [
            d
            for v in [*args, *kwargs.values()]
            for d in (v.data if v.kind == "sequence" else [v])
        ]
        parts = [p for p in parts if p.kind in ("tensor", "scores", "weights")]
        if not parts:
            return THING
        scores = [p for p in parts if p.kind == "scores"]
        result = scores[0] if scores else parts[0]
        for part in parts:
            if part.kind == result.kind:
                result = join(result, part, None)
            elif (
                scores
                and part.kind == "tensor"
                and ("parameter" in part.tags or "sink" in tags_of(part.name))
            ):
                result = done(result, "sink", part.name, line, on)
        return result

    @staticmethod
    def rotated(args: list, line: int, on: bool) -> Value:
        """A rotation keeps lengths: each tensor comes back as it went in."""
        tensors = [
            a
            for a in args
            if a.kind == "tensor"
            and "rope" not in a.tags
            and "position" not in a.tags
        ]
        turned = [done(t, "rope", "", line, on) for t in tensors]
        if len(turned) > 1:
            return Value("sequence", data=tuple(turned))
        return turned[0] if turned else THING

    def apply(
        self,
        function: Value,
        node: ast.Call,
        args: list,
        kwargs: dict,
        frame: Frame,
    ) -> Value:
        """Call a value."""
        if function.const is None and function.ops:
            unusual = replace(frame, on=False)
            return self.module_call(
                function.ops[0].detail, node, args, kwargs, unusual
            )
        match function.kind:
            case "module":
                return self.module_call(function, node, args, kwargs, frame)
            case "method":
                found = function.data
                static = any(
                    "staticmethod" in ast.unparse(d)
                    for d in found[1].decorator_list
                )
                return self.inlined(
                    found[1],
                    found[0],
                    found[2],
                    args,
                    kwargs,
                    frame,
                    None,
                    not static,
                )
            case "function":
                return self.defined(function, node, args, kwargs, frame)
            case "attention":
                return self.fused("interface", node, args[1:], kwargs, frame)
            case "class":
                if any(
                    a.kind in ("tensor", "scores") and a.active for a in args
                ):
                    return self.through(args)
                return Value(
                    "module",
                    name=function.name,
                    data=(*function.data, args, kwargs),
                )
            case "tensor" | "scores":
                return function
        if isinstance(node.func, ast.Attribute):
            return self.library(node.func.attr, node, args, kwargs, frame)
        return self.through([*args, *kwargs.values()])

    def defined(
        self, function: Value, node: ast.Call, args, kwargs, frame: Frame
    ) -> Value:
        """Call a function of the wheel; what sinks it is given is noted."""
        module, definition, closure = function.data
        before = len(self.events)
        result = self.inlined(
            definition,
            module,
            frame.owner,
            args,
            kwargs,
            frame,
            closure,
            False,
        )
        sinks = [
            k
            for k in ("s_aux", "sinks", "sink")
            if k in kwargs and kwargs[k].const is not None
        ]
        if sinks:
            sink = Op("sink", sinks[0], node.lineno, frame.on)
            for event in self.events[before:]:
                event.scores = (*event.scores, sink)
        return result

    def inlined(
        self, definition, module, owner, args, kwargs, frame, closure, bound
    ) -> Value:
        name = getattr(definition, "name", "")
        if name in SOFTMAX and args:
            node = ast.Call(
                ast.Name(name),
                [],
                [],
                lineno=frame.names.get("__line__", definition.lineno),
            )
            return self.softmax(
                args[0], ast.copy_location(node, definition), kwargs, frame
            )
        if re.search("mscale", name):
            return self.mscaled(name, args)
        if ROTARY.search(name) and not any(
            a.kind in ("scores",) for a in args
        ):
            return self.rotated(args, definition.lineno, frame.on)
        if re.match(r"natten\w*qk", name) and len(args) > 1:
            return self.product(args[0], args[1], definition.lineno, frame)
        if FLASH.match(name) or name in SDPA:
            node = ast.copy_location(
                ast.Call(ast.Name(name), [], []), definition
            )
            return self.fused("flash", node, args, kwargs, frame)
        if frame.depth >= DEEPEST:
            return self.through([*args, *kwargs.values()])
        names = {
            **(closure or {}),
            **self.bind(definition, args, kwargs, bound, frame),
        }
        return self.body(
            definition, names, module, frame.depth + 1, owner, frame.on
        )

    @staticmethod
    def mscaled(name: str, args: list) -> Value:
        """YaRN's factor, alone or times the scale that it is given."""
        factor = Value("number", powers=(("YaRN", 1.0),))
        if "apply" in name:
            numbers = [a for a in args if a.kind == "number"]
            return times(numbers[-1], factor) if numbers else factor
        return factor

    def bind(
        self, function, args: list, kwargs: dict, bound: bool, frame: Frame
    ) -> dict:
        """The arguments of a call by name."""
        arguments = function.args
        plain = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
        if (
            plain
            and plain[0] in ("self", "cls")
            and (bound or plain[0] == "self")
        ):
            names, plain = {}, plain[1:]
            if not bound and args and args[0].kind == "self":
                args = args[1:]
        else:
            names = {}
        defaults = [*arguments.defaults]
        for parameter, default in zip(
            plain[::-1], defaults[::-1], strict=False
        ):
            names[parameter] = self.value(
                default, Frame({}, frame.module, frame.depth)
            )
        for parameter, default in zip(
            arguments.kwonlyargs, arguments.kw_defaults, strict=True
        ):
            if default is not None:
                names[parameter.arg] = self.value(
                    default, Frame({}, frame.module, frame.depth)
                )
        for parameter in plain + [a.arg for a in arguments.kwonlyargs]:
            names.setdefault(parameter, Value("thing", name="unpassed"))
        names |= dict(zip(plain, args, strict=False))
        known = set(plain) | {a.arg for a in arguments.kwonlyargs}
        names |= {k: v for k, v in kwargs.items() if k in known}
        if arguments.vararg:
            names[arguments.vararg.arg] = Value(
                "sequence", data=tuple(args[len(plain) :])
            )
        if arguments.kwarg:
            names[arguments.kwarg.arg] = Value(
                "mapping",
                data={k: v for k, v in kwargs.items() if k not in known},
            )
        return names

    def whole_attention(self, node: ast.Call, frame: Frame) -> Value:
        """PyTorch's own module, which holds its projections and its scale."""
        line, on = node.lineno, frame.on
        scale = power(atom("last_dim"), -0.5)
        scores = done(Value("scores", query_ops=()), "times", scale, line, on)
        if "bias" in ast.unparse(
            next(
                (k.value for k in node.keywords if k.arg == "attn_mask"),
                ast.Constant(0),
            )
        ):
            scores = done(scores, "bias", "attn_mask", line, on)
        self.note(line, "MultiheadAttention", scores, on)
        return Value(
            "sequence",
            data=(
                Value("tensor", active=True),
                Value("weights", active=True),
            ),
        )

    def module_call(
        self,
        module: Value,
        node: ast.Call,
        args: list,
        kwargs: dict,
        frame: Frame,
    ) -> Value:
        """A submodule: a norm is noted, a dropout does nothing, everything
        else is a projection.
        """
        cls = module.data[1] if module.data else module.name
        cls = cls.name if isinstance(cls, ast.ClassDef) else str(cls)
        values = [*args, *kwargs.values()]
        first = self.through(values)
        line, on = node.lineno, frame.on
        other = _alternative(module)
        if (
            NORM.search(other)
            and not NORM.search(cls)
            and first.kind == "tensor"
        ):
            first = done(first, "norm", other, line, False)
        if "MatMul" in cls and len(args) == 2:
            return self.product(args[0], args[1], line, frame)
        if cls == "MultiheadAttention":
            return self.whole_attention(node, frame)
        if cls.endswith("Softmax"):
            return self.softmax(
                args[0] if args else THING, node, kwargs, frame
            )
        if first.kind == "scores" or first.kind == "weights":
            return first
        if SAME.search(cls):
            return first
        if (
            NORM.search(cls)
            and first.kind == "tensor"
            and not re.search(r"Gated|Conv|Linear|Proj", cls)
        ):
            return done(first, "norm", cls, line, on)
        if cls.endswith("RoPE"):
            return self.rotated(args[:1], line, on)
        if ROTARY.search(cls) and first.kind == "tensor":
            return Value(
                "sequence",
                data=tuple(
                    Value("tensor", tags=frozenset({"rope"})) for _ in range(2)
                ),
            )
        tags = (
            frozenset({"bias"})
            if re.search(r"bias|relative", cls + module.name, re.IGNORECASE)
            else frozenset()
        )
        if "rope" in tags_of(module.name) or ROTARY.search(module.name):
            return self.rotated(args, line, on) if len(args) > 1 else first
        return Value(
            "tensor", active=True, tags=tags, ops=(), name=module.name
        )
