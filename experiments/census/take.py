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


def corrected(rows: list[dict], hand: dict, wheel: Wheel) -> list[dict]:
    """The rows after reading: corrections, classes left out, classes added."""
    kept = []
    for row in rows:
        name = f"{row['model']}.{row['cls']}"
        if name in hand["leave_out"]:
            continue
        change = {
            k: v for k, v in hand["set"].get(name, {}).items() if k != "why"
        }
        kept.append(
            row
            | {"auto": row["scale"]}
            | change
            | {"by_hand": int(bool(change))}
        )
    for name, facts in hand["add"].items():
        model, cls = name.split(".")
        module = wheel.module(f"{census.MODELS}/{model}/modeling_{model}.py")
        blank = dict.fromkeys(
            ("softcap", "sink", "bias", "fp32", "rope_factor", "softmaxes"), 0
        )
        told = {k: v for k, v in facts.items() if k != "why"}
        kept.append(
            census.described(wheel, module, model, cls)
            | blank
            | told
            | {"by_hand": 1}
        )
    return sorted(
        kept, key=lambda row: (row["model"], row["line"], row["cls"])
    )


def take(folder: Path) -> list[dict]:
    """All rows, the newest wheel first."""
    found = wheels(folder)
    hand = json.loads((HERE / "hand.json").read_text("utf-8"))
    own = {
        version: wheel
        for (package, version), wheel in found.items()
        if package == "transformers"
    }
    order = sorted(own, key=lambda version: own[version].newest)
    first: dict[str, str] = {}
    for version in order:
        for model in census.folders(own[version]):
            first.setdefault(model, own[version].newest)
    rows = []
    now = corrected(census.rows(own[NEWEST]), hand, own[NEWEST])
    now = agreement.joined(
        [dict.fromkeys(COLUMNS, "") | row for row in now], hand["differ"]
    )
    text = texts(own[NEWEST])
    for row in now:
        row["text"] = int(row["model"] in text)
    rows += [
        row | {"package": "transformers", "version": NEWEST} for row in now
    ]
    for version in COMPARED:
        rows += [
            row | {"package": "transformers", "version": version}
            for row in census.rows(own[version])
        ]
    for row in rows:
        row["added"] = first[row["model"]]
    for (package, version), wheel in found.items():
        if package != "transformers":
            rows += [
                row | {"package": package, "version": version}
                for row in census.rows(wheel, package)
            ]
    return rows


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
