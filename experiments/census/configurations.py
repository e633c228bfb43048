"""The defaults of configuration classes, read from their code."""

import ast
import operator
import re

from experiments.census.wheel import Module, Wheel

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}


def _same(left, right) -> bool:
    return left is right or left == right


COMPARISONS = {
    **dict.fromkeys([ast.Is, ast.Eq], _same),
    **dict.fromkeys(
        [ast.IsNot, ast.NotEq], lambda left, right: not _same(left, right)
    ),
}


def evaluate(node: ast.expr, known: dict):
    """A default in Python, where it is built of constants and fields before
    it; ValueError otherwise.
    """
    match node:
        case ast.Constant():
            return node.value
        case ast.UnaryOp(op=ast.USub()):
            return -evaluate(node.operand, known)
        case ast.BinOp() if type(node.op) in OPERATORS:
            left = evaluate(node.left, known)
            return OPERATORS[type(node.op)](left, evaluate(node.right, known))
        case (
            ast.Name(id=name)
            | ast.Attribute(value=ast.Name(id="self"), attr=name)
        ) if name in known:
            return known[name]
        case ast.IfExp():
            chosen = node.body if evaluate(node.test, known) else node.orelse
            return evaluate(chosen, known)
        case ast.Compare(ops=[op], comparators=[other]) if (
            type(op) in COMPARISONS
        ):
            left, right = evaluate(node.left, known), evaluate(other, known)
            return COMPARISONS[type(op)](left, right)
        case ast.BoolOp(op=ast.Or(), values=values):
            return next(
                (v for v in (evaluate(x, known) for x in values) if v), None
            )
        case ast.Call(func=ast.Name(id="int"), args=[inner]):
            return int(evaluate(inner, known))
        case ast.Call(keywords=keywords):
            for keyword in keywords:
                if keyword.arg == "default":
                    return evaluate(keyword.value, known)
        case ast.List() | ast.Tuple():
            return [evaluate(element, known) for element in node.elts]
        case ast.Dict():
            return {}
    raise ValueError(ast.unparse(node))


def _fill(statements: list, fields: dict) -> None:
    """Execute what `__post_init__` or `__init__` sets, as far as it can be
    followed.
    """
    for node in statements:
        try:
            match node:
                case ast.Assign(
                    targets=[
                        ast.Name(id=name)
                        | ast.Attribute(value=ast.Name(id="self"), attr=name)
                    ]
                ):
                    fields[name] = evaluate(node.value, fields)
                case ast.If(test=test, body=body, orelse=other):
                    _fill(body if evaluate(test, fields) else other, fields)
        except (ValueError, TypeError, ZeroDivisionError, AttributeError):
            continue


def _try(node: ast.expr, fields: dict, name: str) -> None:
    """Note a default, where it can be followed."""
    try:
        fields[name] = evaluate(node, fields)
    except (ValueError, TypeError):
        return


def defaults(wheel: Wheel, module: Module, name: str) -> dict:
    """Field and default of one configuration class, with what it inherits
    inside the wheel's models.
    """
    node = module.classes[name]
    fields: dict = {}
    for parent in map(ast.unparse, node.bases):
        origin = wheel.module(module.imports.get(parent, ("",))[0])
        inside = origin is not None and "models/" in origin.name
        if parent in module.classes and parent != name:
            fields |= defaults(wheel, module, parent)
        elif inside and parent in origin.classes:
            fields |= defaults(wheel, origin, parent)
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=field), value=given) if (
                given is not None
            ):
                fields.pop(field, None)
                _try(given, fields, field)
            case ast.Assign(
                targets=[ast.Name(id="attribute_map")],
                value=ast.Dict(keys=keys, values=values),
            ):
                fields["attribute_map"] = {
                    k.value: v.value
                    for k, v in zip(keys, values, strict=True)
                    if isinstance(v, ast.Constant)
                    and isinstance(k, ast.Constant)
                }
    for statement in node.body:
        match statement:
            case ast.FunctionDef(name="__init__", args=given, body=body):
                pairs = zip(
                    given.args[::-1], given.defaults[::-1], strict=False
                )
                for argument, default in pairs:
                    _try(default, fields, argument.arg)
                _fill(body, fields)
            case ast.FunctionDef(name="__post_init__", body=body):
                _fill(body, fields)
    return fields


def configurations(wheel: Wheel, path: str) -> dict[str, dict]:
    """All configuration classes beside a file of a model, each with its
    defaults.
    """
    folder, stem = path.rsplit("/", 1)
    file = r"configuration_\w+"
    if "models/" not in folder:  # one folder for all
        file = stem.replace("modeling", "configuration").removesuffix(".py")
    modules = [
        wheel.module(name)
        for name in wheel.names
        if re.fullmatch(rf"{folder}/{file}\.py", name)
    ]
    return {
        name: defaults(wheel, module, name)
        for module in modules
        for name in module.classes
        if name.endswith("Config")
    }
