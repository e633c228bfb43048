"""Write the census for the page that filters it.

    python site/explorables/census_table.py

Writes site/explorables/census-rows.js from book/data/census.npz: one line for
each attention class of the newest wheel. First those that do not divide by
exactly sqrt(d) at their defaults, then those that do more than divide, and
the plain ones last; the newest of each kind first.
"""

from pathlib import Path

from bookkit import stored

FILE = Path(__file__).with_name("census-rows.js")
COLUMNS = (
    "model",
    "cls",
    "line",
    "added",
    "scale",
    "default",
    "qknorm",
    "besides",
)
PLAIN = "1/sqrt(d)"
FLAGS = {
    "softcap": "soft cap",
    "sink": "sink",
    "bias": "bias",
    "rope_factor": "RoPE's factor",
}


def lines():
    """Return the rows of the newest wheel as lines of text."""
    data = stored.read("census")
    newest = data["version"] == data["provenance"]["told"]["newest"]
    columns = {
        name: data[name][newest]
        for name in (*COLUMNS[:-1], "qknorm_on", *FLAGS)
    }
    found = []
    for i in range(newest.sum()):
        row = {name: str(column[i]) for name, column in columns.items()}
        row["added"] = row["added"][:7]
        row["default"] = in_words(row["default"])
        if row["qknorm_on"] == "0":
            row["qknorm"] += " (off)"
        flags = [word for flag, word in FLAGS.items() if row[flag] == "1"]
        row["besides"] = ", ".join(flags)
        row["oddity"] = oddity(row)
        found.append(row)
    found.sort(key=lambda row: row["added"], reverse=True)
    found.sort(key=lambda row: row["oddity"])
    return [
        "|".join(COLUMNS),
        *("|".join(row[name] for name in COLUMNS) for row in found),
    ]


def oddity(row):
    """Return 0 for another scale, 1 for more than the division, 2 for it."""
    if PLAIN not in row["default"].split(", "):
        return 0
    bare = row["scale"] == row["default"] == PLAIN and not row["qknorm"]
    flags = row["besides"].split(", ")
    return 2 if bare and not {"soft cap", "sink"}.intersection(flags) else 1


def in_words(default):
    """Return what the scale is at default, in units of 1/sqrt(d)."""
    parts = [part for part in default.split(" | ") if part]
    told = [PLAIN if p == "1" else p for p in parts]
    return ", ".join(
        f"{float(p):.3g}/sqrt(d)" if p[0].isdigit() and "/" not in p else p
        for p in told
    )


def write(file=FILE):
    """Write the rows as a script."""
    text = "\n".join(lines())
    script = (
        "// Written by census_table.py: the attention classes of "
        "transformers, one a line.\n"
        f"globalThis.CENSUS = `{text}`;\n"
    )
    file.write_text(script, "utf-8")


if __name__ == "__main__":
    write()
