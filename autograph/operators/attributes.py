"""Attributes that an object may lack, as a staged branch or loop gave it them or took them away.

After `if x > 0: o.a = 1` with a staged `x`, the attribute is there, and its value has a truth value
beside it that says whether it is there when the graph runs. `hasattr`, `getattr` and `del` ask
that; so does reading the value, which is an AttributeError where it is not there.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from autograph.operators import table
from autograph.operators.journal import written
from autograph.operators.reachable_objects import attributes_of, is_open
from runtime import default_graph, trees
from runtime.dispatch import apply, check_defined, value_of
from runtime.errors import AttributeName, MutationError
from runtime.graph.opdef import REGISTRY
from runtime.tensor import Symbol


def has_attribute(owner: Any, name: str) -> Any:
    """`hasattr(owner, name)`, staged where that is known only when the graph runs."""
    flag = _presence(owner, name)
    return hasattr(owner, name) if flag is None else flag


def get_attribute(owner: Any, name: str, *default: Any) -> Any:
    """`getattr(owner, name, default)`, chosen when the graph runs where that decides."""
    flag = _presence(owner, name) if default else None
    if flag is None:
        return getattr(owner, name, *default)
    return table.operators.if_exp(flag, lambda: getattr(owner, name), lambda: default[0])


def deleted(owner: Any, called: str, name: str) -> Any:
    """Return an object of which an attribute is about to be deleted."""
    flag, builder = _presence(owner, name), default_graph.current()
    if flag is not None and builder is not None:
        check_defined(builder, AttributeName(name, type(owner).__name__, name), flag)
    return written(owner, called)


def whole(owner: Any) -> Any:
    """Return an object all of whose attributes are asked for; MutationError if it may lack one."""
    if default_graph.current() is not None and is_open(owner):
        for name, _ in attributes_of(owner):
            if _presence(owner, name) is not None:
                raise MutationError(
                    f"the attributes of an object of class {type(owner).__name__} are asked for, "
                    f"and whether it has {name!r} is known only when the graph runs. Ask for it "
                    f"by hasattr(x, {name!r}), or give it a value in all branches"
                )
    return owner


def present(value: Any) -> Any:
    """Return an attribute or variable that was read.

    When the graph runs, AttributeError or UnboundLocalError where it is absent.
    """
    if type(value) is Symbol and value.valid is not None:
        name, flag = value.valid
        builder = default_graph.current()
        if builder is not None:
            check_defined(builder, name, flag)
            if value.spec.shape == () and not value.is_cell:  # a number, which nobody writes
                return Symbol(builder, value_of(value))
    return value


def _presence(owner: Any, name: Any) -> Any:
    """Return the truth value that says whether an object has an attribute; None if it is known."""
    if default_graph.current() is None or not isinstance(name, str) or not is_open(owner):
        return None
    value = dict(attributes_of(owner)).get(name)
    found = [x.valid for x in trees.flatten(value)[0] if type(x) is Symbol and x.valid is not None]
    flags = {
        id(x[1]): x[1] for x in found if type(x[0]) is AttributeName and x[0].attribute == name
    }
    return reduce(_both, flags.values()) if flags else None


def _both(one: Any, other: Any) -> Any:
    return apply(REGISTRY["logical_and"], [one, other])
