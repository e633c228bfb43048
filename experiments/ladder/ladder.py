"""Which runs are made, in their order; what is done, and what is stored."""

import json
from dataclasses import asdict, astuple, dataclass, fields, replace

import numpy as np

from bookkit import stored
from experiments import store as stored_in_book
from experiments.ladder import corpus, run
from experiments.trained import sources
from experiments.training.search import (
    SEEDS,
    losses_of,
    next_runs,
    note,
    rate_of,
)
from experiments.training.sweep import filled

RUNS = sources.FOLDER / "ladder" / "runs.jsonl"
NAME = "ladder-widths"  # of the file in book/data/
WIDTHS = 32, 64, 128, 256
# Of the best power of 2 in the rate, where no narrower decoder tells.
GUESS = {1 / 4: 4, 1: 3, 2: 2, 4: 1}


@dataclass(frozen=True)
class Setting:
    """What a run is told beside its rate and its seed."""

    text: str = "plays"
    width: int = 32
    d: int = 32
    start: float = 1
    steps: int = 1000
    ratio: float = 1
    decay: float = 0


def rungs(widths, starts=(1, 4), **others):
    """Return settings of all these starts and widths, narrow ones first."""
    return [
        Setting(width=width, start=start, **others)
        for width in widths
        for start in starts
    ]


# The most telling first: whoever stops early has those.
PLAN = [
    *rungs((32, 64)),
    *rungs((32,), (1, 1 / 4), steps=500),
    *rungs((32,), (1 / 4,)),
    *rungs((32,), (1, 1 / 4), steps=2000),
    *rungs((128,)),
    *rungs((32, 64), ratio=1 / 4),
    *rungs((32, 64), text="code"),
    *rungs((256,)),
    *rungs((64, 128), (1 / 4, 2)),
    *rungs((128,), ratio=1 / 4),
    *rungs((64,), decay=0.1),
    *rungs((128, 256), text="code"),
    # 1/sqrt(d) at each d; and 1/d, equal to it at d = 32, which is a start
    *(Setting(width=128, d=d) for d in (16, 64, 128)),
    *(Setting(width=128, d=d, start=(32 / d) ** 0.5) for d in (16, 64, 128)),
    *rungs((256,), (1 / 4, 2)),
    *rungs((256,), ratio=1 / 4),
]


def read():
    """Return the runs that are done: {setting: {(power, seed): result}}.

    Those of book/data/ are among them, if the same scripts made them.
    """
    done = from_book()
    if RUNS.exists():
        for line in RUNS.read_text("utf-8").splitlines():
            result = json.loads(line)
            setting = Setting(**result.pop("setting"))
            key = result["power"], result["seed"]
            done.setdefault(setting, {})[key] = result
    return done


def from_book():
    """Return the runs that are stored in book/data/, as `read` does."""
    path = stored.FOLDER / f"{NAME}.npz"
    if not path.exists() or stored_in_book.stale(NAME):
        return {}
    data, done = stored.read(NAME), {}
    for i, power in enumerate(data["power"]):
        told = {f.name: data[f.name][i].item() for f in fields(Setting)}
        looks = int(np.isfinite(data["looked_at"][i]).sum())
        result = {"power": int(power), "seed": int(data["seed"][i])} | {
            "loss": float(data["loss"][i]),
            "losses": data["losses"][i].astype(float).tolist(),
            "steps": data["looked_at"][i, :looks].astype(int).tolist(),
            "layers": data["layers"][i, :looks].astype(float).tolist(),
        }
        key = result["power"], result["seed"]
        done.setdefault(Setting(**told), {})[key] = result
    return done


def guess(setting, done):
    """Return the power at which the search begins.

    It is the best of the same setting one width below, or of its start at
    as many steps as usual, or what chapter 12 found.
    """
    nearest = [replace(setting, width=setting.width // 2)]
    nearest += [replace(setting, steps=1000, ratio=1, decay=0, text="plays")]
    for other in nearest:
        found = {
            p: r["loss"] for (p, s), r in done.get(other, {}).items() if s == 0
        }
        if found and other != setting:
            return min(found, key=found.get)
    near = min(GUESS, key=lambda start: abs(np.log(start / setting.start)))
    return GUESS[near]


def sweep():
    """Make the runs that are missing, one after the other."""
    RUNS.parent.mkdir(parents=True, exist_ok=True)
    for setting in PLAN:
        while runs := wanted(setting):
            power, seed = runs[0]
            told = asdict(setting)
            result = run.train(**told, rate=rate_of(power), seed=seed)
            note(RUNS, told, power, seed, result)
            print(
                *astuple(setting),
                f"rate {rate_of(power):.5f} seed {seed}: "
                f"loss {result['loss']:.4f}, {result['seconds']:.0f} s",
                flush=True,
            )


def wanted(setting):
    """Return the runs that a setting still needs, as (power, seed)."""
    done = read()
    begun = guess(setting, done)
    return next_runs(losses_of(done.get(setting, {})), begun, SEEDS)


def rates_at(width):
    """Return how the rates of a decoder are to those that are named."""
    model = run.Decoder(
        corpus.SYMBOLS, run.LENGTH, width, width // 32, run.DEPTH, 1, "score"
    )
    token, _, rest = run.groups(model, width, 1.0, 0.0)
    return {"embedding": token["share"], "matrices": rest["share"]}


def store():
    """Write what is there to book/data/ladder-widths.npz."""
    done = read()
    results = [
        (setting, result)
        for setting in dict.fromkeys(PLAN)
        for _, result in sorted(done.get(setting, {}).items())
    ]
    told = [asdict(setting) for setting, _ in results]
    arrays = {name: np.array([t[name] for t in told]) for name in told[0]}
    arrays |= {
        "power": np.array([r["power"] for _, r in results]),
        "rate": np.array([rate_of(r["power"]) for _, r in results]),
        "seed": np.array([r["seed"] for _, r in results]),
        "loss": np.round([r["loss"] for _, r in results], 4),
        "losses": filled([np.round(r["losses"], 3) for _, r in results]),
        "looked_at": filled([r["steps"] for _, r in results]),
        "layers": filled([r["layers"] for _, r in results]),
        "numbers": np.array([run.HEAD_NUMBERS[i] for i in run.KEPT]),
    }
    complete = [s for s in dict.fromkeys(PLAN) if not wanted(s)]
    return stored_in_book.write(
        NAME,
        arrays,
        program=run.__file__,
        told={
            "depth": run.DEPTH,
            "length": run.LENGTH,
            "batch": run.BATCH,
            "seeds": SEEDS,
            "complete": [asdict(setting) for setting in complete],
            "planned": len(set(PLAN)),
            "optimizer": "AdamW",
            "rates at width 64, 32 being 1": rates_at(64),
            "packages": {n: sources.PACKAGES[n][0] for n in corpus.TEXTS},
        },
        inputs={f"the text {n}": d for n, d in corpus.DIGESTS.items()},
        packages=("numpy", "torch"),
    )
