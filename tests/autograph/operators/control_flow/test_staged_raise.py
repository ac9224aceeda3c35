"""What an arm of a staged branch raises is raised when that arm runs."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

import autograph as ag


def root(x):
    if x < 0:
        raise ValueError("no root of a negative number")
    return np.sqrt(x)


def fourth(x, use):
    if use > 0:
        return x[4]
    return x[0]


def checked(x, n):
    for i in range(n):
        if x[i] == 0:
            raise ZeroDivisionError("an item is zero")
        x[i] = 1 / x[i]
    return x


def always(x):
    if x > 0:
        raise KeyError("positive")
    else:
        raise IndexError("not positive")


def test_a_raise_in_a_branch_happens_only_when_the_branch_runs():
    staged = ag.function(root)
    assert staged(np.float64(4)) == 2
    with pytest.raises(ValueError, match=r"^no root of a negative number$") as caught:
        staged(np.float64(-4))
    lines = traceback.format_exception(caught.value)
    assert any('raise ValueError("no root of a negative number")' in line for line in lines)
    assert staged.trace_count == 1


def test_an_index_out_of_range_in_a_branch_that_does_not_run_does_no_harm():
    staged = ag.function(fourth)
    assert staged(np.arange(3.0), np.int64(0)) == 0
    with pytest.raises(IndexError, match="out of bounds"):
        staged(np.arange(3.0), np.int64(1))


def test_a_raise_ends_a_staged_loop():
    staged = ag.function(checked)
    np.testing.assert_array_equal(staged(np.array([1.0, 2, 4]), np.int64(3)), [1, 0.5, 0.25])
    with pytest.raises(ZeroDivisionError, match="an item is zero"):
        staged(np.array([1.0, 0, 4]), np.int64(3))


@pytest.mark.parametrize(("x", "error"), [(1, KeyError), (-1, IndexError)])
def test_both_branches_may_raise(x, error):
    with pytest.raises(error, match=r"^('|)(not |)positive('|)$"):
        ag.function(always)(np.float64(x))


def test_an_argument_of_an_unsupported_dtype_is_named():
    with pytest.raises(
        TypeError, match=r"argument x\[1\]: arrays of dtype object are not supported"
    ):
        ag.function(lambda x: x)([np.ones(2), np.array([print])])


def reads_before(n):
    while n > 3:
        n = n - missing  # noqa: F821
        missing = 1
    return n


def test_what_the_first_round_of_a_loop_raises_is_raised_only_if_there_is_a_round():
    staged = ag.function(reads_before)
    assert staged(np.int64(2)) == 2
    with pytest.raises(UnboundLocalError, match="'missing'") as caught:
        staged(np.int64(4))
    lines = traceback.format_exception(caught.value)
    assert any("n = n - missing" in line for line in lines)
    assert staged.trace_count == 1


def asserts(x):
    assert x > 0, "use {} or {a}, not {{}}"
    return x


def raises(x):
    if x < 0:
        raise ValueError("use {} or {a}, not {{}}")
    return x


@pytest.mark.parametrize("function", [asserts, raises])
def test_braces_in_a_message_stand_for_themselves(function):
    with pytest.raises((AssertionError, ValueError), match=r"^use {} or {a}, not {{}}$"):
        ag.function(function)(np.float64(-1))


def told(x):
    if x > 0:
        print("positive:", x)
        raise ValueError(f"{x} is too large")
    return x


def told_in_a_round(n):
    i = 0
    while i < n:
        print("round", i)
        i += 1
        raise KeyError("the first round")
    return i


@pytest.mark.parametrize(
    ("function", "argument"),
    [(told, 3.0), (told, -3.0), (told_in_a_round, 2), (told_in_a_round, 0)],
)
def test_what_is_printed_before_a_raise_is_printed(function, argument, capsys):
    seen = []
    for run in (function, ag.function(function)):
        try:
            found = run(np.asarray(argument)[()])
        except (ValueError, KeyError) as error:
            found = repr(error)
        seen.append((found, capsys.readouterr().out))
    assert seen[0] == seen[1]
    assert bool(seen[0][1]) is (argument > 0)


def every_arm_raises(x, n):
    i, y = 0, x
    while i < n:
        if x > 0:
            y = x + 1
            raise KeyError("positive")
        else:
            y = x - 1
            raise IndexError("not positive")
        i += 1
    return y


@pytest.mark.parametrize(("x", "error"), [(1, KeyError), (-1, IndexError)])
def test_every_arm_in_a_loop_may_raise(x, error):
    staged = ag.function(every_arm_raises)
    assert staged(np.float64(x), np.int64(0)) == x
    with pytest.raises(error, match="positive"):
        staged(np.float64(x), np.int64(1))


def raised_with_numbers_of_several_classes(n: Any, v: Any) -> Any:
    t, u = 0, 1.5
    if n > 0:
        t = n
    if v[0] > 0:
        u = v[1]
    if n < 9:
        raise ValueError(f"at {t}", t, u)
    raise KeyError(t)


@pytest.mark.parametrize("n", [-1, 1, 10])
@pytest.mark.parametrize("first", [1, -1])
def test_an_argument_of_several_classes_has_the_one_of_the_run(n: int, first: int) -> None:
    given = np.int64(n), np.array([first, 9, 3])
    with pytest.raises((ValueError, KeyError)) as expected:
        raised_with_numbers_of_several_classes(*given)
    with pytest.raises(type(expected.value)) as found:
        ag.function(raised_with_numbers_of_several_classes)(*given)
    assert repr(found.value) == repr(expected.value)


def whole(b: Any, x: Any, items: Any) -> None:
    for i in b:
        x += 1
        items.append(i)
        raise ValueError("no")


def alias(b: Any, x: Any, items: Any) -> None:
    y = x
    for i in b:
        y += i + 1
        undefined_name  # noqa: B018, F821


def repeated(b: Any, x: Any, items: Any) -> None:
    k = 0
    while k < b[1]:
        k += 1
        x += 1
        items[0] = k
        raise ValueError(k)


def inner(b: Any, x: Any, items: Any) -> None:
    for i in b:
        x[1] += 1
        for j in b:
            x += j + 1
            x @ np.ones(5)


@pytest.mark.parametrize("function", [whole, alias, repeated, inner])
def test_what_the_first_round_writes_before_it_raises_is_written(function: Any) -> None:
    staged = ag.function(function)
    for size in (3, 0):
        found = []
        for f in (function, staged):
            b, x, items = np.arange(3.0)[:size], np.zeros(3), [0.0]
            try:
                f(b, x, items)
                kind = ""
            except (ValueError, NameError, IndexError) as error:
                kind = type(error).__mro__[-4].__name__
            found.append((kind, x.tolist(), items))
        assert found[0] == found[1]
