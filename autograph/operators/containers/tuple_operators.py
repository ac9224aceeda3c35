"""Operators of tuples of which only the graph knows how many items they have."""

from __future__ import annotations

from typing import Any

from autograph.operators import table
from autograph.operators.builtins.type_queries import type_name
from autograph.operators.containers.promotion import staged_of, tuple_of
from autograph.operators.containers.staged_containers import StagedList, staged_list
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.storage import refused
from autograph.operators.lists.list_methods import ORDERS, equal_lists, ordered
from autograph.operators.mutation.journal import new
from autograph.operators.objects.union_values import each
from runtime.errors import exact
from runtime.union import Choice


def is_of_tuples(left: Any, right: Any) -> bool:
    """Tell whether one of two operands is such a tuple."""
    return type(left) is StagedTuple or type(right) is StagedTuple


def refuse_writing(container: Any, how: str) -> None:
    """Raise Python's TypeError for writing into such a tuple."""
    if type(container) is StagedTuple:
        raise exact(TypeError(f"'tuple' object {how}"))


def binary(sign: str, left: Any, right: Any) -> Any:
    """Return `left + right`, `left == right` and the like, of which one is such a tuple."""
    if type(left) is Choice:
        return each(left, lambda option: table.operators.binary(sign, option, right))
    if type(right) is Choice:
        return each(right, lambda option: table.operators.binary(sign, left, option))
    are_tuples = all(type(x) in (tuple, StagedTuple) for x in (left, right))
    if sign in ("==", "!="):
        found = are_tuples and equal_lists(_staged(left), _staged(right))
        return found if sign == "==" else table.operators.not_(found)
    if sign in ORDERS and are_tuples:
        return ordered(sign, _staged(left), _staged(right))
    if sign == "+" and are_tuples:
        found = _listed(left)
        table.operators.call(found.extend, right)
        return tuple_of(found)
    if sign == "+":
        mine, other = ("tuple", right) if type(left) is StagedTuple else (type_name(left), left)
        if mine in ("tuple", "list"):
            what = type_name(right)
            raise exact(TypeError(f'can only concatenate {mine} (not "{what}") to {mine}'))
        names = f"{type_name(other)!r} and 'tuple'"
        raise exact(TypeError(f"unsupported operand type(s) for +: {names}"))
    if sign == "*":
        items, times = (left, right) if type(left) is StagedTuple else (right, left)
        return tuple_of(table.operators.binary("*", _listed(items), times))
    raise refused(_staged(left), f"`{sign}`", "write a loop over its items")


def _staged(items: Any) -> StagedList:
    found = staged_list(items) or staged_list(_listed(items))
    assert found is not None
    return found


def _listed(items: Any) -> Any:
    """Return a new list of the items of a tuple, staged."""
    found = table.operators.call(list, items)
    return found if staged_list(found) is not None else staged_of(new(found)).python
