"""What the tests of the site share: how its scripts are called."""

import json
from pathlib import Path

import pytest
from py_mini_racer import MiniRacer

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    """Return a function that calls an expression of the explorables."""
    with MiniRacer() as engine:
        folder = ROOT / "site" / "explorables"
        for path in sorted(folder.glob("*.js")):
            engine.eval(path.read_text(encoding="utf-8"))

        def call(function, *arguments):
            listed = ", ".join(json.dumps(a) for a in arguments)
            return json.loads(
                engine.eval(f"JSON.stringify(({function})({listed}))")
            )

        yield call
