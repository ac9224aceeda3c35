"""Python functions that a graph calls when it runs, in the order of the program.

Comes in: a function of the user's, its arguments, and what its results are. Goes out: the results,
staged when a graph is being built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any
from weakref import WeakValueDictionary

from runtime import default_graph, trees
from runtime.dispatch import apply, as_array
from runtime.graph.opdef import REGISTRY
from runtime.ops.effects import GIVEN, Called, ask, declared_as
from runtime.spec import TensorSpec
from runtime.tensor import value_now

CALLED_LATER: dict[int, CodeType | None] = {}
"""The code of functions that graphs call when they run, by id: what they read no trace reads."""

_KNOWN: WeakValueDictionary[Any, Called] = WeakValueDictionary()
"""What graphs call, by the function and what it is given, so that none is called by two numbers."""


def py_function(
    function: Callable[..., Any],
    args: Sequence[Any],
    results: Any = None,
    gradient: Callable[..., Any] | None = None,
) -> Any:
    """Call a Python function with `Tensor`s, at each run of the graph, not while it is traced.

    It keeps its place among prints and other such calls, is never dropped, and may do anything:
    append to a list, read a file, use another library.

    Args:
        function: what is called. It is not converted.
        args: the arrays and numbers that it is given.
        results: what it returns: a `TensorSpec` or a dtype (of a single number), or a structure of
            them; None when nothing is made of what it returns.
        gradient: a function of the arguments, and then of the gradients of the results, that
            returns the gradient of each argument. It is kept with the call.

    Raises:
        DtypeError: it returned another dtype than is declared.
        ShapeError: it returned another shape than is declared.

    >>> seen = []
    >>> py_function(lambda x: seen.append(float(x)), [np.float64(1.5)])
    >>> seen
    [1.5]
    """
    return _ask(function, args, results, "tensors", gradient)


def numpy_function(
    function: Callable[..., Any],
    args: Sequence[Any],
    results: Any = None,
    gradient: Callable[..., Any] | None = None,
) -> Any:
    """Call a Python function with NumPy arrays; else as `py_function`.

    >>> import autograph as ag
    >>> numpy_function(np.histogram_bin_edges, [np.arange(3.0), 2], ag.TensorSpec([None]))
    array([0., 1., 2.])
    """
    return _ask(function, args, results, "arrays", gradient)


def recorded_function(
    function: Callable[..., Any],
    args: Sequence[Any],
    results: Any,
    run: Callable[..., Any],
    gradient: Callable[..., Any],
) -> Any:
    """Call a Python function with `Tensor`s by another, which calls it and notes what is done.

    Saved texts name the function itself. What is returned is an array for each of `results`.

    Args:
        function, args, results: as of `py_function`.
        run: takes the same arguments, and returns the same.
        gradient: as of `py_function`; it takes the results, too, behind the arguments.
    """
    return _ask(function, args, results, "tensors", gradient, run)


def _ask(
    function: Callable[..., Any],
    args: Sequence[Any],
    results: Any,
    given: str,
    gradient: Callable[..., Any] | None,
    run: Callable[..., Any] | None = None,
) -> Any:
    if not callable(function):
        raise TypeError(f"py_function takes a function and its arguments, not {function!r}")
    if not isinstance(args, list | tuple):
        raise TypeError(f"the arguments of {_name(function)} are a list or a tuple, not {args!r}")
    if not (gradient is None or callable(gradient)):
        raise TypeError(f"the gradient of {_name(function)} is a function, not {gradient!r}")
    leaves, structure = trees.flatten(results)
    attrs = declared_as(map(_spec, leaves), structure)
    values = [value_now(x) for x in args]
    if default_graph.current() is None:
        found = ask(*map(as_array, values), function=Called(function), given=given, **attrs)
    else:
        known = _known(function, given, gradient, run)
        found = apply(REGISTRY["ask_python"], values, function=known, given=given, **attrs)
    return trees.unflatten(structure, found)


def _known(
    function: Callable[..., Any],
    given: str,
    gradient: Callable[..., Any] | None,
    run: Callable[..., Any] | None,
) -> Called:
    """Return what graphs call for a function."""
    key = (function, given, gradient, run)
    found = _KNOWN.get(key)
    if found is None:
        back = None if gradient is None else _given(gradient, GIVEN[given])
        _KNOWN[key] = found = Called(
            run or function, back, of=function, sees_results=run is not None
        )
        code = getattr(function, "__code__", None)
        CALLED_LATER[id(code)] = code
    return found


def _given(function: Callable[..., Any], given: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a function of arrays that calls one of what these are given as."""
    return lambda *values: function(*map(given, values))


def _spec(declared: Any) -> TensorSpec:
    if isinstance(declared, TensorSpec):
        return declared
    try:
        return TensorSpec([], declared)
    except TypeError:
        raise TypeError(
            f"a result is declared by a TensorSpec or a dtype, not by {declared!r}"
        ) from None


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", repr(function))
