"""Take the census: rows of the newest wheel, models that older ones had,
dates, and the other libraries.
"""

import json
from pathlib import Path

import numpy as np

from experiments import store
from experiments.census import agreement, census
from experiments.census.modality import texts
from experiments.census.wheel import Wheel, download

HERE = Path(__file__).parent
NEWEST = "5.23.0"
LAST_OF_4 = "4.57.3"
COMPARED = ("4.36.2", LAST_OF_4)
COLUMNS = [
    "package",
    "version",
    "added",
    "model",
    "cls",
    "line",
    "config",
    "scale",
    "auto",
    "place",
    "alpha",
    "qknorm",
    "qknorm_on",
    "softcap",
    "sink",
    "bias",
    "rope_factor",
    "fp32",
    "softmaxes",
    "width",
    "heads",
    "head_dim",
    "sigma",
    "positions",
    "low_rank",
    "own_start",
    "digest",
    "parent",
    "root",
    "by_hand",
    "text",
    "key_width",
    "default",
    *("m_scale", "m_alpha", "m_d", "m_turn", "m_qknorm", "m_softcap"),
    *("m_sink", "m_bias", "m_fp32", "m_start", "m_whole"),
    "compared",
    "differs",
    "decided",
    "factors",
]


def wheels(folder: Path) -> dict[tuple[str, str], Wheel]:
    """The wheels of wheels.json, each with the digest that it should have."""
    listed = json.loads((HERE / "wheels.json").read_text("utf-8"))
    return {
        (w["package"], w["version"]): Wheel(
            download(w["package"], w["version"], w["sha256"], folder)
        )
        for w in listed
    }


def read(folder: Path) -> list[dict]:
    """All rows as the tracer has them, those of the newest wheel first."""
    found = wheels(folder)
    own = {
        version: wheel
        for (package, version), wheel in found.items()
        if package == "transformers"
    }
    first: dict[str, str] = {}
    for version in sorted(own, key=lambda version: own[version].newest):
        for model in census.folders(own[version]):
            first.setdefault(model, own[version].newest)
    text = texts(own[NEWEST])
    rows = []
    others = [key for key in found if key[0] != "transformers"]
    ours = [("transformers", version) for version in (NEWEST, *COMPARED)]
    for package, version in ours + others:
        several = census.rows(found[package, version], package)
        if version == NEWEST:
            several += added(own[version])
        for row in several:
            row |= {"package": package, "version": version}
            if package == "transformers":
                row["added"] = first[row["model"]]
            if version == NEWEST:
                row["text"] = int(row["model"] in text)
        rows += several
    return rows


def added(wheel: Wheel) -> list[dict]:
    """The classes that the tracer does not find, with nothing said of them
    but where they stand.
    """
    found = []
    for name in decisions()["add"]:
        model, cls = name.split(".")
        module = wheel.module(f"{census.MODELS}/{model}/modeling_{model}.py")
        found.append(census.described(wheel, module, model, cls))
    return found


def decisions() -> dict:
    """What a person decided."""
    return json.loads((HERE / "hand.json").read_text("utf-8"))


def decided(rows: list[dict]) -> list[dict]:
    """The rows after decisions, those of the newest wheel with what was
    measured.
    """
    hand = decisions()
    newest = [row for row in rows if row["version"] == NEWEST]
    others = [row for row in rows if row["version"] != NEWEST]
    kept = []
    for row in newest:
        name = f"{row['model']}.{row['cls']}"
        if name in hand["leave_out"]:
            continue
        added = _told(hand["add"].get(name, {}))
        change = _told(hand["set"].get(name, {}))
        auto = {"auto": row.get("scale", "")}
        by_hand = {"by_hand": int(bool(change or added))}
        blank = dict.fromkeys(COLUMNS, "") | (NOTHING if added else {})
        kept.append(blank | row | auto | added | change | by_hand)
    kept.sort(key=lambda row: (row["model"], row["line"], row["cls"]))
    joined = agreement.joined(kept, hand["differ"], hand["not_run"])
    return joined + others


def _told(entry: dict) -> dict:
    """What a decision sets, without its reason."""
    return {k: v for k, v in entry.items() if k != "why"}


NOTHING = dict.fromkeys(
    ("softcap", "sink", "bias", "fp32", "rope_factor", "softmaxes"), 0
)


def keep(rows: list[dict]) -> None:
    """Store the rows as book/data/census.npz, and those of the newest wheel as
    a table for readers.
    """
    texts = [
        [_text(row.get(column, "")) for column in COLUMNS] for row in rows
    ]
    listed = json.loads((HERE / "wheels.json").read_text("utf-8"))
    inputs = {f"{w['package']} {w['version']}": w["sha256"] for w in listed}
    for file in ("hand.json", "wheels.json"):
        inputs[f"experiments/census/{file}"] = store.sha256(HERE / file)
    arrays = {
        name: np.array(column)
        for name, column in zip(COLUMNS, zip(*texts, strict=True), strict=True)
    }
    store.write(
        "census",
        arrays,
        program=__file__,
        told={"newest": NEWEST, "compared": list(COMPARED)},
        inputs=inputs,
    )
    lines = [
        COLUMNS,
        *(
            text
            for text, row in zip(texts, rows, strict=True)
            if row["version"] == NEWEST
        ),
    ]
    table = (
        "\n".join(",".join(_quoted(entry) for entry in line) for line in lines)
        + "\n"
    )
    (store.stored.FOLDER / "census.csv").write_text(table, "utf-8")


def _text(value) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _quoted(entry: str) -> str:
    return (
        '"' + entry.replace('"', '""') + '"'
        if set(entry) & set(',"\n')
        else entry
    )
