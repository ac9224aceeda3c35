"""Passes tell what they did, and what they left as it is and why; they take linear time."""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.node import Graph
from runtime.graph.verify import verify
from runtime.ops.elementwise import add, divide, multiply, negative
from runtime.ops.ufuncs import tanh
from runtime.passes.log import Log
from runtime.passes.pipeline import PASSES, optimise
from runtime.passes.rewriter import Pass
from tests.runtime.passes.build import Draft


def test_passes_are_told_run_by_run() -> None:
    draft = Draft()
    x = draft.param()
    unused = draft(tanh, x)
    doubled = draft(multiply, x, draft(add, 1.0, 1.0))
    again = draft(multiply, x, draft(add, 1.0, 1.0))
    log = Log()
    graph = optimise(draft.graph([x], draft(add, doubled, again)), check=verify, log=log)
    assert unused not in {value for node in graph.nodes for value in node.results}
    assert str(log).splitlines() == [
        "fold_constants: computed 2, 10 -> 10 nodes",
        "merge_common: merged constant 4, merged multiply 1, 10 -> 5 nodes",
        "remove_unused: removed node 2, 5 -> 3 nodes",
    ]
    assert log.hits["merge_common"] == 5


def test_what_was_not_done_is_told_with_its_reason() -> None:
    draft = Draft()
    log = Log()
    optimise(draft.graph([], draft(divide, 1, 0)), log=log)
    last = str(log).splitlines()[-1]
    assert re.fullmatch(r"  not computed divide \(line \d+\): it gives a ZeroDivisionError", last)


def test_nothing_to_do_is_told() -> None:
    draft = Draft()
    x = draft.param()
    log = Log()
    optimise(draft.graph([x], draft(negative, x)), log=log)
    assert str(log) == "no pass found anything to do"


def test_passes_of_a_function_name_the_line() -> None:
    def scaled(x, n):
        for _ in range(n):
            x = x * np.exp(n / 2)
        return x

    found = ag.function(scaled).passes(np.ones(3), np.int64(2))
    line = scaled.__code__.co_firstlineno + 2
    assert f"not moved divide (line {line}): it may raise or warn, or costs much" in found


def chain(length: int) -> Graph:
    """Return a graph of so many ops, in one row."""
    draft = Draft()
    x = y = draft.param()
    for _ in range(length // 4):
        y = draft(tanh, draft(add, draft(multiply, y, 0.5), x))
    return draft.graph([x], y)


def calls_of(apply: Pass, graph: Graph) -> int:
    """Return how many calls of functions a pass takes."""
    count = 0

    def called(frame: Any, event: str, given: Any) -> None:
        nonlocal count
        count += 1

    sys.setprofile(called)
    try:
        apply(graph)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("apply", PASSES, ids=lambda apply: apply.__name__)
def test_passes_take_as_many_steps_for_each_op_of_a_large_graph(apply: Pass) -> None:
    small, large = calls_of(apply, chain(400)), calls_of(apply, chain(8_000))
    assert large < 21 * small + 1000
