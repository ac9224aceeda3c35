"""The first half of rewriting: `return`, `break` and `continue` become structure, or flags.

In: a function whose body is ours to change. Out: the same function, in which no jump leaves an
`if` or a loop that is going to be converted, and a `Straight` that says which those are.

    if c: return a      ->  if c: return a       a tail: the operator returns the function's result
    rest                    else: rest

    if c: continue      ->  if c: pass           likewise, in the body of a loop
    rest                    else: rest

    if c: break         ->  if c: stop = True    the loop is left before the next round
    rest                    else: rest

Where an arm jumps on some of its paths only, `rest` would be needed twice. There a flag is set
and `rest` stands under `if not flag`. Statements that stay as they are keep their own jumps as
long as these only leave statements that stay as they are, too.
"""

from __future__ import annotations

import gast

from autograph.analysis.settled import Names
from autograph.converters.straight_blocks import straighten_try, straighten_with
from autograph.converters.straight_ifs import straighten_if
from autograph.converters.straight_loops import straighten_loop
from autograph.converters.straight_match import straighten_match
from autograph.converters.straightener import Rule, Straight, Straightener
from autograph.source.names import Namer

RULES: dict[type[gast.AST], Rule] = {
    gast.If: straighten_if,
    gast.For: straighten_loop,
    gast.While: straighten_loop,
    gast.With: straighten_with,
    gast.Match: straighten_match,
    gast.Try: straighten_try,
    gast.TryStar: straighten_try,
}


def straighten(function: gast.AST, names: Names, namer: Namer) -> Straight:
    """Straighten the body of a function in place."""
    straightener = Straightener(function, names, namer, RULES)
    function.body = straightener.run(function.body)
    return straightener.straight
