"""Compare the tracer with sixty classes that were read before its labels.

    python -m experiments.census.validation [folder of wheels]

The sample is random.Random(15).sample(names, 60) of the 589 classes that the
tracer found, sorted by model and class, before any correction by hand.
read.csv is what a reader wrote down from the code of each.
"""

import csv
import sys
from pathlib import Path

import numpy as np

from experiments import store
from experiments.census import census
from experiments.census.configurations import configurations
from experiments.census.take import HERE, NEWEST, wheels

FIELDS = ("scale", "qknorm", "softcap", "sink", "bias", "fp32")


def compare(folder: Path) -> dict[str, np.ndarray]:
    """What was read and what the tracer says, field by field."""
    wheel = wheels(folder)["transformers", NEWEST]
    text = (HERE / "read.csv").read_text("utf-8")
    read = list(csv.DictReader(text.splitlines()))
    files = census.folders(wheel)
    traced = []
    for row in read:
        paths = files[row["model"]]
        known = configurations(wheel, paths[0])
        module = next(
            m for m in map(wheel.module, paths) if row["cls"] in m.classes
        )
        traced.append(
            census.row_of(wheel, module, row["model"], row["cls"], known)
        )
    names = [f"{row['model']}.{row['cls']}" for row in read]
    columns = {"name": np.array(names)}
    for field in FIELDS:
        columns[f"read_{field}"] = np.array([row[field] for row in read])
        columns[f"traced_{field}"] = np.array(
            [str(row[field]) for row in traced]
        )
    return columns


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "_build/wheels")
    inputs = {
        f"experiments/census/{file}": store.sha256(HERE / file)
        for file in ("read.csv", "wheels.json")
    }
    store.write(
        "census-read",
        compare(folder),
        program=__file__,
        told={"seed": 15, "classes": 60},
        inputs=inputs,
    )
