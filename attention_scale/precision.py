"""A row in few bits: formats, rounding, and what rounded weights lose.

A kernel computes the weights of a row relative to a reference logit, as a
rule the largest that it has seen, and stores them in 8 or 16 bits before it
multiplies them with the values. The sum that they are divided by it keeps in
float32.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from attention_scale.arguments import array, key_counts, number, refuse

__all__ = [
    "BFLOAT16",
    "E4M3",
    "E5M2",
    "FLOAT16",
    "Format",
    "StoredWeights",
    "rounded",
    "stored_weights",
]

OUTERMOST = 8.5  # standard deviations: 1e-17 scores lie beyond
FEWEST_CELLS = 1200  # of the scores
WIDEST_CELL = 0.03  # of the logits: exp(-t w) hardly changes over a cell
BETWEEN = 5  # points in a cell, since rounding is a staircase
REFERENCES = 24  # nodes of the reference: its density is smooth
RARE = 1e-9  # chance of a reference beyond the nodes, at either end
STEP = 0.2  # of u = log t; see `quadrature`
SMALL = 25  # -log of what is nothing beside 1: 1e-11
GONE = 7  # exp(-exp(7)) is 0


class Format(NamedTuple):
    """A binary floating-point format, as far as finite numbers go.

    digits : binary digits that are stored of the mantissa.
    lowest : exponent of the smallest normal number; below it the numbers are
        evenly spaced down to 0.
    largest : the largest finite number, at which storing saturates.

    Source: the formats of 8 bits are OCP's (OFP8, 2023).
    """

    digits: int
    lowest: int
    largest: float


E4M3 = Format(digits=3, lowest=-6, largest=448.0)
E5M2 = Format(digits=2, lowest=-14, largest=57344.0)
FLOAT16 = Format(digits=10, lowest=-14, largest=65504.0)
BFLOAT16 = Format(digits=7, lowest=-126, largest=2.0**128 - 2.0**120)


class StoredWeights(NamedTuple):
    """What becomes of the weights of a row, averaged over the rows.

    kept : E[Σ stored / Σ exact], the share of the weight that arrives.
    lost : E of the weight of the keys that are stored as 0.
    error : root mean square error of the output over that of the output
        itself, for independent values with mean 0: √(E Σ (p̃ - p)² / E Σ p²).
    """

    kept: float
    lost: float
    error: float


def rounded(x: ArrayLike, format: Format) -> np.ndarray:
    """Round to the nearest number of a format, as a saturating cast does.

    Parameters
    ----------
    x : array of numbers, finite or infinite.
    format : Format.

    Returns
    -------
    array of float64, like x
        Ties go to the neighbour whose last digit is 0, and what is too large
        to the largest number.

    Raises
    ------
    TypeError : x is no array of numbers, or format is no Format.
    ValueError : x holds NaN.

    Source: IEEE 754, section 4.3.1; OCP OFP8, conversion with saturation.

    >>> rounded([1.0, 1.06, 1.07, 500.0], E4M3)
    array([  1.   ,   1.   ,   1.125, 448.   ])
    """
    x = array("x", x).astype(np.float64)
    _check_format(format)
    x = np.clip(x, -format.largest, format.largest)
    exponent = np.maximum(np.frexp(x)[1] - 1, format.lowest)
    unit = np.ldexp(1.0, exponent - format.digits)
    # rint takes a tie to the even neighbour, as the formats do
    return np.rint(x / unit) * unit


def stored_weights(
    n: float,
    scale: float,
    format: Format,
    offset: float = 0.0,
    seen: float | None = None,
) -> StoredWeights:
    """What is left of a row of n weights that are stored in few bits.

    The weight of key j is stored as 2^offset exp(α(s_j - s_ref)), rounded,
    and the row is divided by the exact sum. The scores are independent and
    standard normal, and s_ref is the largest among `seen` of them.

    Parameters
    ----------
    n : whole number of keys, from 1 to 1e9.
    scale : the scale α, a number from 0 to 20.
    format : Format of the stored weights.
    offset : powers of 2 by which the weights are multiplied first.
    seen : whole number from 1 to n; n, all keys, unless said otherwise.

    Returns
    -------
    StoredWeights
        To about three digits: rounding is a staircase, and sums resolve it
        only so far. It takes about a tenth of a second.

    Raises
    ------
    TypeError, ValueError : an argument is not of the kind above.

    Source: chapter 11, theorem on stored weights.

    >>> round(stored_weights(4096, 2.75, E4M3).lost, 3)
    0.055
    """
    n, alpha, offset, seen = _checked(n, scale, offset, seen)
    _check_format(format)
    cells = int(max(FEWEST_CELLS, 2 * OUTERMOST * alpha / WIDEST_CELL))
    edges, step = np.linspace(-OUTERMOST, OUTERMOST, cells + 1, retstep=True)
    s = edges[:-1, np.newaxis] + step / 2
    mass = step * _density(s)
    reference, chance = _references(seen)

    # t is that of sums relative to exp(α r), so that one y serves all r
    u = _grid(n, alpha, reference)
    y = np.exp(-np.exp(np.minimum(u + alpha * s.T, GONE)))
    t = np.exp(u + alpha * reference)

    # of a weight relative to exp(α r): means over a cell, below r and at all
    between = step * (np.arange(BETWEEN) + 0.5) / BETWEEN
    inner = between[:, np.newaxis, np.newaxis] + edges[:-1, np.newaxis]
    w = np.exp(alpha * (inner - reference))
    # the keys that were seen lie below the reference, the others anywhere
    groups = [(seen - 1, w < 1)] + [(n - seen, w > 0)] * (n > seen)
    rest, means = -t, []
    for count, where in groups:
        chances = mass * where.mean(axis=0)
        left = y @ chances
        means.append((count, where, left))
        rest = rest + count * np.log(left / chances.sum(axis=0))
    density = STEP * chance * np.exp(rest)

    def mean(power, h, h_of_1):
        """Return E[Σ h(w) / Z^power] by ∫ t^(power-1) exp(-t Z) dt."""
        total = h_of_1
        for count, where, left in means:
            total += count * (y @ (mass * (h * where).mean(axis=0))) / left
        return float((density * t**power * total).sum())

    unit = 2.0**offset
    stored, stored_1 = (rounded(unit * x, format) / unit for x in (w, 1.0))
    squares = mean(2, (stored - w) ** 2, (stored_1 - 1) ** 2)
    return StoredWeights(
        kept=mean(1, stored, stored_1),
        lost=mean(1, np.where(stored == 0, w, 0), float(stored_1 == 0)),
        error=float(np.sqrt(squares / mean(2, w**2, 1.0))),
    )


def _check_format(format):
    if not isinstance(format, Format):
        raise TypeError(
            f"format: {format!r}; it should be a Format, such as E4M3"
        )


def _checked(n, scale, offset, seen):
    """Return the arguments of `stored_weights` as numbers in their ranges."""
    n = _count("n", n, 1e9)
    seen = n if seen is None else _count("seen", seen, n)
    alpha, offset = number("scale", scale), number("offset", offset)
    refuse("scale", alpha, not 0 <= alpha <= 20, "from 0 to 20")
    refuse("offset", offset, not abs(offset) <= 100, "from -100 to 100")
    return n, alpha, offset, seen


def _count(name, value, most):
    count = float(key_counts(name, number(name, value)))
    refuse(name, count, count > most, f"at most {most:g}")
    return count


def _references(seen):
    """Return nodes of the largest of `seen` scores, and their chances."""
    ends = special.ndtri(RARE ** (1 / seen)), -special.ndtri(RARE / seen)
    reference = np.linspace(*ends, REFERENCES)
    others = (seen - 1) * special.log_ndtr(reference)
    density = _density(reference) * np.exp(others)
    return reference, density / density.sum()


def _density(s):
    """Return the standard normal density."""
    return np.exp(-(s**2) / 2) / np.sqrt(2 * np.pi)


def _grid(n, alpha, reference):
    """Return the u = log t at which exp(-t Z) is neither 0 nor 1."""
    log_z = np.log(n) + min(alpha**2 / 2, alpha * np.sqrt(2 * np.log(n)))
    low = -max(log_z, alpha * reference[-1]) - SMALL
    return np.arange(low, 4 - alpha * reference[0], STEP)[:, np.newaxis]
