"""Numbers beside arrays without axes: operators and ufuncs differ in warnings and last digits."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.numpy_surface.judging import same

LARGE, NUMBER = np.float64(1e308), np.int64(7)


def _values(name: str) -> list[Any]:
    """Return some values of a dtype at which operators warn."""
    dtype = np.dtype(name)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return [dtype.type(x) for x in (0, 7, limits.min, limits.max)]
    found = [0.0, 0.1, -3.7, np.inf, np.finfo(dtype).max]
    if dtype.kind == "c":
        found = [0.0, 0.1 + 0.7j, -3.7 - 1.3j, complex(np.inf, 1)]
    return [dtype.type(x) for x in found]


def _told(function: Callable[..., Any], args: Any) -> Any:
    """Return what a call gives, what its arguments hold then and what it warns of; or its error."""
    given = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function(*given)
        except (TypeError, AttributeError) as error:
            return type(error).__mro__[-4:]
    warned = {str(x.message) for x in caught if x.category is RuntimeWarning}
    return found, given, sorted(warned)


def _changed(x: Any, y: Any) -> Any:
    x *= y
    return x


def _squared(x: Any, y: Any) -> Any:
    x **= 2
    return x


BINARY = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.lt, divmod, np.add, np.subtract, np.multiply, np.divide, np.floor_divide,
    np.remainder, np.divmod, np.less, np.greater_equal,
)  # fmt: skip
FUNCTIONS: tuple[Callable[..., Any], ...] = (
    *(lambda x, y, f=f: f(x, y) for f in BINARY),
    *(lambda x, y, f=f: f(x) for f in (operator.neg, abs, np.negative, np.abs, np.square)),
    lambda x, y: np.asarray(x) * y - np.asarray(y),
    lambda x, y: np.float32(x) * np.float64(y),
    lambda x, y: (LARGE * x, x * LARGE, NUMBER // x, LARGE + y),
    lambda x, y: np.polyval([x, y], x),
    lambda x, y: x.dot(y),
    lambda x, y: (x.__class__, type(y)),
    lambda x, y: np.multiply(x, y, out=np.array(x)),
    _changed,
    _squared,
)


@pytest.mark.parametrize("name", ["int8", "uint8", "int64", "float32", "float64", "complex128"])
@pytest.mark.parametrize("form", [lambda x: x, np.array, lambda x: np.array([x])])
def test_operators_and_ufuncs_of_numbers_are_as_plain_numpys(name: str, form: Any) -> None:
    for function in FUNCTIONS:
        staged = ag.function(function)
        for x, y in product(_values(name), repeat=2):
            args = (form(x), form(y))
            assert same(_told(function, args), _told(staged, args)), (function, args)


def _hashed(x: Any, count: Any) -> Any:
    for k in range(count):
        x = np.multiply(x, NUMBER) ^ k
    return x


def _powers(x: Any, y: Any, count: Any) -> Any:
    for _ in range(count):
        x = np.multiply(x, y)
    return x


def _of_arrays(x: Any, y: Any, count: Any) -> Any:
    total = np.asarray(x)
    for _ in range(count):
        total = np.asarray(total * y)
    return total


def _digits(x: Any, base: Any) -> Any:
    total = 0
    while x > 0:
        x, digit = divmod(x, base)
        total += digit
    return total


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (_hashed, (np.int64(3), np.int64(100))),
        (_powers, (np.complex128(0.3 + 0.7j), np.complex128(0.9 - 0.4j), np.int64(100))),
        (_powers, (np.float64(1.5), np.float64(1.7), np.int64(3000))),
        (_of_arrays, (np.float64(1.5), np.float64(1.7), np.int64(3000))),
        (_digits, (np.int64(987654321), np.int64(10))),
        (_digits, (np.float64(98765), np.float64(-0.0))),
        (lambda x: _digits(int(x), 7), (np.int64(987654321),)),
    ],
)
def test_loops_of_numbers_are_as_plain_numpys(function: Any, args: Any) -> None:
    assert same(_told(function, args), _told(ag.function(function), args))


def test_quotients_and_remainders_are_computed_in_machine_code() -> None:
    whole = ag.function(lambda x: _digits(int(x), 7))
    assert "native(" in str(whole.get_concrete_function(np.int64(3)).plan)
    assert "native(" in str(ag.function(_hashed).get_concrete_function(NUMBER, NUMBER).plan)


def test_methods_of_numbers_give_numbers_where_they_write_too() -> None:
    def means(x: Any) -> Any:
        out = np.zeros((), np.float32)
        return x.mean(out=out), out

    assert same(means(np.float32(2.5)), ag.function(means)(np.float32(2.5)))


@pytest.mark.parametrize("order", ["F", "C"])
def test_a_cast_has_the_order_that_is_asked_for(order: Any) -> None:
    cast = ag.function(lambda x: x.astype(np.float32, order=order))
    for x in (np.ones((2, 3)), np.ones((2, 3), order="F")):
        assert cast(x).strides == x.astype(np.float32, order=order).strides
