"""What was computed to hold from some number on: on a grid, and not before.

For functions of floats, where nothing encloses all values between points.
Near the stated number the points lie one unit of its last digit apart, and
one unit outside it the claim must fail: "from 3 on" is where it begins.
"""

import math

import numpy as np

from bookkit.checks.verdicts import FalseClaim, Verdict

NEAREST = 20  # points one unit apart, before the distances grow
GROWTH = 1.05
FIRST = 3  # tried alone before the others: there most false ones fall


def holds_from(test, start, until, unit, edge=False):
    """Check that a test passes from a number on, and not one unit before.

    Parameters
    ----------
    test : takes an array of numbers, returns an array of booleans.
    start : where it begins to pass, a multiple of `unit`.
    until : how far it is tried, above `start` or below it.
    unit : that of the last digit in which `start` is stated: .01 for 3.06, 1
        for a whole number. Points are multiples of it.
    edge : whether nothing is outside `start`, as below a length of 2: then
        that is not tried.

    Returns
    -------
    Verdict
        Computed: how many points were tried.

    Raises
    ------
    FalseClaim : the test fails at a point; or it passes one unit before
        `start` as well, and so does not begin there.
    ValueError : `start` is no multiple of `unit`, or `until` is it; the test
        gives something else than a boolean for each number.
    """
    outside, points = _points(start, until, unit)
    tried = points if edge else np.array([outside, *points])
    passed = np.asarray(test(tried))
    if passed.dtype != bool or passed.shape != tried.shape:
        raise ValueError(
            f"test: {passed.dtype} of shape {passed.shape} for {tried.size} "
            "numbers; it should be a boolean for each"
        )
    if not edge:
        if passed[0]:
            raise FalseClaim(f"it holds at {outside:g} too, not from {start}")
        passed = passed[1:]
    if not passed.all():
        raise FalseClaim(f"it does not hold at {points[~passed][0]:g}")
    return _computed(points, start, until, "" if edge else outside)


def rises_from(function, start, until, unit, edge=False):
    """Check that a function rises between numbers, and not one unit outside.

    It rises from `start` up to `until`, or, if that is smaller, from `until`
    up to `start`.

    Parameters
    ----------
    function : takes an array of numbers, returns an array of numbers.
    start, until, unit, edge : as in `holds_from`.

    Returns
    -------
    Verdict

    Raises
    ------
    FalseClaim : it falls, or stays, between two neighbours; or it also rises
        in the unit outside `start`.
    ValueError : as in `holds_from`.
    """
    return _monotone(function, start, until, unit, edge, 1)


def falls_from(function, start, until, unit, edge=False):
    """Check that a function falls between numbers, and not one unit outside.

    Parameters and errors are those of `rises_from`.
    """
    return _monotone(function, start, until, unit, edge, -1)


def _monotone(function, start, until, unit, edge, sign):
    outside, points = _points(start, until, unit)
    tried = points if edge else np.array([outside, *points])
    word = "rise" if sign > 0 else "fall"
    for part in (tried[:FIRST], tried):
        values = np.asarray(function(part), float)
        if values.shape != part.shape:
            raise ValueError(
                f"function: shape {values.shape} for {part.size} numbers; it "
                "should be a number for each"
            )
        steps = sign * math.copysign(1, until - start) * np.diff(values)
        if not edge and not steps[0] <= 0:
            raise FalseClaim(f"it {word}s between {outside:g} and {start} too")
        wrong = [k for k in range(not edge, steps.size) if not steps[k] > 0]
        if wrong:
            raise FalseClaim(
                f"it does not {word} between {part[wrong[0]]:g} and "
                f"{part[wrong[0] + 1]:g}"
            )
    return _computed(points, start, until, "" if edge else outside)


def _points(start, until, unit):
    """The number one unit outside, and the points from start until the end."""
    if not unit > 0 or not math.isfinite(until) or until == start:
        raise ValueError(
            f"unit: {unit!r}, until: {until!r}; they should be positive, and "
            "finite and not the start"
        )
    first = round(start / unit)
    if not math.isclose(first * unit, start, rel_tol=1e-9, abs_tol=1e-12):
        raise ValueError(
            f"start: {start!r}; it should be a multiple of the unit {unit!r}"
        )
    direction = 1 if until > start else -1
    far = round(abs(until - start) / unit)
    steps = [*range(min(far, NEAREST) + 1)]
    while steps[-1] < far:
        steps.append(min(far, math.ceil(steps[-1] * GROWTH)))
    # a decimal such as 3.06 is the float that is nearest to it
    digits = max(0, math.ceil(-math.log10(unit) + 1e-9)) + 2
    at = [round((first + direction * k) * unit, digits) for k in (-1, *steps)]
    return at[0], np.array(at[1:])


def _computed(points, start, until, outside):
    line = f"Computed ✓ at {points.size} points"
    before = f", and not at {outside:g}" if outside != "" else ""
    said = f"from {start} to {until}{before}"
    return Verdict(line, said, f"{said}.")
