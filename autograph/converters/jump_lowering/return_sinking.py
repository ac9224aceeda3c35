"""The `return` of a loop that is left by it alone goes behind the loop.

In: the block of a function. Out: the same, where endless loops with one `return` (or several alike)
end by `break`, so that what is returned is a variable of the function after the loop, as it is
where one writes `break`, and not one more that each round may or may not have.

    while True:                ->  while True:
        if c: return value             if c: break
                                   return value
"""

from __future__ import annotations

import gast

from autograph.analysis.jumps import Jumps, inner_blocks
from autograph.source.quote import make

_SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)


def sink_returns(block: list[gast.AST]) -> None:
    """Move the returns of the loops in a block behind these, in place."""
    for index in reversed(range(len(block))):
        node = block[index]
        if isinstance(node, _SCOPES):
            continue
        for inner in inner_blocks(node):
            sink_returns(inner)
        if Jumps().is_endless(node):
            found = _own_returns(node.body)
            if found and len({gast.dump(jump) for jump in found}) == 1:
                _replace(node.body)
                block.insert(index + 1, found[0])


def _own_returns(block: list[gast.AST]) -> list[gast.AST] | None:
    """Return those that stand in branches only; None where others leave the loop, too."""
    found: list[gast.AST] = []
    for node in block:
        if isinstance(node, gast.Return):
            found.append(node)
        elif isinstance(node, (gast.If, gast.Match)):
            for inner in inner_blocks(node):
                own = _own_returns(inner)
                if own is None:
                    return None
                found += own
        elif "return" in Jumps().out_of(node):
            return None
    return found


def _replace(block: list[gast.AST]) -> None:
    for index, node in enumerate(block):
        if isinstance(node, gast.Return):
            block[index] = make(gast.Break, at=node)
        elif isinstance(node, (gast.If, gast.Match)):
            for inner in inner_blocks(node):
                _replace(inner)
