"""The kinds of statements with blocks, and the function that lowers the jumps out of them.

Statements that are never reached go before anybody asks which jumps there are; what `global` and
`nonlocal` say in them holds all the same, and is kept.
"""

from __future__ import annotations

import gast

from autograph.analysis.jumps import Jumps, inner_blocks
from autograph.analysis.may_vary import Names
from autograph.converters.jump_lowering.if_ import converts_if, lower_if
from autograph.converters.jump_lowering.loop import converts_loop, lower_loop
from autograph.converters.jump_lowering.match import converts_match, lower_match
from autograph.converters.jump_lowering.return_sinking import sink_returns
from autograph.converters.jump_lowering.try_ import converts_try, lower_try
from autograph.converters.jump_lowering.walk import Construct, JumpLowering, LoweredJumps
from autograph.converters.jump_lowering.with_ import converts_with, lower_with
from autograph.source.names import Namer

CONSTRUCTS = {
    gast.If: Construct(lower_if, converts_if),
    gast.For: Construct(lower_loop, converts_loop),
    gast.While: Construct(lower_loop, converts_loop),
    gast.With: Construct(lower_with, converts_with),
    gast.Match: Construct(lower_match, converts_match),
    gast.Try: Construct(lower_try, converts_try),
    gast.TryStar: Construct(lower_try, converts_try),
}


def lower_jumps(function: gast.AST, names: Names, namer: Namer) -> LoweredJumps:
    """Lower the jumps in the body of a function, in place."""
    remove_dead_code(function.body)
    sink_returns(function.body)
    walk = JumpLowering(function, names, namer, CONSTRUCTS)
    function.body = walk.run(function.body)
    return walk.lowered


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
