"""Rows A-161 to A-174: the same graph elsewhere, optimisation, eager runs, what one looks at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf
from runtime.graph.interpret import interpret
from runtime.graph.printer import print_graph
from runtime.graph.reader import read_graph
from runtime.lower.compile import compile_graph


@pytest.fixture(autouse=True)
def _staged_again() -> Iterator[None]:
    yield
    ag.run_functions_eagerly(False)


def settle(x):
    while np.max(np.abs(x)) > 1.0:
        x = x * 0.5
    return np.sin(x) + np.sin(x)


def test_a161_others_run_the_same_graph_their_own_way() -> None:
    x = np.array([3.0, -5.0])
    graph = ag.function(settle).get_concrete_function(x).traced_graph
    read = read_graph(print_graph(graph))
    expected = settle(x)
    np.testing.assert_array_equal(interpret(read, [x], np)[0], expected)
    np.testing.assert_array_equal(compile_graph(read).run(x)[0], expected)


@pytest.mark.gpu
def test_a161_on_a_gpu() -> None:
    cupy = pytest.importorskip("cupy")
    x = np.array([3.0, -5.0])
    found = ag.function(settle)(cupy.asarray(x))
    np.testing.assert_allclose(found.get(), settle(x))


def test_a016_a162_a163_and_a165_graphs_do_what_is_needed_once() -> None:
    f = ag.function(lambda x: x + np.float64(2.0) * np.float64(3.0))
    assert re.findall(r"= (\w+)\(", f.graph(np.float64(1.0))) == ["constant", "add"]
    assert ag.function(settle).graph(np.ones(2)).count("sin(") == 1

    def unused(x, i):
        x[i]
        return x

    x, i = np.zeros(1), np.int64(1)
    for function in (unused, ag.function(unused)):  # as plain Python does
        with pytest.raises(IndexError):
            function(x, i)

    @tf.function
    def dropped(x):
        tf.gather(x, [1])
        return x

    assert dropped(tf.constant([0.0])).numpy().tolist() == [0]


@pytest.mark.parametrize(
    ("module", "switch"),
    [(ag, ag.run_functions_eagerly), (tf, tf.config.run_functions_eagerly)],
    ids=["autograph", "tf"],
)
def test_a166_a167_and_a169_ways_to_be_eager(module: ModuleType, switch: Any) -> None:
    calls = []

    @ag.do_not_convert
    def note():
        calls.append(1)

    def model(x):
        note()
        return x + 1

    wrapped = module.function(model)
    x = np.float32(1.0)
    model(x)
    model(x)
    assert len(calls) == 2
    wrapped(x)
    wrapped(x)
    assert len(calls) == 3
    switch(True)
    wrapped(x)
    wrapped(x)
    assert len(calls) == 5
    other = module.function(lambda x: x * 2)
    other.get_concrete_function(module.TensorSpec([], "float32"))
    assert other.trace_count == 1
    switch(False)
    wrapped(x)
    assert len(calls) == 5


def test_a167_one_function_is_eager() -> None:
    calls = []

    @ag.function
    def f(x):
        calls.append(1)
        return x + 1

    f.run_eagerly = True
    assert [f(1), f(1)] == [2, 2]
    assert len(calls) == 2


@pytest.mark.parametrize("n", [3, 100])
def test_a171_powers_are_equal_eagerly_and_staged(n: int) -> None:
    def power(x, y):
        result = np.eye(10, dtype=np.int32)
        for _ in range(y):
            result = x @ result
        return result

    x = np.random.default_rng(0).integers(-1, 2, (10, 10), np.int32)
    np.testing.assert_array_equal(power(x, n), ag.function(power)(x, n))
    np.testing.assert_array_equal(power(x, n), ag.function(power)(x, np.int64(n)))


def loop(n: Any, show: Callable[..., Any]) -> Any:
    for i in range(n):
        show(i)
    return n


@pytest.mark.parametrize(
    ("function", "show", "three"),
    [(ag.function, ag.print, np.int64(3)), (tf.function, tf.print, tf.constant(3))],
    ids=["autograph", "tf"],
)
def test_a173_the_graph_of_a_loop_is_seen_in_a_file(
    function: Any, show: Any, three: Any, tmp_path: Path
) -> None:
    file = tmp_path / "graph.txt"
    f = function(lambda n: loop(n, show))
    counts = []
    for n in (three, 3):
        file.write_text(f.graph(n), encoding="utf-8")
        text = file.read_text(encoding="utf-8")
        counts.append((len(re.findall(r"reduce\(|while_loop\(", text)), text.count("print(")))
    assert counts == [(1, 1), (0, 3)]


def test_a017_and_a174_a_run_is_written_as_a_trace_for_viewers(tmp_path: Path) -> None:
    state = ag.Variable(1.0)

    @ag.function
    def f(x, i):
        state.assign_add(1.0)
        return np.linalg.inv(x) + x[i]

    file = tmp_path / "run.json"
    f.profile(np.eye(3), np.int64(1)).write_trace(file)
    events = json.loads(file.read_text(encoding="utf-8"))["traceEvents"]
    assert any("inv" in event["name"] for event in events)
    assert state == 1.0
