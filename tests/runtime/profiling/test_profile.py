"""Profiles: which steps ran, how often, what they moved, and how much memory was in use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.builder import Builder
from runtime.graph.node import Graph
from runtime.graph.opdef import REGISTRY
from runtime.lower.compile import compile_graph
from runtime.profiling import profile as module
from runtime.profiling.limits import Limits, machine_limits
from runtime.profiling.profile import Profile, profile
from runtime.spec import TensorSpec

KB = 1000


@pytest.fixture(autouse=True)
def known_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose limits are round numbers, so that nothing has to be measured."""
    limits = Limits(2, ((1 << 20, 2e9), (1 << 30, 1e9)), {"float32": 4e9, "float64": 2e9})
    monkeypatch.setattr(module, "machine_limits", lambda: limits)


def halved(x: Any) -> Any:
    while np.sum(x) > 1:
        x = x * 0.5
    return x


def product(x: Any, y: Any) -> Any:
    return np.tanh(x) @ y


def profile_of(function: Any, *args: Any) -> Profile:
    return ag.function(function, backend="numpy").profile(*args)


def step_of(found: Profile, text: str) -> module.StepProfile:
    return next(step for step in found.steps if text in step.text)


def test_steps_are_counted_and_stand_at_the_users_lines() -> None:
    x = np.ones(1000)
    found = profile_of(halved, x)
    step = step_of(found, "multiply(")
    assert step.rounds == 10
    assert step.depth == 1
    assert step.location is not None
    assert step.location.text == "x = x * 0.5"
    assert step.bytes_moved == 10 * 2 * 8 * KB
    assert step.operations == 10 * KB
    assert np.all(x == 1)


def test_products_of_matrices_are_counted_and_limited_by_arithmetic() -> None:
    found = profile_of(product, np.ones((100, 200)), np.ones((200, 50)))
    step = step_of(found, "matmul(")
    products, functions = 2 * 100 * 200 * 50, 100 * 200
    assert step.operations == products + functions
    assert step.bytes_moved == 8 * (100 * 200 + 200 * 50 + 100 * 50)
    assert step.least_seconds == products / 2e9


def test_bytes_are_limited_by_the_bandwidth_of_their_size() -> None:
    small = step_of(profile_of(lambda x: x + 1.0, np.ones(KB)), "add(")
    large = step_of(profile_of(lambda x: x + 1.0, np.ones(1000 * KB)), "add(")
    assert small.least_seconds == 16 * KB / 2e9
    assert large.least_seconds == 16000 * KB / 1e9


def test_peak_memory_is_near_the_least_where_buffers_are_used_again() -> None:
    def chain(x: Any) -> Any:
        y = np.cos(x)
        y = np.sin(y)
        return np.exp(y)

    size = 8 * 1000 * KB
    found = profile_of(chain, np.ones(1000 * KB))
    assert found.least_memory == size
    assert size <= found.peak_memory < 1.1 * size


def test_memory_counts_what_is_alive_at_the_same_time() -> None:
    def apart(x: Any) -> Any:
        a, b = np.cumsum(x), np.sort(x)
        return a, b, np.cumsum(a)

    size = 8 * 100 * KB
    found = profile_of(apart, np.ones(100 * KB))
    assert found.least_memory == 3 * size
    assert 3 * size <= found.peak_memory < 3.2 * size


def test_views_move_nothing_and_take_no_memory() -> None:
    found = profile_of(lambda x: np.sort(x[::2]), np.ones(200 * KB))
    assert found.least_memory == 800 * KB


def test_writing_into_an_array_moves_what_is_written() -> None:
    def rows(x: Any, n: Any) -> Any:
        found = np.zeros((4, 1000))
        for k in range(n):
            found[k] = np.sin(x)
        return found

    step = step_of(profile_of(rows, np.ones(1000), np.int64(3)), "write update(")
    assert step.rounds == 3
    assert step.bytes_moved == 3 * 2 * 8 * KB


def test_profile_prints_a_table() -> None:
    text = str(profile_of(halved, np.ones(1000)))
    lines = text.splitlines()
    assert lines[0].startswith("halved: ")
    assert " ".join(lines[1].split()) == "time share rounds bytes GB/s Gop/s of limit line step"
    assert any("x = multiply(x, 0.5)" in line and " 10 " in line for line in lines)
    assert lines[-2].startswith("memory: ")
    assert lines[-1] == (
        "the machine: 2 threads; copies: 2 GB/s up to 1 MB, 1 GB/s beyond; "
        "products: 4 GFLOP/s of float32, 2 GFLOP/s of float64"
    )


def test_trace_file_has_an_event_for_each_step_that_ran(tmp_path: Path) -> None:
    found = profile_of(halved, np.ones(1000))
    found.write_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert events[0]["args"] == {"name": "halved"}
    rounds = [x for x in events[1:] if "multiply" in x["name"]]
    (loop,) = (x for x in events[1:] if x["cat"] == "while")
    assert len(rounds) == 10
    for event in rounds:
        assert event["ph"] == "X"
        assert event["args"]["source"] == "x = x * 0.5"
        assert loop["ts"] <= event["ts"]
        assert event["ts"] + event["dur"] <= loop["ts"] + loop["dur"]


def test_kernels_are_compiled_before_they_are_timed() -> None:
    found = ag.function(lambda x: np.exp(x * 2.0 + 1.0)).profile(np.ones(100 * KB))
    (step,) = found.steps
    assert "native(x)" in step.text
    assert step.operations == 3 * 100 * KB


def test_variables_and_arguments_stay_as_they_are() -> None:
    count = ag.Variable(np.float64(0))

    @ag.function(backend="numpy")
    def step(x: Any) -> Any:
        count.assign_add(1.0)
        x[0] = 5.0
        return x * 2

    x = np.ones(3)
    step.profile(x)
    assert float(count) == 0
    assert list(x) == [1, 1, 1]


def test_values_are_needed() -> None:
    message = r"halved\.profile\(\) runs the function, so it needs values, and x is the TensorSpec"
    with pytest.raises(TypeError, match=message):
        ag.function(halved).profile(TensorSpec([3]))


def test_error_of_a_run_stands_at_the_users_line() -> None:
    with pytest.raises(IndexError, match="out of bounds"):
        profile_of(lambda x, i: x[i], np.ones(3), np.int64(7))


def test_graph_without_a_python_function_is_profiled_too() -> None:
    builder = Builder()
    x = builder.param(TensorSpec([None]), "x")
    (result,) = builder.emit(REGISTRY["add"], (x, x), {})
    graph: Graph = builder.seal([x], [result])
    found = profile(compile_graph(graph), "twice", [np.ones(4)])
    assert [step.text for step in found.steps] == ["result = add(x, x)"]


def test_rates_of_this_machine_are_positive() -> None:
    limits = machine_limits()
    assert all(rate > 1e6 for _, rate in limits.bandwidth)
    assert limits.arithmetic.keys() == {"float32", "float64"}
    assert limits.least(0, 1e9, "float32") == 1e9 / limits.arithmetic["float32"]


def test_kernel_that_reads_an_array_in_several_ways_is_counted_once_for_each_element() -> None:
    def blurred(x):
        return np.roll(x, 1, 0) + x * 2 + np.roll(x, -1, 0)

    found = ag.function(blurred).profile(np.ones((20, 30)))
    (step,) = found.steps
    assert step.operations == 3 * 600
    assert found.peak_memory < 2 * 4800


def test_arrays_that_are_used_up_go_before_more_memory_is_taken() -> None:
    def attended(q, k, v):
        s = q @ k.T
        return (np.exp(s - np.max(s, axis=-1, keepdims=True))) @ v

    given = np.random.default_rng(1).standard_normal((3, 400, 400))
    staged = ag.function(attended)
    assert "t2 <- None" in staged.plan(*given)
    found = staged.profile(*given)
    assert np.array_equal(staged(*given), attended(*given))
    assert found.peak_memory < 1.05 * found.least_memory


def test_a_slot_that_is_read_and_written_anew_is_counted() -> None:
    def blocks(x):
        return np.max(np.reshape(x, (2, 2, 2, 3, 2)), axis=(2, 4))

    found = ag.function(lambda x: ag.grad(lambda x: np.sum(np.maximum(blocks(x * 2), 0)))(x))
    assert "step" in str(found.profile(np.arange(48.0).reshape(2, 4, 6)))
