"""A table that shows itself: text in a terminal, a real table on a page."""

from dataclasses import dataclass

import numpy as np

from bookkit.checks.measurements import Estimate, brief, with_error

__all__ = ["Table", "table"]


@dataclass(frozen=True, repr=False)
class Table:
    """Column heads and rows of text; words stand left, numbers right."""

    heads: list
    rows: list
    is_text: list

    def __repr__(self):
        lines = [self.heads, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        place = [str.ljust if text else str.rjust for text in self.is_text]
        return "\n".join(
            "  ".join(
                put(entry, width)
                for put, entry, width in zip(place, line, widths, strict=True)
            ).rstrip()
            for line in lines
        )

    def _repr_markdown_(self):
        rule = [":--" if text else "--:" for text in self.is_text]
        lines = [self.heads, rule, *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table(columns):
    """Make a table of columns of equal length.

    Parameters
    ----------
    columns : {head: column}. A column is a sequence of strings, numbers
        (shown in four digits, whole numbers whole) or estimates, or one
        Estimate of arrays (shown with standard errors).

    Returns
    -------
    Table

    Raises
    ------
    TypeError : columns is no dict, or a column no sequence of such entries.
    ValueError : there are no columns, or they differ in length.
    """
    if not isinstance(columns, dict):
        raise TypeError(f"columns: {columns!r}; it should be {{head: column}}")
    if not columns:
        raise ValueError("columns: there are none; give one at least")
    for head in columns:
        if not isinstance(head, str):
            raise TypeError(f"columns: head {head!r}; it should be a string")
    shown = {head: _entries(head, column) for head, column in columns.items()}
    lengths = {head: len(column) for head, column in shown.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns: lengths differ: {lengths}")
    rows = [list(row) for row in zip(*shown.values(), strict=True)]
    is_text = [
        not isinstance(column, Estimate)
        and all(isinstance(entry, str) for entry in column)
        for column in columns.values()
    ]
    return Table(list(shown), rows, is_text)


def _entries(head, column):
    estimates = isinstance(column, Estimate)
    values = column.value if estimates else column
    if isinstance(values, str) or not np.iterable(values):
        raise TypeError(
            f"columns[{head!r}]: {column!r}; it should be a sequence of "
            "strings, numbers or estimates"
        )
    if estimates:
        pairs = zip(values, column.standard_error, strict=True)
        return [with_error(*pair) for pair in pairs]
    return [_entry(head, entry) for entry in values]


def _entry(head, entry):
    if isinstance(entry, str):
        return entry
    if isinstance(entry, Estimate):
        return with_error(entry.value, entry.standard_error)
    if isinstance(entry, int | np.integer):
        return f"{entry:,}"
    try:
        return brief(entry)
    except (TypeError, ValueError):
        raise TypeError(
            f"columns[{head!r}]: {entry!r}; it should be a string, a number "
            "or an estimate"
        ) from None
