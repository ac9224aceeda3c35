"""Functions that are explained."""

from __future__ import annotations

import functools

import numpy as np

import autograph as ag

found: list[int] = []


def helper(v):
    if np.sum(v) > 3:
        return v / 2
    return v


def settle(x, rate, kind):
    rounds = 0
    if kind == "fast":
        rate = rate * 2
    total = np.float32(1)
    while np.max(np.abs(x)) > 1.0 and not rounds > 9:
        x = x * (1.0 - np.abs(rate))
        if np.sum(x) < 0:
            x = -x
        elif rounds is None:
            x = x
        total = total * 1.5 if rounds > 3 else total + np.sum(x)
        rounds += 1
    for step in range(3):
        x = helper(x)
        if x[0] > 100:
            break
    for row in x:
        total += functools.reduce(lambda a, b: a + b, [row, row])
    for part in (1, 2):
        x = x + part
    for part in [x, x]:
        rest = part
    assert np.all(x > -9) or len(x) in (1, 2)
    return x, rounds, total, f"{len(x)}"


def negations(x, names):
    for step in range(2):
        if not x[0] > 2:
            continue
        if not (names and step):
            continue
        x = x + 1
    return x


def leaves_early(x, k):
    while k > 0:
        k -= 1
        x = x * 2
        if x > 9:
            return x
    return -x


def two_problems(x):
    rows = []
    while np.sum(x) > 1:
        x = x / 2
        rows.append(ValueError("late"))
    found.append(1)
    if x.sum() > 3:
        x = x + 1
    return x


def unsure(x):
    for step in range(2):
        if x[0] > step:
            x = x + part
        part = x
    return x


def frame(x):
    if x > 0:
        return locals()
    return x


def chooses(x, mode):
    if mode:
        y = ag.check
    else:
        y = x if x > 1 else -x
    match x:
        case 0:
            y = x
        case _:
            y = x + 1
    return y


async def later(x):
    if x > 0:
        return x


class Net:
    def __init__(self):
        self.size = 2

    @ag.function
    def grow(self, x):
        if x > 0:
            self.size = x
        return x

    @classmethod
    def scaled(cls, x):
        return x if x > 0 else cls.scaled(-x)


def nothing(x):
    return x + 1
