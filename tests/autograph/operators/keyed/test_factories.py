"""What a `defaultdict` makes for a staged key that may not be there."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import StagedValueError

I = np.int64  # noqa: E741


class Node:
    def __init__(self, key: Any) -> None:
        self.key = key


def refuse() -> Any:
    raise LookupError("there is none")


@pytest.mark.parametrize(
    ("make", "read"),
    [
        (lambda: defaultdict(refuse, {1: 5, 2: 6}), lambda d, x: d[x]),
        (lambda: defaultdict(refuse, {1: 5, 2: 6}), lambda d, x: d[x] if x in d else -1),  # noqa: SIM401
        (lambda: defaultdict(refuse, {1: [5], 2: [6]}), lambda d, x: d[x][0]),
        (lambda: defaultdict(Node, {1: Node(5), 2: Node(6)}), lambda d, x: d[x].key),
    ],
)
def test_what_a_factory_raises_is_raised_where_the_key_is_missing(make: Any, read: Any) -> None:
    table = make()

    def outcome(function: Any, key: int) -> Any:
        try:
            return repr(function(I(key)))
        except (LookupError, TypeError) as error:
            return type(error), str(error)

    plain = lambda x: read(table, x)  # noqa: E731
    staged = ag.function(plain)
    assert [outcome(staged, k) for k in (1, 2, 3)] == [outcome(plain, k) for k in (1, 2, 3)]


def test_a_factory_that_writes_is_not_called_to_see_what_it_makes() -> None:
    made = []

    def note() -> int:
        made.append(1)
        return len(made)

    for factory in (note, itertools.count().__next__):
        table = defaultdict(factory)
        with pytest.raises(StagedValueError, match="the factory of a defaultdict writes"):
            ag.function(lambda x, table=table: table[x])(I(3))
        assert not table
    assert not made
    assert factory() == 0


def test_a_factory_is_converted() -> None:
    def f(x: Any) -> Any:
        table = defaultdict(lambda: 1 if x > 0 else 2)
        return table[x] + table[x + 1], len(table)

    for x in (1, -1):
        assert ag.function(f)(I(x)) == f(I(x))
