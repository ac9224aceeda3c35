from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.node import Value
from runtime.graph.opdef import OpDef
from runtime.graph.walk import walk
from runtime.lower import memory, write_targets
from runtime.lower.compile import compile_graph
from runtime.ops.control import cond
from runtime.ops.creation import constant
from runtime.ops.elementwise import add, greater, negative
from runtime.ops.indexing import index, update
from runtime.spec import TensorSpec
from tests.runtime.lower.random_updates import arguments, random_updates
from tests.runtime.lower.same import all_same
from tests.runtime.passes.build import VECTOR, Draft


@pytest.mark.parametrize("optimised", [False, True])
@pytest.mark.parametrize("seed", [*range(60), 101, 388])  # the last have buffers that change places
def test_writing_in_place_cannot_be_noticed(seed: int, optimised: bool) -> None:
    graph = random_updates(seed)
    given = arguments(seed)
    executable = compile_graph(graph, optimised=optimised)
    for _ in range(2):
        assert all_same(executable.run(*given), interpret(graph, arguments(seed), np))
        assert all_same(given, arguments(seed))


@pytest.mark.parametrize("seed", range(60))
def test_results_in_the_memory_of_dead_operands_cannot_be_noticed(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_targets, "LARGE", 1)
    graph = random_updates(seed)
    given = arguments(seed)
    executable = compile_graph(graph)
    for _ in range(2):
        assert all_same(executable.run(*given), interpret(graph, arguments(seed), np))
        assert all_same(given, arguments(seed))


class Graphs:
    """Graphs of one vector `x`."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.x = self.builder.param(TensorSpec([4]), "x")

    def emit(self, op: OpDef, *inputs: Value, **attrs: Any) -> Value:
        return self.builder.emit(op, inputs, attrs)[0]

    def run(self, *results: Value) -> tuple[np.ndarray, tuple[Any, ...]]:
        """Return the argument and the results."""
        x = np.arange(4.0)
        return x, compile_graph(self.builder.seal([self.x], results)).run(x)


def test_result_that_is_a_constant_is_a_new_array_each_time() -> None:
    build = Graphs()
    graph = build.builder.seal([build.x], [build.emit(constant, value=np.zeros(3))])
    executable = compile_graph(graph)
    first, second = executable.run(np.ones(4)) + executable.run(np.ones(4))
    assert not np.shares_memory(first, second)
    assert first.flags.writeable


def test_view_of_a_constant_is_returned_as_a_copy() -> None:
    build = Graphs()
    whole = build.emit(constant, value=np.zeros(5000))
    executable = compile_graph(
        build.builder.seal([build.x], [build.emit(index, whole, key="1:")]), optimised=False
    )
    first, second = executable.run(np.ones(4)) + executable.run(np.ones(4))
    assert not np.shares_memory(first, second)


def test_argument_is_returned_itself_as_in_plain_python() -> None:
    build = Graphs()
    x, (found,) = build.run(build.x)
    assert found is x


def test_view_of_an_argument_is_returned_as_a_view() -> None:
    build = Graphs()
    x, (found,) = build.run(build.emit(index, build.x, key="1:"))
    assert np.shares_memory(x, found)


def test_argument_that_a_rule_lets_through_is_returned_as_a_copy() -> None:
    build = Graphs()
    x, (found,) = build.run(build.emit(negative, build.emit(negative, build.x)))
    assert np.array_equal(x, found)
    assert not np.shares_memory(x, found)


def test_results_that_a_pass_merged_are_two_arrays() -> None:
    build = Graphs()
    _, (one, two) = build.run(build.emit(add, build.x, build.x), build.emit(add, build.x, build.x))
    assert np.array_equal(one, two)
    assert not np.shares_memory(one, two)


def test_one_result_twice_is_one_array() -> None:
    build = Graphs()
    total = build.emit(add, build.x, build.x)
    _, (one, two) = build.run(total, total)
    assert one is two


def test_update_of_a_fresh_array_makes_no_copy() -> None:
    build = Graphs()
    total = build.emit(add, build.x, build.x)
    one = build.emit(constant, value=1.0)
    graph = build.builder.seal([build.x], [build.emit(update, total, one, key="0")])
    assert "write update" in str(compile_graph(graph).plan)


def test_update_of_an_argument_makes_a_copy() -> None:
    build = Graphs()
    one = build.emit(constant, value=1.0)
    x, (found,) = build.run(build.emit(update, build.x, one, key="0"))
    assert found[0] == 1.0
    assert x[0] == 0.0


def test_argument_that_several_branches_may_write_is_copied_once() -> None:
    draft = Draft()
    x = start = draft.param(VECTOR, "x")
    for key in "012":
        test = draft(greater, draft(index, x, key=key), 0.0)
        arms = [lambda d, x=x, key=key: [d(update, x, 1.0, key=key)], lambda d, x=x: [x]]
        (x,) = draft.nest(cond, [test], [[], []], arms)
    executable = compile_graph(draft.graph([start], x))
    assert str(executable.plan).count("copy") == 1
    given = np.array([2.0, -2.0, 2.0])
    assert list(executable.function(given)) == [1.0, -2.0, 1.0]
    assert list(given) == [2.0, -2.0, 2.0]


def test_what_a_round_makes_is_written_in_place_though_the_next_round_begins_with_it() -> None:
    def relaxed(u: Any, rounds: Any) -> Any:
        for _ in range(rounds):
            new = u.copy()
            for i in range(1, len(u) - 1):
                new[i] = 0.5 * (u[i - 1] + u[i + 1])
            u = new
        return u

    u, rounds = np.arange(300.0) ** 2, np.int64(3)
    staged = ag.function(relaxed)
    assert np.array_equal(staged(u, rounds), relaxed(u, rounds))
    graph = staged.get_concrete_function(u, rounds).traced_graph
    assert not memory.find_memory(graph).refused


def test_a_row_of_zeros_that_a_round_makes_and_hands_on_is_written_in_place() -> None:
    def rows(a: Any) -> Any:
        before = np.zeros(301)
        for _ in range(100):
            now = np.zeros(301)
            for i in range(1, 301):
                now[i] = max(now[i - 1], before[i - 1] + a[i])
            before = now
        return before

    graph = ag.function(rows).get_concrete_function(np.ones(301)).executable.plan.graph
    updates = [node for node in walk(graph) if node.op is update]
    assert updates
    assert {*updates} == {*memory.find_memory(graph).targets}
