"""`vmap`: a function of one element becomes one of a batch.

The function is traced once, with symbols that stand for one element. Its graph then becomes the
graph of the batch (`runtime.batching`), which is written into the graph that is being built.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from autograph.function.polymorphic import Function
from autograph.operators.control_flow.errors import add_place
from autograph.operators.control_flow.state import State
from autograph.operators.heap.heap import with_own_heaps
from autograph.operators.heap.heap_columns import Rows
from autograph.operators.mutation.callee_writes import AssignedElsewhere, settle
from autograph.operators.mutation.mutation_guard import guard
from autograph.staging.region import Region, trace_region
from autograph.transforms.region import as_one
from runtime import default_graph, trees
from runtime.batching.batch import batch_graph, inlined
from runtime.batching.one_by_one import Ragged
from runtime.dispatch import apply, as_value
from runtime.errors import DtypeError, MutationError, ShapeError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph
from runtime.ops.movement import moveaxis
from runtime.passes.inline import write_steps
from runtime.spec import Dim, TensorSpec, row_spec
from runtime.tensor import Symbol, TensorLike
from runtime.tree_classes import is_reference
from runtime.union import Choice, is_numeric, values_of

Axes = Any
"""A number, None, or a structure of both."""


def vmap(func: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0) -> Function:
    """Return a function that applies another one to each element of a batch, to all at once.

    It gives what a loop gives: `np.stack([func(x) for x in xs])`, for each array of the result, in
    values and dtypes. The function may branch, loop and break off by what the elements are.

    Args:
        func: a Python function of one element, staged or not.
        in_axes: along which axis each argument is gone over, None for one that is the same for all
            elements: one axis for all arguments, or a tuple with one entry for each, which may be a
            structure like the argument. Arguments by keyword are gone over along the first axis.
        out_axes: where the axis of the batch is in the results, one for all or a structure.

    Returns:
        A staged function of the same parameters.

    Raises:
        ShapeError: arguments have no such axis, or different sizes; no argument is gone over; an
            element decides about the shape of a result.
        DtypeError: the function returns something else than numbers and arrays.
        MutationError: the function writes something outside of itself.

    >>> import numpy as np
    >>> import autograph as ag
    >>> ag.vmap(np.dot, in_axes=(0, None))(np.eye(2), np.array([3.0, 4.0]))
    array([3., 4.])
    """
    if not callable(func):
        raise TypeError(f"vmap takes a function, not {func!r}")
    inner = func if isinstance(func, Function) else Function(func)

    def of_each(*args: Any, **kwargs: Any) -> Any:
        return _of_batch(inner, in_axes, out_axes, args, kwargs)

    around = getattr(inner.python_function, "batch_of", lambda other: other)
    functools.update_wrapper(of_each, inner.python_function)
    vars(of_each)["batch_of"] = lambda other: vmap(around(other), in_axes, out_axes)
    vars(of_each)["__signature__"] = inner._signature.python
    made = Function(of_each, autograph=False)
    made._plain = made._call_slowly
    return made


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One leaf of the arguments: what it is called, and along which axis it is gone over."""

    name: str
    value: Any
    axis: int | None


def _of_batch(
    inner: Function, in_axes: Axes, out_axes: Axes, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    builder = default_graph.current()
    assert builder is not None
    name = inner._signature.name
    leaves = list(_leaves(inner, in_axes, args, kwargs))
    batched = [leaf for leaf in leaves if leaf.axis is not None]
    size = _size(name, batched)
    _, structure = trees.flatten((args, kwargs))
    arrays = [_first(leaf) for leaf in batched]
    values = [as_value(builder, x) for x in arrays]
    specs = [row_spec(x.spec) for x in values]

    def run(*symbols: Any) -> Any:
        given = iter(symbols)
        filled = [leaf.value if leaf.axis is None else next(given) for leaf in leaves]
        own_args, own_kwargs = trees.unflatten(structure, filled)
        return _without_objects(name, inner(*own_args, **own_kwargs))

    region = _traced(name, builder, run, inner.python_function, specs)
    graph, captured, returned = _closed(name, region)
    flags = [*(True for _ in values), *(False for _ in captured)]
    try:
        batch = batch_graph(graph, flags, size)
    except Ragged:
        raise ShapeError(
            f"vmap of {name}: the shape of a result differs from element to element"
        ) from None
    redirect, builder.redirect = builder.redirect, None  # what it may raise was redirected
    try:
        found = inlined(builder, batch, [*values, *captured])
    finally:
        builder.redirect = redirect
    return _returned(name, returned, [Symbol(builder, x) for x in found], out_axes)


def _without_objects(name: str, result: Any) -> Any:
    """Return a result; DtypeError for objects in it that the function made, which end with it."""
    leaves, _ = trees.flatten_to(result, lambda x: type(x) is Choice or _is_object(x))
    for leaf in leaves:
        for x in values_of(leaf) if type(leaf) is Choice else [leaf]:
            if _is_object(x):
                raise DtypeError(
                    f"vmap of {name}: the function returns an object of class "
                    f"{type(x).__mro__[1].__name__}, which it made; results are numbers and "
                    "arrays, one for each element"
                )
    return result


def _is_object(x: Any) -> bool:
    return bool(is_reference(type(x)))


def _leaves(
    inner: Function, in_axes: Axes, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[_Leaf]:
    """Yield the leaves of the arguments."""
    signature = inner._signature
    parameters = list(signature.python.parameters.values())
    defaults = {x.name: x.default for x in parameters}
    own = [x.default for x in parameters if x.kind is not x.VAR_POSITIONAL][: len(args)]
    is_left_out = [k < len(own) and x is own[k] for k, x in enumerate(args)]
    count = len(args) - is_left_out.count(True)
    axes = list(in_axes) if isinstance(in_axes, tuple | list) else [in_axes] * len(args)
    if not count <= len(axes) <= len(args):
        raise ShapeError(
            f"vmap of {signature.name}: in_axes has {len(axes)} entries, and the call has "
            f"{len(args)} positional arguments; give one entry for each, or one axis for all"
        )
    axes = [None if k >= len(axes) or x else axes[k] for k, x in enumerate(is_left_out)]
    names = iter(signature.leaf_names(trees.flatten((args, kwargs))[1]))
    named = ((x, None if x is defaults.get(key) else 0) for key, x in kwargs.items())
    pairs = [*zip(args, axes, strict=True), *named]
    for value, axis in pairs:
        leaves, structure = trees.flatten(value)
        for leaf, one in zip(leaves, _spread(axis, structure, "in_axes"), strict=True):
            yield _Leaf(next(names), leaf, one)


def _spread(axis: Axes, structure: trees.Structure, what: str) -> list[int | None]:
    """Return an axis for each leaf of a structure."""
    if axis is None or type(axis) is int:
        return [axis] * structure.count
    leaves, own = trees.flatten_to(axis, lambda x: x is None)
    difference = None if own == structure else trees.difference(own, structure, what)
    if difference is not None or any(x is not None and type(x) is not int for x in leaves):
        raise ShapeError(
            f"vmap: {what} is {axis!r}; give an axis, None, or such for each part: "
            f"{difference or 'an axis is an integer'}"
        )
    return list(leaves)


def _size(name: str, leaves: Sequence[_Leaf]) -> int | Dim:
    """Return how many elements there are."""
    if not leaves:
        raise ShapeError(
            f"vmap of {name}: no argument is gone over, so the number of elements is not known; "
            "give in_axes an axis for at least one argument that holds an array"
        )
    sizes: dict[str, int | Dim] = {leaf.name: _size_of(name, leaf) for leaf in leaves}
    known = {n for n in sizes.values() if isinstance(n, int)}
    if len(known) > 1:
        found = ", ".join(f"{key} has {n}" for key, n in sizes.items())
        raise ShapeError(
            f"vmap of {name}: the arguments have different numbers of elements: {found}"
        )
    return known.pop() if known else next(iter(sizes.values()))


def _size_of(name: str, leaf: _Leaf) -> int | Dim:
    axis = leaf.axis
    assert axis is not None
    shape = getattr(leaf.value, "spec", leaf.value).shape if _is_array(leaf.value) else ()
    if shape is None:
        raise ShapeError(f"vmap of {name}: the number of axes of {leaf.name} is not known")
    if not -len(shape) <= axis < len(shape):
        kind = "array" if _is_array(leaf.value) else type(leaf.value).__name__
        what = f"an array with {len(shape)} axes" if _is_array(leaf.value) else f"a {kind}"
        raise ShapeError(
            f"vmap of {name}: {leaf.name} is gone over along axis {axis}, and is {what}; give "
            "in_axes None for what is the same for all elements, and arrays for lists of numbers"
        )
    size: int | Dim = shape[axis]
    return size


def _is_array(value: Any) -> bool:
    return isinstance(value, TensorLike) or hasattr(value, "shape")


def _first(leaf: _Leaf) -> Any:
    """Return the array of an argument with the axis of the batch in front."""
    assert leaf.axis is not None
    if leaf.axis == 0:
        return leaf.value
    return apply(moveaxis, [leaf.value], source=leaf.axis, destination=0)


def _traced(
    name: str,
    builder: Builder,
    run: Callable[..., Any],
    function: Callable[..., Any],
    specs: Sequence[TensorSpec],
) -> Region:
    """Trace the function of one element; MutationError when it writes what is not its own."""
    state = State("", "", ())
    guarded = guard(with_own_heaps(run), [function], state)
    region = _attempt(name, lambda: trace_region(builder, guarded, specs), state)
    while region is None:
        region = _attempt(name, lambda: trace_region(builder, guarded, specs), state)
    if any(x.was_written for x in region.symbols):
        raise _writes(name, "an argument")
    if region.writes:
        raise _writes(name, "an array or a variable that it did not make")
    return region


def _attempt(name: str, trace: Callable[[], Region], state: State) -> Region | None:
    """Trace; None when it has to be traced again to know which objects are the function's own."""
    try:
        return trace()
    except AssignedElsewhere as found:
        written: list[Any] = [*found.slots, *found.grown]
        if written and isinstance(getattr(written[0], "before", None), Rows):
            raise MutationError(
                f"vmap of {name}: the function makes or writes {written[0].name}, and there are "
                "some outside of it, too. Give it their numbers and arrays instead"
            ) from None
        if written:
            refusal = _writes(name, " and ".join(dict.fromkeys(repr(x.name) for x in written)))
            add_place(refusal, found.place)
            raise refusal from None
        for doubt in found.doubts:
            settle(state, doubt)
        return None


def _writes(name: str, what: str) -> MutationError:
    return MutationError(
        f"vmap of {name}: the function writes {what}, once for each element, and all elements are "
        "computed at once. Return the new value instead, and write it after the batch; "
        "x = x.copy() makes an array of the function's own"
    )


def _closed(name: str, region: Region) -> tuple[Graph, list[Any], trees.Structure]:
    """Close the region; return its graph, what it uses from outside, and what it returned."""
    leaves, structure = trees.flatten_to(region.result, lambda x: type(x) is Choice)
    results = []
    with default_graph.building(region.builder):
        for leaf in map(as_one, leaves):
            if not is_numeric(leaf):
                raise DtypeError(
                    f"vmap of {name}: the function returns {type(leaf).__name__} {leaf!r}; results "
                    "are numbers and arrays, one for each element"
                )
            results.append(region.builder.resolve(as_value(region.builder, leaf)))
    captured = region.builder.captured()
    graph = region.builder.seal(region.params, results, captured)
    return write_steps(graph, region.builder.new_dim), captured, structure


def _returned(
    name: str, structure: trees.Structure, found: Sequence[Symbol], out_axes: Axes
) -> Any:
    axes = _spread(out_axes, structure, "out_axes")
    pairs = zip(found, axes, strict=True)
    return trees.unflatten(structure, [_placed(name, x, axis) for x, axis in pairs])


def _placed(name: str, x: Symbol, axis: int | None) -> Symbol:
    rank = x.spec.rank
    if axis is None:
        raise ShapeError(f"vmap of {name}: out_axes is None for a result")
    if rank is not None and not -rank <= axis < rank:
        raise ShapeError(
            f"vmap of {name}: out_axes asks for axis {axis}, and the batch of the result has "
            f"{rank} axes"
        )
    return x if axis == 0 else apply(moveaxis, [x], source=0, destination=axis)
