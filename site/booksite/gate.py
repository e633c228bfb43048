"""Shut the gate: no build publishes a notebook that is not what it says.

The book shows the outputs that are stored in its notebooks. Before a page is
read, every notebook of the book must hold no error, decide at least one
claim, and be the one that the record of runs knows (`bookkit.fingerprints`).
If a module that it imports has changed since, the build says so. If its own
cells have, it runs here and now, to say which cell fails or is stale.
"""

from pathlib import Path

from sphinx.errors import ExtensionError

from bookkit import fingerprints, notebooks

ADVICE = "run `make execute` and look at what changed"


def failed_cell(path, nb):
    """Return the complaint about the first cell that stores a failure."""
    for cell in notebooks.code_cells(nb):
        if reason := notebooks.failure(cell):
            return [f"{notebooks.place(path, cell)}: {reason}"]
    return []


def without_decision(path, nb):
    """Return the complaint about a notebook that decides no claim."""
    if any(notebooks.claims_of(cell.metadata) for cell in nb.cells):
        return []
    name = path.relative_to(notebooks.root_of(path))
    return [f"{name}: no cell decides a claim (a tag claim:<id>)"]


def not_as_recorded(path, nb):
    """Return how code, modules and outputs differ from the recorded run."""
    root = notebooks.root_of(path)
    name = fingerprints.name_in_record(path, root)
    recorded = fingerprints.read_record(root).get(name, {})
    now = fingerprints.of_notebook(nb, root)
    if recorded.get("cells") != now["cells"]:
        return [difference(path, nb)]
    changed = fingerprints.changed_modules(recorded, now)
    if changed:
        modules = ", ".join(changed)
        return [f"{name}: stored before {modules} changed; {ADVICE}"]
    return []


def difference(path, nb):
    """Run a notebook, and say where that differs from what is stored."""
    try:
        fresh = notebooks.fresh(path)
    except notebooks.NotebookError as error:
        return str(error)
    cells = map(notebooks.code_cells, (notebooks.normalise(nb), fresh))
    for old, new in zip(*cells, strict=True):
        where = notebooks.place(path, old)
        if new.outputs and not old.outputs:
            return f"{where}: not executed; {ADVICE}"
        if old.outputs != new.outputs:
            return f"{where}: the stored output is stale; {ADVICE}"
    name = path.relative_to(notebooks.root_of(path))
    return f"{name}: stored by other code, with the same outputs; {ADVICE}"


def problems(path):
    """Return why a notebook must not be published: nothing, if it may."""
    nb = notebooks.read(path)
    found = failed_cell(path, nb) + without_decision(path, nb)
    return found or not_as_recorded(path, nb)


def shut(app, env, docnames):
    """Stop the build unless every notebook of the book may be published."""
    pages = [Path(env.doc2path(name)) for name in sorted(env.found_docs)]
    chapters = [page for page in pages if page.suffix == ".ipynb"]
    found = sum(notebooks.in_parallel(problems, chapters), [])
    if found:
        raise ExtensionError("The gate is shut.\n" + "\n".join(found))


def setup(app):
    """Check before anything is read, even when nothing changed."""
    app.connect("env-before-read-docs", shut)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
