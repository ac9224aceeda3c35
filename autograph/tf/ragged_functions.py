"""What `tf`'s functions do with rows of several lengths: a table for `RaggedTensor`.

Functions of each element see the values alone; reductions and the like go along an axis, which is
that of the rows (0), that of what is in them (1), or one of the values (2 and more).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.calls import host_callback
from autograph.tf import (
    control,
    creation,
    elementwise,
    math,
    nn,
    reductions,
    segments,
    shaping,
    strings,
)
from autograph.tf.composite import as_list
from autograph.tf.debugging import need
from autograph.tf.errors import translated
from autograph.tf.ragged_making import from_tensor
from autograph.tf.ragged_tensor import (
    TABLE,
    RaggedTensor,
    counted,
    picked,
    row_count,
    spans,
    splits_of,
)
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.dtypes import STRING
from runtime.errors import ShapeError
from runtime.spec import TensorSpec
from runtime.subscripts import with_items
from runtime.tensor import is_staged

EACH = (
    *(getattr(elementwise, name) for name in elementwise.UNARY),
    *(getattr(elementwise, name) for name in ("cast", "identity", "stop_gradient", "sigmoid")),
    *(creation.zeros_like, creation.ones_like, creation.one_hot, nn.relu, nn.gelu, nn.elu),
    *(getattr(strings, name) for name in ("as_string", "length", "lower", "upper", "strip")),
    *(getattr(strings, name) for name in ("substr", "to_number", "to_hash_bucket")),
    *(strings.regex_replace, strings.regex_full_match),
)
"""Functions of each element, whose first argument is the rows."""


def each(function: Callable[..., Any], x: Any, *args: Any, **options: Any) -> RaggedTensor:
    """Return rows of what a function of each element gives for the values."""
    return x.with_flat_values(function(x.flat_values, *args, **options))  # type: ignore[no-any-return]


TABLE.update({function: partial(each, function) for function in EACH})


def _pairs(function: Callable[..., Any], *operands: Any, **options: Any) -> RaggedTensor:
    """Apply a function of several tensors to the values of rows, and what is as many as they."""
    rows = next(x for x in operands if isinstance(x, RaggedTensor))
    for one in operands:
        if isinstance(one, RaggedTensor) and one.ragged_rank > rows.ragged_rank:
            rows = one
    flat = [_beside(x, rows) for x in operands]
    return rows.with_flat_values(function(*flat, **options))


def _beside(value: Any, rows: Any) -> Any:
    """Return an operand as it stands beside the flat values of rows."""
    if not isinstance(rows, RaggedTensor):
        return value
    if isinstance(value, RaggedTensor):
        _need_equal(value.row_splits, rows.row_splits)
        return _beside(value.values, rows.values)
    if not hasattr(value, "shape"):
        if not isinstance(value, list | tuple):
            return value
        value = convert_to_tensor(value, None if rows.dtype.is_bool else rows.dtype)
    rank, wanted = len(value.shape), len(rows.shape)
    if rank < wanted - 1:
        return value
    if rank == wanted - 1:
        value = rnp.expand_dims(value, 0)
    count, size = value.shape[:2]
    if not is_staged(size) and size == 1:
        column = value[:, 0]
        is_one = not is_staged(count) and count == 1
        return _beside(column if is_one else picked(column, rows.value_rowids()), rows.values)
    need(rnp.all(rows.row_lengths() == size), f"the rows have not all the length {size}")
    whole = shaping.broadcast_to(value, (row_count(rows), *value.shape[1:]))
    return _beside(shaping.reshape(whole, (-1, *value.shape[2:])), rows.values)


def _need_equal(a: Any, b: Any) -> None:
    sizes = rnp.shape(a)[0], rnp.shape(b)[0]
    same = False if not any(map(is_staged, sizes)) and sizes[0] != sizes[1] else rnp.all(a == b)
    need(same, "the rows of two operands have not the same lengths")


PAIRS = (*(getattr(elementwise, name) for name in elementwise.BINARY), elementwise.where)
TABLE.update({function: partial(_pairs, function) for function in PAIRS})
TABLE[elementwise.clip_by_value] = partial(_pairs, elementwise.clip_by_value)


def _summed(inputs: Any) -> Any:
    found = inputs[0]
    for one in inputs[1:]:
        found = math.add(found, one)
    return found


TABLE[elementwise.add_n] = _summed


def _axis_of(rows: RaggedTensor, axis: int) -> int:
    return axis + len(rows.shape) if axis < 0 else axis


def _reduced(
    kind: Callable[..., Any],
    by_segments: Callable[..., Any],
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool = False,
) -> Any:
    """Return a reduction of rows: of all values, of the rows, of what is in each, or of values."""
    if keepdims:
        raise TypeError(f"{kind.__name__} of rows of several lengths has no keepdims")
    rows = input_tensor
    if axis is None:
        return kind(rows.flat_values)
    place = _axis_of(rows, axis)
    if place > 1:
        return rows.with_values(kind(rows.values, axis=place - 1))
    if isinstance(rows.values, RaggedTensor):
        raise TypeError(f"{kind.__name__} over axis {axis} of rows of rows is not there")
    if place == 1:
        return by_segments(rows.values, rows.value_rowids(), row_count(rows))
    columns = rnp.arange(rnp.size(rows.value_rowids())) - rnp.repeat(
        rows.row_starts(), rows.row_lengths()
    )
    return by_segments(rows.values, columns, rnp.max(rows.row_lengths(), initial=0))


def _mean(values: Any, ids: Any, count: Any) -> Any:
    values = values if values.spec.dtype.kind == "f" else elementwise.cast(values, np.float64)
    total = segments.unsorted_segment_sum(values, ids, count)
    number = counted(ids, count)
    sizes = (-1, *(1,) * (len(values.shape) - 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return as_result(rnp.divide(total, rnp.reshape(number, sizes)).astype(values.spec.dtype))


def _product(values: Any, ids: Any, count: Any) -> Any:
    start = rnp.ones((count, *values.shape[1:]), values.spec.dtype)
    return as_result(with_items(start, ids, values, np.multiply))


def _of_truth(by_segments: Callable[..., Any], empty: bool) -> Callable[..., Any]:
    def reduce(values: Any, ids: Any, count: Any) -> Any:
        found = by_segments(elementwise.cast(values, np.int32), ids, count)
        return as_result(rnp.equal(found, 1) if not empty else rnp.not_equal(found, 0))

    return reduce


REDUCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    reductions.reduce_sum: segments.unsorted_segment_sum,
    reductions.reduce_max: segments.unsorted_segment_max,
    reductions.reduce_min: segments.unsorted_segment_min,
    reductions.reduce_prod: _product,
    reductions.reduce_mean: _mean,
    reductions.reduce_any: _of_truth(segments.unsorted_segment_max, empty=False),
    reductions.reduce_all: _of_truth(segments.unsorted_segment_min, empty=True),
}
TABLE.update({kind: partial(_reduced, kind, how) for kind, how in REDUCTIONS.items()})


def implements(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return a decorator for what a function does with rows of several lengths."""

    def decorate(how: Any) -> Any:
        TABLE[function] = how
        return how

    return decorate


@implements(shaping.concat)
def concat(values: Any, axis: int) -> Any:
    """Return rows after rows (axis 0), or what is in each row after what is in that of others."""
    parts = [x if isinstance(x, RaggedTensor) else from_tensor(x) for x in values]
    place = _axis_of(parts[0], axis)
    if place == 0:
        inner = shaping.concat([x.values for x in parts], 0)
        return RaggedTensor(inner, splits_of(rnp.concatenate([x.row_lengths() for x in parts])))
    for one in parts[1:]:
        need(row_count(one) == row_count(parts[0]), "the operands have not as many rows")
    if place > 1:
        for one in parts[1:]:
            _need_equal(one.row_splits, parts[0].row_splits)
        return parts[0].with_values(shaping.concat([x.values for x in parts], place - 1))
    sizes = [row_count(x.values) for x in parts]
    before = [sum(sizes[:k], np.int64(0)) for k in range(len(sizes))]
    starts = [rnp.add(x.row_splits[:-1], n) for x, n in zip(parts, before, strict=True)]
    lengths = rnp.stack([x.row_lengths() for x in parts], axis=1)
    values = shaping.concat([x.values for x in parts], 0)
    found = spans(values, rnp.ravel(rnp.stack(starts, axis=1)), rnp.ravel(lengths))
    return RaggedTensor(found.values, splits_of(rnp.sum(lengths, axis=1)))


@implements(shaping.stack)
@translated
def stack(values: Any, axis: int = 0) -> RaggedTensor:
    """Return several tensors as the rows of one; only along a new first axis."""
    if axis != 0:
        raise TypeError("rows of several lengths are stacked along axis 0")
    given = as_list(values, "tf.ragged.stack")
    parts = [x if isinstance(x, RaggedTensor) else convert_to_tensor(x) for x in given]
    if not all(len(x.shape) for x in parts):
        raise ShapeError("tf.ragged.stack takes tensors of one dimension or more")
    if any(isinstance(x, RaggedTensor) for x in parts):
        parts = [x if isinstance(x, RaggedTensor) else from_tensor(x) for x in parts]
    counts = [rnp.asarray(row_count(x), dtype=np.int64) for x in parts]
    return RaggedTensor(shaping.concat(parts, 0), splits_of(rnp.stack(counts)))


@implements(shaping.tile)
def tile(input: Any, multiples: Any) -> Any:
    """Return rows repeated along each axis."""
    for axis, count in enumerate(creation.dims(multiples)):
        input = shaping.concat([input] * count, axis)
    return input


@implements(shaping.reverse)
def reverse(tensor: Any, axis: Any) -> Any:
    """Return rows with their order, or that of what is in them, reversed."""
    for given in axis if isinstance(axis, list | tuple) else [axis]:
        place = _axis_of(tensor, given)
        if place == 0:
            tensor = picked(tensor, rnp.flip(rnp.arange(row_count(tensor))))
        elif place == 1:
            ends = rnp.subtract(tensor.row_limits(), 1)
            tensor = spans(tensor.values, ends, tensor.row_lengths(), -1)
        else:
            tensor = tensor.with_values(shaping.reverse(tensor.values, [place - 1]))
    return tensor


@implements(shaping.gather)
def gather(params: Any, indices: Any, axis: int = 0) -> Any:
    """Return rows at indices; or, for indices that are rows, those of what they say."""
    if isinstance(indices, RaggedTensor):
        return indices.with_flat_values(shaping.gather(params, indices.flat_values, axis=axis))
    if axis:
        raise TypeError("rows of several lengths are gathered along axis 0")
    return picked(params, convert_to_tensor(indices))


@implements(nn.embedding_lookup)
def embedding_lookup(params: Any, ids: Any) -> RaggedTensor:
    """Return rows of the rows of a matrix."""
    return each(lambda x: nn.embedding_lookup(params, x), ids)


@implements(shaping.expand_dims)
def expand_dims(input: Any, axis: int) -> Any:
    """Return rows with one more axis, of size 1."""
    place = axis + len(input.shape) + 1 if axis < 0 else axis
    if place == 0:
        count = rnp.reshape(rnp.asarray(row_count(input), dtype=np.int64), (1,))
        return RaggedTensor(input, splits_of(count))
    if place == 1:
        return RaggedTensor(input, as_result(rnp.arange(row_count(input) + 1)))
    return input.with_values(shaping.expand_dims(input.values, place - 1))


@implements(shaping.boolean_mask)
def boolean_mask(tensor: Any, mask: Any, axis: int | None = None) -> Any:
    """Return the rows, or what in each row, a mask is true for."""
    if not isinstance(mask, RaggedTensor):
        kept = convert_to_tensor(mask)
        if len(kept.shape) > 1:
            return boolean_mask(tensor, from_tensor(kept))
        return picked(tensor, rnp.nonzero(kept)[0])
    if not isinstance(tensor, RaggedTensor):
        tensor = from_tensor(tensor)
    _need_equal(tensor.row_splits, mask.row_splits)
    if isinstance(mask.values, RaggedTensor):
        return tensor.with_values(boolean_mask(tensor.values, mask.values))
    lengths = counted(mask.value_rowids()[mask.values], row_count(mask))
    return RaggedTensor(picked(tensor.values, rnp.nonzero(mask.values)[0]), splits_of(lengths))


@implements(control.map_fn)
def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    fn_output_signature: Any = None,
    **others: Any,
) -> Any:
    """Return what a function makes of each row."""
    if is_staged(elems.row_splits):
        raise ShapeError(
            "tf.map_fn over rows of several lengths makes a result of another size for each, which "
            "a loop of the graph does not stack; call it outside of staged functions"
        )
    found = [convert_to_tensor(fn(row)) for row in elems]
    is_one_size = len({x.shape for x in found}) == 1 and not isinstance(found[0], RaggedTensor)
    are_rows = bool(found) and bool(found[0].shape) and elems.ragged_rank >= 1
    return shaping.stack(found) if is_one_size and not are_rows else stack(found)


TABLE[creation.size] = lambda input, out_type=np.int32: creation.size(input.flat_values, out_type)
TABLE[creation.rank] = lambda input: convert_to_tensor(np.int32(len(input.shape)))


@implements(strings.join)
def join(inputs: Any, separator: str = "") -> RaggedTensor:
    """Return texts joined element by element."""
    return _pairs(lambda *flat: strings.join(flat, separator), *inputs)


@implements(strings.reduce_join)
def reduce_join(inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "") -> Any:
    """Return the texts of each row joined to one."""
    place = None if axis is None else _axis_of(inputs, axis)
    if place is None:
        return strings.reduce_join(inputs.flat_values, None, separator=separator)
    if place > 1:
        return inputs.with_values(
            strings.reduce_join(inputs.values, place - 1, separator=separator)
        )
    if place == 0 or isinstance(inputs.values, RaggedTensor):
        raise TypeError("texts of rows of several lengths are joined along their last axis")

    def joined(values: Any, splits: Any) -> Any:
        texts, bounds = np.asarray(values.array).tolist(), np.asarray(splits.array).tolist()
        rows = [separator.join(texts[a:b]) for a, b in pairwise(bounds)]
        return np.array(rows, STRING)

    spec = TensorSpec([None], STRING)
    return as_result(host_callback.py_function(joined, [inputs.values, inputs.row_splits], spec))


OPERATORS = {
    "add": math.add, "sub": math.subtract, "mul": math.multiply,
    "truediv": math.truediv, "floordiv": math.floordiv, "mod": math.mod,
    "pow": math.pow, "and": math.logical_and, "or": math.logical_or,
}  # fmt: skip
COMPARISONS = {
    "lt": math.less, "le": math.less_equal, "gt": math.greater,
    "ge": math.greater_equal, "eq": math.equal, "ne": math.not_equal,
}  # fmt: skip


def _method(name: str, function: Callable[..., Any], swapped: bool = False) -> None:
    def method(self: Any, other: Any) -> Any:
        return function(other, self) if swapped else function(self, other)

    setattr(RaggedTensor, name, method)


for _name, _function in {**OPERATORS, **COMPARISONS}.items():
    _method(f"__{_name}__", _function)
for _name, _function in OPERATORS.items():
    _method(f"__r{_name}__", _function, swapped=True)
for _name, _function in {
    "neg": math.negative,
    "abs": math.abs,
    "invert": math.logical_not,
}.items():
    setattr(RaggedTensor, f"__{_name}__", lambda self, function=_function: function(self))
