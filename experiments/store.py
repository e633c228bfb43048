"""What experiments found, stored beside what made it.

A file of book/data/ is an .npz archive of arrays. One entry more, named
`provenance`, is a JSON text: the program and what it was told, the versions
of what it used, the processor, the sha256 of its inputs, and a digest of each
file of experiments/ that it runs. `stale` says which of those have changed
since; `bookkit.stored` reads it.
"""

import ast
import hashlib
import json
import platform
from importlib import metadata
from pathlib import Path

import numpy as np

from bookkit import stored

__all__ = ["scripts_of", "sha256", "stale", "write"]

ROOT = Path(__file__).resolve().parents[1]
# One only stores; the other only brings inputs, each held by its sha256.
COMPUTES_NOTHING = {"experiments/store.py", "experiments/trained/sources.py"}
LARGEST = 500_000  # bytes of a file
DIGITS = 16  # of the digest of a script


def write(name, arrays, program, told, inputs=None, packages=("numpy",)):
    """Store arrays as book/data/<name>.npz, with their provenance.

    Parameters
    ----------
    name : of the file, without its ending.
    arrays : {name: array}, of numbers or strings.
    program : path of the script that computed them; the modules of
        experiments/ that it imports, directly or not, are found from it.
    told : {name: value}, all that decides the numbers beside the inputs:
        seeds, sizes, grids. Values are those JSON has.
    inputs : {name: sha256} of data that it read. A name that is a path of
        the repository is looked at again by `stale`.
    packages : names of installed packages whose version is noted.

    Returns
    -------
    Path
        Of the file. The same arguments give the same bytes.

    Raises
    ------
    ValueError : the file would be larger than 500 kB.
    """
    provenance = {
        "program": Path(program).resolve().relative_to(ROOT).as_posix(),
        "told": told,
        "versions": {"python": platform.python_version()}
        | {package: metadata.version(package) for package in packages},
        "machine": f"{platform.system()} {platform.machine()}, {processor()}",
        "inputs": inputs or {},
        "scripts": scripts_of(program),
    }
    text = json.dumps(provenance, indent=1, sort_keys=True)
    path = stored.FOLDER / f"{name}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial.npz")
    np.savez_compressed(partial, provenance=np.array(text), **arrays)
    size = partial.stat().st_size
    if size > LARGEST:
        partial.unlink()
        raise ValueError(
            f"{name}: {size:,} bytes; it should be at most {LARGEST:,}: store "
            "fewer digits, or less"
        )
    return partial.replace(path)


def stale(name):
    """Return what has changed since book/data/<name>.npz was written.

    Returns
    -------
    list of str
        Paths of scripts whose code differs, or that came or went, and of
        inputs in the repository whose bytes differ. Comments, docstrings and
        blank lines do not count, nor do modules that compute nothing.
    """
    noted = stored.read(name)["provenance"]
    program = ROOT / noted["program"]
    then = noted["scripts"]
    now = scripts_of(program) if program.exists() else {}
    changed = {
        path for path in then.keys() | now if then.get(path) != now.get(path)
    } - COMPUTES_NOTHING
    for path, digest in noted["inputs"].items():
        file = ROOT / path
        if file.is_file() and sha256(file) != digest:
            changed.add(path)
    return sorted(changed)


def scripts_of(program):
    """Return the digests of a program and of the modules of experiments/.

    Parameters
    ----------
    program : path of a Python file in the repository.

    Returns
    -------
    dict
        Digest by path; the modules are those it imports, directly or not.
        Those of the library are not among them: what they compute is tested.
    """
    found, waiting = {}, [Path(program).resolve()]
    while waiting:
        file = waiting.pop()
        path = file.relative_to(ROOT).as_posix()
        if path not in found:
            tree = ast.parse(file.read_text("utf-8"))
            waiting += _imports(tree)
            found[path] = _digest(tree)
    return dict(sorted(found.items()))


def sha256(file):
    """Return the sha256 of a file, in hexadecimal."""
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def processor():
    """Return the name of the processor, where the system tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    named = [line for line in lines if line.startswith("model name")]
    return named[0].split(":")[1].strip() if named else platform.processor()


def _imports(tree):
    """Yield the files of experiments/ that a module imports."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            names.append(node.module)
        for name in names:
            if name.partition(".")[0] == "experiments":
                place = ROOT.joinpath(*name.split("."))
                files = place.with_suffix(".py"), place / "__init__.py"
                yield from filter(Path.is_file, files)


def _digest(tree):
    """Return a short name for code: without comments and docstrings.

    Of the tree, written out by this function, since Python's own ways to
    write one differ by version.
    """
    digest = hashlib.sha256()
    for node in _nodes(tree):
        digest.update(f"{node}\n".encode())
    return digest.hexdigest()[:DIGITS]


def _nodes(node):
    """Yield what a tree is made of, in order, as text."""
    if not isinstance(node, ast.AST):
        yield repr(node)
        return
    yield type(node).__name__
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    skip = isinstance(node, documented) and ast.get_docstring(node) is not None
    for field, value in ast.iter_fields(node):
        if field in ("type_params", "kind", "type_comment", "type_ignores"):
            continue
        values = value if isinstance(value, list) else [value]
        yield f".{field} {len(values)}"
        for each in values[1:] if skip and field == "body" else values:
            yield from _nodes(each)
