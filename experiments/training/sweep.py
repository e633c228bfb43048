"""The whole sweep: one line of runs.jsonl a run, taken up where it stopped."""

import json
from pathlib import Path

import numpy as np

from experiments import store as stored_in_book
from experiments.training import run, text
from experiments.training.search import (
    SEEDS,
    losses_of,
    next_runs,
    note,
    rate_of,
    seeded_means,
)

TEXT_IN_BOOK = "book/data/pride-and-prejudice.txt.xz"
RUNS = Path(__file__).parent / "runs" / "runs.jsonl"
STARTS = 1, 4, 1 / 4, 16, 1 / 16, 2, 1 / 2, 8, 1 / 8
FEWER = STARTS[:4]
# Whether failure at sharp starts is a matter of clipping or of warm-up.
VARIANTS = {"plain": {}, "clip": {"clip": 1.0}, "warm-up": {"warm": 0.5}}
# Searches in their order: size, place, variant, starts. Two are full, the
# others short; at the larger size they stop at the first seed.
SEARCHES = (
    ("small", "score", "plain", STARTS),
    ("small", "qk-norm", "plain", FEWER),
    ("small", "weights", "plain", (1, 4)),
    ("large", "score", "plain", (1, 4, 1 / 4)),
    ("small", "score", "clip", (4, 1)),
    ("small", "score", "warm-up", (4, 1)),
)
FULL = [("small", "score", "plain", start) for start in (1, 4)]
# The best power of 2 where nothing is known yet, from a first look.
GUESS = {1 / 16: 5, 1 / 8: 5, 1 / 4: 4, 1 / 2: 4, 1: 3, 2: 2, 4: 1, 8: 0}


def read():
    """Return the runs that are done, by (size, place, variant, start)."""
    done = {}
    if RUNS.exists():
        for line in RUNS.read_text("utf-8").splitlines():
            result = json.loads(line)
            done.setdefault(tuple(result["setting"]), {})[
                result["power"], result["seed"]
            ] = result
    return done


def sweep(searches=None, only=None):
    """Make the searches of these numbers, all by default, in their order.

    only : starts, for a share of the work.
    """
    RUNS.parent.mkdir(exist_ok=True)
    chosen = range(len(SEARCHES)) if searches is None else searches
    for number in chosen:
        size, place, variant, starts = SEARCHES[number]
        for start in starts:
            if only is None or start in only:
                search((size, place, variant, start))


def search(setting):
    """Make the runs that a setting still needs."""
    size, place, variant, start = setting
    guess = None
    if setting not in FULL:
        known = read().get(("small", "score", "plain", start), {})
        means = seeded_means(losses_of(known))
        guess = min(means, key=means.get) if means else GUESS.get(start, 0)
    seeds = SEEDS if size == "small" else SEEDS[:1]
    while runs := next_runs(losses_of(read().get(setting, {})), guess, seeds):
        power, seed = runs[0]
        result = run.train(
            place, start, rate_of(power), seed, size, **VARIANTS[variant]
        )
        note(RUNS, setting, power, seed, result)
        print(
            f"{size} {place} {variant} start {start:g} "
            f"rate {rate_of(power):.5f} seed {seed}: "
            f"loss {result['loss']:.3f}, {result['seconds']:.0f} s",
            flush=True,
        )


def store():
    """Write what has been found to book/data/training-starts.npz."""
    results = [
        result
        for setting, found in sorted(read().items())
        for _, result in sorted(found.items())
    ]
    size, place, variant, start = (
        np.array(part)
        for part in zip(*(r["setting"] for r in results), strict=True)
    )
    arrays = {
        "size": size,
        "place": place,
        "variant": variant,
        "start": start.astype(float),
        "rate": np.array([rate_of(r["power"]) for r in results]),
        "seed": np.array([r["seed"] for r in results]),
        "loss": np.array([round(r["loss"], 4) for r in results]),
        "losses": filled([np.round(r["losses"], 3) for r in results]),
        "looked_at": filled([kept_looks(r["steps"]) for r in results]),
        "heads": filled([brief(kept_looks(r["heads"])) for r in results]),
        "layers": filled([brief(kept_looks(r["layers"])) for r in results]),
        "head_numbers": np.array(run.HEAD_NUMBERS),
        "layer_numbers": np.array(run.LAYER_NUMBERS),
        "counted": np.round([text.counted_loss(n) for n in (1, 2)], 4),
    }
    return stored_in_book.write(
        "training-starts",
        arrays,
        program=run.__file__,
        told={
            "sizes": run.SIZES,
            "warm-up": run.WARM_UP,
            "betas": run.BETAS,
            "seeds": SEEDS,
            "variants": VARIANTS,
        },
        inputs={TEXT_IN_BOOK: stored_in_book.sha256(text.TEXT)},
        packages=("numpy", "torch"),
    )


def kept_looks(numbers):
    """Return every second look, and the first and the last ones."""
    chosen = [0, 1, 2, 3, *range(4, len(numbers), 2), len(numbers) - 1]
    return np.array(numbers)[sorted({i for i in chosen if i < len(numbers)})]


def brief(numbers):
    """Round to three significant digits."""
    size = np.floor(np.log10(np.maximum(np.abs(numbers), 1e-12)))
    factor = 10.0 ** (2 - size)
    return np.round(numbers * factor) / factor


def filled(parts):
    """Stack arrays of one dimension, with NaN where one is smaller."""
    parts = [np.asarray(part, float) for part in parts]
    shape = np.max([part.shape for part in parts], axis=0)
    whole = np.full((len(parts), *shape), np.nan, np.float32)
    for row, part in zip(whole, parts, strict=True):
        row[tuple(slice(length) for length in part.shape)] = part
    return whole
