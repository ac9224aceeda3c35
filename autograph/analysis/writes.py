"""What the functions made from blocks will bind: themselves, and in functions inside them.

In: blocks, and which statements in them will be converted. Out: `Writes`. The blocks of a converted
statement become functions of their own; those of all other statements stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field

import gast

from autograph.analysis.uses import Names, Uses, blocks


@dataclass(slots=True)
class Writes:
    """Names bound by a block: directly, or `deep` also in converted statements inside it."""

    direct: Names = field(default_factory=dict)
    deep: Names = field(default_factory=dict)
    assigned: Names = field(default_factory=dict)  # directly, and not only by :=
    attributes: Names = field(default_factory=dict)

    def add(self, uses: Uses, *, direct: bool = True) -> None:
        """Add what a statement or a header binds."""
        names = uses.writes | uses.declares
        self.deep.update(names)
        self.attributes.update(uses.attributes)
        if direct:
            self.direct.update(names)
            self.assigned.update((name, None) for name in names if name not in uses.walrus)

    def add_inner(self, inner: Writes) -> None:
        """Add what a function inside binds."""
        self.deep.update(inner.deep)
        self.attributes.update(inner.attributes)


class WritesOf:
    """Looks up the writes of blocks of one function, each computed once."""

    def __init__(self, staged: Set[gast.AST], uses: Callable[[gast.AST], Uses]) -> None:
        self._staged = staged
        self._uses = uses
        self._known: dict[tuple[gast.AST, str], Writes] = {}

    def part(self, node: gast.AST, part: str) -> Writes:
        """Return the writes of a block, or the "test", of a converted statement."""
        known = self._known.get((node, part))
        if known is None:
            known = self._known[node, part] = self._compute(node, part)
        return known

    def _compute(self, node: gast.AST, part: str) -> Writes:
        result = Writes()
        if part == "test":
            result.add(self._uses(node.test))
            return result
        if isinstance(node, gast.For):
            result.add(self._uses(node.target))
        if isinstance(node, gast.With) and node.items[0].optional_vars is not None:
            result.add(self._uses(node.items[0].optional_vars))
        self._add_block(result, getattr(node, part))
        return result

    def block(self, block: list[gast.AST]) -> Writes:
        """Return the writes of a function's body."""
        result = Writes()
        self._add_block(result, block)
        return result

    def _add_block(self, result: Writes, block: list[gast.AST]) -> None:
        for statement in block:
            if statement in self._staged:
                self._add_staged(result, statement)
                continue
            result.add(self._uses(statement))
            for inner in blocks(statement):
                self._add_block(result, inner)

    def _add_staged(self, result: Writes, node: gast.AST) -> None:
        """What stands in the head of an `if`, `for` or `with` is evaluated where it stands."""
        if isinstance(node, gast.Try | gast.TryStar):
            for owner in (node, *node.handlers):
                result.add_inner(self.part(owner, "body"))
            result.add_inner(self.part(node, "orelse"))
            result.add_inner(self.part(node, "finalbody"))
            return
        if isinstance(node, gast.While):
            result.add_inner(self.part(node, "test"))
        else:
            result.add(self._uses(_head(node)))
        result.add_inner(self.part(node, "body"))
        if isinstance(node, gast.If):
            result.add_inner(self.part(node, "orelse"))


def _head(node: gast.AST) -> gast.AST:
    """Return the expression in the head of a converted statement."""
    if isinstance(node, gast.With):
        return node.items[0].context_expr
    return node.test if isinstance(node, gast.If) else node.iter
