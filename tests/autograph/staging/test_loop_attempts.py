"""How often the bodies of loops are traced until their state is found."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import autograph as ag
from autograph.staging.loop import Loop


def nested(xs):
    found = []
    for x in xs:
        for y in xs:
            for z in xs:
                if x + y < z:
                    found.append(x + z)
    return found


def queue(xs):
    waiting, total = deque([0]), 0
    for x in xs:
        while waiting:
            k = waiting.popleft()
            total += k
            for y in xs:
                if y > k + total:
                    waiting.append(y)
        waiting.append(x)
    return total


@pytest.mark.parametrize("program", [nested, queue])
def test_that_containers_grow_in_a_loop_is_found_once(program, monkeypatch):
    """Else each of several loops inside of each other doubles how often the inmost is traced."""
    loops: list[Loop] = []
    trace = Loop._trace
    monkeypatch.setattr(Loop, "_trace", lambda self, *x: (loops.append(self), trace(self, *x))[1])
    staged, xs = ag.function(program), np.arange(7) * 5 % 7
    assert staged(xs) == program(xs)
    again = len(loops) - len({*map(id, loops)})
    conditions = sum(not x.leading for x in dict.fromkeys(loops))
    assert again - conditions <= len({x.copies.location for x in loops})
