"""Going back through branches, and along them: only the arm is run that was taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.autodiff.dependence import live_params
from runtime.autodiff.tape import Entry, Onto, Tape
from runtime.autodiff.values import refusal, zeros
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import branch_of, try_of
from runtime.passes.dce import remove_unseen
from runtime.passes.rewriter import copied_region

NOTHING_KEPT: Mapping[int, Value] = {}


def back_through_branch(tape: Tape, node: Node, inputs: Sequence[Value]) -> Entry:
    """Write a branch; back goes a branch on the same test, whose arms go back through its arms."""
    builder = tape.builder
    results = builder.copy(node, inputs, [copied_region(x) for x in node.regions])
    test, *captured = inputs
    branch = branch_of(node)
    assert branch is not None

    def pull(
        cotangents: Sequence[Value | None], wanted: Sequence[bool], onto: Onto
    ) -> list[Value | None]:
        asked = [g is not None for g in cotangents]
        lives = [live_params(arm, wanted[1:], asked) for arm in branch.arms]
        live = [any(column) for column in zip(*lives, strict=True)]
        sums = [onto(k) if is_live else None for k, is_live in enumerate(live, 1)]
        given = [g for g in (*cotangents, *sums, *tape.kept.values()) if g is not None]
        arms = [_back_arm(tape, arm, live, cotangents, sums, tape.kept) for arm in branch.arms]
        found = iter(builder.emit(node.op, [test, *captured, *given], node.attrs, arms))
        return [None, *(next(found) if is_live else None for is_live in live)]

    return Entry(node, inputs, results, pull, threads=True)


def back_through_try(tape: Tape, node: Node, inputs: Sequence[Value]) -> Entry:
    """Write a `try`; back goes a `try` that is left where that was, and goes back from there."""
    builder = tape.builder
    results = builder.copy(node, inputs, [*map(tape.copied, node.regions)])
    parts = try_of(node)
    assert parts is not None

    def pull(cotangents: Sequence[Value | None], wanted: Sequence[bool]) -> list[Value | None]:
        asked = [g is not None for g in cotangents]
        lives = [live_params(parts.body, wanted, asked)]
        for own, handler in parts.handlers.values():
            check_handler(node, handler, len(own), asked)
            lives.append(live_params(handler, [*(False for _ in own), *wanted], asked)[len(own) :])
        live = [any(column) for column in zip(*lives, strict=True)]
        regions = [_back_arm(tape, parts.body, live, cotangents)]
        for own, handler in parts.handlers.values():
            regions.append(_back_arm(tape, handler, [*(False for _ in own), *live], cotangents))
        given = [g for g in cotangents if g is not None]
        found = iter(builder.emit(node.op, [*inputs, *given], node.attrs, regions))
        return [next(found) if is_live else None for is_live in live]

    return Entry(node, inputs, results, pull)


def check_handler(node: Node, handler: Graph, count: int, asked: Sequence[bool]) -> None:
    """Raise DerivativeError where results follow floats that were computed before an error."""
    rest = len(handler.params) - count
    if any(live_params(handler, [True] * count + [False] * rest, asked)):
        raise refusal(
            node,
            "what follows an `except` uses a float that was computed in the `try` before the "
            "error; compute it before the `try`, or again after it",
        )


def _back_arm(
    tape: Tape,
    arm: Graph,
    live: Sequence[bool],
    cotangents: Sequence[Value | None],
    sums: Sequence[Value | None] = (),
    kept: Mapping[int, Value] = NOTHING_KEPT,
) -> Graph:
    """Return the arm that goes back through an arm, for the captured values that are live.

    Args:
        tape: where it is written.
        arm: as it was.
        live: which of its parameters are asked for.
        cotangents: of its results.
        sums: what is added to, for some of the parameters.
        kept: of which results, by their numbers, it is given what they were.
    """
    builder = Builder(beside=tape.builder)
    params = [builder.param(x.spec, x.name) for x in arm.params]
    given = [None if g is None else builder.param(g.spec) for g in cotangents]
    onto = [None if g is None else builder.param(g.spec) for g in sums]
    known = {arm.results[k]: builder.param(x.spec) for k, x in kept.items()}
    found = tape.back(builder, arm, params, live, given, onto, kept=known)
    rows = zip(params, found, live, strict=True)
    made = [zeros(builder, x) if g is None else g for x, g, is_live in rows if is_live]
    own = [g for g in (*given, *onto, *known.values()) if g is not None]
    return remove_unseen(builder.seal([*params, *own], made))
