"""Elements of datasets, and their specs.

An element is a tree of leaves: NumPy arrays, scalars of NumPy, and `str`. Its spec is the same tree
of `TensorSpec`s. A Python list in what a user gives is an array, not a tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime import trees
from runtime.dtypes import STRING, as_dtype, as_texts, is_lossless, is_string
from runtime.errors import DtypeError, ShapeError, StructureError
from runtime.spec import UNKNOWN, TensorSpec, accepts, join_specs, make_spec, row_spec

Spec = Any
"""A tree of `TensorSpec`s."""


def flat(value: Any) -> tuple[tuple[Any, ...], trees.Structure]:
    """Return the leaves of what a user gives, and its structure.

    >>> flat(([1, 2], 3))[0]
    ([1, 2], 3)
    """
    return trees.flatten_to(value, lambda x: type(x) is list)


def as_array(value: Any, name: str) -> Any:
    """Return a leaf that a user gives as a NumPy array or scalar, or a `str`.

    Args:
        value: an array, a number, a text, or nested lists of these.
        name: what it is called in messages.

    Raises:
        DtypeError: it is none of these.
        ShapeError: its lists are ragged.
    """
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "numpy"):
        value = value.numpy()
    try:
        array = np.asarray(value)
    except ValueError:
        raise ShapeError(
            f"{name} has lists of different lengths, which make no array; pad them to one length"
        ) from None
    if array.dtype.kind == "U":
        array = as_texts(value)
    if array.dtype.kind not in "biufcT":
        raise DtypeError(
            f"{name} is a {type(value).__name__} ({array.dtype}); elements of a dataset are "
            "numbers, texts and arrays of them"
        )
    return array[()]


def spec_of_leaf(leaf: Any) -> TensorSpec:
    """Return the spec of a leaf as `as_array` returns it."""
    if isinstance(leaf, str):
        return make_spec(STRING, ())
    return make_spec(as_dtype(leaf.dtype), tuple(leaf.shape))


def checked(value: Any, name: str) -> tuple[Any, Spec]:
    """Return what a user gives as an element, and its spec."""
    leaves, structure = flat(value)
    names = trees.paths(structure, name)
    arrays = [as_array(x, place) for x, place in zip(leaves, names, strict=True)]
    specs = list(map(spec_of_leaf, arrays))
    return trees.unflatten(structure, arrays), trees.unflatten(structure, specs)


def fitted(value: Any, spec: Spec, name: str) -> Any:
    """Return what a user gives as an element of a spec.

    Raises:
        StructureError: it has another structure.
        DtypeError: it has another dtype, which is not converted without loss.
        ShapeError: it has another shape.
    """
    specs, structure = trees.flatten(spec)
    leaves, found = ((value,), structure) if structure == trees.LEAF else flat(value)
    if found != structure:
        difference = trees.difference(structure, found, name)
        raise StructureError(
            f"{name} has another structure than the element spec {show(spec)}: {difference}"
        )
    pairs = zip(leaves, specs, trees.paths(structure, name), strict=True)
    return trees.unflatten(structure, [fitted_leaf(*pair) for pair in pairs])


def fitted_leaf(value: Any, spec: TensorSpec, name: str) -> Any:
    """Return a leaf as one of a spec; DtypeError or ShapeError when it is none."""
    leaf = as_array(list(value) if type(value) is tuple else value, name)
    found = spec_of_leaf(leaf)
    if found.dtype != spec.dtype:
        if not _is_converted(value, found, spec):
            raise DtypeError(
                f"{name} is {found}, and the element spec says {spec}; give it that dtype, or say "
                "the other one in row_spec"
            )
        leaf = np.asarray(leaf).astype(spec.dtype)[()]
    if not accepts(spec, make_spec(spec.dtype, found.shape)):
        raise ShapeError(
            f"{name} is {found}, and the element spec says {spec}. Give all elements one shape, or "
            "write None for a size that differs in row_spec"
        )
    # The user may write into an array that was given; the element is an array of its own.
    return leaf.copy() if leaf is value and isinstance(leaf, np.ndarray) else leaf


def _is_converted(value: Any, found: TensorSpec, spec: TensorSpec) -> bool:
    """Tell whether a dtype becomes another: Python's numbers become any of their kind."""
    if is_string(found.dtype) or is_string(spec.dtype):
        return False
    is_weak = not hasattr(value, "dtype")
    return is_lossless(found.dtype, spec.dtype) or (
        is_weak and bool(np.can_cast(found.dtype, spec.dtype, "same_kind"))
    )


def show(spec: Spec) -> str:
    """Return the text of an element spec.

    >>> show((TensorSpec([2], "f4"), {"n": TensorSpec([], "i8")}))
    "(f32[2], {'n': i64[]})"
    """
    return repr(map_spec(_Shown, spec))


class _Shown:
    def __init__(self, spec: TensorSpec) -> None:
        self._spec = spec

    def __repr__(self) -> str:
        return f"{self._spec}"


def map_spec(function: Any, *specs: Spec) -> Spec:
    """Return a spec whose leaves are what `function` returns for those of others."""
    structure = trees.flatten(specs[0])[1]
    columns = zip(*(trees.flatten(spec)[0] for spec in specs), strict=True)
    return trees.unflatten(structure, [function(*leaves) for leaves in columns])


def batched(spec: Spec, size: int | None) -> Spec:
    """Return the spec of batches; `size` is None when that of the last may differ."""
    first = UNKNOWN if size is None else size
    return map_spec(lambda x: x.with_shape(None if x.shape is None else (first, *x.shape)), spec)


def padded_spec(spec: TensorSpec, shape: Sequence[int | None] | None) -> TensorSpec:
    """Return the spec of elements made as large as the largest, or of given sizes."""
    if spec.shape is None:
        return spec if shape is None else spec.with_shape(_sizes(shape))
    found = _sizes([None] * len(spec.shape) if shape is None else shape)
    if len(found) != len(spec.shape):
        raise ShapeError(f"a padded shape has {len(found)} sizes, and the elements are {spec}")
    return spec.with_shape(found)


def _sizes(shape: Sequence[int | None]) -> tuple[Any, ...]:
    return tuple(UNKNOWN if size is None else size for size in shape)


def unbatched(spec: Spec, what: str) -> Spec:
    """Return the spec of the elements of batches; ShapeError when an array has no dimension."""
    for leaf, name in zip(*_named(spec), strict=True):
        if leaf.shape == ():
            raise ShapeError(f"{what}: {name} is {leaf}, which has no first axis to go over")
    return map_spec(row_spec, spec)


def _named(spec: Spec) -> tuple[Sequence[TensorSpec], list[str]]:
    leaves, structure = trees.flatten(spec)
    return leaves, trees.paths(structure, "the element")


def joined(a: Spec, b: Spec, what: str) -> Spec:
    """Return the spec of elements of either of two datasets.

    Raises:
        StructureError, DtypeError: they have nothing in common.
    """
    if trees.flatten(a)[1] != trees.flatten(b)[1]:
        difference = trees.difference(trees.flatten(a)[1], trees.flatten(b)[1], "the element")
        raise StructureError(
            f"{what} needs elements of one structure, and they are {show(a)} and {show(b)}: "
            f"{difference}"
        )

    def join(x: TensorSpec, y: TensorSpec) -> TensorSpec:
        found = join_specs(x, y) if x.dtype == y.dtype else None
        if found is None:
            raise DtypeError(
                f"{what} needs elements of one dtype and rank, and they are {show(a)} and "
                f"{show(b)}; map one of them to the other's"
            )
        return found

    return map_spec(join, a, b)


def stacked(elements: Sequence[Any]) -> Any:
    """Return elements as one batch.

    Raises:
        ShapeError: their shapes differ.
    """
    structure = trees.flatten(elements[0])[1]
    columns = zip(*(trees.flatten(x)[0] for x in elements), strict=True)
    return trees.unflatten(structure, [_stack(list(column)) for column in columns])


def _stack(leaves: list[Any]) -> Any:
    if isinstance(leaves[0], str):
        return np.array(leaves, STRING)
    shapes = {x.shape for x in leaves}
    if len(shapes) > 1:
        a, b = sorted(shapes)[:2]
        raise ShapeError(
            f"batch: the elements have the shapes {a} and {b}, which make no array; bring them to "
            "one shape with map first, or batch by 1"
        )
    return np.stack(leaves) if leaves[0].shape else np.array(leaves)
