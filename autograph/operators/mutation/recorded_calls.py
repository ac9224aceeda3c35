"""What a call in an arm or body may write, recorded before it is made.

Converted code records its own writes; of a converted function only the variables are recorded that
it assigns around itself. A method of a container writes that container, a function of NumPy the
array that its result goes into. All other code cannot record: what it is given is recorded as a
whole, with all that can be reached from there.

Comes in: what is called, what is called in its place, and the arguments. Goes out: entries of the
journal.
"""

from __future__ import annotations

import builtins
import inspect
import types
import weakref
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from dis import opmap
from functools import lru_cache, partial
from typing import Any

import numpy as np

from autograph.operators.calls.conversion_rules import PLAIN, is_converting, rules
from autograph.operators.control_flow.variables import CellVariable, GlobalVariable
from autograph.operators.iteration.iterator_state import is_iterator
from autograph.operators.mutation.callee_writes import slots_of
from autograph.operators.mutation.journal import CONTAINERS, Journal, Slot, touch
from autograph.operators.mutation.reachable_objects import (
    CLOSED,
    Reached,
    cells_of,
    global_names,
    is_open,
    reachable,
)
from autograph.source.build import is_converted
from autograph.staging.context import innermost_journal_now, trace_now
from runtime.opaque import SOURCES
from runtime.ops.public_names import is_of_numpy

_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType)
_BOUND = (types.BuiltinMethodType, types.MethodWrapperType)
_WRITERS = frozenset({exec, eval})
"""Builtins that write what they are given."""
_CHANGING = _WRITERS | {setattr, delattr, next, vars}
"""Those that may change it."""
_WRITERS_BY_NAME = frozenset({"exec", "eval"})
_TAKING = frozenset({all, any, max, min, next, sorted, sum})
_COLLECTING = frozenset({bytearray, bytes, dict, frozenset, list, set, tuple})
"""Builtins that go over what they are given at once."""
_MAKERS = frozenset({sorted, Counter, OrderedDict, defaultdict, *CONTAINERS})
"""What returns a new container."""


def record_call(
    journal: Journal, function: Any, callee: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    """Record what a call may write, also of what the caller has.

    Args:
        journal: of the arm or body.
        function: what the program calls.
        callee: what is called in its place.
        args: its positional arguments.
        kwargs: its keyword arguments.
    """
    owner = getattr(function, "__self__", None)
    tells_itself = callee is not function and _records_itself(_called_in(callee))
    if not (tells_itself or _only_reads(function)):
        for x in (owner, *args, *kwargs.values()):
            touch(x)
    is_hashable = type(function).__hash__ is not None  # polynomials are called, too
    if is_hashable and (is_of_numpy(function) or isinstance(owner, (*SOURCES, np.ufunc))):
        for x in _arrays_written(function, args, kwargs):
            journal.record(x)
    if isinstance(function, types.MethodType):
        inner = getattr(callee, "__func__", callee)
        record_call(journal, function.__func__, inner, (function.__self__, *args), kwargs)
    elif isinstance(function, partial):
        inner = callee.func if isinstance(callee, partial) else callee
        record_call(journal, function.func, inner, (*function.args, *args), kwargs)
    elif isinstance(function, types.FunctionType):
        _record_function(journal, function, callee, args, kwargs)
    elif isinstance(function, (*_BOUND, *_METHODS, type)):
        _record_builtin(journal, function, callee, args, kwargs)
    elif callee is function and journal.is_of_region:
        record_given(journal, (function, *args, *kwargs.values()))


def _arrays_written(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Iterator[Any]:
    """Yield the arrays that a function of NumPy may write, of those that it is given."""
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(owner, (*SOURCES, np.ufunc)) and name in ("shuffle", "at"):
        yield from args[:1]
    elif function in _WRITERS_OF_ARRAYS:
        yield from (x for x in (*args, *kwargs.values()) if isinstance(x, np.ndarray))
    elif place := _place_of_out(function):
        yield from args[place:]
    out = kwargs.get("out")
    yield from out if isinstance(out, tuple) else (out,)


_WRITERS_OF_ARRAYS = frozenset(
    {np.copyto, np.fill_diagonal, np.nan_to_num, np.place, np.put, np.put_along_axis, np.putmask}
)
"""Functions of NumPy that write an array that they are given by another name than `out`."""


@lru_cache(maxsize=1000)
def _place_of_out(function: Any) -> int:
    """Return the number of the parameter that a result goes into; 0 if there is none."""
    if isinstance(function, np.ufunc):
        return int(function.nin)
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return 0
    return names.index("out") if "out" in names else 0


def _record_function(
    journal: Journal,
    function: types.FunctionType,
    callee: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> None:
    inner = _called_in(callee)
    if callee is function and (vars(function).get(PLAIN) or not is_converting()):
        leave(function, *args, *kwargs.values())
    if _records_itself(inner):
        journal.record_variables(variables_assigned_by(inner))
    elif (is_converted(inner) or (callee is function and journal.is_of_region)) and not (
        function.__module__ or ""
    ).startswith(CLOSED):
        own = () if rules.are_left(function.__module__ or "") else (function,)
        record_given(journal, (*own, *args, *kwargs.values()))


def _called_in(callee: Any) -> Any:
    """Return the function that what is called in the place of another one runs."""
    inner = getattr(callee, "__func__", callee)
    while isinstance(inner, partial):
        inner = next((x for x in inner.args if isinstance(x, types.FunctionType)), inner.func)
    return inner


def leave(*values: Any) -> None:
    """Let what can be reached from here be changed while tracing: the user has said so."""
    trace = trace_now()
    if trace is not None and trace.journal is not None:
        trace.journal.snapshot.leave(values)


def record_variables(function: Any) -> None:
    """Record the variables that a function assigns around itself, which is about to be called.

    One that runs texts may write all that it can reach. What one that is not converted does while
    tracing happens once for each trace.
    """
    journal, inner = innermost_journal_now(), getattr(function, "__func__", function)
    if journal is None or not isinstance(inner, types.FunctionType):
        return
    if _records_itself(inner):
        journal.record_variables(variables_assigned_by(inner))
    elif is_converted(inner):
        trace = trace_now()
        owners = () if trace is None or trace.journal is None else trace.journal.owners
        record_given(journal, (inner, *(x for _, x in owners)))


def _records_itself(function: Any) -> bool:
    """Tell whether all that a function writes is recorded: it is converted, and runs no texts."""
    return is_converted(function) and _WRITERS_BY_NAME.isdisjoint(function.__code__.co_names)


def variables_assigned_by(function: types.FunctionType) -> Iterator[Slot]:
    """Yield variables around a function, if its code, or code in it, assigns any of that kind."""
    kinds = _stored(function.__code__)
    for name, cell in cells_of(function) if _CELLS & kinds else ():
        variable: Any = CellVariable(cell)
        yield Slot(name, variable, variable.read())
    for name in global_names(function) if _GLOBALS & kinds else ():
        variable = GlobalVariable(function.__globals__, name)
        yield Slot(name, variable, variable.read())


def _stored(code: types.CodeType) -> frozenset[int]:
    """Return which of the instructions that assign are in code, or in code inside it."""
    known = _known.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    inner = (_stored(x) for x in code.co_consts if isinstance(x, types.CodeType))
    found = frozenset((_CELLS | _GLOBALS) & set(code.co_code[::2])).union(*inner)
    key = id(code)
    _known[key] = weakref.ref(code, lambda _: _known.pop(key, None)), found
    return found


_CELLS = frozenset({opmap["STORE_DEREF"], opmap["DELETE_DEREF"]})
_GLOBALS = frozenset({opmap["STORE_GLOBAL"], opmap["DELETE_GLOBAL"]})
_known: dict[int, tuple[weakref.ref[types.CodeType], frozenset[int]]] = {}


def _record_builtin(
    journal: Journal, function: Any, callee: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    owner = getattr(function, "__self__", None)
    given = (owner, *args, *kwargs.values())
    record = journal.record_taking if _takes_items(function, owner) else journal.record
    for x in given:
        if is_iterator(x):
            record(x)
    if isinstance(owner, (*CONTAINERS, np.ndarray)) or isinstance(
        function, types.MethodWrapperType
    ):
        journal.record(owner)
    elif isinstance(function, _METHODS):
        journal.record(args[0] if args else None)
    elif isinstance(function, type):
        if callee is function and function.__module__ not in ("builtins", "collections"):
            record_given(journal, given)
    elif function is vars:
        journal.record(args[0] if args else None)
    elif owner is not builtins or (callee is function and function in _WRITERS):
        for x in given:
            if isinstance(x, CONTAINERS) or is_open(x):
                journal.record(x)


def _takes_items(function: Any, owner: Any) -> bool:
    """Tell whether a builtin goes over an iterator that it is given at once."""
    if isinstance(function, type):
        return function in _COLLECTING
    return function in _TAKING if owner is builtins else is_iterator(owner)


def _only_reads(function: Any) -> bool:
    """Tell whether a call is of a builtin that writes nothing that it is given."""
    if isinstance(function, type):
        return function.__module__ in ("builtins", "collections")
    return getattr(function, "__self__", None) is builtins and function not in _CHANGING


def record_given(journal: Journal, values: tuple[Any, ...]) -> None:
    """Record all that code that is not converted can reach from what it is given."""
    for _, x in reachable((), [("", x) for x in values]):
        if isinstance(x, types.FunctionType):
            journal.record_variables(slots_of([Reached("", x)]))
        else:
            journal.record(x)


def makes_new(function: Any) -> bool:
    """Tell whether a call returns a container that nobody else has."""
    if isinstance(function, _BOUND):
        return function.__name__ == "copy" and isinstance(function.__self__, CONTAINERS)
    return isinstance(function, type | types.BuiltinFunctionType) and function in _MAKERS
