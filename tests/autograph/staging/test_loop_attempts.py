"""How often the bodies of loops are traced until their state is found."""

from __future__ import annotations

from collections import Counter, deque

import numpy as np
import pytest

import autograph as ag
from autograph.staging import cond
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


def in_arms(x, n):
    a, b, c, d = [1.0], {1: 2.0}, {3}, deque([n])
    if x < 9:  # here they become staged
        a.append(x), b.setdefault(n, x), c.add(n), d.append(n)
    if x > 0:
        a.append(x)
        if x > 1:
            b[n] = x
            d.popleft()
            if x > 2:
                c.add(n)
    else:
        b[n] = -x
        d.append(n)
        a.append(-x)
    return a, b, c, d


def several_lists(x, n):
    a, b = [], [n]
    if x < 9:
        a.append(0), b.append(x)
    for k in range(n):
        a.append(k)
        if k > 2:
            b.append(x)
    return a, b


def traced(monkeypatch, program, *arguments):
    """Return how often each arm, and the body of a loop, of a program are traced."""
    arms, bodies = Counter(), Counter()
    trace_arm, run_body = cond._trace_arm, Loop._run_body

    def of_arm(builder, arm, *others):
        arms[getattr(arm, "__wrapped__", arm).__code__] += 1
        return trace_arm(builder, arm, *others)

    def of_body(loop, *symbols):
        bodies[loop.copies.location.file] += 1
        return run_body(loop, *symbols)

    monkeypatch.setattr(cond, "_trace_arm", of_arm)
    monkeypatch.setattr(Loop, "_run_body", of_body)
    assert repr(ag.function(program)(*arguments)) == repr(program(*arguments))
    own = [x for x in arms if x.co_filename == __file__]
    own.sort(key=lambda x: x.co_firstlineno)
    return [arms[x] for x in own], bodies[__file__]


@pytest.mark.parametrize("x", [-1.0, 0.5, 1.5, 2.5])
def test_arms_are_traced_once_whatever_they_are_found_to_change(x, monkeypatch):
    arms, _ = traced(monkeypatch, in_arms, np.float64(x), np.int64(7))
    assert arms[1:] == [1] * 4


def test_a_round_is_traced_once_to_find_all_that_it_changes_and_once_with_it(monkeypatch):
    arms, bodies = traced(monkeypatch, several_lists, np.float64(0.5), np.int64(5))
    assert (arms[1:], bodies) == ([2], 2)


@pytest.mark.parametrize(("program", "most"), [(nested, 3 + 3 + 3), (queue, 4 + 3 + 5)])
def test_what_inner_loops_change_is_found_once(program, most, monkeypatch):
    """Else each of several loops inside of each other doubles how often the inmost is traced."""
    assert traced(monkeypatch, program, np.arange(7) * 5 % 7)[1] <= most
