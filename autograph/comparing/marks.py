"""The statements of a function that are looked at, and code that tells when they have run.

In: a function as a gast node. Out: its sites, and two trees: the function as it is written and the
converted one, in both of which `ag.saw(3, lambda: x)` stands after the statement of site 3. The
marks are put in before the function is converted, as constants that mean nothing to the
converters, and become calls afterwards; so nothing that is looked at changes how it is converted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import gast

from autograph.analysis.facts import Facts
from autograph.analysis.jumps import Jumps
from autograph.analysis.support import is_left_alone
from autograph.analysis.uses import blocks, dotted
from autograph.converters.copies import copied
from autograph.converters.pipeline import rewrite
from autograph.source.names import identifiers
from autograph.source.quote import Position, constant, make, position, quote, quote_expression

_MARK = b"autograph site "
Block = list[gast.AST]


@dataclass(frozen=True)
class Site:
    """A place of a function at which its variables are looked at.

    Attributes:
        kind: `statement` after one, `return` before one, `enter` before a loop, `round` at the
            beginning of a round, `after` a branch or a loop.
        line: of the statement.
        names: what is looked at, `x` or `self.count`.
        around: the compound statements around it, the outermost first: the line of each, and in
            which of its blocks it is. A loop that it is about is among them for `round`.
        loops: the lines of those that are loops.
    """

    kind: str
    line: int
    names: tuple[str, ...] = ()
    around: tuple[tuple[int, int], ...] = ()
    loops: tuple[int, ...] = ()


class Marked:
    """A function in two forms that tell what they do.

    Args:
        function: the function without decorators; it is not changed.
        operators: the name of the operators in the new code.
        modules: names that are bound to modules.
        class_name: the class around it.

    Attributes:
        sites: the places at which they tell it, by number.
        plain: the function as it is written.
    """

    def __init__(
        self,
        function: gast.AST,
        *,
        operators: str,
        modules: Mapping[str, str],
        class_name: str | None,
    ) -> None:
        self._rewrite = partial(
            rewrite, operators=operators, modules=modules, class_name=class_name, traced=True
        )
        self._marked = copied(function)
        marker = _Marker()
        marker.function(self._marked)
        afters = _Afters(operators, frozenset(identifiers(function)), marker)
        afters.find(self._rewrite(self._marked))
        self.sites: Sequence[Site] = marker.sites
        self._reveal = _Revealed(operators, marker.sites, afters.found).function
        self.plain = self._reveal(copied(self._marked))

    def converted(self) -> gast.AST:
        """Return the function with operators."""
        return self._reveal(self._rewrite(self._marked))


@dataclass(frozen=True)
class _Place:
    """What is around a statement: lines of compound statements and loops, and local names."""

    local: frozenset[str] = frozenset()
    around: tuple[tuple[int, int], ...] = ()
    loops: tuple[int, ...] = ()


class _Marker:
    """One walk over a function, which puts the marks in."""

    def __init__(self) -> None:
        self.sites: list[Site] = []
        self.compound: dict[Position, Site] = {}
        self._facts = Facts()
        self._jumps = Jumps()

    def function(self, node: gast.AST, place: _Place | None = None) -> None:
        """Mark the statements of a function, and of those inside it."""
        scope = self._facts.scope(node)
        if isinstance(node, gast.Lambda) or is_left_alone(node, scope):
            return
        outer = place.local if place is not None else frozenset()
        here = _Place(outer | scope.bound | scope.globals | scope.nonlocals)
        node.body = self._block(node.body, here)

    def _block(self, block: Block, place: _Place) -> Block:
        return [made for statement in block for made in self._statement(statement, place)]

    def _statement(self, node: gast.AST, place: _Place) -> Iterator[gast.AST]:
        uses = self._facts.uses(node)
        names = self._names(node, place)
        if isinstance(node, gast.FunctionDef):
            self.function(node, place)
        elif isinstance(node, gast.ClassDef):
            self._class(node, place)
        elif isinstance(node, gast.Return):
            yield self._mark("return", node, (), place)
        elif isinstance(node, (gast.For, gast.While)):
            yield self._mark("enter", node, (), place)
            self._loop(node, tuple(uses.writes) if isinstance(node, gast.For) else (), place)
        elif any(True for _ in blocks(node)):
            self._compound(node, place)
        yield node
        if _is_looked_at(node):
            yield self._mark("statement", node, names, place)

    def _names(self, node: gast.AST, place: _Place) -> tuple[str, ...]:
        """Return what a statement assigns or writes into, and what it hands to a call."""
        uses = self._facts.uses(node)
        names = dict.fromkeys((*uses.writes, *uses.attributes))
        parts = list(gast.walk(node)) if _is_looked_at(node) else []
        for part in parts:
            if isinstance(part, gast.Subscript) and isinstance(part.ctx, gast.Store):
                names[dotted(part.value) or ""] = None
        if any(isinstance(part, gast.Call) for part in parts):
            names.update(dict.fromkeys(uses.reads))
        names.pop("", None)
        return tuple(name for name in names if name.partition(".")[0] in place.local)

    def _class(self, node: gast.AST, place: _Place) -> None:
        for statement in node.body:
            if isinstance(statement, gast.FunctionDef):
                self.function(statement, place)

    def _loop(self, node: gast.AST, targets: tuple[str, ...], place: _Place) -> None:
        inside = replace(self._inside(node, 0, place), loops=(*place.loops, node.lineno))
        begin = self._mark("round", node, targets, inside)
        is_whole = not node.orelse
        node.body = [begin, *self._block(node.body, inside)]
        node.orelse = self._block(node.orelse, self._inside(node, 1, place))
        if is_whole and not self._jumps.out_of(node):
            self._note(node, place)

    def _compound(self, node: gast.AST, place: _Place) -> None:
        if isinstance(node, gast.If) and not self._jumps.out_of(node):
            self._note(node, place)
        # A clause of `except*` has no marks: what they call might raise, as far as a graph knows.
        handlers = () if isinstance(node, gast.TryStar) else getattr(node, "handlers", ())
        owners = (node, *handlers, *getattr(node, "cases", ()))
        parts = [(owner, name) for owner in owners for name in ("body", "orelse", "finalbody")]
        for number, (owner, name) in enumerate(parts):
            block = getattr(owner, name, None)
            if isinstance(block, list):
                setattr(owner, name, self._block(block, self._inside(node, number, place)))

    def _inside(self, node: gast.AST, block: int, place: _Place) -> _Place:
        return replace(place, around=(*place.around, (node.lineno, block)))

    def _note(self, node: gast.AST, place: _Place) -> None:
        site = Site("after", node.lineno, (), place.around, place.loops)
        self.compound[position(node)] = site

    def _mark(self, kind: str, node: gast.AST, names: tuple[str, ...], place: _Place) -> gast.AST:
        self.sites.append(Site(kind, node.lineno, names, place.around, place.loops))
        mark = constant(_MARK + str(len(self.sites) - 1).encode(), at=node)
        return make(gast.Expr, at=node, value=mark)


def _is_looked_at(node: gast.AST) -> bool:
    if isinstance(node, gast.Expr):
        return not isinstance(node.value, gast.Constant)
    is_bare = isinstance(node, gast.AnnAssign) and node.value is None
    kinds = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Delete)
    return isinstance(node, kinds) and not is_bare


_STATES = {"if_": 3, "while_": 2, "for_": 2}
"""Which argument of an operator names the state."""


class _Afters:
    """Finds the branches and loops that are statements in converted code, with their variables.

    Attributes:
        found: the number of the site after each, by the position of the statement.
    """

    def __init__(self, operators: str, written: frozenset[str], marker: _Marker) -> None:
        self.found: dict[Position, int] = {}
        self._operators = operators
        self._written = written
        self._marker = marker

    def find(self, tree: gast.AST) -> None:
        for node in gast.walk(tree):
            call = node.value if isinstance(node, gast.Expr) else None
            site = self._marker.compound.get(position(node)) if call is not None else None
            if site is not None and is_operator(call, self._operators):
                self._add(position(node), site, call)

    def _add(self, place: Position, site: Site, call: gast.AST) -> None:
        index = _STATES.get(call.func.attr)
        if index is None or place in self.found:
            return
        text = call.args[index].value if len(call.args) > index else ""
        parts = (part.strip() for part in text.split(","))
        names = [name for name in parts if name.partition(".")[0] in self._written]
        self.found[place] = len(self._marker.sites)
        self._marker.sites.append(replace(site, names=tuple(names)))


def is_operator(node: gast.AST, operators: str) -> bool:
    """Tell whether an expression is a call of an operator."""
    function: Any = node.func if isinstance(node, gast.Call) else None
    is_named = isinstance(function, gast.Attribute) and isinstance(function.value, gast.Name)
    return bool(is_named and function.value.id == operators)


class _Revealed:
    """Makes marks calls: one walk over the blocks of a tree."""

    def __init__(
        self, operators: str, sites: Sequence[Site], afters: Mapping[Position, int]
    ) -> None:
        self._operators = operators
        self._sites = sites
        self._afters = afters

    def function(self, tree: gast.AST) -> gast.AST:
        for node in list(gast.walk(tree)):
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                if isinstance(block, list):
                    setattr(node, name, [x for part in block for x in self._revealed(part)])
        return tree

    def _revealed(self, node: gast.AST) -> Iterator[gast.AST]:
        number = _number_of(node)
        if number is not None:
            yield self._call(number, node)
            return
        yield node
        is_one = isinstance(node, (gast.If, gast.For, gast.While)) or (
            isinstance(node, gast.Expr) and is_operator(node.value, self._operators)
        )
        after = self._afters.get(position(node)) if is_one else None
        if after is not None:
            yield self._call(after, node)

    def _call(self, number: int, at: gast.AST) -> gast.AST:
        reads = [_read(name, at) for name in self._sites[number].names]
        return quote(
            "OPERATORS.saw(NUMBER, READS)",
            at=at,
            OPERATORS=self._operators,
            NUMBER=constant(number, at=at),
            READS=reads,
        )[0]


def _read(variable: str, at: gast.AST) -> gast.AST:
    """Return a lambda that reads a variable or an attribute."""
    root, *attributes = variable.split(".")
    value = make(gast.Name, at=at, id=root)
    for attribute in attributes:
        value = make(gast.Attribute, at=at, value=value, attr=attribute)
    return quote_expression("lambda: VALUE", at=at, VALUE=value)


def _number_of(node: gast.AST) -> int | None:
    value = getattr(node.value, "value", None) if isinstance(node, gast.Expr) else None
    if isinstance(value, bytes) and value.startswith(_MARK):
        return int(value[len(_MARK) :])
    return None
