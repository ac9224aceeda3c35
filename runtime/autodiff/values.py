"""Tangents and cotangents as values of a graph: of the shape and dtype of what they belong to.

Cotangents of which each has few elements, as of a stencil that reads an array at several places,
are put together: what is read at the same places is added up before; where what was written left
zeros it is written, and not added; parts that make the whole of an array stand one after another.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import runtime.numpy as rnp
from runtime.autodiff.tape import Entry
from runtime.cast import cast
from runtime.default_graph import building
from runtime.dispatch import apply, as_value
from runtime.errors import DerivativeError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.traits import UNWRITTEN, Addend, Application, Derivative
from runtime.operator_mode import operating
from runtime.ops.creation import constant, filled, full_like
from runtime.ops.derivatives.constructors import NoDerivativeError
from runtime.ops.reductions import sum_like
from runtime.ops.ufuncs import real
from runtime.passes.rewriter import copied_region
from runtime.spec import Dim, Shape, TensorSpec
from runtime.tensor import Symbol, Tensor


def fitted(builder: Builder, found: Any, like: Value) -> Value:
    """Return what a rule gave for a value, in its dtype, and in its shape or one to be broadcast.

    Where the value was broadcast, the sum is taken; a real value takes the real part.
    """
    with building(builder):
        shaped = summed(found, Symbol(builder, like), like.spec.shape)
        return converted(builder, as_value(builder, shaped), like.spec)


def spread(builder: Builder, value: Value, like: Value) -> Value:
    """Return what `fitted` gave in the whole shape; what is small is known to be."""
    given, wanted = value.spec.shape, like.spec.shape
    if given is None or wanted is None or given == wanted:
        return value
    pairs = zip(given, wanted, strict=False)
    if len(given) == len(wanted) and not any(m == 1 != n for m, n in pairs):
        return value
    with building(builder):
        sizes = rnp.shape(Symbol(builder, like))
        return as_value(builder, rnp.broadcast_to(Symbol(builder, value), sizes))


def converted(builder: Builder, value: Value, spec: TensorSpec) -> Value:
    """Return a tangent or cotangent in the dtype of another spec."""
    if value.spec.dtype.kind == "c" and spec.dtype.kind == "f":
        with building(builder):
            value = as_value(builder, apply(real, (Symbol(builder, value),)))
    return cast(builder, Symbol(builder, value), spec)


def known_shape(builder: Builder, value: Value, like: Value) -> Value:
    """Return a cotangent with the sizes that are known of what it belongs to.

    Behind a branch that may make a list longer less is known of it than in the arm that does not.
    """
    given, wanted = value.spec.shape, like.spec.shape
    if given is None or wanted is None or len(given) != len(wanted):
        return value
    pairs = list(zip(given, wanted, strict=True))
    if not any(isinstance(m, Dim) and isinstance(n, int) for m, n in pairs):
        return value
    with building(builder):
        symbol: Any = Symbol(builder, value)
        shape = [n if isinstance(n, int) else symbol.shape[k] for k, n in enumerate(wanted)]
        return as_value(builder, rnp.reshape(symbol, tuple(shape)))


def summed(found: Any, like: Any, wanted: Shape | None) -> Any:
    """Return the sum over the axes along which a value of a shape was broadcast."""
    given = _shape_of(found)
    if given == wanted:
        return found
    if given is None or wanted is None:
        return apply(sum_like, (found, like))
    first = len(given) - len(wanted)
    pairs = list(zip(given[max(first, 0) :], wanted[max(-first, 0) :], strict=True))
    if any(isinstance(n, Dim) and m not in (n, 1) for m, n in pairs):
        return apply(sum_like, (found, like))
    axes = [k for k, (m, n) in enumerate(pairs, max(first, 0)) if n == 1 and m != 1]
    found = np.sum(found, axis=tuple(axes), keepdims=True) if axes else found
    return np.sum(found, axis=tuple(range(first))) if first > 0 else found


def repeated(found: Any, own: Shape | None, space: Shape) -> Any:
    """Return what stands for the elements of a space times how often, where it has no axis.

    Args:
        found: what is to be broadcast to the space.
        own: the shape of what was broadcast to it: along its axes nothing is added up.
        space: the shape.
    """
    rank, shape = len(space), None if isinstance(found, Addend) else _shape_of(found)
    if shape is None or own is None or max(len(shape), len(own)) > rank:
        return found
    given, wanted = ((*(1 for _ in range(rank - len(x))), *x) for x in (shape, own))
    rows = zip(given, wanted, space, strict=True)
    times = math.prod(n for m, k, n in rows if isinstance(n, int) and m == k == 1)
    return found if times == 1 else found * times


def _shape_of(found: Any) -> Shape | None:
    return found.spec.shape if isinstance(found, Symbol | Tensor) else np.shape(found)


def zeros(builder: Builder, like: Value) -> Value:
    """Return the tangent or cotangent of a value that nothing follows."""
    with building(builder):
        if like.spec.shape == ():
            kind: Any = like.spec.promotable if like.spec.weak else like.spec.dtype.type
            return as_value(builder, kind(0))
        symbol = Symbol(builder, like)
        if like.spec.is_static:
            zero = like.spec.dtype.type(0)
            return builder.emit(filled, (), {"value": zero, "shape": like.spec.shape})[0]
        if like.spec.shape is None:
            return as_value(builder, apply(full_like, (symbol, 0)))
        # Its sizes are asked for, and not its elements, which nobody may need to keep.
        return as_value(builder, rnp.zeros(rnp.shape(symbol), like.spec.dtype))


def rule_of(node: Node) -> Derivative:
    """Return the derivative of an op; DerivativeError, with the user's line, if it has none."""
    rule = node.op.derivative
    if isinstance(rule, Derivative):
        return rule
    why = "has no derivative yet" if rule is UNWRITTEN else f"has no derivative: {rule.why}"
    raise refusal(node, f"{node.op.name} {why}")


def asked(node: Node, rule: Callable[..., Any], *given: Any) -> Any:
    """Return what a rule gives for a node; DerivativeError, with the user's line, if it refuses.

    Rules are written for NumPy's dtypes, also where the program has others.
    """
    try:
        with operating(None):
            return rule(*given)
    except NoDerivativeError as error:
        name = node.attrs.get("name", node.op.name)  # of what was done before
        raise refusal(node, f"{name} has no derivative: {error}") from None


def refusal(node: Node, text: str) -> DerivativeError:
    """Return the error of a node that cannot be differentiated, with the user's line."""
    place = f"\n{node.location.describe()}" if node.location else ""
    return DerivativeError(
        f"{text}. Use ag.stop_gradient(x) where no derivative is wanted, or give the function "
        f"one by ag.custom_vjp{place}"
    )


def application(
    builder: Builder,
    node: Node,
    inputs: Sequence[Value],
    results: Sequence[Value],
    wanted: Sequence[bool],
    known: Mapping[Value, Any],
) -> Application:
    """Return a node as rules see it: constants that are numbers as they are."""
    operands = [known[x] if x in known else Symbol(builder, x) for x in inputs]
    made = [Symbol(builder, x) for x in results]
    return Application(apply, node.op, operands, node.attrs, made, wanted)


def known_number(node: Node) -> dict[Value, Any]:
    """Return the number that a node is a constant of, by its value."""
    held = node.attrs["value"] if node.op is constant else None
    return {node.result: held} if isinstance(held, int | float | complex) else {}


class Sums:
    """What cotangents have been found so far of the values of a graph.

    Args:
        builder: where they are added.
        known: the numbers that some values are; more are entered.
    """

    def __init__(self, builder: Builder, known: dict[Value, Any]) -> None:
        self._builder = builder
        self._known = known
        self._parts: dict[Value, list[Value | Addend]] = {}

    def add(self, value: Value, part: Any, entry: Entry | None = None) -> None:
        """Add a part of the cotangent of a value, as a rule gives it; None and 0 add nothing.

        Args:
            value: whose it is.
            part: a value, or what a rule gave.
            entry: where it comes from. The value may have been broadcast there, so that the part is
                added up.
        """
        if part is None or (isinstance(part, int | float | complex) and part == 0):
            return
        broadcasts = entry is not None and entry.rule is not None and entry.rule.broadcasts
        if entry is not None and entry.space is not None:
            part = repeated(part, value.spec.shape, entry.space)
        one: Value | Addend
        if isinstance(part, Addend):
            one = part if entry is None else placed(part, entry)
        elif broadcasts:
            one = fitted(self._builder, part, value)
        else:
            found = part if isinstance(part, Value) else as_value(self._builder, part)
            one = converted(self._builder, found, value.spec)
        if isinstance(part, int | float | complex) and isinstance(one, Value):
            self._known[one] = part
        self._parts.setdefault(value, []).append(one)

    def hand_on(self, value: Value, other: Value) -> None:
        """Let what was found of the cotangent of a value be of another one, which is the same."""
        self._parts.setdefault(other, []).extend(self._parts.pop(value, []))

    def so_far(self, value: Value) -> Value | None:
        """Take what was found so far of the cotangent of an array; None if there is none."""
        return None if value.spec.rank == 0 else self.take(value)

    def take(self, value: Value, is_whole: bool = True) -> Value | None:
        """Return the cotangent of a value; None when it is zero.

        Args:
            value: whose it is.
            is_whole: whether it has the shape of the value, or may be broadcast to that.
        """
        parts = self._parts.pop(value, [])
        if not parts:
            return None
        builder = self._builder
        with building(builder):
            wholes = [Symbol(builder, x) for x in parts if not isinstance(x, Addend)]
            addends = with_holes_filled([x for x in parts if isinstance(x, Addend)])
            found: Any = functools.reduce(operator.add, wholes) if wholes else None
            if found is None:
                found, addends = joined_parts(value.spec.shape, addends)
            before: list[Addend] | None = [] if found is None else None
            for part in addends:
                whole = None if found is None else self._whole(found, value)
                if whole is None:
                    found = part.alone()
                elif part.into is not None and before is not None and part.is_apart(before):
                    found = part.into(whole)
                else:
                    found = part.onto(whole)
                before = None if before is None else [*before, part]
            made = converted(builder, as_value(builder, found), value.spec)
        return known_shape(builder, spread(builder, made, value), value) if is_whole else made

    def _whole(self, found: Any, value: Value) -> Symbol:
        builder = self._builder
        return Symbol(builder, spread(builder, as_value(builder, found), value))


def write_region(builder: Builder, region: Graph, given: Sequence[Value]) -> list[Value]:
    """Write a graph once more into a builder; return its results."""
    builder.reserve(region)
    env = dict(zip(region.params, map(builder.resolve, given), strict=True))
    for node in region.nodes:
        inputs = [env[x] for x in node.inputs]
        made = builder.copy(node, inputs, [copied_region(x) for x in node.regions])
        env.update(zip(node.results, made, strict=True))
    return [env[x] for x in region.results]


def placed(one: Addend, entry: Entry) -> Addend:
    """Return a cotangent with what tells its places apart, if only the graph knows them."""
    if one.at is not None or (one.of is None and one.filled is None):
        return one
    places = entry.inputs[1 if one.filled is None else 2 :]
    return replace(one, at=(entry.node.attrs["key"], *places))


def with_holes_filled(addends: Sequence[Addend]) -> list[Addend]:
    """Return cotangents with the same sum, of which no two have elements at the same places only.

    One that lacks the elements of some places comes first, with those that others have there.
    """
    found: dict[Any, Addend] = {}
    for number, one in enumerate(addends):
        key = number if one.of is None or one.at is None else one.at
        known = found.get(key)
        if known is None or known.of is None:
            found[key] = one
        else:
            found[key] = replace(known.of(known.part + one.part), at=one.at)
    holes = [x for x in found.values() if x.filled is not None and x.at in found]
    if len(holes) != 1:
        return [*found.values()]
    (hole,), fills = holes, found[holes[0].at]
    assert hole.filled is not None
    whole = hole.filled(fills.part)
    rest = [x for x in found.values() if x is not fills and x is not hole]
    return [Addend(lambda: whole, lambda total: total + whole), *rest]


def joined_parts(shape: Shape | None, addends: Sequence[Addend]) -> tuple[Any, list[Addend]]:
    """Return an array of parts that are its rows, in their order, and all other parts.

    The array is None if there are no such parts.
    """
    size = shape[0] if shape else None
    parts = [(x, x.at[0]) for x in addends if x.of is not None and x.at and len(x.at) == 1]
    rows = [(own, x) for x, own in parts if isinstance(own, range) and own.step == 1 and own]
    ways = {0: list[Addend]()}
    for own, x in sorted(rows, key=lambda row: row[0].start):
        if own.start in ways:
            ways.setdefault(own.stop, [*ways[own.start], x])
    chosen = ways.get(size, []) if isinstance(size, int) else []
    if len(chosen) < 2:
        return None, [*addends]
    whole = np.concatenate([x.part for x in chosen])
    return whole, [x for x in addends if not any(x is y for y in chosen)]
