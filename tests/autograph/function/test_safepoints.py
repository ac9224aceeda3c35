"""What a function has done to its arguments when it raises is what plain Python had done."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph as ag


@dataclass
class Box:
    a: Any
    b: Any


class OwnError(Exception):
    pass


def two_writes(v, n):
    v[0] = 1
    v[n] = 2


def a_read(v, n):
    v[0] = 7
    y = v[n] + 1
    v[1] = 8
    return y


def a_loop(v, n):
    for k in range(n):
        v[k] = k * 2 + 1


def a_while(v, n):
    k = 0
    while k < n:
        v[k] += v[k - 1]
        k += 1
    return k


def the_test_of_a_while(v, n):
    k = 0
    while v[k] < n:
        v[k] = n
        k += 1


def an_own_error(v, n):
    for k in range(n):
        if v[k] > 2:
            raise OwnError(v[k], k)
        v[k] = -1


def a_try(v, n):
    try:
        v[0] = 5
        v[n] = 6
    except IndexError:
        v[1] = 7
    v[n + 1] = 3


def a_finally(v, n):
    try:
        v[0] = 5
        v[n] = 6
    finally:
        v[1] = 8


def a_view(v, n):
    part = v[1:]
    part[0] = 50
    part[n] = 2


def all_of_it(v, n):
    v[0] = 4
    y = v[n - 8]
    v[:] = v * 3
    z = y + v[n]
    v[1] = 0
    return z


def a_branch(v, n):
    if v[0] == 0:
        v[1] = 5
        v[n] = 3
    else:
        v[2] = 4


def first_half(v, n):
    v[2] = 5
    return v[n]


def a_helper(v, n):
    v[0] = 1
    v[1] = first_half(v, n)


def what_is_printed_once(v, n):
    v[0] = 1
    print("once", n)
    v[n] = 2


def an_error_of_numpy(v, n):
    v[:] = 1
    return np.linalg.inv(np.outer(v, v))


ON_ARRAYS = (
    two_writes, a_read, a_loop, a_while, the_test_of_a_while, an_own_error, a_try, a_finally,
    a_view, all_of_it, a_branch, a_helper, an_error_of_numpy,
)  # fmt: skip


def attributes(box, v, n):
    box.a = box.a + 1
    box.b[0] = 5
    box.a = v[n]


def attributes_in_a_branch(box, v, n):
    if box.a > 0:
        box.a = box.a + 4
        if box.a > 2:
            box.a = v[n]


def keys(table, v, n):
    table["k"] = v[0] * 2
    table["n"] = v[1]
    table["k"] = v[n]


def keys_in_a_loop(table, v, n):
    for k in range(n):
        table[k] = v[k]


def items(found, v, n):
    found.append(v[1])
    found[0] = found[0] + 1
    found.append(v[n])


def items_in_a_loop(found, v, n):
    k = 0
    while k < n:
        found.append(v[k])
        k += 1


def items_of_an_attribute(box, v, n):
    box.a = [v[2]]
    box.a.append(v[1])
    box.a[0] = v[n]


def an_error_in_every_round(found, v, n):
    for _ in range(n):
        found.append(v[0])
        part = v[1:]
        part[3] = 1


ON_OBJECTS: Sequence[tuple[Callable[..., Any], Any]] = (
    (attributes, Box(np.float64(1), np.arange(3.0))),
    (attributes_in_a_branch, Box(np.float64(1), np.arange(3.0))),
    (keys, {}),
    (keys_in_a_loop, {}),
    (items, [np.float64(2)]),
    (items_in_a_loop, [np.float64(2)]),
    (items_of_an_attribute, Box(np.float64(1), np.arange(3.0))),
    (an_error_in_every_round, [np.float64(2)]),
)


def left(function: Callable[..., Any], given: Sequence[Any]) -> Any:
    """Return what a call raises, and what it leaves in its arguments."""
    given = copy.deepcopy(given)
    try:
        function(*given)
    except Exception as error:
        return type(error), repr(error.args), repr(given)
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("function", ON_ARRAYS)
def test_arrays_hold_what_was_written_before_an_error(function: Callable[..., Any]) -> None:
    staged = ag.function(function)
    given = [np.arange(4.0), np.int64(9)]
    for _ in range(3):
        assert left(staged, given) == left(function, given)


@pytest.mark.parametrize(("function", "first"), ON_OBJECTS)
def test_objects_hold_what_was_written_before_an_error(
    function: Callable[..., Any], first: Any
) -> None:
    staged, given = ag.function(function), [first, np.arange(3.0), np.int64(9)]
    for _ in range(2):
        assert left(staged, given) == left(function, given)


def test_what_was_printed_is_not_printed_again(capsys: Any) -> None:
    v = np.arange(4.0)
    with pytest.raises(IndexError):
        ag.function(what_is_printed_once)(v, np.int64(9))
    assert v.tolist() == [1, 1, 2, 3]
    assert capsys.readouterr().out == "once 9\n"


def test_what_may_not_run_twice_tells_what_it_writes_as_it_goes() -> None:
    seen: list[float] = []
    total = ag.Variable(0.0)

    @ag.function
    def f(v, n):
        for k in range(n):
            total.assign_add(v[k])
            ag.numpy_function(lambda x: seen.append(float(x)), [v[k]])
            v[k] = -1

    v = np.arange(3.0)
    with pytest.raises(IndexError):
        f(v, np.int64(9))
    assert (v.tolist(), seen, total.numpy()) == ([-1, -1, -1], [0, 1, 2], 3)


def test_a_call_that_is_often_made_writes_before_its_error() -> None:
    f = ag.function(two_writes)
    for _ in range(3000):
        f(np.zeros(3), np.int64(1))
    v = np.zeros(3)
    with pytest.raises(IndexError):
        f(v, np.int64(9))
    assert v.tolist() == [1, 0, 0]


def test_a_warning_that_is_an_error_ends_the_writes() -> None:
    @ag.function
    def f(v):
        v[0] = 3
        v[1] = v[0] / v[2]
        v[2] = 9

    v = np.zeros(3)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        f(v)
    assert v.tolist() == [3, 0, 0]


def test_graphs_that_run_have_no_safepoints() -> None:
    f = ag.function(a_while)
    concrete = f.get_concrete_function(np.arange(4.0), np.int64(9))
    assert "safepoint" not in str(concrete.graph)
    assert "native" in str(concrete.plan)


def test_a_round_that_fails_tells_what_earlier_rounds_wrote_to_objects_in_an_arm() -> None:
    def f(n, v, box, table):
        if table["a"] == 4:
            table["new"] = 0
        else:
            for k in range(n):
                v[k] = 0
                box.a += 1

    found = []
    for function in (f, ag.function(f)):
        given = np.int64(5), np.arange(4.0), Box(np.float64(1), 2), {"a": np.float64(1)}
        with pytest.raises(IndexError):
            function(*given)
        found.append(repr(given))
    assert found[0] == found[1]
