"""What the code of a notebook checks, read from its syntax."""

import ast
import re
import symtable
from functools import cache

# What in bookkit.checks raises when a claim is false.
# By algebra or enclosures; on a grid, against numbers or in a sample.
PROVING = {"prove", "refute", "holds_on", "rises_on", "falls_on"}
COMPUTING = {"close_to", "holds_from", "rises_from", "falls_from"}
VERBS = PROVING | COMPUTING | {"agrees_with", "rules_out"}
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


# Of a generator, all methods change it; of other objects those which return
# nothing, whose call so is a statement, and these, whose value is used too.
GENERATOR = "rng"
# A function of one of these that returns nothing changes its first argument.
MODULES = {"np", "random", "heapq", "figures"}
TAKING = {"pop", "popitem", "setdefault"}


def owner(node):
    """Return the name of what an item or attribute belongs to, or None."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return getattr(node, "id", None)


def read_by(statement):
    """Return the names of a notebook that a statement reads."""
    reads, source = set(), ast.unparse(statement)
    tables = [symtable.symtable(source, "statement", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        top = table.get_type() == "module"
        reads |= {
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_referenced() and (top or symbol.is_global())
        }
    return reads | {
        node.target.id
        for node in ast.walk(statement)
        if isinstance(node, ast.AugAssign)
        and isinstance(node.target, ast.Name)
    }


def stored_in(*nodes):
    """Return the names that are assigned somewhere in nodes."""
    return {
        part.id
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


@cache
def names_in(source):
    """Return the names of a notebook that a cell binds, changes and reads.

    Binds: anew, whatever they were. Changes: assigns somewhere, or into an
    item or attribute, or calls something, with no use of what it returns, of
    this name or with it as an argument. Reads: as it finds them, before the
    cell has bound them itself.
    """
    tree, binds, reads, bound = ast.parse(source), set(), set(), set()
    for statement in tree.body:
        found = read_by(statement)
        if isinstance(statement, ast.For):
            # its body reads what the loop has bound
            found -= stored_in(statement.target) - read_by(
                ast.Expr(statement.iter)
            )
        reads |= found - bound
        if isinstance(statement, ast.Assign):
            binds |= stored_in(*statement.targets)
        elif isinstance(statement, ast.FunctionDef):
            binds.add(statement.name)
        elif isinstance(statement, ast.For):
            bound |= stored_in(statement.target)
        bound |= binds
    table = symtable.symtable(source, "cell", "exec")
    changes = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_assigned() or symbol.is_imported()
    }
    for node in ast.walk(tree):
        match node:
            case (
                ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store())
            ):
                changes.add(owner(node))
            case ast.Call(func=ast.Attribute(attr=method) as function):
                name = owner(function)
                if method in TAKING or name == GENERATOR:
                    changes.add(name)
            case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name)]):
                changes.add(name)
            case ast.Expr(value=ast.Call(func=ast.Attribute() as call)):
                first = node.value.args[:1]
                changed = (
                    first[0] if owner(call) in MODULES and first else call
                )
                changes.add(owner(changed))
    return binds, changes, reads


def needed_for(wanted, cells):
    """Return the cells on whose state that of the wanted ones depends.

    From the last to the first, as a compiler follows which variables live:
    a cell is needed if it binds or changes a name that a wanted or needed
    one after it reads.

    Parameters
    ----------
    wanted : ids of cells.
    cells : list of (id, source), in the order of the notebook.

    Returns
    -------
    set
        Of ids; a wanted cell is in it only if a later one needs it.
    """
    needed, live = set(), set()
    for name, source in reversed(cells):
        binds, changes, reads = names_in(source)
        if live & (binds | changes):
            needed.add(name)
            live -= binds
            live |= reads
        elif name in wanted:
            live |= reads
    return needed


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
