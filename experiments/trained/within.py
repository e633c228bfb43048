"""Rows and losses within the trained length: windows of 8192 tokens."""

import time

import numpy as np
import torch

from experiments.trained import decoder, rows, windows

LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
SUFFIXES = (128, 256, 512, 1024, 2048, 4096, 8192)
FROM = (2048, 8192)  # lengths at which the last keys alone are looked at
LOSSES = (512, 2048, 8192)
MULTIPLIERS = (0.7, 0.85, 0.95, 1.0, 1.05, 1.15, 1.3, 1.6)
ROWS = 32
PRODUCTS = slice(1024, 2048)  # positions of the products q·k
SAMPLE = ((2, 4), (7, 2), (12, 6), (19, 5))  # heads kept: (layer, head)
KEYS = 512  # of a head that is kept


def positions_of(length):
    """Return the positions of the rows that stand for a length."""
    count, step = min(ROWS, length // 4), max(1, length // 1024)
    return length - 1 - step * torch.arange(count).flip(0)


def logits_of(query, key, positions):
    """Return logits of chosen queries, and the keys that each sees."""
    length = int(positions.max()) + 1
    chosen = query[:, positions].reshape(decoder.SHARED, -1, decoder.WIDTH)
    x = chosen @ key[:, :length].mT / decoder.WIDTH**0.5
    seen = torch.arange(length) <= positions[:, None]
    return x.reshape(decoder.HEADS, len(positions), length), seen


def look_at(found):
    """Return a function that puts the statistics of a layer into `found`."""

    def look(layer, query, key):
        for length in LENGTHS:
            x, seen = logits_of(query, key, positions_of(length))
            put(found, layer, length, rows.describe(x, seen, seed=layer))
            if length in FROM:
                lengths = [m for m in SUFFIXES if m <= length]
                part = rows.suffixes(x, seen, lengths)
                named = {f"last_{name}": a for name, a in part.items()}
                put(found, layer, length, named)
        spread = torch.arange(windows.HALF // 2, windows.HALF, 64)
        x, _ = logits_of(query, key, spread)
        put(found, layer, windows.HALF, rows.split_variance(x, spread))
        shared = key[:, PRODUCTS].repeat_interleave(3, 0)
        put(found, layer, 2048, rows.products(query[:, PRODUCTS], shared))
        for at, head in SAMPLE:
            if at == layer:
                found[f"query {at} {head}"] = query[head, KEYS - ROWS : KEYS]
                found[f"key {at} {head}"] = key[head // 3, :KEYS]

    return look


def put(found, layer, length, arrays):
    """Put arrays of one layer among those of all layers."""
    for name, values in arrays.items():
        by_layer = found.setdefault(f"{name} {length}", {})
        by_layer[layer] = np.asarray(values, np.float32)


def run(w, tokens, tokenizer, text, number):
    """Measure the tail of a window; return arrays by name."""
    rates = decoder.frequencies()
    tail = windows.window(tokens, tokenizer, text, number)[windows.HALF :]
    found, losses = {}, []
    cache = decoder.prefix(w, tail, rates, look_at(found))
    for length in LOSSES:
        piece = tail[length - windows.LAST : length]
        part = cache.upto(length - windows.LAST)
        for factor in MULTIPLIERS:
            losses.append(loss(w, part, piece, rates, factor))
    return {
        name: np.stack([*value.values()]) if isinstance(value, dict) else value
        for name, value in found.items()
    } | {"losses": np.reshape(losses, (len(LOSSES), len(MULTIPLIERS), -1))}


@torch.no_grad()
def loss(w, cache, piece, rates, factor):
    """Return the loss of each token of a piece, with one factor for all."""
    factors = torch.full((decoder.LAYERS, decoder.HEADS), float(factor))
    (found,) = decoder.branches(w, cache, [piece], rates, factors)
    return -found[0].numpy()


@torch.no_grad()
def facts(w, tokens, tokenizer, text, number):
    """Ask for facts at the end of the half that states them."""
    rates = decoder.frequencies()
    half = windows.window(tokens, tokenizer, text, number)[: windows.HALF]
    cache = decoder.prefix(w, half, rates)
    asked = windows.questions(tokenizer, text, number)
    return windows.answers(decoder.branches(w, cache, asked, rates))


def main(w, tokens, tokenizer, texts, numbers):
    """Measure every window that has not been measured yet."""
    for number in numbers:
        for text in texts:
            path = windows.path_of("within", text, number)
            if windows.kept(path, __file__) is not None:
                continue
            start = time.process_time()
            arrays = run(w, tokens[text], tokenizer, text, number)
            windows.keep(path, arrays, __file__)
            nll = arrays["losses"][:, 3].mean(1).round(3)
            seconds = time.process_time() - start
            print(f"within {text} {number}: {nll} {seconds:.0f} s", flush=True)


def ask(w, tokens, tokenizer, texts, numbers):
    """Ask for the facts of every window that has not been asked yet."""
    for number in numbers:
        for text in texts:
            path = windows.path_of("facts", text, number)
            if windows.kept(path, __file__) is None:
                arrays = facts(w, tokens[text], tokenizer, text, number)
                windows.keep(path, arrays, __file__)
                print(f"facts {text} {number}: {arrays['right']}", flush=True)
