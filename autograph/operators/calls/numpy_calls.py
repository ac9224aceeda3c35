"""Calls of NumPy's functions, classes and methods in converted code.

NumPy's protocols show us arrays among the arguments of many of its functions, but not those in
lists, and nothing of the others, whose code would take a staged value for an object of some class.
So no code of NumPy's ever gets a staged value: what has one among its arguments is ours, or a call
of NumPy in the graph. What draws random numbers draws them when the graph runs.

Functions of NumPy's that call functions of the user's are Python programs here, which are
converted: so what they call is part of the graph, and has derivatives.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph import conversion
from autograph.errors import FrozenRandomWarning
from autograph.operators import table
from autograph.operators.builtins import decompositions
from autograph.operators.calls.conversion_rules import rules
from autograph.operators.containers.staged_containers import NUMBERS
from autograph.operators.control_flow.rolling import unroll
from autograph.operators.iteration.known_columns import is_plain
from autograph.staging.number_join import union_of
from autograph.staging.union_operators import each, with_each
from runtime import default_graph, trees
from runtime.array_context import OutsideArrays
from runtime.backends import own_of
from runtime.dispatch import as_known
from runtime.graph.builder import Builder
from runtime.graph.location import user_location
from runtime.numpy.face import FUNCTIONS, OF_ONE_OP
from runtime.numpy.op_or_call import or_call
from runtime.numpy.staged_call import holds_staged, stage_call
from runtime.opaque import SOURCES, Opaque, holds_opaque
from runtime.operator_mode import operate_now
from runtime.ops.public_names import DOERS, LIBRARIES, READERS, is_of_library, is_of_numpy
from runtime.protocols import array_ufunc
from runtime.state.variable import Variable
from runtime.tensor import Symbol

OUTSIDE = READERS | DOERS
ARRAY_CLASSES = frozenset({np.ufunc, type(np.sum)})
"""Classes of NumPy's functions whose protocols show us their arguments."""
_KEYWORDS = frozenset({"axis", "keepdims"})
_UNINITIALISED = (np.empty, np.empty_like, np.ndarray)
_OF_NUMPYS_SOURCE = (np.random.seed, np.random.ranf, np.random.sample)
"""Functions of NumPy's own source of random numbers; the others are methods of it."""
_ASKS_FOR_REPORTS = (np.geterr, np.geterrcall, np.seterr, np.seterrcall)


def by_numpys_name(builder: Builder, function: Any) -> Any:
    """Return NumPy's function for one of another array library, whose arrays the graph runs on."""
    own, array = own_of(function)
    if own is None:
        return function
    builder.root.context(OutsideArrays).foreign.append(array)
    return own


def numpy_target(function: Any) -> Callable[..., Any] | None:
    """Return what is called in the place of a function of NumPy's, or of a source; else None."""
    owner = getattr(function, "__self__", None)
    is_loaded = any(x in sys.modules for x in LIBRARIES)
    if is_loaded and (is_of_library(function) or is_of_library(owner)):
        is_left = rules.are_left(getattr(function, "__module__", None) or "scipy")
        inner = getattr(function, "__wrapped__", None)
        if is_left and isinstance(inner, np.ufunc):  # around it SciPy asks for other namespaces
            return inner
        is_called = is_left and not isinstance(function, np.ufunc)
        return partial(_call_library, function) if is_called else None
    if isinstance(function, FunctionType):
        return partial(_call, function) if is_of_numpy(function) else None
    if isinstance(function, type):
        if issubclass(function, SOURCES):
            return partial(_make, function)
        return partial(_call, function) if is_of_numpy(function) else None
    if isinstance(owner, SOURCES):
        if _is_of_user(function):
            return None
        if function.__name__ == "shuffle" and isinstance(owner, random.Random):
            recipe: Any = decompositions.shuffle
            return partial(conversion.convert(recipe, table.operators), owner)
        return partial(_draw, function)
    if isinstance(function, BuiltinFunctionType | MethodType):
        if isinstance(owner, np.ndarray):
            return partial(_call_method, function)
        is_one = owner is not None and not isinstance(owner, ModuleType) and is_of_numpy(owner)
        return partial(_call, function) if is_one or is_of_numpy(function) else None
    if isinstance(function, Symbol):
        return None
    return partial(_call, function) if is_of_numpy(function) else None


def _is_of_user(method: Any) -> bool:
    """Tell whether a method of a source is written by the user, whose class has others besides."""
    inner = getattr(method, "__func__", None)
    return isinstance(inner, FunctionType) and inner.__module__ != "random"


def is_of_arrays(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Tell whether a protocol of NumPy shows us all of a call, of one of `ARRAY_CLASSES`.

    Most calls are so: of symbols and numbers, whose result is a new array.
    """
    kinds = set(map(type, args))
    if Symbol not in kinds or not kinds <= NUMBERS:
        return False
    if type(function) is np.ufunc:
        return not kwargs and len(args) <= function.nin
    return FUNCTIONS.get(function) in OF_ONE_OP and len(args) <= 2 and kwargs.keys() <= _KEYWORDS


def _call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Call a function, a class or an object of NumPy's."""
    if function is np.random.default_rng:
        return _make(function, *args, **kwargs)
    if function in _OF_NUMPYS_SOURCE:
        return _draw(function, *args, **kwargs)
    if function is np.fromiter and args:
        args = (_items(*args, **kwargs), *args[1:])
    builder = default_graph.current()
    if builder is not None and function in _ASKS_FOR_REPORTS:
        builder.reports.is_relied_on = True
    if builder is None or type(kwargs.get("out")) is Variable:
        return function(*args, **kwargs)  # by NumPy's protocol, a variable knows what is assigned
    if _is_outside(function, kwargs) or (Opaque.is_used and holds_opaque((args, kwargs))):
        return stage_call(function, args, kwargs)
    ours = FUNCTIONS.get(function) if function.__hash__ is not None else None
    given = (*args, *kwargs.values())
    if not holds_staged((args, kwargs)) and not (ours and any(type(x) is Symbol for x in given)):
        found = function(*args, **kwargs)
        if any(function is x for x in _UNINITIALISED) and found.flags.owndata:
            _clear(found)
        is_of_records = type(found) is np.ndarray and found.dtype.kind == "V"
        if is_of_records and found.flags.owndata:  # it may be written, and is made at each call
            return stage_call(function, args, kwargs)
        return _made_here(found, given)
    if ours in OF_ONE_OP and not any(isinstance(x, list | tuple) for x in args):
        return or_call(function, ours, args, kwargs)
    if type(function) is type(np.sum) and (program := PROGRAMS.get(function)) is not None:
        return conversion.convert(program, table.operators)(*args, **kwargs)
    ufunc = function if isinstance(function, np.ufunc) else getattr(function, "__self__", None)
    if ours is None and isinstance(ufunc, np.ufunc):
        method = "__call__" if ufunc is function else function.__name__
        return array_ufunc(None, ufunc, method, *args, **kwargs)
    return with_classes(partial(_or_call, function, ours), args, kwargs)


def _clear(array: Any) -> None:
    """Write zeros over what a new array found in memory, which a graph must not keep."""
    if not array.dtype.hasobject:
        array[...] = np.zeros((), array.dtype)


def _items(iterable: Any, dtype: Any = None, count: int = -1, **like: Any) -> list[Any]:
    """Return what np.fromiter takes of an iterable."""
    return list(iterable if count < 0 else islice(iterable, count))


def _is_outside(function: Any, kwargs: Any) -> bool:
    """Tell whether a function reads or writes files, or prints: it does when the graph runs."""
    name = getattr(function, "__name__", "")
    return name in OUTSIDE and ("mode" not in kwargs or name != "show_config")


def _call_library(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Call what is of a library: when the graph runs, unless it is written in functions of ours.

    An estimator is made then, too, as its methods write it.
    """
    builder = default_graph.current()
    if builder is not None and isinstance(function, type) and hasattr(function, "get_params"):
        return stage_call(function, args, kwargs, is_whole=True)
    if builder is None or not holds_staged((args, kwargs)):
        return function(*args, **kwargs)
    if str(getattr(function, "__module__", "")).startswith("scipy.special"):
        return or_call(function, function, args, kwargs)
    return stage_call(function, args, kwargs)


def _or_call(function: Any, ours: Any, /, *args: Any, **kwargs: Any) -> Any:
    if ours is None:
        return stage_call(function, args, kwargs)
    return or_call(function, ours, args, kwargs)


def with_classes(call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Make a call with each class of the numbers among its arguments that are of several."""
    leaves, structure = trees.flatten((args, kwargs))
    unions = list(map(union_of, leaves))
    if all(x is y for x, y in zip(leaves, unions, strict=True)):
        return call(*args, **kwargs)
    some, named = trees.unflatten(structure, unions)
    return with_each(call, some, named, each)


def _made_here(found: Any, given: Sequence[Any]) -> Any:
    """Return what NumPy made while tracing, with new arrays as parts of the graph, to be written.

    A view, or an array that was given, belongs to somebody else.
    """
    if type(found) in (tuple, list):
        return type(found)(_made_here(x, given) for x in found)
    builder = default_graph.current()
    is_array = type(found) is np.ndarray and found.flags.writeable
    is_new = is_array and (found.flags.owndata or all(map(is_plain, given)))
    if builder is None or not is_new or any(found is x for x in given):
        return found
    return as_known(builder, found)


def _call_method(method: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Call a method of an array from outside of the graph."""
    builder = default_graph.current()
    if builder is None:
        return method(*args, **kwargs)
    if method.__name__ in OUTSIDE:
        return stage_call(getattr(np.ndarray, method.__name__), (method.__self__, *args), kwargs)
    if not holds_staged((args, kwargs)):
        return _made_here(method(*args, **kwargs), (method.__self__, *args, *kwargs.values()))
    symbol = as_known(builder, method.__self__)
    if type(symbol) is Symbol:
        return getattr(symbol, method.__name__)(*args, **kwargs)
    return stage_call(method, args, kwargs)


def _make(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Make a source of random numbers: when the graph runs, each time anew."""
    if default_graph.current() is None or operate_now() is not None:
        return function(*args, **kwargs)
    given = (*args, *kwargs.values())
    if given and isinstance(given[0], SOURCES) and function is np.random.default_rng:
        return given[0]
    return stage_call(function, args, kwargs, is_whole=True)


def _draw(method: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Call a method of a source: when the graph runs, as its state is that of the program then."""
    if default_graph.current() is None:
        return method(*args, **kwargs)
    if operate_now() is not None:  # TensorFlow's rules: what NumPy draws is part of the graph
        warn_of_frozen(method)
        return method(*args, **kwargs)
    return stage_call(method, args, kwargs)


_INSTEAD = {"rand": "random", "randn": "normal", "random_sample": "random", "gauss": "normal"}


def warn_of_frozen(function: Any) -> None:
    """Warn that the number which a method draws now is part of the graph."""
    unroll()
    name = function.__name__
    place = user_location()
    warnings.warn_explicit(
        f"{name}() draws its numbers while the function is traced: each call of the staged "
        f"function gets the same ones. Write ag.random.{_INSTEAD.get(name, name)}, which draws "
        "when the graph runs, or pass the numbers as an argument",
        FrozenRandomWarning,
        place.file if place is not None else "<unknown>",
        place.line if place is not None else 0,
    )


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """As `np.piecewise`."""
    x = np.asanyarray(x)
    conditions = np.asarray(condlist, dtype=bool)
    if conditions.ndim == 0 or (conditions.ndim == 1 and x.ndim > 0):
        conditions = conditions[None]
    n = len(conditions)
    if n == len(funclist) - 1:
        other = ~np.any(conditions, axis=0, keepdims=True)
        conditions = np.concatenate([conditions, other])
    elif n != len(funclist):
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    y = np.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            y[condition] = function
        else:
            values = x[condition]
            if values.size > 0:
                y[condition] = function(values, *args, **kw)
    return y


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Any:
    """As `np.apply_along_axis`."""
    arr = np.asanyarray(arr)
    if not -arr.ndim <= axis < arr.ndim:
        raise np.exceptions.AxisError(axis, arr.ndim)
    rows = np.moveaxis(arr, axis, -1)
    axis = axis % arr.ndim
    places = np.ndindex(rows.shape[:-1])
    found = [np.asanyarray(func1d(rows[(*place, ...)], *args, **kwargs)) for place in places]
    if not found:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    first = found[0]
    made = np.stack([one.astype(first.dtype) for one in found])
    made = made.reshape((*rows.shape[:-1], *first.shape))
    inner = range(rows.ndim - 1, made.ndim)
    return np.moveaxis(made, inner, range(axis, axis + first.ndim))


PROGRAMS: dict[Any, Any] = {
    np.piecewise: piecewise,
    np.apply_along_axis: apply_along_axis,
}
