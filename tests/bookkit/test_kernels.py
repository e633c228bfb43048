"""Weaker kernels: the settings reach the libraries, and change their bits."""

import os
import platform
import subprocess
import sys

import pytest

from bookkit import kernels, notebooks

pytestmark = pytest.mark.skipif(
    (platform.system(), platform.machine()) != notebooks.STORED_ON,
    reason="there is nothing to choose",
)
# Which features NumPy uses; bits of a product, and of an exponential.
PROGRAM = """
import math
import numpy as np
umath = np._core._multiarray_umath
print(*(f for f in umath.__cpu_dispatch__ if umath.__cpu_features__[f]))
rng = np.random.default_rng(0)
x = rng.standard_normal((150, 150))
print(hash((x @ x).tobytes()))
print(hash(tuple(math.exp(value) for value in x.flat)))
"""


def said(settings):
    """Return what the program says under settings, as lines."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | settings | {"PYTHONHASHSEED": "0"},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    return done.stdout.splitlines()


def test_numpy_leaves_alone_what_it_is_told_to():
    here = said({})[0].split()
    for chosen in kernels.SETS.values():
        settings = kernels.environment(chosen)
        off = settings["NPY_DISABLE_CPU_FEATURES"].split()
        assert said(settings)[0].split() == [f for f in here if f not in off]
    assert kernels.features_beyond("") == here


def test_the_weakest_kernels_round_otherwise():
    """Or the runs under them would show nothing."""
    if not kernels.features_beyond(""):
        pytest.skip("this processor is as weak as that")
    _, *here = said({})
    _, *there = said(kernels.environment(kernels.SETS["nehalem"]))
    assert not {*here} & {*there}


def test_a_failure_under_one_set_is_told(tmp_path):
    test = tmp_path / "test_products.py"
    test.write_text(
        "import os\n\ndef test_it():\n"
        "    assert os.environ['OPENBLAS_CORETYPE'] != 'Nehalem'\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "bookkit.kernels", "-q", "-c", "/dev/null"]
        + [str(test)],
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 1
    assert "kernels of nehalem something differs" in done.stderr
    assert done.stdout.count("1 passed") == 1
