"""What the library accepts, and what it says of anything else.

Every message names the argument, what it was and what it should be.
"""

import numpy as np

__all__ = [
    "alphas",
    "array",
    "key_counts",
    "orders",
    "row_entropies",
    "scales",
    "score_rows",
    "together",
    "tolerances",
    "weight_rows",
]

FLOATS = (np.float32, np.float64)
MOST_KEYS = 1e150
EXACT = 2**53  # from here on float64 skips whole numbers


def array(name, value):
    """Return a finite or infinite float32 or float64 array without NaN.

    Whole numbers become float64.

    Raises
    ------
    TypeError : it holds anything but whole numbers, float32 and float64, or
        hides entries behind a mask of its own.
    ValueError : it is ragged, holds NaN, or a whole number that float64
        would round.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{name}: a masked array; it should be a plain one "
            "(a score of -inf masks a key)"
        )
    try:
        values = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name}: its rows differ in length") from None
    if np.issubdtype(values.dtype, np.integer):
        whole, values = values, values.astype(np.float64)
        if (whole > EXACT).any() or (whole < -EXACT).any():
            raise ValueError(
                f"{name}: a whole number beyond 2**53, which float64 rounds"
            )
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    if values.dtype not in FLOATS:
        raise TypeError(
            f"{name}: an array of {values.dtype}; "
            "it should be of float32, float64 or whole numbers"
        )
    if np.isnan(values).any():
        raise ValueError(f"{name}: NaN{_first(np.isnan(values))}")
    return values


def score_rows(scores):
    """Return rows of scores, in which -inf masks a key.

    Raises
    ------
    TypeError, ValueError : as `array`; or there is no last axis of at least
        one key, a score is +inf, or a row is masked altogether.
    """
    scores = _rows("scores", array("scores", scores))
    above = scores == np.inf
    if above.any():
        raise ValueError(
            f"scores: +inf{_first(above)}; a score should be finite, "
            "or -inf to mask its key"
        )
    masked = np.isneginf(scores).all(axis=-1)
    if masked.any():
        raise ValueError(
            f"scores: all keys are masked (-inf){_first(masked, 'in row')}; "
            "a row needs at least one key"
        )
    return scores


def weight_rows(p):
    """Return rows of weights: nonnegative numbers that sum to 1.

    The sum may miss 1 by the square root of the precision: far more than
    rounding does, far less than a forgotten normalisation.

    Raises
    ------
    TypeError, ValueError : as `array`; or there is no last axis of at least
        one key, a weight is negative, or a row does not sum to 1.
    """
    p = _rows("p", array("p", p))
    if (p < 0).any():
        raise ValueError(
            f"p: {p[p < 0][0]} is negative{_first(p < 0)}; "
            "weights should be at least 0"
        )
    total = p.sum(axis=-1)
    wrong = ~(np.abs(total - 1) <= np.sqrt(np.finfo(p.dtype).eps))
    if wrong.any():
        raise ValueError(
            f"p: the weights sum to {np.atleast_1d(total[wrong])[0]:.6g}"
            f"{_first(wrong, 'in row')}; they should sum to 1"
        )
    return p


def scales(scale, rows):
    """Return scales of the rows' dtype that broadcast with the rows.

    Parameters
    ----------
    scale : a number or an array.
    rows : array (..., n).

    Returns
    -------
    array (..., 1)

    Raises
    ------
    TypeError, ValueError : as `array`; or a scale is negative or infinite,
        or does not broadcast with the rows.
    """
    scale = array("scale", scale)
    with np.errstate(over="ignore"):
        scale = scale.astype(rows.dtype)
    wrong = (scale < 0) | np.isinf(scale)
    if wrong.any():
        raise ValueError(
            f"scale: {np.atleast_1d(scale[wrong])[0]}{_first(wrong)}; "
            f"it should be a finite {rows.dtype} of at least 0"
        )
    try:
        np.broadcast_shapes(scale.shape, rows.shape[:-1])
    except ValueError:
        raise ValueError(
            f"scale: shape {scale.shape} does not broadcast with the rows, "
            f"shape {rows.shape[:-1]}"
        ) from None
    return scale[..., np.newaxis]


def orders(order, infinite=False):
    """Return the order of an entropy as a float.

    Raises
    ------
    TypeError : it is not a number.
    ValueError : it is negative or NaN; or infinite where that has no sense.
    """
    values = array("order", order)
    if values.ndim:
        raise ValueError(f"order: shape {values.shape}; it should be a number")
    if values < 0 or (np.isinf(values) and not infinite):
        limits = "at least 0" if infinite else "finite and at least 0"
        raise ValueError(f"order: {values}; it should be {limits}")
    return float(values)


def row_entropies(entropy, lowest, highest):
    """Return entropies that powers of the weights of rows can have, float64.

    Parameters
    ----------
    entropy : number or array that broadcasts with the rows, nats.
    lowest, highest : arrays of the rows' shape: the limit of large powers,
        and the entropy at power 0. An entropy that misses the highest by
        rounding becomes the highest.

    Raises
    ------
    TypeError, ValueError : as `array`; or the shapes do not fit, or an
        entropy is out of reach.
    """
    values = array("entropy", entropy)
    slack = 4 * np.finfo(values.dtype).eps
    try:
        values, lowest, highest = np.broadcast_arrays(
            values.astype(np.float64), lowest, highest
        )
    except ValueError:
        raise ValueError(
            f"entropy: shape {values.shape} does not broadcast with the rows, "
            f"shape {lowest.shape}"
        ) from None
    values = np.where(
        np.abs(values - highest) <= slack * highest, highest, values
    )
    wrong = (values > highest) | ((values <= lowest) & (values < highest))
    if wrong.any():
        value, low, high = (x[wrong][0] for x in (values, lowest, highest))
        raise ValueError(
            f"entropy: {value:.10g} nats{_first(wrong, 'for row')}; it should "
            f"be above log {np.exp(low):.0f} = {low:.10g} and at most "
            f"log {np.exp(high):.0f} = {high:.10g}: the row has "
            f"{np.exp(high):.0f} weights that are not 0, of which "
            f"{np.exp(low):.0f} share the largest value"
        )
    return values


def key_counts(n, name="n", least=1):
    """Return numbers of keys as an array of float64.

    Raises
    ------
    TypeError : they are not numbers.
    ValueError : one is no whole number from `least` to 1e150.
    """
    kind = f"{name}: {n!r}; it should be a whole number of keys, or an array"
    try:
        counts = np.asarray(n)
    except ValueError:
        raise TypeError(kind) from None
    # whole numbers beyond 64 bits arrive as objects
    if counts.dtype == object and all(
        type(count) in (int, float) for count in counts.ravel()
    ):
        counts = np.array(
            [
                float(max(min(count, 2 * int(MOST_KEYS)), -1))
                for count in counts.ravel()
            ]
        ).reshape(counts.shape)
    elif counts.dtype.kind not in "iuf" or isinstance(n, np.ma.MaskedArray):
        raise TypeError(kind)
    counts = counts.astype(np.float64)
    wrong = ~((counts >= least) & (counts <= MOST_KEYS))
    wrong |= np.floor(counts) != counts
    if wrong.any():
        raise ValueError(
            f"{name}: {np.atleast_1d(counts[wrong])[0]:.17g}{_first(wrong)}; "
            f"it should be a whole number from {least} to {MOST_KEYS:g}"
        )
    return counts


def alphas(alpha, name="alpha"):
    """Return scales of scores as an array of float64.

    Raises
    ------
    TypeError, ValueError : as `array`; or one is negative or infinite.
    """
    values = array(name, alpha).astype(np.float64)
    wrong = (values < 0) | np.isinf(values)
    if wrong.any():
        raise ValueError(
            f"{name}: {np.atleast_1d(values[wrong])[0]}{_first(wrong)}; "
            "it should be finite and at least 0"
        )
    return values


def together(**arguments):
    """Return arrays, each named, broadcast to one shape.

    Raises
    ------
    ValueError : their shapes do not fit.
    """
    try:
        return np.broadcast_arrays(*arguments.values())
    except ValueError:
        shapes = [str(values.shape) for values in arguments.values()]
        raise ValueError(
            f"{', '.join(arguments)}: their shapes {', '.join(shapes)} do not "
            "broadcast"
        ) from None


def tolerances(tolerance):
    """Return a tolerance as a float.

    Raises
    ------
    TypeError : it is not a number.
    ValueError : it is not positive and finite.
    """
    value = array("tolerance", tolerance)
    if value.ndim or not 0 < value < np.inf:
        raise ValueError(
            f"tolerance: {tolerance}; it should be a positive number"
        )
    return float(value)


def _rows(name, values):
    if values.ndim == 0 or values.shape[-1] == 0:
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
