"""What of an argument a trace depends on.

    tensors, arrays, NumPy scalars    kind, dtype and shape
    generators of random numbers      class, and that of the bit generator
    Python scalars, strings, None     type and value
    methods                           identity of function and object
    objects with `__tracing_type__`   class, and what that method (or `__tf_tracing_type__`) returns
    other objects                     identity

Containers (tuples, lists, dicts, named tuples, dataclasses) count by their structure and leaves.
"""

from __future__ import annotations

import math
import operator
import random
import weakref
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from runtime.backends import is_foreign
from runtime.data.stage import Stage
from runtime.dtypes import is_supported as is_supported_dtype
from runtime.errors import DtypeError
from runtime.opaque import OPAQUE
from runtime.ops.streams import DATASET
from runtime.spec import UNKNOWN, Dim, TensorSpec, accepts, make_spec, spec_of
from runtime.tensor import Symbol, Tensor

LITERALS = (bool, int, float, complex, str, bytes, range, type(None), type(Ellipsis))
BY_TEXT = (float, complex)
BIT_GENERATORS = {
    getattr(np.random, name) for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
}


class Described(NamedTuple):
    """What is known of an object that no spec describes.

    Args:
        dtype: of its elements.
        ndim: the number of its axes.
        kinds: the classes of its elements, where these are objects of Python's.
    """

    dtype: Any
    ndim: int
    kinds: frozenset[type] = frozenset()

    def __str__(self) -> str:
        return f"{self.dtype}, {self.ndim} axes"

    def test(self, value: str, named: Callable[[str, Any], str]) -> str:
        """Return the text that tells whether a value of the class is like this one."""
        test = f"{value}.dtype == {named('dtype', self.dtype)} and {value}.ndim == {self.ndim}"
        if self.dtype == object:
            test += f" and {named('kinds_of', kinds_of)}({value}) == {named('kinds', self.kinds)}"
        return test


class Source(NamedTuple):
    """What is known of a source of random numbers.

    Args:
        kind: the class of what makes its bits.
        path: of the attribute that this is; empty for the source itself.
    """

    kind: type
    path: str

    def __str__(self) -> str:
        return self.kind.__name__

    def test(self, value: str, named: Callable[[str, Any], str]) -> str:
        """Return the text that tells whether a value of the class is like this one."""
        return f"{named('type', type)}({value}{self.path}) is {named('type', self.kind)}"


@dataclass(frozen=True, slots=True)
class TensorType:
    """An argument that becomes a parameter of the graph.

    Args:
        holder: the class of the argument: an array class, `Tensor`, or a NumPy scalar type.
        spec: its dtype and shape.
        inner: the class of the array in a `Tensor`.
        described: of an object that no spec describes: what is known of it.
    """

    holder: type
    spec: TensorSpec
    inner: type | None = None
    described: Described | Source | None = None

    def admits(self, other: Hashable) -> bool:
        """Tell whether a trace for this type serves an argument of the other one, too."""
        if isinstance(other, LiteralType):
            return self.spec.weak and other.kind is self.holder
        if not isinstance(other, TensorType):
            return False
        mine = (self.holder, self.inner, self.described)
        if (other.holder, other.inner, other.described) != mine:
            return False
        return accepts(self.spec, other.spec)

    def __str__(self) -> str:
        return f"{self.holder.__name__} of {self.described}" if self.described else str(self.spec)


@dataclass(frozen=True, slots=True)
class LiteralType:
    """An argument whose value is part of the trace.

    Args:
        value: the value.
        kind: its type: 1, 1.0 and True are different arguments.
        text: its `repr`, which also tells 0.0 from -0.0.
    """

    value: Any
    kind: type
    text: str

    @property
    def restored(self) -> Any:
        """The value itself, also of a float."""
        return self.kind(self.text) if self.kind in BY_TEXT else self.value

    @property
    def is_told_by_value(self) -> bool:
        """Whether all that is equal and of its type is the same: zeros have signs."""
        if self.kind is float:
            return math.isfinite(self.restored) and self.restored != 0
        return self.kind in (int, str, bytes)

    def admits(self, other: Hashable) -> bool:
        """Tell whether a trace for this type serves an argument of the other one, too."""
        return self == other

    def __str__(self) -> str:
        return self.text


class ObjectType:
    """An argument that is an object of its own, known by identity and held weakly.

    A method is a new object whenever it is asked for: it is known by its function and its object.

    Attributes:
        kind: its class.
        references: what return the object, or the two parts of a method; None for what is gone.
    """

    __slots__ = ("_hash", "kind", "references")

    def __init__(self, value: Any) -> None:
        bound = hasattr(value, "__func__") and hasattr(value, "__self__")
        parts = (value.__func__, value.__self__) if bound else (value,)
        self._hash = hash(tuple(map(id, parts)))
        self.kind = type(value)
        self.references = tuple(map(_reference, parts))

    @property
    def values(self) -> tuple[Any, ...]:
        """What the references return now."""
        return tuple(reference() for reference in self.references)

    @property
    def is_alive(self) -> bool:
        """Whether the object is still there."""
        return all(part is not None for part in self.values)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObjectType):
            return NotImplemented
        mine, others = self.values, other.values
        same = len(mine) == len(others) and all(map(operator.is_, mine, others))
        return self is other or (same and self.is_alive)

    def admits(self, other: Hashable) -> bool:
        """Tell whether a trace for this type serves an argument of the other one, too."""
        return self == other

    def __str__(self) -> str:
        return f"<{self.kind.__name__} object>"


def _reference(value: Any) -> Callable[[], Any]:
    """Return what gives an object as long as it lives; one without weak references lives on."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


@dataclass(frozen=True, slots=True)
class OwnType:
    """An argument whose class says what a trace depends on, by a method `__tracing_type__`.

    Args:
        kind: its class.
        key: what the method returns, which can be hashed. Where that has a method
            `is_subtype_of(other)`, a trace for the other one serves it, too.
    """

    kind: type
    key: Hashable

    def admits(self, other: Hashable) -> bool:
        """Tell whether a trace for this type serves an argument of the other one, too."""
        if not isinstance(other, OwnType) or other.kind is not self.kind:
            return False
        is_subtype = getattr(other.key, "is_subtype_of", None)
        return other.key == self.key or (is_subtype is not None and bool(is_subtype(self.key)))

    def __str__(self) -> str:
        return f"<{self.kind.__name__} {self.key!r}>"


TraceType = TensorType | LiteralType | ObjectType | OwnType


def trace_type(value: Any) -> TraceType:
    """Return the trace type of a leaf of the arguments.

    Raises:
        DtypeError: it is an array of a dtype that is not supported.
    """
    kind = type(value)
    if kind is Tensor:
        return TensorType(Tensor, value.spec, type(value.array))
    if isinstance(value, TensorSpec):
        if value.gives_tensors:
            return TensorType(Tensor, make_spec(value.dtype, value.shape), np.ndarray)
        return TensorType(np.ndarray, value)
    if isinstance(value, Stage):
        return TensorType(Stage, DATASET)
    if kind in LITERALS:
        return LiteralType(None if kind in BY_TEXT else value, kind, repr(value))
    if is_of_host(value):
        described = Described(value.dtype, value.ndim, kinds_of(value))
        return TensorType(kind, OPAQUE, described=described)
    if isinstance(value, np.ndarray | np.generic) or is_foreign(value):
        return TensorType(kind, spec_of(value))
    source = source_of(value)
    if source is not None:
        return TensorType(kind, OPAQUE, described=source)
    if isinstance(value, Symbol):
        raise DtypeError("a symbol of an unfinished trace was passed to a staged function")
    if hasattr(kind, "__tracing_type__"):
        return OwnType(kind, value.__tracing_type__())
    if hasattr(kind, "__tf_tracing_type__"):
        return OwnType(kind, value.__tf_tracing_type__(None))
    return ObjectType(value)


def is_of_host(value: Any) -> bool:
    """Tell whether a value is an array or number of NumPy's that no spec describes."""
    if not isinstance(value, np.ndarray | np.generic):
        return False
    if value.dtype.kind == "O":
        return kinds_of(value) <= VALUES
    is_plain = isinstance(value, np.generic) or type(value) in (np.ndarray, np.memmap)
    # The graph's dtypes have no byte order, which `x.astype(float)` changes and `x.dtype` tells.
    return not (is_plain and is_supported_dtype(value.dtype) and value.dtype.isnative)


VALUES = frozenset({bool, int, float, complex, str, bytes, type(None)})
"""Classes whose objects nobody changes, and whose operators do nothing but compute."""


def kinds_of(array: Any) -> frozenset[type]:
    """Return the classes of the elements of an array that are objects of Python's.

    >>> sorted(kind.__name__ for kind in kinds_of(np.array([1, "a", 2], object)))
    ['int', 'str']
    """
    return frozenset(map(type, array.flat)) if array.dtype == object else frozenset()


def source_of(value: Any) -> Source | None:
    """Return what is known of a source of random numbers; None for a user's own, and for others."""
    kind, path = type(value), _BITS.get(type(value))
    if path is None:
        return Source(kind, "") if kind in BIT_GENERATORS or kind is random.Random else None
    bits = type(operator.attrgetter(path[1:])(value))
    return Source(bits, path) if bits in BIT_GENERATORS else None


_BITS = {np.random.Generator: ".bit_generator", np.random.RandomState: "._bit_generator"}


def is_supported(value: Any) -> bool:
    """Tell whether a leaf of the arguments has a trace type."""
    try:
        trace_type(value)
    except DtypeError:
        return False
    return True


def admits(general: Sequence[TraceType], special: Sequence[TraceType]) -> bool:
    """Tell whether a trace for the first types serves arguments of the second."""
    if len(general) != len(special):
        return False
    return all(map(lambda a, b: a.admits(b), general, special)) and _sizes_agree(general, special)


def _sizes_agree(general: Sequence[TraceType], special: Sequence[TraceType]) -> bool:
    """Tell whether dimensions of one name have one size in all arguments."""
    sizes: dict[Dim, int | Dim] = {}
    for wide, narrow in zip(general, special, strict=True):
        if isinstance(wide, TensorType) and isinstance(narrow, TensorType):
            for name, size in zip(wide.spec.shape or (), narrow.spec.shape or (), strict=False):
                if not isinstance(name, Dim) or name == UNKNOWN:
                    continue
                if sizes.setdefault(name, size) != size:
                    return False
    return True


def held_type(kind: Any, leaf: Any) -> Any:
    """Return the type of a signature for the class of the array that was passed for it."""
    if not isinstance(kind, TensorType) or isinstance(leaf, TensorSpec):
        return kind
    if type(leaf) is Tensor:
        return TensorType(Tensor, kind.spec, type(leaf.array))
    is_any = isinstance(leaf, np.generic) and kind.spec.shape is None
    return TensorType(np.ndarray if is_any or not hasattr(leaf, "shape") else type(leaf), kind.spec)
