"""Which code made what is stored: the record book/runs.json.

For each notebook, and each program that writes what a page draws, the record
has digests of its own cells or lines, of every module of the book that it
imports and every file of data that it reads, and the seconds of the run.
Comments and docstrings do not count, so what stays as it was need not run
again.
"""

import ast
import hashlib
import io
import json
import re
import tokenize
from functools import cache
from pathlib import Path

from bookkit import notebooks

RECORD = "book/runs.json"
PACKAGES = ("attention_scale", "bookkit")
DATA = re.compile(r"\bstored\.read\(['\"]([\w-]+)['\"]\)")
DIGITS = 12  # of a digest: two states of one file do not meet by chance


def digest(text):
    """Return a short name for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


@cache
def code_of(source):
    """Return Python source without comments, docstrings and blank lines.

    As text, since Python's own ways to write syntax differ by version.
    """
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and ast.get_docstring(node):
            text = node.body[0]
            first, last = text.lineno - 1, text.end_lineno - 1
            # in bytes, as the tree counts; code may stand beside it
            before = lines[first].encode()[: text.col_offset].decode()
            after = lines[last].encode()[text.end_col_offset :].decode()
            lines[first : last + 1] = [before, *[""] * (last - first)]
            lines[last] += after
    return "\n".join(line.rstrip() for line in lines if line.strip())


@cache
def imports_of(source):
    """Return the dotted names that code imports, wherever it does.

    Of `from a import b` both a and a.b, which may be a module. Code that is
    no Python imports nothing; running it will say so.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ()
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module)
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(names)


def file_of(name, root):
    """Return the file of a module of the book, or None for any other."""
    if name.partition(".")[0] not in PACKAGES:
        return None
    place = root.joinpath(*name.split("."))
    files = place.with_suffix(".py"), place / "__init__.py"
    return next(filter(Path.is_file, files), None)


def modules_of(source, root):
    """Return the book's modules that code imports, directly or not.

    Returns
    -------
    dict
        Their source by their name, in alphabetical order; with a module come
        the packages around it.
    """
    found, waiting = {}, [*imports_of(source)]
    while waiting:
        name = waiting.pop()
        file = None if name in found else file_of(name, root)
        if file:
            found[name] = file.read_text("utf-8")
            waiting += imports_of(found[name])
            waiting += [name.rpartition(".")[0]] if "." in name else []
    return dict(sorted(found.items()))


def of_code(source, root):
    """Return the digests, by name, of what code needs.

    Of the modules that it imports, and of the files of book/data/ that it
    reads by `stored.read("name")`.
    """
    modules = modules_of(source, root)
    code = {name: digest(code_of(text)) for name, text in modules.items()}
    return code | dict(_data_of(source, root))


def _data_of(source, root):
    """Yield name and digest of each file of data that code reads."""
    for stem in sorted({*DATA.findall(source)}):
        name = f"book/data/{stem}.npz"
        content = hashlib.sha256((root / name).read_bytes()).hexdigest()
        yield name, content[:DIGITS]


def of_notebook(nb, root):
    """Return the fingerprint of a notebook: its cells, and its modules."""
    cells = notebooks.code_cells(notebooks.normalise(nb))
    stored = [[cell.source, cell.outputs] for cell in cells]
    source = "\n".join(cell.source for cell in cells)
    return {
        "cells": digest(json.dumps(stored, sort_keys=True)),
        "modules": of_code(source, root),
    }


def of_program(path, root):
    """Return the fingerprint of a program: its lines, and its modules."""
    source = path.read_text("utf-8")
    return {
        "lines": digest(code_of(source)),
        "modules": of_code(source, root),
    }


def name_in_record(path, root):
    """Return what the record calls a file of the book."""
    return path.resolve().relative_to(root.resolve()).as_posix()


def read_record(root):
    """Return the record by file; empty before anything was stored."""
    path = root / RECORD
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def note_run(path, root, fingerprint, seconds):
    """Put a run into the record, unless it has the same already.

    The seconds are other ones in every run, so they stay until something
    else changes.
    """
    record, name = read_record(root), name_in_record(path, root)
    if entry_of(record.get(name, {})) == fingerprint:
        return
    record[name] = {"seconds": seconds} | fingerprint
    there = {n: e for n, e in sorted(record.items()) if (root / n).exists()}
    text = json.dumps(there, indent=1) + "\n"
    (root / RECORD).write_text(text, "utf-8", newline="\n")


def entry_of(recorded):
    """Return the fingerprint in an entry of the record."""
    return {k: v for k, v in recorded.items() if k != "seconds"}


def changed_modules(recorded, fingerprint):
    """Return the modules of which two fingerprints differ."""
    old, new = recorded.get("modules", {}), fingerprint["modules"]
    return [n for n in sorted(old | new) if old.get(n) != new.get(n)]
