"""The integral behind every exact average over rows of n random scores.

With t > 0, y = t exp(logit), F(t) = E[exp(-y)] and u = log t, rows whose
partition function is Z have

    E[Σ p c] = n ∫ E[c y exp(-y)] F^(n-1) du

for a function c of a score, since 1 / Z = ∫ exp(-t Z) dt; c y in place of c
gives E[Σ p² c], and -log y - γ gives the entropy. A sink is one more key, of a
fixed logit, and multiplies the integrand by exp(-t exp(sink)).

Source: chapter 6, theorem on the exact averages; chapter 10, with a sink.
"""

import numpy as np

from attention_scale.arguments import above
from attention_scale.distributions import (
    FURTHEST,
    LEVELS,
    nodes,
    remainder,
    steepness,
)

__all__ = ["ATTEMPTS", "row_integrals", "row_nodes", "to_tolerance"]

# Of u: y exp(-y) is analytic for |Im u| < π/2, so a trapezoid sum of step h
# misses its integral by about exp(-π² / h): 3e-20 at this step, 2e-10 and 1e-5
# at twice and four times the step, from which `remainder` judges it.
STEP = 0.22
# Of z, at most, in STEP: for the normal density alone exp(-2π² / h²) remains,
# 2e-6 at four times this step.
STEP_OF_Z = 1.4
MISSED = 1e-12  # of a sum that is 1: more than rounding, also at 1e150 keys
# Steps to try, and whether u may take wider ones where log Z spreads over
# many: that saves most of the time, but scores with a hard end need all.
ATTEMPTS = [
    (STEP, True),
    (0.7 * STEP, True),
    *((STEP / 2**k, False) for k in range(5)),
]
BEYOND = 9  # standard deviations: 1e-19 rows have a score so far above alpha_c
SMALL = 45  # -log of what is nothing beside 1: 3e-20
SHARE = 50  # the same, for any of the many terms of a sum: 2e-22
GONE = 4  # exp(-exp(4)) is nothing, too
LARGEST_POWER = 700  # log of what is almost the largest float
ROUGH = 65  # points at which to look where the integrand begins and ends
MOST_ENTRIES = 2**14  # of a matrix: 128 KiB, and some of them in a cache


def to_tolerance(sums, least, n, scale, tolerance, attempts=ATTEMPTS):
    """Return averages at one point, by the first steps that suffice.

    Parameters
    ----------
    sums : function of a step, and of whether it may be wider for u: what is
        missed, and the averages, all for LEVELS steps.
    least : of an average; below, its error is compared with this.
    n, scale : for the message.
    tolerance : largest estimated error, relative to each average.

    Raises
    ------
    ValueError : no step suffices.
    """
    for step, wide in attempts:
        missed, *levels = sums(step, wide)
        fine, *coarser = np.transpose(levels)
        errors = remainder(fine, *coarser) / np.maximum(np.abs(fine), least)
        worst = max(errors.max(), abs(missed[0]) - MISSED)
        if worst <= tolerance:
            return fine
    raise ValueError(
        f"distribution: at n = {n:g} and the scale {scale:g} the averages are "
        f"known to {above(worst)} only, which should be at most "
        f"{tolerance:g}; their distribution is not smooth: allow a larger "
        "tolerance"
    )


def row_nodes(n, scale, distribution, step):
    """Return scores and weights for rows of n, and their step of u at most.

    Neighbouring scores differ in u by no more than a step, also at the
    largest of a row, which are around alpha_c = √(2 log n). Beyond alpha_c
    log Z spreads over scale / alpha_c, and so does the integrand.

    `scale` is that of the scores, with all that makes their logits steeper;
    `step` is of u. Scores and weights are as `distributions.nodes` returns
    them, and the last step is enough where nothing is added to a row.
    """
    alpha_c = np.sqrt(2 * np.log(max(n, 2)))
    std = distribution.std()
    steepest = scale * max(std, steepness(distribution, alpha_c))
    step_z = step * min(STEP_OF_Z, 1 / max(steepest, 1e-300))
    s, weights = nodes(distribution, step_z, min(alpha_c + BEYOND, FURTHEST))
    return s, weights, step * max(1, scale * std / alpha_c)


def row_integrals(n, logits, weights, once, twice, step, sink=-np.inf):
    """Return averages over rows of sums over their keys.

    Parameters
    ----------
    n : number of keys, without the sink.
    logits, weights : arrays (m), rising, and (m, LEVELS), as of `nodes`.
    once, twice : lists of arrays (m): the functions c of which E[Σ p c] and
        E[Σ p² c] are wanted.
    step : of u = log t.
    sink : logit of one more key, -inf for none.

    Returns
    -------
    array (len(once) + len(twice) + 4, LEVELS)
        By how much Σp misses 1, the sink's share included: what lies between
        the steps is missed by all of them. Then what was asked for, in its
        order; the mean entropy with the sink in it, nats; E[p] and E[p²] of
        the sink. For LEVELS steps, the finest first.
    """
    once = _columns([np.ones_like(logits), *once], weights)
    twice = _columns(twice, weights)
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights[:, 0])
    u = _grid(n, logits, weights, step, sink)
    parts = np.array_split(
        u, min(-(-u.size * logits.size // MOST_ENTRIES), u.size)
    )
    log_f, *means = np.concatenate(
        [
            _means(part, logits, weights, log_weights, once, twice)
            for part in parts
        ],
        axis=1,
    )
    step = u[1] - u[0]
    # t exp(sink), and what the sink leaves of the rows
    y = np.exp(np.minimum(u + sink, GONE))[:, np.newaxis]
    others = (n - 1) * log_f if n > 1 else 0.0
    density = step * np.exp(np.log(n) + others - y)
    total, *found, log_y = (_over_u(density * mean) for mean in means)
    p = p_squared = np.zeros(LEVELS)
    if sink > -np.inf:
        alone = step * y * np.exp(n * log_f - y)
        p, p_squared = _over_u(alone), _over_u(alone * y)
        log_y += _over_u(alone * np.log(np.maximum(y, 1e-300)))
    missed = total + p - 1
    return np.array([missed, *found, -log_y - np.euler_gamma, p, p_squared])


def _over_u(integrand):
    """Return the sums over u for LEVELS steps."""
    return np.array(
        [
            2**level * integrand[:: 2**level, level].sum()
            for level in range(LEVELS)
        ]
    )


def _means(u, logits, weights, log_weights, once, twice):
    """Return log F, and the means of which `row_integrals` takes integrals.

    They are those of y exp(-y) times each c of `once`, of y² exp(-y) times
    each c of `twice`, as columns, and of y exp(-y) log y.
    """
    kept = _that_matter(u, logits, log_weights)
    above = slice(kept.stop, None)  # where exp(-y) is nothing, or the weight
    beyond = (u[0] + logits[above] > 0) @ weights[above]
    log_y = np.minimum(u[:, np.newaxis] + logits[kept], GONE)
    weights = weights[kept]
    y = np.exp(log_y)
    missing = -np.expm1(-y)
    with np.errstate(divide="ignore"):
        log_f = np.log1p(-np.minimum(missing @ weights + beyond, 1))
    y_power = y * np.exp(-y)
    found = [y_power @ once[kept], y * y_power @ twice[kept]]
    found += [(log_y * y_power) @ weights]
    found = np.concatenate([log_f, *found], axis=1)
    return found.reshape(u.size, -1, LEVELS).swapaxes(0, 1)


def _columns(functions, weights):
    """Return functions times weights, LEVELS columns for each of them."""
    products = np.stack(functions, axis=1)[..., np.newaxis]
    return (products * weights[:, np.newaxis]).reshape(len(weights), -1)


def _grid(n, logits, weights, step, sink):
    """Return the u between which F^n exp(-t exp(sink)) falls from 1 to 0."""
    ends = [max(logits.max(), sink), max(logits.min(), sink)]
    rough = np.linspace(
        -ends[0] - 2 * np.log(n) - SMALL, -ends[1] + GONE, ROUGH
    )
    few = weights[:, -1] > 0
    y = np.exp(np.minimum(rough[:, np.newaxis] + logits[few], GONE))
    missing = -np.expm1(-y) @ weights[few, -1]
    exponent = -n * np.log1p(-np.minimum(missing, 1 - 1e-16))
    exponent += np.exp(np.minimum(rough + sink, GONE))
    last_one = max((exponent < np.exp(-SMALL)).sum() - 1, 0)
    first_zero = min((exponent < SMALL).sum(), rough.size - 1)
    return np.arange(rough[last_one], rough[first_zero] + step, step)


def _that_matter(u, logits, log_weights):
    """Return the slice of scores without which no mean misses a digit."""
    ends = u[[0, -1], np.newaxis] + logits
    # in the means of y exp(-y) and of y² exp(-y), at both ends
    once = ends + log_weights - np.exp(np.minimum(ends, LARGEST_POWER))
    twice = once + ends
    matter = (once > once.max(axis=1, keepdims=True) - SHARE).any(axis=0)
    matter |= (twice > twice.max(axis=1, keepdims=True) - SHARE).any(axis=0)
    return slice(matter.argmax(), matter.size - matter[::-1].argmax())
