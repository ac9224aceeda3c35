"""Python functions that graphs of tensors call when they run.

Comes in: a function of the user's, what it is given, and the dtypes that it returns. Goes out: what
it returned. Tapes go back through what `py_function` computed: outside of graphs they saw it; in
a graph each run has a tape of its own, of which the last ones are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from autograph.operators.calls import host_callback
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, convert_to_tensor
from autograph.transforms.tape import GradientTape
from runtime import default_graph, trees
from runtime.spec import TensorSpec
from runtime.tensor import Tensor


def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: Any = None) -> Any:  # noqa: N803
    """Call a Python function with tensors, at each run of the graph.

    Tapes differentiate it, in what it computed of floats by this library.

    Args:
        func: what is called.
        inp: a list of what it is given.
        Tout: the dtype of what it returns, or a list of those; None or [] for nothing.
        name: is TensorFlow's, and not used.

    Without `func` it is a decorator, for a function that is then called with its arguments.
    """
    if func is None:
        return partial(_decorated, _py_function, Tout)
    return _asked(_py_function, func, inp, Tout)


def numpy_function(func: Any = None, inp: Any = None, Tout: Any = None, **others: Any) -> Any:  # noqa: N803
    """Call a Python function with NumPy arrays, at each run of the graph; else as `py_function`.

    It has no derivative.
    """
    if func is None:
        return partial(_decorated, _numpy_function, Tout)
    return _asked(_numpy_function, func, inp, Tout)


def _py_function(func: Callable[..., Any], args: Sequence[Any], results: Any) -> Any:
    if default_graph.current() is None:
        return _called_now(func, args, results)
    specs = trees.flatten(results)[0]
    kinds = ({x.dtype.kind for x in part} for part in (args, specs))
    if not all(found & {"f", "c"} for found in kinds):
        return host_callback.py_function(func, args, results)
    runs = _runs_of(func, len(args), tuple(x.dtype for x in specs))
    return host_callback.recorded_function(func, args, results, runs.run, runs.back)


def _called_now(func: Callable[..., Any], args: Sequence[Any], results: Any) -> Any:
    """Return what a function returns, if it fits: tensors as they are, which tapes know."""
    returned: list[Any] = []

    def call(*_: Any) -> Any:
        returned.append(func(*args))
        return returned[0]

    checked, structure = trees.flatten(host_callback.py_function(call, args, results))
    own = returned if structure == LEAF else trees.flatten(returned[0])[0]
    pairs = zip(own, checked, strict=False)
    made = [x if isinstance(x, Tensor) and x.spec.dtype == y.dtype else y for x, y in pairs]
    return trees.unflatten(structure, made)


LEAF = trees.flatten(0)[1]
MOST_RUNS = 256
"""So many runs of a function can be gone back through, the last ones."""


class _Runs:
    """The last runs of a function, each with its tape, by what it was given and returned.

    Args:
        function: is called with tensors.
        size: how many these are.
        dtypes: of what it returns.
    """

    def __init__(self, function: Callable[..., Any], size: int, dtypes: Sequence[Any]) -> None:
        self._function = function
        self._size = size
        self._dtypes = dtypes
        self._kept = OrderedDict[Hashable, tuple[GradientTape, Sequence[Any], Sequence[Any]]]()

    def run(self, *args: Any) -> Any:
        """Return what the function returns."""
        with GradientTape(persistent=True) as tape:
            tape.watch([x for x in args if x.dtype.kind in "fc"])
            found = self._function(*args)
        results = trees.flatten(found)[0]
        if len(results) == len(self._dtypes):
            self._kept[self._key(args, results)] = tape, args, results
        if len(self._kept) > MOST_RUNS:
            self._kept.popitem(last=False)
        return found

    def back(self, *given: Any) -> list[Any]:
        """Return the gradients of the arguments, of these, the results and their gradients.

        RuntimeError where too many other runs came between.
        """
        last = self._size + len(self._dtypes)
        key = self._key(given[: self._size], given[self._size : last])
        if key not in self._kept:
            raise RuntimeError(
                f"more than {MOST_RUNS} runs of a py_function came before the gradient of one was "
                "asked for, and the first are not kept"
            )
        tape, args, results = self._kept[key]
        rows = [(y, g) for y, g in zip(results, given[last:], strict=True) if _is_inexact(y)]
        targets, seeds = ([*x] for x in zip(*rows, strict=True)) if rows else ([], [])
        floats = [x for x in args if _is_inexact(x)]
        found = iter(tape.gradient(targets, floats, seeds, unconnected_gradients="zero"))
        return [next(found) if _is_inexact(x) else np.zeros(()) for x in args]

    def _key(self, args: Sequence[Any], results: Sequence[Any]) -> Hashable:
        pairs = zip(map(_array, results), self._dtypes, strict=True)
        arrays = [*map(_array, args), *(x.astype(kind) for x, kind in pairs)]
        return tuple(x.tobytes() if x.dtype != object else (*x.flat,) for x in arrays)


def _array(x: Any) -> Any:
    return np.asarray(x.array if isinstance(x, Tensor) else x)


def _is_inexact(x: Any) -> bool:
    return isinstance(x, Tensor) and x.spec.dtype.kind in "fc"


@lru_cache(maxsize=256)
def _runs_of(function: Callable[..., Any], size: int, dtypes: tuple[Any, ...]) -> _Runs:
    return _Runs(function, size, dtypes)


def _numpy_function(func: Callable[..., Any], args: Any, results: Any) -> Any:
    return host_callback.py_function(_of_arrays(func), args, results)


@lru_cache(maxsize=256)
def _of_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of tensors that is given arrays; texts are bytes in them."""
    return lambda *tensors: function(*(x.numpy() for x in tensors))


def _decorated(ask: Callable[..., Any], results: Any, func: Any) -> Callable[..., Any]:
    """Return a function that asks another one when the graph runs."""
    return lambda *args: _asked(ask, func, list(args), results)


def _asked(ask: Callable[..., Any], func: Any, inp: Any, results: Any) -> Any:
    nothing = results is None or (isinstance(results, list | tuple) and not results)
    with translating(of_user=True):
        declared = None if nothing else trees.map_tree(_declared, results)
        if isinstance(declared, list | tuple):
            declared, func = list(declared), _listed(func)
        return as_result(ask(func, [convert_to_tensor(x) for x in inp or []], declared))


@lru_cache(maxsize=256)
def _listed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose results are a list, in whatever they are returned."""
    return lambda *args: list(function(*args))


def _declared(result: Any) -> TensorSpec:
    """Return the spec of a dtype, whose shape is not known."""
    return result if isinstance(result, TensorSpec) else TensorSpec(None, result)
