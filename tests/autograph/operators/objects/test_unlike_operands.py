"""Operators of staged numbers beside what no operator of numbers takes: Python's errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import autograph as ag

Operator = Callable[[Any, Any], Any]
ARRAY = np.arange(3.0)


class Plain:
    """A class without operators."""


class Held:
    """An object whose number may be one of two classes."""

    def __init__(self, v: Any) -> None:
        self.v = v


def _change_sum(x: Any, y: Any) -> Any:
    x += y
    return x


def _change_product(x: Any, y: Any) -> Any:
    x *= y
    return x


def _change_matmul(x: Any, y: Any) -> Any:
    x @= y
    return x


FUNCTIONS: list[Operator] = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / y,
    lambda x, y: x // y,
    lambda x, y: x**y,
    lambda x, y: x @ y,
    lambda x, y: x & y,
    lambda x, y: x << y,
    lambda x, y: x < y,
    lambda x, y: x >= y,
    lambda x, y: x == y,
    lambda x, y: x != y,
    _change_sum,
    _change_product,
    _change_matmul,
]
PRODUCTS = FUNCTIONS[2], _change_product
BITWISE = FUNCTIONS[7:9]
OTHERS = [None, {"a": 1}, {1}, frozenset(), Plain, math.sin, Held, ..., slice(1), object()]
NUMBERS = [np.float64(1.5), np.int64(3), np.bool_(1), np.float32(2), np.array([1.5, 2.0])]


def _outcome(function: Callable[..., Any], *args: Any) -> tuple[Any, ...]:
    try:
        return "returned", np.asarray(function(*args)).tolist()
    except (TypeError, ValueError) as error:
        return type(error), str(error)


def _check(function: Operator, number: Any, other: Any, *, of_python: bool) -> None:
    plain = float(number) if of_python else number
    for is_reflected in (False, True):

        def f(x: Any, is_reflected: bool = is_reflected) -> Any:
            value = float(x) if of_python else x
            return function(other, value) if is_reflected else function(value, other)

        operands = (other, plain) if is_reflected else (plain, other)
        assert _outcome(ag.function(f), number) == _outcome(function, *operands), other


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_beside_what_is_none(function: Operator, number: Any) -> None:
    for other in [*OTHERS, *([] if number.shape else [Plain(), "a"])]:
        if function not in PRODUCTS or other != "a":
            _check(function, number, other, of_python=False)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_of_python(function: Operator) -> None:
    for other in [*OTHERS, Plain(), "a", [1], (1,), b"a"]:
        if function not in PRODUCTS or not isinstance(other, str | bytes | list | tuple):
            _check(function, np.float64(1.5), other, of_python=True)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_of_one_of_two_classes(function: Operator) -> None:
    def make(other: Any) -> Callable[[Any], Any]:
        def f(x: Any) -> Any:
            held = Held(x)
            if x > 1:
                held.v = 3
            return function(held.v, other)

        return f

    for other in [*OTHERS, Plain(), "a", *([] if function in BITWISE else [[]])]:
        plain = make(other)
        staged = ag.function(plain)
        for x in (np.float64(0), np.float64(2)):
            assert _outcome(staged, x) == _outcome(plain, x), other


class Interface:
    """What NumPy takes for an array, as its memory says."""

    __array_interface__ = ARRAY.__array_interface__


class Foremost:
    """A class to which NumPy leaves what its arrays could do."""

    __array_priority__ = 1.0


class OfNoUfunc:
    __array_ufunc__ = None

    def __radd__(self, other: Any) -> str:
        return f"beside {other.size}"


@pytest.mark.filterwarnings("ignore::autograph.errors.FallbackWarning")
@pytest.mark.parametrize("number", [np.float64(1), ARRAY, np.array(1.0)], ids=repr)
def test_what_only_numpy_compares(number: Any) -> None:
    arrays = [range(3), memoryview(ARRAY), b"ab", ARRAY.tolist(), Interface()]
    others = [
        *arrays,
        Decimal(1),
        Fraction(1),
        date(2020, 1, 1),
        Foremost(),
        OfNoUfunc(),
        np.dtype(float),
    ]
    for function in (FUNCTIONS[2], *FUNCTIONS[9:13]):
        for other in others:
            _check(function, number, other, of_python=False)


def test_sums_in_place_are_left_to_no_other_class() -> None:
    _check(_change_sum, ARRAY, OfNoUfunc(), of_python=False)


def test_matmul_of_numbers() -> None:
    @ag.function
    def f(x: Any, y: Any) -> Any:
        return x @ y

    with pytest.raises(TypeError, match=r"'numpy.float64' and 'numpy.int64'"):
        f(np.float64(1), np.int64(2))
    assert f(np.ones(2), np.ones(2)) == 2
