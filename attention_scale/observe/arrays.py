"""Arrays of any library: NumPy's own, others by the array API standard."""

from types import ModuleType
from typing import Any

import numpy as np


def numpy_of(values: Any) -> np.ndarray:
    """Return an array of any library as one of NumPy."""
    if isinstance(values, np.ndarray | np.generic | list | float | int):
        return np.asarray(values)
    if hasattr(values, "detach"):  # PyTorch, whose bfloat16 NumPy lacks
        values = values.detach().cpu()
        if "bfloat16" in str(values.dtype):
            values = values.float()
        return values.numpy()
    if hasattr(values, "get"):  # CuPy
        return values.get()
    try:
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError):
        return np.from_dlpack(values)


def namespace(*arrays: Any) -> ModuleType:
    """Return the array library, by its standard names."""
    if all(isinstance(values, np.ndarray) for values in arrays):
        return np
    try:
        from array_api_compat import array_namespace
    except ImportError:
        kinds = {type(values).__module__.split(".")[0] for values in arrays}
        raise ImportError(
            f"query, key: arrays of {' and '.join(sorted(kinds))}; other "
            "libraries than NumPy need array-api-compat: pip install "
            "'attention-scale[observe]'"
        ) from None
    try:
        return array_namespace(*arrays)
    except TypeError:
        kinds = {type(values).__name__ for values in arrays}
        raise TypeError(
            f"query, key: {' and '.join(sorted(kinds))}; both should be "
            "arrays of one library"
        ) from None


def floats(xp: ModuleType, name: str, values: Any) -> Any:
    """Return floats in float32, or in float64 where they are that."""
    if "float" not in str(values.dtype):
        raise TypeError(
            f"{name}: an array of {values.dtype}; it should be of floats"
        )
    if values.dtype in (xp.float32, xp.float64):
        return values
    return xp.asarray(values, dtype=xp.float32)


def is_boolean(values: Any) -> bool:
    """Tell whether an array of any library is of booleans."""
    return "bool" in str(values.dtype)


def like(xp: ModuleType, values: np.ndarray, other: Any) -> Any:
    """Return a NumPy array as one of the library, on the other's device."""
    if xp is np:
        return values
    return xp.asarray(values, device=getattr(other, "device", None))


def transposed(xp: ModuleType, values: Any) -> Any:
    """Return matrices transposed; NumPy 1 has no name of the standard."""
    if xp is np:
        return np.swapaxes(values, -1, -2)
    return xp.matrix_transpose(values)


def shape_of(values: Any) -> tuple[int, ...]:
    """Return the shape of what may be no array."""
    return tuple(getattr(values, "shape", ()))
