"""Runs, a line of JSON each, taken up where they stopped."""

import json
import time
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "runs"


def read(name):
    """Return the runs of a file that are done, by (setting, seed)."""
    file = FOLDER / f"{name}.jsonl"
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    results = [json.loads(line) for line in lines]
    return {(tuple(r["setting"]), r["seed"]): r for r in results}


def make(name, settings, seeds, one):
    """Make the runs that are missing, all settings of a seed at a time.

    Parameters
    ----------
    name : of the file.
    settings : tuples.
    seeds : of each setting.
    one : function of (setting, seed) that returns the numbers of a run.
    """
    FOLDER.mkdir(exist_ok=True)
    for seed in seeds:
        for setting in settings:
            if (setting, seed) in read(name):
                continue
            began = time.process_time()
            line = {"setting": setting, "seed": seed} | one(setting, seed)
            line["seconds"] = time.process_time() - began
            with (FOLDER / f"{name}.jsonl").open("a", encoding="utf-8") as f:
                json.dump(line, f, default=np.ndarray.tolist)
                f.write("\n")
            print(name, *setting, f"{seed}: {line['seconds']:.0f} s")
