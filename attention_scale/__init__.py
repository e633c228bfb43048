"""What the scale does to rows of attention, and what your model's rows do.

    softmax        weights, their logarithms, derivatives, the step back
    entropy        how spread a row of weights is
    annealed       the published approximation of random rows
    quenched       exact averages over random rows, for any number of keys
    added          the same behind a cap, or with a sink
    precision      rows in few bits: rounding, and what it loses
    distributions  of the scores: those of SciPy, and the cosine
    length         how the scale grows with the number of keys
    rules          what published models do when the text grows longer
    observe        statistics of the rows of a model, beside random ones
    explain        what a model multiplies the logits by, and was configured to
    torch          rows of a PyTorch model while it runs (needs PyTorch)

Each is a module, loaded when it is first used:

>>> import attention_scale
>>> attention_scale.softmax.softmax([1.0, 1.0])
array([0.5, 0.5])
"""

from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"

__all__ = [
    "added",
    "annealed",
    "distributions",
    "entropy",
    "explain",
    "length",
    "observe",
    "precision",
    "quenched",
    "rules",
    "softmax",
]
OPTIONAL = ["torch"]  # what it needs is not installed with the library


def __getattr__(name: str) -> ModuleType:
    if name in __all__ or name in OPTIONAL:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}; it has "
        f"{', '.join(__all__ + OPTIONAL)}"
    )


def __dir__() -> list[str]:
    return [*__all__, *OPTIONAL, "__version__"]
