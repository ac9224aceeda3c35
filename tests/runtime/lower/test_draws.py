"""Draws of NumPy's generators in native loops: its numbers, and streams are left where it does."""

from __future__ import annotations

from contextlib import nullcontext
from threading import Thread
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.io.program_text import print_program, read_program
from runtime.kernels.jit import is_available
from tests.runtime.lower.same import same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")


def floats(rng: Any, n: Any) -> Any:
    total, v = 0.0, np.zeros(3)
    for _ in range(n):
        total += rng.normal() + rng.normal(1.0, 2.5) * rng.random() - rng.standard_exponential()
        v = v + rng.normal(scale=0.5, size=3) - rng.exponential(0.7, 3)
        if rng.uniform(-1, 3) > rng.standard_normal():
            total *= 0.5
    return total, v


def integers(rng: Any, n: Any) -> Any:
    total, v = np.int64(0), np.zeros(2, np.int64)
    for i in range(n):
        total = total // 2 + rng.integers(6) - rng.integers(-5, 2**40) + rng.integers(i, i + 3)
        v = v // 2 + rng.integers(0, 2**60, 2) - rng.integers(0, 2**32, 2)
    return total, v


def given_up(rng: Any, n: Any) -> Any:
    total = np.int64(2**62)
    for _ in range(n):
        total = total + total + rng.integers(9)
    return (total,)


def _streams() -> list[Any]:
    streams = [np.random.Generator(kind(7)) for kind in (np.random.PCG64, np.random.MT19937)]
    for rng in streams:
        rng.integers(5)  # half of a number is kept
    return streams


@pytest.mark.parametrize("function", [floats, integers, given_up])
def test_native_loops_draw_what_numpy_draws(function: Any) -> None:
    for wanted, found in zip(_streams(), _streams(), strict=True):
        staged = ag.function(function)
        for n in (0, 40):
            with np.errstate(over="warn" if function is given_up else "raise"):
                with pytest.warns(RuntimeWarning) if function is given_up and n else nullcontext():
                    expected = function(wanted, np.int64(n))
                with pytest.warns(RuntimeWarning) if function is given_up and n else nullcontext():
                    outcome = staged(found, np.int64(n))
            assert all(map(same, outcome, expected))
            assert str(found.bit_generator.state) == str(wanted.bit_generator.state)
        assert not staged.get_concrete_function(found, np.int64(40)).executable.plan.refused


def test_other_draws_stay_with_numpy() -> None:
    def drawn(rng: Any, n: Any) -> Any:
        total = 0.0
        for _ in range(n):
            total += rng.gamma(2.0) + rng.normal(0, float("inf")) * 0
        return total

    first, second = _streams()[0], _streams()[0]
    with np.errstate(all="ignore"):
        assert same(ag.function(drawn)(second, np.int64(3)), drawn(first, np.int64(3)))
    assert first.random() == second.random()


def test_a_generator_from_outside_is_drawn_from() -> None:
    rng, wanted = _streams()[0], _streams()[0]

    @ag.function
    def drawn(n: Any) -> Any:
        total = np.float64(0.0)
        for _ in range(n):
            total = total * 0.5 + rng.normal()
        return total

    assert [drawn(np.int64(n)) for n in (3, 40)] == [_halved(wanted, n) for n in (3, 40)]
    assert rng.random() == wanted.random()
    assert not drawn.get_concrete_function(np.int64(3)).executable.plan.refused


def _halved(rng: Any, n: Any) -> Any:
    total = np.float64(0.0)
    for _ in range(n):
        total = total * 0.5 + rng.normal()
    return total


def test_threads_that_draw_from_two_generators_in_turns_go_on() -> None:
    """Both are locked, in one order whichever is given first; one that is given twice, once."""

    @ag.function
    def drawn(a: Any, b: Any, n: Any) -> Any:
        total = np.int64(0)
        for _ in range(n):
            total = total + a.integers(9) - b.integers(9)
        return total

    a, b = _streams()
    assert drawn(a, a, np.int64(5)) == drawn.python_function(*_streams()[:1] * 2, 5)
    pairs = [(a, b), (b, a)] * 2
    threads = [
        Thread(target=lambda x=x: [drawn(*x, np.int64(40)) for _ in range(30)], daemon=True)
        for x in pairs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    wanted = _streams()[1]
    wanted.integers(9, size=40 * 30 * 4)
    assert b.random() == wanted.random()


def test_a_program_that_is_given_another_object_calls_its_method() -> None:
    @ag.function
    def drawn(rng: Any, n: Any) -> Any:
        total = np.float64(0.0)
        for _ in range(n):
            total = total + rng.standard_normal()
        return total

    program = drawn.get_concrete_function(_streams()[0], np.int64(9)).program
    read = read_program(print_program(program))
    for make in (np.random.default_rng, np.random.RandomState):
        wanted, rng = np.float64(0.0), make(3)
        for _ in range(9):
            wanted = wanted + rng.standard_normal()
        assert read(rng=make(3), n=np.int64(9)) == wanted


def test_a_stream_that_is_not_put_back_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from runtime.kernels import load

    def drawing(function: Any, places: Any) -> Any:
        def run(*given: Any) -> Any:
            arguments = [*given]
            for k in places:
                state = given[k].bit_generator.ctypes.bit_generator.value
                arguments[k] = np.array([state], np.int64)
            return function(*arguments)

        return run

    monkeypatch.setattr(load, "_drawing", drawing)
    test_native_loops_draw_what_numpy_draws(floats)
    with pytest.raises(AssertionError):
        test_native_loops_draw_what_numpy_draws(given_up)
