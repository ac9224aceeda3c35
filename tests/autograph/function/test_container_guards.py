"""What changes in containers outside, at any depth and of any class, is seen by the next call."""

from __future__ import annotations

import collections
import dataclasses
import functools
import types
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque

import numpy as np
import pytest

import autograph as ag

X = np.int64(3)


class Items(list):
    pass


class Table(dict):
    pass


Pair = collections.namedtuple("Pair", "a b")


class Box:
    def __init__(self, v):
        self.v = v


@dataclasses.dataclass(frozen=True)
class Hashed:
    v: object

    def __hash__(self):
        return 1


def appended(get):
    """Return a change of a list in something, and what reads it."""
    return lambda o: get(o).append(2), lambda o: len(get(o))


def assigned(get):
    return lambda o: setattr(get(o), "v", 7), lambda o: get(o).v


def first(o):
    return o[0]


def at_a(o):
    return o["a"]


def only(o):
    return next(iter(o))


CASES = {
    "a list in a deque": (lambda: deque([[1]]), *appended(first)),
    "a dict in a deque": (
        lambda: deque([{"a": 1}]),
        lambda o: o[0].update(a=5),
        lambda o: o[0]["a"],
    ),
    "an array in a deque": (
        lambda: deque([np.zeros(2)]),
        lambda o: o[0].fill(3),
        lambda o: o[0][1],
    ),
    "an object in a deque": (lambda: deque([Box(1)]), *assigned(first)),
    "a list in an OrderedDict": (lambda: OrderedDict(a=[1]), *appended(at_a)),
    "a list in a list of a class": (lambda: Items([[1]]), *appended(first)),
    "a list in a dict of a class": (lambda: Table(a=[1]), *appended(at_a)),
    "an object in a dict of a class": (lambda: Table(a=Box(1)), *assigned(at_a)),
    "a list in a defaultdict": (lambda: defaultdict(list, a=[1]), *appended(at_a)),
    "an object in a defaultdict": (lambda: defaultdict(list, a=Box(1)), *assigned(at_a)),
    "a list of a tuple": (lambda: Table({(1, 2): [1]}), *appended(lambda o: o[1, 2])),
    "a defaultdict in a list": (
        lambda: [defaultdict(list, a=[1])],
        *appended(lambda o: o[0]["a"]),
    ),
    "a deque in a tuple": (lambda: (deque([1]),), *appended(first)),
    "a list of an object in a set": (lambda: {Hashed([1])}, *appended(lambda o: only(o).v)),
    "a list in a named tuple": (lambda: Pair([1], 2), *appended(first)),
    "an object in a named tuple": (lambda: Pair(Box(1), 2), *assigned(first)),
    "a list in a UserDict": (lambda: UserDict(a=[1]), *appended(at_a)),
    "a list in a UserList": (lambda: UserList([[1]]), *appended(first)),
    "a list in a ChainMap": (lambda: ChainMap({"a": [1]}), *appended(at_a)),
    "a list of a namespace": (lambda: types.SimpleNamespace(v=[1]), *appended(lambda o: o.v)),
    "a list behind a proxy": (lambda: types.MappingProxyType({"a": [1]}), *appended(at_a)),
    "a Counter": (lambda: Counter(a=1), lambda o: o.update(a=1), at_a),
    "a list of a deque of an object": (lambda: Box(deque([[1]])), *appended(lambda o: o.v[0])),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_inside_is_looked_at_before_each_call(name):
    make, change, read = CASES[name]

    def f(x, o):
        return x + read(o)

    o, held = make(), Box(None)
    held.v = o
    calls = [
        ag.function(lambda x: f(x, o)),
        ag.function(lambda x: f(x, held.v)),
        ag.function(functools.partial(f, o=o)),
        functools.partial(ag.function(lambda box, x: f(x, box.v)), held),
    ]
    for _ in range(2):
        assert [call(X) for call in calls] == [f(X, o)] * len(calls)
        change(o)
    assert [call(X) for call in calls] == [f(X, o)] * len(calls)
