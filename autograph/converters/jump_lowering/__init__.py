"""The first half of rewriting: `return`, `break` and `continue` become structure, or flags.

Blocks of converted statements become functions, and no jump leaves a function. In: a function whose
body is ours to change. Out: the same function, in which no jump leaves a statement that is going to
be converted, and a `LoweredJumps` that says which those are.

    if c: return a      ->  if c: return a       a tail: the operator returns the function's result
    rest                    else: rest

    if c: continue      ->  if c: pass           likewise, in the body of a loop
    rest                    else: rest

    if c: break         ->  if c: stop = True    the loop is left before the next round
    rest                    else: rest

Where an arm jumps on some of its paths only, `rest` would be needed twice. There a flag is set and
`rest` stands under `if not flag`. Statements that stay Python keep their own jumps as long as these
only leave statements that stay, too; a loop with a `break` or `return` out of a converted statement
in it is converted itself.

How to read it: `JumpLowering` (walk.py) goes over the blocks of a function. For each kind of
statement there is one file, with one rule and one predicate, listed in lower.py:

    lower_x(walk, node, rest, routes, tail) -> (statements, pending, rest)
    converts_x(walk, node)                  whether such a statement will be converted

`node` is the statement and `rest` what follows it in its block: the rule may move the rest into an
arm, and returns what of it is still to do. `routes` say for each kind of jump how it is made here:
as it is written, by leaving the generated function, or by setting a flag and falling through.
`tail` are the kinds of jumps that falling off the end of the block amounts to. `pending` are jumps
made by flags that nobody has asked about yet: `JumpLowering.followed` puts what comes next under a
guard, until a block is reached whose end is where the jump leads.
"""
