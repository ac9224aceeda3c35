"""Comprehensions whose number of items is known only when the graph runs."""

from __future__ import annotations

import gast
import numpy as np
import pytest

import autograph as ag
from autograph.converters.pipeline import rewrite

XS = np.array([1.0, -2.0, 3.0, 0.5])


def filtered(xs):
    return [x * 2 for x in xs if x > 0]


def filtered_twice(xs, low):
    return [x for x in xs if x > low if x < 2]


def counted(n):
    return [i * i for i in range(n)]


def nested(n):
    return [i * j for i in range(n) for j in range(i) if (i + j) % 2 == 0]


def inside_another(n):
    return sum([sum([j for j in range(i) if j % 2]) for i in range(n)])


def of_pairs(xs):
    return [x - y for x, y in zip(xs, xs[::-1], strict=True) if x > y]


def numbered(xs):
    return [k * x for k, x in enumerate(xs) if x > 0]


def of_known_numbers(low):
    return [x for x in (1.0, 2.0, 3.0) if x > low]


def used(xs, low):
    found = [x for x in xs if x > low]
    found.append(10.0)
    return len(found), found[0], found


def added(xs):
    return sum(x for x in xs if x > 0)


def largest(xs):
    return max(x for x in xs if x < 3), min([abs(x) for x in xs if x < 3])


def any_and_all(xs, low):
    return any(x > 2 for x in xs if x > low), all(x > low for x in xs if x > 0)


def in_a_condition(xs, low):
    if len([x for x in xs if x > low]) > 2:
        return 1
    return 0


def in_a_loop(xs, n):
    total = 0.0
    for i in range(n):
        total += sum(x for x in xs if x > i)
    return total


def with_a_closure(xs, low):
    def positive(row):
        return [x + low for x in row if x > 0]

    return positive(xs), positive(-xs)


def grown(xs):
    found = [1.0]
    for x in xs:
        if x > 0:
            found.append(x)
    return found


def of_a_grown_list(xs):
    level = grown(xs)
    return [x * 2 for x in level], [(k, x) for k, x in enumerate(level)], sum(x * x for x in level)


def of_two_grown_lists(xs):
    level = grown(xs)
    return [x * y for x in (1, 2) for y in level], [x - y for x in level for y in level if x > y]


def of_pairs_with_a_grown_list(xs):
    return np.max([x + y for x, y in zip(grown(xs), xs)]), sorted(-x for x in grown(xs))  # noqa: B905


def of_one_of_two_lists(xs, low):
    found, others = grown(xs), grown(-xs)
    chosen = found if xs[0] > low else others
    return [x * 2 for x in chosen], sum(x * x for x in chosen)


CASES = [
    (of_a_grown_list, XS),
    (of_a_grown_list, -np.ones(3)),
    (of_two_grown_lists, XS),
    (of_pairs_with_a_grown_list, XS),
    (of_one_of_two_lists, XS, np.float64(0.0)),
    (of_one_of_two_lists, XS, np.float64(2.0)),
    (filtered, XS),
    (filtered, -np.ones(3)),
    (filtered_twice, XS, np.float64(0.0)),
    (counted, np.int64(4)),
    (counted, np.int64(0)),
    (nested, np.int64(5)),
    (inside_another, np.int64(6)),
    (of_pairs, XS),
    (numbered, XS),
    (of_known_numbers, np.float64(1.5)),
    (used, XS, np.float64(0.0)),
    (added, XS),
    (largest, XS),
    (any_and_all, XS, np.float64(0.0)),
    (any_and_all, XS, np.float64(0.7)),
    (in_a_condition, XS, np.float64(0.0)),
    (in_a_condition, XS, np.float64(2.0)),
    (in_a_loop, XS, np.int64(3)),
    (with_a_closure, XS, np.float64(1.0)),
]


@pytest.mark.parametrize(("function", *["arguments"]), [(f, a) for f, *a in CASES])
def test_the_items_are_those_of_python(function, arguments):
    assert ag.function(function)(*arguments) == function(*arguments)


UNKNOWN = [ag.TensorSpec([None], np.float64)]


def of_an_array(xs):
    return [x * 2 for x in xs], [(k, x) for k, x in enumerate(xs)], sum(x * x for x in xs)


def of_two_arrays(xs):
    return [x * y for x in (1, 2) for y in xs], [x - y for x in xs for y in xs[1:] if x > y]


def of_pairs_of_arrays(xs):
    return [x + y for x, y in zip(xs, xs[::-1], strict=True)], np.sum([x for x in map(abs, xs)])  # noqa: C416


def of_a_range_with_a_name(xs):
    places = range(len(xs))
    return [2 * k for k in places], [[j for j in range(k)] for k in (0, 2)]  # noqa: C416


@pytest.mark.parametrize(
    "function", [of_an_array, of_two_arrays, of_pairs_of_arrays, of_a_range_with_a_name]
)
def test_an_array_may_have_any_length(function):
    staged = ag.function(function, input_signature=UNKNOWN)
    for xs in (XS, XS[:1], -XS):
        assert staged(xs) == function(xs)
    assert staged.trace_count == 1


def test_lists_of_lists_are_made_by_loops():
    def f(xs):
        return [[x, y] for x in xs for y in (1, 2)]

    assert ag.function(f, input_signature=UNKNOWN)(XS) == f(XS)


def test_sets_and_dicts_of_an_array_of_unknown_length_are_loops():
    def f(xs):
        return {x for x in xs}, {x: k for k, x in enumerate(xs) if x > 0}  # noqa: C416

    staged = ag.function(f, input_signature=UNKNOWN)
    for xs in (XS, XS[:0], np.array([1.0, 2.0, 1.0])):
        assert staged(xs) == f(xs)


def test_the_key_of_a_dict_comprehension_comes_before_the_value():
    def f(xs):
        seen = []
        found = {seen.append(1) or x: seen.append(2) or x for x in xs if x > 0}
        return found, sum(seen[::2])

    assert ag.function(f)(XS) == f(XS)


def test_any_ends_at_the_first_item_that_decides():
    def f(xs, n):
        return any(xs[k] > 0 for k in range(n))

    staged = ag.function(f)
    assert staged(np.array([0.0, 1.0]), np.int64(9)) is True
    with pytest.raises(IndexError, match="out of bounds"):
        staged(np.zeros(2), np.int64(9))


def test_a_set_or_dict_with_a_staged_condition_is_a_loop():
    def f(xs):
        return {x: 1 for x in (1, 2) if xs[0] > x}, {x for x in xs if x > 0}

    assert ag.function(f)(XS) == f(XS)


def test_a_generator_inside_keeps_its_comprehensions():
    def sums(x):
        def rows():
            yield [k * 2 for k in range(3)]

        return x + sum(next(rows()))

    assert ag.function(sums)(np.float64(1)) == sums(np.float64(1))


def test_what_a_comprehension_reads_is_no_variable_of_the_loop_around_it():
    text = "def f(xs, n):\n    for i in range(n):\n        xs = [x + i for x in xs]\n    return xs"
    made = rewrite(gast.parse(text).body[0], operators="ag", modules={}, traced=True)
    assert "ag.for_(ag.call(range, n), body, 'xs')" in gast.unparse(made)
