"""Whether items are compared one by one: by `__eq__` of their classes, or as containers are."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from autograph.operators.containers.handles import Handle
from autograph.operators.containers.item_kinds import NOTHING, ItemKind
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.variants import Variant
from autograph.operators.heap.heap_objects import has_equality, is_heap_class
from autograph.operators.mutation.reachable_objects import is_open, is_users_class
from runtime import trees
from runtime.union import Choice, Known, values_of


def is_by_code(kind: ItemKind) -> bool:
    """Tell whether items of a kind, or parts of them, are compared one by one."""
    for entry in () if kind == NOTHING else kind.structure.entries:
        if entry is not None and (entry[0] is Handle or _is_written(entry[0])):
            return True
        for one in entry[1].kinds if entry is not None and entry[0] is Variant else ():
            if has_code(one.value) if isinstance(one, Known) else is_by_code(one):
                return True
    return False


def _is_written(cls: type) -> bool:
    """Tell whether instances of a class of nodes are compared by what the user wrote."""
    if is_heap_class(cls):
        return has_equality(cls)
    if is_dataclass(cls) and not all(field.compare for field in fields(cls)):
        return True
    made = getattr(cls.__eq__, "__code__", None)
    return made is not None and made.co_filename != GENERATED and is_users_class(cls)


GENERATED = "<string>"
"""The file of the methods that `dataclass` makes."""


def has_code(value: Any) -> bool:
    """Tell whether a value, or a part of it, is compared by code."""
    parts, structure = trees.flatten_to(value, lambda x: type(x) is Choice)
    nodes = (entry[0] for entry in structure.entries if entry is not None)
    return any(map(_has_code, parts)) or any(map(_is_written, nodes))


def _has_code(x: Any) -> bool:
    if type(x) is Choice:
        return any(map(has_code, values_of(x)))
    if type(x) is StagedTuple:
        return True
    return is_open(x) and not isinstance(x, Enum) and has_equality(type(x))
