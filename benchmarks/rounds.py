"""How every benchmark times, in rounds, and how it writes what it found."""

from time import perf_counter, process_time

import numpy as np


def seconds(function, *arguments):
    """Time one call."""
    start = perf_counter()
    function(*arguments)
    return perf_counter() - start


def cpu_seconds(function, *arguments):
    """Count what one call takes, which a busy machine leaves as it is."""
    start = process_time()
    function(*arguments)
    return process_time() - start


def spread(values, unit=""):
    """Write the median, and between which values half of the rounds lie."""
    low, median, high = map(brief, np.quantile(values, [0.25, 0.5, 0.75]))
    reach = "" if low == high else f" ({low} to {high})"
    return f"{median}{unit}{reach}"


def brief(number):
    """Write a number in two or three digits."""
    if number >= 1e6:
        return f"{number:.1e}".replace("e+", "e")
    short = float(f"{number:.3g}")
    return f"{short:,.0f}" if short >= 100 else f"{short:g}"


def row(widths, cells):
    """Print one line of a table; widths are in characters."""
    padded = zip(cells, widths, strict=True)
    print(" ".join(f"{cell:<{width}}" for cell, width in padded).rstrip())
