"""Calls of and with staged lists: methods, builtins, NumPy's functions, and the user's own."""

from __future__ import annotations

import operator
import sys
from collections import Counter, deque
from collections.abc import Mapping
from types import BuiltinFunctionType, MethodType
from typing import Any

import numpy as np

from autograph.operators import table
from autograph.operators.builtins.special_builtins import NOT_OURS
from autograph.operators.containers.columns import need
from autograph.operators.containers.item_arrays import array_of
from autograph.operators.containers.item_values import kind_of
from autograph.operators.containers.method_tables import call_method
from autograph.operators.containers.promotion import staged_of, tuple_of
from autograph.operators.containers.staged_containers import (
    STAGED,
    StagedList,
    is_staged_list,
    staged_list,
)
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.storage import fresh, refused, rows_of
from autograph.operators.iteration.staged_range import StagedRange
from autograph.operators.keyed.known_keys import WITH_KEYS, call_with_key, has_staged
from autograph.operators.keyed.set_algebra import METHODS
from autograph.operators.keyed.views import in_order, members
from autograph.operators.lists.list_methods import sorted_rows
from runtime import trees
from runtime.operator_methods import BINARY, COMPARISONS
from runtime.tensor import is_staged
from runtime.texts import StagedText


def call_with_lists(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call a method of a staged list, or what joins one; `NOT_OURS` for any other call."""
    if type(function) is BuiltinFunctionType or type(function) is MethodType:
        items = function.__self__
        staged = staged_list(items)
        if staged is None and type(items) in (list, tuple, deque, Counter, set):
            staged = staged_for(items, function.__name__, args)
        if staged is not None:
            return call_method(staged, function.__name__, args, kwargs)
        if isinstance(function.__self__, WITH_KEYS) and args and has_staged(args[0]):
            return call_with_key(function, args, kwargs)
    if type(function) is BuiltinFunctionType and function in SIGNS and first_staged(args, kwargs):
        return table.operators.binary(SIGNS[function], *args)
    if args and staged_list(args[0]) is not None and any(function is x for x in JOINING):
        return _joined(function, _found(args[0]), args[1:], kwargs)
    return NOT_OURS


SIGNS = {getattr(operator, f"__{name}__"): sign for sign, name in (BINARY | COMPARISONS).items()}
"""The functions of `operator` that do what a sign does."""


def first_staged(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> StagedList | None:
    """Return the first staged list among the arguments of a call."""
    found = map(staged_list, (*args, *kwargs.values()))
    return next((staged for staged in found if staged is not None), None)


def with_arrays(function: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Return the arguments of a function of NumPy with arrays in the place of staged lists.

    SciPy's functions take them in the place of ranges, too.
    """
    is_numpys = is_of_numpy(function)
    if not is_numpys and str(getattr(function, "__module__", "")).partition(".")[0] != "scipy":
        return args, kwargs

    def is_one(value: Any) -> bool:
        return type(value) is StagedRange or (is_numpys and is_staged_list(value))

    leaves, structure = trees.flatten_to((args, kwargs), is_one)
    if not any(map(is_one, leaves)):
        return args, kwargs
    found = [_array_for(x) if is_one(x) else x for x in leaves]
    made: tuple[Any, Any] = trees.unflatten(structure, found)
    return made


def _array_for(value: Any) -> Any:
    """Return the array that NumPy makes of a staged list or range."""
    return value.as_array() if type(value) is StagedRange else array_of(_found(value))


JOINING = frozenset({np.concatenate, np.hstack, np.stack, np.vstack})


def _joined(function: Any, staged: StagedList, args: Any, kwargs: Any) -> Any:
    """Return the items of a list, which are arrays, joined by one of NumPy's functions."""
    specs = staged.kind.specs
    shape = specs[0].shape if len(specs) == 1 else None
    wanted = {np.stack: (0, 1, 2), np.vstack: (1,), np.hstack: (1,), np.concatenate: (1, 2)}
    fits = shape is not None and len(shape) in wanted[function]
    if not fits or args or kwargs.keys() - {"axis"} or kwargs.get("axis", 0):
        what = f"np.{function.__name__}"
        raise refused(staged, what, "use np.array of it, and reshape that")
    need(staged.content.length > 0, ValueError, "need at least one array to concatenate")
    (rows,) = rows_of(staged)
    is_flat = function in (np.hstack, np.concatenate)
    return rows.reshape(-1, *(shape or ())[1:]) if is_flat else rows.copy()


def is_of_numpy(function: Any) -> bool:
    """Tell whether a function is one of NumPy, or takes arrays as those do."""
    known = getattr(function, "__wrapped__", function)  # behind the door of a face
    module = getattr(known, "__module__", None) or type(known).__module__
    is_one = module.partition(".")[0] == "numpy" or _takes_arrays(module)
    return is_one and not isinstance(function, type)


def _takes_arrays(module: str) -> bool:
    """Tell whether a module says that its functions take arrays in the place of staged lists."""
    return getattr(sys.modules.get(module), "__autograph_takes_arrays__", False) is True


def refuse_unconverted(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Raise MutationError when a function that is not converted is given a staged list.

    Other lists and the like may take it for an item.
    """
    staged = first_staged(args, kwargs)
    if staged is not None and not _keeps_it(function):
        name = getattr(function, "__qualname__", type(function).__name__)
        raise refused(staged, f"{name}()", "pass np.array of it, or write a loop over it")


def _keeps_it(function: Any) -> bool:
    """Tell whether a function puts its argument into a list or the like, and asks it nothing."""
    is_method = type(function) is BuiltinFunctionType and type(function.__self__) in STAGED
    return is_method and function.__name__ in ("append", "appendleft", "insert", "setdefault")


def _found(value: Any) -> StagedList:
    staged = staged_list(value)
    assert staged is not None
    return staged


def len_(value: Any) -> Any:
    """`len(value)`."""
    return _found(value).content.length


def list_(value: Any) -> Any:
    """`list(value)`."""
    staged = in_order(value)
    assert staged is not None
    return fresh(f"list({staged.name})", staged.kind, rows_of(staged))


def tuple_(value: Any) -> Any:
    """`tuple(value)`."""
    return value if type(value) is StagedTuple else tuple_of(list_(value))


def sorted_(value: Any, *, key: Any = None, reverse: Any = False) -> Any:
    """`sorted(value)`."""
    staged = members(_found(value))
    name = f"sorted({staged.name})"
    return fresh(name, staged.kind, sorted_rows(staged, key, reverse))


def bool_(value: Any) -> Any:
    """`bool(value)`."""
    return _found(value).content.length > 0


ASK_EACH = frozenset({"count", "index", "remove"})
"""Methods that compare each item with one."""

OF_ITERABLES = METHODS.keys() - {"clear", "copy"}
"""Methods of sets that are given iterables."""


def staged_for(items: Any, method: str, args: tuple[Any, ...]) -> StagedList | None:
    """Return the staged list that a method is called of in place of a list; None for that itself.

    Args:
        items: the list, tuple, deque, Counter or set.
        method: its name.
        args: what it is given.
    """
    if type(items) is Counter:
        is_asked = method == "most_common" and any(map(is_staged, (*args, *items.values())))
        return staged_of(items.copy()) if is_asked else None
    if type(items) is set:
        return staged_of(items) if method in OF_ITERABLES and any(map(_is_asked, args)) else None
    first = args[0] if args else None
    other = in_order(first) if method == "extend" else None
    if other is not None:
        return staged_of(items, [other.kind])
    if method == "insert" and is_staged(first) and len(args) == 2:
        return staged_of(items, [kind_of("list 'items'", args[1])])
    if method in ("pop", "rotate") and is_staged(first):
        return staged_of(items)
    if method in ASK_EACH and (has_staged(first) or any(map(_holds_staged, (first, *items)))):
        if type(items) is tuple:
            return staged_list(tuple_of(staged_of(list(items)).python))
        return staged_of(items if method == "remove" else items.copy())
    return None


def _holds_staged(value: Any) -> bool:
    """Tell whether a value, or a part of one, is known only when the graph runs."""
    leaves = trees.flatten_to(value, is_staged_list)[0]
    return any(is_staged_list(x) or is_staged(x) or type(x) is StagedText for x in leaves)


def _is_asked(iterable: Any) -> bool:
    """Tell whether an iterable is staged, or a list or tuple with a staged item."""
    if staged_list(iterable) is not None or is_staged(iterable):
        return True
    if type(iterable) in (list, tuple):
        return any(map(has_staged, iterable))
    return hasattr(type(iterable), "__staged_iteration__")
