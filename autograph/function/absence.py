"""Variables and attributes among what a function returns or changes that may be without a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from types import FunctionType
from typing import Any, NamedTuple

from autograph.conversion import original_of
from autograph.staging.join import flag_of, may_be_missing
from autograph.staging.region import UNDEFINED
from runtime import trees
from runtime.dispatch import check_defined
from runtime.graph.builder import Builder
from runtime.graph.location import return_of
from runtime.tensor import Symbol, is_staged
from runtime.tree_classes import register_tree
from runtime.union import Choice, Missing, option_of, values_of


class Maybe(NamedTuple):
    """What a variable holds, which may be without a value.

    Args:
        flags: whether it has one: all of them are true.
        value: the value.
    """

    flags: Sequence[Any]
    value: Any

    @classmethod
    def of(cls, value: Any) -> Any:
        """Return what a variable holds; itself where it has a value."""
        if may_be_missing(value):
            values = [UNDEFINED if type(x) is Missing else x for x in values_of(value)]
            value = Choice(value._which, *zip(*map(option_of, values), strict=True))
        flags = flag_of(value)
        return value if flags is None else cls(tuple(flags), value)


def _make(_: Any, parts: Sequence[Any]) -> Any:
    *flags, value = parts
    if any(map(is_staged, flags)):
        return Maybe(flags, value)
    return value if all(flags) else UNDEFINED


register_tree(Maybe, lambda x: ((*x.flags, x.value), None), _make)


def may_lack(x: Any) -> bool:
    """Tell whether a value is an instance of a dataclass which may be without an attribute."""
    node = trees.node_of(x) if is_dataclass(x) else None
    return node is not None and any(map(_may_be_absent, node.children))


def _may_be_absent(value: Any) -> bool:
    if type(value) is Choice:
        return may_be_missing(value) or _may_be_absent(value._which)
    if type(value) is Symbol:
        return value.valid is not None
    node = trees.node_of(value)  # where it is absent, all of its leaves are
    return node is not None and bool(node.children) and _may_be_absent(node.children[0])


def check_returned(builder: Builder, function: Callable[..., Any], returned: Any) -> None:
    """Check variables that are returned, and may be undefined, where the user returns them."""
    code = original_of(function.__code__) if isinstance(function, FunctionType) else None
    if code is None:
        return
    leaves = trees.flatten(returned)[0]
    for name, flag in (x.valid for x in leaves if type(x) is Symbol and x.valid is not None):
        if type(name) is str:  # an attribute may be absent in the caller's object, too
            check_defined(builder, name, flag, return_of(code, name))
