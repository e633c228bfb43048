"""Compare the labels with fifty classes that were read before them.

    python -m experiments.census.validation [folder of wheels]

The sample is random.Random(17).sample(names, 50) of the names of all classes
of the census, sorted; read.csv is what a reader wrote down from the code of
each, not having looked at its labels; those of five, MET, had been met in
lists of odd cases. What is compared are the labels as they stood then:
without the corrections that the sample led to, LATER.
"""

import csv
import json
import random
import sys
from pathlib import Path

import numpy as np

from experiments import store
from experiments.census import census
from experiments.census.configurations import configurations
from experiments.census.take import HERE, NEWEST, wheels

FIELDS = ("scale", "qknorm", "softcap", "sink", "bias", "fp32")
SEED, CLASSES = 17, 50
MET = ["chameleon", "esm", "gemma4", "openai_privacy_filter", "qwen2_5_omni"]
LATER = {
    "dinat.NeighborhoodAttention",
    "prophetnet.ProphetNetNgramSelfAttention",
}


def readings() -> list[dict]:
    """What was read, one entry for each class."""
    text = (HERE / "read.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def sample(names: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The classes of the sample, out of the pairs (model, class)."""
    return sorted(random.Random(SEED).sample(sorted(names), CLASSES))


def compare(folder: Path) -> dict[str, np.ndarray]:
    """What was read and what the labels said, field by field."""
    wheel = wheels(folder)["transformers", NEWEST]
    hand = json.loads((HERE / "hand.json").read_text("utf-8"))["set"]
    read = readings()
    files = census.folders(wheel)
    labelled = []
    for row in read:
        paths = files[row["model"]]
        known = configurations(wheel, paths[0])
        module = next(
            m for m in map(wheel.module, paths) if row["cls"] in m.classes
        )
        name = f"{row['model']}.{row['cls']}"
        traced = census.row_of(wheel, module, row["model"], row["cls"], known)
        labelled.append(
            traced | (hand.get(name, {}) if name not in LATER else {})
        )
    names = [f"{row['model']}.{row['cls']}" for row in read]
    columns = {"name": np.array(names)}
    for field in FIELDS:
        columns[f"read_{field}"] = np.array([row[field] for row in read])
        columns[f"label_{field}"] = np.array(
            [str(row[field]) for row in labelled]
        )
    return columns


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "_build/wheels")
    inputs = {
        f"experiments/census/{file}": store.sha256(HERE / file)
        for file in ("read.csv", "hand.json", "wheels.json")
    }
    store.write(
        "census-read",
        compare(folder),
        program=__file__,
        told={"seed": SEED, "classes": CLASSES, "met before": MET},
        inputs=inputs,
    )
