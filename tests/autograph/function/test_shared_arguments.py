"""Arguments that share memory, one of which the function writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function.shared_arguments import MOST_LAYOUTS

X = np.arange(3.0)


def exchange(x: Any, y: Any) -> Any:
    for i in range(len(x)):
        x[i], y[i] = y[i], x[i] + 1
    return x


def accumulate(x: Any, y: Any) -> Any:
    x += y
    return x.sum(), y


PAIRS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "one array twice": lambda a: (a, a),
    "an array and a view of all": lambda a: (a, a[:]),
    "columns": lambda a: (a[:, 0], a[:, 2]),
    "rows that overlap": lambda a: (a[1:], a[:-1]),
    "backwards": lambda a: (a[::-1], a),
    "transposed": lambda a: (a[:3], a[:3].T),
    "steps": lambda a: (a.ravel()[::3], a.ravel()[1::3]),
    "elements": lambda a: (a[0, :1], a[..., 0, 0][None]),
}


@pytest.mark.parametrize("function", [exchange, accumulate])
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_what_is_written_through_one_is_read_through_the_other(function: Any, pair: Any) -> None:
    staged = ag.function(function)
    for order in ("C", "F"):
        for _ in range(2):
            plain, found = (np.arange(12.0).reshape(4, 3).copy(order) for _ in range(2))
            given = pair(found)
            expected, result = function(*pair(plain)), staged(*given)
            np.testing.assert_array_equal(plain, found)
            np.testing.assert_equal(result, expected)
            assert (result is given[0]) == (function is exchange)


def test_a_method_and_keywords_may_be_given_the_same_array() -> None:
    class Adder:
        @ag.function
        def add(self, x: Any, *more: Any, by: Any = None) -> Any:
            x += more[0]
            return x is by, more[0] is by

    x = np.ones(3)
    assert Adder().add(x, x[:], by=x) == (True, False)
    assert x.tolist() == [2, 2, 2]


def test_what_is_no_view_of_one_row_is_refused() -> None:
    @ag.function
    def add(x: Any, y: Any) -> None:
        x += y[: len(x)]

    x = np.ones(4)
    add(x[:1], x[1:])
    for other in (x.view(np.int64), x.view(np.int32)[1:5], np.broadcast_to(x, (2, 4))[0]):
        with pytest.raises(ag.MutationError, match=r"'x'.* and 'y' is given"):
            add(x[:1], other)
    assert x.tolist() == [2, 1, 1, 1]


def test_a_graph_is_made_for_each_layout_and_few_are_kept() -> None:
    staged = ag.function(accumulate)
    staged._fallback.is_off = True
    for k in range(2, MOST_LAYOUTS + 4):
        x = np.ones(k + 1)
        staged(x[1:], x[:-1])
        assert x.tolist() == [1] + [2] * k
    assert len(staged._on_memory._made) == 2


def test_an_error_is_that_of_the_function() -> None:
    @ag.function
    def reach(x: Any, y: Any, i: Any) -> None:
        x[0] = y[i]

    x = np.ones(3)
    with pytest.raises(IndexError, match="index 5 is out of bounds") as caught:
        reach(x, x, np.int64(5))
    assert caught.value.__context__ is None


def test_whether_two_arguments_are_one_array_is_known_in_each_call() -> None:
    def told(x: Any, y: Any) -> Any:
        z = np.zeros(3)
        if x is y:
            x[0] += 1
        return x is y, x is not y, z is x, x[:] is x, np.shares_memory(x, z), x[0]

    staged, x, y = ag.function(told), np.ones(3), np.ones(3)
    for pair in (lambda a: (a, a), lambda a: (a, X), lambda a: (a[1:], a[:-1])):
        assert staged(*pair(x)) == told(*pair(y))
    assert staged(x, x) == told(y, y)
    assert x.tolist() == y.tolist() == [3, 1, 1]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: np.may_share_memory(x, x[1:]),
        lambda x, y: x is X,
        lambda x, y: 1 if not (y[0] > 9 or X is not x) else 2,
        lambda x, y: x is x is X,
    ],
)
def test_which_array_a_condition_chose_is_not_told(function: Any) -> None:
    with pytest.raises(ag.StagedValueError, match=r"whether two arrays are one array.*\n.*line"):
        ag.function(function)(X, X + 1)
    assert ag.function(lambda x: x[0] is x[1])([X, X])


def part(x):
    x[1] = 5.0
    return x[1:]


def parts_of_rounds(x):
    for k in range(len(x)):
        x[k] = x[k] + k
    return x[::-1], x, x.reshape(2, 2)[1], x[int(x[0]) :]


def part_after_a_branch(x):
    if x[0] > 0:
        x[1] = 7.0
    return x[::2], x.sum()


@pytest.mark.parametrize("function", [part, parts_of_rounds, part_after_a_branch])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_returned_view_of_a_written_argument_is_a_view_of_it(function, sign):
    staged = ag.function(function)
    for _ in range(20):
        ours, plain = sign * np.ones(4), sign * np.ones(4)
        found, wanted = staged(ours), function(plain)
        pairs = [*zip(found, wanted)] if isinstance(found, tuple) else [(found, wanted)]  # noqa: B905
        for x, y in pairs:
            assert repr(x) == repr(y)
            if isinstance(x, np.ndarray):
                assert (x.strides, np.shares_memory(x, ours)) == (y.strides, True)
                x[0] = y[0] = 9.0
        assert ours.tolist() == plain.tolist()


def test_a_returned_view_that_cannot_be_written_cannot_be_here():
    def spread(x):
        x[1] = 5.0
        return np.broadcast_to(x, (2, 4))

    x = np.ones(4)
    found = ag.function(spread)(x)
    assert found.strides == (0, 8)
    assert np.shares_memory(found, x)
    assert not found.flags.writeable
