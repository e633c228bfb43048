"""Run what has changed, and store what it says. Nothing else writes it.

    python -m bookkit.execute [notebook or program ...]

Runs every notebook, and every program of site/explorables, whose code is not
the code that made what is stored (`fingerprints`); or those that are named.
A notebook in which a cell fails stays as it was.
"""

import argparse
import math
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from bookkit import fingerprints, notebooks
from bookkit.notebooks import NotebookError

RECORDING = threading.Lock()


def programs(root):
    """Return the programs that write what the site's pages draw."""
    return sorted((root / "site/explorables").glob("*.py"))


def root_of(path):
    """Return the root of the book that a notebook or program belongs to."""
    parents = path.resolve().parents
    return parents[1 if path.suffix == ".ipynb" else 2]


def fingerprint_of(path):
    """Return the fingerprint of a notebook or program as it stands."""
    root = root_of(path)
    if path.suffix == ".ipynb":
        return fingerprints.of_notebook(notebooks.read(path), root)
    return fingerprints.of_program(path, root)


def is_current(path):
    """Tell whether what is stored was made by the code as it stands."""
    root = root_of(path)
    record = fingerprints.read_record(root)
    recorded = record.get(fingerprints.name_in_record(path, root), {})
    return fingerprints.entry_of(recorded) == fingerprint_of(path)


def store_notebook(path):
    """Run a notebook and store it with its figures; return what to say."""
    nb = notebooks.fresh(path)
    text = notebooks.text_of(nb)
    changed = text != path.read_text("utf-8")
    if changed:
        path.write_text(text, "utf-8", newline="\n")
    for file, svg in notebooks.figures_of(nb, root_of(path)).items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(svg, "utf-8", newline="\n")
    return f"{'' if changed else 'un'}changed"


def run_program(path):
    """Run a program, which stores by itself; return what to say."""
    environment = os.environ | notebooks.kernel_environment(root_of(path))
    done = subprocess.run([sys.executable, path], env=environment)
    if done.returncode:
        raise NotebookError(f"{path.name}: it ended with {done.returncode}")
    return "done"


def update(path):
    """Run a notebook or program; say what happened; return success."""
    start = time.perf_counter()
    store = store_notebook if path.suffix == ".ipynb" else run_program
    try:
        said = store(path)
    except NotebookError as error:
        print(error, file=sys.stderr)
        return False
    seconds = time.perf_counter() - start
    # Python 3.11 sometimes fails where two threads parse at once (gh-106905).
    with RECORDING:
        root, fingerprint = root_of(path), fingerprint_of(path)
        fingerprints.note_run(path, root, fingerprint, math.ceil(seconds))
    print(f"{path.name}: {seconds:.1f} s, {said}", flush=True)
    return True


def main():
    """Run what is named, or what has changed; fail if one fails."""
    parser = argparse.ArgumentParser(description="run and store notebooks")
    parser.add_argument("files", nargs="*", type=Path)
    files, root = parser.parse_args().files, notebooks.ROOT
    if not files:
        everything = notebooks.chapters(root) + programs(root)
        files = [path for path in everything if not is_current(path)]
        if not files:
            print("Everything that is stored is current.")
    sys.exit(not all(notebooks.in_parallel(update, files)))


if __name__ == "__main__":
    main()
