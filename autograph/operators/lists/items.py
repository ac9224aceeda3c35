"""Subscripts and operators, in code that meets lists with staged items.

On other values each does what Python does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autograph.operators.lists.content import item_at, need, position_of, refused, write_at
from autograph.operators.lists.methods import call_method, close_gap
from autograph.operators.lists.table import Content, staged_list
from autograph.operators.subscripts import get_item

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
    staged = staged_list(container)
    if staged is None:
        container[index] = value
    elif isinstance(index, slice):
        raise refused(staged, "assigning a slice", "assign the items in a loop")
    else:
        write_at(staged, position_of(staged, index, NO_ASSIGNMENT), value)


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
    if isinstance(index, slice):
        raise refused(staged, "deleting a slice", "pop the items in a loop")
    position = position_of(staged, index, NO_ASSIGNMENT)
    if type(index) is not int or index != -1:
        close_gap(staged, position)
    staged.content = Content(staged.content.length - 1, staged.content.buffers)


def unpack(value: Any, count: int | None) -> Any:
    """Return what `a, b = value` takes apart, which has `count` items."""
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
    staged = staged_list(value)
    if staged is not None:
        raise refused(staged, "the items, one by one,", "write a `for` loop over it")
    return value


def binary(sign: str, left: Any, right: Any) -> Any:
    """`left + right`, `left == right`, and the like."""
    for value in (left, right):
        staged = staged_list(value)
        if staged is not None:
            raise refused(staged, f"`{sign}`", "write a loop over its items")
    return _BINARY[sign](left, right)


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
