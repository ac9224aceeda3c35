"""Guards on arguments, as text: whether an argument is what a trace was made for.

    type(x) is ndarray and x.dtype is dtype_0 and x.shape == (2, 2)
    type(x) is list and len(x) >= 9 and (x_columns := read_1(x)) is not None
    type(x) is tuple and len(x) == 2 and type((x_0 := x[0])) is ndarray and ...

Comes in: the name of an argument and its trace type. Goes out: an expression, the objects that it
names, and under which names the arrays of the argument stand where it is true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, TypeAlias

from autograph.function.tracetype import LiteralType, ObjectType, TensorType, TraceType
from autograph.operators.lists.list_columns import Columns, Form, reader
from runtime import trees
from runtime.dtypes import is_string
from runtime.spec import UNKNOWN, Dim
from runtime.tensor import Tensor
from runtime.tree_classes import CLASSES, find_kind
from runtime.tree_kinds import DATACLASS, NAMED_TUPLE, slots_of


@dataclass(frozen=True, slots=True)
class ColumnsType:
    """An argument that is a list of numbers, which is given in columns.

    Args:
        form: what its items are.
        types: of its columns.
    """

    form: Form
    types: Sequence[TensorType]


@dataclass(frozen=True, slots=True)
class ContainerType:
    """An argument that is a container, or a part of one.

    Args:
        cls: its class.
        data: what else than its items `trees` says of it.
        items: what those are.
    """

    cls: type
    data: Any
    items: Sequence[Kind]


Kind: TypeAlias = TraceType | ColumnsType | ContainerType
MOST_PARTS = 1024
"""The guard of arguments with more parts would take long to compile."""


def kinds_of(
    structure: trees.Structure, types: Sequence[Any], parameters: Sequence[Parameter]
) -> Sequence[Kind] | None:
    """Return what each parameter has; None if they are too many, one, or columns in a container."""
    if len(structure.entries) > MOST_PARTS or trees.is_shared(structure):
        return None
    args, kwargs = trees.fold(structure, list(types), _container).items
    rest, named = [*args.items], dict(zip(kwargs.data[0], kwargs.items, strict=True))
    found: list[Kind] = []
    for x in parameters:
        if x.kind is x.VAR_POSITIONAL:
            found.append(ContainerType(tuple, None, rest))
        elif x.kind is x.VAR_KEYWORD:
            data = (*named,), (str,) * len(named)
            found.append(ContainerType(dict, data, [*named.values()]))
        elif x.kind is x.KEYWORD_ONLY and next(iter(named), None) == x.name:
            found.append(named.pop(x.name))
        elif x.kind is not x.KEYWORD_ONLY and rest:
            found.append(rest.pop(0))
        else:
            return None
    return None if any(map(_holds_columns, found)) else found


def _container(cls: type, data: Any, items: list[Any]) -> Any:
    if cls is type(None):
        return _NONE
    return ColumnsType(data, items) if cls is Columns else ContainerType(cls, data, items)


def _holds_columns(kind: Kind) -> bool:
    items = kind.items if isinstance(kind, ContainerType) else ()
    return any(isinstance(x, ColumnsType) or _holds_columns(x) for x in items)


def _item(name: str, number: int) -> str:
    """Return the local name of an item of a container."""
    return f"_entry_{number}_in_{name}"


_NONE = LiteralType(None, type(None), "None")


def arrays_of(name: str, kind: Kind) -> list[str]:
    """Return the expressions of the arrays of an argument that fits."""
    if isinstance(kind, ColumnsType):
        return [f"_entry_{name}_columns[{k}]" for k in range(len(kind.types))]
    if isinstance(kind, ContainerType):
        return [y for k, x in enumerate(kind.items) for y in arrays_of(_item(name, k), x)]
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
            "_entry_tuple": tuple,
            "_entry_map": map,
            "_entry_getattr": getattr,
            "_entry_classes": CLASSES,
        }
        self._sizes: dict[Dim, str] = {}
        self._dataclasses: set[type] = set()

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
        if isinstance(kind, ContainerType):
            return self._container(name, kind)
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

    def _container(self, name: str, kind: ContainerType) -> str | None:
        parts = self._parts(name, kind)
        if parts is None:
            return None
        test, sources = parts
        checks = [f"_entry_type({name}) is {self.named('type', kind.cls)} and {test}"]
        for number, (source, each) in enumerate(zip(sources, kind.items, strict=True)):
            local = _item(name, number)
            found = self.guard(local, each)
            if found is None:
                return None
            checks.append(found.replace(local, f"({local} := {source})", 1))
        return " and ".join(checks)

    def _parts(self, name: str, kind: ContainerType) -> tuple[str, list[str]] | None:
        """Return a test of a container of a known class, and the expressions of its items."""
        cls, data, count = kind.cls, kind.data, len(kind.items)
        if cls is dict:
            keys, classes = self.named("keys", data[0]), self.named("types", data[1])
            test = f"_entry_tuple({name}) == {keys}"
            test += f" and _entry_tuple(_entry_map(_entry_type, {name})) == {classes}"
            return test, [f"{name}[{self.named('key', key)}]" for key in data[0]]
        if cls in (tuple, list) or find_kind(cls) is NAMED_TUPLE:
            return f"_entry_len({name}) == {count}", [f"{name}[{k}]" for k in range(count)]
        if find_kind(cls) is not DATACLASS or not set(slots := slots_of(cls)) <= {*data}:
            return None
        own, keys = f"_entry_own_{name}", data[: count - len(slots)]
        test = f"_entry_tuple({own} := {name}.__dict__) == {self.named('keys', keys)}"
        nothing = self.named("nothing", object())
        sources = [f"{own}[{key!r}]" for key in keys]
        sources += [f"_entry_getattr({name}, {key!r}, {nothing})" for key in slots]
        test = test if cls.__dictoffset__ else "True"
        if cls not in self._dataclasses:  # it is a leaf once an instance contains itself
            self._dataclasses.add(cls)
            test = f"{self.named('class', cls)} in _entry_classes and {test}"
        return test, sources

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
