"""The whole sweep: one line of runs.jsonl a run, taken up where it stopped."""

import json
from pathlib import Path

import numpy as np

from experiments import store as stored_in_book
from experiments.longer import run, tasks

RUNS = Path(__file__).parent / "runs" / "runs.jsonl"
SEEDS = range(4)
# Kind, noisy, positions, scale in training.
SETTINGS = (
    ("average", True, "none", "constant"),
    ("find", True, "none", "constant"),
    ("find", False, "none", "constant"),
    ("average", True, "none", "log"),
    ("find", True, "none", "log"),
    ("find", False, "none", "log"),
    ("average", True, "rotary", "constant"),
    ("find", True, "rotary", "constant"),
)
SAMPLED = SETTINGS[0], 0  # whose queries and keys are kept, and its seed


def read():
    """Return the runs that are done, by (setting, seed)."""
    lines = RUNS.read_text("utf-8").splitlines() if RUNS.exists() else []
    results = [json.loads(line) for line in lines]
    return {(tuple(r["setting"]), r["seed"]): r for r in results}


def sweep():
    """Make the runs that are missing, all settings of a seed at a time."""
    RUNS.parent.mkdir(exist_ok=True)
    for seed in SEEDS:
        for setting in SETTINGS:
            if (setting, seed) in read():
                continue
            kept = (setting, seed) == SAMPLED
            result = run.train(*setting, seed, sampled=kept)
            line = {"setting": setting, "seed": seed} | result
            with RUNS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(*setting, f"seed {seed}: {result['seconds']:.0f} s")


def store():
    """Write what has been found to book/data/longer-tasks.npz and -heads."""
    done = read()
    told = {
        "n_0": run.N_0,
        "kappa": tasks.KAPPA,
        "types": tasks.TYPES,
        "dimensions of keys": tasks.M,
        "width, heads, depth": [run.WIDTH, run.HEADS, run.DEPTH],
        "steps, batch, rate": [run.STEPS, run.BATCH, run.RATE],
        "seeds": [*SEEDS],
    }
    arrays = {
        "lengths": np.array(run.LENGTHS),
        "factors": run.FACTORS,
        "numbers": np.array(run.NUMBERS),
    }
    for setting in SETTINGS:
        runs = [done[setting, seed] for seed in SEEDS]
        for which, every in (("tests", 1), ("interpolated", 2)):
            for longer in runs[0][which]:
                name = name_of(longer, *setting[1:])
                found = [r[which][longer] for r in runs]
                key = name if every == 1 else f"{name} interpolated"
                arrays[key] = brief(found)
                arrays[f"{name} alpha"] = np.array([r["alpha"] for r in runs])
                arrays[f"{name} losses"] = brief([r["losses"] for r in runs])
    sampled = done[SAMPLED]["sample"]
    heads = {
        f"{part} {longer} {n}": np.array(
            values, bool if part == "match" else np.float16
        )
        for longer, by_length in sampled.items()
        for n, parts in by_length.items()
        for part, values in parts.items()
    }
    packages = "numpy", "torch"
    return [
        stored_in_book.write(name, part, run.__file__, told, packages=packages)
        for name, part in (("longer-tasks", arrays), ("longer-heads", heads))
    ]


def name_of(longer, noisy, positions, scale):
    """Return the name of a test in the stored file."""
    noise = "noisy" if noisy else "exact"
    return f"{longer} {noise} {positions} {scale}"


def brief(numbers):
    """Return numbers with about four digits, small when compressed."""
    mantissa, exponent = np.frexp(np.array(numbers, float))
    return np.ldexp(np.round(mantissa * 2**13) / 2**13, exponent).astype(
        np.float32
    )
