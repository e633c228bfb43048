"""The book's notebooks: read, run in a fresh kernel, and put in normal form.

What is stored is the same after every run: no times, no counts of cells, no
metadata but what the book uses. `execute` writes the files.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from functools import cache
from pathlib import Path

import nbformat
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError

ROOT = Path(__file__).resolve().parents[1]
SECONDS_PER_CELL = 120
STORED_ON = ("Linux", "x86_64")  # elsewhere figures differ in some bytes
KEPT_METADATA = ("jupyter", "mystnb", "tags")
FIXED_METADATA = {
    "kernelspec": {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}
# The count of every cell: with numbers in order, each would change with a
# cell that is put before it; without one nbval takes a cell for not run.
HAS_RUN = 1
CLAIM = "claim:"
FIGURE = "figure:"


class NotebookError(Exception):
    """A notebook that cannot be stored or published, and why."""


def chapters(root):
    """Return the paths of a book's notebooks, in reading order."""
    return sorted((root / "notebooks").glob("*.ipynb"))


def read(path):
    """Return the notebook at a path."""
    return deepcopy(parsed(path.read_text("utf-8")))


@cache
def parsed(text):
    """Return the notebook of a file's text, which nobody may change."""
    return nbformat.reads(text, as_version=4)


def code_cells(nb):
    """Return the code cells that hold code."""
    return [c for c in nb.cells if c.cell_type == "code" and c.source.strip()]


def claims_of(metadata):
    """Return the ids of the claims that a cell decides, by its tags."""
    tags = metadata.get("tags", [])
    return [tag.removeprefix(CLAIM) for tag in tags if tag.startswith(CLAIM)]


def figures_of(nb, root):
    """Return the figures that other pages show, as text by path.

    A cell tagged figure:<name> makes book/figures/<name>.svg.
    """
    return {
        root / "book/figures" / f"{tag.removeprefix(FIGURE)}.svg": output.data[
            "image/svg+xml"
        ]
        for cell in code_cells(nb)
        for tag in cell.metadata.get("tags", [])
        if tag.startswith(FIGURE)
        for output in cell.outputs
    }


def root_of(path):
    """Return the root of the book that a notebook belongs to."""
    return path.resolve().parents[1]


def place(path, cell):
    """Name a cell, and the claims it decides, in a message."""
    claims = ", ".join(claims_of(cell.metadata))
    suffix = f" (claim {claims})" if claims else ""
    name = path.resolve().relative_to(root_of(path)).as_posix()
    return f"{name}, cell {cell.id}{suffix}"


def failure(cell):
    """Return how a cell failed, by its outputs, or None."""
    for output in cell.outputs:
        if output.output_type == "error":
            return f"{output.ename}: {output.evalue}".rstrip(": ")
        # A warning names a temporary file, another one in every run.
        if output.output_type == "stream" and output.name == "stderr":
            return f"wrote to stderr: {output.text.strip()}"
    return None


def kernel_environment(root):
    """Return the settings with which outputs are the same every time."""
    paths = [str(root), os.environ.get("PYTHONPATH")]
    return {
        # the library that stands beside the notebooks, wherever it's installed
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        # A sum split over threads is rounded differently.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "VECLIB_MAXIMUM_THREADS": "1",
        # glibc keeps what a simulation frees for the next one: to give it back
        # and ask again took a twelfth of the time.
        "MALLOC_MMAP_THRESHOLD_": str(2**32),
        "MALLOC_TRIM_THRESHOLD_": str(2**32),
        "MALLOC_TOP_PAD_": str(2**26),
    }


def run_cells(nb, path, to_the_end=False):
    """Run a notebook in place; raise for the first cell that fails.

    Or leave failures in their cells, and go on to the end.
    """
    started = []
    # Without directories of kernels there is one: this interpreter's own.
    specs = KernelSpecManager(kernel_dirs=[])
    client = NotebookClient(
        nb,
        km=AsyncKernelManager(
            kernel_name="python3", kernel_spec_manager=specs
        ),
        timeout=SECONDS_PER_CELL,
        allow_errors=to_the_end,
        record_timing=False,
        shutdown_kernel="immediate",
        extra_arguments=["--log-level=40"],
        resources={"metadata": {"path": str(path.parent)}},
        on_cell_start=lambda cell, cell_index: started.append(cell),
    )
    environment = os.environ | kernel_environment(root_of(path))
    try:
        client.execute(env=environment, cleanup_kc=True)
    except (CellControlSignal, DeadKernelError) as error:
        cell = started[-1]
        reason = failure(cell) or str(error).strip()
        raise NotebookError(f"{place(path, cell)}: {reason}") from None
    if to_the_end:
        return
    # What fails while a value is displayed does not stop the run.
    for cell in code_cells(nb):
        if reason := failure(cell):
            raise NotebookError(f"{place(path, cell)}: {reason}")


def merge_streams(outputs):
    """Join neighbouring pieces of one stream: where it breaks is chance."""
    merged = []
    for output in outputs:
        last = merged[-1] if merged else None
        if (
            last
            and output.output_type == last.output_type == "stream"
            and output.name == last.name
        ):
            last.text += output.text
        else:
            merged.append(output)
    return merged


def keep(metadata):
    """Return the metadata that the book uses."""
    return nbformat.from_dict(
        {key: metadata[key] for key in KEPT_METADATA if metadata.get(key)}
    )


def normalise(nb):
    """Return a copy without whatever differs between two equal runs."""
    nb = deepcopy(nb)
    nb.nbformat, nb.nbformat_minor = 4, 5
    nb.metadata = nbformat.from_dict(FIXED_METADATA)
    for cell in nb.cells:
        cell.metadata = keep(cell.metadata)
        if cell.cell_type == "code":
            cell.execution_count = HAS_RUN
            cell.outputs = merge_streams(cell.outputs)
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = HAS_RUN
    return nb


def fresh(path):
    """Return a notebook freshly run, in normal form."""
    nb = read(path)
    run_cells(nb, path)
    nb = normalise(nb)
    nbformat.validate(nb)
    return nb


def text_of(nb):
    """Return a notebook as the text of its file."""
    text = nbformat.writes(nb, indent=1, ensure_ascii=False)
    return text.rstrip("\n") + "\n"


def in_parallel(function, paths):
    """Return the function of every path, at work on all cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, paths))
