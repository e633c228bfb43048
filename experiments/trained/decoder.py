"""SmolLM2 as a few functions: keys and values once, queries as often as asked.

A layer is RMSNorm, attention of nine query heads over three heads of keys and
values with rotary positions, RMSNorm, and a gated MLP. Everything is float32.
"""

import math
from dataclasses import dataclass

import torch
from torch.nn.functional import scaled_dot_product_attention as attention
from torch.nn.functional import silu

from experiments.trained import sources, weights

LAYERS, HEADS, SHARED, WIDTH = 30, 9, 3, 64
TRAINED = 8192  # tokens, the longest row it was trained on
BASE = 100_000  # of the rotary frequencies
EPSILON = 1e-5
PIECE = 4096  # tokens in an MLP at a time


@dataclass
class Cache:
    """Keys and values of a prefix: (layer, head, position, component)."""

    keys: torch.Tensor
    values: torch.Tensor

    @property
    def length(self):
        """Return how many tokens there are."""
        return self.keys.shape[2]

    def upto(self, length):
        """Return the cache of the first tokens only."""
        return Cache(self.keys[:, :, :length], self.values[:, :, :length])


def load():
    """Return the weights as torch tensors by name, and the tokenizer."""
    values, arrays = weights.gguf(sources.member("decoder", ".gguf"))
    named = {name: torch.tensor(array) for name, array in arrays.items()}
    return named, weights.tokenizer_of(values)


def at_random(named, seed=0):
    """Return weights as before training: normal matrices, gains of 1.

    Their standard deviation, 1/√576, is what the configuration says.
    """
    std = 576**-0.5
    rng = torch.Generator().manual_seed(seed)
    return {
        name: torch.ones_like(w)
        if w.ndim == 1
        else std * torch.randn(w.shape, generator=rng)
        for name, w in named.items()
    }


def frequencies(ratio=1):
    """Return the rotary frequencies, in radians a token.

    For a ratio above 1 those of YaRN (arXiv:2309.00071, and transformers
    5.23.0, modeling_rope_utils.py, `_compute_yarn_parameters`), without its
    factor on the logits: pairs that turn fewer times than once within the
    trained length are slowed down by the ratio, those that turn more than 32
    times stay, and the others are in between.
    """
    pair = torch.arange(WIDTH // 2, dtype=torch.float64)
    plain = BASE ** (-2 * pair / WIDTH)
    if ratio == 1:
        return plain.float()

    def pair_that_turns(times):
        turn = TRAINED / (2 * math.pi * times)
        return WIDTH / 2 * math.log(turn) / math.log(BASE)

    low, high = (pair_that_turns(times) for times in (32, 1))
    low, high = math.floor(low), math.ceil(high)
    slowed = ((pair - low) / (high - low)).clip(0, 1)
    return (plain * (1 - slowed + slowed / ratio)).float()


def rotate(x, positions, rates):
    """Turn pairs of neighbouring components by position times rate."""
    angle = positions[:, None].double() * rates.double()
    cos, sin = angle.cos().float(), angle.sin().float()
    even, odd = x[..., ::2], x[..., 1::2]
    turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1)
    return turned.flatten(-2)


def norm(x, gain):
    """RMSNorm."""
    square = x.square().mean(-1, keepdim=True)
    return x * (square + EPSILON).rsqrt() * gain


def project(w, layer, x, positions, rates):
    """Return query, key and value of a layer: (head, position, component)."""
    x = norm(x, w[f"blk.{layer}.attn_norm.weight"])
    parts = [
        (x @ w[f"blk.{layer}.attn_{name}.weight"].T).unflatten(-1, (-1, WIDTH))
        for name in "qkv"
    ]
    query, key, value = (part.transpose(0, 1) for part in parts)
    query, key = (rotate(part, positions, rates) for part in (query, key))
    return query, key, value.contiguous()


def finish(w, layer, x, out):
    """Add to x what the heads read, and what the MLP makes of it."""
    joined = out.transpose(0, 1).flatten(1)
    x = x + joined @ w[f"blk.{layer}.attn_output.weight"].T
    return torch.cat([p + mlp(w, layer, p) for p in x.split(PIECE)])


def mlp(w, layer, x):
    """Return what the gated MLP of a layer adds."""
    x = norm(x, w[f"blk.{layer}.ffn_norm.weight"])
    gate, up, down = (
        w[f"blk.{layer}.ffn_{name}.weight"] for name in ("gate", "up", "down")
    )
    return (silu(x @ gate.T) * (x @ up.T)) @ down.T


@torch.no_grad()
def prefix(w, tokens, rates, look=None, factors=None):
    """Run the model over tokens, and keep the keys and values.

    Parameters
    ----------
    look : called with layer, query, key of each layer, if given.
    factors : (layer, head, position) on the logits, if given.

    Returns
    -------
    Cache
    """
    positions = torch.arange(len(tokens))
    x = w["token_embd.weight"][tokens]
    keys, values = [], []
    for layer in range(LAYERS):
        query, key, value = project(w, layer, x, positions, rates)
        if factors is not None:
            query = query * factors[layer, :, :, None]
        if look:
            look(layer, query, key)
        out = attention(
            query[None],
            key[None],
            value[None],
            is_causal=True,
            enable_gqa=True,
        )
        x = finish(w, layer, x, out[0])
        keys.append(key)
        values.append(value)
    return Cache(torch.stack(keys), torch.stack(values))


def branches(w, cache, pieces, rates, factors=None, unseen=0, look=None):
    """Run the model over pieces of text, each right after the same prefix.

    Parameters
    ----------
    pieces : list of tensors of tokens. None sees another.
    factors : (layer, head) on the logits; 1 if not given.
    unseen : how many tokens after the first are hidden: a window.
    look : called with layer, query and all keys of each layer, if given.

    Returns
    -------
    list of tensors
        Of each piece two rows: the log-probability of each token but the
        first, given those before it, and whether it is the likeliest.
    """
    start, tokens = cache.length, torch.cat(pieces)
    places = [torch.arange(len(piece)) for piece in pieces]
    owner = torch.cat([torch.full_like(p, i) for i, p in enumerate(places)])
    place = torch.cat(places)
    own = (owner[:, None] == owner) & (place[:, None] >= place)
    seen = torch.ones(start, dtype=torch.bool)
    seen[1 : unseen + 1] = False
    mask = torch.hstack([seen.expand(len(tokens), -1), own])
    x = w["token_embd.weight"][tokens]
    for layer in range(LAYERS):
        query, key, value = project(w, layer, x, start + place, rates)
        key = torch.cat([cache.keys[layer], key], 1)
        value = torch.cat([cache.values[layer], value], 1)
        if look:
            look(layer, query, key)
        if factors is not None:
            query = query * factors[layer][:, None, None]
        out = attend(query, key, value, mask)
        x = finish(w, layer, x, out)
    x = norm(x, w["output_norm.weight"])
    wanted, found = tokens.split([len(p) for p in pieces]), []
    for state, piece in zip(x.split([*map(len, pieces)]), wanted, strict=True):
        logp = (state[:-1] @ w["token_embd.weight"].T).log_softmax(-1)
        of_next = logp.gather(1, piece[1:, None]).squeeze(1)
        found.append(torch.stack([of_next, (of_next == logp.amax(1)).float()]))
    return found


def attend(query, key, value, mask):
    """Return what queries of nine heads read from three of keys and values.

    The three query heads that share keys are laid side by side as one.
    """
    count = len(mask)
    grouped = query.reshape(SHARED, -1, WIDTH)
    out = attention(
        grouped[None], key[None], value[None], mask.repeat(HEADS // SHARED, 1)
    )
    return out[0].reshape(HEADS, count, WIDTH)
