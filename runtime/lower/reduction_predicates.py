"""What all elements of an array say together, while a kernel sees one of them at a time.

Comes in: reductions of whole arrays, and what is made of them. Goes out: what each element says,
and how that is put together. A test "greatest element above a number" is "any element above it".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from runtime.graph.node import Node
from runtime.kernels.kernel import BOOL, Literal, Operand, UnsupportedError, kind_of
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.elementwise_kernels import write_element
from runtime.lower.lowering import Lowering
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


Answer = Callable[[Scalars, Node, list[Found], int], Asked | None]
ANSWERS: Lowering[Answer] = Lowering()
"""What ops make of what all elements say, which is the operand at a place; None for no answer."""


def answer(s: Scalars, node: Node, given: list[Found]) -> Asked:
    """Write an op on what all elements say."""
    place = next(k for k, x in enumerate(given) if isinstance(x, Asked))
    rule = ANSWERS.rule(node.op)
    found = None if rule is None else rule(s, node, given, place)
    if found is None:
        raise UnsupportedError(f"{node.op.name} of a reduction of whole arrays")
    return found


@ANSWERS.lowers(truth, cast)
def _itself(s: Scalars, node: Node, given: list[Found], place: int) -> Asked | None:
    asked = _asked(given, place)
    if node.result.spec.dtype != BOOL or asked.kind not in ("any", "all", "count"):
        return None
    return Asked("any", asked.element) if asked.kind == "count" else asked


@ANSWERS.lowers(not_, logical_not, invert)
def _opposite(s: Scalars, node: Node, given: list[Found], place: int) -> Asked | None:
    asked = _asked(given, place)
    if node.result.spec.dtype != BOOL or asked.uniform != TRUE:
        return None
    if asked.kind == "count":
        return Asked("all", s.not_(asked.element))
    kind = _OTHER.get(asked.kind)
    return Asked(kind, s.not_(asked.element), denied=asked.element) if kind else None


def _equality(is_equal: bool) -> Answer:
    """Return the rule of a test whether a number of elements is one."""

    def rule(s: Scalars, node: Node, given: list[Found], place: int) -> Asked | None:
        return _counted(s, _asked(given, place), given, not is_equal)

    return rule


def _order(is_above: bool, is_strict: bool) -> Answer:
    """Return the rule of a comparison: "is it above" is true of any element, or of all."""

    def rule(s: Scalars, node: Node, given: list[Found], place: int) -> Asked | None:
        asked, asks_above = _asked(given, place), is_above is (place == 0)
        if asked.kind == "count":
            return _counted(s, asked, given, asks_above) if asks_above is is_strict else None
        if asked.kind in _OTHER:
            return None
        kind = "any" if asks_above is (asked.kind == "max") else "all"
        own = asked.element
        if kind == "any" and kind_of(own).kind == "f":  # NaN is the extreme then, and above nothing
            s.stop_if(s.not_equal(own, own))
        operands = [own if k == place else alone(x) for k, x in enumerate(given)]
        types = [x.spec.promotable for x in node.inputs]
        return Asked(kind, write_element(s, node.op, operands, types, BOOL, node.attrs))

    return rule


ANSWERS.lowers(equal)(_equality(True))
ANSWERS.lowers(not_equal)(_equality(False))
ANSWERS.lowers(greater)(_order(True, True))
ANSWERS.lowers(greater_equal)(_order(True, False))
ANSWERS.lowers(less)(_order(False, True))
ANSWERS.lowers(less_equal)(_order(False, False))


def _asked(given: list[Found], place: int) -> Asked:
    asked = given[place]
    assert isinstance(asked, Asked)
    return asked


def _counted(s: Scalars, asked: Asked, given: list[Found], is_any: bool) -> Asked | None:
    """Return the question whether there are true elements, or none, compared with zero."""
    others = [x for x in given if x is not asked]
    if asked.kind != "count" or not all(isinstance(x, Literal) and x.value == 0 for x in others):
        return None
    return Asked("any", asked.element) if is_any else Asked("all", s.not_(asked.element))
