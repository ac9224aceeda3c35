"""What all elements of an array say together, while a kernel sees one of them at a time.

Comes in: reductions of whole arrays, and what is made of them. Goes out: what each element says,
and how that is put together. A test "greatest element above a number" is "any element above it".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from runtime.graph.node import Node
from runtime.kernels.kernel import BOOL, Literal, Operand, UnsupportedError, kind_of
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.elementwise_kernels import write_element
from runtime.ops.elementwise import (
    cast,
    equal,
    greater,
    greater_equal,
    invert,
    less,
    less_equal,
    not_,
    not_equal,
    truth,
)
from runtime.ops.spec_rules import normal_axes
from runtime.ops.ufuncs import logical_not

TRUE, FALSE = Literal(BOOL, True), Literal(BOOL, False)
_OTHER = {"any": "all", "all": "any"}
_ABOVE, _BELOW = (greater, greater_equal), (less, less_equal)


@dataclass(frozen=True, slots=True)
class Asked:
    """What all elements together say.

    Args:
        kind: `any` or `all` of truth values, the `count` of true ones, `max` or `min` of numbers.
        element: what each says.
        uniform: what has to be true besides.
        denied: what each says the opposite of, if it is that.
    """

    kind: str
    element: Operand
    uniform: Operand = TRUE
    denied: Operand | None = None


Found = Operand | Asked


def alone(x: Found) -> Operand:
    """Return what is known of one element."""
    if isinstance(x, Asked):
        raise UnsupportedError("a reduction of whole arrays")
    return x


def reduced(s: Scalars, node: Node, x: Operand) -> Asked:
    """Return what a reduction of a whole array says."""
    rank = node.inputs[0].spec.rank or 0
    axes = normal_axes(node.attrs["axis"], rank)
    if node.attrs["keepdims"] or len(axes) != rank or not rank:
        raise UnsupportedError(f"{node.op.name} over some axes")
    kind = "" if node.op.reduction is None else node.op.reduction.kind
    if kind not in ("any", "all", "max", "min", "count", "sum"):
        raise UnsupportedError(f"{node.op.name} over whole arrays")
    if kind == "sum":
        if node.inputs[0].spec.dtype != BOOL or node.attrs.get("dtype"):
            raise UnsupportedError("a sum over whole arrays")
        kind = "count"
    return Asked(kind, x if kind in ("max", "min") else s.truth(x))


def also(s: Scalars, asked: Asked, test: Operand) -> Asked:
    """Return what elements say where a test is true, too."""
    if asked.kind not in _OTHER:
        raise UnsupportedError("a condition that is a number")
    test = s.truth(test)
    return replace(asked, uniform=test if asked.uniform == TRUE else s.both(asked.uniform, test))


def answer(s: Scalars, node: Node, given: list[Found]) -> Asked:
    """Write an op on what all elements say."""
    place = next(k for k, x in enumerate(given) if isinstance(x, Asked))
    asked = given[place]
    assert isinstance(asked, Asked)
    if asked.kind in _OTHER and len(given) == 1:
        if node.op is truth or (node.op is cast and node.result.spec.dtype == BOOL):
            return asked
        if node.op in (not_, logical_not, invert) and asked.uniform == TRUE:
            opposite = s.not_(asked.element)
            return Asked(_OTHER[asked.kind], opposite, denied=asked.element)
    if asked.kind == "count":
        return _counted(s, node, asked, [*given])
    is_above = node.op in (_ABOVE, _BELOW)[place % 2]
    if not (is_above or node.op in (_BELOW, _ABOVE)[place % 2]) or asked.kind in _OTHER:
        raise UnsupportedError(f"{node.op.name} of a reduction of whole arrays")
    kind = "any" if is_above is (asked.kind == "max") else "all"
    own = asked.element
    if kind == "any" and kind_of(own).kind == "f":  # NaN is the extreme then, and above nothing
        s.stop_if(s.not_equal(own, own))
    operands = [own if k == place else alone(x) for k, x in enumerate(given)]
    types = [x.spec.promotable for x in node.inputs]
    return Asked(kind, write_element(s, node.op, operands, types, BOOL, node.attrs))


def _counted(s: Scalars, node: Node, asked: Asked, given: list[Found]) -> Asked:
    """Write the question whether there are true elements."""
    others = [x for x in given if not isinstance(x, Asked)]
    is_zero = all(isinstance(x, Literal) and x.value == 0 for x in others)
    place = given.index(asked)
    if node.op is truth or (is_zero and node.op in (not_equal, (greater, less)[place])):
        return Asked("any", asked.element)
    if node.op is not_ or (is_zero and node.op in (equal, (less_equal, greater_equal)[place])):
        return Asked("all", s.not_(asked.element))
    raise UnsupportedError(f"{node.op.name} of a number of elements")
