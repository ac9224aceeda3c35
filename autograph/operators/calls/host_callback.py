"""Python functions that a graph calls when it runs, in the order of the program.

Comes in: a function of the user's, its arguments, and what its results are. Goes out: the results,
staged when a graph is being built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from runtime import default_graph, trees
from runtime.dispatch import apply, as_array
from runtime.dtypes import dtype_name
from runtime.graph.opdef import REGISTRY
from runtime.ops.effects import Called, as_declared
from runtime.spec import TensorSpec
from runtime.tensor import Tensor, value_now

CALLED_LATER: dict[int, CodeType | None] = {}
"""The code of functions that graphs call when they run, by id: what they read no trace reads."""

_KNOWN: WeakValueDictionary[Any, Called] = WeakValueDictionary()
"""What graphs call, by the function and its specs, so that none is called by two numbers."""


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
    return _ask(function, args, results, Tensor, gradient)


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
    return _ask(function, args, results, np.asarray, gradient)


def _ask(
    function: Callable[..., Any],
    args: Sequence[Any],
    results: Any,
    given: Callable[[Any], Any],
    gradient: Callable[..., Any] | None,
) -> Any:
    if not callable(function):
        raise TypeError(f"py_function takes a function and its arguments, not {function!r}")
    if not isinstance(args, list | tuple):
        raise TypeError(f"the arguments of {_name(function)} are a list or a tuple, not {args!r}")
    if not (gradient is None or callable(gradient)):
        raise TypeError(f"the gradient of {_name(function)} is a function, not {gradient!r}")
    leaves, structure = trees.flatten(results)
    specs = tuple(map(_spec, leaves))
    values = [value_now(x) for x in args]
    if default_graph.current() is None:
        found = _asked(function, structure, specs, given)(*map(as_array, values))
    else:
        attrs = {
            "function": _known(function, structure, specs, given, gradient),
            "dtypes": tuple(dtype_name(spec.dtype) for spec in specs),
            "shapes": tuple(_sizes(spec) for spec in specs),
        }
        found = apply(REGISTRY["ask_python"], values, **attrs)
    return trees.unflatten(structure, found)


def _known(function: Callable[..., Any], *declared: Any) -> Called:
    """Return what graphs call for a function with what is declared of it."""
    key = (function, *declared)
    found = _KNOWN.get(key)
    if found is None:
        *asked, gradient = declared
        back = None if gradient is None else _given(gradient, asked[-1])
        name = getattr(function, "__qualname__", "")
        _KNOWN[key] = found = Called(_asked(function, *asked), back, name)
        code = getattr(function, "__code__", None)
        CALLED_LATER[id(code)] = code
    return found


def _given(function: Callable[..., Any], given: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a function of arrays that calls one of what these are given as."""
    return lambda *values: function(*map(given, values))


def _asked(
    function: Callable[..., Any],
    structure: trees.Structure,
    specs: Sequence[TensorSpec],
    given: Callable[[Any], Any],
) -> Callable[..., tuple[Any, ...]]:
    """Return what is called: the function, and what its results are made of."""

    def asked(*values: Any) -> tuple[Any, ...]:
        found = function(*map(given, values))
        if not specs:
            return ()
        leaves, other = trees.flatten(found) if structure != trees.LEAF else ((found,), structure)
        if other != structure:
            difference = trees.difference(structure, other, "the result")
            raise TypeError(f"{_name(function)}: {difference}, against what is declared")
        rows = zip(leaves, specs, strict=True)
        return tuple(as_declared(_plain(x), spec, _name(function))[()] for x, spec in rows)

    return asked


def _plain(value: Any) -> Any:
    return value.array if type(value) is Tensor else value


def _spec(declared: Any) -> TensorSpec:
    if isinstance(declared, TensorSpec):
        return declared
    try:
        return TensorSpec([], declared)
    except TypeError:
        raise TypeError(
            f"a result is declared by a TensorSpec or a dtype, not by {declared!r}"
        ) from None


def _sizes(spec: TensorSpec) -> Any:
    if spec.shape is None:
        return None
    return tuple(n if isinstance(n, int) else None for n in spec.shape)


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", repr(function))
