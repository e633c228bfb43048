"""Exact averages over rows of which softmax sees more than scaled scores.

A cap bends each logit, a sink is one more key of a fixed logit. As in
`quenched`, every row keeps its own partition function Z, nothing is drawn at
random, and no array grows with n.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_scale.arguments import (
    array,
    finite,
    key_counts,
    refuse,
    together,
    tolerances,
)
from attention_scale.distributions import (
    STANDARD_NORMAL,
    Distribution,
    spread,
)
from attention_scale.quadrature import (
    ATTEMPTS,
    row_integrals,
    row_nodes,
    to_tolerance,
)

__all__ = ["AddedAverages", "averages_with"]

LARGEST_SPREAD = 100  # scale × standard deviation: beyond, seconds go by
LEAST = 1e-3  # of an average: below, its error is compared with this


class AddedAverages(NamedTuple):
    """Averages over the rows, each an array. A sink has the score 0.

    log_partition : E[log Z], with the sink in Z, nats.
    mean_score : E[Σ p s], in units of the scores.
    collision : E[Σ p²], with the sink.
    entropy : E[-Σ p log p], with the sink, nats.
    gradient_norm : E[½‖J‖₁] for the derivatives with respect to the scores,
        through the cap: E[Σ α f'(αs) p (1 - p)] over the keys but the sink.
    sink : E[p] of the sink.
    """

    log_partition: np.ndarray
    mean_score: np.ndarray
    collision: np.ndarray
    entropy: np.ndarray
    gradient_norm: np.ndarray
    sink: np.ndarray


def averages_with(
    n: ArrayLike,
    scale: ArrayLike,
    *,
    cap: ArrayLike = np.inf,
    sink: ArrayLike = -np.inf,
    distribution: Distribution = STANDARD_NORMAL,
    tolerance: float = 1e-10,
) -> AddedAverages:
    """Averages over rows of n independent scores, capped or with a sink.

    The logits are f(αs) with f(x) = cap tanh(x / cap), and that of the sink.

    Parameters
    ----------
    n, distribution, tolerance : as `quenched.averages`, without the sink; an
        average below 0.001 to the tolerance times 0.001.
    scale : the scale α, a number from 0 to 100 / (standard deviation of a
        score), or an array.
    cap : bound of the logits, positive, or an array; infinity for none.
    sink : logit of the sink, behind the cap, or an array; -infinity for none.

    Returns
    -------
    AddedAverages
        Of the common shape of n, scale, cap and sink.

    Raises
    ------
    TypeError, ValueError : as `quenched.averages`.

    Source: chapter 10, theorem on exact averages with a sink.

    >>> print(averages_with(4096, 1.0, sink=8.8).sink.round(3))
    0.496
    """
    n, scale, cap, sink = together(
        n=key_counts("n", n),
        scale=finite("scale", scale, least=0),
        cap=array("cap", cap),
        sink=array("sink", sink),
    )
    refuse("cap", cap, ~(cap > 0), "positive")
    refuse("sink", sink, sink == np.inf, "finite, or -inf for none")
    tolerance = tolerances(tolerance)
    _, std = spread(distribution)
    if (scale * std > LARGEST_SPREAD).any():
        raise ValueError(
            f"scale: {scale.max():.4g}, times the standard deviation of a "
            f"score {scale.max() * std:.4g}; that should be at most "
            f"{LARGEST_SPREAD:g}"
        )
    found = np.empty((len(AddedAverages._fields), *n.shape))
    for index in np.ndindex(n.shape):
        keys, alpha = float(n[index]), float(scale[index])
        more = float(cap[index]), float(sink[index])
        bare = keys > 1 and more == (np.inf, -np.inf)
        found[(slice(None), *index)] = to_tolerance(
            partial(_sums, keys, alpha, *more, distribution),
            LEAST,
            keys,
            alpha,
            tolerance,
            [(step, wide) for step, wide in ATTEMPTS if bare or not wide],
        )
    return AddedAverages(*found)


def _sums(n, scale, cap, sink, distribution, step, wide):
    """Return what is missed, and the averages, all for LEVELS steps."""
    # the cap has a pole at i π cap / 2
    steep = scale * max(1, 1 / cap)
    s, weights, widest = row_nodes(n, steep, distribution, step)
    logits, slopes = _capped(scale * s, cap)
    slopes = scale * slopes
    (
        missed,
        score,
        logit,
        slope,
        collision,
        slope_squares,
        entropy,
        *of_sink,
    ) = row_integrals(
        n,
        logits,
        weights,
        once=[s, logits, slopes],
        twice=[np.ones_like(s), slopes],
        step=widest if wide else step,
        sink=sink,
    )
    p_sink, squares_of_sink = of_sink
    return [
        missed,
        entropy + logit + (p_sink * sink if np.isfinite(sink) else 0),
        score,
        collision + squares_of_sink,
        entropy,
        slope - slope_squares,
        p_sink,
    ]


def _capped(x, cap):
    """Return capped logits, and the derivative of the cap."""
    if cap == np.inf:
        return x, np.ones_like(x)
    bent = np.tanh(x / cap)
    return cap * bent, 1 - bent**2
