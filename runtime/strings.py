"""Functions of texts that may be staged: `autograph.strings`.

Arrays of texts are NumPy's own, of dtype `StringDType`. A `str` is one text; where a function is
staged, a text that is an argument is part of the trace, and an array of texts is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.dispatch import apply
from runtime.dtypes import as_texts
from runtime.graph.opdef import OpDef
from runtime.ops import string_ops as ops
from runtime.tensor import TensorLike

__all__ = [
    "array",
    "as_string",
    "capitalize",
    "join",
    "length",
    "lower",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_number",
    "upper",
]


def _apply(op: OpDef, *inputs: Any, **attrs: Any) -> Any:
    return apply(op, [x if isinstance(x, TensorLike) else _operand(x) for x in inputs], **attrs)


def _operand(value: Any) -> Any:
    """Return texts as an array of texts, other values as they are."""
    is_text = isinstance(value, str | list | tuple | np.ndarray)
    found = np.asarray(value) if is_text else value
    return as_texts(value) if is_text and found.dtype.kind == "U" else found


def array(texts: Any) -> Any:
    """Return an array of texts.

    >>> array(["a", "bc"])
    array(['a', 'bc'], dtype=StringDType())
    """
    return as_texts(texts)


def length(x: Any, unit: str = "char") -> Any:
    """Return the length of each text, in characters, or in bytes with `unit="byte"`.

    >>> length(["a", "grün"]).tolist()
    [1, 4]
    """
    return _apply(ops.string_length, x, unit=unit)


def lower(x: Any) -> Any:
    """Return each text in small letters.

    >>> lower("Hello")
    'hello'
    """
    return _apply(ops.string_change, x, how="lower")


def upper(x: Any) -> Any:
    """Return each text in capital letters."""
    return _apply(ops.string_change, x, how="upper")


def capitalize(x: Any) -> Any:
    """Return each text with a capital letter in front."""
    return _apply(ops.string_change, x, how="capitalize")


def strip(x: Any) -> Any:
    """Return each text without blanks around it."""
    return _apply(ops.string_change, x, how="strip")


def substr(x: Any, start: Any, length: Any, unit: str = "char") -> Any:
    """Return the part of each text from a position on; a negative one counts from the end.

    Raises:
        ValueError: a text has no such position.

    >>> substr("some text", 5, 3)
    'tex'
    """
    return _apply(ops.string_substr, x, start, length, unit=unit)


def join(texts: Any, separator: str = "") -> Any:
    """Return texts joined element by element.

    >>> join([["a", "b"], "c"], "-")
    array(['a-c', 'b-c'], dtype=StringDType())
    """
    return _apply(ops.string_join, *texts, separator=separator)


def reduce_join(x: Any, axis: int | None = None, separator: str = "") -> Any:
    """Return the texts along an axis, or all of them, joined to one.

    >>> reduce_join(["a", "b", "c"], separator=" ")
    'a b c'
    """
    return _apply(ops.string_reduce_join, x, axis=axis, separator=separator)


def split(x: Any, separator: str | None = None) -> Any:
    """Return the parts of one text, between separators or blanks.

    Raises:
        ShapeError: there are several texts.

    >>> split("one two").tolist()
    ['one', 'two']
    """
    return _apply(ops.string_split, x, separator=separator)


def to_number(x: Any, dtype: Any = np.float64) -> Any:
    """Return the number that each text says.

    Raises:
        ValueError: a text says none.

    >>> to_number(["1.5", "-2"])
    array([ 1.5, -2. ])
    """
    return _apply(ops.string_to_number, x, dtype=np.dtype(dtype).name)


def as_string(x: Any, form: str = "") -> Any:
    """Return the text of each number, as `format` writes it.

    >>> as_string([1.5, 2.25], ".1f").tolist()
    ['1.5', '2.2']
    """
    return _apply(ops.as_string, x, form=form)


def to_hash_bucket(x: Any, buckets: int) -> Any:
    """Return a number below `buckets` for each text, the same in all processes."""
    return _apply(ops.string_hash, x, buckets=buckets)


def regex_replace(x: Any, pattern: str, rewrite: str, count: int = 0) -> Any:
    r"""Return each text with what a regular expression of Python's matches replaced.

    >>> regex_replace("a1b22", r"\d+", "#")
    'a#b#'
    """
    return _apply(ops.string_replace, x, pattern=pattern, rewrite=rewrite, count=count)


def regex_full_match(x: Any, pattern: str) -> Any:
    """Return whether a regular expression of Python's matches the whole of each text."""
    return _apply(ops.string_matches, x, pattern=pattern)
