"""How rows of several lengths are written, and made lists of."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

WIDTH = 72


def nested(rows: Any, write: Callable[[Any], Any]) -> list[Any]:
    """Return the rows of a ragged tensor, or of a tensor, as lists of what each element becomes."""
    if not hasattr(rows, "row_splits"):
        array = np.asarray(rows.array)
        flat = list(map(write, array.reshape(-1) if array.dtype.kind != "T" else array.ravel()))
        return np.array([*flat, None], object)[:-1].reshape(array.shape).tolist()  # type: ignore[no-any-return]
    values = nested(rows.values, write)
    bounds = np.asarray(rows.row_splits.array).tolist()
    return [values[a:b] for a, b in pairwise(bounds)]


def item(value: Any) -> Any:
    """Return an element as Python's number; a text as bytes, as TensorFlow has them."""
    return value.encode() if isinstance(value, str) else value.item()


def row_text(rows: Sequence[Any]) -> str:
    """Return rows of texts as TensorFlow writes them: where they are long, on lines of their own.

    >>> row_text([["1.5"], []])
    '[[1.5], []]'
    """
    if not rows or isinstance(rows[0], str):
        return "[" + textwrap.fill(", ".join(rows), WIDTH, subsequent_indent=" ") + "]"
    parts = list(map(row_text, rows))
    line = "[" + ", ".join(parts) + "]"
    if len(line) <= WIDTH and "\n" not in line:
        return line
    return "[" + textwrap.indent(",\n".join(parts), " ")[1:] + "]"


def element_text(value: Any) -> str:
    """Return the text of an element."""
    return repr(value.encode()) if isinstance(value, str) else str(value)
