"""What may be one of several things, which one being known only when the graph runs.

A call does something for each thing that an argument may be, so a parameter that nothing binds anew
is one thing while the function is traced: it is *fixed*. What a branch or a loop may have assigned
*may vary*. In between is what an attribute holds.

In: a function as a gast node. Out: what is known of the expressions in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import gast

from autograph.analysis.scopes import Scope
from autograph.analysis.uses import parameters

Place: TypeAlias = "tuple[int, int]"
Ask: TypeAlias = "Callable[[gast.AST], bool]"

_LOOPS = (gast.For, gast.AsyncFor, gast.While)


@dataclass(frozen=True, slots=True)
class Names:
    """What the names in a function stand for.

    Args:
        is_local: whether a name is a variable of the function or of one around it.
        is_fixed: whether an expression certainly is one thing while the function is traced.
        may_vary: whether an expression may be what a branch or a loop has assigned.
    """

    is_local: Callable[[str], bool]
    is_fixed: Ask
    may_vary: Ask


class _Bindings:
    """The parameters of a function, where it binds them anew, and the names that it assigns."""

    def __init__(self, function: gast.AST, items_vary: bool) -> None:
        self._items_vary = items_vary
        self.parameters = {parameter.id for parameter in parameters(function.args)}
        self.assigned: set[str] = set()
        self._anew: dict[str, Place] = {}  # from where on a parameter is a variable
        body = function.body if isinstance(function.body, list) else [function.body]
        for node in body:
            self._find(node, None)

    def keeps(self, name: gast.AST) -> bool:
        """Whether a parameter, where it is read, is what the caller gave."""
        anew = self._anew.get(name.id)
        return anew is None or _place(name) < anew

    def _find(self, node: gast.AST, loop: Place | None) -> None:
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            self._bind(node.id, loop or _place(node))
            self.assigned.add(node.id)
        elif isinstance(node, (gast.Nonlocal, gast.Global)):
            for name in node.names:
                self._bind(name, (0, 0))
        elif isinstance(node, (gast.MatchAs, gast.MatchStar, gast.MatchMapping)):
            name = getattr(node, "rest" if isinstance(node, gast.MatchMapping) else "name", None)
            self._bind(name or "", loop or _place(node))
            self.assigned.add(name or "")
        if isinstance(node, _LOOPS) and loop is None:
            loop = _place(node)
        for part in gast.iter_child_nodes(node):
            if not self._is_given(part, node):
                self._find(part, loop)
            elif isinstance(part, gast.Name):
                self._bind(part.id, loop or _place(node))

    def _is_given(self, part: gast.AST, node: gast.AST) -> bool:
        """Whether a part is a name that gets something made elsewhere: an item, an error."""
        if isinstance(node, (gast.For, gast.AsyncFor)):
            is_item = part is node.target and isinstance(part, gast.Name)
            return is_item and not self._items_vary
        return isinstance(node, gast.ExceptHandler) and part is node.name

    def _bind(self, name: str, place: Place) -> None:
        if name in self.parameters:
            self._anew[name] = min(place, self._anew.get(name, place))


def _place(node: gast.AST) -> Place:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def names_of(function: gast.AST, scope: Scope, outer: Names, items_vary: bool = False) -> Names:
    """Return what the names in a function stand for.

    Args:
        function: the function as it is written.
        scope: its names.
        outer: what names stand for around it.
        items_vary: whether an item that a loop is given, or an attribute, may be one of several
            things.
    """
    own, bindings = scope.bound | scope.inner, _Bindings(function, items_vary)

    def is_local(name: str) -> bool:
        return name in own or outer.is_local(name)

    def is_fixed(node: gast.AST) -> bool:
        if not isinstance(node, gast.Name):
            return isinstance(node, gast.Constant) or _asks_type(node, is_fixed)
        if node.id in scope.globals:
            return node.id not in bindings.assigned
        if node.id in bindings.parameters:
            return bindings.keeps(node) and not items_vary
        return node.id not in own and outer.is_fixed(node)

    def may_vary(node: gast.AST) -> bool:
        if isinstance(node, gast.Attribute):
            return may_vary(node.value) or (items_vary and _is_of_object(node, is_local))
        if is_fixed(node):
            return False
        if not isinstance(node, gast.Name):
            return not _asks_type(node, lambda part: not may_vary(part))
        is_given = items_vary and node.id in bindings.parameters
        return (
            is_given
            or node.id in bindings.assigned
            or (node.id not in own and outer.may_vary(node))
        )

    return Names(is_local, is_fixed, may_vary)


def _is_of_object(node: gast.AST, is_local: Callable[[str], bool]) -> bool:
    """Whether an attribute is one of an object, and not of a module or another global."""
    while isinstance(node, gast.Attribute):
        node = node.value
    return not isinstance(node, gast.Name) or is_local(node.id)


def _asks_type(node: gast.AST, holds: Ask) -> bool:
    """Whether an expression is `type(x)` of something."""
    if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Name):
        return False
    return node.func.id == "type" and all(map(holds, node.args))


AROUND = Names(lambda name: False, lambda node: True, lambda node: False)
"""What names stand for outside of all functions."""
