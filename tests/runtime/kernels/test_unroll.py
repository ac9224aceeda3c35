"""Several rounds after one test: the same numbers and errors as with a test in each round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import jit
from runtime.kernels.jit import is_available

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")


def triple_until(n: Any, least: Any) -> Any:
    rounds = 0
    while n < least and rounds < 100:
        n = n // 2 if n % 4 == 3 else 3 * n - 5
        rounds += 1
    return n, rounds


def both_grow(a: Any, b: Any, n: Any) -> Any:
    while n > 0:
        a, b = 2 * b + 1, 2 * a - n
        n -= 1
    return a, b


def squared(n: Any) -> Any:
    while n < 1000:
        n = 2 * n + (n * n)
    return n


staged = ag.function(triple_until)


def test_numbers_of_all_sizes_take_the_same_rounds() -> None:
    for start in (-9, 0, 1, 7, 10**6, 2**46, 2**53 - 1, -(2**55), 2**60 + 3, -(2**61) - 1):
        n, least = np.int64(start), np.int64(2**62)
        with np.errstate(over="ignore"):
            assert staged(n, least) == triple_until(n, least), start


def test_one_test_stands_in_front_of_several_rounds() -> None:
    args = np.int64(3), np.int64(9)
    assert "several" in str(staged.kernels(*args))
    assert "several" not in str(ag.function(squared).kernels(np.int64(3)))


def test_overflows_between_the_tests_are_seen() -> None:
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        staged(np.int64(2**61 + 1), np.int64(2**63 - 1))
    function = ag.function(both_grow)
    for n in (3, 30, 61, 70):
        args = np.int64(1), np.int64(-2), np.int64(n)
        with np.errstate(over="ignore"):
            assert function(*args) == both_grow(*args), n


def test_integers_of_python_become_large_ones() -> None:
    @ag.function
    def grown(x: Any, n: Any) -> Any:
        k = int(x)
        for _ in range(1):
            while n > 0:
                k = 3 * k + 1
                n -= 1
        return k

    for n in (5, 39, 40, 90):
        wanted = 1
        for _ in range(n):
            wanted = 3 * wanted + 1
        assert grown(np.int64(1), np.int64(n)) == wanted


def test_loops_of_a_long_text_are_not_unrolled(monkeypatch: pytest.MonkeyPatch) -> None:
    def running(x: Any) -> Any:
        total = 0.0
        for v in x:
            total = total * 0.5 + v
        return total

    def text() -> str:
        return str(ag.function(running).kernels(np.ones(100)))

    unrolled = text()
    assert text().count("\n") == unrolled.count("\n")
    monkeypatch.setattr(jit, "LONGEST", 0)
    assert text().count("\n") < unrolled.count("\n")
