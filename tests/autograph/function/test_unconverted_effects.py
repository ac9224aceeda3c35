"""What code that is not converted does outside happens at each call: generators, methods that
Python's own code calls, what libraries call back, and what only a library knows.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import contextvars
import copy
import enum
import functools
import hashlib
import io
import itertools
import queue
import string
import threading
import time
from array import array

import numpy as np
import pytest

import autograph as ag


class Counting(type):
    """A class of classes that count."""

    n = 0

    def __call__(cls, *args):
        Counting.n += 1
        return super().__call__(*args)

    def __instancecheck__(cls, value):
        Counting.n += 1
        return True


class Made(metaclass=Counting):
    n = 0

    def __new__(cls):
        cls.n += 1
        return super().__new__(cls)


class Box:
    n = 0
    __match_args__ = ("part",)

    def _count(self, found):
        Box.n += 1
        return found

    def __getitem__(self, k):
        if self._count(k) > 2:
            raise IndexError
        return k

    def __setitem__(self, k, value):
        self._count(k)

    def __delitem__(self, k):
        self._count(k)

    def __format__(self, form):
        return self._count("box")

    def __repr__(self):
        return self._count("box")

    def __array__(self, dtype=None, copy=None):
        return self._count(np.ones(2))

    def __index__(self):
        return self._count(1)

    def __float__(self):
        return self._count(1.0)

    def __abs__(self):
        return self._count(2)

    def __reversed__(self):
        return self._count(iter([1]))

    def __deepcopy__(self, memo):
        return self._count(self)

    @property
    def part(self):
        return self._count(3)

    @classmethod
    def of_class(cls):
        cls.n += 1
        return cls.n


class Missing(dict):
    def __missing__(self, key):
        return Box.of_class()


class Kind(enum.Enum):
    A = 1

    @classmethod
    def _missing_(cls, value):
        Box.of_class()
        return cls.A


@contextlib.contextmanager
def entered(w):
    w.n += 1
    yield
    w.n += 10


class World:
    """What a program changes; two worlds share nothing but classes."""

    def __init__(self):
        Box.n = Made.n = Counting.n = 0
        vars(string).pop("calls", None)
        self.n, self.log, self.box = 0, [], Box()
        self.made = collections.defaultdict(self.count)
        self.lines, self.queue, self.hash = io.StringIO("abcdefgh"), queue.Queue(), hashlib.md5()
        self.array, self.variable = array("i"), contextvars.ContextVar("v", default=0)
        self.local, self.user = threading.local(), collections.UserDict(a=1)
        self.local.n = 0
        self.cached = functools.cache(self.count)

    def count(self, k=1):
        self.n += 1
        return k

    def steps(self, k):
        for i in range(k):
            self.n += 1
            self.log.append(i)
            print("step", i)
            yield i

    def twice(self):
        yield from self.steps(1)
        yield from self.steps(2)

    def received(self):
        while True:
            self.log.append((yield len(self.log)))

    async def later(self):
        self.log.append(1)
        return 2


def decorated(function):
    @functools.wraps(function)
    def wrapper(x):
        wrapper.calls += 1
        return function(x) * wrapper.calls

    wrapper.calls = 0
    return wrapper


def sent(w):
    steps = w.received()
    next(steps)
    steps.send(1)
    return steps.send(2)


def matched(box):
    match box:
        case Box(3):
            return Box.n
    return 0


def written(box):
    box[1] = 2
    del box[1]
    return Box.n


def in_a_module():
    string.calls = getattr(string, "calls", 0) + 1
    return string.calls


def with_a_manager(w):
    with entered(w):
        return w.n


EFFECTS = {
    "a generator": lambda w: sum(w.steps(3)) + w.n,
    "a generator of a generator": lambda w: sum(w.twice()) + w.n,
    "what is sent": sent,
    "a coroutine": lambda w: asyncio.iscoroutine(c := w.later()) + (c.close() or w.n),
    "a context manager": lambda w: with_a_manager(w) + w.n,
    "fromiter": lambda w: np.fromiter(w.steps(3), float).sum() + w.n,
    "items until there is none": lambda w: sum(list(w.box)) + Box.n,
    "setitem": lambda w: written(w.box),
    "a text": lambda w: len(f"{w.box}{[w.box]}" + "%s" % w.box) + Box.n,  # noqa: UP031
    "an array": lambda w: np.asarray(w.box).sum() + Box.n,
    "an index": lambda w: [1, 2, 3][w.box] + int(w.box) + float(w.box) + Box.n,
    "abs": lambda w: abs(w.box) + next(reversed(w.box)) + Box.n,
    "deepcopy": lambda w: copy.deepcopy(w.box).n + Box.n,
    "a pattern": lambda w: matched(w.box),
    "a class method": lambda w: w.box.of_class(),
    "a missing key": lambda w: Missing()["a"] + Box.n,
    "a missing member": lambda w: Kind(5).value + Box.n,
    "an instance": lambda w: Made().n,
    "a class of classes": lambda w: isinstance(3, Made) + Counting.n,
    "a default": lambda w: w.made["a"] + w.made[len(w.made)] + w.n,
    "vectorize": lambda w: np.vectorize(w.count)(np.arange(3)).sum() + w.n,
    "along an axis": lambda w: np.apply_along_axis(w.count, 0, np.ones((2, 2))).sum() + w.n,
    "groups": lambda w: len([k for k, _ in itertools.groupby([1, 3], w.count)]) + w.n,
    "a cached function": lambda w: w.cached(2) + w.n,
    "a module": lambda w: in_a_module(),
    "a file": lambda w: ord(w.lines.read(1)),
    "a queue": lambda w: w.queue.put(1) or w.queue.qsize(),
    "a hash": lambda w: w.hash.update(b"a") or w.hash.digest()[0],
    "an array of Python's": lambda w: w.array.append(2) or len(w.array),
    "a context variable": lambda w: w.variable.set(w.variable.get() + 1) and w.variable.get(),
    "a local of the thread": lambda w: vars(w.local).update(n=w.local.n + 1) or w.local.n,
    "a user's dict": lambda w: w.user.update(a=w.user["a"] + 1) or w.user["a"],
}


@pytest.mark.parametrize("name", EFFECTS)
@pytest.mark.parametrize("is_always_traced", [True, False])
def test_it_happens_at_each_call(name, is_always_traced, capsys):
    found = []
    for is_staged in (False, True):
        f = functools.partial(lambda effect, w, x: x * effect(w), EFFECTS[name], World())
        if is_staged:
            f = ag.function(f)
            f._fallback.is_off = is_always_traced
        found.append(([repr(f(np.float64(k))) for k in (1, 2, 3, 4)], capsys.readouterr().out))
    assert found[0] == found[1]


def test_functions_that_decorators_gave_attributes():
    f = ag.function(decorated(lambda x: x + 1))
    assert [f(np.float64(1)) for _ in range(3)] == [2, 4, 6]


def test_clocks_are_asked_when_the_graph_runs():
    @ag.function
    def f(x):
        start = time.perf_counter()
        for _ in range(3):
            x = x * 0.5 if time.monotonic_ns() > 0 else x
        return x, start, time.time_ns()

    first, second = f(np.float64(8)), f(np.float64(8))
    assert f.trace_count == 1
    assert first[0] == 1.0
    assert second[1] > first[1]
    assert type(first[1]) is float
    assert type(second[2]) is int


def test_what_nobody_can_undo_is_refused_in_a_staged_branch():
    things = queue.Queue()

    @ag.function
    def f(x):
        if x > 0:
            things.put(1)
        return x

    with pytest.raises(ag.StagedValueError, match=r"Queue.put\(\) is called in a staged branch"):
        f(np.float64(-1))
    assert things.empty()


def test_properties_are_not_asked_by_guards():
    class Asked:
        n = 0

        @property
        def part(self):
            Asked.n += 1
            return 1

    asked = Asked()

    @ag.function
    def f(x):
        setattr(asked, "other", getattr(asked, "other", 0) + 1)  # noqa: B010
        return x + asked.other

    assert [f(np.float64(1)) for _ in range(3)] == [2, 3, 4]
    assert Asked.n == 0
