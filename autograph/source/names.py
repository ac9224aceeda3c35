"""Names for generated variables and functions that no user name collides with.

In: a gast tree and any further names that must not be used. Out: names, one at a time.
It knows nothing of scopes: a name that occurs anywhere in the tree is taken everywhere in it.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable

import gast

from autograph.source.walk import nodes_in

# Fields that hold one plain name, by node class. Attributes and keywords of calls live in
# other namespaces and take no name from us.
_NAME_FIELDS: dict[str, str] = {
    "Name": "id",
    "FunctionDef": "name",
    "AsyncFunctionDef": "name",
    "ClassDef": "name",
    "MatchStar": "name",
    "MatchAs": "name",
    "MatchMapping": "rest",
    "TypeVar": "name",
    "TypeVarTuple": "name",
    "ParamSpec": "name",
}


def identifiers(tree: gast.AST) -> set[str]:
    """Return every name that the tree reads, binds, deletes or declares.

    Example:
        >>> import gast
        >>> sorted(identifiers(gast.parse("def f(x):\\n    return x + g.y")))
        ['f', 'g', 'x']
    """
    names: set[str | None] = set()
    for node in nodes_in(tree):
        kind = type(node).__name__
        if kind in _NAME_FIELDS:
            names.add(getattr(node, _NAME_FIELDS[kind]))
        elif kind in ("Global", "Nonlocal"):
            names.update(node.names)
        elif kind == "alias":
            names.add(node.asname or node.name.partition(".")[0])
    return {name for name in names if name}


class Namer:
    """A source of names that occur neither in a tree nor in what it gave before.

    Example:
        >>> import gast
        >>> namer = Namer(gast.parse("body = 1"), extra=["stop"])
        >>> namer.fresh("test"), namer.fresh("body"), namer.fresh("body"), namer.fresh("stop")
        ('test', 'body_2', 'body_3', 'stop_2')
    """

    def __init__(self, *trees: gast.AST, extra: Iterable[str] = ()) -> None:
        self._taken = set(extra).union(*map(identifiers, trees))

    def fresh(self, wish: str) -> str:
        """Return `wish`, or `wish_2`, `wish_3` and so on: the first that is free, now taken."""
        name, number = wish, 1
        while not self._is_free(name):
            number += 1
            name = f"{wish}_{number}"
        self._taken.add(name)
        return name

    def reserve(self, *names: str) -> None:
        """Take names away without using them."""
        self._taken.update(names)

    def _is_free(self, name: str) -> bool:
        return not (name in self._taken or keyword.iskeyword(name) or hasattr(builtins, name))
