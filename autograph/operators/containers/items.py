"""Subscripts and operators, in code that meets lists with staged items.

On other values each does what Python does.
"""

from __future__ import annotations

import operator
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from functools import partial
from types import NoneType
from typing import Any

import numpy as np

from autograph.operators import table
from autograph.operators.builtins.iterable_builtins import listed, refuse_generator
from autograph.operators.builtins.sequences import is_count
from autograph.operators.builtins.type_queries import type_name
from autograph.operators.containers import comparison, item_loops, tuple_operators
from autograph.operators.containers.columns import need
from autograph.operators.containers.item_kinds import is_of_numbers
from autograph.operators.containers.item_values import kind_of
from autograph.operators.containers.method_tables import call_method
from autograph.operators.containers.promotion import staged_of
from autograph.operators.containers.staged_containers import (
    NUMBERS,
    STAGED,
    StagedList,
    staged_list,
)
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.storage import (
    close_gap,
    item_at,
    position_of,
    refused,
    rows_of,
    write_at,
)
from autograph.operators.iteration.special_iteration import iterated
from autograph.operators.iteration.staged_iterables import has_no_length
from autograph.operators.iteration.staged_range import index_of
from autograph.operators.keyed import set_algebra
from autograph.operators.keyed.known_keys import del_key, has_staged, set_key
from autograph.operators.keyed.views import in_order
from autograph.operators.lists.list_methods import ORDERS, equal_lists, ordered, repeated
from autograph.operators.lists.list_slices import assign_slice, delete_slice
from autograph.operators.mutation.journal import CONTAINERS, items_written, new, written
from autograph.operators.objects import operands
from autograph.operators.objects.special_methods import special
from autograph.operators.objects.subscripts import (
    get_item,
    is_staged_part,
    settled,
    with_times,
)
from autograph.operators.objects.union_values import each
from autograph.staging.options import follow_lists
from autograph.staging.union_operators import write_each
from runtime import complex_parts
from runtime.errors import MutationError, StagedLengthError, exact
from runtime.numpy.staged_call import holds_staged
from runtime.operator_methods import BINARY, COMPARISONS
from runtime.subscripts import choice_in
from runtime.tensor import Symbol, is_staged
from runtime.union import Choice

NO_ASSIGNMENT = "list assignment index out of range"

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    sign: operands.by_numbers(getattr(operator, f"__{name}__"), name)
    for sign, name in (BINARY | COMPARISONS).items()
} | {"@": partial(operands.matmul, "@")}
_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    f"{sign}=": operands.by_numbers(getattr(operator, f"__i{name}__"), name)
    for sign, name in BINARY.items()
} | {"@=": partial(operands.matmul, "@=")}


def set_item(value: Any, container: Any, index: Any) -> None:
    """`container[index] = value`."""
    if type(container) is Choice:
        write_each(container, lambda option: set_item(value, option, index))
        return
    is_key = isinstance(container, dict) and type(index) is not Choice
    index = settled(container, index)
    if not is_key and (found := choice_in(index)) is not None:
        choice, filled = found
        each(choice, lambda option: set_item(value, container, filled(option)))
        return
    method = special(container, "__setitem__")
    if not hasattr(type(container), "__setitem__"):
        index = 0  # Python's TypeError, and not one of the index
    if method is not None:
        table.operators.call(method, index, value)
        return
    tuple_operators.refuse_writing(container, "does not support item assignment")
    staged = staged_list(items_written(container))
    if isinstance(container, dict) and (staged or has_staged(index)):
        set_key(container, index, value)
        return
    if staged is None and type(container) in (list, deque):
        if is_staged(index):
            staged = staged_of(container, [kind_of("list 'items'", value)])
        elif isinstance(index, slice) and (is_staged_part(index) or has_no_length(value)):
            staged = staged_of(container)
    if staged is None:
        _check_inside(container, index, value)
        operator.setitem(container, index, _as_array(container, value))
    elif isinstance(index, slice) and _is_whole(index):
        _replace(staged, value)
    elif isinstance(index, slice):
        assign_slice(staged, index, value)
    else:
        write_at(staged, position_of(staged, index, NO_ASSIGNMENT), value)


def _as_array(container: Any, value: Any) -> Any:
    """Return the items of a staged list for an array, if these stay what they are.

    NumPy converts items one by one, and raises OverflowError where an integer is too large.
    """
    staged = staged_list(value)
    if staged is None or type(container) is not Symbol or not is_of_numbers(staged.content.kind):
        return value
    given, room = staged.content.kind.specs[0].dtype, container.spec.dtype
    is_exact = np.can_cast(given, room, "safe") or given.kind == room.kind == "f"
    return rows_of(staged)[0] if is_exact else value


def _check_inside(container: Any, index: Any, value: Any) -> None:
    """Raise MutationError for an array from outside that is written with what the graph computes.

    What a trace makes, and arguments, are symbols.
    """
    if isinstance(container, np.ndarray) and holds_staged((index, value)):
        raise MutationError(
            "an array that was made outside of the staged function is written with what is known "
            "only when the graph runs. Pass the array as an argument, or keep it in an ag.Variable"
        )


def _is_whole(index: slice) -> bool:
    return index.start is None and index.stop is None and index.step is None


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
    found = change(sign, get_item(container, index), value())
    set_item(found, container, index)


def del_item(container: Any, index: Any) -> None:
    """`del container[index]`."""
    if type(container) is Choice:
        write_each(container, lambda option: del_item(option, index))
        return
    index = settled(container, index)
    method = special(container, "__delitem__")
    if not hasattr(type(container), "__delitem__") and is_staged(index):
        index = 0 if index.dtype.kind in "iu" else None  # Python's TypeError
    if method is not None:
        table.operators.call(method, index)
        return
    tuple_operators.refuse_writing(container, "doesn't support item deletion")
    if type(container) is Symbol and container.spec.shape != ():
        raise ValueError("cannot delete array elements")
    staged = staged_list(items_written(container))
    if isinstance(container, dict) and (staged or has_staged(index)):
        del_key(container, index)
        return
    if staged is None and type(container) in (list, deque) and is_staged_part(index):
        staged = staged_of(container)
    if staged is None:
        operator.delitem(container, index)
        return
    if isinstance(index, slice) and _is_whole(index):
        call_method(staged, "clear", (), {})
        return
    if isinstance(index, slice):
        delete_slice(staged, index)
        return
    position = position_of(staged, index, NO_ASSIGNMENT)
    if type(index) is not int or index != -1:
        close_gap(staged, position)
    staged.set_rows(staged.content.length - 1, staged.content.buffers)


def unpack(value: Any, count: int, star: int | None = None) -> Any:
    """Return what `a, b = value` takes apart.

    Args:
        value: the items.
        count: how many names there are.
        star: which of them takes a list of what the others leave.
    """
    if type(value) is Choice:
        return each(value, lambda option: _taken_apart(option, count, star))
    value = listed(iterated(value))
    if star is not None and type(value) in (set, StagedTuple) and staged_list(value) is not None:
        value = table.operators.call(list, value)
    staged = staged_list(value)
    if star is not None and staged is not None and type(value) is not list:
        raise refused(staged, "unpacking with a star", "take the items by their indices")
    if star is not None:
        return _unpacked_around(list(value) if staged is None else value, count - 1, star)
    if staged is None:
        return value
    staged = in_order(value)
    assert staged is not None
    length = staged.content.length
    few = f"not enough values to unpack (expected {count})"
    need(length >= count, ValueError, few)
    need(length <= count, ValueError, f"too many values to unpack (expected {count})")
    return [item_at(staged, k) for k in range(count)]


def _taken_apart(value: Any, count: int, star: int | None) -> tuple[Any, ...]:
    """Return the parts of an option of a choice, whose number is checked here."""
    if not hasattr(type(value), "__iter__") or (is_staged(value) and not value.ndim):
        raise exact(TypeError(f"cannot unpack non-iterable {type_name(value)} object"))
    parts = tuple(unpack(value, count, star))
    if (got := len(parts)) < count:
        raise exact(ValueError(f"not enough values to unpack (expected {count}, got {got})"))
    if got > count:
        raise exact(ValueError(f"too many values to unpack (expected {count})"))
    return parts


def _unpacked_around(items: list[Any], count: int, star: int) -> list[Any]:
    """Return so many items, and a list of the others in the midst of them."""
    staged = staged_list(items)
    length = len(items) if staged is None else staged.content.length
    known = "" if staged is not None else f", got {length}"
    few = f"not enough values to unpack (expected at least {count}{known})"
    need(length >= count, ValueError, few)
    last = length - (count - star)
    rest = get_item(items, slice(star, last))
    return [
        *(get_item(items, k) for k in range(star)),
        rest,
        *(get_item(items, last + k) for k in range(count - star)),
    ]


def spread(value: Any) -> list[Any]:
    """Return a list of what `*value` in a list stands for."""
    value = listed(iterated(value))
    if type(value) is Choice:
        return joined(new([]), table.operators.call(list, value))
    found: list[Any] = table.operators.call(list, value) if has_no_length(value) else list(value)
    return found


def joined(first: list[Any], *others: Any) -> list[Any]:
    """Return `[*first, ...]`, of lists that nothing else holds."""
    for other in others:
        table.operators.call(first.extend, other)
    return first


def items(value: Any) -> Any:
    """Return what `*value` and comprehensions go over."""
    value = iterated(value)
    refuse_generator(value)
    staged = staged_list(value)
    if staged is not None:
        error = refused(staged, "the items, one by one,", "write a `for` loop over it")
        raise StagedLengthError(str(error))
    return value


def binary(sign: str, left: Any, right: Any) -> Any:
    """`left + right`, `left == right`, and the like."""
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _BINARY[sign](left, right)
    if sign in ("==", "!=") and _are_dicts(left, right):
        found = left is right or _equal_dicts(left, right)
        return found if sign == "==" else table.operators.not_(found)
    for operand in (left, right) if sign == "+" else ():
        if type(operand) is Choice:
            follow_lists(operand, grows=True)
    if sign == "*":
        left, right = with_times(left, right)
    if Choice in (type(left), type(right)) or operands.knows(sign, left, right):
        return operands.binary(sign, left, right)
    if operands.are_for_numpy(sign, left, right):
        return table.operators.binary(sign, *map(operands.as_array, (left, right)))
    if tuple_operators.is_of_tuples(left, right):
        return tuple_operators.binary(sign, left, right)
    staged = staged_list(left) or staged_list(right)
    if sign == "*":
        items, times = (left, right) if type(left) is list else (right, left)
        if type(items) is list and (staged is not None or is_count(times)):
            return repeated(items, index_of(times))
    if staged is None:
        is_row = comparison.is_of_rows(sign, left, right)
        found = (comparison.compared if is_row else _apply)(sign, left, right)
        is_made = type(found) in STAGED and {type(left), type(right)} <= STAGED | NUMBERS
        return new(found) if is_made else found
    if set_algebra.is_of_sets(sign, left, right):
        return set_algebra.binary(sign, left, right)
    if sign in ("==", "!=") and type(left) is not type(right) and _are_unlike(left, right):
        return sign == "!="
    if sign == "|" and staged_list(left) is not None and type(left) is type(right) is dict:
        found = call_method(staged, "copy", (), {})
        table.operators.call(found.update, right)
        return found
    if sign == "+" and staged_list(left) is not None and type(right) is list:
        return joined(call_method(staged, "copy", (), {}), right)
    if sign in ("==", "!=") and type(left) is type(right) is list:
        found = equal_lists(*(staged_list(x) or staged_of(x.copy()) for x in (left, right)))
        return found if sign == "==" else table.operators.not_(found)
    if sign in ORDERS and type(left) is type(right) is list:
        return ordered(sign, *(staged_list(x) or staged_of(x.copy()) for x in (left, right)))
    if sign in ("==", "!=") and type(left) is type(right) and not (left and right):
        return (staged.content.length == 0) if sign == "==" else (staged.content.length > 0)
    if sign == "+" and type(left) is list:
        return joined(new(left.copy()), right)
    raise refused(staged, f"`{sign}`", "write a loop over its items")


def _are_dicts(*containers: Any) -> bool:
    """Tell whether containers are dicts, one of which is staged."""
    are_dicts = all(isinstance(x, dict) and type(x) in STAGED for x in containers)
    return are_dicts and any(staged_list(x) is not None for x in containers)


def _equal_dicts(left: Any, right: Any) -> Any:
    kind = type(left) if type(left) is type(right) else dict
    special: dict[Any, Any] = {
        OrderedDict: item_loops.equal_in_order,
        Counter: item_loops.equal_counts,
    }
    return table.operators.call(special.get(kind, item_loops.equal_dicts), left, right)


def _apply(sign: str, left: Any, right: Any) -> Any:
    if type(left) is complex and sign in complex_parts.COMPARING and is_staged(right):
        return complex_parts.compare(sign, left, right)
    return _BINARY[sign](left, right)


def _are_unlike(left: Any, right: Any) -> bool:
    """Tell whether values of different classes are different, whatever they hold."""
    kinds = {type(left), type(right)}
    return list in kinds or kinds <= STAGED | NUMBERS | {str, tuple, NoneType}


def change(sign: str, left: Any, right: Any) -> Any:
    """Return what `left += right` and the like assign to `left`."""
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _IN_PLACE[sign](written(left), right)
    if sign == "+=" and type(left) is Choice:
        follow_lists(left, grows=True)
    if operands.changes(sign, left, right):
        return operands.change(sign, left, right)
    if type(left) in (tuple, StagedTuple):
        return binary(sign.removesuffix("="), left, right)
    if type(right) is Choice and isinstance(left, CONTAINERS):
        return _changed_by_each(sign, left, right)
    if set_algebra.is_of_sets(sign, left, right):
        return set_algebra.change(sign, written(left), right)
    staged = staged_list(items_written(left))
    if staged is None and not (type(left) is list and sign == "+=" and has_no_length(right)):
        return _IN_PLACE[sign](left, right)
    if staged is None:
        table.operators.call(left.extend, right)
        return left
    name = {"+=": "extend", "|=": "update"}.get(sign)
    if name is None or type(left) is Counter:
        raise refused(staged, f"`{sign}`", "write a loop over its items")
    call_method(staged, name, (right,), {})
    return left


def _changed_by_each(sign: str, left: Any, right: Choice) -> Any:
    """Change a container by the option that a choice is; it stays the one that it is."""

    def change_by(option: Any) -> None:
        change(sign, left, option)

    each(right, change_by)
    return left
