"""Losses at twice the trained length, with factors by head and without."""

import time

import numpy as np
import torch

from attention_scale.length import entropy_invariant_scale
from attention_scale.rules import yarn
from experiments.trained import decoder, rows, sources, windows, within

LENGTH = 2 * windows.HALF
FREE = (1.03, 1.25)  # factors for all heads, beside those with a name


def cache_of(w, tokens, tokenizer, text, number):
    """Return a window and the keys and values before its last tokens.

    With YaRN's frequencies and the factor 1; kept on disk, 700 MB a window.
    """
    all_of_it = windows.window(tokens, tokenizer, text, number)
    path = sources.FOLDER / f"cache-{text}-{number}.pt"
    if path.exists():
        cache = decoder.Cache(*torch.load(path))
    else:
        rates = decoder.frequencies(2)
        cache = decoder.prefix(w, all_of_it[: -windows.LAST], rates)
        torch.save((cache.keys, cache.values), path)
    return all_of_it, cache


def own_factors(w, cache, tokens, rates):
    """Return the factor that keeps each head's entropy from half to whole.

    The rows are those of the tokens before the last ones; the half is the
    last 8192 keys and the first one.
    """
    found = np.ones((decoder.LAYERS, decoder.HEADS))
    place = torch.arange(cache.length)
    chosen = torch.arange(cache.length - windows.LAST, cache.length, 8)
    seen = place <= chosen[:, None]
    kept = seen & ((place > chosen[:, None] - windows.HALF) | (place == 0))

    def look(layer, query, key):
        start = chosen[0]
        rows_of = query[:, chosen - start].reshape(
            decoder.SHARED, -1, decoder.WIDTH
        )
        x = rows_of @ key.mT / decoder.WIDTH**0.5
        x = x.reshape(decoder.HEADS, len(chosen), -1)
        found[layer] = rows.entropy_keeping(x, seen, kept)

    start = int(chosen[0])
    with torch.no_grad():
        piece = tokens[start : cache.length]
        decoder.branches(w, cache.upto(start), [piece], rates, look=look)
    return found


def law_factors(scale):
    """Return the factor of chapter 8's law, from each head's spread."""
    law = entropy_invariant_scale(LENGTH, scale.ravel(), windows.HALF)
    return (law / scale.ravel()).reshape(scale.shape)


def shuffled(factors, seed):
    """Return the same factors, each at another head."""
    rng = np.random.default_rng(seed)
    return rng.permutation(factors.ravel()).reshape(factors.shape)


def variants(scale, own, seed):
    """Return factors (layer, head) by the name of the rule."""
    law = law_factors(scale)
    ones = np.ones_like(law)
    ratio = np.log(LENGTH) / np.log(windows.HALF)
    named = {
        "one": ones,
        "log": ratio * ones,
        "yarn": float(yarn(LENGTH, windows.HALF)) * ones,
        "law": law,
        "law mean": np.exp(np.log(law).mean()) * ones,
        "law shuffled": shuffled(law, seed),
        "own": own,
        "own mean": np.exp(np.log(own).mean()) * ones,
        "own shuffled": shuffled(own, seed),
    }
    return named | {f"{factor:g}": factor * ones for factor in FREE}


def derivative(w, cache, piece, rates):
    """Return d loss / d log factor of each head, at the factor 1."""
    logs = torch.zeros(decoder.LAYERS, decoder.HEADS, requires_grad=True)
    (found,) = decoder.branches(w, cache, [piece], rates, logs.exp())
    (-found[0].mean()).backward()
    return logs.grad.numpy()


def run(w, tokens, tokenizer, text, number, scale):
    """Measure a window under every rule; return arrays by name."""
    rates = decoder.frequencies(2)
    all_of_it, cache = cache_of(w, tokens, tokenizer, text, number)
    own = own_factors(w, cache, all_of_it, rates)
    seed = [sources.TEXTS.index(text), number]
    named = variants(scale, own, seed)
    last = all_of_it[-windows.LAST :]
    pieces = [last, *windows.questions(tokenizer, text, number)]
    found = {"own factors": own, "law factors": named["law"]}

    def note(name, factors, unseen=0):
        with torch.no_grad():
            factors = torch.tensor(factors, dtype=torch.float32)
            first, *rest = decoder.branches(
                w, cache, pieces, rates, factors, unseen
            )
        found[f"loss {name}"] = -first[0].numpy()
        for what, values in windows.answers(rest).items():
            found[f"{what} {name}"] = values
        print(f"  {name}: {found[f'loss {name}'].mean():.4f}", flush=True)

    for name, factors in named.items():
        note(name, factors)
    note("window", named["one"], unseen=cache.length - windows.HALF)
    found["derivative"] = derivative(w, cache, last, rates)
    return found


def main(w, tokens, tokenizer, texts, numbers):
    """Measure every window that has not been measured yet."""
    for number in numbers:
        for text in texts:
            path = windows.path_of("longer", text, number)
            if windows.kept(path, __file__) is not None:
                continue
            start = time.process_time()
            before = windows.path_of("within", text, number)
            scale = windows.kept(before, within.__file__)["scale 8192"]
            arrays = run(
                w, tokens[text], tokenizer, text, number, scale.astype(float)
            )
            windows.keep(path, arrays, __file__)
            seconds = time.process_time() - start
            print(f"longer {text} {number}: {seconds:.0f} s", flush=True)
