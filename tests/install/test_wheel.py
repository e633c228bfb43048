"""The wheel installs into an empty environment, and the library works there.

Once with the oldest NumPy and SciPy that it asks for, once with the newest.
Not part of `make test`: `make test-install` runs it.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
# NumPy 1.26 has no wheels for Python 3.13.
FLOORS = {(3, 13): ["numpy==2.1.0", "scipy==1.15.0"]}
# Slow machines are no counterexamples; chance is tests/library's own affair.
CONFTEST = """
from hypothesis import settings
settings.register_profile("there", deadline=None, derandomize=True)
settings.load_profile("there")
"""


def run(*command, cwd=None):
    """Run a program outside of the checkout; return what it says."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    }
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=environment | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def oldest():
    """Return the oldest releases that the library asks for, pinned."""
    asked = PROJECT["project"]["dependencies"]
    return FLOORS.get(
        sys.version_info[:2], [re.sub(">=", "==", name) for name in asked]
    )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """Return the wheel, built from a copy that git would give."""
    source = tmp_path_factory.mktemp("source")
    for name in "pyproject.toml", "README.md", "LICENSE":
        shutil.copy(ROOT / name, source)
    shutil.copytree(
        ROOT / "attention_scale",
        source / "attention_scale",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    run(
        sys.executable,
        *("-m", "pip", "wheel", "--quiet", "--no-deps"),
        *("--wheel-dir", source, source),
    )
    return next(source.glob("*.whl"))


@pytest.fixture(
    scope="session", params=[oldest(), []], ids=["oldest", "newest"]
)
def there(wheel, request, tmp_path_factory):
    """Return the Python of an environment with the wheel and no more."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=True)
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel, *request.param)
    return python


def test_it_brings_numpy_and_scipy_and_nothing_else(there):
    listed = run(there, "-m", "pip", "list", "--format=freeze")
    names = {line.split("==")[0] for line in listed.split()}
    brought = names - {"pip", "setuptools", "wheel"}
    assert {name.split(" ")[0] for name in brought} == {
        "attention-scale",
        "numpy",
        "scipy",
    }


def test_it_says_what_it_is(there):
    said = run(
        there,
        "-c",
        "import attention_scale, importlib.metadata as m\n"
        "from pathlib import Path\n"
        "print(attention_scale.__version__, m.version('attention-scale'))\n"
        "print(Path(attention_scale.__file__).with_name('py.typed').exists())",
    ).split()
    assert said == [PROJECT["project"]["version"]] * 2 + ["True"]


# `make test` runs them with the newest, which the book pins.
@pytest.mark.parametrize("there", [oldest()], ids=["oldest"], indirect=True)
def test_the_library_passes_its_tests_there(there, tmp_path):
    shutil.copytree(ROOT / "tests" / "library", tmp_path / "library")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    run(
        there,
        *("-m", "pip", "install", "--quiet", "pytest", "hypothesis"),
        *("mpmath", "array-api-compat", "array-api-strict"),
        "ml-dtypes<0.6",  # from there on it asks for NumPy 2
    )
    said = run(there, "-m", "pytest", "-q", "library", cwd=tmp_path)
    assert " passed" in said
