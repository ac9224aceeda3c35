"""A comparison finds the first statement after which the staged function differs."""

from __future__ import annotations

import functools
import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.comparing import compare
from autograph.errors import UnsupportedSyntaxError
from runtime.graph.node import Graph, Node
from runtime.graph.opdef import REGISTRY
from runtime.graph.walk import effects
from runtime.passes import pipeline
from runtime.passes.log import Log
from runtime.passes.rewriter import in_regions, with_nodes
from tests.autograph.comparing import samples
from tests.autograph.operators.control_flow.test_staged_control_flow import CASES
from tests.language.rows import ROWS
from tests.language.test_language import arguments

XS = np.array([1.0, -2.0, 3.0, 0.5])


def word(found: Any) -> str:
    """Return the word behind the line of a difference, or the line."""
    line = linecache.getline(samples.__file__, found.difference.line).strip()
    return line.partition("  # ")[2] or line


def cosines(graph: Graph) -> Graph:
    """A pass that is wrong: it takes a cosine for a sine."""
    sine, cosine = REGISTRY["sin"], REGISTRY["cos"]

    def exchanged(node: Node) -> Node:
        if node.op is not sine:
            return node
        return Node(cosine, node.inputs, node.attrs, node.regions, node.results, node.location)

    return with_nodes(graph, [exchanged(node) for node in graph.nodes])


def first(change: Callable[[Graph], Graph]) -> Callable[[Graph, Log], Graph]:
    """Return a change of the nodes of one graph as a pass over all graphs."""

    def whole(graph: Graph, log: Log) -> Graph:
        return in_regions(change)(graph)

    return whole


@pytest.fixture
def wrong_sine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a pass be wrong about sines."""
    monkeypatch.setattr(pipeline, "PASSES", (first(cosines), *pipeline.PASSES))


EVERYTHING = [
    *((f, args) for f, many in CASES for args in many),
    *((x.sample, arguments(y)) for x in ROWS if x.sample and not x.refused for y in x.calls),
]


@pytest.mark.parametrize(("function", "args"), EVERYTHING)
def test_there_is_no_difference_in_what_is_right(function: Any, args: Any) -> None:
    compare(function, *args).raise_if_different()


def test_without_a_difference_it_is_true_and_says_how_much_was_compared() -> None:
    found = compare(samples.largest_sines, XS, 0.0)
    assert found
    assert (found.calls, found.compared, found.difference) == (2, 34, None)
    assert str(found) == "largest_sines: no difference in 2 calls, after 34 statements"
    assert repr(found) == str(found)
    found.raise_if_different()


@pytest.mark.usefixtures("wrong_sine")
def test_the_first_statement_and_the_round_are_told() -> None:
    found = compare(samples.largest_sines, XS, 0.75)
    assert not found
    assert word(found) == "sine"
    line = found.difference.line
    assert found.difference.rounds == ((line - 2, 1),)
    assert (found.difference.name, found.difference.call) == ("y", 1)
    assert (found.difference.plain, found.difference.staged) == (np.sin(1.0), np.cos(1.0))
    assert str(found) == (
        "largest_sines differs when it is staged.\n"
        f"{samples.__file__}:{line}: round 1 of the loop in line {line - 2}\n"
        "    y = np.sin(x)  # sine\n"
        "y is 0.8414709848078965 and 0.5403023058681398\n"
        "  plain:  0.8414709848078965\n"
        "  staged: 0.5403023058681398"
    )
    with pytest.raises(ag.DifferenceError, match=r"y is 0\.84147"):
        found.raise_if_different()


@pytest.mark.usefixtures("wrong_sine")
def test_rounds_of_nested_loops_are_told() -> None:
    wrong_from = np.array([[np.pi / 4, np.pi / 4], [np.pi / 4, 1.0]])
    found = compare(samples.nested, wrong_from, rtol=1e-6)
    line = found.difference.line
    assert word(found) == "sine"
    assert found.difference.rounds == ((line - 3, 2), (line - 1, 2))
    assert "round 2 of the loop in line" in str(found)


@pytest.mark.usefixtures("wrong_sine")
def test_an_array_that_is_written_is_told_by_its_item() -> None:
    x = np.zeros(3)
    found = compare(samples.writes, x, np.float64(1.0))
    assert (word(found), found.difference.name) == ("write", "x")
    assert found.difference.how == "x[0] is 0.8414709848078965 and 0.5403023058681398"
    assert not x.any()


@pytest.mark.usefixtures("wrong_sine")
@pytest.mark.parametrize(
    ("function", "argument", "place", "text"),
    [
        (samples.decides, 2.0, "decision", "the plain function goes to line"),
        (samples.looks_until, 2.0, "condition", "the plain function begins a round of the loop"),
        (samples.deferred, 1.0, "inner", "z is 0.84"),
        (samples.calls_another, 1.0, "call", "y is 0.84"),
        (samples.two_lines_later, 1.0, "sine", "z is 0.84"),
        (
            samples.checks,
            2.0,
            "check",
            "in the plain function nothing is raised; in the staged one AssertionError: not positi",
        ),
    ],
)
def test_where_they_part_is_told(function: Any, argument: float, place: str, text: str) -> None:
    more = (np.int64(1),) if function is samples.two_lines_later else ()
    found = compare(function, np.float64(argument), *more)
    assert word(found) == place
    assert text in str(found)


@pytest.mark.usefixtures("wrong_sine")
def test_what_is_not_compared_is_said_before() -> None:
    one = np.float64(1.0)
    found = compare(samples.two_lines_later, one, np.int64(1), ignore=["z", "y", "return"])
    assert found
    found = compare(samples.two_lines_later, one, np.int64(1), ignore=["z"])
    assert found.difference.name == "y"
    assert compare(samples.two_lines_later, one, np.int64(1), atol=0.4)
    assert compare(samples.two_lines_later, one, np.int64(1), rtol=0.6)


def test_an_exception_that_one_side_does_not_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    def unchecked(graph: Graph) -> Graph:
        return with_nodes(graph, [x for x in graph.nodes if x.op.name != "check"])

    monkeypatch.setattr(pipeline, "PASSES", (first(unchecked), *pipeline.PASSES))
    found = compare(samples.refuses, np.float64(1.0))
    assert word(found) == "raise"
    assert "(it raises ValueError: too large)" in str(found)


def test_what_both_raise_is_no_difference() -> None:
    assert compare(samples.refuses, np.float64(1.0))
    assert compare(samples.checks, np.float64(-1.0))


def test_what_happens_while_tracing_only_differs_in_the_second_call() -> None:
    found = compare(samples.is_called_while_tracing, np.float64(1.0))
    assert (word(found), found.difference.name, found.difference.call) == ("tick", "y", 2)
    assert "(in call 2)" in str(found)
    assert compare(samples.is_called_while_tracing, np.float64(1.0), calls=1)


@pytest.mark.parametrize("function", [samples.counts, samples.remembers, samples.says])
def test_what_is_written_outside_or_printed_is_so_in_each_call(function: Any) -> None:
    assert compare(function, np.float64(1.0))


@pytest.mark.parametrize(
    "function", [samples.draws, samples.draws_from_numpy, samples.draws_from_a_generator]
)
def test_random_numbers_are_drawn_when_the_graph_runs(function: Any) -> None:
    assert compare(function, np.float64(1.0))


def test_globals_and_random_numbers_are_as_they_were() -> None:
    random.seed(3)
    np.random.seed(3)
    expected = random.random(), np.random.rand(), np.random.default_rng(7).normal()
    random.seed(3)
    np.random.seed(3)
    for function in (samples.draws, samples.draws_from_numpy, samples.draws_from_a_generator):
        compare(function, np.float64(1.0))
    compare(samples.counts, np.float64(1.0))
    assert (random.random(), np.random.rand(), samples.noise.normal()) == expected
    assert samples.calls == 0


def test_the_object_of_a_method_is_copied_and_compared() -> None:
    counter = samples.Counter()
    assert compare(counter.add, 1.0)
    assert vars(counter) == {"total": 0.0, "used": 0}


def test_what_is_printed_is_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    compare(samples.says, np.float64(1.0), calls=1)
    assert capsys.readouterr().out == "added\n"


def test_a_wrong_pass_that_the_looking_hides_is_found() -> None:
    def shy(graph: Graph, log: Log) -> Graph:
        is_seen = any("output" in effects(node) for node in graph.nodes)
        return graph if is_seen else in_regions(cosines)(graph)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "PASSES", (shy, *pipeline.PASSES))
        found = compare(samples.calls_another, np.float64(1.0))
    assert found.difference.name == "what is returned"
    assert "only when its statements are not looked at" in found.difference.how


def test_what_cannot_be_traced_is_a_difference_with_the_reason() -> None:
    found = compare(samples.writes_into_a_view, np.ones((2, 2)))
    assert word(found) == "view"
    assert "in the staged one while it is traced, MutationError" in str(found)


def test_a_staged_function_a_partial_and_a_lambda_can_be_compared() -> None:
    assert compare(ag.function(samples.largest_sines), XS, 0.0)
    assert compare(functools.partial(samples.largest_sines, limit=0.0), XS)
    assert compare(lambda x: np.where(x > 0, x, -x), XS)


def test_arguments_that_share_memory_share_it_in_the_copies() -> None:
    def shifts(x, y):
        y += 1
        return x.sum()

    x = np.zeros(3)
    found = compare(shifts, x, x[1:])
    assert "no difference in" in str(found)
    assert not x.any()


@pytest.mark.usefixtures("wrong_sine")
def test_a_handler_is_looked_at() -> None:
    found = compare(samples.handles, np.ones(3), np.int64(5))
    assert (word(found), found.difference.name) == ("handler", "y")


def test_what_cannot_be_staged_at_all_is_refused() -> None:
    with pytest.raises(UnsupportedSyntaxError, match="generator is a generator"):
        compare(samples.generator, 1.0)
    staged = ag.function(lambda x: compare(samples.calls_another, x))
    with pytest.raises(ag.StagedValueError, match=r"autograph\.compare runs functions"):
        staged(np.float64(1.0))
