"""A function at every point of a grid: here, on all cores or on a cluster.

joblib does the work; its `parallel_config` says where, and how much it tells.
What joblib's `Memory` would lose if it wrapped the function itself, and this
module adds: it keeps what a cluster computes on the worker's disk, knows a
function of a notebook only in the process that defined it, and a SciPy
distribution not again, since that holds the state of NumPy's generator.
"""

import copy
import inspect
import itertools
import os
from functools import partial

import numpy as np
from joblib import Memory, Parallel, delayed
from scipy.stats.distributions import rv_frozen

from attention_scale.distributions import name_of

__all__ = ["sweep"]

STATEFUL = (
    np.random.Generator,
    np.random.BitGenerator,
    np.random.RandomState,
)


def sweep(function, /, *, folder=None, **axes):
    """Call a function at every point of the grid of its named axes.

    Parameters
    ----------
    function : called with one value of each axis, by name. What it returns
        should depend on these alone: if it draws, from default_rng(seed),
        the seed being an axis. Then the results are the same wherever it
        runs, and in whatever order.
    folder : where each result is kept as soon as it is there, so that a
        sweep that was interrupted, or has grown, computes the others only.
        Results are known by the function's name, source and arguments: when
        something else changes that it reads or calls, take a new folder.
    axes : lists, tuples, ranges or vectors of values. NumPy's numbers reach
        the function as Python's.

    Returns
    -------
    array
        Of shape (length of the first axis, of the second, ...) + shape of a
        result; of objects, where results are not numbers.

    Raises
    ------
    TypeError : the axes are not the function's arguments; one is not of the
        kind above, or holds a random generator; or there is a folder and the
        function is a lambda, an object, or uses variables of a function
        around it, none of which can be known again.
    ValueError : there is no axis, or nothing on one; results differ in
        shape; or there is a folder and the function's source is unknown.
        What the function raises says at which point.

    Source: appendix on larger sweeps.
    """
    axes = {name: _values(name, values) for name, values in axes.items()}
    _check_call(function, axes)
    points = [
        dict(zip(axes, values, strict=True))
        for values in itertools.product(*axes.values())
    ]
    calls = [partial(_call, function, point) for point in points]
    keys = _keys(function, points, folder)
    results = _results(calls, keys, folder)
    shapes = list(dict.fromkeys(result.shape for result in results))
    if len(shapes) > 1:
        raise ValueError(
            f"function: results of shapes {shapes[0]} and {shapes[1]}; they "
            "should be of one shape"
        )
    lengths = [len(values) for values in axes.values()]
    return np.stack(results).reshape(*lengths, *shapes[0])


def _results(calls, keys, folder):
    """Return what calls return, in their order, from the folder or anew."""
    # for a Path joblib would take another folder than for its text
    place = None if folder is None else os.fspath(folder)
    kept = Memory(place, verbose=0).cache(_result, ignore=["call"])
    found = {
        index: kept(key, call)
        for index, (key, call) in enumerate(zip(keys, calls, strict=True))
        if kept.check_call_in_cache(key, call)
    }
    # This process keeps the results: workers need not share its disk, and
    # see neither the source of a notebook nor its functions' names.
    running = Parallel(return_as="generator_unordered")(
        delayed(_numbered)(index, call)
        for index, call in enumerate(calls)
        if index not in found
    )
    for index, result in running:
        found[index] = kept(keys[index], lambda result=result: result)
    return [found[index] for index in range(len(calls))]


def _result(key, call):
    """Return the result of a call, which joblib keeps under the key."""
    return call()


def _numbered(index, call):
    """Return the result of a call with its index: they come in any order."""
    return index, call()


def _call(function, point):
    """Return a function's result at a point, as an array."""
    try:
        return np.asarray(function(**point))
    except Exception as error:
        written = (
            f"{name}={name_of(value) if _is_frozen(value) else repr(value)}"
            for name, value in point.items()
        )
        error.add_note(f"at {', '.join(written)}")
        raise


def _values(name, values):
    """Return the values of an axis as a list."""
    if not isinstance(values, list | tuple | range | np.ndarray):
        raise TypeError(
            f"{name}: {values!r}; an axis should be a list, a tuple, a range "
            "or a vector"
        )
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise TypeError(
            f"{name}: shape {values.shape}; an axis should be a vector"
        )
    if len(values) == 0:
        raise ValueError(
            f"{name}: {values!r}; an axis should hold at least one value"
        )
    for value in values:
        parts = value if isinstance(value, list | tuple) else [value]
        if any(isinstance(part, STATEFUL) for part in parts):
            raise TypeError(
                f"{name}: {value!r}; results would depend on the order of "
                "the points: give seeds"
            )
    return [
        value.item() if isinstance(value, np.generic) else value
        for value in values
    ]


def _check_call(function, names):
    """Refuse names that are not the arguments of a function."""
    if not callable(function):
        raise TypeError(f"function: {function!r}; it should be a function")
    if not names:
        raise ValueError(
            "axes: there are none; name one at least, as in "
            "sweep(function, n=[128, 512])"
        )
    try:
        signature = inspect.signature(function)
    except ValueError:  # functions written in C may have none
        return
    try:
        signature.bind(**names)
    except TypeError as error:
        raise TypeError(
            f"axes: {', '.join(names)}; they should be the arguments of "
            f"function({', '.join(signature.parameters)}): {error}"
        ) from None


def _keys(function, points, folder):
    """Return what the results at points are known by in a folder."""
    if folder is None:
        return [None] * len(points)
    if (
        not inspect.isfunction(function)
        or function.__name__ == "<lambda>"
        or function.__closure__
    ):
        raise TypeError(
            f"folder: results of {function!r} cannot be known again; the "
            "function should be made with def, and use no variables of a "
            "function around it"
        )
    try:
        source = inspect.getsource(function)
    except OSError:
        raise ValueError(
            f"folder: the source of {function!r} is unknown; it should be "
            "in a file or a notebook"
        ) from None
    name = f"{function.__module__}.{function.__qualname__}"
    keys = []
    for point in points:
        bound = inspect.signature(function).bind(**point)
        bound.apply_defaults()
        keys.append((name, source, _stable(bound.arguments)))
    return keys


def _stable(value):
    """Return a value that joblib hashes alike in every process."""
    if isinstance(value, dict):
        return {name: _stable(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_stable(part) for part in value]
    if _is_frozen(value):
        value = copy.deepcopy(value)
        value.random_state = 0  # in place of NumPy's, which changes
    return value


def _is_frozen(value):
    """Tell whether a value is a frozen SciPy distribution."""
    return isinstance(value, rv_frozen)
