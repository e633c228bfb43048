"""Which runs a setting needs: a search for its best learning rate.

Rates are 0.001 times powers of 2. A full search is coarse first: one seed
at .001, .004 and .016, and on by factors of 4 while the best is at an edge.
Then fine: the two rates beside the best. Then seeds 1 and 2 at the best rate
and beside it, and on while the best mean is at the edge of the rates with
three seeds.

A short search begins at a guess and beside it, and goes on by factors of 2
while the best is at an edge. Then seeds 1 and 2 at the best rate, and at the
next best while its one seed ends below the best mean: one seed alone may have
been lucky where it was best, and unlucky beside it.
"""

import json
import math

import numpy as np

COARSE = 0, 2, 4  # powers of 2
SEEDS = 0, 1, 2


def rate_of(power):
    return 0.001 * 2.0**power


def losses_of(results):
    """Return {(power, seed): loss} of one setting."""
    return {key: result["loss"] for key, result in results.items()}


def note(file, setting, power, seed, result):
    """Add a run to a file of lines: in one write, since others do too."""
    line = {"setting": setting, "power": power, "seed": seed} | result
    with file.open("ab", buffering=0) as stream:
        stream.write(json.dumps(line).encode() + b"\n")


def next_runs(losses, guess=None, seeds=SEEDS):
    """Return the (power, seed) to run next; nothing when the search is over.

    losses : {(power, seed): loss}; one that is not a number counts as
        infinite.
    guess : of the best power, for a short search.
    seeds : that a short search gives to its best rates.
    """
    losses = {
        key: loss if math.isfinite(loss) else math.inf
        for key, loss in losses.items()
    }
    if guess is None:
        return along(losses, COARSE, 2) or beside(losses) or seeded(losses)
    begun = guess - 1, guess, guess + 1
    return along(losses, begun, 1) or at_best(losses, seeds)


def first_seed(losses):
    return {p: loss for (p, seed), loss in losses.items() if seed == 0}


def along(losses, begun, step):
    """Go on while the best rate is at an edge."""
    found = first_seed(losses)
    wanted = [(p, 0) for p in begun if p not in found]
    if wanted:
        return wanted
    found = {p: found[p] for p in found if (p - begun[0]) % step == 0}
    best = min(found, key=found.get)
    if best == min(found):
        return [(best - step, 0)]
    if best == max(found):
        return [(best + step, 0)]
    return []


def beside(losses):
    found = first_seed(losses)
    even = {p: loss for p, loss in found.items() if p % 2 == 0}
    best = min(even, key=even.get)
    return [(p, 0) for p in (best - 1, best + 1) if p not in found]


def seeded(losses):
    means = seeded_means(losses) or first_seed(losses)
    best = min(means, key=means.get)
    return [
        (p, seed)
        for p in (best, best - 1, best + 1)
        for seed in SEEDS
        if (p, seed) not in losses
    ]


def at_best(losses, seeds):
    """Give each rate more seeds whose first ends below the best mean."""
    found, means = first_seed(losses), {}
    for power in sorted(found, key=found.get):
        if means and found[power] >= min(means.values()):
            break
        lacking = [(power, s) for s in seeds if (power, s) not in losses]
        if lacking:
            return lacking
        means[power] = np.mean([losses[power, seed] for seed in seeds])
    best = min(means, key=means.get)
    if best == min(found):
        return [(best - 1, 0)]
    if best == max(found):
        return [(best + 1, 0)]
    return []


def seeded_means(losses):
    """Return {power: mean loss} of the rates that every seed has run at."""
    return {
        p: np.mean([losses[p, seed] for seed in SEEDS])
        for p in {p for p, _ in losses}
        if all((p, seed) in losses for seed in SEEDS)
    }
