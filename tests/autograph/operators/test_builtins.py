"""Python's builtins on staged values give what they give on plain ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.operators.builtins import CREATION, MATH, OVERLOADS
from runtime.dtypes import SHORT_NAMES

XS = np.array([3.0, -1.0, 2.0])
I5, F25 = np.int64(5), np.float64(2.5)


def total_of(values: Any) -> Any:
    total = 0
    for value in values:
        total = total * 10 + value
    return total


def weighted(pairs: Any) -> Any:
    total = 0.0
    for a, b in pairs:
        total = total * 10 + a * b
    return total


# Each with arguments that are staged; the result is compared with that of the plain function.
CALLS: dict[Callable[..., Any], list[tuple[Callable[..., Any], tuple[Any, ...]]]] = {
    range: [
        (lambda n: total_of(range(n)), (I5,)),
        (lambda n: total_of(range(2, n)), (I5,)),
        (lambda n: total_of(range(n)), (np.int64(-1),)),
    ],
    len: [(lambda x: len(x), (XS,))],
    int: [
        (lambda x: int(x), (F25,)),
        (lambda x: int(x), (-F25,)),
        (lambda x: int(x), (np.bool_(True),)),
    ],
    float: [(lambda x: float(x), (I5,)), (lambda x: float(x) / 2, (np.float32(3),))],
    bool: [(lambda x: bool(x), (I5,)), (lambda x: bool(x), (np.float64(0),))],
    max: [
        (lambda x: max(x, 3), (I5,)),
        (lambda x: max(3, x, 9), (I5,)),
        (lambda x: max([x, 3]), (I5,)),
        (lambda x: max(x), (XS,)),
    ],
    min: [
        (lambda x: min(x, 3), (I5,)),
        (lambda x: min(3, x, 9), (I5,)),
        (lambda x: min((x, 3)), (I5,)),
        (lambda x: min(x), (XS,)),
    ],
    sum: [
        (lambda x: sum(x), (XS,)),
        (lambda x: sum(x, 10), (XS,)),
        (lambda x: sum([x, x + 1]), (I5,)),
    ],
    any: [(lambda x: any(x > 2), (XS,)), (lambda x: any(x > 9), (XS,))],
    all: [(lambda x: all(x > 2), (XS,)), (lambda x: all(x > -9), (XS,))],
    enumerate: [
        (lambda x: weighted(enumerate(x)), (XS,)),
        (lambda x: weighted(enumerate(x, 3)), (XS,)),
        (lambda x, n: weighted(enumerate(x, n)), (XS, I5)),
    ],
    zip: [
        (lambda x: weighted(zip(x, x[::-1])), (XS,)),  # noqa: B905
        (lambda x, n: weighted(zip(x, range(n))), (XS, I5)),  # noqa: B905
    ],
    reversed: [
        (lambda x: total_of(reversed(x)), (XS,)),
        (lambda n: total_of(reversed(range(n))), (I5,)),
    ],
    sorted: [
        (lambda x: total_of(sorted(x)), (XS,)),
        (lambda x: total_of(sorted(x, reverse=True)), (XS,)),
    ],
    round: [
        (lambda x: round(x), (F25,)),
        (lambda x: round(x), (np.float64(3.5),)),
        (lambda x: round(x, 1), (np.float64(1.25),)),
        (lambda x: round(x, -1), (np.int64(17),)),
    ],
    math.floor: [(lambda x: math.floor(x), (-F25,))],
    math.ceil: [(lambda x: math.ceil(x), (-F25,))],
    math.trunc: [(lambda x: math.trunc(x), (-F25,))],
}
SPOKEN = {print}


# What is chosen among numbers of several kinds has the kind that holds them all.
CHOICES = {max, min}


def same(found: Any, expected: Any, exactly: bool) -> bool:
    kinds_agree = type(found) is type(expected) or not exactly
    return kinds_agree and bool(np.all(found == expected))


@pytest.mark.parametrize(
    ("call", "arguments", "exactly"),
    [
        pytest.param(call, arguments, builtin not in CHOICES, id=f"{builtin.__name__}-{k}")
        for builtin, calls in CALLS.items()
        for k, (call, arguments) in enumerate(calls)
    ],
)
def test_a_builtin_of_staged_values_gives_what_python_gives(call, arguments, exactly):
    expected = call(*arguments)
    staged = ag.function(call)
    for _ in range(2):
        assert same(staged(*arguments), expected, exactly)


NUMBERS = {
    "acosh": (1.5,),
    "atan2": (0.5, -2.0),
    "copysign": (1.5, -0.0),
    "fmod": (-7.5, 2.0),
    "gcd": (12, 18),
    "hypot": (3.0, 4.0),
    "lcm": (4, 6),
    "pow": (2.0, 0.5),
}


@pytest.mark.parametrize("name", [name for name in MATH if hasattr(math, name)])
def test_functions_of_math_take_staged_numbers(name):
    function = getattr(math, name)
    arguments = NUMBERS.get(name, (0.5,))
    kinds = {float: np.float64, int: np.int64}
    staged = ag.function(lambda *xs: function(*xs))
    found = staged(*(kinds[type(x)](x) for x in arguments))
    assert found == pytest.approx(function(*arguments), rel=1e-15)
    assert isinstance(found, int | float | np.integer | np.bool_)


def test_every_overload_has_a_test_here():
    creation = {getattr(np, name, None) for name in CREATION}
    maths = {getattr(math, name, None) for name in MATH}
    tested = set(CALLS) | maths - {None} | SPOKEN | set(SCALAR_TYPES)
    assert set(OVERLOADS) == tested | creation & set(OVERLOADS)


SCALAR_TYPES = [np.dtype(name).type for name in SHORT_NAMES]


@pytest.mark.parametrize("kind", SCALAR_TYPES)
def test_types_of_numpy_scalars_convert_staged_numbers_and_arrays(kind):
    def f(x, xs):
        return kind(x), kind(x * 2) + 1, kind(xs)

    for found, expected in zip(ag.function(f)(I5, XS), f(I5, XS), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_any_and_all_take_lists_with_staged_items():
    def f(x):
        return any([x > 4, x > 9]), all((x > 4, x > 9)), any([False, x > 9])

    assert ag.function(f)(I5) == f(I5) == (True, False, False)


def test_a_number_is_looked_for_among_staged_ones():
    def f(x):
        return 5 in (1, x), 4 in [x], 4 not in (x, 4)

    assert ag.function(f)(I5) == f(I5) == (True, False, False)


PLAIN = [
    (range, (3,), {}),
    (range, (1, 7, 2), {}),
    (len, ("abc",), {}),
    (int, (), {}),
    (int, ("ff", 16), {}),
    (int, (2.7,), {}),
    (float, ("1.5",), {}),
    (bool, ([],), {}),
    (max, (1, 2.0), {}),
    (max, ([],), {"default": 3}),
    (max, ("ab", "c"), {"key": len}),
    (min, (XS,), {}),
    (sum, ([1, 2], 3), {}),
    (sum, ([[1], [2]], []), {}),
    (any, ([0, 1],), {}),
    (all, (iter([]),), {}),
    (sorted, ("hello",), {"reverse": True}),
    (sorted, ([-2, 1],), {"key": abs}),
    (round, (2.5,), {}),
    (round, (2.567, 2), {}),
    (math.floor, (2.5,), {}),
    (math.sqrt, (2,), {}),
]


@pytest.mark.parametrize(("builtin", "arguments", "options"), PLAIN)
def test_an_overload_of_plain_values_is_the_builtin(builtin, arguments, options):
    found = OVERLOADS[builtin](*arguments, **options)
    expected = builtin(*arguments, **options)
    assert type(found) is type(expected)
    assert found == expected


@pytest.mark.parametrize("builtin", [enumerate, zip, reversed])
def test_an_overload_of_a_plain_iterable_is_the_iterator(builtin):
    assert type(OVERLOADS[builtin]([1, 2])) is type(builtin([1, 2]))
    assert list(OVERLOADS[builtin]([1, 2])) == list(builtin([1, 2]))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: OVERLOADS[max]([]), ValueError),
        (lambda: OVERLOADS[len](3), TypeError),
        (lambda: OVERLOADS[int]("x"), ValueError),
        (lambda: OVERLOADS[math.sqrt](-1), ValueError),
        (lambda: OVERLOADS[sorted]([1, "a"]), TypeError),
    ],
)
def test_an_overload_of_plain_values_fails_as_the_builtin_does(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        (lambda x: len(x), (F25,), r"len\(\) of an array without dimensions \(f64\[\]\)"),
        (lambda x: max(x, 3, key=abs), (I5,), r"max\(\) of staged values takes no key"),
        (lambda x: sorted(x, key=abs), (XS,), r"takes no key; use x\[np.argsort\(key\(x\)\)\]"),
        (lambda x: math.sin(x), (XS,), r"math.sin\(\) takes one number; for arrays use np.sin"),
        (lambda x: print(x, file=3), (XS,), r"print\(\) of staged values writes to sys.stdout"),
        (lambda n: len(range(n)), (I5,), r"the length of range\(\) with staged bounds is staged"),
        (lambda x: total_of(x), (F25,), r"needs an array with at least one dimension, not f64"),
    ],
)
def test_what_has_no_staged_meaning_is_refused(call, arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        ag.function(call)(*arguments)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "a 1.5 [1. 2.] 3\n"),
        ({"sep": ", "}, "a, 1.5, [1. 2.], 3\n"),
        ({"sep": ""}, "a1.5[1. 2.]3\n"),
        ({"end": "!"}, "a 1.5 [1. 2.] 3!"),
        ({"end": None, "sep": None}, "a 1.5 [1. 2.] 3\n"),
    ],
)
def test_print_prints_when_the_graph_runs(options, expected, capsys):
    @ag.function
    def speak(x, y):
        print("a", x, y, 3, **options)

    for _ in range(2):
        speak(np.float64(1.5), np.array([1.0, 2.0]))
        assert capsys.readouterr().out == expected


def test_print_of_plain_values_prints_while_tracing(capsys):
    @ag.function
    def speak(x):
        print("tracing", {"a": 1}, flush=True)
        return x

    speak(XS)
    speak(XS)
    assert capsys.readouterr().out == "tracing {'a': 1}\n"


MADE = {
    "arange": (lambda x, n: np.arange(n), (XS, I5)),
    "array": (lambda x, n: np.array([x, x + n]), (XS, I5)),
    "asarray": (lambda x, n: np.asarray([n, 1]), (XS, I5)),
    "copy": (lambda x, n: np.copy(x), (XS, I5)),
    "empty_like": (lambda x, n: np.empty_like(x) * 0, (XS, I5)),
    "eye": (lambda x, n: np.eye(2), (XS, I5)),
    "full": (lambda x, n: np.full(3, n), (XS, I5)),
    "full_like": (lambda x, n: np.full_like(x, n), (XS, I5)),
    "linspace": (lambda x, n: np.linspace(0.0, n, 4), (XS, I5)),
    "meshgrid": (lambda x, n: np.meshgrid(x, x)[1], (XS, I5)),
    "ones": (lambda x, n: np.ones(n), (XS, I5)),
    "ones_like": (lambda x, n: np.ones_like(x), (XS, I5)),
    "zeros": (lambda x, n: np.zeros((n, 2), np.int32), (XS, I5)),
    "zeros_like": (lambda x, n: np.zeros_like(x, dtype=np.int8), (XS, I5)),
}


@pytest.mark.parametrize("name", MADE)
def test_array_constructors_take_staged_values(name):
    call, arguments = MADE[name]
    found, expected = ag.function(call)(*arguments), call(*arguments)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_functions_of_math_compute_in_double_precision_and_raise_as_in_python():
    def f(x):
        return math.sin(x) + math.sqrt(abs(x))

    def root(x):
        return math.sqrt(x)

    for x in (np.float32(4.25), np.int64(7), np.float64(1e300), np.float16(0.1)):
        assert ag.function(f)(x) == f(x)
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        ag.function(root)(np.float64(-1))


@pytest.mark.parametrize("other", [range(1, 9, 3), [2, 3], (0.5, 1.5, 2.5), np.array([2, 3, 4])])
def test_zip_keeps_the_kinds_of_what_is_known(other):
    def f(xs, n):
        total = xs[0]
        for x, y in zip(xs, other):  # noqa: B905  (as people write it)
            total = total + x * y
        for i, y in zip(range(n), other):  # noqa: B905  (as people write it)
            total = total + i * y
        return total

    xs = np.array([1, 2.5, 4], np.float32)
    found, expected = ag.function(f)(xs, np.int64(2)), f(xs, 2)
    assert found == expected
    assert found.dtype == expected.dtype
