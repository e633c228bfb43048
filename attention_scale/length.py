"""How the scale grows with the number of keys: laws that follow from a goal.

`entropy_invariant_scale` keeps the mean entropy of rows of independent
scores, `margin_scale` the weight of one key that stands above the others.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from attention_scale.arguments import (
    Array,
    array,
    finite,
    key_counts,
    refuse,
    together,
)
from attention_scale.distributions import (
    STANDARD_NORMAL,
    Distribution,
    name_of,
    spread,
)
from attention_scale.quenched import LARGEST_SPREAD, averages

__all__ = ["entropy_invariant_scale", "margin_scale"]

FACTOR = 1.1  # of the scale, to enclose the solution
TO_ROUNDING = 1e-14  # relative, of the solution
SMALLEST = 1e-300  # margin: the scale is still a float


def entropy_invariant_scale(
    n: ArrayLike,
    base_scale: ArrayLike,
    base_length: ArrayLike,
    distribution: Distribution = STANDARD_NORMAL,
    tolerance: float = 1e-10,
) -> Array:
    """Scale at which rows of n keys have the mean entropy of a base.

    Parameters
    ----------
    n : whole number of keys from 2 to 1e150, or an array of them.
    base_scale : the scale at base_length, a number from 0 to 1000 /
        (standard deviation of a score), or an array that broadcasts with n.
    base_length : whole number of keys from 2 to 1e150, or such an array.
    distribution : frozen SciPy distribution of one score, without heavy tails.
    tolerance : as `quenched.averages`, whose error it is.

    Returns
    -------
    array
        The scale α with E[H](α, n) = E[H](base_scale, base_length).

    Raises
    ------
    TypeError : an argument is not of the kind above.
    ValueError : an argument is outside its range; a row of n keys cannot
        have the entropy, since it is above log n or below what any scale up
        to 1000 standard deviations leaves; or as `quenched.averages`.

    Source: chapter 8.

    >>> alpha = entropy_invariant_scale(131_072, 2.75, 8192)
    >>> float((alpha / 2.75).round(3))  # the factor, at sixteen times the keys
    1.368
    """
    n, base_scale, base_length = together(
        n=key_counts("n", n, least=2),
        base_scale=finite("base_scale", base_scale, least=0),
        base_length=key_counts("base_length", base_length, least=2),
    )
    _, std = spread(distribution)
    if std == 0:
        raise ValueError(
            f"distribution: {name_of(distribution)} is one value: every scale "
            "gives a row the entropy log n"
        )
    if (base_scale > LARGEST_SPREAD / std).any():
        raise ValueError(
            f"base_scale: {base_scale.max():.4g}, for scores of standard "
            f"deviation {std:.4g}; the product should be at most "
            f"{LARGEST_SPREAD:g}"
        )
    goal = averages(base_length, base_scale, distribution, tolerance).entropy
    wrong = (goal >= np.log(n)) & (n < base_length)
    if wrong.any():
        raise ValueError(
            f"n: {n[wrong][0]:g} keys have an entropy of at most log n = "
            f"{np.log(n[wrong][0]):.6g} nats, and rows of "
            f"{base_length[wrong][0]:g} at the scale "
            f"{base_scale[wrong][0]:g} have {goal[wrong][0]:.6g}: no scale "
            "gives it to fewer keys"
        )
    # one step lower, so that its product with std rounds to no more
    most = np.nextafter(LARGEST_SPREAD / std, 0)
    # where the entropy would be the goal if it were log n - (scale std)² / 2
    growth = 2 * np.maximum(np.log(n / base_length), 0)
    guess = np.minimum(np.hypot(base_scale, np.sqrt(growth) / std), most)

    def entropy(n, scale):
        return averages(n, scale, distribution, tolerance).entropy

    cases = (n, base_scale, base_length, goal, guess)
    found = [
        _solve(most, entropy, *case)
        for case in zip(*(values.ravel() for values in cases), strict=True)
    ]
    return np.reshape(found, n.shape)[()]


def margin_scale(
    n: ArrayLike, probability: ArrayLike, margin: ArrayLike
) -> Array:
    """Scale at which one key has a given weight among n.

    Its score is the margin above the scores of the others, which are equal.

    Parameters
    ----------
    n : whole number of keys from 2 to 1e150, or an array of them.
    probability : number from 1 / n to 1, or an array that broadcasts with n.
    margin : number of at least 1e-300, or such an array.

    Returns
    -------
    array
        (log(n - 1) + log(probability / (1 - probability))) / margin.

    Raises
    ------
    TypeError : an argument is not of the kind above.
    ValueError : an argument is outside its range, or shapes do not fit.

    Source: chapter 8.

    >>> margin_scale([1024, 16_384], probability=0.5, margin=2).round(3)
    array([3.465, 4.852])
    """
    probability = array("probability", probability)
    slack = 4 * np.finfo(probability.dtype).eps
    n, probability, margin = together(
        n=key_counts("n", n, least=2),
        probability=probability.astype(np.float64),
        margin=array("margin", margin).astype(np.float64),
    )
    wrong = (probability < (1 - slack) / n) | (probability >= 1)
    if wrong.any():
        raise ValueError(
            f"probability: {probability[wrong][0]:g} for n = {n[wrong][0]:g}; "
            f"it should be at least 1/n, which scale 0 gives, and below 1"
        )
    wrong = ~((margin >= SMALLEST) & (margin < np.inf))
    refuse("margin", margin, wrong, f"positive and finite, from {SMALLEST:g}")
    # at least 0, where rounding or slack would leave less
    log_ratio = np.log(n - 1) + special.logit(probability)
    return np.maximum(log_ratio, 0) / margin


def _solve(most, entropy, n, base_scale, base_length, goal, guess):
    """Return the scale at which the entropy of n keys is the goal."""

    def excess(scale):
        return entropy(n, scale) - goal

    if n < base_length:
        return _root(excess, 0.0, base_scale)
    low, high = base_scale, guess
    while excess(high) > 0:
        if high == most:
            raise ValueError(
                f"n: rows of {n:g} keys keep an entropy above {goal:.6g} "
                "nats, that of the base, up to 1000 standard deviations: "
                f"the scale {most:.4g}"
            )
        low, high = high, min(FACTOR * high, most)
    return _root(excess, low, high)


def _root(excess, low, high):
    """Return where a falling function is 0, to rounding.

    SciPy's search over arrays, `optimize.elementwise`, needs a quarter more
    of the averages, and four times the time.
    """
    if excess(low) <= 0:
        return low
    if excess(high) >= 0:
        return high
    from scipy import optimize

    return optimize.brentq(excess, low, high, xtol=TO_ROUNDING * high)
