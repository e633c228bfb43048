"""The arithmetic of the explorables against the library, and their use."""

import json
from pathlib import Path

import numpy as np
import pytest
from py_mini_racer import MiniRacer

from attention_scale.figures import COLOURS
from attention_scale.length import entropy_invariant_scale
from attention_scale.quenched import averages

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
                engine.eval(f"JSON.stringify(({function})({listed}))")
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


def rows_to_try():
    """Return lengths and scales: the corners of the table, and at random."""
    rng = np.random.default_rng(0)
    # short rows, where only some points of the table are whole numbers, and
    # long ones; all scales, and those where the averages bend
    n = np.concatenate(
        [np.arange(2, 22), np.exp(rng.uniform(np.log(2), np.log(1e12), 100))]
    ).round()
    freezing = np.sqrt(2 * np.log(n))
    b = np.where(
        np.arange(n.size) % 2,
        rng.uniform(0, 8, n.size),
        rng.uniform(0.5, 1.3, n.size),
    )
    corners = [(n, b) for n in (2, 1e12) for b in (0, 1e-3, 0.9, 8)]
    cases = [*zip(n, b * freezing, strict=True)]
    cases += [
        (n, b * (1 - 1e-15) * np.sqrt(2 * np.log(n))) for n, b in corners
    ]
    return np.array(cases)


def test_stored_averages_are_those_of_the_library(script):
    """The table is right between its points, not only at them."""
    cases = rows_to_try()
    exact = averages(*cases.T)
    found = np.array(
        [
            script("(...c) => [meanGradient(...c), meanEntropy(...c)]", *case)
            for case in cases.tolist()
        ]
    ).T
    np.testing.assert_allclose(found[0], exact.gradient_norm, rtol=EXACT)
    np.testing.assert_allclose(found[1], exact.entropy, rtol=EXACT)


def test_averages_outside_of_the_table_are_not_made_up(script):
    """JSON writes NaN as null."""
    for n, alpha in [(1, 1), (1.9, 1), (1.1e12, 1), (512, -0.1), (512, 29)]:
        assert script("meanGradient", n, alpha) is None
        assert script("meanEntropy", n, alpha) is None


def test_entropy_invariant_scale(script):
    """The scale is as exact as the entropy and the slope allow."""
    rng = np.random.default_rng(1)
    n = np.exp(rng.uniform(np.log(2), np.log(1e9), 30)).round()
    base = rng.uniform(0.25, 6, n.size)
    n_0 = np.exp(rng.uniform(np.log(64), np.log(1e6), n.size)).round()
    goal = averages(n_0, base).entropy
    none = goal >= np.log(n)
    assert 2 < none.sum() < 15
    for case in zip(n[none], base[none], n_0[none], strict=True):
        assert script("invariantScale", *map(float, case)) is None
    exact = entropy_invariant_scale(n[~none], base[~none], n_0[~none])
    found = [
        script("invariantScale", *map(float, case))
        for case in zip(n[~none], base[~none], n_0[~none], strict=True)
    ]
    # dH/dalpha = -alpha Var_p(s), and the two entropies have errors of 1e-9
    step = 1e-4 * exact
    slope = -(
        averages(n[~none], exact + step).entropy
        - averages(n[~none], exact - step).entropy
    ) / (2 * step)
    allowed = EXACT * exact + 2 * EXACT * goal[~none] / slope
    assert (np.abs(np.array(found) - exact) <= allowed).all()
    # never more than what a reading shows, by far
    np.testing.assert_allclose(found, exact, rtol=1e-6)


def test_the_base_keeps_its_scale(script):
    """At the base length itself there is nothing to solve."""
    assert script("invariantScale", 512, 2.75, 512) == 2.75
