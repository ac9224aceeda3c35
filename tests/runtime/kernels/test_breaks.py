"""Loops that are left in the middle give what plain Python gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available
from runtime.kernels.kernel import BOOL, Block
from runtime.kernels.loops import rounds

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")


def place_of(x: Any, v: Any) -> Any:
    found, seen = -1, 0
    for i in range(len(x)):
        seen += 1
        if x[i] == v:
            found = i
            break
        if x[i] > 90:
            seen = -seen
            break
    return found, seen


def primes(x: Any, v: Any) -> Any:
    count, last = 0, 0
    for n in range(2, int(v) + 30):
        is_prime = True
        for d in range(2, n):
            if d * d > n:
                break
            if n % d == 0:
                is_prime = False
                break
        if is_prime:
            count += 1
            last = n
    return count, last


def until(x: Any, v: Any) -> Any:
    n, best, over = int(v), 0, False
    while not over and n < 900:
        n += 7 if n % 2 else 4
        best = best if n % 13 < best else n % 13
        over = n % 10 == 1 or over
    return n, best, over


def both(x: Any, v: Any) -> Any:
    for i in range(len(x)):
        for j in range(i):
            if x[i] + x[j] == v:
                return i, j
    return -1, -1


def compare(function: Callable[..., Any]) -> None:
    staged = ag.function(function)
    for seed in range(9):
        rng = np.random.default_rng(seed)
        x, v = rng.integers(0, 100, 40), rng.integers(1, 100)
        assert staged(x, v) == function(x, v), seed


@pytest.mark.parametrize("function", [place_of, primes, until, both])
def test_programs_give_what_plain_python_gives(function: Callable[..., Any]) -> None:
    compare(function)


def test_a_mistake_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def flags(test: Block) -> list[int]:
        return [k for k, x in enumerate(test.params) if x.type == BOOL]

    monkeypatch.setattr(rounds, "ends", flags)
    with pytest.raises(AssertionError):
        compare(primes)
