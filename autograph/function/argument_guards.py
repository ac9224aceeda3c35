"""Guards on arguments, as text: whether an argument is what a trace was made for.

    type(x) is ndarray and x.dtype is dtype_0 and x.shape == (2, 2)
    type(x) is list and len(x) >= 9 and (x_columns := read_1(x)) is not None

Comes in: the name of an argument and its trace type. Goes out: an expression, the objects that it
names, and under which names the arrays of the argument stand where it is true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from autograph.function.tracetype import LiteralType, ObjectType, TensorType, TraceType
from autograph.operators.lists.list_columns import Columns, Form, reader
from runtime import trees
from runtime.dtypes import is_string
from runtime.spec import UNKNOWN, Dim
from runtime.tensor import Tensor


@dataclass(frozen=True, slots=True)
class ColumnsType:
    """An argument that is a list of numbers, which is given in columns.

    Args:
        form: what its items are.
        types: of its columns.
    """

    form: Form
    types: Sequence[TensorType]


Kind = TraceType | ColumnsType


def kinds_of(structure: Any, types: Sequence[Any]) -> list[Kind] | None:
    """Return what each argument is; None if one is another container than `None` or columns."""
    args, kwargs = trees.unflatten(structure, range(len(types)))
    found: list[Kind] = []
    for x in (*args, *kwargs.values()):
        if type(x) is Columns:
            found.append(ColumnsType(x.form, [types[k] for k in x.arrays]))
        elif x is None or type(x) is int:
            found.append(_NONE if x is None else types[x])
        else:
            return None
    return found


_NONE = LiteralType(None, type(None), "None")


def arrays_of(name: str, kind: Kind) -> list[str]:
    """Return the expressions of the arrays of an argument that fits."""
    if isinstance(kind, ColumnsType):
        return [f"_entry_{name}_columns[{k}]" for k in range(len(kind.types))]
    if not isinstance(kind, TensorType):
        return []
    return [f"{name}.array" if kind.holder is Tensor else name]


class ArgumentGuards:
    """Writes the guards of one entry.

    Attributes:
        globals: the objects that the guards name.
    """

    def __init__(self) -> None:
        self.globals: dict[str, Any] = {
            "_entry_Tensor": Tensor,
            "_entry_type": type,
            "_entry_len": len,
            "_entry_list": list,
        }
        self._sizes: dict[Dim, str] = {}

    def named(self, name: str, value: Any) -> str:
        """Return a new name for an object."""
        unique = f"_entry_{name}_{len(self.globals)}"
        self.globals[unique] = value
        return unique

    def guard(self, name: str, kind: Kind) -> str | None:
        """Return an expression that is true when an argument has a trace type; None if none is."""
        if isinstance(kind, TensorType):
            return self._tensor(name, kind)
        if isinstance(kind, ColumnsType):
            return self._columns(name, kind)
        if isinstance(kind, ObjectType):
            return self._object(name, kind)
        return self._literal(name, kind) if isinstance(kind, LiteralType) else None

    def _tensor(self, name: str, kind: TensorType) -> str | None:
        spec = kind.spec
        if spec.shape is None:
            return None
        if kind.described is not None:
            is_like = kind.described.test(name, self.named)
            return f"_entry_type({name}) is {self.named('type', kind.holder)} and {is_like}"
        holder = self.named("type", kind.holder)
        array = f"{name}.array" if kind.holder is Tensor else name
        if kind.holder is Tensor:
            holder = "_entry_Tensor"
        elif not hasattr(kind.holder, "__setitem__"):
            return f"_entry_type({name}) is {holder}"
        dtype = self.named("dtype", spec.dtype)
        same = "==" if is_string(spec.dtype) else "is"
        checks = [f"_entry_type({name}) is {holder}", f"{array}.dtype {same} {dtype}"]
        if kind.inner is not None:
            checks.insert(1, f"_entry_type({array}) is {self.named('type', kind.inner)}")
        if spec.is_static:
            checks.append(f"{array}.shape == {spec.shape!r}")
        else:
            checks.append(f"_entry_len({array}.shape) == {len(spec.shape)}")
            checks += self._size_checks(f"{array}.shape", spec.shape)
        return " and ".join(checks)

    def _columns(self, name: str, kind: ColumnsType) -> str:
        read = self.named("read", reader(kind.form))
        checks = [
            f"_entry_type({name}) is _entry_list and _entry_len({name}) >= {kind.form.least}",
            f"(_entry_{name}_columns := {read}({name})) is not None",
        ]
        for array, each in zip(arrays_of(name, kind), kind.types, strict=True):
            checks += self._size_checks(f"{array}.shape", each.spec.shape or ())
        return " and ".join(checks)

    def _size_checks(self, shape: str, sizes: Sequence[int | Dim]) -> Iterator[str]:
        """Yield comparisons of known sizes, and of sizes of one name with the first of them."""
        for axis, size in enumerate(sizes):
            here = f"{shape}[{axis}]"
            if isinstance(size, int):
                yield f"{here} == {size}"
            elif size != UNKNOWN and self._sizes.setdefault(size, here) != here:
                yield f"{here} == {self._sizes[size]}"

    def _object(self, name: str, kind: ObjectType) -> str | None:
        if len(kind.references) > 1:  # a method
            return None
        reference = self.named("object", kind.references[0])
        return f"{name} is not None and {name} is {reference}()"

    def _literal(self, name: str, kind: LiteralType) -> str | None:
        if kind.kind in (bool, type(None), type(Ellipsis)):
            return f"{name} is {kind.text}"
        expected = self.named("type", kind.kind)
        if kind.is_told_by_value:
            return f"_entry_type({name}) is {expected} and {name} == {kind.text}"
        if kind.kind is float:
            return f"_entry_type({name}) is {expected} and {name}.hex() == {kind.restored.hex()!r}"
        return None
