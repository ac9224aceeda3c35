"""Loops, and what is done to numbers and small arrays between them, are one kernel."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available
from runtime.lower.joined_kernels import MOST_NODES

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


def equalised(picture):
    counts = np.zeros(8, dtype=np.int64)
    for v in picture:
        counts[v] += 1
    below = np.cumsum(counts)
    first = below[below > 0][0]
    found = np.zeros(len(picture), dtype=np.int64)
    for i in range(len(picture)):
        found[i] = below[picture[i]] - first
    return found, first


def lengths(x):
    values, counts, i = [], [], 0
    while i < len(x):
        j = i
        while j < len(x) and x[j] == x[i]:
            j += 1
        values.append(x[i])
        counts.append(j - i)
        i = j
    return values, counts


def written_twice(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += y[i - 1]
    before = y[-1]
    z = y.copy()
    for i in range(len(y)):
        y[i] = y[i] - before
    return y, z, before


def into_the_argument(x, k):
    total = 0.0
    for i in range(len(x)):
        x[i] = x[i] * 2
        total += x[i]
    first = x[k]
    for i in range(len(x)):
        x[i] = x[i] - first
    return [total, first]


FLOATS = [np.tile([1.5, -2.0, 4.0], 9), np.tile([np.nan, np.inf, -0.0], 9), np.array([7.0])]
PROGRAMS = [
    *((equalised, (np.array(x * 9),)) for x in ([3, 1, 3], [7, 7], [0, -1, 2], [1, 8])),
    *((lengths, (np.array(x),)) for x in ([1, 1, 2], [5], [4, 4, 4, 4])),
    *((written_twice, (x,)) for x in FLOATS),
    *((into_the_argument, (x, np.int64(k))) for x in FLOATS for k in (0, -1, 30)),
]


def outcome(f, given):
    try:
        return repr(f(*given))
    except IndexError as error:
        return str(error), traceback.extract_tb(error.__traceback__)[-1].line


@pytest.mark.parametrize(("f", "given"), PROGRAMS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_they_do_what_the_steps_do(f, given):
    staged = ag.function(f)
    for _ in range(2):
        plain, own = [np.copy(x) for x in given], [np.copy(x) for x in given]
        assert outcome(staged, own) == outcome(f, plain)
        assert repr(own) == repr(plain)


@pytest.mark.parametrize("f", [equalised, lengths, written_twice])
def test_between_small_arrays_nothing_is_a_call_of_its_own_if_a_run_is_not_long(f, monkeypatch):
    x, found = np.tile([3, 1, 3], 9), []
    for most in (MOST_NODES, 3):
        monkeypatch.setattr("runtime.lower.joined_kernels.MOST_NODES", most)
        plan = str(ag.function(f).get_concrete_function(x).plan).partition("\ndef run")[0]
        steps = [x for x in plan.splitlines() if x.startswith("  ") and x[2] not in " }"]
        found.append(sum(not any(part in x for part in ("constant", "return")) for x in steps))
    assert found[0] == 1 < found[1]


def test_large_arrays_keep_their_steps():
    x = np.zeros(5_000)
    plan = str(ag.function(written_twice).get_concrete_function(x).plan)
    assert [x[:12] for x in plan.splitlines() if "= native(" in x][:2] == [
        "  t1 = nativ",
        "  t3 = nativ",
    ]
