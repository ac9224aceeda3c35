"""Rules of batching: how ops work on many operands at once.

A rule is `(b, *operands, **attrs) -> result`: of an operand that is batched, the first axis of the
value counts the elements; all others are the same for each element. The result is batched. A rule
gives None where it does not know how: then the op runs for one element after the other, which is
right for every op. What a rule emits are ops with rules, so that batches of batches need no more.

A Python number that differs from element to element is an array of NumPy's numbers of 64 bits; it
is converted to the dtype that NEP 50 gives a Python number among the other operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol, TypeAlias

import numpy as np

from runtime.dtypes import DType, loop_dtypes, promote
from runtime.graph.node import Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.traits import Rule
from runtime.spec import Dim, TensorSpec

Result: TypeAlias = Value | tuple[Value, ...] | None
Axis: TypeAlias = int | tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Operand:
    """A value as the batch has it.

    Args:
        value: of the graph; its first axis counts the elements if it is batched.
        spec: what an element is.
        is_batched: whether elements differ.
    """

    value: Value
    spec: TensorSpec
    is_batched: bool

    @property
    def rank(self) -> int:
        """The number of axes of an element, which is known."""
        assert self.spec.shape is not None
        return len(self.spec.shape)

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The shape of an element; None where it is not known."""
        shape = self.spec.shape
        known = shape is not None and self.spec.is_static
        return tuple(n for n in shape or () if isinstance(n, int)) if known else None


class Batch(Protocol):
    """What a rule may ask of the graph that is being built."""

    @property
    def node(self) -> Node:
        """The node whose rule is asked."""

    @property
    def size(self) -> int | Dim:
        """How many elements there are."""

    @property
    def count(self) -> Value:
        """The same as a Python integer of the graph."""

    def emit(self, op: OpDef, *inputs: Value, **attrs: Any) -> Value:
        """Apply an op with one result."""

    def emit_all(self, op: OpDef, *inputs: Value, **attrs: Any) -> tuple[Value, ...]:
        """Apply an op."""

    def constant(self, value: Any) -> Value:
        """Return a value that is known."""

    def raised(self, x: Operand, rank: int) -> Value:
        """Return a value whose elements have so many axes: those that are missing are of size 1."""

    def spread(self, x: Operand) -> Value:
        """Return a value that is batched, whether elements differ or not."""

    def cast(self, value: Value, dtype: DType) -> Value:
        """Return a value in another dtype."""

    def shaped(self, value: Value, sizes: tuple[int, ...]) -> Value:
        """Return a batched value with other sizes of its elements."""

    def rows(self, value: Value, count: int, size: int) -> Value:
        """Return the elements of all as so many rows of a size."""

    def moved(self, value: Value, source: Axis, destination: Axis) -> Value:
        """Return a value with axes in other places."""

    def numbers(self, rank: int) -> Value:
        """Return the numbers of the elements, as an array with so many axes more."""

    def live(self, x: Operand, number: int) -> Operand:
        """Return an operand with a number in the place of elements that take no part."""

    def check(self, test: Operand, values: Sequence[Operand], **attrs: Any) -> None:
        """Apply an op that raises for the first element, of those that take part, that fails."""


@dataclass(frozen=True, slots=True)
class OfShape:
    """The rule of what is asked of an array's shape, which all elements share.

    Args:
        rule: gives a value that is not batched.
    """

    rule: Rule

    def __call__(self, b: Batch, *operands: Operand, **attrs: Any) -> Result:
        """Return the result for all elements."""
        return self.rule(b, *operands, **attrs)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class AtPlaces:
    """The rule of what reads or writes places, which may not be there.

    Args:
        first: the first operand that says where.
        rule: what is done.
    """

    first: int
    rule: Rule

    def __call__(self, b: Batch, *operands: Operand, **attrs: Any) -> Result:
        """Return the result; elements that take no part are at places that are there."""
        live = [b.live(x, 0) for x in operands[self.first :]]
        return self.rule(b, *operands[: self.first], *live, **attrs)  # type: ignore[no-any-return]

    def is_there(self, specs: Sequence[TensorSpec]) -> bool:
        """Tell whether the first place of each axis is there, for numbers that say where."""
        is_full = specs[0].is_static and 0 not in (specs[0].shape or ())
        return is_full and all(x.dtype.kind in "iu" for x in specs[self.first :])


def holds(b: Batch, test: Operand, *values: Operand, **attrs: Any) -> Result:
    """What raises unless a test is true: it has to be for all elements that take part."""
    b.check(test, values, **attrs)
    return ()


def known_ranks(operands: Sequence[Operand]) -> bool:
    """Tell whether the number of axes of each operand is known."""
    return all(x.spec.shape is not None for x in operands)


def as_numbers(b: Batch, x: Operand, dtype: DType) -> Operand:
    """Return an operand whose Python numbers, if they differ, are those of a dtype."""
    if not (x.is_batched and x.spec.weak) or x.value.spec.dtype == dtype:
        return x
    return Operand(b.cast(x.value, dtype), x.spec, True)


def _loop_dtypes(b: Batch, operands: Sequence[Operand]) -> tuple[DType, ...]:
    """Return the dtypes that elements are computed in."""
    kinds = [x.spec.promotable for x in operands]
    result = b.node.results[0].spec
    if b.node.op.ufunc is None:
        return (promote(*kinds),) * len(operands)
    if result.weak and result.dtype.kind == "i":  # Python's True + True is 2
        kinds = [int if kind is bool else kind for kind in kinds]
    return loop_dtypes(b.node.op.ufunc, *kinds)


def _wide(x: Operand, dtype: DType) -> DType:
    """Return the dtype that holds a Python integer, where NumPy compares it as it is."""
    is_number = x.spec.weak and x.spec.dtype.kind == "i" and dtype.kind in "iu"
    return x.spec.dtype if is_number and dtype.itemsize < 8 else dtype


def elementwise(b: Batch, *operands: Operand, **attrs: Any) -> Result:
    """Ops that compute element by element: axes are counted from the last one."""
    if not known_ranks(operands):
        return None
    dtypes = _loop_dtypes(b, operands)
    if b.node.results[0].spec.dtype.kind == "b":  # integers of Python's are compared exactly
        dtypes = tuple(_wide(x, dtype) for x, dtype in zip(operands, dtypes, strict=False))
        if any(x.is_batched and x.spec.weak for x in operands) and np.dtype(np.uint64) in dtypes:
            return None
    given = [as_numbers(b, x, dtype) for x, dtype in zip(operands, dtypes, strict=False)]
    rank = max(x.rank for x in operands)
    return b.emit_all(b.node.op, *(b.raised(x, rank) for x in given), **attrs)


def choice(b: Batch, condition: Operand, *operands: Operand) -> Result:
    """What chooses between two by a condition."""
    if not known_ranks((condition, *operands)):
        return None
    dtype = b.node.result.spec.dtype
    given = [condition, *(as_numbers(b, x, dtype) for x in operands)]
    rank = max(x.rank for x in given)
    return b.emit(b.node.op, *(b.raised(x, rank) for x in given))


def one_number(then: Callable[[Batch, Value], Value]) -> Rule:
    """Return the rule of ops that make a Python number of an array of one element."""

    def rule(b: Batch, x: Operand) -> Result:
        if x.spec.shape is None:
            return None
        return then(b, b.shaped(x.value, ()) if x.rank else x.value)

    return rule


def to_dtype(name: str | None = None) -> Rule:
    """Return the rule of ops that make a Python number: an array of 64 bits where they differ.

    Args:
        name: of the dtype; that of the result if there is none.
    """

    def then(b: Batch, x: Value) -> Value:
        return b.cast(x, np.dtype(name) if name else b.node.result.spec.dtype)

    return one_number(then)


def same(b: Batch, x: Operand, **attrs: Any) -> Result:
    """Ops that take an array of any shape."""
    return b.emit_all(b.node.op, x.value, **attrs)


def flat(b: Batch, x: Operand) -> Operand | None:
    """Return an operand with its elements as rows; None where their sizes are not known."""
    if x.sizes is None:
        return None
    return Operand(b.shaped(x.value, (prod(x.sizes),)), x.spec.with_shape((prod(x.sizes),)), True)


def shifted(axis: Axis, rank: int) -> Axis:
    """Return axes of an element as those of a batch.

    >>> shifted((0, -1), 3), shifted(None, 2)
    ((1, 3), (1, 2))
    """
    if axis is None:
        return tuple(range(1, rank + 1))
    return axis % rank + 1 if isinstance(axis, int) else tuple(k % rank + 1 for k in axis)


def along(*names: str) -> Rule:
    """Return the rule of ops of one array along axes, which attributes say."""

    def rule(b: Batch, x: Operand, **attrs: Any) -> Result:
        if x.spec.shape is None:
            return None
        moved = {name: shifted(attrs[name], x.rank) for name in names}
        return b.emit_all(b.node.op, x.value, **(attrs | moved))

    return rule


def along_rows(b: Batch, x: Operand, **attrs: Any) -> Result:
    """Ops along the attribute `axis`, or of the elements as one row where that is None."""
    if attrs["axis"] is None:
        rows = flat(b, x)
        return None if rows is None else b.emit_all(b.node.op, rows.value, **(attrs | {"axis": 1}))
    found: Result = along("axis")(b, x, **attrs)
    return found


def over_axes(b: Batch, x: Operand, *others: Operand, **attrs: Any) -> Result:
    """Reductions; NumPy adds all elements of an array as one row."""
    if x.spec.shape is None or any(one.is_batched or one.spec.rank for one in others):
        return None
    given = [one.value for one in others]
    if attrs["axis"] is not None:
        return b.emit(
            b.node.op, x.value, *given, **(attrs | {"axis": shifted(attrs["axis"], x.rank)})
        )
    rows = flat(b, x)
    if rows is None:
        return None
    found = b.emit(b.node.op, rows.value, *given, **(attrs | {"axis": 1, "keepdims": False}))
    return b.shaped(found, (1,) * x.rank) if attrs["keepdims"] else found


def reshaped(b: Batch, x: Operand, *others: Operand, **attrs: Any) -> Result:
    """Ops that give the elements another shape, which is known."""
    spec = b.node.result.spec
    if not x.is_batched or not spec.is_static or any(one.is_batched for one in others):
        return None
    sizes = tuple(n for n in spec.shape or () if isinstance(n, int))
    return b.shaped(x.value, sizes)


def joined(b: Batch, *operands: Operand, axis: int | None, **attrs: Any) -> Result:
    """Ops that join arrays along an axis."""
    rank = b.node.result.spec.rank
    if axis is None or rank is None:
        return None
    moved = shifted(axis, rank)
    return b.emit(b.node.op, *map(b.spread, operands), axis=moved, **attrs)


def matrices(b: Batch, *operands: Operand, **attrs: Any) -> Result:
    """Ops of stacks of matrices."""
    if not known_ranks(operands):
        return None
    rank = max(x.rank for x in operands)
    return b.emit_all(b.node.op, *(b.raised(x, rank) for x in operands), **attrs)


def solution(b: Batch, x: Operand, y: Operand) -> Result:
    """Systems of linear equations: a vector on the right-hand side is a matrix of one column."""
    if not known_ranks((x, y)) or y.sizes is None:
        return None
    if y.rank > 1:
        return matrices(b, x, y)
    column = b.shaped(b.spread(y), (*y.sizes, 1))
    found = b.emit(b.node.op, b.raised(x, x.rank), column)
    return b.shaped(found, y.sizes) if x.rank == 2 else None


def product(b: Batch, x: Operand, y: Operand, op: OpDef | None = None) -> Result:
    """Products of matrices, rows and columns."""
    if x.sizes is None or y.sizes is None or not x.rank or not y.rank:
        return None
    if x.is_batched and not y.is_batched and y.rank == 2:
        return _rows_by_matrix(b, op or b.node.op, x, y)
    if y.is_batched and not x.is_batched and (x.rank, y.rank) == (2, 1):
        return b.emit(op or b.node.op, y.value, b.moved(x.value, 0, 1))
    row = x if x.rank > 1 else _row(b, x)
    column = y if y.rank > 1 else _column(b, y)
    rank = max(row.rank, column.rank)
    found = b.emit(op or b.node.op, b.raised(row, rank), b.raised(column, rank))
    result = b.node.result.spec
    sizes = tuple(n for n in result.shape or () if isinstance(n, int))
    return found if x.rank > 1 and y.rank > 1 else b.shaped(found, sizes)


def _rows_by_matrix(b: Batch, op: OpDef, x: Operand, y: Operand) -> Result:
    """Multiply by a matrix that is the same for all elements: their rows are one matrix."""
    *outer, inner = x.sizes or (0,)
    if not outer or not isinstance(b.size, int):
        return b.emit(op, x.value, y.value)
    rows = b.emit(op, b.rows(x.value, b.size * prod(outer), inner), y.value)
    assert y.sizes is not None
    return b.shaped(rows, (*outer, y.sizes[1]))


def _row(b: Batch, x: Operand) -> Operand:
    (n,) = x.sizes or (0,)
    return Operand(b.shaped(b.spread(x), (1, n)), x.spec.with_shape((1, n)), True)


def _column(b: Batch, x: Operand) -> Operand:
    (n,) = x.sizes or (0,)
    return Operand(b.shaped(b.spread(x), (n, 1)), x.spec.with_shape((n, 1)), True)


def norm_of_each(b: Batch, x: Operand, **attrs: Any) -> Result:
    """Norms: of a vector along one axis, of a matrix along two."""
    axis = attrs["axis"]
    if x.spec.shape is None:
        return None
    if axis is None and (x.rank > 2 or attrs["ord"] is None):
        rows = None if attrs["keepdims"] or attrs["ord"] else flat(b, x)
        return None if rows is None else b.emit(b.node.op, rows.value, **(attrs | {"axis": 1}))
    axes = shifted(axis, x.rank)
    one = axes[0] if isinstance(axes, tuple) and len(axes) == 1 else axes
    return b.emit(b.node.op, x.value, **(attrs | {"axis": one}))
