"""Functions of `math` and powers of integers in loops are native, and Python's."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import load
from runtime.kernels.c_functions import OPERANDS, is_of_python
from runtime.kernels.jit import is_available

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")
NUMBERS = np.array([0.0, -0.0, 0.3, -0.7, 1.0, -1.0, 2.5, 40.0, 800.0, 1e300, np.inf, np.nan])
OWN = ["sqrt", "fabs", "copysign", "degrees", "radians", "isnan", "isfinite", "isinf", "floor"]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled when they are called first."""
    monkeypatch.setattr(load, "PATIENCE", 0.0)


def applied(name: str, count: int) -> Any:
    """Return a function that applies one of `math`, in a loop."""
    function = getattr(math, name)
    if count == 1:

        def one(x, n):
            found = [0.0]
            for i in range(n):
                found[0] = function(x + i)
            return found[0]

        return one

    def two(x, n):
        found = [0.0]
        for i in range(n):
            found[0] = function(x + i, 1.5 - i)
        return found[0]

    return two


def outcome(function: Any, *args: Any) -> Any:
    """Return what a call gives, with its class, or what it raises."""
    try:
        found = function(*args)
    except (ValueError, OverflowError) as error:
        return type(error), str(error)
    return type(found), repr(found)


@pytest.mark.parametrize("name", [*(x for x in OPERANDS if is_of_python(x)), *OWN])
def test_functions_are_those_of_python_whatever_they_are_given(name: str) -> None:
    function = applied(name, 2 if OPERANDS.get(name) == 2 or name == "copysign" else 1)
    staged = ag.function(function)
    for x in NUMBERS:
        assert outcome(staged, x, np.int64(2)) == outcome(function, x, np.int64(2)), x


@pytest.mark.parametrize("name", ["exp", "log", "atan2", "sqrt", "floor", "isinf"])
def test_loops_of_functions_of_math_are_machine_code(name: str) -> None:
    text = str(ag.function(applied(name, OPERANDS.get(name, 1))).kernels(NUMBERS[2], np.int64(2)))
    assert "not native" not in text


def test_integers_and_numbers_of_other_dtypes_become_floats() -> None:
    def total(xs, n):
        found = 0.0
        for i in range(n):
            found += math.log(i + 1, 2) + math.exp(xs[i]) + math.floor(xs[i]) + math.trunc(i)
        return found

    for dtype in ("int8", "uint64", "float32", "bool"):
        xs = np.arange(5).astype(dtype)
        assert repr(ag.function(total)(xs, np.int64(5))) == repr(total(xs, np.int64(5)))


def test_a_function_called_by_keywords_stays_pythons() -> None:
    def close(xs):
        found = 0
        for x in xs:
            found += math.isclose(x, 1.0, rel_tol=0.1)
        return found

    assert ag.function(close)(np.linspace(0, 2, 30)) == close(np.linspace(0, 2, 30))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_powers_of_numpys_integers_wrap_silently(dtype: str) -> None:
    def powers(xs, k):
        total = xs[0]
        for x in xs:
            total = total ^ (x**2) ^ (x**k) ^ (x**7)
        return total

    xs, k = np.arange(100, 120).astype(dtype), np.dtype(dtype).type(3)
    staged = ag.function(powers)
    assert "not native" not in str(staged.kernels(xs, k))
    assert staged(xs, k) == powers(xs, k)


def test_powers_of_pythons_integers_are_exact_or_not_native() -> None:
    def powers(n, k):
        found = [0]
        for i in range(n):
            found[0] = (i - 3) ** 5 + (i + 1) ** (k + i)
        return found[0]

    staged = ag.function(powers)
    assert "not native" not in str(staged.kernels(np.int64(9), np.int64(1)))
    for n, k in [(9, 1), (2, 61), (2, 70), (20, 0)]:
        given = np.int64(n), int(k)
        assert outcome(staged, *given) == outcome(powers, *given)


def test_a_negative_exponent_is_numpys_error() -> None:
    def power(x, n):
        for _ in range(2):
            x = x**n
        return x

    with pytest.raises(ValueError, match="negative integer powers"):
        ag.function(power)(np.int64(3), np.int64(-1))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("divisor", [16.0, -0.25, 2.0**30, 2.0**-30, 3.0])
def test_quotients_by_powers_of_two_are_products(dtype, divisor):
    def each(x, y):
        for k in range(len(x)):
            y[k] = x[k] / divisor
            if y[k] == 2:
                y[k] = 0
        return y, np.abs(x / divisor)

    info = np.finfo(dtype)
    odd = [0.0, -0.0, 1.0, -7.3, np.inf, np.nan, info.max, info.tiny, info.smallest_subnormal * 3]
    staged = ag.function(each)
    for x in (np.tile(np.array(odd, dtype), 30), np.full(270, 1.1, dtype)):
        with np.errstate(all="warn"), warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            expected, given = each(x, np.zeros_like(x)), staged(x, np.zeros_like(x))
        assert [y.tobytes() for y in given] == [y.tobytes() for y in expected]
        assert len(found) % 2 == 0  # those of the two are as many
    assert bool(re.search(r"div[ps][sd]\s", str(staged.kernels(x, x)))) == (divisor == 3.0)
