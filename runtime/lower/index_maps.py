"""Nodes that kernels have as ways to read an argument: rolls, rows at places, numbers of a key.

Comes in: nodes. Goes out: whether they are such nodes, and how the argument enters the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from runtime.dtypes import DType
from runtime.graph.node import Node, Value
from runtime.kernels.kernel import FLOAT, INT, ArrayType, Literal, Port
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


def is_read_elsewhere(node: Node, literals: Mapping[Value, Literal]) -> bool:
    """Tell whether a node only reads elements of an array at other places than its own."""
    return _is_roll(node, literals) or is_taken(node) or is_drawn(node, literals)


def _is_roll(node: Node, literals: Mapping[Value, Literal]) -> bool:
    """Tell whether a node moves elements by a known number along one axis."""
    if node.op is not roll:
        return False
    spec, axis = node.result.spec, node.attrs["axis"]
    shift = literals.get(node.inputs[1])
    known = isinstance(axis, int) or (axis is None and spec.rank == 1)
    if not known or shift is None or not spec.rank or spec.dtype.name not in NUMBERS:
        return False
    return bool(abs(shift.value) < LARGEST_SHIFT)


def rolled(node: Node, port: Port, shift: int) -> Port:
    """Return how an array enters whose elements are moved along an axis."""
    rank = node.result.spec.rank
    assert rank is not None
    axis = 0 if node.attrs["axis"] is None else node.attrs["axis"]
    shifts = [0] * rank
    shifts[axis] = int(shift)
    return Port(port.type, shifts=tuple(shifts))


def is_taken(node: Node) -> bool:
    """Tell whether a node takes elements, or parts along the first axis, at places in an array."""
    if not takes_first_axis(node):
        return False
    table, places = (x.spec for x in node.inputs)
    shape = node.result.spec.shape
    if not table.shape or not places.shape or not shape or 1 in shape or 0 in shape:
        return False
    return places.dtype == INT and table.dtype.name in NUMBERS and not table.weak


def takes_first_axis(node: Node) -> bool:
    """Tell whether a node reads at places on the first axis, and raises beyond its ends."""
    if node.op is gather:
        return is_first_axis(node.attrs["key"])
    if node.op is not take or node.attrs["mode"] != "raise":
        return False
    axis, rank = node.attrs["axis"], node.inputs[0].spec.rank
    return bool(axis == 0 or (axis is None and rank == 1))


def taken(node: Node, places: int) -> Port:
    """Return how a table enters that is read at the places in an argument."""
    dtype: DType = node.result.spec.dtype
    return Port(ArrayType(dtype, (None,) * len(node.inputs[0].spec.shape or ())), places=places)


def is_drawn(node: Node, literals: Mapping[Value, Literal]) -> bool:
    """Tell whether a node makes random numbers of a key, uniform between known bounds."""
    if node.op is not random_real_of_key or node.attrs["kind"] != "uniform":
        return False
    shape, dtype, bounds = node.result.spec.shape, node.result.spec.dtype, node.inputs[1:]
    if not shape or not all(isinstance(n, int) and n > 1 for n in shape):
        return False
    if dtype.name not in NUMBERS or not all(x in literals for x in bounds):
        return False
    low, high = (float(literals[x].value) for x in bounds)
    return low <= high and math.isfinite(high - low)


def drawn(node: Node) -> Port:
    """Return how a key enters of which random floats in [0, 1) are made."""
    shape = tuple(n for n in node.result.spec.shape or () if isinstance(n, int))
    return Port(ArrayType(FLOAT, (None,) * len(shape)), drawn=shape)
