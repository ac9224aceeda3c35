"""Which parts of the state of a loop say that it is over, as those of `break` do.

Comes in: the blocks of a loop that tests. Goes out: these parts, and what is known in a round where
they say that it goes on.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.kernels.kernel import BOOL, Block, Instruction, Literal, Operand

_FALSE, _TRUE = Literal(BOOL, False), Literal(BOOL, True)


def ends(test: Block) -> list[int]:
    """Return which parts of the state of a loop end it where they are true, by its test."""
    makers = _makers(test)

    def found(x: Operand) -> Iterator[Operand]:
        maker = makers.get(x)
        if maker is None:
            return
        if maker.op == "and":
            yield from (z for y in maker.args for z in found(y))
        elif maker.op == "if" and maker.blocks[1].results[0] in (_FALSE, maker.args[0]):
            yield from found(maker.args[0])
        elif maker.op == "not":
            yield maker.args[0]

    over = {*found(test.results[0])}
    return [k for k, x in enumerate(test.params) if x in over]


def known_on(body: Block, k: int) -> Iterator[tuple[int, Operand]]:
    """Yield parts of the state after a round, and what they are where one says that it goes on."""
    over, makers = body.results[k], _makers(body)
    maker, false = makers.get(over), {over}
    if maker is not None and (maker.op == "or" or maker.args[1:2] == (_TRUE,)):
        false.add(maker.args[0])
    for place, y in enumerate(body.results):
        chosen = makers.get(y)
        if place == k:
            yield k, _FALSE
        elif chosen is not None and chosen.op == "select" and chosen.args[0] in false:
            yield place, chosen.args[2]


def _makers(block: Block) -> dict[Operand, Instruction]:
    return {y: x for x in block.instructions for y in x.results}
