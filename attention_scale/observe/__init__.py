"""Statistics of a model's rows of attention, beside those of random rows.

From queries and keys of any array library with the array API standard, NumPy
without anything else and PyTorch, JAX or CuPy with array-api-compat. Rows are
sampled, in blocks, and no array of all queries times all keys is made.
"""

from attention_scale.explain import Explanation, explain
from attention_scale.observe.bounds import (
    dead_share_bound,
    effective_keys,
    largest_logit,
)
from attention_scale.observe.factors import Factor, factor
from attention_scale.observe.normal import NormalRows
from attention_scale.observe.rows import (
    RowStatistics,
    Statistic,
    row_statistics,
)

__all__ = [
    "Explanation",
    "Factor",
    "NormalRows",
    "RowStatistics",
    "Statistic",
    "dead_share_bound",
    "effective_keys",
    "explain",
    "factor",
    "largest_logit",
    "row_statistics",
]
