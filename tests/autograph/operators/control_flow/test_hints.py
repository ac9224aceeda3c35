"""`hint` says how a branch or loop is staged, and changes no answer."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

import autograph as ag
from autograph import conversion, operators
from autograph.files.modules import convert_module
from autograph.operators.control_flow.hints import Options, labelled
from tests.random_programs.comparing import interpreted

XS = np.array([1.0, 5.0, 2.0, 7.0, 3.0, 4.0, 6.0])


def limited(x):
    rounds = 0
    while ag.hint(x > 1, max_iterations=4, label="halving"):
        x = x / 2
        rounds += 1
    return x, rounds


def limited_items(xs, n):
    total = 0.0
    for x in ag.hint(xs[:n], max_iterations=3):
        total = total * 2 + x
    return total


def limited_until(xs, most):
    total = 0.0
    for x in ag.hint(xs, max_iterations=4):
        total = total + x
        if total > most:
            break
    return total


def limited_walrus(x):
    while ag.hint((y := x - 1) > 0, max_iterations=4, unroll=2):
        x = x - 1
    return x, y


def unrolled(xs):
    total = 0.0
    for k, x in ag.hint(enumerate(xs), unroll=True):
        total = total * k + x
    return total, x


def by_two(xs):
    total = 0.0
    for x in ag.hint(xs, unroll=2):
        total = total * 3 + x
    return total


def by_three_until(xs, most):
    total = 0.0
    for x in ag.hint(xs, unroll=3):
        if x == 2:
            continue
        total = total + x
        if total > most:
            return total * 10, x
    return total, -1.0


def while_by_three(x):
    rounds = 0
    while ag.hint(x > 1, unroll=3):
        x = x / 2
        if x == 1.25:
            break
        rounds += 1
    else:
        x = -x
    return x, rounds


def staged_range(x):
    for k in ag.hint(range(4), unroll=False):
        x = x * 2 + k
    return x


def staged_numbers(x):
    while ag.hint(3 > 2, mode="staged"):
        x = x - 1
        if x < 0:
            break
    if ag.hint(len("ab"), mode="staged", label="two"):
        x = x + 5
    return x


def negated(x):
    if not ag.hint(x > 0, label="negative"):
        return -x
    y = x if ag.hint(x < 10, label="small") else 10.0
    return y


def exchanged(xs):
    total = 0.0
    for x in ag.hint(xs, label="items"):
        if ag.hint(x > 3, label="large"):
            continue
        total = total + x
    return total


def decided(x, flag):
    if ag.hint(flag, mode="python"):
        x = x + 1
    for _ in ag.hint(range(3), mode="python"):
        x = x * 2
    while ag.hint(flag, mode="python"):
        flag = False
    return x


CASES = [
    (limited, (np.float64(10.0),)),
    (limited, (np.float64(0.5),)),
    (limited_items, (XS, np.int64(3))),
    (limited_items, (XS, 2)),
    (limited_until, (XS, np.float64(14.0))),
    (limited_until, (XS, np.float64(0.0))),
    (limited_walrus, (np.float64(4.5),)),
    (limited_walrus, (np.float64(0.5),)),
    (unrolled, (XS,)),
    (by_two, (XS,)),
    (by_two, (XS[:4],)),
    (by_two, (XS[:1],)),
    (by_three_until, (XS, np.float64(100.0))),
    *((by_three_until, (XS, np.float64(most))) for most in (0, 5, 12, 16, 24)),
    *((while_by_three, (np.float64(x),)) for x in (0.5, 1.5, 5, 6, 20, 100)),
    (staged_range, (np.float64(3.0),)),
    (staged_numbers, (np.float64(3.0),)),
    (negated, (np.float64(3.0),)),
    (negated, (np.float64(-3.0),)),
    (negated, (np.float64(30.0),)),
    (exchanged, (XS,)),
    (decided, (np.float64(3.0), True)),
    (decided, (np.float64(3.0), False)),
]


@pytest.mark.parametrize(("sample", "arguments"), CASES)
def test_a_hint_changes_no_answer(sample, arguments):
    expected = sample(*arguments)
    converted = conversion.convert(sample, operators)
    np.testing.assert_array_equal(converted(*arguments), expected)
    staged = ag.function(sample)
    np.testing.assert_array_equal(staged(*arguments), expected)
    (found, _), error = interpreted(staged, arguments)
    assert error is None
    np.testing.assert_array_equal(found, expected)


def test_converted_files_have_plain_hints(tmp_path, monkeypatch):
    source = "import autograph as ag\n\n\ndef f(x):\n    n = 0\n"
    source += "    while ag.hint(x > 1, label='halving'):\n        x = x / 2\n        n += 1\n"
    source += "    return n\n"
    text = convert_module(source, "samples.py")
    assert "hinted(ag.hint, lambda: x > 1, label='halving')" in text
    (tmp_path / "hinted_sample.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("hinted_sample")
    assert module.f(8.0) == 3
    assert ag.function(module.f)(np.float64(8.0)) == 3


@pytest.mark.parametrize(
    ("sample", "arguments", "name"),
    [
        (limited, (np.float64(100.0),), "the loop 'halving'"),
        (limited_items, (XS, np.int64(4)), "this loop"),
        (limited_items, (XS, 4), "this loop"),
        (limited_until, (XS, np.float64(15.0)), "this loop"),
        (limited_walrus, (np.float64(7.5),), "this loop"),
    ],
)
def test_a_staged_loop_with_too_many_rounds_raises(sample, arguments, name):
    sample(*arguments)
    with pytest.raises(RuntimeError) as caught:
        ag.function(sample)(*arguments)
    most = 3 if sample is limited_items else 4
    assert str(caught.value) == (
        f"{name} did not end after {most} rounds, the most that hint(max_iterations={most}) allows"
    )
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert "ag.hint(" in (frame.line or "")


def test_rounds_that_python_runs_while_tracing_count():
    @ag.function
    def f(x, n):
        while ag.hint(n > 0 or x > 1, max_iterations=3):
            n -= 1
            x = x / 2
        return x

    assert f(np.float64(8.0), 2) == 1.0
    with pytest.raises(RuntimeError, match="this loop did not end after 3 rounds"):
        f(np.float64(16.0), 2)
    with pytest.raises(RuntimeError, match="this loop did not end after 3 rounds"):
        f(np.float64(16.0), 4)


def test_how_a_loop_is_staged():
    def ops(sample, *arguments):
        return str(ag.function(sample).graph(*arguments))

    assert "reduce(" not in ops(unrolled, XS)
    assert "reduce(" in ops(staged_range, np.float64(1))
    assert ops(by_two, XS).count("reduce(") == 1
    assert ops(by_two, XS[:4]).count("reduce(") == 1
    assert ops(by_two, XS).count("add(") == ops(by_two, XS[:4]).count("add(") + 1
    assert ops(while_by_three, np.float64(1)).count("cond(") >= 2
    assert "while_loop(" in ops(staged_numbers, np.float64(1))
    assert "cond(" not in ops(decided, np.float64(1), True)


def test_labels_are_printed():
    f = ag.function(limited)
    assert "label='halving')" in str(f.graph(np.float64(1)))
    assert " halving: while greater(" in str(f.plan(np.float64(1)))
    g = ag.function(exchanged)
    assert "label='items')" in str(g.graph(XS))
    assert "label='large')" in str(g.graph(XS))
    assert " items: for " in str(g.plan(XS))
    assert "large: if " in str(g.plan(XS))
    statement, *_ = ag.explain(limited, np.float64(1)).statements
    assert statement.reason == "its condition is bool[]; its label is 'halving'"


def test_a_label_begins_the_messages_about_its_statement():
    def lowered(x):
        x -= 1
        return np.sum(x)

    @ag.function
    def f(x):
        rounds = 0
        while ag.hint(lowered(x) > 0, label="outer"):
            rounds += 1
        return rounds

    with pytest.raises(ag.MutationError, match="in the loop 'outer': the condition of a staged"):
        f(np.ones(3))
    large = pytest.raises(ag.ShapeError, match="in the branch 'sign': too large")
    with large, labelled(Options(label="sign"), "branch"):
        raise ag.ShapeError("too large")


def staged_branch(x):
    return 1.0 if ag.hint(x > 1, mode="python") else 2.0


def staged_python_loop(x):
    while ag.hint(x > 1, mode="python", label="steps"):
        x = x / 2
    return x


def unknown_rounds(x):
    while ag.hint(x > 1, unroll=True):
        x = x / 2
    return x


def unknown_items(n):
    total = 0
    for k in ag.hint(range(n), unroll=True):
        total += k
    return total


@pytest.mark.parametrize(
    ("sample", "argument", "message"),
    [
        (
            staged_branch,
            np.float64(2),
            "this branch has hint(mode='python'), and it depends on bool[]",
        ),
        (
            staged_python_loop,
            np.float64(2),
            "the loop 'steps' has hint(mode='python'), and it depends",
        ),
        (
            unknown_rounds,
            np.float64(2),
            "this loop has hint(unroll=True), and it depends on bool[]",
        ),
        (unknown_items, np.int64(2), "this loop has hint(unroll=True), and it depends on int"),
    ],
)
def test_what_is_to_be_decided_while_tracing_and_is_not_known_is_refused(sample, argument, message):
    with pytest.raises(ag.StagedBoolError) as caught:
        ag.function(sample)(argument)
    assert message in str(caught.value)
    assert "known only when the graph runs. Pass a Python value, or take the hint away" in str(
        caught.value
    )


def test_what_the_graph_cannot_go_over_is_refused():
    @ag.function
    def f(x):
        for word in ag.hint(["a", "b"], unroll=False):
            x = x + len(word)
        return x

    with pytest.raises(
        ag.StagedValueError, match="this loop is to be part of the graph, and it goes"
    ):
        f(np.float64(1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_iterations": -1}, "max_iterations is a number of rounds, 0 or more, not -1"),
        ({"max_iterations": True}, "max_iterations is a number of rounds, 0 or more, not True"),
        ({"unroll": 0}, "unroll is True, False or a number of rounds, at least 1, not 0"),
        ({"unroll": 2.5}, "unroll is True, False or a number of rounds, at least 1, not 2.5"),
        ({"mode": "gpu"}, "mode is one of 'python', 'staged', 'elementwise', not 'gpu'"),
        ({"label": 3}, "label is a text on one line, not 3"),
        ({"label": "a\nb"}, "label is a text on one line, not 'a\\nb'"),
        ({"mode": "python", "unroll": 2}, "unroll=2 and mode='python' contradict each other"),
        ({"mode": "staged", "unroll": True}, "unroll=True and mode='staged' contradict each other"),
    ],
)
def test_options_are_checked_in_plain_python_too(options, message):
    with pytest.raises(ValueError, match="hint") as caught:
        ag.hint(3, **options)
    assert str(caught.value) == f"hint(): {message}"


@pytest.mark.parametrize("options", [{"max_iterations": 3}, {"unroll": 2}])
def test_a_branch_has_no_rounds(options):
    @ag.function
    def f(x):
        if ag.hint(x > 0, **options):
            x = -x
        return x

    @ag.function
    def g(x):
        if ag.hint(x > 0, max_iterations=3, label="sign"):
            x = -x
        return x

    with pytest.raises(ag.StagedValueError, match="says nothing of any branch or loop"):
        f(np.float64(1))
    with pytest.raises(ValueError, match="is about a loop, and the branch 'sign' is none"):
        g(np.float64(1))


def test_a_hint_that_says_nothing_of_a_statement_is_refused():
    @ag.function
    def f(xs):
        total = 0.0
        for k, x in enumerate(ag.hint(xs, unroll=True)):
            total = total + k * x
        return total

    with pytest.raises(ag.StagedValueError) as caught:
        f(XS)
    text, _, place = str(caught.value).partition("\n")
    assert text == (
        "hint(unroll=True) stands where it says nothing of any branch or loop. Write it around the "
        "whole condition of an `if` or `while`, or around the whole of what a `for` goes over"
    )
    assert "for k, x in enumerate(ag.hint(xs, unroll=True)):" in place
    assert ag.hint(XS) is XS
    assert ag.function(lambda x: ag.hint(x) + 1)(np.float64(1)) == 2


def test_another_function_of_these_keywords_is_called():
    def check(value, label):
        if value:
            return label == "mine"
        return label != "mine"

    def f(x):
        while check(x > 1, label="mine"):
            x = x / 2
        if not check(x > 0.5, label="yours"):
            x = -x
        return x

    for x in (5.0, 0.25):
        assert conversion.convert(f, operators)(x) == f(x)
        assert ag.function(f)(np.float64(x)) == f(x)


def test_a_loop_that_runs_often_in_python_keeps_its_options():
    @ag.function
    def f(x):
        total = 0
        for k in ag.hint(range(2000), label="many"):
            total += k
        while ag.hint(total > 0, label="down"):
            total -= 1000
        return x + total

    assert f(np.float64(1)) == f.python_function(1.0)
    assert "label" not in str(f.graph(np.float64(1)))
