"""An overload of a builtin is the builtin itself on plain values: results, laziness, errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.operators.builtins.builtin_table import OVERLOADS
from tests.autograph.operators.builtins.builtin_samples import I5, XS

PLAIN: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (abs, (-3,), {}),
    (all, ([],), {}),
    (any, ([0, 1],), {}),
    (bool, (), {}),
    (bool, ([],), {}),
    (complex, ("1j",), {}),
    (complex, (), {"imag": 2}),
    (dict, ([(1, 2)],), {"a": 3}),
    (divmod, (7, -2), {}),
    (float, ("1.5",), {}),
    (float, (), {}),
    (format, (1.5, ".2f"), {}),
    (frozenset, ([1],), {}),
    (getattr, ("a", "nothing", 3), {}),
    (hash, (3,), {}),
    (id, (None,), {}),
    (int, (), {}),
    (int, ("ff", 16), {}),
    (int, ("ff",), {"base": 16}),
    (int, (2.7,), {}),
    (isinstance, (3, (int, str)), {}),
    (len, ("abc",), {}),
    (list, ("ab",), {}),
    (list, (), {}),
    (max, (1, 2.0), {}),
    (max, (3, 1, 2), {}),
    (max, ([],), {"default": 3}),
    (max, ("ab", "c"), {"key": len}),
    (max, (("ab", "c"),), {"key": len}),
    (min, (XS,), {}),
    (min, ({3, 2},), {}),
    (pow, (2, 3, 5), {}),
    (pow, (2,), {"exp": 3}),
    (range, (3,), {}),
    (range, (1, 7, 2), {}),
    (repr, ("a",), {}),
    (round, (2.5,), {}),
    (round, (2.567, 2), {}),
    (round, (2.567,), {"ndigits": 1}),
    (set, ([1],), {}),
    (sorted, ("hello",), {"reverse": True}),
    (sorted, ([-2, 1],), {"key": abs}),
    (str, (b"a", "ascii"), {}),
    (str, (), {}),
    (sum, ([1, 2], 3), {}),
    (sum, ([[1], [2]], []), {}),
    (sum, ([0.1] * 10,), {"start": 1}),
    (tuple, ("ab",), {}),
    (type, (3,), {}),
    (math.floor, (2.5,), {}),
    (math.sqrt, (2,), {}),
    (math.log, (8, 2), {}),
    (math.isclose, (1, 1.1), {"abs_tol": 0.2}),
    (math.prod, ([2, 3],), {"start": 4}),
]


@pytest.mark.parametrize("tracing", [False, True])
@pytest.mark.parametrize(("builtin", "arguments", "options"), PLAIN)
def test_an_overload_of_plain_values_is_the_builtin(builtin, arguments, options, tracing):
    expected = builtin(*arguments, **options)
    overload = OVERLOADS.get(builtin, builtin)

    def call():
        return overload(*arguments, **options)

    found = while_tracing(call) if tracing else call()
    assert type(found) is type(expected)
    assert np.array_equal(found, expected)


def while_tracing(call: Any) -> Any:
    """Return what a call gives while a graph is being built."""
    found = []

    def f(x):
        found.append(call())
        return x

    ag.function(f)(I5)
    return found[0]


@pytest.mark.parametrize(
    "builtin", [sum, max, min, sorted, any, all, math.fsum, math.prod, list, tuple, set]
)
def test_an_overload_takes_plain_generators(builtin):
    def numbers():
        return (0.1 * k for k in range(1, 9))

    assert while_tracing(lambda: OVERLOADS[builtin](numbers())) == builtin(numbers())


ERRORS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (len, (), {}),
    (len, (3,), {}),
    (len, ("a", "b"), {}),
    (int, ("x",), {}),
    (int, (3, 4), {}),
    (float, ("x",), {}),
    (max, ([],), {}),
    (max, (3,), {}),
    (max, (), {}),
    (max, (1, 2), {"default": 3}),
    (max, ([1, "a"],), {}),
    (max, ([1],), {"nothing": 3}),
    (sum, (), {}),
    (sum, (3,), {}),
    (sum, (["a"], ""), {}),
    (sum, ([1],), {"nothing": 3}),
    (any, (3,), {}),
    (all, (), {}),
    (sorted, ([1, "a"],), {}),
    (sorted, (), {}),
    (sorted, ([1],), {"nothing": 3}),
    (enumerate, (), {}),
    (enumerate, (3,), {}),
    (enumerate, ([], "a"), {}),
    (zip, (3,), {}),
    (zip, ([],), {"nothing": 1}),
    (map, (), {}),
    (map, (len,), {}),
    (map, (len, 3), {}),
    (filter, (3,), {}),
    (filter, (len, 3), {}),
    (reversed, (3,), {}),
    (reversed, (), {}),
    (range, (), {}),
    (range, (1.5,), {}),
    (range, (1, 2, 0), {}),
    (isinstance, (3,), {}),
    (isinstance, (3, 4), {}),
    (getattr, ("a", "nothing"), {}),
    (divmod, (1, 0), {}),
    (pow, (2,), {}),
    (round, ("a",), {}),
    (abs, ("a",), {}),
    (hash, ([],), {}),
    (math.sqrt, (-1,), {}),
    (math.sqrt, ("a",), {}),
    (math.exp, (1000,), {}),
    (math.fsum, (3,), {}),
    (math.prod, (3,), {}),
]


@pytest.mark.parametrize("tracing", [False, True])
@pytest.mark.parametrize(("builtin", "arguments", "options"), ERRORS)
def test_an_overload_of_plain_values_fails_as_the_builtin_does(
    builtin, arguments, options, tracing
):
    def call(function):
        return lambda: function(*arguments, **options)

    with pytest.raises(Exception) as expected:  # noqa: PT011  (whatever the builtin raises)
        call(builtin)()
    overload = call(OVERLOADS.get(builtin, builtin))
    with pytest.raises(expected.type) as found:
        while_tracing(overload) if tracing else overload()
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("builtin", [enumerate, zip, reversed, map, iter])
def test_an_overload_of_a_plain_iterable_is_the_lazy_iterator_of_python(builtin):
    arguments = (str, [1, 2]) if builtin is map else ([1, 2],)
    assert type(OVERLOADS[builtin](*arguments)) is type(builtin(*arguments))
    assert list(OVERLOADS[builtin](*arguments)) == list(builtin(*arguments))


def test_any_and_all_of_plain_generators_end_as_early_as_in_python():
    asked = []

    def tell(x):
        asked.append(x)
        return x

    assert while_tracing(lambda: OVERLOADS[any](tell(x) for x in [0, 1, 2])) is True
    assert while_tracing(lambda: OVERLOADS[all](tell(x) for x in [1, 0, 2])) is False
    assert asked == [0, 1, 1, 0]
