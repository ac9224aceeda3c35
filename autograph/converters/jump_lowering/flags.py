"""Which flags a block sets: those of jumps that an error on the way out has to call off."""

from __future__ import annotations

import gast

Block = list[gast.AST]


def flags_set(block: Block, flags: set[str]) -> list[str]:
    """Return the flags that become true somewhere in a block, in order."""
    if not flags:
        return []
    nodes = [node for statement in block for node in gast.walk(statement)]
    assigns = [node for node in nodes if isinstance(node, gast.Assign)]
    names = [
        node.targets[0].id
        for node in assigns
        if isinstance(node.targets[0], gast.Name) and getattr(node.value, "value", None) is True
    ]
    return [name for name in dict.fromkeys(names) if name in flags]


def flags_set_before_cleanup(block: Block, flags: set[str]) -> list[str]:
    """Return the flags set inside a `with` or `try ... finally` of a block."""
    if not flags:
        return []
    nodes = [node for statement in block for node in gast.walk(statement)]
    cleanups = [node for node in nodes if isinstance(node, gast.With) or _has_finally(node)]
    return flags_set(cleanups, flags)


def _has_finally(node: gast.AST) -> bool:
    return isinstance(node, (gast.Try, gast.TryStar)) and bool(node.finalbody)
