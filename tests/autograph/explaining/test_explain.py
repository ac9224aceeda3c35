"""What explanations say of functions that are traced, and of files that are read."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.errors import UnknownFunctionError
from autograph.explaining import Explanation, Statement, Variable, explain, explain_text
from autograph.function.concrete import ConcreteFunction
from autograph.function.polymorphic import Function
from runtime.graph.printer import print_graph
from tests.autograph.explaining import samples

FILE = Path(samples.__file__)
GOLDEN = Path(__file__).parents[2] / "golden" / "explain"
X, RATE, SCALAR = np.array([3.0, -4.0]), np.float64(0.5), np.float64(2.0)


def read(name: str) -> Explanation:
    return explain_text(FILE.read_bytes(), "samples.py", name)


def the(explanation: Explanation, text: str) -> Statement:
    (found,) = [one for one in explanation.statements if one.text == text]
    return found


def test_a_call_of_a_function_by_itself_is_said_to_be_in_the_graph():
    def down(n):
        return 0 if n <= 0 else 1 + down(n - 1)

    found = the(explain(down, np.int64(3)), "down(n - 1)")
    assert found.outcome == "staged: it calls itself: a call of a function of the graph"


def check(explanation: Explanation, name: str, update: bool) -> None:
    text = str(explanation).replace(str(FILE), "samples.py") + "\n"
    if update:
        GOLDEN.mkdir(exist_ok=True)
        (GOLDEN / name).write_text(text, encoding="utf-8")
    assert (GOLDEN / name).read_text(encoding="utf-8") == text


def test_a_traced_function(update_golden: bool) -> None:
    check(explain(samples.settle, X, RATE, "fast"), "settle_traced.txt", update_golden)


def test_a_function_that_is_read(update_golden: bool) -> None:
    check(read("settle"), "settle_read.txt", update_golden)


def test_all_problems_are_told_at_once(update_golden: bool) -> None:
    check(explain(samples.two_problems, X), "two_problems.txt", update_golden)


def test_without_arguments_nothing_is_run() -> None:
    before = list(samples.found)
    explanation = explain(samples.two_problems)
    assert samples.found == before
    assert explanation.arguments is None
    assert the(explanation, "while np.sum(x) > 1").decision == "converted"


def test_a_function_without_parameters_is_traced() -> None:
    explanation = explain(lambda: 1 if np.zeros(2)[0] > 0 else 2)
    (_, choice) = explanation.statements[0], explanation.statements[0]
    assert (explanation.arguments, choice.decision) == ("no arguments", "Python")


def test_the_function_itself_is_not_changed() -> None:
    code = samples.settle.__code__
    explain(samples.settle, X, RATE, "fast")
    assert samples.settle.__code__ is code
    staged = ag.function(samples.settle)
    assert staged(X, RATE, "fast")[1] == samples.settle(X, RATE, "fast")[1]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (samples.settle, (X, RATE, "fast")),
        (samples.negations, (X, [])),
        (samples.leaves_early, (SCALAR, 3)),
        (samples.unsure, (np.arange(3.0),)),
    ],
)
def test_the_graph_is_the_same_with_and_without_an_observer(
    function: Callable[..., Any], arguments: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced = []
    plain = Function._trace

    def trace(self: Function, *args: Any) -> ConcreteFunction:
        traced.append(plain(self, *args))
        return traced[-1]

    monkeypatch.setattr(Function, "_trace", trace)
    ag.function(function).get_concrete_function(*arguments)
    explain(function, *arguments)
    expected, found = (print_graph(one.traced_graph) for one in traced)
    assert found == expected


def test_variables_before_and_after() -> None:
    explanation = explain(samples.settle, X, RATE, "slow")
    loop = the(explanation, "while np.max(np.abs(x)) > 1.0 and not rounds > 9")
    assert loop.state == (
        Variable("rounds", "int", "int"),
        Variable("total", "f32[]", "f64[]"),
        Variable("x", "f64[2]", "f64[2]"),
    )
    assert [one.name for one in loop.state if one.is_widened] == ["total"]


def test_a_test_that_the_converter_turns_around_is_told_as_it_is_written() -> None:
    explanation = explain(samples.negations, X, [])
    assert the(explanation, "if not (names and step)").outcome == (
        "Python: the test was True while tracing"
    )
    assert the(explanation, "if not x[0] > 2").outcome == "staged: the test negates bool[]"


def test_a_loop_that_python_begins_and_the_graph_ends() -> None:
    explanation = explain(samples.leaves_early, SCALAR, 3)
    assert the(explanation, "while k > 0").outcome == (
        "staged: its condition is known only when the graph runs, after 1 round in Python"
    )


def test_what_is_not_run_is_not_reached() -> None:
    explanation = explain(samples.chooses, SCALAR, True)
    assert the(explanation, "x if x > 1 else -x").outcome == (
        "not reached: tracing did not come here"
    )
    assert the(explanation, "case 0").decision == "staged"


def test_a_function_that_is_left_as_python_says_why() -> None:
    explanation = explain(samples.frame, SCALAR)
    assert the(explanation, "if x > 0").outcome == (
        f"as it is: frame is left as Python because of `locals()` in line {_line('locals()')}"
    )
    stopped, hazard = explanation.problems
    assert stopped.message.startswith("tracing stopped: StagedBoolError: the truth of a staged")
    assert hazard.code == "AG117"


def test_an_async_function() -> None:
    explanation = read("later")
    assert explanation.statements[0].reason == "later is left as Python: it is an async function"
    assert [problem.code for problem in explanation.problems] == ["AG115"]


def test_a_method_is_traced_with_its_object_which_stays_as_it_was() -> None:
    net = samples.Net()
    explanation = explain(net.grow, SCALAR)
    assert net.size == 2
    assert the(explanation, "if x > 0").state == (Variable("self.size", "int", "f64[]"),)
    assert [problem.code for problem in explanation.problems] == ["AG106"]


def test_class_methods_partials_and_lambdas() -> None:
    assert explain(samples.Net.scaled, SCALAR).function == "Net.scaled"
    partial = functools.partial(samples.leaves_early, k=0)
    assert the(explain(partial, SCALAR), "while k > 0").outcome == (
        "unrolled: 0 rounds in Python: its condition was known while tracing"
    )
    explanation = explain(lambda x: x if x > 0 else -x, ag.TensorSpec([], "float32"))
    assert (explanation.arguments, explanation.statements[0].decision) == ("f32[]", "staged")


def test_what_calls_become() -> None:
    explanation = explain(samples.settle, X, RATE, "fast")
    assert the(explanation, "helper(x)").outcome == "converted"
    assert the(explanation, "np.float32(1)").outcome == (
        "converted: the operator for float32 takes its place"
    )

    def outside(x):
        return functools.cmp_to_key(x), samples.Net()

    found = explain(outside, SCALAR).statements
    assert [one.outcome for one in found] == [
        "as it is: cmp_to_key is not written in Python",
        "converted",
    ]


def test_a_function_marked_with_do_not_convert() -> None:
    plain = ag.do_not_convert(lambda x: x)

    def f(x):
        return plain(x)

    assert explain(f, SCALAR).statements[0].outcome.endswith("is marked with do_not_convert")


def test_a_function_with_nothing_to_convert() -> None:
    assert "no branches, loops, logic or calls" in str(read("nothing"))


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(UnknownFunctionError, match="There is no function settl in samples"):
        read("settl")


def test_a_file_is_never_run() -> None:
    text = "raise SystemExit(3)\ndef f(x):\n    return x or 1\n"
    assert explain_text(text, "net.py", "f").statements[0].text == "x or 1"


def test_json_is_plain_data() -> None:
    data = read("leaves_early").as_json()
    assert data["statements"][0]["state"][0] == {"name": "k", "before": "", "after": ""}
    assert list(data) == [
        "function", "file", "line", "arguments", "statements", "problems", "kept"
    ]  # fmt: skip


def _line(text: str) -> int:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_a_derivative_says_what_its_loops_keep_and_compute_again() -> None:
    def grown(x, w):
        y = x
        for _ in range(600):
            y = np.tanh(w @ y)
        while np.sum(y) > 1.0:
            y = y * y * 0.5
        return np.sum(y)

    start = grown.__code__.co_firstlineno
    found = ag.explain(ag.grad(grown), np.ones(4), np.eye(4))
    plain = ag.explain(grown, np.ones(4), np.eye(4))
    assert plain.kept == ()
    by_line = {one.line - start: one for one in found.kept}
    assert set(by_line) == {2, 4}
    assert by_line[2].bytes == 600 * 4 * 8
    assert [line - start for line in by_line[2].again] == [3]
    assert (by_line[4].bytes, by_line[4].round_bytes) == (None, 32)
    assert "going back:" in str(found)
