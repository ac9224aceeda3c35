"""What values of a graph are in kernels of numbers, and of elements of arrays."""

from __future__ import annotations

from runtime.dtypes import DType
from runtime.kernels.kernel import ArrayType, Port, Type, UnsupportedError
from runtime.lower.index_maps import NUMBERS
from runtime.spec import TensorSpec


def port_of(spec: TensorSpec, written: bool = False, in_place: bool = False) -> Port:
    """Return how a value enters or leaves a kernel."""
    return Port(type_of(spec), spec.weak, written, in_place)


def type_of(spec: TensorSpec) -> Type:
    """Return the type of a value."""
    if spec.shape == () or spec.shape is None or spec.dtype.name not in NUMBERS:
        return number_of(spec)
    return ArrayType(spec.dtype, tuple(n if isinstance(n, int) else None for n in spec.shape))


def number_of(spec: TensorSpec) -> DType:
    """Return the dtype of a value that is a single number."""
    if spec.shape != () or spec.dtype.name not in NUMBERS:
        raise UnsupportedError(f"values of {spec}")
    return spec.dtype
