"""Statements that are never reached: they go before anybody asks which jumps there are.

In: the block of a function. Out: the same without what follows a jump, a `raise`, or a statement
that only ends by these; what `global` and `nonlocal` say in it holds all the same, and is kept.
"""

from __future__ import annotations

import gast

from autograph.analysis.jumps import Jumps, inner_blocks

_DECLARATIONS = (gast.Global, gast.Nonlocal)
_SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)


def remove_dead_code(block: list[gast.AST]) -> None:
    """Remove what is never reached from a block and those in it, in place."""
    _remove(block, Jumps())


def _remove(block: list[gast.AST], jumps: Jumps) -> None:
    for index, node in enumerate(block):
        if jumps.ends([node]):
            block[index + 1 :] = _declarations(block[index + 1 :])
    for node in block:
        if not isinstance(node, _SCOPES):
            for inner in inner_blocks(node):
                _remove(inner, jumps)


def _declarations(block: list[gast.AST]) -> list[gast.AST]:
    found = [node for node in block if isinstance(node, _DECLARATIONS)]
    others = (node for node in block if not isinstance(node, (*_DECLARATIONS, *_SCOPES)))
    return found + [
        x for node in others for inner in inner_blocks(node) for x in _declarations(inner)
    ]
