"""Elements of datasets: what a user gives as arrays, and what is given as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tf.shapes import TensorSpec
from autograph.tf.tensors import convert_to_tensor, operate
from runtime import trees
from runtime.tensor import Tensor


def packed(result: Any) -> Any:
    """Return what a function of elements returns; a list is the parts of an element, too."""
    return tuple(result) if type(result) is list else result


def _array(value: Any) -> Any:
    return value.array if isinstance(value, Tensor) else value


def as_declared(value: Any, signature: Any) -> Any:
    """Return what a generator gives with the dtypes that are declared, where no kind is lost."""
    specs, structure = trees.flatten(signature)
    leaves, found = ((value,), structure)
    if structure != trees.LEAF:
        leaves, found = trees.flatten_to(value, lambda x: type(x) is list)
    if found != structure:
        return value
    pairs = zip(map(_array, leaves), specs, strict=True)
    return trees.unflatten(structure, [_cast(leaf, spec.dtype) for leaf, spec in pairs])


def _cast(leaf: Any, dtype: Any) -> Any:
    if type(leaf) is list and np.size(leaf) == 0:  # of which NumPy says that they are floats
        return np.asarray(leaf, dtype)
    is_array = hasattr(leaf, "dtype") and np.can_cast(leaf.dtype, dtype, "same_kind")
    return leaf.astype(dtype) if is_array else leaf


def arrays(tensors: Any) -> Any:
    """Return what a user gives, with lists as tensors, as arrays or values of the graph."""
    leaves, structure = trees.flatten_to(tensors, lambda x: type(x) is list)
    return trees.unflatten(structure, [_array(convert_to_tensor(x)) for x in leaves])


def tensors(element: Any) -> Any:
    """Return an element with its arrays as tensors."""
    return trees.map_tree(lambda x: Tensor(x, operate), element)


def specs(types: Any, shapes: Any) -> Any:
    """Return the specs of types, with shapes that may be left out."""
    leaves, structure = trees.flatten(types)
    if shapes is None:
        return trees.unflatten(structure, [TensorSpec(None, dtype) for dtype in leaves])
    given = [shapes] if structure == trees.LEAF else list(shapes)
    pairs = zip(given, leaves, strict=True)
    return trees.unflatten(structure, [TensorSpec(shape, dtype) for shape, dtype in pairs])


def numpy_of(tensor: Any) -> Any:
    """Return a tensor as an array; a single number as one of NumPy's, a single text as bytes."""
    found = tensor.numpy()
    return found[()] if isinstance(found, np.ndarray) and found.ndim == 0 else found
