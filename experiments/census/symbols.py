"""Numbers as they stand in code: a product of named quantities, with the value
they have by default.
"""

from dataclasses import dataclass, field
from typing import Any

UNKNOWN = type(
    "Unknown",
    (),
    {"__repr__": lambda _: "UNKNOWN", "__bool__": lambda _: False},
)()


@dataclass(frozen=True)
class Op:
    """One thing that happened to a tensor: what, to what or by what, in which
    line, and whether by default.
    """

    what: str
    detail: Any = ""
    line: int = 0
    by_default: bool = True


@dataclass(frozen=True)
class Value:
    """What the tracer knows of one value.

    `kind` is number, tensor, scores, weights (after the softmax), module,
    function, attention, config, self, sequence, mapping or thing; `const` is
    the value in Python where it is known. A number is `coefficient` times the
    product of its `powers`; a tensor has what was done to it since its last
    projection (`ops`).
    """

    kind: str = "thing"
    const: Any = UNKNOWN
    coefficient: float = 1.0
    powers: tuple = ()
    ops: tuple = ()
    key_ops: tuple = ()
    query_ops: tuple = ()
    active: bool = False
    tags: frozenset = frozenset()
    name: str = ""
    data: Any = field(default=None, compare=False)


THING = Value()
NONE = Value(const=None)


def literal(value) -> Value:
    """A constant of the program."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Value("number", const=value, coefficient=float(value))
    return Value(const=value)


def atom(name: str, const=UNKNOWN) -> Value:
    """A named quantity, with its value by default where that is known."""
    if const is None or isinstance(const, (bool, str)):
        return Value(const=const, name=name)
    return Value("number", const=const, powers=((name, 1.0),), name=name)


def _merge(left: tuple, right: tuple, sign: float) -> tuple:
    powers = dict(left)
    for name, power in right:
        powers[name] = powers.get(name, 0.0) + sign * power
    return tuple(
        sorted((name, power) for name, power in powers.items() if power)
    )


def _both(left: Value, right: Value, operation):
    try:
        return operation(left.const, right.const)
    except (TypeError, ZeroDivisionError, ValueError, OverflowError):
        return UNKNOWN


def times(left: Value, right: Value) -> Value:
    """The product of two numbers."""
    return Value(
        "number",
        const=_both(left, right, lambda a, b: a * b),
        coefficient=left.coefficient * right.coefficient,
        powers=_merge(left.powers, right.powers, 1.0),
        tags=left.tags | right.tags,
    )


def over(left: Value, right: Value, floor: bool = False) -> Value:
    """The quotient of two numbers."""
    if not right.coefficient:
        return Value("number", powers=(("1/0", 1.0),))
    return Value(
        "number",
        const=_both(
            left,
            right,
            (lambda a, b: a // b) if floor else (lambda a, b: a / b),
        ),
        coefficient=left.coefficient / right.coefficient,
        powers=_merge(left.powers, right.powers, -1.0),
        tags=left.tags | right.tags,
    )


def power(base: Value, exponent: float) -> Value:
    """A number to a known power."""
    try:
        const = base.const**exponent
    except (TypeError, ZeroDivisionError, ValueError, OverflowError):
        const = UNKNOWN
    coefficient = base.coefficient**exponent if base.coefficient > 0 else 1.0
    powers = tuple(
        (name, p * exponent) for name, p in base.powers if p * exponent
    )
    return Value(
        "number",
        const=const,
        coefficient=coefficient,
        powers=powers,
        tags=base.tags,
    )


def text_of(number: Value) -> str:
    """A number as a formula: `head_dim^-0.5 * 2`."""
    parts = [
        f"{name}^{power:g}" if power != 1 else name
        for name, power in number.powers
    ]
    if number.coefficient != 1 or not parts:
        parts.append(f"{number.coefficient:g}")
    return " * ".join(parts)


def opaque(template: str, *numbers: Value, const=UNKNOWN) -> Value:
    """A number that is neither a product nor a power: it keeps its formula as
    its name.
    """
    if not any(number.powers for number in numbers) and const is not UNKNOWN:
        return literal(const)
    name = template.format(*map(text_of, numbers))
    tags = frozenset().union(*(number.tags for number in numbers))
    return Value("number", const=const, powers=((name, 1.0),), tags=tags)
