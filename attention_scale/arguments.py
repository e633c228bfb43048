"""What the library accepts, and what it says of anything else.

Numbers come alone or in arrays: whole numbers, float32 or float64. Anything
else is a TypeError, masked arrays too. NaN, ragged rows, numbers out of range
and shapes that do not fit are ValueErrors. Every message names the argument,
what it was and what it should be.
"""

import reprlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Array",
    "above",
    "array",
    "finite",
    "key_counts",
    "large_weights",
    "number",
    "numbers",
    "refuse",
    "row_entropies",
    "scales",
    "score_rows",
    "together",
    "tolerances",
    "weight_rows",
]

Array = NDArray[np.floating[Any]]

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
# of a sum of weights: far more than rounding leaves, far less than no
# normalisation does
SLACK = {kind: np.sqrt(np.finfo(kind).eps) for kind in FLOATS}
# the bits of a half, read as a whole number
HALF = {kind: int(kind.type(0.5).view(f"u{kind.itemsize}")) for kind in FLOATS}
NUMBERS = "a number or an array, of float32, float64 or whole numbers"
NUMBER = "a single number, of float32, float64 or a whole one"
MOST_KEYS = 1e150  # n² is still a float64
EXACT = 2**53  # from here on float64 skips whole numbers
# Relative: what rounding alone leaves of a sum of thousands of terms.
FINEST = 1e-13


def array(name, value, rounded=False, kind=NUMBERS):
    """Return a finite or infinite float32 or float64 array without NaN.

    Whole numbers become float64; `rounded` says whether it may round them,
    and `kind` what the argument should be, for the message.
    """
    values = numbers(name, value, rounded, kind)
    # the least of numbers and NaN is NaN
    if values.size and np.isnan(values.min()):
        wrong = np.isnan(values)
        raise ValueError(f"{name}: NaN{_first(wrong)}; it should be a number")
    return values


def numbers(name, value, rounded=False, kind=NUMBERS):
    """Return what `array` does, in which NaN may stand."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name}: a masked array; it should be a plain one")
    try:
        values = np.asarray(value)
    except ValueError:
        raise ValueError(
            f"{name}: its rows differ in length; they should be equally long"
        ) from None
    if values.dtype.kind in "iu" or _is_long(values):
        values = _whole_as_float(name, values, rounded)
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    if values.dtype not in FLOATS:
        shown = reprlib.repr(value)
        if isinstance(value, np.ndarray):
            shown = f"an array of {values.dtype}"
        raise TypeError(f"{name}: {shown}; it should be {kind}")
    return values


def number(name, value):
    """Return a single number as a float."""
    values = array(name, value, kind=NUMBER)
    if values.ndim:
        raise ValueError(
            f"{name}: shape {values.shape}; it should be a single number"
        )
    return float(values)


def finite(name, value, dtype=np.float64, least=-np.inf):
    """Return numbers of at least the least, finite in a precision."""
    values = numbers(name, value)
    with np.errstate(over="ignore"):
        cast = values.astype(dtype, copy=False)
    if not cast.size:
        return cast
    # the ends of numbers and NaN are NaN, and not within limits
    ends = (cast.min(), cast.max()) if cast.ndim else [float(cast)] * 2
    if least <= ends[0] > -np.inf and ends[1] < np.inf:
        return cast
    array(name, value)
    limit = "" if least == -np.inf else f" of at least {least:g}"
    wrong = np.isinf(cast) | (cast < least)
    refuse(name, values, wrong, f"a finite {cast.dtype}{limit}")
    return cast


def key_counts(name, value, least=1):
    """Return whole numbers from `least` to 1e150, as float64 has them."""
    counts = array(name, value, rounded=True).astype(np.float64)
    wrong = ~((counts >= least) & (counts <= MOST_KEYS))
    wrong |= np.floor(counts) != counts
    refuse(name, counts, wrong, f"a whole number from {least} to 1e150")
    return counts


def tolerances(tolerance):
    """Return a tolerance as a float, none finer than float64 can tell."""
    value = number("tolerance", tolerance)
    wrong = not FINEST <= value < np.inf
    should = f"finite and at least {FINEST:g}, where float64 rounds"
    refuse("tolerance", value, wrong, should)
    return value


def score_rows(scores):
    """Return rows of scores (..., n), and the largest of each (..., 1).

    -inf masks a key; +inf is refused, and a row without a key or of masked
    ones alone.
    """
    scores = _rows("scores", scores)
    largest = scores.max(axis=-1, keepdims=True)
    # whatever is wrong with a row is wrong with its largest score
    if not np.isfinite(largest).all():
        array("scores", scores)
        infinite = scores == np.inf
        refuse("scores", scores, infinite, "finite, or -inf to mask a key")
        masked = np.isneginf(largest[..., 0])
        raise ValueError(
            f"scores: all keys are masked (-inf){_first(masked, 'in row')}; "
            "a row should have at least one unmasked key"
        )
    return scores, largest


def weight_rows(p, signs=True):
    """Return rows of weights: nonnegative numbers that sum to 1.

    The sum may miss 1 by the square root of the precision. Whoever takes
    their logarithms need not ask for their signs first.
    """
    p = _rows("p", p)
    slack = SLACK[p.dtype]
    # faster than a sum by pairs, to which it leaves what looks wrong
    quick = np.einsum("...i->...", p)
    fits = np.abs(quick - 1).max(initial=0) <= slack
    if fits and not (signs and p.min(initial=0) < 0):
        return p
    array("p", p)
    refuse("p", p, p < 0, "at least 0")
    total = p.sum(axis=-1)
    wrong = ~(np.abs(total - 1) <= slack)
    if wrong.any():
        raise ValueError(
            f"p: the weights sum to {total[wrong][0]:.6g}"
            f"{_first(wrong, 'in row')}; they should sum to 1"
        )
    return p


def large_weights(p):
    """Return where weights exceed a half, in the order of C, mostly nowhere.

    The bits of a float, read as a whole number, rise with it from 0 on; those
    of one below 0 are above them all, and refused. So one look finds both.
    """
    bits = p.view(f"u{p.itemsize}")
    if bits.max(initial=0) <= HALF[p.dtype]:
        return np.empty(0, int)
    large = np.flatnonzero(bits > HALF[p.dtype])
    if p.flat[large].min() < 0:
        refuse("p", p, p < 0, "at least 0")
    return large


def scales(scale, rows):
    """Return scales of at least 0, (..., 1), of the dtype of rows (..., n)."""
    scale = finite("scale", scale, rows.dtype, least=0)
    try:
        if scale.ndim:
            np.broadcast_shapes(scale.shape, rows.shape[:-1])
    except ValueError:
        raise ValueError(
            f"scale: shape {scale.shape}; it should broadcast with the rows, "
            f"shape {rows.shape[:-1]}"
        ) from None
    return scale[..., np.newaxis]


def row_entropies(entropy, lowest, highest):
    """Return entropies that powers of the weights of rows can have, float64.

    Above the lowest, which is the limit of large powers, and at most the
    highest, that of power 0; one that misses it by rounding becomes it.
    """
    values = array("entropy", entropy)
    slack = 4 * np.finfo(values.dtype).eps
    try:
        values, lowest, highest = np.broadcast_arrays(
            values.astype(np.float64), lowest, highest
        )
    except ValueError:
        raise ValueError(
            f"entropy: shape {values.shape}; it should broadcast with the "
            f"rows, shape {lowest.shape}"
        ) from None
    values = np.where(
        np.abs(values - highest) <= slack * highest, highest, values
    )
    wrong = (values > highest) | ((values <= lowest) & (values < highest))
    if wrong.any():
        value, low, high = (x[wrong][0] for x in (values, lowest, highest))
        ties, keys = np.rint(np.exp([low, high])).astype(int)
        # an entropy should not look like the limit that it misses
        close = min(abs(value - low), abs(value - high)) < 1e-8
        value, low, high = (
            str(x).removesuffix(".0") if close else f"{x:.10g}"
            for x in (value, low, high)
        )
        limits = f"log {keys} = {high}"
        if ties < keys:
            limits = f"above log {ties} = {low} and at most {limits}"
        raise ValueError(
            f"entropy: {value} nats{_first(wrong, 'for row')}; it should be "
            f"{limits}: {_what_counts(ties, keys)}"
        )
    return values


def together(**arguments):
    """Return arrays, each named, broadcast to one shape."""
    try:
        return np.broadcast_arrays(*arguments.values())
    except ValueError:
        shapes = [str(values.shape) for values in arguments.values()]
        raise ValueError(
            f"{', '.join(arguments)}: their shapes {', '.join(shapes)}; they "
            "should broadcast"
        ) from None


def above(error):
    """Write an error in two digits, rounded up: no limit that it exceeds."""
    if not 0 < error < np.inf:
        return f"{error:g}"
    unit = 10.0 ** (np.floor(np.log10(error)) - 1)
    return f"{np.ceil(error / unit - 1e-9) * unit:.2g}"


def refuse(name, values, wrong, should):
    """Raise a ValueError that shows the first of the values that is wrong."""
    values, wrong = np.asarray(values), np.asarray(wrong)
    if wrong.any():
        shown = str(values[wrong][0]).removesuffix(".0")
        raise ValueError(
            f"{name}: {shown}{_first(wrong)}; it should be {should}"
        )


def _what_counts(ties, keys):
    """Say of how many weights a row consists, and how many are largest."""
    if keys == 1:
        return "the row has a single weight that is not 0"
    if ties == keys:
        return f"the row has {keys} weights that are not 0, all equal"
    share = "one is the largest"
    if ties > 1:
        share = f"{ties} share the largest value"
    return f"the row has {keys} weights that are not 0, of which {share}"


def _is_long(values):
    """Tell whether whole numbers beyond 64 bits made an array of objects."""
    return values.dtype == object and all(
        type(value) in (int, float) for value in values.flat
    )


def _whole_as_float(name, whole, rounded):
    """Return whole numbers as float64, if it can hold them."""
    try:
        values = whole.astype(np.float64)
    except OverflowError:
        raise ValueError(
            f"{name}: a whole number of more than 308 digits; it should be "
            "one that float64 can hold"
        ) from None
    if not rounded and (np.abs(values) >= EXACT).any():
        raise ValueError(
            f"{name}: a whole number beyond 2**53, which float64 rounds; it "
            "should be smaller, or a float"
        )
    return values


def _rows(name, value):
    """Return rows of at least one key, in which NaN may stand."""
    values = numbers(name, value)
    if values.ndim == 0 or values.shape[-1] == 0:
        array(name, values)
        raise ValueError(
            f"{name}: shape {values.shape}; "
            "the last axis should hold at least one key"
        )
    return values


def _first(wrong, where="at index"):
    """Say where the first wrong entry stands, if there is more than one."""
    if wrong.ndim == 0:
        return ""
    index = tuple(map(int, np.argwhere(wrong)[0]))
    return f" {where} {index[0] if len(index) == 1 else index}"
