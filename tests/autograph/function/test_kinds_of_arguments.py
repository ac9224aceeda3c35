"""Whatever is an argument, a staged function gives what the plain one gives."""

from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import functools
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as ag

BIG_ENDIAN = np.array([1, 2], ">f8")
TWO = np.float64(2.0)
ROWS = np.arange(6.0).reshape(2, 3)


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: Any
    n: int = 2


@dataclasses.dataclass(slots=True)
class Slotted:
    x: Any
    n: int = 2


class Pair(NamedTuple):
    x: Any
    n: int = 2


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Side(enum.IntEnum):
    LEFT = 1
    RIGHT = 2


class Word(str, enum.Enum):
    YES = "yes"


def raised(d):
    d.x = d.x + 1
    return d


def by_keyword(x, *, k=2):
    return x * k


def by_position(x, /, k=2):
    return x * k


def with_array(x, w=np.ones(3)):  # noqa: B008  (an array as a default)
    return x @ w


def side_in_everything(x, side):
    chosen = x * side, side - x, np.add(x, side), x > side, np.where(x > 1, side, x)
    return *chosen, x[:, side], np.arange(4.0)[side], x**side, np.array([side, x[0, 1]])


PROGRAMS = {
    "frozen": (lambda d: dataclasses.replace(d, x=d.x * d.n), Frozen(TWO)),
    "slotted": (raised, Slotted(TWO)),
    "named tuple": (lambda d: d._replace(x=d.x * d.n), Pair(TWO)),
    "enum": (lambda c, x: x if c is Colour.RED else -x, Colour.BLUE, TWO),
    "enum of numbers": (side_in_everything, ROWS, Side.RIGHT),
    "enum of texts": (lambda c, x: x if c == "yes" else -x, Word.YES, TWO),
    "None": (lambda c, x: x if c is None else -x, None, TWO),
    "text": (lambda c, x: x * len(c), "abc", TWO),
    "bytes": (lambda c, x: x * c[0], b"abc", TWO),
    "range": (lambda r, x: sum(x * i for i in r), range(3), TWO),
    "slice": (lambda s, x: x[s], slice(1, 2), ROWS),
    "ellipsis": (lambda e, x: x[e, 0], ..., ROWS),
    "set": (lambda s, x: x * len(s), {1, 2}, TWO),
    "frozen set": (lambda s, x: x * (3 in s), frozenset({3}), TWO),
    "complex": (lambda c, x: x * c, 1j, TWO),
    "class": (lambda kind, x: kind(x), np.float32, TWO),
    "dtype": (lambda kind, x: x.astype(kind), np.dtype("i4"), ROWS),
    "ufunc": (lambda f, x: f(x), np.sin, TWO),
    "partial": (lambda f, x: f(x), functools.partial(np.add, 1), TWO),
    "ordered dict": (
        lambda d: type(d)((k, 2 * x) for k, x in d.items()),
        collections.OrderedDict(b=TWO, a=1),
    ),
    "default dict": (lambda d: d["none"] + d["a"], collections.defaultdict(int, a=TWO)),
    "deque": (lambda d: d[0] + d[-1], collections.deque([TWO, 3])),
    "order of keys": (lambda d: list(d), {"b": TWO, "a": TWO}),
    "no elements": (lambda x: (x.sum(), x * 2, x.shape), np.zeros((0, 3))),
    "not a number": (lambda x: 1 if x < 0 else (2 if x >= 0 else 3), np.float64("nan")),
    "other byte order": (lambda x: x + 1, np.array([1, 2], ">f8")),
    "byte order kept": (lambda x: (x.dtype, x.astype(float), np.zeros_like(x)), BIG_ENDIAN),
    "byte order in a loop": (lambda x: (x * 2 > 2).sum() + x[0], BIG_ENDIAN),
    "flags of numbers": (lambda x: (x[0, 0].strides, x[0, 0].flags.writeable), ROWS),
    "strided": (lambda x: x[::-1].T * 2, ROWS[:, ::2]),
    "large integer": (lambda x, n: x + n, TWO, 10**30),
    "array by default": (with_array, ROWS),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_staged_gives_what_plain_python_gives(name: str) -> None:
    program, *arguments = PROGRAMS[name]
    expected = repr(program(*map(copy.copy, arguments)))
    assert repr(ag.function(program)(*arguments)) == expected


def test_arguments_are_passed_by_position_and_by_keyword() -> None:
    assert ag.function(by_keyword)(TWO, k=5) == 10.0
    assert ag.function(by_keyword)(TWO) == 4.0
    assert ag.function(by_position)(TWO, 5) == 10.0
    assert ag.function(lambda *xs, **ks: xs[0] + len(xs) + ks["b"])(TWO, 3, 4, b=5) == 10.0
    with pytest.raises(TypeError, match="by_position"):
        ag.function(by_position)(x=TWO)


@functools.singledispatch
def described(x, k=1):
    return "something else"


@described.register
def _(x: np.ndarray, k=1):
    return x * k if x.sum() > 1 else -x


@described.register(float)
def _(x, k=1):
    return x + k


class Describing:
    @functools.singledispatchmethod
    def describe(self, x):
        return "something else"

    @describe.register
    def _(self, x: np.ndarray):
        return x * 2 if x.sum() > 1 else -x


@pytest.mark.parametrize("x", [np.ones(2), np.zeros(2), TWO, np.int64(2), 3.0, "text"], ids=repr)
def test_functions_that_go_by_the_class_of_an_argument(x: Any) -> None:
    for program in (described, lambda x: described(x, k=3), lambda x: Describing().describe(x)):
        assert repr(ag.function(lambda x: program(x))(x)) == repr(program(x))  # noqa: B023
    with pytest.raises(TypeError, match="requires at least 1 positional argument"):
        ag.function(lambda x: described())(x)
