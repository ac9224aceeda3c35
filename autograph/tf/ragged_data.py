"""Datasets of rows of several lengths: the slices of ragged tensors, and batches that are ragged.

Both are made by a generator of Python, since elements of several sizes are no arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.tf import ragged_functions, shaping
from autograph.tf.composite import is_composite
from autograph.tf.ragged_making import RaggedTensorSpec
from autograph.tf.ragged_tensor import RaggedTensor
from autograph.tf.shapes import TensorSpec
from autograph.tf.tensors import convert_to_tensor
from runtime import trees

Made = tuple[Callable[[], Iterator[Any]], Any]
"""A generator, and the specs of what it gives."""


def holds_composites(tensors: Any) -> bool:
    """Tell whether a structure has tensors in it that are made of several ones."""
    return any(map(is_composite, _parts(tensors)[0]))


def _parts(tensors: Any) -> tuple[tuple[Any, ...], trees.Structure]:
    return trees.flatten_to(tensors, lambda x: is_composite(x) or type(x) is list)


def slices(tensors: Any) -> Made:
    """Return what gives the rows of ragged tensors, and the slices of tensors beside them.

    Raises:
        TypeError: a tensor is of another kind.
    """
    leaves, structure = _parts(tensors)
    for leaf in leaves:
        if is_composite(leaf) and not isinstance(leaf, RaggedTensor):
            raise TypeError(f"a dataset has no slices of a {type(leaf).__name__}; {leaf.instead}")
    rows = [x if isinstance(x, RaggedTensor) else convert_to_tensor(x) for x in leaves]

    def elements() -> Iterator[Any]:
        for row in zip(*rows, strict=True):
            yield trees.unflatten(structure, row)

    return elements, trees.unflatten(structure, list(map(_row_spec, rows)))


def _row_spec(rows: Any) -> Any:
    if not isinstance(rows, RaggedTensor):
        return TensorSpec(rows.shape[1:], rows.dtype)
    inner = rows.values
    if isinstance(inner, RaggedTensor):
        return RaggedTensorSpec([None, *inner.shape[1:]], inner.dtype, inner.ragged_rank)
    return TensorSpec([None, *inner.shape[1:]], inner.dtype)


def batches(dataset: Any, batch_size: int, drop_remainder: bool = False) -> Made:
    """Return what gives elements of several sizes stacked as rows, and the specs of that."""
    specs, structure = trees.flatten_to(dataset.element_spec, lambda x: type(x) is RaggedTensor)

    def stacked(elements: list[Any]) -> Any:
        columns = zip(*(trees.flatten_to(x, is_composite)[0] for x in elements), strict=True)
        pairs = zip(specs, columns, strict=True)
        return trees.unflatten(structure, [_stacked(spec, column) for spec, column in pairs])

    def elements() -> Iterator[Any]:
        found = []
        for element in dataset:
            found.append(element)
            if len(found) == batch_size:
                yield stacked(found)
                found = []
        if found and not drop_remainder:
            yield stacked(found)

    return elements, trees.unflatten(structure, list(map(_batch_spec, specs)))


def _varies(spec: Any) -> bool:
    if isinstance(spec, RaggedTensor) or spec.shape is None:
        return True
    return not all(isinstance(size, int) for size in spec.shape)


def _stacked(spec: Any, column: Any) -> Any:
    return ragged_functions.stack(column) if _varies(spec) else shaping.stack(list(column))


def _batch_spec(spec: Any) -> Any:
    if isinstance(spec, RaggedTensor):
        return RaggedTensor(spec, TensorSpec([None], np.int64))
    if not _varies(spec):
        return TensorSpec([None, *spec.shape], spec.dtype)
    return RaggedTensorSpec([None, *spec.shape], spec.dtype, 1)
