"""Derivatives of Python's own functions of numbers: of `math`, and builtins."""

from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

OF_ONE = (
    *("acos", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "degrees", "erf"),
    *("erfc", "exp", "exp2", "expm1", "fabs", "floor", "gamma", "lgamma", "log", "log10", "log1p"),
    *("log2", "radians", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
)
NAMED = {name: getattr(math, name) for name in OF_ONE if hasattr(math, name)}
OTHERS: dict[str, Callable[[float], Any]] = {
    "acosh": lambda x: math.acosh(1 + x),
    "atan2": lambda x: math.atan2(x, 0.4) * math.atan2(2.0, x),
    "copysign": lambda x: math.copysign(x, -1.0),
    "dist": lambda x: math.dist((x, 2.0), (1.0, x * x)),
    "fmod": lambda x: math.fmod(7.3, x) + math.fmod(x, 0.2),
    "frexp": lambda x: math.frexp(10 * x)[0],
    "fsum": lambda x: math.fsum([x, x * x, 1.0]),
    "hypot": lambda x: math.hypot(x, 2.0, x * x),
    "ldexp": lambda x: math.ldexp(x, 3),
    "log": lambda x: math.log(x, 3.0) + math.log(2.0, x),
    "modf": lambda x: math.modf(10 * x)[0],
    "pow": lambda x: math.pow(x, 3.0) + math.pow(2.0, x),
    "prod": lambda x: math.prod([x, 2.0, x]),
    "remainder": lambda x: math.remainder(7.3, x) + math.remainder(x, 0.25),
    "sum": lambda x: sum([x * x, x, 1]),
    "divmod": lambda x: divmod(7.3, x)[1] + divmod(x, 0.2)[1],
    "round": lambda x: round(x, 1) * x,
    "abs of complex": lambda x: abs(complex(x, 2.0)) + abs(complex(1.0, x)),
    "max and min": lambda x: max(x, 0.1) * min(x, 2.0, x * x),
}


@pytest.mark.parametrize("name", [*NAMED, *(f"{x} and more" for x in OTHERS)])
def test_functions_of_python_have_their_derivatives(name: str) -> None:
    function = NAMED.get(name) or OTHERS[name.removesuffix(" and more")]
    of_number = ag.jvp(lambda x: function(x), (0.31,), (1.0,))[1]
    by = 1e-6
    expected = (function(0.31 + by) - function(0.31 - by)) / (2 * by)
    np.testing.assert_allclose(of_number, expected, rtol=1e-5, atol=1e-8)
    if not name.startswith(("ceil", "floor", "trunc")):
        np.testing.assert_allclose(ag.grad(lambda x: function(x))(0.31), of_number, rtol=1e-12)


class Scaled:
    def __init__(self, scale):
        self.scale = scale

    @ag.function
    def total(self, x):
        return np.sum(x * x * self.scale)


def test_functions_whose_derivatives_were_taken_go_with_what_they_hold() -> None:
    ones = np.ones(3)

    def derived(function, held):
        product = ag.hvp(function, (ones,), (ones,))
        _, slope = ag.jvp(function, (ones,), (ones,))
        return weakref.ref(held), product, slope, ag.vjp(function, ones)[1](1.0)[0]

    def of_a_function():
        held = np.full(3, 2.0)
        function = ag.function(lambda x: np.sum(x * x * held))
        return derived(function, function)

    def of_a_method():
        made = Scaled(5.0)
        derived(made.total, made)
        made.scale = 2.0
        return derived(made.total, made)

    for make in (of_a_function, of_a_method):
        reference, product, slope, gradient = make()
        gc.collect()
        assert reference() is None
        assert slope == 12.0
        np.testing.assert_array_equal([product, gradient], [[4.0] * 3] * 2)
