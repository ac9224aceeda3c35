"""Texts with staged values: returned, joined, and the messages of errors."""
# ruff: noqa: F507, F524, UP031, UP032  (all ways of making a text are tested)

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as ag
from autograph import conversion, operators

X, XS = np.float64(1.5), np.array([1.0, 2.0])


def described(x, xs, name):
    label = f"{name} = {x:.2f}"
    if x > 0:
        label += "!"
    return {
        "label": label,
        "percent": "%s is %.1f, %d and %5.2f%%" % (name, x, x, x),
        "one": "%r" % xs,
        "format": "{0:>8} {name!r} {0:.1f} {1[0]}".format(x, xs, name=name),
        "numbered": "{} and {}".format(name, x),
        "joined": ", ".join([name, str(x), repr(xs)]),
    }


def test_texts_with_staged_values_are_returned():
    staged = ag.function(described)
    for x in (X, -X):
        assert staged(x, XS, "x") == described(x, XS, "x")
        assert conversion.convert(described, operators)(x, XS, "x") == described(x, XS, "x")
    assert staged.trace_count == 1


def checked(x, xs):
    assert x < 9, f"too large: {x:.1f}"
    if x < 0:
        raise ValueError(f"negative: {x}, with {xs}")
    return x


def always(x):
    raise KeyError("no %s" % x)


@pytest.mark.parametrize(
    ("function", "arguments", "error"),
    [
        (checked, (X * 10, XS), AssertionError),
        (checked, (-X, XS), ValueError),
        (always, (X,), KeyError),
    ],
)
def test_errors_have_staged_values_in_their_texts(function, arguments, error):
    with pytest.raises(error) as expected:
        function(*arguments)
    staged = ag.function(function)
    for _ in range(2):
        with pytest.raises(error) as found:
            staged(*arguments)
        first, *_ = str(expected.value).splitlines()  # pytest adds the values of an `assert`
        assert str(found.value) == first


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (lambda x: "%s" % (x, x), TypeError, "not all arguments converted"),
        (lambda x: "%s %s" % x, TypeError, "not enough arguments for format string"),
        (lambda x: "%x" % x, ag.StagedValueError, "'%x' of a staged value is not supported"),
        (lambda x: "{a}".format(), KeyError, "a"),
        (lambda x: f"{x}".encode(), ag.StagedValueError, r"str.encode\(\) of a text that is known"),
        (lambda x: f"{x}".split(""), ValueError, "empty separator"),
        (
            lambda x: f"{x}".split(".", 1),
            ag.StagedValueError,
            "takes a known separator, and splits",
        ),
        (lambda x: f"{x}" % 2, ag.StagedValueError, r"str.__mod__\(\) of a text that is known"),
        (lambda x: f"{x}".no, AttributeError, "'str' object has no attribute 'no'"),
        (lambda x: x in f"{x}", TypeError, "requires string as left operand, not numpy.float64"),
        (lambda x: id(f"{x}"), ag.StagedValueError, "id.. of a staged value .string"),
        (lambda x: range(f"{x}"), ag.StagedValueError, "code that was not converted asks for its"),
    ],
)
def test_texts_that_cannot_be_made_are_refused(use, error, message):
    with pytest.raises(error, match=message):
        ag.function(use)(X)


class Holder:
    def __init__(self, x):
        self.x = x

    @ag.do_not_convert
    def __format__(self, form):
        return f"{self.x}"


def test_a_text_that_python_makes_is_refused():
    with (
        pytest.warns(UserWarning, match=r"made of a staged value .* it has '<staged x: f64\[\]>'"),
        pytest.raises(ag.StagedValueError, match=r"Holder.__format__.. was given a staged value"),
    ):
        ag.function(lambda x: format(Holder(x)))(X)


def test_the_text_of_one_of_several_things_is_one_of_several():
    def f(x):
        name = "positive" if x > 0 else None
        return f"{name}: {x}"

    staged = ag.function(f)
    for x in (X, -X):
        assert staged(x) == f(x)


Pair = namedtuple("Pair", "a b")


class Named(NamedTuple):
    a: Any
    b: Any

    def __repr__(self):
        return f"Named<{self.a}>" if self.a > 2 else "small"


@pytest.mark.parametrize(
    "function",
    [
        lambda x: str(Pair(x, [x, None])),
        lambda x: repr(deque([x, Pair(1, x)], 3)),
        lambda x: f"{defaultdict(int, a=x)}" + str(OrderedDict(a=(x,), b="b")),
        lambda x: str(Counter(a=x)) + "%r" % [Counter(c=x)],
        lambda x: "{} {!r}".format(deque([x]), {"k": deque([Named(x, 1)])}),
        lambda x: str(Pair(Named(x, 1), x)),
    ],
)
def test_texts_of_containers_are_python_s(function):
    staged = ag.function(function)
    for x in (np.int64(3), np.int64(1)):
        assert staged(x) == function(x)
    assert staged.trace_count == 1
