"""A second decoder, Gemma 3: its rows, and factors on its logits."""

import time

import numpy as np
import torch

from experiments.trained import gemma, rows, sources, windows, within

LENGTHS = {0: within.LENGTHS, 1: within.LENGTHS[:6]}  # by number of window
LOSSES = (512, 2048, 8192)
MULTIPLIERS = (0.85, 0.95, 1.05, 1.15)
KINDS = ("all", "global", "local")  # layers to which a factor is applied
OF_ROWS = (
    "scale",
    "entropy",
    "collision",
    "entropy_own",
    "entropy_all",
    "sink",
    "near",
    "largest",
    "skew",
    "kurtosis",
    "keys",
)
TOKENS = 512  # on which losses are compared with transformers'


def logits_of(layer, query, key, positions):
    """Return logits of chosen queries, and the keys that each sees.

    The first key of all is the first of the row, seen or not.
    """
    last = int(positions.max()) + 1
    low = 1
    if not gemma.is_global(layer):
        low = max(1, int(positions.min()) - gemma.WINDOW + 1)
    place = torch.cat(
        [torch.zeros(1, dtype=torch.long), torch.arange(low, last)]
    )
    x = query[:, positions] @ key[place].T / gemma.WIDTH**0.5
    seen = place <= positions[:, None]
    if not gemma.is_global(layer):
        seen &= place > positions[:, None] - gemma.WINDOW
    return x, seen


def look_at(found, lengths):
    """Return a function that puts the statistics of a layer into `found`."""

    def look(layer, query, key):
        for length in lengths:
            positions = within.positions_of(length)
            x, seen = logits_of(layer, query, key, positions)
            numbers = rows.describe(x, seen, seed=layer)
            keys = float(seen[:, 1:].sum(-1).float().mean())
            numbers["keys"] = np.full(gemma.HEADS, keys)
            for name in OF_ROWS:
                by_layer = found.setdefault(f"{name} {length}", [])
                by_layer.append(np.asarray(numbers[name], np.float32))

    return look


def piece_of(tokens, text, number):
    """Return the tokens of a window: the first of all, and then the text."""
    start = windows.STARTS[text][number]
    length = max(LENGTHS[number])
    return torch.tensor([gemma.FIRST, *tokens[start : start + length - 1]])


def rules():
    """Return the factors by layer of each rule: the first changes nothing."""
    found = [torch.ones(gemma.LAYERS)]
    for kind in KINDS:
        chosen = torch.tensor(
            [
                kind == "all" or (kind == "global") == gemma.is_global(layer)
                for layer in range(gemma.LAYERS)
            ]
        )
        found += [torch.where(chosen, m, 1.0) for m in MULTIPLIERS]
    return found


@torch.no_grad()
def run(w, tokens, text, number):
    """Measure a window; return arrays by name."""
    piece, found = piece_of(tokens, text, number), {}
    look = look_at(found, LENGTHS[number])
    _, past = gemma.run(w, piece, look=look)
    arrays = {name: np.stack(layers) for name, layers in found.items()}
    for length in LOSSES:
        if length <= len(piece):
            last = piece[length - windows.LAST : length]
            part = gemma.upto(past, length - windows.LAST)
            arrays[f"losses {length}"] = np.stack(
                [
                    gemma.losses(w, gemma.run(w, last, part, f)[0], last)
                    for f in rules()
                ]
            )
    return arrays


@torch.no_grad()
def disagreement(w, tokens):
    """Return how far losses differ from transformers', by text, in nats."""
    from transformers import AutoModelForCausalLM

    path = sources.second()
    theirs = AutoModelForCausalLM.from_pretrained(
        str(path.parent), gguf_file=path.name, dtype=torch.float32
    )
    off = []
    for text in sources.TEXTS:
        piece = piece_of(tokens[text], text, 0)[: 2 * TOKENS]
        states, _ = gemma.run(w, piece)
        ours = gemma.losses(w, states, piece)
        logits = theirs(piece[None]).logits[0, :-1]
        goal = logits.logsumexp(-1) - logits.gather(1, piece[1:, None])[:, 0]
        off.append(float((ours - goal).abs().max()))
    return {"off": np.array(off)}


def measure():
    """Measure what has not been measured yet."""
    w, tokenizer = gemma.load()
    tokens = {t: tokenizer.encode(sources.text(t)) for t in sources.TEXTS}
    for number in (1, 0):
        for text in sources.TEXTS:
            path = windows.path_of("second", text, number)
            if windows.kept(path, __file__) is None:
                start = time.process_time()
                arrays = run(w, tokens[text], text, number)
                windows.keep(path, arrays, __file__)
                nll = [arrays[n][0].mean() for n in arrays if "losses" in n]
                seconds = time.process_time() - start
                print(
                    text,
                    number,
                    np.round(nll, 3),
                    f"{seconds:.0f} s",
                    flush=True,
                )
    path = windows.path_of("second-agreement", "all", 0)
    if windows.kept(path, __file__) is None:
        off = disagreement(w, tokens)
        print(f"agreement: {off}", flush=True)
        if off["off"].max() > 1e-3:
            raise ValueError(f"our losses differ from the library's: {off}")
        windows.keep(path, off, __file__)
