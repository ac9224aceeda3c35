"""`tf.RaggedTensor`: rows of several lengths, as the values of all rows and where each begins.

Comes in: values (a tensor, or again rows of several lengths) and `row_splits`, `i64[rows + 1]`: row
`k` is `values[row_splits[k]:row_splits[k + 1]]`. Both are plain tensors, so that one in a staged
function is two values of the graph. What functions do with it is told in `ragged_functions`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf import elementwise, segments, shaping
from autograph.tf.composite import composite
from autograph.tf.debugging import need
from autograph.tf.dtype import as_dtype
from autograph.tf.errors import translating
from autograph.tf.shapes import TensorShape
from autograph.tf.sparse_tensor import sparse_of
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.tensor import Tensor, is_staged
from runtime.tree_classes import register_tree


class RaggedTensor:
    """Rows of several lengths. They are made by `from_row_splits` and the like, or `tf.ragged`.

    >>> RaggedTensor.from_row_lengths([3, 1, 4, 1], [2, 0, 2])
    <tf.RaggedTensor [[3, 1], [], [4, 1]]>
    """

    __slots__ = ("row_splits", "values")
    instead = "x.to_tensor() makes a tensor of it, with rows of one length"

    def __init__(self, values: Any, row_splits: Any) -> None:
        self.values = values
        self.row_splits = row_splits

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return as_dtype(self.flat_values.spec.dtype)

    @property
    def flat_values(self) -> Any:
        """The values of all rows of rows, as a tensor."""
        return self.values.flat_values if isinstance(self.values, RaggedTensor) else self.values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of each axis of rows, the outermost first."""
        inner = self.values.nested_row_splits if isinstance(self.values, RaggedTensor) else ()
        return (self.row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of axes with rows of several lengths."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> Any:
        """The sizes, with None for the lengths of rows."""
        count = self.row_splits.spec.shape[0]
        return TensorShape(
            [count - 1 if isinstance(count, int) else None, None, *self.values.shape[1:]]
        )

    def get_shape(self) -> Any:
        """Return the shape."""
        return self.shape

    def nrows(self, out_type: Any = np.int64, name: Any = None) -> Any:
        """Return the number of rows."""
        return as_result(rnp.asarray(row_count(self), dtype=out_type))

    def row_starts(self, name: Any = None) -> Any:
        """Return where each row begins."""
        return as_result(self.row_splits[:-1])

    def row_limits(self, name: Any = None) -> Any:
        """Return where each row ends."""
        return as_result(self.row_splits[1:])

    def row_lengths(self, axis: int = 1, name: Any = None) -> Any:
        """Return the length of each row; along a further axis, those of the rows in each row."""
        if axis > 1:
            return self.with_values(self.values.row_lengths(axis - 1))
        return as_result(rnp.subtract(self.row_splits[1:], self.row_splits[:-1]))

    def nested_row_lengths(self, name: Any = None) -> tuple[Any, ...]:
        """Return the lengths of the rows of each axis, the outermost first."""
        inner = self.values.nested_row_lengths() if isinstance(self.values, RaggedTensor) else ()
        return (self.row_lengths(), *inner)

    def value_rowids(self, name: Any = None) -> Any:
        """Return the row of each value."""
        return as_result(rnp.repeat(rnp.arange(row_count(self)), self.row_lengths()))

    def bounding_shape(
        self, axis: int | None = None, name: Any = None, out_type: Any = None
    ) -> Any:
        """Return the sizes that a tensor of rows of one length would have, or one of them."""
        sizes = [row_count(self), rnp.max(self.row_lengths(), initial=0)]
        inner: Any = rnp.shape(self.values)[1:]
        if isinstance(self.values, RaggedTensor):
            inner = self.values.bounding_shape()[1:]
        parts = [rnp.reshape(rnp.asarray(x, dtype=np.int64), (-1,)) for x in (*sizes, inner)]
        found = rnp.concatenate(parts)
        return as_result(found if axis is None else found[axis])

    def with_values(self, new_values: Any) -> RaggedTensor:
        """Return rows of the same lengths with other values."""
        return RaggedTensor(values_of(new_values), self.row_splits)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """Return rows of rows of the same lengths with other values."""
        inner = self.values
        is_ragged = isinstance(inner, RaggedTensor)
        return self.with_values(inner.with_flat_values(new_values) if is_ragged else new_values)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Return the same values with some axes made one."""
        if outer_axis > 1:
            return self.with_values(_merge(self.values, outer_axis - 1, inner_axis - 1))
        found: Any = self
        for _ in range(inner_axis - max(outer_axis, 1)):
            found = _without_inner_rows(found)
        return found if outer_axis else found.values

    def to_tensor(self, default_value: Any = None, name: Any = None, shape: Any = None) -> Any:
        """Return a tensor of rows of one length, which end with `default_value`.

        Args:
            default_value: a number or text; 0 or "" if there is none.
            name: is TensorFlow's, and not used.
            shape: the sizes, where they are not those of the longest rows; None for one that is.
        """
        outer, inner = (None, None) if shape is None else (shape[0], tuple(shape)[1:])
        if isinstance(self.values, RaggedTensor):
            deeper = None if inner is None else (None, *inner[1:])
            return self.with_values(self.values.to_tensor(default_value, None, deeper)).to_tensor(
                default_value, None, None if shape is None else (*tuple(shape)[:2],)
            )
        with translating():
            return as_result(_padded(self, default_value, outer, inner[0] if inner else None))

    def to_sparse(self, name: Any = None) -> Any:
        """Return a sparse matrix of the rows."""
        rows = self.value_rowids()
        columns = rnp.arange(rnp.size(rows)) - rnp.repeat(self.row_starts(), self.row_lengths())
        return sparse_of(
            as_result(rnp.stack([rows, columns], axis=1)), self.values, self.bounding_shape()
        )

    def to_list(self) -> list[Any]:
        """Return the rows as lists; texts are bytes."""
        return nested(self, item)

    def numpy(self) -> Any:
        """Return the rows as an array of arrays; one array where all have one length."""
        rows = [row.numpy() for row in self]
        if len({row.shape for row in rows}) == 1 and rows[0].dtype != object:
            return np.stack(rows)
        found = np.empty(len(rows), object)
        found[:] = rows
        return found

    def consumers(self) -> list[Any]:
        """Return nothing: what uses a tensor is not kept."""
        return []

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(int(np.asarray(row_count(self)))))

    def __getitem__(self, key: Any) -> Any:
        """Return a row, rows, or parts of each row: `x[1]`, `x[1:]`, `x[:, :2]`, `x[1, 0]`."""
        first, *rest = key if isinstance(key, tuple) else (key,)
        if first is None or first is Ellipsis or None in rest or Ellipsis in rest:
            raise TypeError("rows of several lengths take numbers and slices as an index here")
        with translating():
            if not isinstance(first, slice):
                row = _row(self, first)
                return as_result(row[tuple(rest)] if rest else row)
            rows = self if first == slice(None) else _sliced_rows(self, first)
            return _inner(rows, rest) if rest else rows

    def __hash__(self) -> int:
        return id(self)

    def __array__(self, *args: Any, **options: Any) -> Any:
        raise TypeError(f"rows of several lengths are no array; {self.instead}")

    def __repr__(self) -> str:
        if type(self.flat_values) is not Tensor:  # staged, or a spec
            return f"tf.RaggedTensor(values={self.values!r}, row_splits={self.row_splits!r})"
        return f"<tf.RaggedTensor {row_text(nested(self, element_text))}>"

    __str__ = __repr__


def row_count(rows: Any) -> Any:
    """Return the number of rows of a tensor, of either kind."""
    if isinstance(rows, RaggedTensor):
        return rnp.shape(rows.row_splits)[0] - 1
    return rnp.shape(rows)[0]


def splits_of(lengths: Any) -> Any:
    """Return where rows of given lengths begin, and where the last one ends."""
    return as_result(rnp.concatenate([np.zeros(1, np.int64), rnp.cumsum(whole(lengths))]))


def counted(ids: Any, count: Any) -> Any:
    """Return how often each number below `count` occurs."""
    return segments.unsorted_segment_sum(rnp.ones(rnp.shape(ids), np.int64), ids, count)


def spans(values: Any, starts: Any, lengths: Any, step: int = 1) -> RaggedTensor:
    """Return the rows `values[start:start + step * length:step]` of given starts and lengths."""
    splits = splits_of(lengths)
    offsets = rnp.subtract(starts, rnp.multiply(step, splits[:-1]))
    places = rnp.repeat(offsets, lengths) + rnp.multiply(step, rnp.arange(splits[-1]))
    return RaggedTensor(picked(values, places), splits)


def picked(values: Any, places: Any) -> Any:
    """Return the rows of a tensor, of either kind, at places."""
    if not isinstance(values, RaggedTensor):
        return as_result(values[places])
    return spans(values.values, values.row_starts()[places], values.row_lengths()[places])


def values_of(values: Any) -> Any:
    """Return rows as they are, other values as a tensor."""
    return values if isinstance(values, RaggedTensor) else convert_to_tensor(values)


def whole(numbers: Any) -> Any:
    """Return whole numbers as a tensor of int64."""
    found = convert_to_tensor(numbers)
    return elementwise.cast(found, np.int64)


def merged(dense: Any) -> Any:
    """Return a tensor with its first two axes made one."""
    return shaping.reshape(dense, (dense.shape[0] * dense.shape[1], *dense.shape[2:]))


def _merge(values: Any, outer: int, inner: int) -> Any:
    if isinstance(values, RaggedTensor):
        return values.merge_dims(outer, inner)
    sizes = values.shape
    return shaping.reshape(values, (*sizes[:outer], -1, *sizes[inner + 1 :]))


def _without_inner_rows(rows: RaggedTensor) -> RaggedTensor:
    """Return rows of what was in the rows of each row."""
    inner = rows.values
    if isinstance(inner, RaggedTensor):
        return RaggedTensor(inner.values, as_result(inner.row_splits[rows.row_splits]))
    return RaggedTensor(merged(inner), as_result(rnp.multiply(rows.row_splits, inner.shape[1])))


def _padded(rows: RaggedTensor, default: Any, count: Any, width: Any) -> Any:
    lengths, values = rows.row_lengths(), rows.values
    width = rnp.max(lengths, initial=0) if width is None else width
    columns = rnp.arange(width)
    is_there = rnp.less(columns, lengths[:, None])
    size = rnp.shape(values)[0]
    places = rnp.where(is_there, rows.row_splits[:-1][:, None] + columns, size)
    kind = values.spec.dtype
    filler = ("" if kind.kind == "T" else 0) if default is None else default
    last = shaping.broadcast_to(convert_to_tensor(filler, kind), (1, *values.shape[1:]))
    found = rnp.concatenate([values, last])[places]
    if count is None:
        return found
    below = shaping.broadcast_to(last, (count, *found.shape[1:]))
    return rnp.concatenate([found, below])[:count]


def _row(rows: RaggedTensor, index: Any) -> Any:
    """Return the row at an index, which is negative from the end on."""
    splits = rows.row_splits
    count = row_count(rows)
    place = rnp.where(rnp.less(index, 0), rnp.add(index, count), index)
    known = "" if is_staged(index) else f" {index}"
    need(rnp.logical_and(place >= 0, place < count), f"there is no row{known}")
    start, stop = splits[place], splits[place + 1]
    if is_staged(start):
        return rows.values[start:stop]
    return rows.values[int(np.asarray(start)) : int(np.asarray(stop))]


def _sliced_rows(rows: RaggedTensor, key: slice) -> RaggedTensor:
    return picked(rows, rnp.arange(row_count(rows))[key])  # type: ignore[no-any-return]


def _inner(rows: RaggedTensor, keys: list[Any]) -> Any:
    """Return parts of each row: of a slice, then of the axes in it."""
    first, *rest = keys
    if not isinstance(first, slice):
        raise TypeError(
            "x[:, k] of rows of several lengths is not defined, since a row may have no such item; "
            "write x[:, k:k + 1]"
        )
    if first != slice(None):
        step = 1 if first.step is None else first.step
        if step < 1:
            raise TypeError("slices of each row have a step of 1 or more")
        lengths = rows.row_lengths()
        start = _bound(first.start, lengths, 0)
        stop = _bound(first.stop, lengths, lengths)
        counts = rnp.maximum(rnp.floor_divide(rnp.subtract(stop, start) + (step - 1), step), 0)
        rows = spans(rows.values, rnp.add(rows.row_splits[:-1], start), counts, step)
    if not rest:
        return rows
    inner = rows.values
    is_ragged = isinstance(inner, RaggedTensor)
    return rows.with_values(_inner(inner, rest) if is_ragged else inner[(slice(None), *rest)])


def _bound(given: Any, lengths: Any, otherwise: Any) -> Any:
    if given is None:
        return otherwise
    found = rnp.where(rnp.less(given, 0), rnp.add(lengths, given), given)
    return rnp.clip(found, 0, lengths)


TABLE = composite(RaggedTensor)
register_tree(
    RaggedTensor,
    lambda value: ((value.values, value.row_splits), None),
    lambda data, children: RaggedTensor(*children),
    lambda data: (".values", ".row_splits"),
)


WIDTH = 72


def nested(rows: Any, write: Callable[[Any], Any]) -> list[Any]:
    """Return the rows of a ragged tensor, or of a tensor, as lists of what each element becomes."""
    if not hasattr(rows, "row_splits"):
        array = np.asarray(rows.array)
        flat = list(map(write, array.reshape(-1) if array.dtype.kind != "T" else array.ravel()))
        return np.array([*flat, None], object)[:-1].reshape(array.shape).tolist()  # type: ignore[no-any-return]
    values = nested(rows.values, write)
    bounds = np.asarray(rows.row_splits.array).tolist()
    return [values[a:b] for a, b in pairwise(bounds)]


def item(value: Any) -> Any:
    """Return an element as Python's number; a text as bytes, as TensorFlow has them."""
    return value.encode() if isinstance(value, str) else value.item()


def row_text(rows: Sequence[Any]) -> str:
    """Return rows of texts as TensorFlow writes them: where they are long, on lines of their own.

    >>> row_text([["1.5"], []])
    '[[1.5], []]'
    """
    if not rows or isinstance(rows[0], str):
        return "[" + textwrap.fill(", ".join(rows), WIDTH, subsequent_indent=" ") + "]"
    parts = list(map(row_text, rows))
    line = "[" + ", ".join(parts) + "]"
    if len(line) <= WIDTH and "\n" not in line:
        return line
    return "[" + textwrap.indent(",\n".join(parts), " ")[1:] + "]"


def element_text(value: Any) -> str:
    """Return the text of an element."""
    return repr(value.encode()) if isinstance(value, str) else str(value)
