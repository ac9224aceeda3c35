"""Items of staged lists, dicts, deques and sets have the classes that plain Python gives them."""

from __future__ import annotations

from collections import Counter, deque

import numpy as np
import pytest

import autograph as ag


def described(value):
    """Return a value with the class and dtype of each part."""
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.tolist()
    if isinstance(value, dict):
        return type(value), [described(pair) for pair in value.items()]
    if isinstance(value, set):
        return set, sorted(map(described, value), key=str)
    if isinstance(value, list | tuple | deque):
        return type(value), list(map(described, value))
    return type(value), value


def appended(x):
    xs = [True]
    for e in x:
        xs.append(1 if e > 0 else 2.5)
    return xs, sum(xs), max(xs), sorted(xs), xs.pop(), [*xs[:1], e], xs == [True, 1]


def computed(x):
    xs = [1, x[0]]
    for e in x:
        if e > 1:
            xs.insert(0, e)
    total, integers = 0, 0
    for item in xs:
        total = total + item // 2
        if isinstance(item, int):
            integers += 1
    return total, integers, type(xs[-1]), xs.index(1), xs.count(1.0), [v * 2 for v in xs]


def of_dicts(x):
    d = {}
    for k in range(len(x)):
        d[k if x[k] > 0 else x[k]] = 1 if x[k] > 1 else x[k]
    return d, list(d), d.get(0, 0.5), d.setdefault(7, True), sum(d.values())


def of_counters(x):
    found = Counter()
    for e in x:
        found[int(e)] += 1 if e > 0 else 0.5
    return found, found.total(), found.most_common(1)


def of_deques(x):
    q = deque([0, 2.5], maxlen=3)
    for e in x:
        if e > 0:
            q.append(e)
        else:
            q.rotate(1)
    return q, q[0] + q[-1], list(q)


def of_sets(x):
    s, t = {1, 2.5}, set()
    for e in x:
        s.add(int(e))
        t.add(e)
    return s, s & t, s | t, 1.0 in s, s <= t


def of_tuples(x):
    best = [(0, 0)]
    for k, e in enumerate(x):
        if e > best[-1][1]:
            best.append((k, e))
    return best, np.array(best)


def of_narrow_numbers(x):
    xs = [0.1]
    for e in x:
        xs.append(np.float32(e))
    return xs, sum(xs), [v + 1 for v in xs]


def arrays(x):
    xs = []
    for e in x:
        xs.append(1 if e > 0 else 2.5)
    return np.array(xs), np.sum(xs), np.array(xs) * 2


PROGRAMS = [appended, computed, of_dicts, of_counters, of_deques, of_sets, of_tuples]
PROGRAMS += [of_narrow_numbers, arrays]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_each_item_has_its_class(program):
    staged = ag.function(program)
    for values in ([1.0, -2.0, 3.0], [2.0, 1.0, 1.0]):
        x = np.array(values)
        assert described(staged(x)) == described(program(x))


def of_one_class(x):
    xs = [0.0]
    for e in x:
        if e > 0:
            xs.append(float(e))
    return xs


def test_items_of_one_class_are_one_array():
    concrete = ag.function(of_one_class).get_concrete_function(np.ones(3))
    assert len(concrete.traced_graph.results) == 2  # the length and the items


def compared(x):
    xs = [2**53 + 1]
    for e in x:
        xs.append(e * 1)
    return 1.0 in xs


def test_a_large_integer_is_not_compared_as_a_rounded_one():
    with pytest.raises(OverflowError, match="an integer among floats of a list is too large"):
        ag.function(compared)(np.ones(2))


def looks_among_rounded(x):
    xs = [0.1]
    for e in x:
        xs.append(e * 1)
    return 0.1 in xs


def of_no_dimensions(x):
    xs = []
    for e in x:
        xs.append(np.array(e))
    return xs


def nested_pairs(x):
    xs = []
    for e in x:
        if e > 0:
            xs.append(((e, 1.0), (e, 2.0)))
    return np.array(xs)


def test_an_array_of_nested_items_is_nested_as_they_are():
    staged, x = ag.function(nested_pairs), np.array([1.0, -2.0, 3.0])
    assert described(staged(x)) == described(nested_pairs(x))
    with pytest.raises(ag.StagedValueError, match="NumPy would make an array of another shape"):
        staged(-np.ones(3))


def of_one_of_two_structures(x):
    xs = []
    for e in x:
        xs.append([e, 1.0] if e > 1 else (1.0, e))
    return np.array(xs)


def of_large_integers(x):
    xs = [2**70]
    try:
        for e in x:
            if e > 0:
                xs.append(3)
    except TypeError:  # a refusal is none of the program's errors
        return -1
    return len(xs)


REFUSED = [
    (looks_among_rounded, np.float32, "and Python rounds its own numbers when it compares them"),
    (of_no_dimensions, float, "array without dimensions, and would become a number"),
    (of_one_of_two_structures, float, "make a list of those"),
    (of_large_integers, float, "is 1180591620717411303424, and its integers would have 64 bits"),
]


@pytest.mark.parametrize(("program", "dtype", "message"), REFUSED, ids=lambda x: str(x)[:30])
def test_what_columns_do_not_hold_is_refused(program, dtype, message):
    with pytest.raises((ag.MutationError, ag.StagedValueError), match=message):
        ag.function(program)(np.ones(2, dtype))
