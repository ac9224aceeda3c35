"""What a function does outside with what is known happens at each call, by whatever it is done."""

from __future__ import annotations

import bisect
import operator
import random
from heapq import heapify, heappush
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Box:
    def __init__(self):
        self.n, self.items, self.table, self.w = 0, [3, 1, 2], {}, np.arange(4.0)


def shuffled(items):
    random.seed(1)
    random.shuffle(items)


def through_vars(box):
    vars(box).update(n=box.n + 1)


def through_exec(box):
    exec("box.n += 1")


def through_a_map(items):
    list(map(items.append, [1, 2]))


def through_a_key(box):
    sorted(box.items, key=lambda v: box.table.setdefault(v, len(box.table)))


def heaped(items):
    heapify(items)
    heappush(items, 0)


def written(w):
    w.flat[0] += 1
    w.put(1, w[0])


EFFECTS = {
    "insort": lambda box: bisect.insort(box.items, 2),
    "setitem": lambda box: operator.setitem(box.table, len(box.table), 1),
    "iadd": lambda box: operator.iadd(box.items, [1]),
    "a method of the class": lambda box: list.append(box.items, 5),
    "object.__setattr__": lambda box: object.__setattr__(box, "n", box.n + 1),
    "shuffle": lambda box: shuffled(box.items),
    "heapq": lambda box: heaped(box.items),
    "vars": through_vars,
    "exec": through_exec,
    "map": lambda box: through_a_map(box.items),
    "a key": through_a_key,
    "np.put": lambda box: np.put(box.w, [0], box.w[0] + 7.0),
    "np.copyto": lambda box: np.copyto(box.w, box.w + 1),
    "out": lambda box: np.add(box.w, 1, out=box.w),
    "a flat array": lambda box: written(box.w),
}


@pytest.mark.parametrize("effect", EFFECTS.values(), ids=EFFECTS)
def test_effects_happen_at_each_call(effect: Any) -> None:
    def f(box, x):
        effect(box)
        return x

    staged, box, plain = ag.function(f), Box(), Box()
    for k in range(3):
        assert staged(box, np.float64(k)) == f(plain, np.float64(k))
        assert repr(vars(box)) == repr(vars(plain))
