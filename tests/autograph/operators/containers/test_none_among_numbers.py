"""None among numbers: in variables, lists, dicts, sets and attributes that staged code assigns."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import autograph as ag
from runtime.errors import MutationError

CALLS = [[1.0, 3.0, 2.0], [0.0, 0.5, 0.0], [], [7.0, 7.0, 1.0], [0.0, 1.0, 2.0, 3.0, 0.0, 1.0]]


class Best:
    def __init__(self, best=None):
        self.best = best

    def __repr__(self):
        return f"Best({self.best!r})"

    def feed(self, v):
        if self.best is None or v > self.best:
            self.best = v


GLOBAL = None


def outcome(f, x):
    try:
        return repr(f(np.array(x)))
    except (TypeError, IndexError, ValueError) as error:
        return type(error)


def appended(x):
    out = [None]
    for v in x:
        out.append(v if v > 1 else None)
    n = 0
    for o in out:
        n += 1 if o is None else 10
    return out, n, [o for o in out if o is not None], [o or 7 for o in out], out[::-1], out * 2


def looked_for(x):
    out = [1, None]
    for v in x:
        out.append(v)
        out.append(None)
    out.remove(None)
    return out, out.count(None), out.index(None), None in out, 3 in out, out.count(3), out.pop()


def classes(x):
    out = []
    for v in x:
        out.append(None)
        if v > 1:
            out[-1] = 5
        if v > 2:
            out[-1] = 2.5
        if v > 6:
            out[-1] = True
    return out, [type(o).__name__ for o in out]


def slots(x):
    found = [None] * 4
    for v in x:
        k = int(v) % 4
        if found[k] is None:
            found[k] = v
        else:
            found[k] = int(v)
    return found


def memoised(x):
    memo = [None] * 12

    def fib(n):
        if n < 2:
            return n
        if memo[n] is not None:
            return memo[n]
        memo[n] = fib(n - 1) + fib(n - 2)
        return memo[n]

    return fib(len(x) + int(x[0]))


def first_above(x, k):
    for i, v in enumerate(x):
        if v > k:
            return i
    return None


def from_function(x):
    out = []
    for v in x:
        out.append(first_above(x, v))
    return out, sum(o for o in out if o)


def pairs(x):
    out = []
    for i, v in enumerate(x):
        out.append((i, v if v > 1 else None, None))
    return out


def keyed(x):
    d = {}
    for i, v in enumerate(x):
        d[i] = v if v > 1 else None
    return d, [k for k in d if d[k] is None]


def of_set(x):
    found = set()
    for v in x:
        found.add(None if v > 1 else v)
    return sorted(found, key=lambda o: -1 if o is None else o), None in found


def queued(x):
    q = deque()
    for v in x:
        q.append(None if v > 1 else v)
        if len(q) > 2:
            q.popleft()
    return q


def rows(x):
    found = []
    for v in x:
        found.append([None, v])
        if v > 1:
            found[-1][0] = v * 2
    return found


def added(x):
    out = []
    for v in x:
        out.append(None if v > 1 else v)
    return out[0] + 1


def changes(x):
    previous, runs = None, 0
    for v in x:
        if v != previous:
            runs += 1
        previous = v
    return runs, previous == 2.0


def of_attribute(x):
    o = Best()
    for v in x:
        o.feed(v)
    return o.best, Best(o.best), [o.best], {"b": o.best}


def of_global(x):
    global GLOBAL
    GLOBAL = None
    for v in x:
        if GLOBAL is None or v > GLOBAL:
            GLOBAL = v
    return GLOBAL


@pytest.mark.parametrize(
    "f",
    [
        appended,
        looked_for,
        classes,
        slots,
        memoised,
        from_function,
        pairs,
        keyed,
        of_set,
        queued,
        rows,
        added,
        changes,
        of_attribute,
        of_global,
    ],
    ids=lambda f: f.__name__,
)
def test_none_is_one_of_the_classes_that_a_number_may_have(f):
    staged = ag.function(f)
    for x in CALLS:
        assert outcome(staged, x) == outcome(f, x)


def largest(x):
    out = []
    for v in x:
        out.append(None if v > 1 else v)
    return max(out)


def as_array(x):
    out = []
    for v in x:
        out.append(None if v > 1 else v)
    return np.array(out)


def equal(x):
    out = []
    for v in x:
        out.append(None if v > 1 else v)
    return out == [1.0]


BEST = Best()


def kept(x):
    BEST.best = x[0] if x[0] > 1 else None


def test_an_attribute_outside_may_be_none_or_a_number():
    for x in (2.0, 1.0, 3.0):
        found = []
        for call in (kept, ag.function(kept)):
            call(np.array([x]))
            found.append((type(BEST.best), BEST.best))
        assert found[0] == found[1]


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (largest, TypeError, "'<' not supported between instances of 'float' and 'NoneType'"),
        (as_array, MutationError, "some items may be None; put numbers in their place"),
    ],
)
def test_what_an_array_would_hold_as_an_object_is_refused(f, error, message):
    with pytest.raises(error, match=message):
        ag.function(f)(np.array([1.0, 3.0]))
