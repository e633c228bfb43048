"""Put what was measured into book/data/: trained-*.npz."""

import numpy as np

from experiments import store
from experiments.trained import (
    agreement,
    encoder,
    longer,
    sources,
    untrained,
    windows,
    within,
)

PACKAGES = ("numpy", "scipy", "torch", "tokenizers", "transformers")
# statistics of the rows of a head, of those in rows.describe, that are kept
OF_ROWS = (
    "scale",
    "entropy",
    "collision",
    "entropy_by_row",
    "entropy_own",
    "entropy_all",
    "sink",
    "near",
    "largest",
    "skew",
    "kurtosis",
    "between_rows",
    "dead",
    "dead_all",
)
OF_PARTS = ("by_distance", "by_key", "slope")
OF_PRODUCTS = (
    "dot_mean",
    "dot_variance",
    "zero_means",
    "components",
    "vectors",
    "effective_dimension",
    "mean_over_spread_q",
    "mean_over_spread_k",
)
OF_LAST = ("last_entropy", "last_scale", "last_log_odds")


def results(kind, module):
    """Return the results of all windows of a kind, and their names."""
    found = {}
    for text in sources.TEXTS:
        for number in range(len(windows.STARTS[text])):
            path = windows.path_of(kind, text, number)
            arrays = windows.kept(path, module.__file__)
            if arrays is not None:
                found[f"{text} {number}"] = arrays
    return found


def stacked(found, name, kind=np.float16):
    """Return one array of all windows, the windows first."""
    return np.stack([arrays[name] for arrays in found.values()]).astype(kind)


def write(name, arrays, told, model="decoder"):
    """Store arrays with what all of them share."""
    inputs = sources.inputs(model)
    path = store.write(
        f"trained-{name}", arrays, __file__, told, inputs, PACKAGES
    )
    print(f"{path.name}: {path.stat().st_size:,} bytes")


def heads():
    """Store the rows of the decoder's heads, and what its logits share."""
    found = results("within", within)
    named = {
        name: np.stack(
            [stacked(found, f"{name} {n}") for n in within.LENGTHS], 1
        )
        for name in OF_ROWS
    }
    told = {
        "windows": [*found],
        "lengths": within.LENGTHS,
        "rows of each length": within.ROWS,
        "keys": [
            round(float(within.positions_of(n).float().mean()))
            for n in within.LENGTHS
        ],
        "axes": "window, length, layer, head",
    }
    write("heads", named, told)
    parts = {n: stacked(found, f"{n} {windows.HALF}") for n in OF_PARTS}
    parts |= {n: stacked(found, f"{n} 2048", np.float32) for n in OF_PRODUCTS}
    for length in within.FROM:
        for name in OF_LAST:
            parts[f"{name} {length}"] = stacked(found, f"{name} {length}")
    told = {
        "windows": [*found],
        "lengths of the last keys": within.SUFFIXES,
        "axes": "window, layer, head, number of last keys",
    }
    write("parts", parts, told)
    first = found["prose 0"]
    sample = {
        f"{what} {layer} {head}": first[f"{what} {layer} {head}"].astype(
            np.float16
        )
        for layer, head in within.SAMPLE
        for what in ("query", "key")
    }
    told = {"window": "prose 0", "heads": within.SAMPLE, "keys": within.KEYS}
    write("sample", sample, told)


def losses():
    """Store the losses within the trained length, by multiplier."""
    found = results("within", within)
    told = {
        "windows": [*found],
        "lengths": within.LOSSES,
        "multipliers": within.MULTIPLIERS,
        "axes": "window, length, multiplier, token",
    }
    write("losses", {"within": stacked(found, "losses")}, told)


def beyond():
    """Store the losses beyond it by rule, and the answers about facts."""
    found = {
        f"{text} {number}": arrays
        for text in sources.TEXTS
        for number in range(len(windows.STARTS[text]))
        if (arrays := longer.results(text, number)) is not None
    }
    arrays = {
        name: stacked(found, name, np.float32)
        for name in next(iter(found.values()))
    }
    asked = results("facts", within)
    for name in ("digits", "right"):
        arrays[f"{name} within"] = stacked(asked, name, np.float32)
    told = {
        "windows": [*found],
        "length": longer.LENGTH,
        "names asked for": [*windows.STATED, *windows.UNSTATED],
        "windows of 8192 tokens asked": [*asked],
    }
    write("longer", arrays, told)


def others():
    """Store the encoder's rows, the untrained decoder's, and agreement."""
    for kind, module in (("encoder", encoder), ("untrained", untrained)):
        found = results(kind, module)
        names = next(iter(found.values()))
        keep = ("scale", "entropy", "entropy_own", "entropy_all", "sink")
        arrays = {
            name: stacked(found, name)
            for name in names
            if name.rsplit(" ", 1)[0] in keep
        }
        told = {"windows": [*found], "lengths": module.LENGTHS}
        if kind == "encoder":
            told["axes"] = "text, passage, layer, head"
        else:
            off = windows.kept(
                windows.path_of("agreement", "all", 0), agreement.__file__
            )
            arrays |= {f"off {name}": values for name, values in off.items()}
            told["axes"] = "text, layer, head"
        write(
            kind, arrays, told, "encoder" if kind == "encoder" else "decoder"
        )


def main():
    """Store everything that is there."""
    heads()
    losses()
    beyond()
    others()
