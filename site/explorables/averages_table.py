"""Store the exact averages for the pages that draw them live.

    python site/explorables/averages_table.py

Writes site/explorables/averages-table.js: Chebyshev coefficients of the mean
entropy and of E[1 - Σ p²], for rows of independent standard normal scores,
from 2 to 1e12 keys and up to 8 times the scale √(2 log n). The script
averages.js beside it has the formulas, and their error.
"""

import json
from pathlib import Path

import numpy as np
from joblib import parallel_config
from scipy import fft

from attention_scale import quenched
from bookkit.sweeps import sweep

FILE = Path(__file__).with_name("averages-table.js")
LENGTHS = (2, 1e12)
LARGEST = 8  # alpha over √(2 log n)
# Around b = alpha / √(2 log n) = 0.9 the averages bend, the more sharply the
# longer the row. There the points of t are dense: b = 0.9 + 0.35 sinh t.
MIDDLE, WIDTH = 0.9, 0.35
POINTS = (36, 80)  # of n and of alpha
UNIT = 1e-11  # of a coefficient


def chebyshev_points(count, low, high):
    """Return the zeros of a Chebyshev polynomial on an interval."""
    angles = np.pi * (np.arange(count) + 0.5) / count
    return (low + high) / 2 + (high - low) / 2 * np.cos(angles)


def chebyshev_coefficients(values):
    """Return the coefficients of the polynomial through values."""
    coefficients = fft.dctn(values, type=2) / values.size
    coefficients[0] /= 2
    coefficients[:, 0] /= 2
    return coefficients


def averages(root, b):
    """Return E[1 - Σ p²] and the mean entropy at n = exp(root² / 2)."""
    found = quenched.averages_at_real_n(np.exp(root**2 / 2), b * root)
    return 1 - found.collision, found.entropy


def as_rows(coefficients):
    """Return whole numbers of UNIT, without the zeros at the ends."""
    whole = np.rint(coefficients / UNIT).astype(int)
    rows = [np.trim_zeros(row, "b").tolist() for row in whole]
    while not rows[-1]:
        rows.pop()
    return rows


def main():
    """Compute the averages at the points and store their coefficients."""
    roots = np.sqrt(2 * np.log(LENGTHS))
    ends = np.arcsinh((np.array([0, LARGEST]) - MIDDLE) / WIDTH)
    root = chebyshev_points(POINTS[0], *roots)
    b = MIDDLE + WIDTH * np.sinh(chebyshev_points(POINTS[1], *ends))
    with parallel_config(n_jobs=-1):
        found = sweep(averages, root=root, b=b)
    spread, entropy = found.T
    alpha = np.outer(b, root)
    # as logarithms of what is never far from 1
    stored = {
        "lengths": LENGTHS,
        "largest": LARGEST,
        "middle": MIDDLE,
        "width": WIDTH,
        "unit": UNIT,
    } | {
        name: as_rows(chebyshev_coefficients(np.log(values * (1 + alpha))))
        for name, values in [("spread", spread), ("entropy", entropy)]
    }
    text = json.dumps(stored, separators=(",", ":")).replace("],[", "],\n[")
    FILE.write_text(
        "// Written by averages_table.py; read by averages.js.\n"
        f"globalThis.AVERAGES = {text};\n",
        "utf-8",
    )


if __name__ == "__main__":
    main()
