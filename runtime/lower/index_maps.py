"""Nodes that kernels have as ways to read an argument: rolls, rows at places, numbers of a key.

Comes in: nodes. Goes out: how the argument enters the kernel, if they are such nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from runtime.graph.node import Node, Value
from runtime.graph.traits import Subscript
from runtime.kernels.kernel import FLOAT, INT, ArrayType, Literal, Operand, Policy, Port
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.lowering import Lowering
from runtime.ops.indexing import gather, take
from runtime.ops.joining import roll
from runtime.ops.keys import is_first_axis
from runtime.ops.random_ops import random_real_of_key

LARGEST_SHIFT = 2**31
NUMBERS = frozenset(
    np.dtype(name).name
    for name in (*(f"{sign}int{8 * n}" for sign in ("", "u") for n in (1, 2, 4, 8)), *"?fd")
)
"""The names of the dtypes that kernels over arrays have."""


Literals: TypeAlias = Mapping[Value, Literal]


@dataclass(frozen=True, slots=True)
class Reading:
    """A way to read an argument.

    Args:
        port: how it enters, given how it does by itself, and the places of the arguments.
        is_only: whether whoever reads it so reads nothing else of these arguments.
        of_read: makes of what is read what the node gives; None where that is the same.
        pays: whether a kernel of nothing else does better than NumPy's calls.
    """

    port: Callable[[Port, Sequence[int]], Port]
    is_only: bool
    of_read: Callable[[Scalars, Operand], Operand] | None = None
    pays: bool = False


READINGS: Lowering[Callable[[Node, Literals], Reading | None]] = Lowering()
"""Ops that are ways to read an argument; None where they are no such thing."""


def reading(node: Node, literals: Literals) -> Reading | None:
    """Return how a node reads elements of an array elsewhere, if that is all that it does.

    Args:
        node: any node.
        literals: known numbers.
    """
    rule = READINGS.rule(node.op)
    return None if rule is None else rule(node, literals)


@READINGS.lowers(roll)
def _rolled(node: Node, literals: Literals) -> Reading | None:
    """Elements are moved by a known number along one axis."""
    spec, axis = node.result.spec, node.attrs["axis"]
    shift = literals.get(node.inputs[1])
    known = isinstance(axis, int) or (axis is None and spec.rank == 1)
    if not known or shift is None or not spec.rank or spec.dtype.name not in NUMBERS:
        return None
    if abs(shift.value) >= LARGEST_SHIFT:
        return None
    shifts = [0] * spec.rank
    shifts[axis or 0] = int(shift.value)
    return Reading(lambda own, places: Port(own.type, shifts=tuple(shifts)), is_only=False)


@READINGS.lowers(gather, take)
def _taken(node: Node, literals: Literals) -> Reading | None:
    """Elements, or parts along the first axis, are taken at places in an array."""
    if not takes_first_axis(node):
        return None
    table, places = (x.spec for x in node.inputs)
    shape = node.result.spec.shape
    if not table.shape or not places.shape or not shape or 1 in shape or 0 in shape:
        return None
    if places.dtype != INT or table.dtype.name not in NUMBERS or table.weak:
        return None
    kind = ArrayType(node.result.spec.dtype, (None,) * len(table.shape))
    return Reading(lambda own, places: Port(kind, places=places[1]), is_only=True)


def takes_first_axis(node: Node) -> bool:
    """Tell whether a node takes what is at places on the first axis, and raises beyond its ends."""
    if node.op.subscript is Subscript.GATHER:
        return is_first_axis(node.attrs["key"])
    axis, rank = node.attrs["axis"], node.inputs[0].spec.rank
    return node.attrs["mode"] == "raise" and (axis == 0 or (axis is None and rank == 1))


@READINGS.lowers(random_real_of_key)
def _drawn(node: Node, literals: Literals) -> Reading | None:
    """Random numbers are made of a key, uniform between known bounds."""
    shape, dtype, bounds = node.result.spec.shape, node.result.spec.dtype, node.inputs[1:]
    if node.attrs["kind"] != "uniform" or not shape or not all(x in literals for x in bounds):
        return None
    sizes = tuple(n for n in shape if isinstance(n, int) and n > 1)
    if len(sizes) < len(shape) or dtype.name not in NUMBERS:
        return None
    low, high = (float(literals[x].value) for x in bounds)
    if low > high or not math.isfinite(high - low):
        return None
    port = Port(ArrayType(FLOAT, (None,) * len(sizes)), drawn=sizes)

    def between(s: Scalars, x: Operand) -> Operand:
        """Return a random number from 0 to 1 as one between two others, as NumPy computes it."""
        s.policy = Policy.ELEMENT
        found = s.add(s.literal(low, FLOAT), s.multiply(s.literal(high - low, FLOAT), x))
        return s.cast(found, dtype)

    return Reading(lambda own, places: port, is_only=True, of_read=between, pays=True)
