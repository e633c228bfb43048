"""Tasks whose right answer is known, at any length.

A token carries three things: a key, which is a direction in M dimensions; a
value, which is 1 or -1; and a question, another direction. Tokens belong to
types, and a type has a direction of its own. The question of a token is the
direction of a type that has been seen, and the answer is the mean value of
the tokens of that type so far.

    find     every token is a type of its own: the answer is one value
    average  TYPES types, and as many tokens of each
    share    longer than average by more tokens of each type
    few      longer than average by more types

At N_0 tokens the last three are the same task. Keys are the directions of
their types or, with noise, scattered around them: the cosine c of a key with
its type has the density of a uniform direction's times exp(KAPPA c), up to a
constant. So the log-likelihood that a key belongs to a type is KAPPA c.
"""

import numpy as np

KINDS = "find", "average"
LONGER = {"find": ("find",), "average": ("share", "few")}
N_0 = 64
M = 16
TYPES = 8
KAPPA = 24.0
GRID = np.linspace(-1, 1, 4001)


def draw(rng, kind, n, batch, noisy, rows=None):
    """Draw sequences, and the answers at their last rows.

    Parameters
    ----------
    rng : numpy.random.Generator
    kind : find, average, share or few.
    n : tokens of a sequence.
    batch : sequences.
    noisy : whether keys are scattered around the directions of their types.
    rows : answers from the end; all by default.

    Returns
    -------
    tokens : (batch, n, 2 M + 1), float32; keys and questions have
        components of mean square 1.
    answers : (batch, rows), float32.
    match : (batch, rows, n), which tokens an answer is the mean of.
    """
    rows = n if rows is None else rows
    types = {"find": n, "average": TYPES, "share": TYPES, "few": n // TYPES}
    count = types[kind]
    if kind == "find":
        of = np.broadcast_to(np.arange(n), (batch, n))
    else:
        of = rng.permuted(np.tile(np.arange(n) % count, (batch, 1)), axis=1)
    towards = direction(rng, (batch, count))
    key = np.take_along_axis(towards, of[..., None], 1)
    if noisy:
        key = scattered(rng, key)
    lean = rng.uniform(-1, 1, (batch, count))
    odds = (1 + np.take_along_axis(lean, of, 1)) / 2
    value = np.where(rng.random((batch, n)) < odds, 1.0, -1.0)
    seen = (rng.random((batch, n)) * (1 + np.arange(n))).astype(int)
    asked = np.take_along_axis(of, seen, 1)
    question = np.take_along_axis(towards, asked[..., None], 1)
    tokens = np.concatenate(
        [key * M**0.5, value[..., None], question * M**0.5], 2
    )
    before = np.tri(n, dtype=bool)[-rows:]
    match = (asked[:, -rows:, None] == of[:, None]) & before
    answers = (match * value[:, None]).sum(2) / match.sum(2)
    return tokens.astype(np.float32), answers.astype(np.float32), match


def direction(rng, shape):
    """Return uniform unit vectors in M dimensions."""
    x = rng.standard_normal((*shape, M), np.float32)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def scattered(rng, towards, kappa=KAPPA):
    """Return unit vectors around others (von Mises and Fisher's law)."""
    density = np.exp(kappa * (GRID - 1)) * (1 - GRID**2) ** ((M - 3) / 2)
    below = np.cumsum(density) / density.sum()
    cosine = np.interp(rng.random(towards.shape[:-1]), below, GRID)
    x = rng.standard_normal(towards.shape, np.float32)
    x -= (x * towards).sum(-1, keepdims=True) * towards
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    cosine = cosine[..., None]
    return cosine * towards + np.sqrt(1 - cosine**2) * x
