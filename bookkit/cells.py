"""What the code of a notebook checks, read from its syntax."""

import ast
import re

# What in bookkit.checks raises when a claim is false.
VERBS = {"prove", "refute", "close_to", "agrees_with", "rules_out"}
OPENING = re.compile(r"^`{3,}\{(exercise|solution-start|solution-end)\}(.*)$")
LABEL = re.compile(r"^:label: *(\S+)")


def called_verb(node):
    """Return the verb that a piece of syntax calls, or None."""
    if not isinstance(node, ast.Call):
        return None
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    return name if name in VERBS else None


def checks_in(source):
    """Yield the name of every verb or assertion in code, in no order."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert):
            yield "assert"
        elif verb := called_verb(node):
            yield verb


def is_vacuous(test):
    """Tell whether a test cannot depend on anything that was computed."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(map(is_vacuous, values))
        case ast.BoolOp(values=values):
            return all(map(is_vacuous, values))
        case ast.Tuple() | ast.List() | ast.Dict() | ast.Lambda():
            return True
    return not any(isinstance(part, ast.Name) for part in ast.walk(test))


def surely_run(node):
    """Return the parts of a piece of syntax that run whenever it does."""
    match node:
        case ast.Module() | ast.For():
            return node.body
        case ast.BoolOp():
            return node.values[:1]
        case ast.IfExp():
            return [node.test]
        case ast.Lambda() | ast.GeneratorExp():
            return []
        case ast.Expr() | ast.Assign() | ast.keyword() | ast.expr():
            return ast.iter_child_nodes(node)
    return []  # a function, a branch, a try: perhaps, perhaps not


def checks_something(node):
    """Tell whether code surely runs a verb or an assertion of substance."""
    if isinstance(node, ast.Assert):
        return not is_vacuous(node.test)
    if called_verb(node):
        return True
    return any(map(checks_something, surely_run(node)))


def indecision(cell):
    """Return why a cell decides nothing, or None."""
    if cell.cell_type != "code":
        return "is not code"
    try:
        module = ast.parse(cell.source)
    except SyntaxError:
        return "is not plain Python"
    if not checks_something(module):
        return (
            "decides nothing: it needs an assertion, or one of"
            f" {', '.join(sorted(VERBS))}, that runs whatever happens"
        )
    return None if cell.outputs else "has no output; run `make execute`"


def solutions(nb):
    """Tell of each exercise whether a cell of its solution checks something.

    Returns
    -------
    dict
        By the label of the exercise; one without a label has its title.
    """
    checked, exercise, solved = {}, None, None
    for cell in nb.cells:
        if cell.cell_type == "code":
            if solved in checked and checks_something(ast.parse(cell.source)):
                checked[solved] = True
            continue
        for line in cell.source.splitlines():
            if opening := OPENING.match(line):
                kind, argument = opening[1], opening[2].strip()
                exercise = argument if kind == "exercise" else None
                solved = argument if kind == "solution-start" else None
                if exercise is not None:
                    checked[exercise] = False
            elif exercise is not None and (label := LABEL.match(line)):
                del checked[exercise]
                exercise = None
                checked[label[1]] = False
    return checked
