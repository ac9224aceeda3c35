"""What stands for a value while tracing has the class, the attributes and the signs of Python's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import autograph as ag

ROW = [1, 2]


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    """Return what a call gives, its class included, or the error that it raises."""
    try:
        found = f(*args)
    except (TypeError, AttributeError, ValueError) as error:
        return type(error), error.args
    return type(found), repr(found)


def check(f: Callable[..., Any], *calls: Any) -> None:
    """Compare calls of a staged function with plain ones."""
    staged = ag.function(f)
    for x in calls:
        assert outcome(staged, x) == outcome(f, x)


def in_case(subject: Any) -> int:
    match subject:
        case range():
            return 1
        case _:
            return 2


@pytest.mark.parametrize(
    "f",
    [
        lambda n: repr(range(n)),
        lambda n: f"{range(1, n)} {range(1, n, 2)!s:}",
        lambda n: "%s" % (range(0, 9, n),),  # noqa: UP031
        lambda n: (type(range(n)), type(range(n)).__name__, type(range(n)) is range),
        lambda n: (isinstance(range(n), range), isinstance(range(n), (list, int))),
        lambda n: isinstance(range(n), Sequence),
        lambda n: in_case(range(n)),
        lambda n: (range(n), [range(2, n, 3)]),
        lambda n: (bool(range(n)), 1 if range(n - 3) else 2, not range(n)),
        lambda n: (range(n) == range(5), range(n) != range(5), range(n) == [0, 1]),
        lambda n: range(0, n, 2) == range(0, n + 1, 2),
        lambda n: (3 in range(n), n in range(5), n not in range(9, 0, -2), n in range(0)),
        lambda n: (2.5 in range(n), "a" in range(n), (1,) in range(n), True in range(n)),
        lambda n: n * 10**6 in range(10**12),
    ],
)
def test_a_range_with_staged_bounds_is_a_range(f):
    check(f, np.int64(1), np.int64(3), np.int64(5), np.int64(6))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (isinstance(enumerate(x), enumerate), type(zip(x)).__name__),
        lambda x: (type(map(abs, x)) is map, type(reversed(range(x.size))).__name__),
    ],
)
def test_an_iterator_is_of_the_class_that_makes_it(f):
    check(lambda x: f(x)[0], np.arange(3.0))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: float(x).shape,
        lambda x: int(x).dtype,
        lambda x: x.item().ndim,
        lambda x: float(x).sum(),
        lambda x: int(x).astype(float),
        lambda x: bool(x > 2).any(),
        lambda x: (int(x).numerator, int(x).denominator, int(x).bit_length()),
        lambda x: (x.shape, x.dtype, x.sum(), (x > 2).any()),
    ],
)
def test_numbers_of_python_have_no_attributes_of_arrays(f):
    check(f, np.float64(1), np.float64(3))


def shape_or_none(x: Any) -> Any:
    y = 0 if x > 2 else x
    try:
        return y.shape
    except AttributeError:
        return None


def length_in_bits(x: Any) -> Any:
    y = True if x > 2 else x
    return y.bit_length()


def added(x: Any) -> Any:
    y = 0 if x > 2 else x
    return y.sum()


@pytest.mark.parametrize("f", [shape_or_none, length_in_bits, added])
def test_numbers_of_several_classes_have_the_attributes_of_the_one_that_they_are(f):
    check(f, np.float64(1), np.float64(3))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (float(x) == (1,), [1.0] == float(x), float(x) != [1.0], int(x) == None),  # noqa: E711, SIM300
        lambda x: (float(x) in [[1.0]], [float(x)] == float(x)),
        lambda x: float(x) + ROW,
        lambda x: ROW + int(x),
        lambda x: (1, 2) - float(x),
        lambda x: int(x) ** [2],
        lambda x: float(x) < [1],
        lambda x: None + float(x),
        lambda x: float(x) > None,
        lambda x: "a" + int(x),
        lambda x: float(x) / "a",
        lambda x: (x == [1.0], x + ROW, (1, 2) * x),
    ],
)
def test_numbers_of_python_are_no_arrays_beside_lists(f):
    check(f, np.float64(1), np.float64(3))


@pytest.mark.parametrize("y", [np.float64(1), np.float64(4), 4.0, np.array(4.0)])
@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: max(x, y),
        lambda x, y: min([y, x]),
        lambda x, y: max(x, y, key=lambda v: -v),
    ],
)
def test_arrays_of_one_element_are_compared_by_max_and_min(f, y):
    x = np.array([2.0])
    assert outcome(ag.function(f), x, y) == outcome(f, x, y)
