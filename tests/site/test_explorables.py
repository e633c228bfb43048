"""The arithmetic of the explorables against the library, and their use."""

import json
from pathlib import Path

import pytest
from py_mini_racer import MiniRacer

from attention_scale.figures import COLOURS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "site" / "explorables"
EXACT = 1e-9


@pytest.fixture(scope="module")
def script():
    """Return a function that calls an expression of the scripts."""
    with MiniRacer() as engine:
        for path in sorted(FOLDER.glob("*.js")):
            engine.eval(path.read_text(encoding="utf-8"))

        def call(function, *arguments):
            listed = ", ".join(json.dumps(a) for a in arguments)
            return json.loads(
                engine.eval(f"JSON.stringify({function}({listed}))")
            )

        yield call


def test_settings_are_read_with_care(script):
    """A number out of range is brought in; what is none is not taken."""
    for text, expected in [
        ("2.5", 2.5), ("-1", 0), ("1e9", 8), ("", 1), ("x", 1), (None, 1),
        ("NaN", 1), ("Infinity", 1), (" 3 ", 3),
    ]:  # fmt: skip
        assert script("readNumber", text, 0, 8, 1) == expected


def test_colours_are_those_of_the_figures():
    """The style sheet repeats the palette, in both themes."""
    css = (ROOT / "site/assets/explorables.css").read_text(encoding="utf-8")
    light, dark = css.split('html[data-theme="dark"]')
    for name, (in_light, in_dark) in COLOURS.items():
        assert f"--{name}: {in_light};" in light
        assert f"--{name}: {in_dark};" in dark
