"""Store the exact mean gradient on a grid, for a page that draws it live.

    python tools/curves.py

Writes book/data/mean-gradient.json: for keys n (as log10 n) and scales
alpha = b √(2 log n) the gradient E[alpha (1 - Σ p²)] over √(2 log n), with
five decimals. Between the points of the grid linear interpolation is right
to 0.002.
"""

import json
from pathlib import Path

import numpy as np

from attention_scale import quenched

FILE = Path(__file__).resolve().parents[1] / "book/data/mean-gradient.json"


def gradient(n, b):
    """Return the mean gradient over √(2 log n) at alpha = b √(2 log n)."""
    alpha_c = np.sqrt(2 * np.log(n))
    return quenched.averages(n, b * alpha_c).gradient_norm / alpha_c


def main():
    """Compute the grid and store it."""
    # n is whole, and few of the small ones lie on an even grid of log n
    n = np.unique(
        np.concatenate([[2, 3, 4, 6], np.geomspace(8, 1e12, 45)]).round()
    )
    b = np.linspace(0, 3, 61)
    values = gradient(n[:, np.newaxis], b)
    stored = {
        "log10_n": np.log10(n).round(9).tolist(),
        "b": b.round(9).tolist(),
        "gradient": values.round(5).tolist(),
    }
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(stored, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
