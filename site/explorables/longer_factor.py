"""Store the losses of chapter 14 by length and factor, and draw some.

    python site/explorables/longer_factor.py

Writes site/explorables/longer-factor-table.js, a table for an explorable: the
mean losses of small decoders in texts longer than those of their training,
for each factor on the logits that was tried. Then
book/figures/longer-factor.svg: the losses at 4096 tokens.
"""

import json
from pathlib import Path

import numpy as np

from bookkit import figures, stored

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("longer-factor-table.js")
FIGURE = ROOT / "book/figures/longer-factor.svg"
TASKS = {"few": "few noisy", "share": "share noisy", "find": "find noisy"}


def table():
    """Return lengths, factors, and mean losses by task and length."""
    data = stored.read("longer-tasks")
    loss = list(data["numbers"]).index("loss")
    return {
        "lengths": data["lengths"].tolist(),
        "factors": data["factors"].round(4).tolist(),
        "losses": {
            name: data[f"{task} none constant"][..., loss]
            .mean(axis=0, dtype=float)
            .round(4)
            .tolist()
            for name, task in TASKS.items()
        },
    }


def draw():
    """Draw the losses at 4096 tokens against the factor."""
    found = table()
    figure, ax = figures.subplots(height=2.9)
    factors = np.array(found["factors"])
    places = {"few": (3.4, 0.85), "share": (8.4, 0.75), "find": (2.6, 1.25)}
    for name, place in places.items():
        losses = np.array(found["losses"][name][-1])
        ax.semilogx(factors, losses, "o-", ms=3, **figures.INK, lw=1)
        figures.label(ax, *place, name)
        best = losses.argmin()
        ax.errorbar(factors[best], losses[best], **figures.SIMULATION)
    ax.axvline(2, **figures.WRONG | {"lw": 1.4})
    figures.label(ax, 2.1, 1.75, "log n / log n₀", figures.WRONG)
    ax.set(xlabel="factor on the logits", ylabel="loss", ylim=(0, 1.9))
    ax.set_xticks([0.5, 1, 2, 4, 8, 16], ["½", "1", "2", "4", "8", "16"])
    ax.minorticks_off()
    return figure


def main():
    """Store the table and the figure."""
    text = json.dumps(table(), separators=(",", ":")).replace("],[", "],\n[")
    TABLE.write_text(
        "// The losses of chapter 14, by task, length and factor. Written by\n"
        "// longer_factor.py.\n"
        f"globalThis.LONGER_FACTOR = {text};\n",
        "utf-8",
        newline="\n",
    )
    FIGURE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
