"""Tuples, lists and dicts that hold staged values, compared as Python does.

The first items that differ decide, and if none do the lengths; an item is equal to itself.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.builtins.number_builtins import bool_
from autograph.operators.builtins.texts import is_asked
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.iteration.known_columns import REAL
from autograph.operators.objects.union_values import truth_of
from runtime import default_graph
from runtime.dispatch import as_known
from runtime.tensor import Symbol

_ROWS = (list, tuple, deque)
_COMPARED = REAL | {str, bytes, type(None)}
_LENGTHS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def is_of_rows(sign: str, left: Any, right: Any) -> bool:
    """Tell whether an operator compares two tuples, lists or dicts of which one holds staged."""
    kind = type(left)
    if kind is not type(right) or kind not in (*_ROWS, dict):
        return False
    is_comparison = sign in ("==", "!=") or (sign in _LENGTHS and kind is not dict)
    return is_comparison and (is_asked(left) or is_asked(right))


def compared(sign: str, left: Any, right: Any) -> Any:
    """Return `left < right`, and the like."""
    if type(left) is deque:
        left, right = list(left), list(right)
    if sign == "==":
        return _equal(left, right)
    if sign == "!=":
        return table.operators.not_(_equal(left, right))
    return _decided(sign, left, right, 0)


def _equal(left: Any, right: Any) -> Any:
    if len(left) != len(right):
        return False
    if type(left) is not dict:
        return _all_equal(list(zip(left, right, strict=True)))
    if left.keys() != right.keys():
        return False
    return _all_equal([(value, right[key]) for key, value in left.items()])


def _all_equal(pairs: list[tuple[Any, Any]]) -> Any:
    if not pairs:
        return True
    first, *others = pairs
    return table.operators.and_(is_item(*first), lambda: _all_equal(others))


def is_item(a: Any, b: Any) -> Any:
    """Return whether containers take two items for the same, as a `bool`."""
    return True if a is b else bool_(truth_of(table.operators.binary("==", a, b)))


def is_among(item: Any, known: Sequence[Any]) -> Any:
    """Return whether a staged number is equal to one of some known ones, as a `bool`.

    None if something else is to be compared: objects whose classes say what they are equal to.
    """
    is_number = type(item) is Symbol and item.union is None and item.spec.shape == ()
    if (
        not is_number
        or item.spec.dtype.kind not in "biuf"
        or not _COMPARED.issuperset(map(type, known))
    ):
        return None
    columns: dict[type, list[Any]] = {}
    for x in known:
        if type(x) in REAL:
            columns.setdefault(type(x), []).append(x)
    try:
        with np.errstate(over="raise"):
            found = [_column(xs, kind, item.spec.dtype) for kind, xs in columns.items()]
    except FloatingPointError:  # NumPy warns of each such comparison
        return None
    builder = default_graph.current()
    assert builder is not None
    tests = [rnp.any(item == as_known(builder, xs)) for xs in found if xs.size]
    return bool_(reduce(operator.or_, tests)) if tests else False


def _column(numbers: list[Any], kind: type, dtype: np.dtype[Any]) -> Any:
    """Return known numbers of a class as an array that compares with a dtype as they do."""
    if kind is float or (kind in (int, bool) and dtype.kind == "f"):
        return np.array(numbers, dtype if dtype.kind == "f" else np.float64)
    if kind not in (int, bool):
        return np.array(numbers)
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return np.array([x for x in numbers if low <= x <= high], dtype)


def _decided(sign: str, left: Any, right: Any, position: int) -> Any:
    """Compare from a position on."""
    if position == min(len(left), len(right)):
        return _LENGTHS[sign](len(left), len(right))
    a, b = left[position], right[position]
    return if_exp(
        is_item(a, b),
        lambda: _decided(sign, left, right, position + 1),
        lambda: table.operators.binary(sign, a, b),
    )
