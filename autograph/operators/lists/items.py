"""Subscripts and operators, in code that meets lists with staged items.

On other values each does what Python does.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import runtime.numpy as rnp
from autograph.operators.conditionals import if_exp
from autograph.operators.iterating import listed, refuse_generator
from autograph.operators.lists.content import (
    fresh,
    item_at,
    need,
    position_of,
    promote,
    refused,
    rows_of,
    write_at,
)
from autograph.operators.lists.methods import call_method, close_gap
from autograph.operators.lists.table import (
    ItemKind,
    StagedList,
    kind_of,
    lists_of,
    staged_list,
)
from autograph.operators.sequences import index_of
from autograph.operators.subscripts import get_item
from runtime import mode
from runtime.choice import Choice
from runtime.control.choosing import write_each
from runtime.tensor import is_staged

NO_ASSIGNMENT = "list assignment index out of range"

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "|": operator.or_,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "@=": operator.imatmul,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
}


def set_item(value: Any, container: Any, index: Any) -> None:
    """`container[index] = value`."""
    if type(container) is Choice:
        write_each(container, lambda option: set_item(value, option, index))
        return
    staged = staged_list(container)
    if staged is None and type(container) is list:
        other = staged_list(value)
        if is_staged(index):
            staged = staged_of(container, kind_of("items", value))
        elif isinstance(index, slice) and index == slice(None) and other is not None:
            staged = staged_of(container, other.kind)
    if staged is None:
        container[index] = value
    elif isinstance(index, slice) and index == slice(None):
        _replace(staged, value)
    elif isinstance(index, slice):
        raise refused(staged, "assigning a slice", "assign the items in a loop")
    else:
        write_at(staged, position_of(staged, index, NO_ASSIGNMENT), value)


def _replace(staged: StagedList, items: Any) -> None:
    """Give a list other items: `items[:] = others`."""
    if staged_list(items) is staged:
        return
    before = staged.content
    call_method(staged, "clear", (), {})
    try:
        call_method(staged, "extend", (items,), {})
    except BaseException:
        staged.content = before
        raise


def change_item(sign: str, container: Any, index: Any, value: Callable[[], Any]) -> None:
    """`container[index] += value()`, and the like."""
    found = _IN_PLACE[sign](get_item(container, index), value())
    set_item(found, container, index)


def del_item(container: Any, index: Any) -> None:
    """`del container[index]`."""
    staged = staged_list(container)
    if staged is None:
        del container[index]
        return
    if isinstance(index, slice) and index == slice(None):
        call_method(staged, "clear", (), {})
        return
    if isinstance(index, slice):
        raise refused(staged, "deleting a slice", "pop the items in a loop")
    position = position_of(staged, index, NO_ASSIGNMENT)
    if type(index) is not int or index != -1:
        close_gap(staged, position)
    staged.set_rows(staged.content.length - 1, staged.content.buffers)


def unpack(value: Any, count: int | None) -> Any:
    """Return what `a, b = value` takes apart, which has `count` items."""
    value = listed(value)
    staged = staged_list(value)
    if staged is None:
        return value
    if count is None:
        raise refused(staged, "unpacking with a star", "take the items by their indices")
    length = staged.content.length
    few = f"not enough values to unpack (expected {count})"
    need(length >= count, ValueError, few)
    need(length <= count, ValueError, f"too many values to unpack (expected {count})")
    return [item_at(staged, k) for k in range(count)]


def items(value: Any) -> Any:
    """Return what `*value` and comprehensions go over."""
    refuse_generator(value)
    staged = staged_list(value)
    if staged is not None:
        raise refused(staged, "the items, one by one,", "write a `for` loop over it")
    return value


def binary(sign: str, left: Any, right: Any) -> Any:
    """`left + right`, `left == right`, and the like."""
    staged = staged_list(left) or staged_list(right)
    if sign == "*":
        items, times = (left, right) if type(left) is list else (right, left)
        if type(items) is list and (staged is not None or is_staged(times)):
            return repeated(items, index_of(times))
    if staged is None:
        return _BINARY[sign](left, right)
    if sign in ("==", "!=") and not (type(left) is list and type(right) is list):
        return sign == "!="
    if sign == "+" and staged_list(left) is not None and type(right) is list:
        found = call_method(staged, "copy", (), {})
        call_method(_found(found), "extend", (right,), {})
        return found
    if sign in ("==", "!=") and not (left and right):
        return (staged.content.length == 0) if sign == "==" else (staged.content.length > 0)
    raise refused(staged, f"`{sign}`", "write a loop over its items")


def repeated(items: list[Any], times: Any) -> Any:
    """Return `items * times`, of which one is staged."""
    staged = staged_list(items)
    if staged is None:
        if not items:
            return []
        staged = staged_of(items.copy(), kind_of("items", items[0]))
    length = staged.content.length
    count = length * times
    total = if_exp(count > 0, lambda: count, lambda: 0)
    positions = rnp.arange(total) % length
    rows = [row[positions] for row in rows_of(staged)]
    return fresh(f"{staged.name} * ...", staged.kind, rows)


def _found(value: Any) -> StagedList:
    staged = staged_list(value)
    assert staged is not None
    return staged


def change(sign: str, left: Any, right: Any) -> Any:
    """Return what `left += right` and the like assign to `left`."""
    staged = staged_list(left)
    if staged is None:
        other = staged_list(right)
        if other is not None:
            raise refused(other, f"`{sign}`", "append its items in a loop")
        return _IN_PLACE[sign](left, right)
    if sign != "+=":
        raise refused(staged, f"`{sign}`", "write a loop over its items")
    call_method(staged, "extend", (right,), {})
    return left


def staged_of(container: list[Any], kind: ItemKind) -> StagedList:
    """Make a list staged because what becomes of it is known only when the graph runs."""
    lists = lists_of(mode.current())
    assert lists is not None
    return promote(lists, container, variable_of(container), [kind])


def variable_of(container: list[Any]) -> str:
    """Return a variable of the user's that holds a list, for messages."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith(OURS):
            for name, value in frame.f_locals.items():
                if value is container:
                    return name
        frame = frame.f_back
    return "items"


OURS = ("autograph.", "runtime.")
