"""The whole sweep: one line of runs.jsonl a run, taken up where it stopped."""

import json
from pathlib import Path

from experiments.training import run
from experiments.training.search import (
    SEEDS,
    next_runs,
    rate_of,
    seeded_means,
)

RUNS = Path(__file__).parent / "runs" / "runs.jsonl"
STARTS = 1, 4, 1 / 4, 16, 1 / 16, 2, 1 / 2, 8, 1 / 8
FEWER = STARTS[:4]
# Whether failure at sharp starts is a matter of clipping or of warm-up.
VARIANTS = {"plain": {}, "clip": {"clip": 1.0}, "warm-up": {"warm": 0.5}}
# Searches in their order: size, place, variant, starts. Those with the scale
# in the score, small and plain, are full; the others are short, and at the
# larger size they stop at the first seed.
SEARCHES = (
    ("small", "score", "plain", STARTS),
    ("small", "qk-norm", "plain", FEWER),
    ("small", "weights", "plain", FEWER),
    ("large", "score", "plain", FEWER),
    ("small", "score", "clip", (4,)),
    ("small", "score", "warm-up", (4,)),
)
FULL = SEARCHES[0][:3]
GUESS = 3  # best power of 2 where nothing is known yet


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


def losses_of(results):
    return {key: result["loss"] for key, result in results.items()}


def sweep(searches=None):
    """Make the searches of these numbers, all by default, in their order."""
    RUNS.parent.mkdir(exist_ok=True)
    chosen = range(len(SEARCHES)) if searches is None else searches
    for number in chosen:
        size, place, variant, starts = SEARCHES[number]
        for start in starts:
            search((size, place, variant, start))


def search(setting):
    """Make the runs that a setting still needs."""
    size, place, variant, start = setting
    guess = None
    if setting[:3] != FULL:
        known = losses_of(read().get((*FULL, start), {}))
        means = seeded_means(known) or {GUESS: 0}
        guess = min(means, key=means.get)
    seeds = SEEDS if size == "small" else SEEDS[:1]
    while runs := next_runs(
        losses_of(read().get(setting, {})), guess, seeds
    ):
        power, seed = runs[0]
        result = run.train(
            place, start, rate_of(power), seed, size, **VARIANTS[variant]
        )
        line = {"setting": setting, "power": power, "seed": seed} | result
        with RUNS.open("ab", buffering=0) as file:  # one write: others do too
            file.write(json.dumps(line).encode() + b"\n")
        print(
            f"{size} {place} {variant} start {start:g} "
            f"rate {rate_of(power):.5f} seed {seed}: "
            f"loss {result['loss']:.3f}, {result['seconds']:.0f} s",
            flush=True,
        )
