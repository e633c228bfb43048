"""Rows of independent normal logits: what a model's rows are held against."""

from typing import NamedTuple

import numpy as np

# Fewer keys: a row's standard deviation says little about its entropy.
LEAST_KEYS = 32
# Heads beyond which normal rows are interpolated, nodes, and where they end.
FEW_HEADS, NODES_OF_SCALE, WIDEST = 24, 24, 50.0


class NormalRows(NamedTuple):
    """What rows of independent normal logits would have, arrays (heads).

    With each head's own standard deviation and numbers of keys; NaN where
    the standard deviation is above 50, or no row has 32 keys.
    """

    alpha_c: np.ndarray
    entropy: np.ndarray
    effective_keys: np.ndarray


def normal_rows(alpha: np.ndarray, keys: np.ndarray) -> NormalRows:
    """Return means over normal rows, of each head's α and numbers of keys.

    alpha : (heads); keys : (heads, rows), NaN where there is no row.
    """
    there = np.isfinite(keys) & (keys >= LEAST_KEYS)
    some = there.any(axis=-1)
    known = some & np.isfinite(alpha) & (alpha <= WIDEST)
    alpha_c = np.sqrt(2 * np.log(np.where(there, keys, 2)))
    weights = there / np.maximum(there.sum(axis=-1, keepdims=True), 1)
    found = np.full((3, alpha.size), np.nan)
    found[0] = np.where(some, (alpha_c * weights).sum(-1), np.nan)
    if known.any():
        filled = np.where(there, keys, keys[there].min())[known]
        entropy, collision = _interpolated(alpha[known], filled)
        found[1, known] = (entropy * weights[known]).sum(axis=-1)
        found[2, known] = 1 / (collision * weights[known]).sum(axis=-1)
    return NormalRows(*found)


def _interpolated(alpha, keys):
    """Return E[H] and E[Σp²] at each α (heads) and n (heads, rows).

    Exact averages at a few n, and α where there are many heads, and
    polynomials between: both are smooth in log n and log(1 + α).
    """
    from attention_scale.quenched import averages_at_real_n

    at_n, of_n = _polynomial(np.log(keys), 3 + int(np.ptp(np.log(keys)) * 2))
    if alpha.size <= FEW_HEADS:
        at_alpha, of_alpha = np.log1p(alpha), np.eye(alpha.size)
    else:
        at_alpha, of_alpha = _polynomial(np.log1p(alpha), NODES_OF_SCALE)
    exact = averages_at_real_n(
        np.exp(at_n), np.expm1(at_alpha)[:, np.newaxis], tolerance=1e-8
    )
    return (
        np.einsum("hrn,ha,an->hr", of_n, of_alpha, values)
        for values in (exact.entropy, exact.collision)
    )


def _polynomial(values, most):
    """Return nodes, and with which weights they interpolate at the values."""
    low, high = values.min(), values.max()
    if high - low < 1e-9:
        return np.array([low]), np.ones((*values.shape, 1))
    nodes = np.polynomial.chebyshev.chebpts1(most)
    at = (2 * values - low - high) / (high - low)
    vander = np.polynomial.chebyshev.chebvander
    weights = vander(at, most - 1) @ np.linalg.inv(vander(nodes, most - 1))
    return (low + high + (high - low) * nodes) / 2, weights
