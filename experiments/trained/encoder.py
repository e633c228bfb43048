"""MiniLM, an encoder, as a few functions; and the rows of its heads."""

import numpy as np
import torch
from torch.nn.functional import gelu, layer_norm

from experiments.trained import rows, sources, weights, windows

LAYERS, HEADS, WIDTH = 6, 12, 32
EPSILON = 1e-12
LENGTHS = (64, 128, 256)
PASSAGES = 6  # of each text and length
FIRST, LAST = 101, 102  # the tokens around a passage


def load():
    """Return the weights as torch tensors by name, and the tokenizer."""
    arrays = weights.safetensors(sources.member("encoder", ".safetensors"))
    named = {name: torch.tensor(array) for name, array in arrays.items()}
    return named, weights.wordpieces()


def linear(w, name, x):
    """Return x through a linear layer."""
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def norm(w, name, x):
    """Return x through a LayerNorm."""
    gain, shift = w[f"{name}.weight"], w[f"{name}.bias"]
    return layer_norm(x, x.shape[-1:], gain, shift, EPSILON)


@torch.no_grad()
def states(w, tokens, look=None):
    """Return the last hidden states of one passage.

    Parameters
    ----------
    look : called with layer and logits (head, query, key), if given.
    """
    named = "embeddings.{}_embeddings.weight".format
    x = w[named("word")][tokens] + w[named("position")][: len(tokens)]
    x = norm(w, "embeddings.LayerNorm", x + w[named("token_type")][0])
    for layer in range(LAYERS):
        here = f"encoder.layer.{layer}"
        query, key, value = (
            linear(w, f"{here}.attention.self.{name}", x)
            .unflatten(-1, (HEADS, WIDTH))
            .transpose(0, 1)
            for name in ("query", "key", "value")
        )
        logits = query @ key.mT / WIDTH**0.5
        if look:
            look(layer, logits)
        out = (logits.softmax(-1) @ value).transpose(0, 1).flatten(1)
        out = linear(w, f"{here}.attention.output.dense", out)
        x = norm(w, f"{here}.attention.output.LayerNorm", x + out)
        out = gelu(linear(w, f"{here}.intermediate.dense", x))
        out = linear(w, f"{here}.output.dense", out)
        x = norm(w, f"{here}.output.LayerNorm", x + out)
    return x


def passage(tokens, length, number):
    """Return a passage of a text: its tokens between the two special ones."""
    start = 2000 + number * 5000
    inner = tokens[start : start + length - 2]
    return torch.tensor([FIRST, *inner, LAST])


def run(w, tokens):
    """Measure the rows of passages of one text; return arrays by name."""
    found = {}
    for length in LENGTHS:
        for number in range(PASSAGES):
            by_layer = []

            def look(layer, logits, by_layer=by_layer):
                seen = torch.ones(logits.shape[1:], dtype=torch.bool)
                by_layer.append(rows.describe(logits, seen, seed=layer))

            states(w, passage(tokens, length, number), look)
            for name in by_layer[0]:
                values = np.stack([layer[name] for layer in by_layer])
                found.setdefault(f"{name} {length}", []).append(values)
    return {name: np.stack(f) for name, f in found.items()}


def main():
    """Measure every text that has not been measured yet."""
    w, tokenizer = load()
    for text in sources.TEXTS:
        path = windows.path_of("encoder", text, 0)
        if windows.kept(path, __file__) is None:
            ids = tokenizer.encode(
                sources.text(text)[:300_000], add_special_tokens=False
            ).ids
            windows.keep(path, run(w, ids), __file__)
            print(f"encoder {text}", flush=True)
