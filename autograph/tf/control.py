"""Control flow as functions, and Python in graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import autograph.operators as operators
import runtime.numpy as rnp
from autograph.staging import functional
from autograph.staging.strictness import declaring
from autograph.tf.composite import takes_composites
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, convert_to_tensor
from autograph.transforms.vmap import vmap
from runtime import default_graph, trees
from runtime.spec import TensorSpec
from runtime.tensor import is_staged, value_now


def _called(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose code is converted while tracing, with tensors as results."""
    return lambda *args: as_result(operators.call(function, *args))


def cond(
    pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: Any = None
) -> Any:
    """Return `true_fn()` when a condition is true, else `false_fn()`."""
    with translating(of_user=True):
        test = value_now(pred)
        return functional.cond(test, _called(true_fn), _called(false_fn))


def case(
    pred_fn_pairs: Any, default: Callable[[], Any] | None = None, exclusive: bool = False
) -> Any:
    """Return what the function of the first true condition returns, or `default()`."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if default is None:
        *pairs, (_, default) = pairs
    found: Callable[[], Any] = default
    for test, function in reversed(pairs):
        found = _choice(test, function, found)
    return found()


def _choice(test: Any, function: Callable[[], Any], others: Callable[[], Any]) -> Any:
    return lambda: cond(test, function, others)


def switch_case(
    branch_index: Any,
    branch_fns: Any,
    default: Callable[[], Any] | None = None,
    name: Any = None,
) -> Any:
    """Return what the function of a number returns; the last, or `default`, for other numbers."""
    given = dict(branch_fns) if isinstance(branch_fns, dict) else dict(enumerate(branch_fns))
    last = default if default is not None else given[max(given)]
    functions = [_called(given.get(k, last)) for k in range(max(given) + 1)]
    index = value_now(branch_index)
    with translating(of_user=True):
        count = len(functions)
        number = rnp.where((index >= 0) & (index < count), index, count)
        index = number if is_staged(index) else int(np.asarray(number))
        return functional.switch(index, [*functions, _called(last)])


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    maximum_iterations: Any = None,
    name: Any = None,
) -> Any:
    """Return the loop's variables after `body` was applied to them while `cond` of them is true.

    Args:
        cond, body: functions of the variables.
        loop_vars: a tuple or list of them.
        shape_invariants: their shapes, where they change.
        parallel_iterations: is TensorFlow's, and not used.
        maximum_iterations: how many rounds there are at most.
    """
    kind = type(loop_vars) if isinstance(loop_vars, list | tuple) else tuple
    start = (np.int32(0), *as_result(tuple(map(_tensors, loop_vars))))

    def test(state: Any) -> Any:
        go_on = operators.call(cond, *state[1:])
        if maximum_iterations is None:
            return go_on
        return rnp.logical_and(go_on, state[0] < maximum_iterations)

    def one_round(state: Any) -> Any:
        found = operators.call(body, *state[1:])
        values = found if isinstance(found, list | tuple) else (found,)
        return (state[0] + np.int32(1), *as_result(tuple(map(_tensors, values))))

    with translating(of_user=True), declaring(_shapes(shape_invariants)):
        found = functional.while_loop(test, one_round, start)[1:]
        return found[0] if len(found) == 1 and kind is tuple else kind(found)


def _tensors(value: Any) -> Any:
    """Return a structure with tensors as leaves; what stands for arrays is read."""
    return trees.map_tree(convert_to_tensor, value)


def _shapes(invariants: Any) -> dict[str, Any]:
    if invariants is None:
        return {}
    shapes = trees.flatten_to(invariants, lambda x: isinstance(x, list | tuple) and _is_shape(x))[0]
    specs = (TensorSpec(shape) for shape in shapes)
    return {f"the loop's state[{k}]": spec.shape for k, spec in enumerate(specs, 1)}


def _is_shape(value: Any) -> bool:
    return all(x is None or isinstance(x, int) for x in value)


@takes_composites
def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    fn_output_signature: Any = None,
    **others: Any,
) -> Any:
    """Return the results of a function for each element along the first axis, stacked."""
    with translating(of_user=True):
        return as_result(functional.map_(_called(fn), _tensors(elems)))


@takes_composites
def vectorized_map(fn: Callable[[Any], Any], elems: Any, **others: Any) -> Any:
    """Return what `map_fn` does; a graph computes all elements at once."""
    if default_graph.current() is None:
        return map_fn(fn, elems)
    with translating(of_user=True):
        return as_result(vmap(_called(fn))(_tensors(elems)))


@takes_composites
def foldl(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, **others: Any) -> Any:
    """Return `initializer` after `a = fn(a, x)` for each element, from the first to the last."""
    with translating(of_user=True):
        xs = _tensors(elems)
        if initializer is None:
            initializer, xs = _first(xs)
        return as_result(functional.fold(_called(fn), _tensors(initializer), xs))


@takes_composites
def foldr(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, **others: Any) -> Any:
    """Return `initializer` after `a = fn(a, x)` for each element, from the last to the first."""
    with translating(of_user=True):
        xs = trees.map_tree(lambda x: rnp.flip(x, axis=0), _tensors(elems))
        return foldl(fn, xs, initializer)


@takes_composites
def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    reverse: bool = False,
    **others: Any,
) -> Any:
    """Return all `a` of `a = fn(a, x)` for each element, stacked."""
    with translating(of_user=True):
        xs = _tensors(elems)
        if reverse:
            xs = trees.map_tree(lambda x: rnp.flip(x, axis=0), xs)
        first = None
        if initializer is None:
            first, xs = _first(xs)
        start = _tensors(first if initializer is None else initializer)
        called = _called(fn)

        def step(carry: Any, x: Any) -> Any:
            found = called(carry, x)
            return found, found

        rows = functional.scan(step, start, xs)[1]
        if first is not None:
            rows = _after(start, rows)
        found = trees.map_tree(lambda x: rnp.flip(x, axis=0), rows) if reverse else rows
        return as_result(found)


def _first(xs: Any) -> tuple[Any, Any]:
    return trees.map_tree(lambda x: x[0], xs), trees.map_tree(lambda x: x[1:], xs)


def _after(first: Any, rows: Any) -> Any:
    firsts, structure = trees.flatten(first)
    pairs = zip(firsts, trees.flatten(rows)[0], strict=True)
    return trees.unflatten(structure, [rnp.concatenate([a[None], b]) for a, b in pairs])


def group(*inputs: Any, name: Any = None) -> None:
    """Do nothing: what is in a staged function happens, in its order."""


def no_op(name: Any = None) -> None:
    """Do nothing."""


class _Nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *details: object) -> None: ...


def control_dependencies(control_inputs: Sequence[Any]) -> _Nothing:
    """Do nothing: effects keep the order of the program."""
    return _Nothing()


def name_scope(name: str) -> _Nothing:
    """Do nothing: names of scopes are not kept."""
    return _Nothing()


def init_scope() -> Any:
    """Leave the function that is traced: what stands in the `with` block happens at once."""
    return default_graph.building(None)


def device(device_name: str) -> _Nothing:
    """Do nothing: a function runs where its arrays are."""
    return _Nothing()
