"""Store the geometric mean of the gradient on a grid, and a figure of it.

    python site/explorables/geometric_mean.py

Writes site/explorables/geometric-mean-table.js, a table for an explorable: for
keys n and scales alpha = b √(2 log n) the mean of log(1 - Σp²) over rows of
n normal scores, with five decimals. No exact formula for it is known, so it
is measured as in chapter 6: the largest 60 scores of a row are drawn, the
others enter by their mean. The rows are not drawn at random, though: they
fill their space evenly (Sobol points, scrambled), which makes the error some
fifty times smaller than that of as many random rows. The same points serve
every n and b, so that what error remains is smooth along the curves.
Then book/figures/three-optima.svg, what the explorable shows at its start.
"""

import json
from functools import partial
from pathlib import Path

import numpy as np
from joblib import parallel_config
from scipy import special
from scipy.stats import norm, qmc

from attention_scale import annealed, quenched
from bookkit import figures
from bookkit.sweeps import sweep

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("geometric-mean-table.js")
FIGURE = ROOT / "book/figures/three-optima.svg"
KEPT = 60
SCRAMBLINGS, ROWS = 8, 2**13
LONGEST = 10**9
B = np.linspace(0, 2, 41)


def key_counts():
    """Return the n of the grid: small ones, then even in log log n."""
    even = np.exp(np.exp(np.arange(0.8, np.log(np.log(LONGEST)), 0.15)))
    return [*range(2, 9), *even.round().astype(int).tolist(), LONGEST]


def points(seed):
    """Return points of the unit cube with as many sides as a row needs."""
    found = qmc.Sobol(KEPT + 1, rng=seed).random(ROWS)
    return np.clip(found, 1e-12, 1 - 1e-12)


def largest(n, uniform):
    """Return the largest scores of rows of n, the largest first.

    The k-th largest of n uniform variables is 1 - T_k / T_(n+1), with T_k a
    sum of k standard exponential ones.
    """
    kept = min(KEPT, n)
    arrivals = -np.log(uniform[:, :kept]).cumsum(axis=1)
    # the sum of the n + 1 - kept others, by its distribution function
    remaining = special.gammainccinv(n + 1 - kept, uniform[:, kept])
    total = arrivals[:, -1] + remaining
    return -special.ndtri(arrivals / total[:, np.newaxis])


def impurity(n, scores, alpha):
    """Return 1 - Σp² of rows, by sums relative to the best key's."""
    first, last = scores[:, 0], scores[:, -1]
    ratios = np.exp(alpha * (scores[:, 1:] - scores[:, :1]))
    once, twice = ratios.sum(axis=1), (ratios**2).sum(axis=1)
    if unseen := n - scores.shape[1]:
        for a, seen in [(alpha, once), (2 * alpha, twice)]:
            rest = norm.logcdf(last - a) - norm.logcdf(last)
            seen += unseen * np.exp(a * a / 2 - a * first + rest)
    return (2 * once + once**2 - twice) / (1 + once) ** 2


def mean_logs(n, b, seeds=range(SCRAMBLINGS)):
    """Return the mean of log(1 - Σp²) at every b, one row per scrambling."""
    alpha = np.asarray(b) * np.sqrt(2 * np.log(n))
    found = []
    for seed in seeds:
        scores = largest(n, points(seed))
        found.append([np.log(impurity(n, scores, a)).mean() for a in alpha])
    return np.array(found)


def measure(counts, b):
    """Return the table of means, and their largest standard error."""
    with parallel_config(n_jobs=-1):
        found = sweep(partial(mean_logs, b=b), n=counts)
    errors = found.std(axis=1, ddof=1) / np.sqrt(SCRAMBLINGS)
    return found.mean(axis=1), errors.max()


def store(counts, means, error):
    """Write the table as a script, which a page can load from a folder."""
    table = {
        "keys": counts,
        "b": B.round(9).tolist(),
        "standardError": float(f"{error:.1e}"),
        "meanLog": means.round(5).tolist(),
    }
    text = json.dumps(table, separators=(",", ":")).replace("],[", "],\n[")
    TABLE.write_text(
        "// The mean of log(1 − Σp²) over rows of normal scores, at alpha = b "
        "√(2 log n).\n// Written by geometric_mean.py.\n"
        f"globalThis.GEOMETRIC_MEAN = {text};\n",
        "utf-8",
    )


def draw(n=512):
    """Return the figure of the three curves, for 512 keys."""
    fig, ax = figures.subplots(height=3.4)
    at_c = np.sqrt(2 * np.log(n))
    b = np.linspace(0, 2, 81)
    alpha = b * at_c
    geometric = alpha * np.exp(mean_logs(n, b).mean(axis=0))
    best = geometric.argmax()
    star = float(annealed.optimal_scale(n))
    dashed = np.linspace(0, at_c / np.sqrt(2), 80)
    orange = {"color": figures.SIMULATION["color"], "lw": 1.8}
    purple = {"color": figures.WRONG["color"], "lw": 1}
    grey = figures.QUIET
    for x, name, role in [(star, "α*", purple), (at_c, "$\\alpha_c$", grey)]:
        ax.axvline(x, **role | {"ls": ":"})
        figures.label(ax, x + 0.06, 1.06 * at_c, name, role)
    ax.plot(alpha, np.minimum(alpha, at_c), **grey)
    ax.plot(dashed, annealed.gradient_norm(n, dashed), **figures.WRONG)
    mean = quenched.averages(n, alpha).gradient_norm
    ax.plot(alpha, mean, **figures.THEORY)
    ax.plot(alpha, geometric, **orange)
    ax.plot(star, annealed.gradient_norm(n, star), "o", **purple)
    ax.plot(alpha[best], geometric[best], "o", **orange)
    figures.label(ax, 0.72 * at_c, 0.05 * at_c, "published", purple)
    for y, name, role in [
        (1.04 * at_c, r"min(α, $\alpha_c$)", grey),
        (mean[-1] - 0.05 * at_c, "exact mean", figures.THEORY),
        (geometric[-1] - 0.05 * at_c, "geometric mean", orange),
    ]:
        figures.label(ax, 2 * at_c, y, name, role, ha="right")
    ax.set(xlabel="scale α", ylabel="gradient")
    ax.set(xlim=(0, 2 * at_c), ylim=(0, 1.12 * at_c), yticks=range(4))
    return fig


def main():
    """Measure the table, draw the figure, store both."""
    counts = key_counts()
    store(counts, *measure(counts, B))
    FIGURE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
