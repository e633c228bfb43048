"""Gemma 3 270M as a few functions, as `decoder` has SmolLM2.

A layer is RMSNorm, attention of four query heads over one head of keys and
values, which are normalised and rotated, RMSNorm, and a gated MLP between two
norms. Five layers of six see the last 512 tokens only, with a rotary base of
their own. Everything is float32.
"""

import torch
from gguf import GGUFReader, dequantize
from sentencepiece import SentencePieceProcessor, sentencepiece_model_pb2
from torch.nn.functional import gelu
from torch.nn.functional import scaled_dot_product_attention as attention

from experiments.trained import sources

LAYERS, HEADS, WIDTH, MODEL = 18, 4, 256, 640
WINDOW = 512  # keys that a row of a local layer has, its own among them
EPSILON = 1e-6
BASES = {False: 1e4, True: 1e6}  # of the rotary frequencies: local, global
PIECE = 512  # queries, or tokens in an MLP, at a time
FIRST = 2  # the token at the beginning of every text
BPE = 2  # SentencePiece's number for byte-pair encoding


def is_global(layer):
    """Tell whether a layer sees all keys before its own."""
    return layer % 6 == 5


def load():
    """Return the weights as torch tensors by name, and the tokenizer."""
    reader = GGUFReader(sources.second())
    named = {
        tensor.name: torch.tensor(dequantize(tensor.data, tensor.tensor_type))
        for tensor in reader.tensors
    }
    return named, tokenizer_of(reader)


def tokenizer_of(reader):
    """Return the SentencePiece model that a GGUF file describes.

    Runs of spaces and of empty lines are pieces of the kind that users add.
    The file writes their spaces plainly, SentencePiece as another character.
    """
    words, scores, kinds = (
        reader.fields[f"tokenizer.ggml.{name}"].contents()
        for name in ("tokens", "scores", "token_type")
    )
    model = sentencepiece_model_pb2.ModelProto()
    for word, score, kind in zip(words, scores, kinds, strict=True):
        escaped = word.replace(" ", "\u2581")
        model.pieces.add(piece=escaped, score=score, type=kind)
    model.trainer_spec.model_type = BPE
    model.trainer_spec.byte_fallback = True
    for name in ("unknown", "bos", "eos", "padding"):
        number = reader.fields[f"tokenizer.ggml.{name}_token_id"].contents()
        short = {"unknown": "unk", "padding": "pad"}.get(name, name)
        setattr(model.trainer_spec, f"{short}_id", number)
        setattr(model.trainer_spec, f"{short}_piece", words[number])
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.add_dummy_prefix = False
    model.normalizer_spec.remove_extra_whitespaces = False
    return SentencePieceProcessor(model_proto=model.SerializeToString())


def rotate(x, positions, base):
    """Turn component i with component i + d/2, by position times rate."""
    half = torch.arange(WIDTH // 2, dtype=torch.float64)
    angle = positions[:, None].double() * base ** (-2 * half / WIDTH)
    cos, sin = angle.cos().float(), angle.sin().float()
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def norm(x, gain):
    """RMSNorm."""
    return x * (x.square().mean(-1, keepdim=True) + EPSILON).rsqrt() * gain


def project(w, layer, x, positions):
    """Return queries (head, position, component), keys, and values."""
    here = f"blk.{layer}"
    x = norm(x, w[f"{here}.attn_norm.weight"])
    query, key, value = (x @ w[f"{here}.attn_{n}.weight"].T for n in "qkv")
    query = query.unflatten(-1, (HEADS, WIDTH)).transpose(0, 1)
    query = norm(query, w[f"{here}.attn_q_norm.weight"])
    key = norm(key, w[f"{here}.attn_k_norm.weight"])
    base = BASES[is_global(layer)]
    return rotate(query, positions, base), rotate(key, positions, base), value


def finish(w, layer, x, out):
    """Add to x what the heads read, and what the MLP makes of it."""
    here = f"blk.{layer}"
    read = out.transpose(0, 1).flatten(1)
    read = read @ w[f"{here}.attn_output.weight"].T
    x = x + norm(read, w[f"{here}.post_attention_norm.weight"])
    return torch.cat([p + mlp(w, here, p) for p in x.split(PIECE)])


def mlp(w, here, x):
    """Return what the gated MLP of a layer adds."""
    x = norm(x, w[f"{here}.ffn_norm.weight"])
    gate, up, down = (
        w[f"{here}.ffn_{name}.weight"] for name in ("gate", "up", "down")
    )
    out = (gelu(x @ gate.T, approximate="tanh") * (x @ up.T)) @ down.T
    return norm(out, w[f"{here}.post_ffw_norm.weight"])


def attend(layer, query, key, value, start):
    """Return what queries read; the first of them stands at `start`."""
    parts = []
    for first in range(0, query.shape[1], PIECE):
        part = query[:, first : first + PIECE]
        place = start + first + torch.arange(part.shape[1])
        low = 0 if is_global(layer) else max(0, int(place[0]) - WINDOW + 1)
        high = int(place[-1]) + 1
        keys = torch.arange(low, high)
        seen = keys <= place[:, None]
        if not is_global(layer):
            seen &= keys > place[:, None] - WINDOW
        shape = (1, HEADS, high - low, WIDTH)
        mixed = attention(
            part[None],
            key[low:high].expand(shape),
            value[low:high].expand(shape),
            seen,
        )
        parts.append(mixed[0])
    return torch.cat(parts, 1)


@torch.no_grad()
def run(w, tokens, past=None, factors=None, look=None):
    """Run the model over tokens that follow a past.

    Parameters
    ----------
    past : list of (keys, values) by layer, if there is one.
    factors : one factor on the logits of each layer, if given.
    look : called with layer, query and all keys of each layer, if given.

    Returns
    -------
    states, past
        The last normalised states, and the past with these tokens.
    """
    start = len(past[0][0]) if past else 0
    positions = start + torch.arange(len(tokens))
    x = w["token_embd.weight"][tokens] * MODEL**0.5
    behind = []
    for layer in range(LAYERS):
        query, key, value = project(w, layer, x, positions)
        if past:
            key = torch.cat([past[layer][0], key])
            value = torch.cat([past[layer][1], value])
        if look:
            look(layer, query, key)
        if factors is not None:
            query = query * factors[layer]
        out = attend(layer, query, key, value, start)
        x = finish(w, layer, x, out)
        behind.append((key, value))
    return norm(x, w["output_norm.weight"]), behind


def upto(past, length):
    """Return the past of the first tokens only."""
    return [(key[:length], value[:length]) for key, value in past]


def losses(w, states, tokens):
    """Return the loss of each token but the first, in nats."""
    logits = states[:-1] @ w["token_embd.weight"].T
    of_next = logits.gather(1, tokens[1:, None]).squeeze(1)
    return logits.logsumexp(-1) - of_next
