"""What `and` and `or` give of a list whose items are known only when the graph runs: an operand."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime.errors import MutationError


def above(x):
    r = []
    for v in x:
        if v > 1:
            r.append(v)
    return r


def returned(x):
    return above(x) or [0.0]


def or_none(x):
    return above(x) or None, {"r": above(x) or 0.5}, [above(x) or None]


def first_of_all(x):
    r = above(x)
    return r and r[0]


def assigned(x):
    s = above(x) or [7.0]
    return s[0], len(s), sum(s), max(above(x) or [-1.0])


def gone_over(x):
    total = 0.0
    for v in above(x) or [1.0, 2.0]:
        total += v
    return total


def chosen(x):
    r = above(x)
    b = r if x[0] > 2 else r or [3.0]
    b = (b and r) or [1.0]
    return len(b)


def of_dict(x):
    d = {}
    for v in x:
        if v > 1:
            d[int(v)] = v
    return d or None


def in_tests(x):
    r, n = above(x), 0
    while r or n < 2:
        n += 1
        if r and n > 0:
            r.pop()
    return n, bool(r or n), not (r and n)


@pytest.mark.parametrize(
    "f",
    [returned, or_none, first_of_all, assigned, gone_over, chosen, of_dict, in_tests],
    ids=lambda f: f.__name__,
)
def test_an_operand_is_given_and_not_only_its_truth(f):
    staged = ag.function(f)
    for x in ([1.0, 3.0, 2.0], [0.5], [3.0, 0.0]):
        assert repr(staged(np.array(x))) == repr(f(np.array(x)))


def used_at_once(x):
    return (above(x) or [1.0])[0]


def test_an_operand_that_is_used_where_it_is_written_is_refused():
    with pytest.raises(MutationError, match=r"used where it is written\. Give it a name before"):
        ag.function(used_at_once)(np.array([3.0]))
