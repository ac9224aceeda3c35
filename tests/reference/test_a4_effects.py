"""Rows A-050 to A-057 and A-090 to A-098: what happens while tracing, and what at each call."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import tf


def test_a050_and_a054_each_dtype_is_traced_once(capsys: Any) -> None:
    @ag.function
    def double(a):
        ag.trace("Tracing with", a)
        return a + a

    for value in (1, 2):
        assert double(np.int32(value)) == 2 * value
        assert double(np.float32(value)) == 2.0 * value
    assert capsys.readouterr().out.splitlines() == [
        "Tracing with <staged a: i32[]>",
        "Tracing with <staged a: f32[]>",
    ]


def test_a053_a_python_number_is_traced_for_each_value(capsys: Any) -> None:
    @ag.function
    def train(num_steps):
        ag.trace("Tracing with num_steps =", num_steps)
        total = 0
        for _ in range(num_steps):
            total += 1
        return total

    assert [train(num_steps=n) for n in (10, 20, 10)] == [10, 20, 10]
    assert [train(np.int64(n)) for n in (10, 20)] == [10, 20]
    assert capsys.readouterr().out.splitlines() == [
        "Tracing with num_steps = 10",
        "Tracing with num_steps = 20",
        "Tracing with num_steps = <staged num_steps: i64[]>",
    ]


def test_a055_results_are_the_same_by_either_rule(capsys: Any) -> None:
    @ag.function
    def f(x):
        ag.trace("Tracing!")
        return x * x + 2

    found = [f(np.int64(2)), f(np.int64(3)), f(2), f(3)]
    assert found == [6, 11, 6, 11]
    assert capsys.readouterr().out.count("Tracing!") == 3


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


def test_a094_a_python_range_unrolls(capsys: Any) -> None:
    @ag.function
    def f(x):
        for i in range(3):
            ag.trace("Python")
            ag.print("run", i + x)

    f(np.int64(0))
    f(np.int64(0))
    assert capsys.readouterr().out.splitlines() == [
        *["Python"] * 3,
        *["run 0", "run 1", "run 2"] * 2,
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


def test_a097_random_numbers_of_the_runtime_differ() -> None:
    f = ag.function(lambda: np.eye(5) + ag.random.normal(size=(5, 5)))
    assert not np.array_equal(f(), f())


def test_a098_prints_count_traces_in_graph_mode_and_calls_in_eager_mode(capsys: Any) -> None:
    @ag.function
    def get_mse(y, z):
        ag.trace("Calculating MSE!")
        return np.mean((y - z) ** 2)

    y, z = np.array([1.0, 2.0]), np.array([1.0, 4.0])
    assert [get_mse(y, z) for _ in range(3)] == [2.0] * 3
    assert capsys.readouterr().out.count("Calculating MSE!") == 1
    ag.run_functions_eagerly(True)
    try:
        assert [get_mse(y, z) for _ in range(3)] == [2.0] * 3
    finally:
        ag.run_functions_eagerly(False)
    assert capsys.readouterr().out.count("Calculating MSE!") == 3
