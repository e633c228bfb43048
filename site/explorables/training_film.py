"""Store the runs of chapter 12 as a film, and a figure of it.

    python site/explorables/training_film.py

Writes site/explorables/training-film-table.js, a table for an explorable: for
each start and each learning rate that was tried with it, in decoders with the
scale in the score, the loss of the batches above that of the usual start 1 at
its best rate, with the same seed, as a mean over ten steps; and the share of
dead rows and the spread in layers 2 to 4. All are means over the seeds.
Beside them the best rate of each start, by its held-out loss at the end.
Then book/figures/training-film.svg, what the explorable shows at its start.
"""

import json
from pathlib import Path

import numpy as np

from bookkit import figures, stored

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("training-film-table.js")
FIGURE = ROOT / "book/figures/training-film.svg"
USUAL = {"start": 1, "rate": 0.008}
SHOWN = {"start": 4, "rate": 0.008}


def runs_of(data, start, rate=None):
    """Return the runs of a start, at one rate or at all, by seed."""
    runs = np.flatnonzero(
        (data["size"] == "small")
        & (data["place"] == "score")
        & (data["variant"] == "plain")
        & (data["start"] == start)
        & (rate is None or np.isclose(data["rate"], rate))
    )
    return runs[data["seed"][runs].argsort()]


def scenes(data, start, rate):
    """Return what the film shows of a start at a rate."""
    runs = runs_of(data, start, rate)
    usual = runs_of(data, **USUAL)[data["seed"][runs]]
    gaps = data["losses"][runs] - data["losses"][usual].astype(float)
    names = list(data["head_numbers"])
    inner = data["heads"][runs, :, 1:, 0].mean(axis=(0, 2), dtype=float)
    spread = gaps.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(50)
    return {
        "rate": round(float(rate), 6),
        "seeds": len(runs),
        "gap": gaps.mean(axis=0).round(4).tolist(),
        "error": (spread / len(runs) ** 0.5).round(4).tolist(),
        "dead": inner[:, names.index("dead")].round(4).tolist(),
        "spread": inner[:, names.index("alpha")].round(3).tolist(),
    }


def best_rate(data, start):
    """Return the rate of lowest loss, of those with the most seeds."""
    rates = np.unique(data["rate"][runs_of(data, start)])
    runs = [runs_of(data, start, rate) for rate in rates]
    most = max(map(len, runs))
    several = [group for group in runs if len(group) == most]
    best = min(several, key=lambda group: data["loss"][group].mean())
    return round(float(data["rate"][best[0]]), 6)


def film():
    """Return the table: the steps looked at, and the scenes by start."""
    data = stored.read("training-starts")
    plain = (
        (data["size"] == "small")
        & (data["place"] == "score")
        & (data["variant"] == "plain")
    )
    return {
        "steps": data["looked_at"][runs_of(data, **USUAL)[0]]
        .astype(int)
        .tolist(),
        "usual": USUAL,
        "best": {
            f"{start:g}": best_rate(data, start)
            for start in np.unique(data["start"])
        },
        "runs": {
            f"{start:g}": [
                scenes(data, start, rate)
                for rate in np.unique(
                    data["rate"][plain & (data["start"] == start)]
                )
            ]
            for start in np.unique(data["start"])
        },
    }


def scene(table, start, rate):
    """Return the scenes of a start at a rate."""
    found = table["runs"][f"{start:g}"]
    return next(run for run in found if run["rate"] == rate)


def draw():
    """Draw the film at its start: loss, dead rows and spread over steps."""
    table = film()
    run, usual = scene(table, **SHOWN), scene(table, **USUAL)
    fig, axes = figures.subplots(3, 1, height=6.0, sharex=True)
    tens = 10 * np.arange(50) + 5
    gap, error = np.array(run["gap"]), np.array(run["error"])
    axes[0].axhline(0, **figures.QUIET)
    axes[0].plot(tens, gap, **figures.WRONG | {"ls": "-"})
    axes[0].fill_between(
        tens,
        gap - error,
        gap + error,
        lw=0,
        alpha=0.25,
        color=figures.WRONG["color"],
    )
    for ax, name in zip(axes[1:], ("dead", "spread"), strict=True):
        ax.plot(table["steps"], usual[name], **figures.QUIET)
        ax.plot(table["steps"], run[name], **figures.WRONG | {"ls": "-"})
    axes[0].set(ylabel="loss above", ylim=(-0.1, 0.3), xlim=(0, 500))
    axes[1].set(ylabel="dead rows", ylim=(0, 1))
    axes[2].set(ylabel="spread", yscale="log", ylim=(0.3, 100), xlabel="step")
    figures.label(axes[1], 330, 0.76, "start 4", figures.WRONG)
    figures.label(axes[1], 330, 0.27, "start 1", figures.QUIET)
    return fig


def main():
    """Store the table and the figure."""
    text = json.dumps(film(), separators=(",", ":")).replace("},{", "},\n{")
    TABLE.write_text(
        "// The runs of chapter 12, by start and learning rate. Written by\n"
        "// training_film.py.\n"
        f"globalThis.TRAINING_FILM = {text};\n",
        "utf-8",
        newline="\n",
    )
    FIGURE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
