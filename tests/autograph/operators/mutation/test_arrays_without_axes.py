"""An array without axes is an array: it is written in place, and has an array's class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def counted(x):
    t = np.zeros((), int)
    u = t
    for v in x:
        t += v
    return t, u, t is u


def set_whole(x):
    t = np.zeros(())
    u = t
    t[...] = x[0]
    u[()] += 1
    return t, u[()], t[...]


def in_an_arm(x):
    t = np.array(3)
    u = t
    if x[0] > 1:
        t *= 2
    return t, u


def copied(x):
    t = np.array(3)
    u = t.copy()
    u += x[0]
    return t, u, t.astype(float), u.astype(float), u.T, +u, u.reshape(1)


def in_containers(x):
    items, table = [np.zeros((), int), np.ones(())], {"a": np.zeros((), int)}
    for v in x:
        items[0] += v
        table["a"] -= v
    items[1][()] = x[0]
    return items, table


def made_in_arms(x):
    if x[0] > 1:
        t = np.zeros(())
        t += x[0]
    else:
        t = np.ones(())
    return t


def made_in_rounds(x):
    s = np.zeros(())
    for v in x:
        t = np.zeros_like(v)
        t += v
        s = t
    return s


def exchanged(x):
    a, b = np.zeros((), int), np.zeros((), int)
    while a < x[2]:
        a, b = b, a
        a += x[0]
    return a, b


def chosen(x):
    t = np.where(x[0] > 1, 1.0, 2.0)
    u = t
    t += 1
    return t, u, np.isin(x[0], 3)


def parts(x):
    t = np.array(1 + 0j)
    t.imag = x[0]
    t.real += 2
    return t, t.real, t.conj()


def a_number_or_an_array(x):
    t = np.int64(0) if x[0] > 5 else np.zeros((), int)
    for v in x:
        t = t + v
    return t


@pytest.mark.parametrize(
    "function",
    [
        counted, set_whole, in_an_arm, copied, in_containers, made_in_arms, made_in_rounds,
        exchanged, chosen, parts, a_number_or_an_array,
    ],
)  # fmt: skip
def test_it_is_what_numpy_has(function: Callable[..., Any]) -> None:
    staged = ag.function(function)
    for x in (np.array([3, 4, 5]), np.array([1, 9, 8])):
        assert repr(staged(x)) == repr(function(x))


def test_functions_of_numpy_write_it() -> None:
    def written(x):
        t = np.array(3)
        found = np.sum(x, out=t)
        return found, np.add(t, x[0], out=t) is t, t

    x = np.array([3, 4, 5])
    assert repr(ag.function(written)(x)) == repr(written(x))


def count_down(n):
    while n > 0:
        n -= 1
    return n


def test_a_loop_writes_one_that_was_given() -> None:
    given = np.array(3)
    assert ag.function(count_down)(given) is given
    assert given == 0
    assert repr(ag.function(count_down)(np.int64(3))) == "np.int64(0)"


@pytest.mark.parametrize("ask", [round, lambda t: t[0], lambda t: t.__setitem__(0, 1), len])
def test_what_it_does_not_have_raises_as_in_numpy(ask: Callable[[Any], Any]) -> None:
    for function in (lambda x: ask(np.array(2.5)), lambda x: ask(np.array(x[0]))):
        with pytest.raises((TypeError, IndexError)) as expected:
            function(np.ones(3))
        with pytest.raises(expected.type):
            ag.function(function)(np.ones(3))


def test_a_conjugate_of_real_numbers_is_the_array() -> None:
    def f(x):
        y = x.conj()
        y += 1
        return y is x

    x = np.arange(3.0)
    assert ag.function(f)(x)
    assert x.tolist() == [1, 2, 3]
