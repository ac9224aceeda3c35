"""Joining the values that the arms of a branch, or the rounds of a loop, leave in a variable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any

import numpy as np

from autograph.staging.region import NEVER, UNDEFINED, Region
from autograph.staging.strictness import declared, refuse_change
from runtime import trees
from runtime.aliasing import JoinedPlace, meet, meeting, places_of, share
from runtime.cast import cast
from runtime.default_graph import building
from runtime.dispatch import apply, as_value, value_of
from runtime.dtypes import python_type
from runtime.errors import AttributeName, LoopStateError, MutationError
from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.graph.opdef import REGISTRY
from runtime.opaque import OPAQUE
from runtime.spec import TensorSpec, accepts, join_specs
from runtime.tensor import LOCKED, Places, Symbol
from runtime.union import Choice, Missing, is_numeric, leaf_spec


def describe(value: Any) -> str:
    """Say what a value is, for a message: its spec, or its Python value and type."""
    if is_numeric(value):
        return str(leaf_spec(value))
    if isinstance(value, Missing):
        return "without a value"
    return "None" if value is None else f"{value!r} ({type(value).__name__})"


def converted(region: Region, leaf: Any, spec: TensorSpec, checked: bool = True) -> Value:
    """Return the graph value of a leaf at the end of a region, converted to the dtype of `spec`."""
    return convert(region.builder, leaf, spec, region.ends.get(id(leaf)), checked)


def convert(
    builder: Builder,
    leaf: Any,
    spec: TensorSpec,
    value: Value | None = None,
    checked: bool = True,
) -> Value:
    """Return the graph value of a leaf, converted to the dtype of `spec`.

    Args:
        builder: where it is used.
        leaf: a numeric leaf, or flags.
        spec: what it is converted to.
        value: what it holds, when that is known already.
        checked: whether a variable that may be undefined is checked when the graph runs.
    """
    with building(builder):
        if isinstance(leaf, Flags):
            leaf = reduce(lambda a, b: apply(REGISTRY["logical_and"], [a, b]), leaf)
        if value is None:
            is_symbol = type(leaf) is Symbol
            value = value_of(leaf, checked) if is_symbol else as_value(builder, leaf)
        return cast(builder, Symbol(builder, builder.resolve(value)), spec)


def joined_symbol(builder: Builder, value: Value, sources: Sequence[Any]) -> Symbol:
    """Return the symbol of a joined value; `sources` are the leaves that it may come from."""
    symbol = Symbol(builder, value)
    share(symbol, [*map(places_of, sources)])
    forbid_writing(symbol, sources)
    return symbol


def _unwritable(leaf: Any) -> str | None:
    """Return why NumPy does not write an array, such as a diagonal; None if it does."""
    view = leaf.view_of if type(leaf) is Symbol else None
    if view is not None and view.op.view == "always" and not view.op.write:
        return (
            f"this array may be the result of {view.op.name}, which NumPy does not write: copy it"
        )
    reason = leaf.unwritable if type(leaf) is Symbol else None
    return (
        "this array may be one that NumPy does not write: copy it" if reason is LOCKED else reason
    )


def check_writable(leaves: Iterable[Any]) -> None:
    """Raise MutationError for what rounds of a loop leave to later ones that write it."""
    for reason in filter(None, map(_unwritable, leaves)):
        raise MutationError(reason)


def keep_places_apart(results: Sequence[tuple[Symbol, Sequence[Places]]]) -> None:
    """Give results that no arm leaves in one array places that are apart, as in `a, b = b, a`.

    Args:
        results: symbols that were joined, and where each is in each of the arms.
    """
    pairs = list(meeting({k: symbol.places for k, (symbol, _) in enumerate(results)}))
    join, own = object(), dict[int, JoinedPlace]()
    for k in dict.fromkeys(k for pair in pairs for k in pair):
        symbol = results[k][0]
        own[k] = JoinedPlace(symbol.builder, join, symbol.places)
    for k, other in pairs:
        if any(meet(*arm) for arm in zip(results[k][1], results[other][1], strict=True)):
            own[k].alike.add(own[other])
            own[other].alike.add(own[k])
    for k, place in own.items():
        results[k][0].joined_places = frozenset([place])


def forbid_writing(symbol: Symbol, sources: Sequence[Any]) -> None:
    """Forbid writing an array that NumPy may not write, or may have another dtype for."""
    symbol.unwritable = next(filter(None, map(_unwritable, sources)), symbol.unwritable)
    spec = symbol.spec
    if spec.shape == ():
        return
    other = next((leaf_spec(x).dtype for x in sources if leaf_spec(x).dtype != spec.dtype), None)
    if other is not None:
        symbol.unwritable = (
            f"this array is {spec.dtype} or {other}, depending on a staged condition or loop, so "
            "what is written would be rounded or not. Give it one dtype with .astype()"
        )


class Flags(tuple[Symbol, ...]):
    """Truth values that say of the parts of a value whether they are defined: all must be."""

    __slots__ = ()


def flag_of(value: Any) -> Any:
    """Return what says whether a variable's value is defined, for `convert`; None when it is."""
    flags = [x.valid[1] for x in trees.flatten(value)[0] if type(x) is Symbol and x.valid]
    distinct = Flags({id(flag): flag for flag in flags}.values())
    return distinct or None


def flag_name(value: Any, name: str) -> str:
    """Return the variable that a value's flag is about, or `name` when it has none."""
    names = (x.valid[0] for x in trees.flatten(value)[0] if type(x) is Symbol and x.valid)
    return next(names, name)


def mark_maybe(value: Any, name: str, flag: Symbol) -> Any:
    """Return the value of a variable, marked as undefined when `flag` is false."""
    for leaf in trees.flatten(value)[0]:
        leaf.valid = (name, flag)
        if leaf.union is not None and type(leaf.union._which) is Symbol:
            leaf.union._which.valid = leaf.valid  # who asks for its class reads it
    return value


@contextmanager
def unmarked(value: Any) -> Iterator[None]:
    """Have a value of which nobody asks whether it is defined in a `with` block."""
    leaves = [x for x in trees.flatten(value)[0] if type(x) is Symbol and x.valid]
    unions = (x.union._which for x in leaves if x.union is not None)
    marked = [(x, x.valid) for x in (*leaves, *(x for x in unions if type(x) is Symbol))]
    try:
        for x, _ in marked:
            x.valid = None
        yield
    finally:
        for x, valid in marked:
            x.valid = valid


def keeping_flag(symbol: Symbol, compute: Callable[[Symbol], Any]) -> Any:
    """Return what is computed of a variable's number, undefined where that is; none is checked."""
    if symbol.valid is None:
        return compute(symbol)
    builder = symbol.builder_now()
    found = compute(Symbol(builder, builder.resolve(value_of(symbol, checked=False))))
    found.valid = symbol.valid
    return found


def refuse_lost(name: str, values: Sequence[Any]) -> None:
    """Raise LoopStateError for an attribute that would have none of the values it may be given."""
    if values and isinstance(name, AttributeName):
        raise LoopStateError(
            f"{name} is {describe(values[0])} where a staged branch or loop assigns it, and absent "
            "else, which only numbers, arrays, texts, None and objects may be. Give it a value of "
            "that kind before"
        )


def is_defined(value: Any) -> Any:
    """Return whether a variable is left with a value, as a truth value, staged or not."""
    if value is UNDEFINED:
        return False
    flag = None if value is NEVER else flag_of(value)
    return True if flag is None else flag


def can_carry(value: Any) -> bool:
    """Tell whether the value of a variable consists of numbers and arrays."""
    if value is UNDEFINED:
        return False
    leaves = trees.flatten(value)[0]
    return bool(leaves) and all(map(is_numeric, leaves))


def may_be_missing(value: Any) -> bool:
    """Tell whether that there is none is one of the values that a variable may hold."""
    return type(value) is Choice and any(x.missing is not None for x in value._options)


def placeholder(spec: TensorSpec) -> Any:
    """Return a value of a spec for a variable that nobody reads: zeros, unknown sizes as 0."""
    if spec == OPAQUE:
        attrs = {"call": "None", "form": "any", "results": (str(OPAQUE),), "given": ""}
        return apply(REGISTRY["numpy_call"], (), **attrs)[0]
    if spec.weak:
        return python_type(spec.dtype)(0)
    shape = [n if isinstance(n, int) else 0 for n in spec.shape or ()]
    found = np.zeros(shape, spec.dtype)
    return found if shape else found[()]


def widened(name: str, spec: TensorSpec, leaf: Any, is_kept: bool) -> TensorSpec:
    """Return the spec of a loop's variable that also holds what it is after a round.

    Args:
        name: of the variable.
        spec: what it is before.
        leaf: what it is after a round.
        is_kept: whether another spec is refused.
    """
    after = leaf_spec(leaf)
    if accepts(spec, after):  # a size that has a name outside is that one in all rounds, or unknown
        return join_specs(spec, after) or spec
    if is_kept:
        raise LoopStateError(f"{name} is {spec} before the loop and {after} after its first round")
    wanted = declared(name, spec, after)
    if wanted is not None:
        return wanted
    refuse_change(name, spec, after)
    joined = join_specs(spec, after)
    if joined is None:
        raise LoopStateError(
            f"{name} is {spec} before a staged loop and {after} after one round, and no dtype and "
            "rank holds both without loss. Give it its final dtype before the loop, for example "
            "with .astype()"
        )
    return joined


def was_written(symbol: Any) -> bool:
    """Tell whether a parameter of a region no longer holds the value that it was made with."""
    return type(symbol) is Symbol and symbol.was_written
