"""Losses at twice the trained length, with factors by head and without.

A window is measured in jobs, one for each rule, so that several processes can
share it: each takes the first job that nobody has taken.
"""

import os
import time

import numpy as np
import torch

from attention_scale.length import entropy_invariant_scale
from attention_scale.rules import yarn
from experiments.trained import decoder, rows, sources, windows, within

LENGTH = 2 * windows.HALF
RULES = (
    "one",
    "log",
    "yarn",
    "law",
    "law mean",
    "own",
    "own mean",
    "law shuffled",
    "own shuffled",
    "window",
)
JOBS = ("own factors", *RULES, "derivative")


def cache_of(w, tokens, tokenizer, text, number):
    """Return a window and the keys and values before its last tokens.

    With YaRN's frequencies and the factor 1; kept on disk, 700 MB a window.
    """
    all_of_it = windows.window(tokens, tokenizer, text, number)
    path = sources.FOLDER / f"cache-{text}-{number}.pt"
    if not path.exists():
        rates = decoder.frequencies(2)
        cache = decoder.prefix(w, all_of_it[: -windows.LAST], rates)
        partial = path.with_suffix(f".{os.getpid()}")
        torch.save((cache.keys, cache.values), partial)
        partial.replace(path)
    return all_of_it, decoder.Cache(*torch.load(path, mmap=True))


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
    start = int(chosen[0])

    def look(layer, query, key):
        rows_of = query[:, chosen - start].reshape(
            decoder.SHARED, -1, decoder.WIDTH
        )
        x = rows_of @ key.mT / decoder.WIDTH**0.5
        x = x.reshape(decoder.HEADS, len(chosen), -1)
        found[layer] = rows.entropy_keeping(x, seen, kept)

    with torch.no_grad():
        piece = tokens[start : cache.length]
        decoder.branches(w, cache.upto(start), [piece], rates, look=look)
    return found


def law_factors(scale):
    """Return the factor of chapter 8's law, from each head's spread."""
    law = entropy_invariant_scale(LENGTH, scale.ravel(), windows.HALF)
    return (law / scale.ravel()).reshape(scale.shape)


def factors_of(rule, law, own, seed):
    """Return the factors (layer, head) of a rule."""
    ones = np.ones((decoder.LAYERS, decoder.HEADS))
    if rule == "log":
        return np.log(LENGTH) / np.log(windows.HALF) * ones
    if rule == "yarn":
        return float(yarn(LENGTH, windows.HALF)) * ones
    if rule in ("one", "window"):
        return ones
    by_head = law if rule.startswith("law") else own
    if rule.endswith("mean"):
        return np.exp(np.log(by_head).mean()) * ones
    if rule.endswith("shuffled"):
        rng = np.random.default_rng(seed)
        return rng.permutation(by_head.ravel()).reshape(ones.shape)
    return by_head


def derivative(w, cache, piece, rates):
    """Return d loss / d log factor of each head, at the factor 1."""
    logs = torch.zeros(decoder.LAYERS, decoder.HEADS, requires_grad=True)
    (found,) = decoder.branches(w, cache, [piece], rates, logs.exp())
    (-found[0].mean()).backward()
    return logs.grad.numpy()


def run(w, tokens, tokenizer, text, number, job):
    """Do one job of a window; return arrays by name."""
    rates = decoder.frequencies(2)
    all_of_it, cache = cache_of(w, tokens, tokenizer, text, number)
    if job == "own factors":
        return {job: own_factors(w, cache, all_of_it, rates)}
    last = all_of_it[-windows.LAST :]
    if job == "derivative":
        return {job: derivative(w, cache, last, rates)}
    before = windows.kept(
        windows.path_of("within", text, number), within.__file__
    )
    law = law_factors(before["scale 8192"].astype(float))
    own = windows.kept(path_of("own factors", text, number), __file__)
    seed = [sources.TEXTS.index(text), number]
    factors = factors_of(job, law, own and own["own factors"], seed)
    pieces = [last, *windows.questions(tokenizer, text, number)]
    unseen = cache.length - windows.HALF if job == "window" else 0
    with torch.no_grad():
        first, *rest = decoder.branches(
            w, cache, pieces, rates, torch.tensor(factors).float(), unseen
        )
    found = {f"{what} {job}": v for what, v in windows.answers(rest).items()}
    found[f"loss {job}"] = -first[0].numpy()
    return found | ({"law factors": law} if job == "law" else {})


def path_of(job, text, number):
    """Return where the results of a job are kept."""
    return windows.path_of(f"longer-{job.replace(' ', '-')}", text, number)


def results(text, number):
    """Return the arrays of a window's jobs, or None if some are missing."""
    found = {}
    for job in JOBS:
        arrays = windows.kept(path_of(job, text, number), __file__)
        if arrays is None:
            return None
        found |= arrays
    return found


def taken(path):
    """Take a job, and tell whether somebody else has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    claim = path.with_suffix(".claim")
    try:
        claim.touch(exist_ok=False)
    except FileExistsError:
        return True
    return False


def main(w, tokens, tokenizer, texts, numbers):
    """Do every job that has not been done or taken yet."""
    for number in numbers:
        for text in texts:
            for job in JOBS:
                path = path_of(job, text, number)
                if windows.kept(path, __file__) is not None or taken(path):
                    continue
                wait_for_own(job, text, number)
                start = time.process_time()
                arrays = run(w, tokens[text], tokenizer, text, number, job)
                windows.keep(path, arrays, __file__)
                path.with_suffix(".claim").unlink()
                loss = arrays.get(f"loss {job}", np.array(np.nan)).mean()
                seconds = time.process_time() - start
                print(
                    f"{text} {number} {job}: {loss:.4f} {seconds:.0f} s",
                    flush=True,
                )


def wait_for_own(job, text, number):
    """Wait until the factors that a job needs are there."""
    path = path_of("own factors", text, number)
    while job.startswith("own ") or job == "own":
        if job == "own factors" or windows.kept(path, __file__) is not None:
            return
        time.sleep(5)
