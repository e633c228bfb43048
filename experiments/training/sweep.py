"""The whole sweep: one line of runs.jsonl a run, taken up where it stopped."""

import json
from pathlib import Path

from experiments.training import run
from experiments.training.search import next_runs, rate_of, seeded_means

RUNS = Path(__file__).parent / "runs" / "runs.jsonl"
STARTS = 1, 4, 1 / 4, 16, 1 / 16, 2, 1 / 2, 8, 1 / 8
FEWER = STARTS[:5]
SOME = STARTS[:4]
# Whether failure at sharp starts is a matter of clipping or of warm-up.
VARIANTS = {"plain": {}, "clip": {"clip": 1.0}, "warm-up": {"warm": 0.5}}
# Searches in their order: size, place, variant, starts. Those at "small",
# plain, are full; the others short, from the best rate of those.
SEARCHES = (
    ("small", "score", "plain", STARTS),
    ("small", "weights", "plain", FEWER),
    ("small", "qk-norm", "plain", FEWER),
    ("large", "score", "plain", SOME),
    ("long", "score", "plain", SOME),
    ("small", "score", "clip", (4, 16)),
    ("small", "score", "warm-up", (4, 16)),
)


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


def sweep():
    RUNS.parent.mkdir(exist_ok=True)
    for size, place, variant, starts in SEARCHES:
        for start in starts:
            search((size, place, variant, start))


def search(setting):
    """Make the runs that a setting still needs."""
    size, place, variant, start = setting
    guess = None
    if (size, variant) != ("small", "plain"):
        plain = read()["small", place, "plain", start]
        means = seeded_means(losses_of(plain))
        guess = min(means, key=means.get)
    while True:
        done = read().get(setting, {})
        runs = next_runs(losses_of(done), guess)
        if not runs:
            return
        power, seed = runs[0]
        result = run.train(
            place, start, rate_of(power), seed, size, **VARIANTS[variant]
        )
        line = {"setting": setting, "power": power, "seed": seed} | result
        with RUNS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print(
            f"{size} {place} {variant} start {start:g} "
            f"rate {rate_of(power):.5f} seed {seed}: "
            f"loss {result['loss']:.3f}, {result['seconds']:.0f} s",
            flush=True,
        )
