"""What stands for objects of the heap in the program: instances of a subclass that hold a number.

Comes in: an object that was just made. Goes out: the same, as one of the heap: its attributes are
read from the columns of its class and written there, by whatever code. To `runtime.trees` it is a
node with one leaf, its number: so branches and loops, lists, tuples and attributes hold it as they
hold integers. Several instances may stand for one object: `is` and `==` compare numbers.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import partial
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

from autograph.operators import table
from autograph.operators.mutation.reachable_objects import CLOSED, attributes_of, class_attribute
from runtime.dispatch import apply
from runtime.errors import MutationError, StagedKeyError
from runtime.graph.opdef import REGISTRY
from runtime.tensor import is_staged
from runtime.tree_classes import register_tree

if TYPE_CHECKING:
    from autograph.operators.heap.heap import Heap

HEAP, NUMBER = "__autograph_heap__", "__autograph_number__"
"""Under which names an instance holds what it stands for."""

_classes: dict[type, type] = {}
_on_heap: dict[type, type] = {}
_open: dict[type, type] = {}
_plain: dict[type, type] = {}


def may_be_on_heap(cls: type) -> bool:
    """Tell whether the instances of a class are made of attributes, and of nothing else."""
    if type(cls) not in (type, ABCMeta) or cls.__module__.startswith(CLOSED) or is_dataclass(cls):
        return False
    own = {name for x in cls.__mro__[:-1] for name in vars(x)}
    return own.isdisjoint(_OTHERWISE)


_OTHERWISE = frozenset(
    [
        "__new__", "__getattribute__", "__setattr__", "__delattr__", "__del__",
        "__reduce__", "__reduce_ex__", "__init_subclass__",
    ]
)  # fmt: skip
"""What a class has whose instances are more than their attributes."""


def is_on_heap(value: Any) -> bool:
    """Tell whether a value stands for an object of the heap."""
    return type(value) in _on_heap


def is_heap_class(cls: type) -> bool:
    """Tell whether the instances of a class stand for objects of the heap."""
    return cls in _on_heap


def place_of(value: Any) -> tuple[Heap, Any]:
    """Return the heap of an object, and its number there."""
    held = object.__getattribute__(value, "__dict__")
    return held[HEAP], held[NUMBER]


def has_equality(cls: type) -> bool:
    """Tell whether a class of the user's says itself what its instances are equal to."""
    return _equality_of(plain_class(cls)) is not _equality_of(object)


def _equality_of(cls: Any) -> Any:
    return cls.__eq__


def plain_class(cls: type) -> type:
    """Return the class of the user's that a class of objects on the heap stands for, or itself."""
    return _on_heap.get(cls) or _plain.get(cls, cls)


def has_slots_only(cls: type) -> bool:
    """Tell whether instances have the attributes that `__slots__` names, and no others."""
    return cls.__dictoffset__ == 0


def unmade(cls: type) -> Any:
    """Return an instance of a class without `__init__`, which can be put on the heap.

    One that has slots only is of a subclass that has a dictionary until it is.
    """
    if has_slots_only(cls):
        if cls not in _open:
            named = {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
            _open[cls] = type(cls)(cls.__name__, (cls,), named)
            _plain[_open[cls]] = cls
        cls = _open[cls]
    return object.__new__(cls)


def own_attribute(cls: type, name: str) -> Any:
    """Return what describes an attribute of instances, or None; a slot holds it, as others do."""
    found = class_attribute(cls, name)
    return None if isinstance(found, MemberDescriptorType) else found


def is_same_object(a: Any, b: Any) -> Any:
    """Return whether two objects are one, by their numbers; None where neither is on the heap."""
    if not (is_on_heap(a) or is_on_heap(b)):
        return None
    if type(a) is not type(b):
        return False
    (heap, number), (other, theirs) = place_of(a), place_of(b)
    if heap is not other:
        return False
    found = number == theirs
    return apply(REGISTRY["truth"], [found]) if is_staged(found) else found


def put_on(heap: Heap, number: Any, instance: Any) -> None:
    """Have an object stand for one of the heap."""
    if has_slots_only(heap.cls):
        for name in instance.__dict__:
            object.__setattr__(object.__new__(heap.cls), name, None)  # raises what Python says
        for name, _ in attributes_of(instance):
            delattr(instance, name)
    instance.__dict__.clear()
    instance.__dict__.update({HEAP: heap, NUMBER: number})
    instance.__class__ = _class_of(heap.cls)


def _class_of(cls: type) -> type:
    if cls not in _classes:
        methods: dict[str, Any] = {**_METHODS, **_identity(cls), "__doc__": cls.__doc__}
        if not has_slots_only(cls):
            methods["__slots__"] = ()
        methods.setdefault("__copy__", getattr(cls, "__copy__", _copy))
        named = {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
        made = type(cls)(cls.__name__, (cls,), {**methods, **named})
        _classes[cls], _on_heap[made] = made, cls
        register_tree(made, _take, partial(_instance, made), is_reference=True)
    return _classes[cls]


def _take(value: Any) -> tuple[Sequence[Any], Any]:
    heap, number = place_of(value)
    return (number,), heap


def _instance(cls: type, heap: Heap, parts: Sequence[Any]) -> Any:
    found: Any = object.__new__(cls)
    object.__getattribute__(found, "__dict__").update({HEAP: heap, NUMBER: parts[0]})
    return found


def _get(self: Any, name: str) -> Any:
    if name == "__class__":
        return plain_class(type(self))
    heap, number = place_of(self)
    if name in heap.fields and own_attribute(heap.cls, name) is None:
        return heap.get(number, name)
    return object.__getattribute__(self, name)


def _set(self: Any, name: str, value: Any) -> None:
    heap, number = place_of(self)
    if own_attribute(heap.cls, name) is not None:
        object.__setattr__(self, name, value)
    elif has_slots_only(heap.cls) and class_attribute(heap.cls, name) is None:
        object.__setattr__(object.__new__(heap.cls), name, value)  # raises what Python says
    else:
        heap.set(number, name, value)


def _delete(self: Any, name: str) -> None:
    heap, number = place_of(self)
    if own_attribute(heap.cls, name) is not None:
        object.__delattr__(self, name)
    else:
        heap.delete(number, name)


def _refuse_hash(self: Any) -> int:
    raise StagedKeyError(
        f"{_told(self)}, is a key or in a set; which object it is is known only when the graph "
        "runs. Use a number that it has"
    )


def _copy(self: Any) -> Any:
    heap, number = place_of(self)
    return _instance(type(self), heap, [heap.add_copy(number)])


def _refuse_copy(self: Any, *args: Any) -> Any:
    raise MutationError(
        f"{_told(self)}, is copied or pickled by code that is not converted: make another one of "
        "its attributes"
    )


def _told(value: Any) -> str:
    """Return what messages call an object."""
    name = plain_class(type(value)).__name__
    return f"an object of class {name}, which a staged branch or loop makes"


_METHODS: Mapping[str, Callable[..., Any]] = {
    "__getattribute__": _get,
    "__setattr__": _set,
    "__delattr__": _delete,
    "__reduce_ex__": _refuse_copy,
}


def _identity(cls: type) -> Mapping[str, Callable[..., Any]]:
    """Return what compares objects by what they are, for a class that does not say otherwise."""
    if has_equality(cls):
        return {}
    return {"__eq__": _equal, "__ne__": _unequal, "__hash__": _refuse_hash}


def _equal(self: Any, other: Any) -> Any:
    return is_same_object(self, other) if is_on_heap(other) else NotImplemented


def _unequal(self: Any, other: Any) -> Any:
    return table.operators.not_(_equal(self, other)) if is_on_heap(other) else NotImplemented
