"""The exact curves that are stored for the site."""

import json

import numpy as np
from scipy.interpolate import RegularGridInterpolator

import curves


def test_stored_curves_are_exact_and_dense_enough_to_draw():
    stored = json.loads(curves.FILE.read_text("utf-8"))
    grid = stored["log10_n"], stored["b"]
    drawn = RegularGridInterpolator(grid, stored["gradient"])
    rng = np.random.default_rng(0)
    n = (10 ** rng.uniform(np.log10(3), 11.9, 60)).round()
    b = rng.uniform(grid[1][0], grid[1][-1], 60)
    there = [drawn((np.log10(x), y))[()] for x, y in zip(n, b, strict=True)]
    exact = [curves.gradient(x, y) for x, y in zip(n, b, strict=True)]
    # the promise of the file: less than a pixel in a figure
    np.testing.assert_allclose(there, exact, atol=0.002)


def test_stored_curves_are_those_of_the_library():
    stored = json.loads(curves.FILE.read_text("utf-8"))
    lines = np.array(stored["gradient"])
    for i, j in [(0, 5), (10, 60), (48, 20), (25, 33)]:
        n, b = round(10 ** stored["log10_n"][i]), stored["b"][j]
        # five decimals are stored
        assert abs(lines[i, j] - curves.gradient(n, b)) < 5.1e-6
