"""Code that runs often is compiled with operators inlined, and means the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import conversion, operators
from autograph.conversion import convert, loop_of
from autograph.operators import loops
from autograph.source.build import owner_of
from tests.autograph.converters import flow_samples, name_samples
from tests.autograph.converters.sampling import SAMPLES
from tests.autograph.converting import outcome
from tests.autograph.operators.test_staged_control_flow import CASES, copies

assert flow_samples.calls is name_samples.calls


@pytest.fixture
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "MANY_ROUNDS", 0)
    monkeypatch.setattr(conversion, "OFTEN", 0)
    monkeypatch.setattr(conversion, "_cache", {})


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize(("function", "calls"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_inlined_from_the_first_call_it_is_staged_the_same(
    function: Callable[..., Any], calls: list[tuple[Any, ...]]
) -> None:
    for arguments in calls:
        staged = ag.function(function)(*copies(arguments))
        np.testing.assert_equal(staged, function(*copies(arguments)))


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_inlined_from_the_first_call_plain_values_mean_the_same(sample: Any) -> None:
    converted = convert(sample, operators)
    for arguments in sample.calls:
        assert outcome(converted, arguments) == outcome(sample, arguments)


def primes(n):
    found = []
    for k in range(2, n):
        for p in found:
            if k % p == 0:
                break
        else:
            found.append(k)
    return found


def test_a_loop_is_inlined_while_it_runs() -> None:
    function = convert(primes, operators)
    assert function(2000) == primes(2000)
    owner: Any = owner_of(function.__code__)
    rounds = [loop.rounds for loop in owner.loops.values()]
    assert len(rounds) == 2
    assert all(loops.MANY_ROUNDS < count < 2 * loops.MANY_ROUNDS for count in rounds)


def test_a_loop_that_meets_a_staged_value_later_is_staged_from_there() -> None:
    def late(x: Any) -> Any:
        total = 0
        for k in range(3 * loops.MANY_ROUNDS):
            if k == 2 * loops.MANY_ROUNDS:
                total = x
            if total > 10:
                total = total - 1
            total += 1
        return total

    for value in (np.int64(3), np.int64(50)):
        assert ag.function(late)(value) == late(value)


def test_a_while_loop_that_meets_a_staged_value_later_is_staged_from_there() -> None:
    def late(x: Any) -> Any:
        k = total = 0
        while total < 4000:
            k += 1
            total += 1
            if k == 1000:
                total = total + x
        return k, total

    for value in (np.int64(3), np.int64(1500)):
        assert ag.function(late)(value) == late(value)


def counting(n: int) -> tuple[int, int]:
    rounds = total = 0
    while (rounds := rounds + 1) < n and total >= 0:
        total += 1
    return rounds, total


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_condition_that_binds_a_name_binds_that_of_the_function(n: int) -> None:
    assert convert(counting, operators)(n) == counting(n)


def test_a_running_loop_whose_condition_binds_a_name_is_inlined() -> None:
    n = 3 * loops.MANY_ROUNDS
    assert convert(counting, operators)(n) == counting(n)


def test_a_break_that_is_staged_late_ends_the_loop() -> None:
    def late(x: Any) -> Any:
        for k in range(700):
            if k > 600 and x < k:
                break
        return k

    for value in (np.int64(0), np.int64(650), np.int64(5000)):
        assert ag.function(late)(value) == late(value)


def test_a_body_that_no_conversion_knows_is_not_inlined() -> None:
    assert loop_of(lambda x: x).guarded((lambda x: x,), operators) is None
