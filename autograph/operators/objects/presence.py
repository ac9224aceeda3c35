"""Whether an attribute or a variable has a value, which may be known only when the graph runs.

Beside numbers and arrays is a flag that says so. Of other values a choice is made, of which one
option is that there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

from autograph.staging.text_join import renumbered
from runtime import default_graph, trees
from runtime.dispatch import apply, check_defined, value_of
from runtime.errors import AttributeName
from runtime.graph.opdef import REGISTRY
from runtime.tensor import Symbol
from runtime.union import Choice, values_of


def flags_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what may be without a value, and the truth value that says whether it has one."""
    if type(value) is Choice:
        which = value._which
        if type(which) is Symbol and which.valid is not None:
            yield which.valid
            which = Symbol(which.builder_now(), value_of(which, checked=False))
        for k, option in enumerate(value._options):
            if option.missing is not None:
                yield option.missing, apply(REGISTRY["not_equal"], [which, k])
        return
    for leaf in trees.flatten(value)[0]:
        if type(leaf) is Symbol and leaf.valid is not None:
            yield leaf.valid


def attribute_presence(value: Any, name: str) -> Any:
    """Return the truth value that says whether an attribute is there; None if it is known."""
    named = [x for x in flags_of(value) if type(x[0]) is AttributeName and x[0].attribute == name]
    flags = {id(flag): flag for _, flag in named}
    return reduce(_both, flags.values()) if flags else None


def _both(one: Any, other: Any) -> Any:
    return apply(REGISTRY["logical_and"], [one, other])


def present(value: Any) -> Any:
    """Return an attribute or variable that was read.

    When the graph runs, AttributeError or UnboundLocalError where it is absent.
    """
    builder = default_graph.current()
    found = None if builder is None else _flags_of_all(value)
    if builder is None or not found:
        return value
    for name, flag in found:
        check_defined(builder, name, flag)
    return known(value)


def _flags_of_all(value: Any) -> list[tuple[str, Any]]:
    """Return what says of a value as a whole whether it is there."""
    if type(value) is Choice or type(value) is Symbol:
        return list(flags_of(value))
    leaves = trees.flatten(value)[0]
    flags = [x.valid if type(x) is Symbol else None for x in leaves]
    is_one = len({id(x and x[1]) for x in flags}) == 1
    return [x for x in flags[:1] if x is not None] if is_one else []


def known(value: Any) -> Any:
    """Return a value that may be absent where it is known that it is there."""
    if type(value) is tuple:
        return tuple(map(known, value))
    if type(value) is Choice:
        return _without_missing(value)
    builder = default_graph.current()
    is_number = type(value) is Symbol and value.spec.shape == () and not value.is_cell
    if builder is None or not is_number or value.valid is None:  # arrays may be written
        return value
    found = Symbol(builder, value_of(value))
    found.union = value.union
    return found


def _without_missing(choice: Choice) -> Any:
    kept = [k for k, option in enumerate(choice._options) if option.missing is None]
    builder = default_graph.current()
    if len(kept) == len(choice._options) or builder is None:
        return choice
    if len(kept) == 1:
        return known(values_of(choice)[kept[0]])
    numbers = [kept.index(k) if k in kept else 0 for k in range(len(choice._options))]
    options, leaves = zip(*((choice._options[k], choice._leaves[k]) for k in kept), strict=True)
    found = Choice(renumbered(known(choice._which), numbers, builder), options, leaves)
    object.__setattr__(found, "_join", choice._join)
    return found
