"""Rows A-050 to A-057 and A-090 to A-098: what happens while tracing, and what at each call."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import tf


@pytest.mark.parametrize(("module", "totals"), [(tf, [0, 0, 0]), (ag, [0, 1, 3])])
def test_a092_an_iterator_is_used_up_by_traces_only_but_of_ours(
    module: ModuleType, totals: list[int]
) -> None:
    total = module.Variable(0)
    iterator = iter([0, 1, 2, 3])

    @module.function
    def buggy_consume_next(value):
        total.assign_add(next(iterator) + value)
        return total.value()

    assert [int(buggy_consume_next(np.int32(0))) for _ in range(3)] == totals


def test_a093_and_a094_python_prints_when_it_traces_and_the_graph_when_it_runs(
    capsys: Any,
) -> None:
    @ag.function
    def f(n):
        for i in range(n):
            ag.trace("Python")
            ag.print("run", i)

    f(np.int64(3))
    f(np.int64(2))
    assert capsys.readouterr().out.splitlines() == [
        *("Python", "run 0", "run 1", "run 2", "run 0", "run 1"),
    ]


def test_a090_prints_of_what_is_known_happen_at_each_call_too(capsys: Any) -> None:
    @ag.function
    def f(x):
        print("Called with", x)
        ag.trace("Traced with", x)
        ag.print("Executed", "with", x, sep=" ", end=".\n")

    f.get_concrete_function(1)
    f.get_concrete_function(2)
    assert capsys.readouterr().out.splitlines() == ["Traced with 1", "Traced with 2"]
    for x in (1, 1, 2):
        f(x)
    assert capsys.readouterr().out.splitlines() == [
        *("Called with 1", "Executed with 1."),
        *("Called with 1", "Executed with 1."),
        *("Called with 2", "Executed with 2."),
    ]


@pytest.mark.parametrize(("module", "grown"), [(tf, [1, 2]), (ag, [1, 1, 2, 1])])
def test_a095_a_list_grows_with_each_trace_and_ours_with_each_call(
    module: ModuleType, grown: list[int]
) -> None:
    data: list[int] = []

    @module.function
    def f(x):
        data.append(x)
        return x

    f(1)
    assert data == [1]
    f(1)
    f(2)
    f(1)
    assert data == grown
