"""Functions that are compared with their staged forms; tests find lines by the words behind `#`."""

from __future__ import annotations

import random

import numpy as np

import autograph as ag

calls = 0
history: list[float] = []
noise = np.random.default_rng(7)


def largest_sines(xs, limit):
    total = 0.0
    for x in xs:
        if x > limit:
            y = np.sin(x)  # sine
            total += y
        else:
            continue
        total = total * 2  # double
    return total  # end


def nested(grid):
    found = 0.0
    for row in grid:
        k = 0
        while k < len(row):
            found = found + np.sin(row[k])  # sine
            k += 1
    return found


def writes(x, y):
    x[0] = np.sin(y)  # write
    return None


def decides(x):
    if np.sin(x) > 0:  # decision
        y = x + 1
    else:
        y = x - 1
    return y


def looks_until(x):
    rounds = 0
    while np.sin(x) > 0:  # condition
        x = x + 0.5
        rounds += 1
    return rounds


def draws(x):
    y = x + random.random()  # draw
    return y * 2


def draws_from_numpy(x):
    for _ in range(2):
        x = x + np.random.rand()  # draw
    return x


def draws_from_a_generator(x):
    return x + noise.normal()


def counts(x):
    global calls
    calls += 1  # count
    return x + calls


def remembers(x):
    history.append(1.0)  # append
    return x * len(history)


def says(x):
    y = x + 1
    print("added")  # print
    return y


@ag.do_not_convert
def tick(x):
    history.append(x)
    return len(history)


def is_called_while_tracing(x):
    y = x + tick(1.0)  # tick
    return y


def checks(x):
    assert np.sin(x) > 0, "not positive"  # check
    return x


def refuses(x):
    if x > 0:
        raise ValueError("too large")  # raise
    y = x + 1
    return y


def writes_into_a_view(x):
    row = x.T.reshape(-1)
    row += 1  # view
    return x


def handles(x, k):
    try:
        y = x[k]
    except IndexError:
        y = np.sin(x[0])  # handler
    finally:
        x[0] = 7
    return y


def two_lines_later(x, n):
    y = x
    if n > 0:
        z = np.sin(y)  # sine
        y = z
    del z
    return y


class Counter:
    def __init__(self) -> None:
        self.total = 0.0
        self.used = 0

    def add(self, x):
        self.used += 1  # use
        self.total = self.total + x
        return self.total


def helper(x):
    return np.sin(x)


def calls_another(x):
    y = helper(x)  # call
    return y


def generator(x):
    yield x


def deferred(x):
    def inner(y):
        z = np.sin(y)  # inner
        return z

    return inner(x) + 1
