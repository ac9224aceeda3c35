"""The tables of staged sets, in plain Python, beside this interpreter's own sets."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from autograph.operators.keyed import python_hashes, set_tables


class Model:
    """A set that is a row of items and a table, with the steps of CPython's methods."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self.rows: list[Any] = []
        self.table = set_tables.empty(set_tables.SLOTS)
        for x in items:
            self.add(x)

    def code(self, position: int) -> int:
        return hash(self.rows[position])

    def __iter__(self) -> Any:
        return iter([self.rows[k] for k in set_tables.slots_of(self.table) if k >= 0])

    def slot(self, x: Any) -> Any:
        return set_tables.slot_of(self.table, hash(x), lambda k: self.rows[k] == x)

    def __contains__(self, x: Any) -> bool:
        return bool(self.table[self.slot(x)] >= 0)

    def add(self, x: Any) -> None:
        slot = self.slot(x)
        if self.table[slot] < 0:
            self.rows.append(x)
            self.table = set_tables.put(self.table, slot, len(self.rows) - 1, self.code)

    def take(self, slot: Any) -> Any:
        position = self.table[slot]
        self.table = set_tables.removed(self.table, slot, self.code)
        return self.rows.pop(position)

    def discard(self, x: Any) -> None:
        if x in self:
            self.take(self.slot(x))

    def pop(self) -> Any:
        self.table, slot = set_tables.next_popped(self.table)
        return self.take(slot)

    def clear(self) -> None:
        self.rows, self.table = [], set_tables.cleared(self.table)

    def copy(self) -> Model:
        found = Model()
        found.rows = self.rows.copy()
        found.table = set_tables.copied(self.table, len(self.rows), self.code)
        return found

    def update(self, other: Model) -> None:
        if other is self or not other.rows:
            return
        used, more = len(self.rows), len(other.rows)
        self.table = set_tables.reserved(self.table, more, used, self.code)
        if self.table[set_tables.FILL] == 0:
            self.rows = other.rows.copy()
            self.table = set_tables.filled(self.table, other.table, more, self.code)
        else:
            for x in other:
                self.add(x)

    def difference_update(self, other: Model) -> None:
        for x in other:
            self.discard(x)
        self.table = set_tables.cleaned(self.table, len(self.rows), self.code)

    def union(self, other: Model) -> Model:
        found = self.copy()
        found.update(other)
        return found

    def intersection(self, other: Model) -> Model:
        if other is self:
            return self.copy()
        small, large = (self, other) if len(other.rows) > len(self.rows) else (other, self)
        return Model(x for x in small if x in large)

    def difference(self, other: Model) -> Model:
        if len(self.rows) >> 2 > len(other.rows):
            found = self.copy()
            found.difference_update(other)
            return found
        return Model(x for x in self if x not in other)

    def symmetric_difference(self, other: Model) -> Model:
        found = other.copy()
        for x in self:
            found.discard(x) if x in found else found.add(x)
        return found


def _numbers(draw: random.Random) -> Callable[[], Any]:
    wide = draw.choice([20, 300, 10**6])
    stride = draw.choice([1, 8, 1024])
    kinds: list[Callable[[], Any]] = [
        lambda: draw.randrange(-wide, wide) * stride,
        lambda: draw.randrange(-wide, wide) / 8,
        lambda: (draw.randrange(wide), draw.randrange(-3, 3)),
    ]
    return draw.choice(kinds)


BINARY = ("union", "intersection", "difference", "symmetric_difference")


@pytest.mark.parametrize("seed", range(60))
def test_order_is_pythons(seed: int) -> None:
    draw = random.Random(seed)
    item = _numbers(draw)
    pairs: list[tuple[Model, set[Any]]] = [(Model(), set()) for _ in range(3)]
    for _ in range(draw.choice([40, 200])):
        k = draw.randrange(3)
        mine, theirs = pairs[k]
        other, others = draw.choice(pairs)
        step = draw.choice(["add"] * 8 + ["discard"] * 3 + ["known", "pop", "update"] + ["rest"])
        if step == "add":
            for x in [item() for _ in range(draw.choice([1, 1, 5, 40]))]:
                mine.add(x)
                theirs.add(x)
        elif step == "known" and theirs:
            x = draw.choice(list(theirs))
            mine.discard(x)
            theirs.discard(x)
        elif step == "discard":
            x = item()
            mine.discard(x)
            theirs.discard(x)
        elif step == "pop" and theirs:
            assert mine.pop() == theirs.pop()
        elif step == "update":
            mine.update(other)
            theirs.update(others)
        elif draw.random() < 0.1:
            mine.clear()
            theirs.clear()
        elif other is not mine:
            if draw.random() < 0.3:
                mine.difference_update(other)
                theirs.difference_update(others)
            else:
                name = draw.choice(BINARY)
                pairs[k] = getattr(mine, name)(other), getattr(theirs, name)(others)
        mine, theirs = pairs[k]
        assert list(mine) == list(theirs)


NUMBERS = [0, 1, -1, -2, 2**61 - 1, -(2**61 - 1), 2**63 - 1, -(2**63), 2**61, 5, -7]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.1, 1e300, 5e-324, 2.0**61, 2.0**200 + 2.0**180]
FLOATS += [float("inf"), -float("inf"), 1 / 3, -123456.789, 2.0**62 - 512]


@pytest.mark.filterwarnings("error")
def test_hashes_are_pythons() -> None:
    for x in NUMBERS:
        assert python_hashes.of_integer(np.int64(x)) == hash(x), x
    for x in FLOATS:
        assert python_hashes.of_float(np.float64(x)) == hash(x), x
    for pair in pairwise(NUMBERS):
        assert python_hashes.of_tuple([np.int64(hash(x)) for x in pair]) == hash(pair)
    assert python_hashes.of_tuple([]) == hash(())
