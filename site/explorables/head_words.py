"""Store what four trained heads see in a page of a novel, and draw it.

    python site/explorables/head_words.py

Writes site/explorables/head-words-table.js, a table for an explorable: the
words of the sample of chapter 13, and how far the logits of five of its rows
lie below the largest, as letters. Then book/figures/head-words.svg: the words
that one of them looks at.
"""

import json
from pathlib import Path

import numpy as np

from attention_scale.quenched import averages
from attention_scale.softmax import softmax
from bookkit import figures, stored

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("head-words-table.js")
FIGURE = ROOT / "book/figures/head-words.svg"
ROWS = (484, 492, 500, 506, 511)
SHOWN = ROWS[1]
STEP = 0.2  # of a logit, in nats
# letters that need no escape, one a step
LETTERS = [chr(code) for code in range(35, 127) if chr(code) != "\\"]
FIRST = 1  # the first token is left out of the rows, as in the chapter
SPREADS = np.linspace(0, 12, 61)


def logits(head, row):
    """Return the logits of a row of a head, the first token left out."""
    sample = stored.read("trained-sample")
    query, key = (
        sample[f"{what} {head[0]} {head[1]}"].astype(float)
        for what in ("query", "key")
    )
    last = query[row - len(key) + len(query)]
    return key[FIRST : row + 1] @ last / np.sqrt(last.size)


def heads():
    """Return the heads of the sample: their layers and numbers."""
    return stored.read("trained-sample")["provenance"]["told"]["heads"]


def words():
    """Return the tokens of the sample, as text."""
    return stored.read("trained-words")["words"].tolist()


def coded(scores):
    """Return how far scores lie below the largest, a letter for each."""
    steps = np.rint((scores.max() - scores) / STEP).astype(int)
    return "".join(LETTERS[min(s, len(LETTERS) - 1)] for s in steps)


def table():
    """Return what the script reads."""
    collision = averages(SHOWN, SPREADS).collision
    return {
        "words": words(),
        "heads": heads(),
        "rows": ROWS,
        "step": STEP,
        "spread": SPREADS[1],
        "keys": [round(float(x), 2) for x in 1 / collision],
        "below": [[coded(logits(h, row)) for row in ROWS] for h in heads()],
    }


def draw():
    """Draw the six largest weights of a row in each head, with their words."""
    figure, axes = figures.subplots(2, 2, height=3.6, sharex=True)
    for ax, head in zip(axes.flat, heads(), strict=True):
        p = softmax(logits(head, SHOWN))
        best = np.argsort(-p)[:6]
        named = [words()[FIRST + i].strip() or "¶" for i in best]
        ax.barh(range(6), 100 * p[best], color=figures.THEORY["color"])
        ax.set_yticks(range(6), named)
        ax.invert_yaxis()
        ax.set(title=f"layer {head[0]}, head {head[1]}")
    figure.supxlabel("weight, %", fontsize=11, **figures.INK)
    return figure


def main():
    """Store the table and the figure."""
    text = json.dumps(table(), separators=(",", ":"), ensure_ascii=False)
    text = text.replace("],[", "],\n[")
    TABLE.write_text(
        "// What four heads see in a page of a novel. Written by\n"
        "// head_words.py.\n"
        f"globalThis.HEAD_WORDS = {text};\n",
        "utf-8",
        newline="\n",
    )
    FIGURE.write_text(figures.to_svg(draw()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
