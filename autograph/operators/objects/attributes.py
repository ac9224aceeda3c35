"""Attributes that an object may lack, as a staged branch or loop gave it them or took them away.

After `if x > 0: o.a = 1` with a staged `x`, the attribute is there, and its value has a truth value
beside it that says whether it is there when the graph runs. `hasattr`, `getattr` and `del` ask
that; so does reading the value, which is an AttributeError where it is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from autograph import conversion
from autograph.operators import table
from autograph.operators.builtins import decompositions
from autograph.operators.heap.heap_objects import is_on_heap, place_of, plain_class
from autograph.operators.mutation.journal import recorded, touch, written
from autograph.operators.mutation.reachable_objects import attributes_of, is_open
from autograph.operators.objects.presence import attribute_presence, known, present
from autograph.operators.objects.special_methods import (
    accessor_of,
    accessors_of,
    described,
    special,
)
from runtime import default_graph
from runtime.dispatch import check_defined
from runtime.errors import AttributeName, MutationError
from runtime.union import Choice, values_of


def has_attribute(owner: Any, name: str) -> Any:
    """`hasattr(owner, name)`, staged where that is known only when the graph runs."""
    if _is_read_by_code(owner, name):
        asked: Any = decompositions.has_attribute
        return conversion.convert(asked, table.operators)(owner, name)
    flag = _presence(owner, name)
    return hasattr(owner, name) if flag is None else flag


def get_attribute(owner: Any, name: str, *default: Any) -> Any:
    """`getattr(owner, name, default)`, chosen when the graph runs where that decides."""
    if not default:
        return attribute(owner, name)
    if _is_read_by_code(owner, name):
        recipe: Any = decompositions.attribute_or
        return conversion.convert(recipe, table.operators)(owner, name, *default)
    flag = _presence(owner, name)
    if flag is None:
        return getattr(owner, name, *default)
    return table.operators.if_exp(flag, lambda: known(getattr(owner, name)), lambda: default[0])


def attribute(owner: Any, name: str) -> Any:
    """Return `owner.name`; AttributeError, when the graph runs, where it is absent then.

    Properties and other descriptors, and `__getattr__`, are calls if they are written in Python.
    """
    is_by_code = type(owner) not in _PLAIN and _is_read_by_code(owner, name)
    is_of_each = is_by_code or name == "__class__"
    if type(owner) is Choice and (is_of_each or any(map(is_on_heap, values_of(owner)))):
        return _attribute_of_each(owner, name)
    if not is_by_code:
        return present(getattr(owner, name))
    return present(_read(owner, name))


def _attribute_of_each(owner: Choice, name: str) -> Any:
    """Return an attribute of one of several things, which was joined where these were."""
    found = table.operators.call(getattr, owner, name)
    if type(found) is Choice:
        object.__setattr__(found, "_join", owner._join)
    return found


_PLAIN = frozenset({ModuleType, type, np.ndarray, list, dict})
"""Classes of most owners: no code of the user's reads their attributes."""


def _is_read_by_code(owner: Any, name: Any) -> bool:
    """Tell whether code of the user's runs where an attribute is read."""
    if default_graph.current() is None:
        return False
    kind = type(owner)
    if kind is Choice:
        return any(_is_read_by_code(x, name) for x in values_of(owner))
    if kind is super:
        return name in accessors_of(owner.__self_class__).reading
    reading = accessors_of(kind).reading
    return name in reading or "__getattr__" in reading


def _read(owner: Any, name: str) -> Any:
    """Return an attribute as `object.__getattribute__` finds it, and else `__getattr__`."""
    kind = type(owner)
    if kind is super:
        getter = accessor_of(described(_mro_of(owner), name), "get")
        is_of_class = owner.__self__ is owner.__self_class__
        if getter is None or is_of_class:
            return getattr(owner, name)
        return getter(owner.__self__)
    missing = special(owner, "__getattr__")
    try:
        if name in accessors_of(kind).reading:
            return _described(owner, name, described(kind.__mro__, name))
        python: Any = kind.__getattribute__
        found, flag = python(owner, name), _presence(owner, name)
    except AttributeError:
        if missing is None:
            raise
        return table.operators.call(missing, name)
    if flag is None:
        return found
    return table.operators.if_exp(
        flag, lambda: known(found), lambda: table.operators.call(missing, name)
    )


def _mro_of(owner: Any) -> Sequence[type]:
    """Return the classes in which `super()` looks."""
    mro = owner.__self_class__.__mro__
    return mro[mro.index(owner.__thisclass__) + 1 :]  # type: ignore[no-any-return]


def _described(owner: Any, name: str, held: Any) -> Any:
    """Return an attribute that a descriptor gives, if the object has none of its own before it."""
    getter, own = accessor_of(held, "get"), getattr(owner, "__dict__", {})
    assert getter is not None

    def kept(value: Any) -> Any:
        if isinstance(held, cached_property):
            written(owner)
            own[name] = value
        return value

    if name not in own or hasattr(type(held), "__set__") or hasattr(type(held), "__delete__"):
        return kept(getter(owner))
    flag, value = _presence(owner, name), own[name]
    if flag is None:
        return value
    return table.operators.if_exp(flag, lambda: kept(known(value)), lambda: kept(getter(owner)))


def assigned(owner: Any, called: str = "") -> Any:
    """Return an object of which an attribute is about to be assigned.

    Args:
        owner: the object.
        called: what messages call it.

    Returns:
        the object, or what assigns its attributes, if code of the user's does that.
    """
    touch(owner)
    return _writable(recorded(owner, called))


def _writable(owner: Any) -> Any:
    if type(owner) is Choice:
        is_by_code = any(accessors_of(type(x)).writing for x in values_of(owner))
    else:
        is_by_code = bool(accessors_of(type(owner)).writing)
    return Owner(owner) if is_by_code and default_graph.current() is not None else owner


class Owner:
    """An object of whose class code of the user's assigns and deletes attributes."""

    __slots__ = ("_owner",)
    _owner: Any

    def __init__(self, owner: Any) -> None:
        object.__setattr__(self, "_owner", owner)

    def __setattr__(self, name: str, value: Any) -> None:
        self._run("set", "__setattr__", setattr, name, value)

    def __delattr__(self, name: str) -> None:
        self._run("delete", "__delattr__", delattr, name)

    def _run(self, what: str, hook: str, python: Any, name: str, *value: Any) -> None:
        owner = self._owner
        if type(owner) is Choice:
            owner.change(lambda option: Owner(option)._run(what, hook, python, name, *value))
            return
        own = special(owner, hook)
        accessor = accessor_of(described(type(owner).__mro__, name), what)
        if own is not None:
            table.operators.call(own, name, *value)
        elif accessor is not None:
            accessor(owner, *value)
        else:
            python(owner, name, *value)


def set_attribute(owner: Any, name: str, value: Any) -> None:
    """`setattr(owner, name, value)`."""
    setattr(assigned(owner), name, value)


def delete_attribute(owner: Any, name: str) -> None:
    """`delattr(owner, name)`."""
    delattr(deleted(owner, "", name), name)


def deleted(owner: Any, called: str, name: str) -> Any:
    """Return an object of which an attribute is about to be deleted."""
    if type(owner) is Choice:
        Choice.each(owner, lambda option: _check_there(option, name))
    else:
        _check_there(owner, name)
    return assigned(owner, called)


def _check_there(owner: Any, name: str) -> None:
    """Have the graph raise an AttributeError where an object that may lack an attribute does."""
    flag, builder = _presence(owner, name), default_graph.current()
    if flag is not None and builder is not None:
        check_defined(builder, AttributeName(name, type(owner).__name__, name), flag)


def whole(owner: Any) -> Any:
    """Return an object all of whose attributes are asked for; MutationError if it may lack one."""
    if is_on_heap(owner):
        raise MutationError(
            f"the attributes of an object of class {plain_class(type(owner)).__name__}, which a "
            "staged branch or loop makes, are asked for as a dict: ask for each by its name"
        )
    if default_graph.current() is not None and is_open(owner):
        for name, _ in attributes_of(owner):
            if _presence(owner, name) is not None:
                raise MutationError(
                    f"the attributes of an object of class {type(owner).__name__} are asked for, "
                    f"and whether it has {name!r} is known only when the graph runs. Ask for it "
                    f"by hasattr(x, {name!r}), or give it a value in all branches"
                )
    return owner


def _presence(owner: Any, name: Any) -> Any:
    """Return the truth value that says whether an object has an attribute; None if it is known."""
    if is_on_heap(owner) and isinstance(name, str):
        heap, number = place_of(owner)
        return heap.has(number, name)
    is_known = default_graph.current() is None or not isinstance(name, str)
    if is_known or not (is_open(owner) or isinstance(owner, type)):
        return None
    own = vars(owner) if isinstance(owner, type) else dict(attributes_of(owner))
    return attribute_presence(own.get(name), name)
