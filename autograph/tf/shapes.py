"""`tf.TensorShape` and `tf.TensorSpec`: the sizes of a tensor, and its dtype with them."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from runtime.dtypes import dtype_name
from runtime.spec import TensorSpec as Spec
from runtime.tree_classes import register_leaf


class _ShapeType(type):
    """Makes shapes; None stands for one whose number of dimensions is not known."""

    def __call__(cls, dims: Iterable[Any] | None) -> Any:
        if dims is not None and not isinstance(dims, Iterable):
            raise TypeError(f"a shape is a list of sizes, such as [None, 3], not {dims!r}")
        return None if dims is None else super().__call__(dims)


class TensorShape(tuple[Any, ...], metaclass=_ShapeType):
    """The sizes of a tensor; None, or a staged number, where one is not known.

    >>> TensorShape([None, 3]).as_list()
    [None, 3]
    """

    __slots__ = ()

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self)

    @property
    def ndims(self) -> int:
        """The number of dimensions."""
        return len(self)

    @property
    def dims(self) -> list[Any]:
        """The sizes, as a list."""
        return self.as_list()

    def __repr__(self) -> str:
        return f"TensorShape({self.as_list()})"

    def __str__(self) -> str:
        return shape_text(self)

    def as_list(self) -> list[Any]:
        """Return the sizes as a list, with None where one is not known."""
        return [size if isinstance(size, int) else None for size in self]

    def num_elements(self) -> int | None:
        """Return the number of elements; None when a size is not known."""
        sizes = self.as_list()
        return None if None in sizes else prod(sizes)

    def is_fully_defined(self) -> bool:
        """Tell whether all sizes are known."""
        return None not in self.as_list()

    def is_compatible_with(self, other: Any) -> bool:
        """Tell whether both may be the shape of one tensor."""
        if other is None:
            return True
        pairs = list(zip(self.as_list(), TensorShape(other).as_list(), strict=False))
        return len(self) == len(other) and all(None in pair or pair[0] == pair[1] for pair in pairs)

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless both may be the shape of one tensor."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {shape_text(other)} are incompatible")

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError unless there are so many dimensions."""
        if len(self) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def merge_with(self, other: Any) -> Any:
        """Return what is known of both shapes; ValueError where they differ."""
        self.assert_is_compatible_with(other)
        pairs = zip(self, self if other is None else other, strict=True)
        return TensorShape([b if a is None else a for a, b in pairs])

    def with_rank(self, rank: int) -> Any:
        """Return the shape itself; ValueError unless there are so many dimensions."""
        self.assert_has_rank(rank)
        return self

    def concatenate(self, other: Any) -> Any:
        """Return the sizes of this shape, then those of another."""
        return TensorShape((*self, *other))


register_leaf(TensorShape)


class TensorSpec(Spec):
    """The shape and dtype of a tensor, `float32` when no dtype is given.

    >>> TensorSpec([None, 3])
    TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)
    """

    __slots__ = ()
    gives_tensors = True

    def __init__(self, shape: Any = None, dtype: Any = np.float32, name: str | None = None) -> None:
        super().__init__(shape, dtype, name)

    @classmethod
    def of(cls, spec: Any, name: str | None = None) -> Any:
        """Return what TensorFlow's functions are described by; what is no spec as it is."""
        return cls(spec.shape, spec.dtype, name) if isinstance(spec, Spec) else spec

    def __repr__(self) -> str:
        dtype = dtype_name(self.dtype)
        return f"TensorSpec(shape={shape_text(self.shape)}, dtype=tf.{dtype}, name={self.name!r})"

    __str__ = __repr__

    def __format__(self, form: str) -> str:
        """Return how messages name it, among the types of other arguments."""
        return format(Spec.__str__(self), form)


register_leaf(TensorSpec)


def shape_text(shape: Any) -> str:
    """Return the text of a shape, with None for sizes that are not known.

    >>> shape_text((3,)), shape_text(None)
    ('(3,)', '<unknown>')
    """
    if shape is None:
        return "<unknown>"
    return str(tuple(size if isinstance(size, int) else None for size in shape))
