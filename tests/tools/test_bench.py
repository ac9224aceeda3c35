"""The parts of the benchmarks and of the demonstration; times are never asserted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

import numpy as np
import pytest

import autograph as ag
from tools import demo
from tools.bench import __main__ as bench
from tools.bench import (
    conversion,
    loop_samples,
    loops,
    reductions,
    regressions,
    timing,
    tracing,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (2.0, "2.00 s"),
        (0.00123456, "1.23 ms"),
        (0.25, "250 ms"),
        (3e-6, "3.00 us"),
        (4.2e-8, "42 ns"),
    ],
)
def test_duration_has_three_digits(seconds: float, text: str) -> None:
    assert timing.duration(seconds) == text


def test_table_is_aligned() -> None:
    assert timing.table(["what", "time"], [["a call", "1 us"]]).splitlines() == [
        "| what   | time |",
        "|--------|------|",
        "| a call | 1 us |",
    ]


def test_functions_are_timed_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "SHORTEST", 0.0)
    calls: list[str] = []

    def work(name: str) -> Callable[[], None]:
        return lambda: calls.append(name)

    times = timing.side_by_side({"a": work("a"), "b": work("b")}, rounds=2)
    assert list(times) == ["a", "b"]
    assert calls[-4:] == ["a", "b", "a", "b"]


def test_converted_function_has_thirty_lines() -> None:
    assert len(conversion.SOURCE.splitlines()) == 30
    before = dict(os.environ)
    times = conversion.measure(repeats=1)
    assert list(times) == [
        "without stored code",
        "to be stored",
        "again, in the same process",
        "in a second process",
    ]
    assert all(seconds > 0 for seconds in times.values())
    assert os.environ == before


def test_chain_has_as_many_ops_as_it_says() -> None:
    assert len(tracing.measure(8)) == 4


def test_unknown_benchmark_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["colour"]) == 2
    assert "no benchmark is named 'colour'" in capsys.readouterr().err


def test_demonstration_ends_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(timing, "SHORTEST", 0.0)
    assert demo.main() == 0
    assert "bit for bit" in capsys.readouterr().out


def test_demonstration_fails_when_answers_differ(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "print_times", lambda *given: None)
    monkeypatch.setattr(demo, "same", lambda plain, staged: False)
    assert demo.main() == 1
    assert "FAILED" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ((np.zeros(2), 1), (np.zeros(2), 1), True),
        ((np.zeros(2), 1), (-np.zeros(2), 1), False),
        ((np.zeros(2), 1), (np.zeros(2), np.int64(1)), False),
        ((np.zeros(2),), (np.zeros(2, "float32"),), False),
        ((np.zeros(2),), (np.zeros((2, 1)),), False),
        ((1,), (1, 2), False),
    ],
)
def test_answers_are_the_same_when_every_bit_is(
    a: tuple[object, ...], b: tuple[object, ...], equal: bool
) -> None:
    assert demo.same(a, b) is equal


def test_docstring_is_cut_out() -> None:
    source = '@staged\ndef f(x):\n    """One.\n\n    Two.\n    """\n    return x\n'
    assert demo.without_docstring(source) == "def f(x):\n    return x"
    assert demo.without_docstring("def f(x):\n    return x\n") == "def f(x):\n    return x"


@pytest.mark.parametrize("name", ["collatz_one", "gcd_fib", "newton_sqrt", "bubble_200"])
def test_loops_of_the_benchmark_give_what_python_gives(name: str) -> None:
    function, args = loop_samples.workloads()[name]
    found, wanted = loops.staged(function, "native")(*args), function(*args)
    assert np.array_equal(found, wanted)
    assert not any(isinstance(x, np.generic) for x in loops.native_numbers(args))


def test_what_takes_three_times_its_stored_ratio_has_become_slower(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times = {"as before": (2.0, 10.0), "slower": (7.0, 10.0), "new": (9.0, 1.0)}
    measured: list[str] = []

    def measure(works: regressions.Works) -> tuple[float, float]:
        measured.append(next(iter(works)))
        return times[measured[-1]]

    monkeypatch.setattr(regressions, "measure", measure)
    ways = {name: {name: list, "plain": list} for name in times}
    rows, slower = regressions.compare({"as before": 0.2, "slower": 0.2}, ways)
    assert slower == ["slower"]
    assert rows[1] == ["slower", "slower / plain", "7.00 s", "10.0 s", "0.7", "0.2", "slower"]
    assert measured.count("slower") == regressions.TRIES
    assert measured.count("as before") == measured.count("new") == 1


def test_each_workload_that_is_watched_has_a_stored_ratio() -> None:
    stored = json.loads(regressions.STORED.read_text())
    assert stored.keys() == regressions.workloads().keys()


def test_reductions_are_measured_on_what_numpy_reduces_alike() -> None:
    for name, (function, given) in reductions.cases().items():
        if name.endswith(("(1000,)", "(200, 20)", "(20, 50, 100)")):
            assert np.array_equal(ag.function(function)(*given), function(*given)), name
