"""Weights and tokenizers from the models' own files.

A GGUF file is a header of named values and of tensors, and then the tensors;
a safetensors file is a header in JSON and then the tensors.
"""

import json
import math
import struct
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from experiments.trained import sources

__all__ = ["gguf", "safetensors", "tokenizer_of", "wordpieces"]

# GGUF's types of values: how struct names them
NUMBERS = dict(enumerate("BbHhIif?")) | {
    10: "Q",
    11: "q",
    12: "d",
}
TEXT, ARRAY = 8, 9
# GGUF's types of tensors that the decoder has: bytes, numbers of a block
BLOCKS = {0: (4, 1), 3: (20, 32), 8: (34, 32)}


@dataclass
class Reader:
    """A place in bytes, which moves on with each value that is read."""

    content: bytes
    place: int = 0

    def number(self, kind):
        """Return the next number, of a kind as struct names it."""
        (value,) = struct.unpack_from(f"<{kind}", self.content, self.place)
        self.place += struct.calcsize(f"<{kind}")
        return value

    def text(self):
        """Return the next text: its length, and its bytes."""
        size = self.number("Q")
        self.place += size
        return self.content[self.place - size : self.place].decode()

    def value(self, kind):
        """Return the next value, of one of GGUF's kinds."""
        if kind == TEXT:
            return self.text()
        if kind == ARRAY:
            kind, size = self.number("I"), self.number("Q")
            return [self.value(kind) for _ in range(size)]
        return self.number(NUMBERS[kind])


def gguf(content):
    """Read a GGUF file of version 3.

    Returns
    -------
    values, tensors
        Two dicts by name; tensors are float32.
    """
    reader = Reader(content, 4)
    version, tensors, values = (reader.number(kind) for kind in "IQQ")
    if content[:4] != b"GGUF" or version != 3:
        raise ValueError("content: it is no GGUF file of version 3")
    named = {
        reader.text(): reader.value(reader.number("I")) for _ in range(values)
    }
    infos = []
    for _ in range(tensors):
        name = reader.text()
        shape = [reader.number("Q") for _ in range(reader.number("I"))]
        infos.append((name, shape[::-1], *map(reader.number, "IQ")))
    step = named.get("general.alignment", 32)
    start = -(-reader.place // step) * step
    return named, {
        name: dequantised(content, start + offset, shape, kind)
        for name, shape, kind, offset in infos
    }


def dequantised(content, start, shape, kind):
    """Return a tensor of a GGUF file as float32.

    A block of 32 numbers has one scale, in float16: times whole numbers from
    -128 to 127 (kind 8), or times whole numbers from 0 to 15, two in a byte,
    plus a shift (kind 3).
    """
    size, per_block = BLOCKS[kind]
    count = math.prod(shape) // per_block
    raw = np.frombuffer(content, np.uint8, count * size, start)
    if kind == 0:
        return raw.view(np.float32).reshape(shape)
    raw = raw.reshape(count, size)
    scale = raw[:, :2].copy().view(np.float16).astype(np.float32)
    if kind == 8:
        return (scale * raw[:, 2:].view(np.int8)).reshape(shape)
    shift = raw[:, 2:4].copy().view(np.float16).astype(np.float32)
    whole = np.hstack([raw[:, 4:] & 15, raw[:, 4:] >> 4])
    return (scale * whole + shift).reshape(shape)


def tokenizer_of(values):
    """Return the tokenizer that a GGUF file describes: SmolLM2's.

    Digits stand alone; all else is byte-pair encoding.
    """
    words = values["tokenizer.ggml.tokens"]
    merges = [
        tuple(pair.split(" ")) for pair in values["tokenizer.ggml.merges"]
    ]
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def safetensors(content):
    """Return the float32 tensors of a safetensors file, by name."""
    (size,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, info in header.items():
        if info["dtype"] == "F32":
            first, last = (8 + size + end for end in info["data_offsets"])
            raw = np.frombuffer(content[first:last], np.float32)
            tensors[name] = raw.reshape(info["shape"])
    return tensors


def wordpieces():
    """Return the encoder's tokenizer."""
    stored = sources.member("encoder", "model/tokenizer.json")
    tokenizer = Tokenizer.from_str(stored.decode())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
