"""Decoders of one layer: every setting, and other learning rates."""

import numpy as np

from experiments import store as stored_in_book
from experiments.longer import jobs, run, tasks

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
    ("average", False, "none", "constant"),
    ("average", False, "rotary", "constant"),
    ("find", False, "rotary", "constant"),
)
RATES = 5e-4, 1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2, 6.4e-2
RATED, RATED_SEEDS = SETTINGS[:3], range(2)  # with other rates than run.RATE
RATED_LENGTHS = run.LENGTHS[::3]
SAMPLED = SETTINGS[0], 0  # whose queries and keys are kept, and its seed


def sweep():
    """Make the runs that are missing."""

    def one(setting, seed):
        return run.train(setting, seed, sampled=(setting, seed) == SAMPLED)

    jobs.make("tasks", SETTINGS, SEEDS, one)


def sweep_rates():
    """Make those with other learning rates, at three lengths."""
    others = [rate for rate in RATES if rate != run.RATE]
    settings = [(*setting, rate) for setting in RATED for rate in others]

    def one(setting, seed):
        return run.train(setting, seed, lengths=RATED_LENGTHS)

    jobs.make("rates", settings, RATED_SEEDS, one)


def store():
    """Write what has been found to book/data/longer-tasks.npz and -heads."""
    done = jobs.read("tasks")
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
    rated = told | {"seeds": [*RATED_SEEDS]}
    return [
        stored_in_book.write(name, part, __file__, said, packages=packages)
        for name, part, said in (
            ("longer-tasks", arrays, told),
            ("longer-heads", heads, told),
            ("longer-rates", gather_rates(), rated),
        )
    ]


def gather_rates():
    """Return the losses by task: (rate, seed, length, factor)."""
    done = jobs.read("tasks") | jobs.read("rates")
    arrays = {
        "rates": np.array(RATES),
        "lengths": np.array(RATED_LENGTHS),
        "factors": run.FACTORS,
    }
    for setting in RATED:
        for longer in tasks.LONGER[setting[0]]:
            arrays[name_of(longer, *setting[1:])] = brief(
                [
                    [
                        losses_at(done, setting, rate, seed)[longer]
                        for seed in RATED_SEEDS
                    ]
                    for rate in RATES
                ]
            )
    return arrays


def losses_at(done, setting, rate, seed):
    """Return the losses of a run with this rate, {longer: (length, factor)}.

    The runs of the main sweep have more lengths.
    """
    common = rate == run.RATE
    tests = done[setting if common else (*setting, rate), seed]["tests"]
    every = 3 if common else 1
    return {
        longer: np.array(test)[::every, :, 0] for longer, test in tests.items()
    }


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
