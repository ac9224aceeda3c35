"""Loops of which a part goes side by side give what plain Python gives, to the last bit."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


def squares(x, y, n):
    total = 0.0
    for i in range(n):
        total += (x[i] - y[i]) ** 2
    return total


def exponentials(x, y, n):
    total = 0.0
    for i in range(n):
        total += y[i] / (1.0 + np.exp(-x[i]))
    return total


def least(x, y, n):
    best, place = y[0], -1
    for i in range(n):
        if x[i] < best:
            best = x[i]
            place = i
    return best, place


def nearest(x, y, n):
    best, place = np.inf, 0
    for i in range(n - 1):
        away = (x[i] - y[0]) ** 2 + (x[i + 1] - y[1]) ** 2
        if away < best:
            best, place = away, i
    return best, place


def by_place(x, y, n):
    best = 0
    for i in range(n):
        if x[i] > x[best]:
            best = i
    return best


def counted(x, y, n):
    bins = np.zeros(7, np.int64)
    for i in range(n):
        k = int(abs(x[i]) * 3.0)
        if k > 6:
            k = 6
        bins[k] += 1
    return bins


def written(x, y, n):
    out = x.copy()
    for i in range(1, n):
        out[i] = out[i - 1] * 0.5 + np.exp(y[i]) * np.exp(-x[i])
    return out


def last_records(x, y, n):
    out, best = np.zeros(len(x)), -1.0
    for i in range(n):
        if x[i] * 2.0 > best:
            best = x[i] * 2.0
            out[i] = y[i]
    return best, out


def turned(x, y, n):
    re, im = 0.0, 0.0
    for i in range(n):
        re += x[i] * np.cos(y[i]) + math.sin(x[i])
        im += x[i] * np.sin(y[i]) - math.cos(x[i])
    return re, im


PARTED = [squares, exponentials, least, nearest, by_place, counted, written, last_records]


def same(found: Any, expected: Any) -> bool:
    found, expected = (x if isinstance(x, tuple) else (x,) for x in (found, expected))
    pairs = zip(found, expected, strict=True)
    return all(bits(x) == bits(y) for x, y in pairs)


def bits(x: Any) -> bytes:
    x = np.asarray(x)
    return np.where(x == x, x, np.array(np.nan if x.dtype.kind == "f" else 0, x.dtype)).tobytes()


@pytest.mark.parametrize("program", [*PARTED, turned])
def test_it_has_the_bits_of_plain_python(program: Callable[..., Any]) -> None:
    staged, rng = ag.function(program), np.random.default_rng(11)
    for n in [*range(19), 40, 200]:
        x, y = rng.normal(size=(2, 201))
        assert same(staged(x, y, np.int64(n)), program(x, y, np.int64(n))), n
    for x in (np.zeros(201), -np.arange(201.0), np.full(201, np.nan)):
        if not (program is counted and np.isnan(x[0])):
            assert same(staged(x, y, np.int64(200)), program(x, y, np.int64(200)))


@pytest.mark.parametrize("program", PARTED)
def test_rounds_are_begun_at_once(program: Callable[..., Any]) -> None:
    x, y = np.random.default_rng(12).normal(size=(2, 201))
    assert "begun" in ag.function(program).kernels(x, y, np.int64(200))


def test_a_sine_and_a_cosine_of_a_number_are_one_call() -> None:
    x, y = np.random.default_rng(12).normal(size=(2, 201))
    text = ag.function(turned).kernels(x, y, np.int64(200))
    calls = [line for line in text.splitlines() if "call void %" in line and "double" in line]
    assert len(calls) % 2 == 0
    assert calls


def inverses(x, y, n):
    total = 0.0
    for i in range(n):
        total += x[i] / ((n - i) * np.exp(y[i]))
    return total


@pytest.mark.parametrize("n", [*range(1, 18), 200])
def test_rounds_that_are_not_made_report_nothing(n: int) -> None:
    x, y = np.random.default_rng(13).normal(size=(2, 200))
    staged = ag.function(inverses)
    with warnings.catch_warnings(), np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("error")
        for _ in range(3):
            assert same(staged(x, y, np.int64(n)), inverses(x, y, np.int64(n)))


@pytest.mark.parametrize("program", [squares, exponentials])
@pytest.mark.parametrize("value", [1e200, -1e200, np.inf])
def test_what_numpy_reports_is_reported(program: Callable[..., Any], value: float) -> None:
    x, y = np.random.default_rng(14).normal(size=(2, 201))
    x[137] = value
    staged = ag.function(program)
    with np.errstate(all="ignore"):
        staged(x, y, np.int64(200))
    found = []
    for call in (program, staged):
        with warnings.catch_warnings(record=True) as told, np.errstate(all="warn"):
            warnings.simplefilter("always")
            result = call(x, y, np.int64(200))
        found.append((repr(result), sorted({str(w.message) for w in told})))
    assert found[0] == found[1]


def summed(x):
    total = 0
    for value in x:
        total += value
    return total


@pytest.mark.parametrize(
    "value", [2**40 - 1, 2**40, -(2**40), -(2**40) - 1, 2**62, -(2**62), -(2**63)]
)
def test_sums_of_integers_overflow_as_numbers_do(value: int) -> None:
    """They are added in another order where they are all small; else one by one."""
    staged = ag.function(summed)
    for others in (1, -1, value // 4, -(value // 4)):
        x = np.full(43, others)
        x[21] = value
        found = []
        for call in (summed, staged):
            with warnings.catch_warnings(record=True) as told, np.errstate(over="warn"):
                warnings.simplefilter("always")
                result = call(x)
            found.append((result, {str(w.message) for w in told}))
        assert found[0] == found[1], others


def ratio_at_least(x):
    least, found = np.float64(1e300), np.float64(0)
    for i in range(len(x)):
        ratio = least / x[i]
        if x[i] < least:
            least, found = x[i], ratio
    return least, found


def test_rounds_that_change_nothing_report_what_they_compute():
    x = np.arange(60.0)[::-1].copy()
    x[20], x[50], x[59] = -1, 0, 3
    staged = ag.function(ratio_at_least)
    for function in (ratio_at_least, staged):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            assert function(x) == (-1, -40)
