"""Run the near misses: false neighbours of the claims, which must fall.

    python -m bookkit.near_misses [--list] [claim ...]

A near miss of book/claims.yml is a change of a claim's deciding cell, or of
one before it. Each runs from the first statement that it changes, in the
state which that finds, in a copy of the process made for it alone; cells on
which that state does not depend are left out. A check of a deciding cell must
say that it is false: an error of another kind, or a check that only cannot
decide, is no answer. A check that is changed, and by itself changes nothing,
needs no copy: it is tried where it stands, and a copy made only if it does not
fall at once. And the same cell as it stands must pass in the same
state, or nothing is known. Needs a system that can fork: Linux, macOS or the
Windows Subsystem for Linux.
"""

import argparse
import ast
import gc
import importlib
import io
import json
import linecache
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import (
    contextmanager,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from bookkit import cost, fingerprints, ledger, notebooks
from bookkit.cells import GENERATOR, TAKING, called_verb, needed_for
from bookkit.checks import SampleTooSmall, Undecided

SECONDS_PER_MISS = 120
NO_ANSWER = (Undecided, SampleTooSmall)
# What SymPy imports when it first simplifies or differentiates by matrices:
# else most of the notebooks' processes, and many copies, would.
LATE = ("sympy.physics.units", "sympy.tensor.array.expressions")


class NearMiss(NamedTuple):
    """A false neighbour of a claim: a cell changed, and those that decide.

    Attributes
    ----------
    cell : the changed cell; `source` and `changed` are its code.
    deciding : the cells of which one must reject it: the changed one itself,
        or, if that only prepares, those that decide the claim after it.
    """

    claim: str
    number: int
    cell: str
    source: str
    changed: str
    deciding: tuple[str, ...]

    @property
    def name(self):
        """Return what messages call it."""
        return f"claim {self.claim}, near miss {self.number}, cell {self.cell}"


class Finding(NamedTuple):
    """What became of a near miss."""

    name: str
    fell: bool
    reason: str


def with_change(cell, deciding, claim, number, miss):
    """Return a near miss as a changed cell, if the change applies."""
    name = f"claim {claim}, near miss {number}, cell {cell.id}"
    count = cell.source.count(miss["replace"])
    if count != 1:
        raise ledger.LedgerError(
            f"{name}: what it replaces stands there {count} times; it should "
            f"be once: {miss['replace']!r}"
        )
    changed = cell.source.replace(miss["replace"], miss["by"])
    try:
        same = statements_of(changed) == statements_of(cell.source)
    except SyntaxError as error:
        raise ledger.LedgerError(f"{name}: no Python: {error}") from None
    if same:
        raise ledger.LedgerError(f"{name}: it changes nothing")
    return NearMiss(claim, number, cell.id, cell.source, changed, deciding)


@cache
def statements_of(source):
    """Return the statements of a cell, each as text that has no layout."""
    return [ast.dump(statement) for statement in ast.parse(source).body]


def cells_of(cells, claim, number, miss):
    """Return the cell that a near miss changes, and those that decide it.

    Parameters
    ----------
    cells : the code cells of the notebook, in its order.
    """
    deciding = [
        cell.id
        for cell in cells
        if claim in notebooks.claims_of(cell.metadata)
    ]
    wanted = miss.get("cell", deciding[0] if len(deciding) == 1 else None)
    place = {cell.id: place for place, cell in enumerate(cells)}
    if wanted in deciding:
        return cells[place[wanted]], (wanted,)
    after = tuple(
        i for i in deciding if place[i] > place.get(wanted, len(cells))
    )
    if not after:
        raise ledger.LedgerError(
            f"claim {claim}, near miss {number}: cell {wanted}; it should be "
            f"one of those that decide the claim, {', '.join(deciding)}, or "
            "one before them"
        )
    return cells[place[wanted]], after


def near_misses_of(root, wanted=()):
    """Return the near misses of claims, all or those wanted, by notebook.

    Raises
    ------
    LedgerError : the ledger is unsound, has no such claim, or a near miss no
        longer fits its cell.
    """
    claims = ledger.read_claims(root)
    unknown = [claim for claim in wanted if claim not in claims]
    if unknown:
        raise ledger.LedgerError(
            f"{ledger.CLAIMS} has no claim {', '.join(unknown)}"
        )
    cells, found = {}, {}
    for claim, entry in claims.items():
        if wanted and claim not in wanted:
            continue
        where = root / entry["where"]
        if where not in cells:
            cells[where] = notebooks.code_cells(notebooks.read(where))
        misses = entry.get(ledger.NEAR_MISSES, [])
        for number, miss in enumerate(misses, start=1):
            cell, deciding = cells_of(cells[where], claim, number, miss)
            found.setdefault(where, []).append(
                with_change(cell, deciding, claim, number, miss)
            )
    return found


def judge(miss, after, namespace):
    """Run a changed cell from its first changed statement on, and the rest.

    Return whether a check of a deciding cell rejects it, and its words.

    Parameters
    ----------
    after : ids and sources of the cells after it, up to the last that
        decides; a check of those that do not decide is passed over.
    """
    first = slice(first_change(miss), None)
    cells = [(miss.cell, miss.changed, first)]
    cells += [(name, source, slice(None)) for name, source in after]
    try:
        for name, source, part in cells:
            skipping = name not in miss.deciding
            run_statements(source, name, part, namespace, skipping)
    except NO_ANSWER as error:
        return False, f"undecided: {first_line(error)}"
    except AssertionError as error:
        return True, first_line(error)
    except BaseException as error:
        return False, f"another error: {first_line(error)}"
    return False, "it passes"


def first_line(error):
    """Return an error in one line."""
    words = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {words}" if words else "an assertion"


def run_statements(source, name, part, namespace, skipping=False):
    """Run a slice of a cell's statements as a notebook would; show nothing.

    Or skip those of them that are checks and fail.
    """
    file = f"<{name}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[file] = len(source), None, lines, file
    module = ast.parse(source)
    body = module.body[part]
    skipped = AssertionError if skipping else ()
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        for statements in [[one] for one in body] if skipping else [body]:
            module.body = statements
            with suppress(skipped):
                exec(compile(module, file, "exec"), namespace)


@cache
def first_change(miss):
    """Return the number of the first statement that a near miss changes."""
    bodies = map(statements_of, (miss.source, miss.changed))
    pairs = enumerate(zip_longest(*bodies))
    return next(number for number, (old, new) in pairs if old != new)


def only_asks(statement, namespace):
    """Tell whether a statement is a check that leaves all as it finds it.

    It binds no name, takes nothing away, and uses no generator, no iterator,
    nothing private, and nothing that the notebook itself defines.
    """
    asks = isinstance(statement, ast.Assert) or (
        isinstance(statement, ast.Expr) and called_verb(statement.value)
    )
    if not asks:
        return False
    for node in ast.walk(statement):
        name = getattr(node, "id", getattr(node, "attr", ""))
        value = namespace.get(name)
        if (
            isinstance(node, ast.NamedExpr)
            or name in TAKING | {GENERATOR, "next"}
            or name.startswith("_")
            or isinstance(value, Iterator)
            or getattr(value, "__module__", None) == namespace["__name__"]
        ):
            return False
    return True


@contextmanager
def time_limit():
    """Interrupt what takes too long, as a copy would be."""

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS_PER_MISS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def fall_in_place(miss, namespace):
    """Return how a changed check falls where it stands, or None.

    None also for a change of anything else: then only a copy can tell.
    """
    first = first_change(miss)
    part = slice(first, first + 1)
    changed = ast.parse(miss.changed).body[part]
    if miss.cell not in miss.deciding or not changed:
        return None
    if not only_asks(changed[0], namespace):
        return None
    try:
        with time_limit():
            run_statements(miss.changed, miss.cell, part, namespace)
    except NO_ANSWER:
        return None
    except AssertionError as error:
        return True, first_line(error)
    except (Exception, SystemExit):
        return None
    return None


def in_a_copy(function, *arguments):
    """Return what a function returns in a forked copy of this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        gc.disable()  # it would touch, and so copy, all that there is
        # the copy ends by this signal, with no answer, if it takes too long
        signal.alarm(SECONDS_PER_MISS)
        try:
            with os.fdopen(writing, "w") as pipe:
                json.dump(function(*arguments), pipe)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    if not answer:
        return False, f"it ended by itself, or after {SECONDS_PER_MISS} s"
    return json.loads(answer)


def run_cell(cell, misses, rest_of, wanted, namespace):
    """Run a cell, and yield the fate of each near miss that changes it.

    What a near miss leaves as it is runs once, here, for all of them. The
    rest of the cell runs here too, if it is wanted: as it stands it must pass
    in the state in which its near misses fall.
    """
    done, end = 0, len(ast.parse(cell.source).body)
    for miss in sorted(misses, key=first_change):
        first = first_change(miss)
        run_statements(cell.source, cell.id, slice(done, first), namespace)
        done = first
        answer = fall_in_place(miss, namespace) or in_a_copy(
            judge, miss, rest_of(miss), namespace
        )
        yield miss, Finding(miss.name, *answer)
    if wanted:
        run_statements(cell.source, cell.id, slice(done, end), namespace)


def run_notebook(path, misses, everything=False):
    """Run what near misses depend on, and yield what became of each.

    That is said once the cells which decide have passed as they stand. If one
    does not, then perhaps because a cell was taken for one on which nothing
    depends: then everything runs.
    """
    namespace = {"__name__": "__main__"}
    os.chdir(path.parent)
    changed, controls = {}, {}
    for miss in misses:
        changed.setdefault(miss.cell, []).append(miss)
        controls[miss.name] = {*miss.deciding}
    cells = notebooks.code_cells(notebooks.read(path))
    sources = [(cell.id, cell.source) for cell in cells]
    wanted = {*changed}.union(*controls.values())
    needed = needed_for(wanted, sources) | wanted
    if everything:
        needed = {name for name, _ in sources}

    def rest_of(miss):
        names = [name for name, _ in sources]
        start, end = map(names.index, (miss.cell, miss.deciding[-1]))
        run = needed if everything else needed_for({*miss.deciding}, sources)
        return [
            (name, source)
            for name, source in sources[start + 1 : end + 1]
            if name in run or name in miss.deciding
        ]

    waiting, fates = {miss.name for miss in misses}, {}
    for cell in cells:
        own = changed.get(cell.id, [])
        try:
            for miss, fate in run_cell(
                cell, own, rest_of, cell.id in needed, namespace
            ):
                fates[miss.name] = fate
        except BaseException as error:
            left = [miss for miss in misses if miss.name in waiting]
            if not everything:
                yield from run_notebook(path, left, everything=True)
                return
            said = f"cell {cell.id}, as it stands: {first_line(error)}"
            yield from (Finding(miss.name, False, said) for miss in left)
            return
        for name in [*fates]:
            controls[name].discard(cell.id)
            if not controls[name]:
                waiting.remove(name)
                yield fates.pop(name)


def load_modules(paths):
    """Import what notebooks import, once for all of their processes."""
    names = {
        name
        for path in paths
        for cell in notebooks.code_cells(notebooks.read(path))
        for name in fingerprints.imports_of(cell.source)
    }
    for name in sorted(names) + [*LATE] * ("sympy" in names):
        # not every name that is imported is that of a module
        with suppress(ImportError):
            importlib.import_module(name)


def serve_findings(root, claims):
    """Write what becomes of near misses to the standard output, as lines.

    The first has their names, or what is wrong with the ledger. Each notebook
    has a process of its own; as many run as there are cores.
    """
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    try:
        found = near_misses_of(root, claims)
    except ledger.LedgerError as error:
        print(json.dumps(str(error)), file=out, flush=True)
        return
    names = [miss.name for misses in found.values() for miss in misses]
    print(json.dumps(names), file=out, flush=True)
    load_modules(found)
    gc.freeze()  # what is loaded is not looked through again, nor copied
    # what a cell's own programs print must not come between
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    running = 0
    for path in sorted(found, key=lambda path: -len(found[path])):
        if running == os.cpu_count():
            os.wait()
            running -= 1
        if os.fork() == 0:
            for finding in run_notebook(path, found[path]):
                print(json.dumps(finding), file=out, flush=True)
            os._exit(0)
        running += 1
    while running:
        os.wait()
        running -= 1


def run_all(root, claims=()):
    """Return what became of the near misses of claims, with progress.

    They run in a process with the settings under which notebooks are stored.

    Raises
    ------
    LedgerError : as near_misses_of.
    """
    command = [sys.executable, "-m", "bookkit.near_misses", "--serve", root]
    environment = os.environ | notebooks.kernel_environment(root)
    found = {}
    with subprocess.Popen(
        [*command, *claims],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as process:
        names = json.loads(process.stdout.readline())
        if isinstance(names, str):
            raise ledger.LedgerError(names)
        with tqdm(total=len(names), unit=" near misses", disable=None) as bar:
            for line in process.stdout:
                finding = Finding(*json.loads(line))
                found[finding.name] = finding
                bar.update()
    lost = "its notebook ended before, without a word"
    return [found.get(name, Finding(name, False, lost)) for name in names]


def main():
    """Run the near misses; fail if one does not fall."""
    parser = argparse.ArgumentParser(description="run the near misses")
    parser.add_argument("--list", action="store_true", help="say how")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("claims", nargs="*")
    options = parser.parse_args()
    if not hasattr(os, "fork"):
        sys.exit("Near misses need a system that can fork.")
    if options.serve:
        serve_findings(options.serve, options.claims)
        return
    meter = cost.Meter()
    try:
        findings = run_all(notebooks.ROOT, options.claims)
    except ledger.LedgerError as error:
        sys.exit(str(error))
    for finding in findings:
        if options.list or not finding.fell:
            print(f"{finding.name}: {finding.reason}")
    count = Counter(finding.fell for finding in findings)
    print(
        f"{len(findings)} near misses: "
        f"{count[True]} fell, {count[False]} did not\n{meter.told()}"
    )
    sys.exit(count[False] > 0)


if __name__ == "__main__":
    main()
