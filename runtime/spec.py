"""What is known of a tensor before it exists: dtype, shape, and whether it is a Python scalar.

    spec  = dtype "[" dims "]" | dtype "[...]" (rank unknown) | "bool" | "int" | "float" | "complex"
    dim   = integer | name (unknown; equal names are equal sizes) | "?" (unknown, equal to nothing)

The last four are *weak*: Python scalars, which take part in promotion as NumPy's NEP 50 says.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from runtime.dtypes import (
    STRING,
    WEAK_DTYPES,
    WEAK_TYPES,
    DType,
    as_dtype,
    is_lossless,
    is_string,
    plain_number,
    promote,
    python_type,
)
from runtime.dtypes import short_name as dtype_name
from runtime.errors import DtypeError, ShapeError
from runtime.tree_classes import register_leaf


@dataclass(frozen=True, slots=True)
class Dim:
    """A dimension whose size is known only at run time.

    Two dimensions of the same name have the same size; the name `?` promises nothing.
    """

    name: str = "?"

    def __str__(self) -> str:
        return self.name


UNKNOWN = Dim()
Shape = tuple[int | Dim, ...]


@dataclass(frozen=True, slots=True, init=False)
class TensorSpec:
    """The dtype and shape of a tensor, for signatures and for every value of a graph.

    Args:
        shape: sizes; `None` or a name (a string) for a dimension that is known only at run time;
            `None` instead of a sequence when not even the number of dimensions is known.
        dtype: anything that `numpy.dtype` takes.
        name: what an argument of a signature is called.

    >>> print(TensorSpec([None, 3], "float32"))
    f32[?, 3]
    >>> print(TensorSpec(["batch", 3]))
    f64[batch, 3]
    """

    gives_tensors: ClassVar[bool] = False
    """Whether it stands for a `Tensor`, where arguments are described."""

    shape: Shape | None
    dtype: DType
    name: str | None
    weak: bool

    def __init__(
        self,
        shape: Sequence[int | str | Dim | None] | None = (),
        dtype: Any = np.float64,
        name: str | None = None,
    ) -> None:
        set_field = object.__setattr__
        if shape is not None and not isinstance(shape, Iterable):
            raise ShapeError(f"a shape is a list of sizes, such as [None, 3], not {shape!r}")
        set_field(self, "shape", None if shape is None else tuple(map(_as_dimension, shape)))
        set_field(self, "dtype", as_dtype(dtype))
        set_field(self, "name", name)
        set_field(self, "weak", False)

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None when it is unknown."""
        return None if self.shape is None else len(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether every dimension is known."""
        return self.shape is not None and all(isinstance(n, int) for n in self.shape)

    @property
    def promotable(self) -> DType | type:
        """The operand that this spec is in promotion: a Python type when weak, else the dtype."""
        return python_type(self.dtype) if self.weak else self.dtype

    def with_shape(self, shape: Shape | None) -> TensorSpec:
        """Return this spec with another shape."""
        return make_spec(self.dtype, shape)

    def __str__(self) -> str:
        if self.weak:
            return python_type(self.dtype).__name__
        dims = "..." if self.shape is None else ", ".join(map(str, self.shape))
        return f"{dtype_name(self.dtype)}[{dims}]"


register_leaf(TensorSpec)


def _as_dimension(size: int | str | Dim | None) -> int | Dim:
    if isinstance(size, Dim):
        return size
    if size is None:
        return UNKNOWN
    if isinstance(size, str):
        if size != UNKNOWN.name and not size.isidentifier():
            raise ShapeError(f"the name of a dimension is an identifier, such as 'n', not {size!r}")
        return Dim(size)
    if not hasattr(size, "__index__"):
        raise DtypeError(f"a dimension is an integer, a name or None, not {size!r}")
    if operator.index(size) < 0:
        raise ShapeError(f"a dimension cannot be {size}; write None where it is unknown")
    return operator.index(size)


def make_spec(dtype: DType, shape: Shape | None, weak: bool = False) -> TensorSpec:
    """Make a spec from parts that are known to be right (the constructor checks and converts)."""
    spec = object.__new__(TensorSpec)
    set_field = object.__setattr__
    set_field(spec, "shape", shape)
    set_field(spec, "dtype", dtype)
    set_field(spec, "name", None)
    set_field(spec, "weak", weak)
    return spec


def row_spec(spec: TensorSpec) -> TensorSpec:
    """Return the spec of an element of arrays, along their first axis."""
    return spec.with_shape(None if spec.shape is None else spec.shape[1:])


def stacked_spec(spec: TensorSpec, size: int | Dim) -> TensorSpec:
    """Return the spec of so many values of a spec in one array."""
    return spec.with_shape(None if spec.shape is None else (size, *spec.shape))


register_leaf(Dim)
register_leaf(TensorSpec)

WEAK_SPECS: dict[type, TensorSpec] = {
    kind: make_spec(dtype, (), weak=True) for kind, dtype in WEAK_DTYPES.items()
}
BOOL = make_spec(np.dtype(bool), ())


def spec_of(value: Any) -> TensorSpec:
    """Return the spec of an array, a NumPy scalar or a Python scalar.

    >>> print(spec_of(np.zeros((2, 3))), spec_of(1.5))
    f64[2, 3] float
    """
    weak = WEAK_SPECS.get(type(value))
    if weak is not None:
        return weak
    if isinstance(value, str):
        return make_spec(STRING, ())
    if isinstance(value, WEAK_TYPES) and not hasattr(value, "dtype"):
        return WEAK_SPECS[type(plain_number(value))]
    return make_spec(as_dtype(value.dtype), tuple(value.shape))


def accepts(general: TensorSpec, special: TensorSpec) -> bool:
    """Tell whether every value of the second spec is a value of the first."""
    if (general.dtype, general.weak) != (special.dtype, special.weak):
        return False
    if general.shape is None:
        return True
    if special.shape is None or len(general.shape) != len(special.shape):
        return False
    bound: dict[Dim, int | Dim] = {}
    for wide, size in zip(general.shape, special.shape, strict=True):
        if wide == UNKNOWN:
            continue
        if isinstance(wide, Dim):
            if wide in bound and (size == UNKNOWN or bound[wide] != size):
                return False
            bound[wide] = size
        elif wide != size:
            return False
    return True


def broadcast_shapes(shapes: Iterable[Shape | None]) -> Shape | None:
    """Return the shape that NumPy's broadcasting gives; ShapeError when there is none.

    An unknown size against a known size other than 1 must be that size or 1: the result is known.
    """
    known = list(shapes)
    distinct = {shape for shape in known if shape != ()}
    if len(distinct) < 2:
        return distinct.pop() if distinct else ()
    if any(shape is None for shape in known):
        return None
    result: list[int | Dim] = []
    rank = max((len(shape) for shape in known if shape is not None), default=0)
    for axis in range(-rank, 0):
        sizes = {shape[axis] for shape in known if shape is not None and len(shape) >= -axis}
        result.append(_broadcast_sizes(sizes))
    return tuple(result)


def _broadcast_sizes(sizes: set[int | Dim]) -> int | Dim:
    sizes = sizes - {1}
    fixed = [size for size in sizes if isinstance(size, int)]
    if len(fixed) > 1:
        raise ShapeError("sizes " + " and ".join(map(str, sorted(fixed))) + " do not broadcast")
    if fixed:
        return fixed[0]
    if not sizes:
        return 1
    return sizes.pop() if len(sizes) == 1 else UNKNOWN


def join_specs(a: TensorSpec, b: TensorSpec) -> TensorSpec | None:
    """Return the narrowest spec that holds values of both, or None when that would lose something.

    Dtypes are joined by promotion, sizes that differ become unknown; ranks must agree.
    """
    if a == b:
        return a
    if a.weak and b.weak:
        dtype = promote(a.dtype, b.dtype)
        return WEAK_SPECS[python_type(dtype)]
    if is_string(a.dtype) != is_string(b.dtype):
        return None
    dtype = promote(a.promotable, b.promotable)
    if not _fits(a, dtype) or not _fits(b, dtype):
        return None
    shape = _join_shapes(a.shape, b.shape)
    if shape is None and a.shape is not None and b.shape is not None:
        return None
    return make_spec(dtype, shape)


def _fits(spec: TensorSpec, dtype: DType) -> bool:
    return spec.weak or is_lossless(spec.dtype, dtype)


def _join_shapes(a: Shape | None, b: Shape | None) -> Shape | None:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(m if m == n else UNKNOWN for m, n in zip(a, b, strict=True))
