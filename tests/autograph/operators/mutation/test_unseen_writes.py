"""What getters and operators of the user's classes write in a staged arm or body is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Counter:
    """Counts what is done with it; Python itself calls all of these."""

    def __init__(self) -> None:
        self.count = 0
        self.log: list[int] = []

    @property
    def next(self) -> int:
        self.count += 1
        return self.count

    def __add__(self, other):
        self.count += other
        return self

    def __getitem__(self, key):
        self.bump()
        return key

    def __len__(self):
        self.log.append(self.count)
        return 3

    def __contains__(self, key):
        self.count = self.count + 1
        return True

    def __bool__(self):
        self.count += 1
        return True

    def bump(self) -> None:
        self.count += 1


USES: tuple[Callable[[Any], Any], ...] = (
    lambda q: q.next,
    lambda q: q + 2,
    lambda q: q[1],
    lambda q: len(q),
    lambda q: 1 in q,
    lambda q: bool(q),
)
KEPT = Counter()


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("x", [1.0, 200.0])
def test_an_arm_does_so_if_it_is_taken(use: Callable[[Any], Any], x: float) -> None:
    def f(x):
        q = Counter()
        if x > 100:
            use(q)
        return q.count, len(q.log)

    assert ag.function(f)(np.float64(x)) == f(x)


def test_operators_that_stand_in_the_arm_itself() -> None:
    def f(v):
        q = Counter()
        for x in v:
            if x > 1:
                q + 2
                q[0]
            else:
                q.next  # noqa: B018  (it counts)
        return q.count

    v = np.arange(4.0)
    assert ag.function(f)(v) == f(v) == 8


def test_an_object_from_outside_is_written_where_the_branch_is_taken() -> None:
    @ag.function
    def f(x):
        if x > 100:
            KEPT + 5
        return x

    KEPT.count = 0
    f(np.float64(1))
    assert KEPT.count == 0
    f(np.float64(101))
    assert KEPT.count == 5
