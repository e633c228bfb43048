"""Compare the tracer with two samples of sixty classes that were read before
its labels.

    python -m experiments.census.validation [folder of wheels]

The first sample is random.Random(15).sample(names, 60) of the 589 classes that
the tracer found, sorted by model and class, before any correction by hand; its
reader had met about eight of them before.

The second has a reader who had seen none of its labels: it is
random.Random(16).sample(rest, 60), where rest is the census without the first
sample, the classes of hand.json, the models that the chapter names (NAMED) and
the names before `blenderbot`, which the reader had met in a listing. It says
what is left to be found among classes that nobody had looked at; it says less
of the tracer, as what had been found wrong is not in it.

read.csv is what a reader wrote down from the code of each.
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
NAMED = """
cvt deberta deepseek_v2 dia diffusion_gemma embedding_gemma2 esm evolla
falcon_h1 florence2 gemma2 gemma3 gemma3n gemma4 gemma4_unified gpt_neo granite
granitemoe granitemoehybrid granitemoeshared inkling inkling2 layoutlmv3
lightglue lilt llama llama4 mobilebert muse_spark openai_privacy_filter
qwen2_5_omni sam2 swiftformer t5 t5gemma2 zamba zamba2 zaya axk1
"""
SINCE = {  # corrected after the sample was drawn
    "evolla.EvollaSaProtSelfAttention",
    "falcon.FalconAttention",
    "grounding_dino.GroundingDinoBiMultiHeadAttention",
    "mistral_large4.MistralLarge4TextAttention",
    "mm_grounding_dino.MMGroundingDinoBiMultiHeadAttention",
}


def readings() -> list[dict]:
    """What was read, one entry for each class of both samples."""
    text = (HERE / "read.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def second_sample(names: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Sixty classes for a reader who has seen no label, out of the pairs
    (model, class) of the census.
    """
    hand = json.loads((HERE / "hand.json").read_text("utf-8"))
    met = {(r["model"], r["cls"]) for r in readings() if r["sample"] == "1"}
    met |= {
        tuple(name.split("."))
        for part in ("set", "leave_out", "add")
        for name in set(hand[part]) - SINCE
    }
    rest = [
        name
        for name in sorted(names)
        if name not in met
        and name[0] not in NAMED.split()
        and name >= ("blenderbot", "")
    ]
    return sorted(random.Random(16).sample(rest, 60))


def compare(folder: Path) -> dict[str, np.ndarray]:
    """What was read and what the tracer says, field by field."""
    wheel = wheels(folder)["transformers", NEWEST]
    read = readings()
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
    columns = {
        "name": np.array(names),
        "sample": np.array([int(row["sample"]) for row in read]),
    }
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
        told={"seeds": [15, 16], "classes": 60},
        inputs=inputs,
    )
