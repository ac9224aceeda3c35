"""Where control leaves a statement: the jumps out of it, and whether it ever ends normally.

In: gast statements. Out: sets of "return", "break", "continue", and yes or no. Answers are kept by
node: ask about a statement before changing what is inside it.
"""

from __future__ import annotations

import gast

from autograph.analysis.uses import blocks

Kinds = frozenset[str]
NO_JUMPS: Kinds = frozenset()
_JUMPS: dict[str, Kinds] = {
    "Return": frozenset({"return"}),
    "Break": frozenset({"break"}),
    "Continue": frozenset({"continue"}),
}
_LOOPS = ("For", "While", "AsyncFor")


def kind_of(node: gast.AST) -> str | None:
    """Return the kind of a jump statement, None for all other statements."""
    kinds = _JUMPS.get(type(node).__name__)
    return next(iter(kinds)) if kinds else None


class Jumps:
    """What is known of the jumps of a function."""

    def __init__(self) -> None:
        self._out_of: dict[gast.AST, Kinds] = {}
        self._ends: dict[gast.AST, bool] = {}

    def out_of(self, statement: gast.AST) -> Kinds:
        """Return the kinds of jumps that leave a statement.

        Example:
            >>> import gast
            >>> loop = gast.parse("while x:\\n    if y: break\\n    else: return").body[0]
            >>> sorted(Jumps().out_of(loop)), sorted(Jumps().out_of(loop.body[0]))
            (['return'], ['break', 'return'])
        """
        known = self._out_of.get(statement)
        if known is None:
            known = self._out_of[statement] = self._compute(statement)
        return known

    def out_of_block(self, block: list[gast.AST]) -> Kinds:
        """Return the kinds of jumps that leave any statement of a block."""
        return NO_JUMPS.union(*map(self.out_of, block))

    def _compute(self, statement: gast.AST) -> Kinds:
        kind = type(statement).__name__
        if kind in _LOOPS:
            inside = self.out_of_block(statement.body) - {"break", "continue"}
            return inside | self.out_of_block(statement.orelse)
        inner = [self.out_of_block(block) for block in blocks(statement)]
        return _JUMPS.get(kind, NO_JUMPS).union(*inner)

    def ends(self, block: list[gast.AST]) -> bool:
        """Whether control never reaches the end of a block."""
        return any(map(self._leaves, block))

    def _leaves(self, statement: gast.AST) -> bool:
        known = self._ends.get(statement)
        if known is None:
            known = self._ends[statement] = self._never_completes(statement)
        return known

    def _never_completes(self, statement: gast.AST) -> bool:
        if isinstance(statement, gast.If):
            return self.ends(statement.body) and self.ends(statement.orelse)
        if isinstance(statement, gast.While):
            return self.is_endless(statement)
        if isinstance(statement, (gast.Try, gast.TryStar)):
            normal = self.ends(statement.body) or self.ends(statement.orelse)
            handled = all(self.ends(handler.body) for handler in statement.handlers)
            return self.ends(statement.finalbody) or (normal and handled)
        return isinstance(statement, (gast.Return, gast.Raise, gast.Break, gast.Continue))

    def is_endless(self, loop: gast.AST) -> bool:
        """Whether a loop is a `while True` without `break`."""
        constant = isinstance(loop, gast.While) and isinstance(loop.test, gast.Constant)
        return bool(constant and loop.test.value and "break" not in self.out_of_block(loop.body))

    def leaves_finally(self, statement: gast.AST) -> bool:
        """Whether a `finally` in a statement jumps out of the statement, swallowing exceptions."""
        return bool(self.out_of(statement)) and self.jumps_in_finally(statement)

    def jumps_in_finally(self, statement: gast.AST) -> bool:
        """Whether there is a jump out of a `finally` anywhere in a statement."""
        is_try = isinstance(statement, (gast.Try, gast.TryStar))
        if is_try and self.out_of_block(statement.finalbody):
            return True
        return any(self.jumps_in_finally(inner) for block in blocks(statement) for inner in block)


def inner_blocks(node: gast.AST) -> list[list[gast.AST]]:
    """Return the blocks of statements in a statement, those of handlers and cases among them."""
    names = ("body", "orelse", "finalbody")
    found = [getattr(node, name) for name in names if getattr(node, name, None)]
    parts = [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]
    return found + [part.body for part in parts]
