"""Lists of numbers among the arguments: one trace serves all of a kind, as arrays."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function.column_traces import LONG
from autograph.operators.lists.list_columns import SHORTEST


def total(xs, factor):
    found = 0
    for x in xs:
        if x > 2:
            found += x * factor
    return found


def longest_rise(xs):
    best = [1] * len(xs)
    for i in range(len(xs)):
        for j in range(i):
            if xs[j] < xs[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
    return max(best), xs[-1], xs[0]


def sort_in_place(xs):
    for i in range(len(xs)):
        for j in range(len(xs) - i - 1):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


def put_behind(xs):
    xs.append(xs[0])
    xs.append(xs[1])
    return len(xs)


def merged(pairs):
    pairs = sorted(pairs)
    found = [pairs[0]]
    for start, end in pairs[1:]:
        before, last = found[-1]
        if start <= last:
            found[-1] = (before, max(last, end))
        else:
            found.append((start, end))
    return found


def reached(neighbours, start):
    found = [-1] * len(neighbours)
    found[start] = 0
    queue = [start]
    for place in queue:
        for other in neighbours[place]:
            if found[other] < 0:
                found[other] = found[place] + 1
                queue.append(other)
    return found


def paths(edges, start):
    found = [float("inf")] * len(edges)
    found[start] = 0.0
    for _ in range(len(edges)):
        for place in range(len(edges)):
            for other, length in edges[place]:
                found[other] = min(found[other], found[place] + length)
    return found


def product(a, b):
    found = [[0.0] * len(b[0]) for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                found[i][j] += a[i][k] * b[k][j]
    return found


def halve_rows(rows):
    for row in rows:
        row[0] = row[0] // 2
    return len(rows)


def longest_row(rows):
    best = rows[0]
    for row in rows:
        if len(row) > len(best):
            best = row
    return best


def width(rows):
    found = 0
    for row in rows:
        found += len(row) * row[1]
    return found


def count_below(rows, xs):
    for k in range(len(xs)):
        for row in rows:
            if row[0] < xs[k]:
                xs[k] = xs[k] + 1
    return xs


def graph_of(rng: random.Random) -> list[list[int]]:
    count = rng.randrange(SHORTEST, 30)
    return [[rng.randrange(count) for _ in range(rng.randrange(4))] for _ in range(count)]


def matrix_of(rng: random.Random) -> list[list[float]]:
    return [[rng.random() for _ in range(10)] for _ in range(10)]


def rows_of(rng: random.Random) -> list[list[int]]:
    return [[rng.randrange(20)] * rng.randrange(1, 5) for _ in range(20)]


def numbers(make: Callable[[random.Random], Any]) -> Callable[[random.Random], list[Any]]:
    return lambda rng: [make(rng) for _ in range(rng.randrange(SHORTEST, 30))]


INTEGERS = numbers(lambda rng: rng.randrange(-5, 9))
FLOATS = numbers(lambda rng: rng.choice([0.0, -0.0, 1.5, rng.random()]))
CASES = {
    "integers": (total, lambda rng: (INTEGERS(rng), 3)),
    "a number that differs, too": (total, lambda rng: (FLOATS(rng), rng.randrange(9))),
    "numbers of NumPy's": (total, lambda rng: ([np.int32(x) for x in INTEGERS(rng)], 2)),
    "truth values": (total, lambda rng: ([x > 1 for x in INTEGERS(rng)], 2)),
    "indices": (longest_rise, lambda rng: (INTEGERS(rng),)),
    "written": (sort_in_place, lambda rng: (FLOATS(rng),)),
    "longer": (put_behind, lambda rng: (INTEGERS(rng),)),
    "pairs": (merged, lambda rng: ([(x, x + rng.randrange(4)) for x in INTEGERS(rng)],)),
    "neighbours": (reached, lambda rng: (graph_of(rng), 0)),
    "pairs in lists": (
        paths,
        lambda rng: ([[(x, rng.random()) for x in row] for row in graph_of(rng)], 1),
    ),
    "matrices": (product, lambda rng: (matrix_of(rng), matrix_of(rng))),
    "rows that are written": (halve_rows, lambda rng: (rows_of(rng),)),
    "a row that is returned": (longest_row, lambda rng: (rows_of(rng),)),
    "a list behind rows": (count_below, lambda rng: (rows_of(rng), INTEGERS(rng))),
    "a row that is there twice": (width, lambda rng: ([[4, rng.randrange(9)]] * 12,)),
    "mixed": (total, lambda rng: ([*INTEGERS(rng), 0.5], 2)),
    "large": (total, lambda rng: ([*INTEGERS(rng), 2**70], 2)),
    "short": (total, lambda rng: (INTEGERS(rng)[: rng.randrange(5)], 3)),
    "short and written": (sort_in_place, lambda rng: (FLOATS(rng)[: rng.randrange(6)],)),
    "short and longer": (put_behind, lambda rng: (INTEGERS(rng)[: rng.randrange(1, 4)],)),
    "short and mixed": (total, lambda rng: (rng.choice([[1], [True, 2.5], [2], [3, 2**70]]), 3)),
    "short pairs": (
        merged,
        lambda rng: ([(x, x + rng.randrange(4)) for x in INTEGERS(rng)[: rng.randrange(1, 5)]],),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_results_and_what_arguments_hold_are_those_of_plain_python(name: str) -> None:
    function, make = CASES[name]
    staged = ag.function(function)
    for seed in range(8):
        args, given = (make(random.Random(seed)) for _ in range(2))
        wanted, found = function(*args), staged(*given)
        assert repr((wanted, args)) == repr((found, given))
        assert (wanted is args[0]) == (found is given[0])
        rows = [[x is wanted for x in args[0]], [x is found for x in given[0]]]
        assert type(wanted) is not list or rows[0] == rows[1]


def test_one_trace_serves_lists_of_all_lengths_once_one_has_another() -> None:
    staged = ag.function(total)
    for length in range(SHORTEST, SHORTEST + 12):
        assert staged([1, 5] * length, 2) == 10 * length
    assert staged.trace_count == 2


def test_one_trace_serves_short_lists_of_several_lengths() -> None:
    for function, made in ((total, lambda n: ([1, 5] * n, 2)), (put_behind, lambda n: ([n] * n,))):
        staged = ag.function(function)
        for length in (3, 1, 2, 3, 4, 8, 40):
            args, given = made(length), made(length)
            assert (function(*args), args) == (staged(*given), given)
        assert staged.trace_count == 2


def test_short_lists_of_one_length_are_taken_apart() -> None:
    staged = ag.function(lambda xs, pair: sum(xs) * pair[0] + pair[1])
    for length in range(1, 9):
        assert staged([2] * length, [3, 1]) == 6 * length + 1
    graph = staged.get_concrete_function([2] * 4, [3, 1]).traced_graph
    assert len(graph.params) == 1


def test_one_trace_serves_long_lists_at_once() -> None:
    staged = ag.function(total)
    for length in range(LONG, LONG + 5):
        assert staged([3] * length, 1) == 3 * length
    assert staged.trace_count == 1


def test_one_trace_serves_all_lists_of_lists() -> None:
    for function, make in (CASES["neighbours"], CASES["matrices"]):
        staged = ag.function(function)
        for seed in range(9):
            staged(*make(random.Random(seed)))
        assert staged.trace_count <= 5


def test_short_lists_are_taken_apart_as_before() -> None:
    staged = ag.function(lambda xs: np.zeros(xs))
    for size in range(7):
        assert staged([size, 2]).shape == (size, 2)


def test_what_needs_the_numbers_themselves_has_a_trace_for_each_list() -> None:
    names = "abcdefghij"
    staged = ag.function(lambda xs: "".join(names[x] for x in xs))
    for seed in range(7):
        xs = random.Random(seed).choices(range(10), k=LONG)
        assert staged(xs) == "".join(names[x] for x in xs)


def test_a_list_holds_what_it_held_when_the_function_raised() -> None:
    def clear_up_to(xs, k):
        for i in range(len(xs)):
            if xs[i] == k:
                raise ValueError("found")
            xs[i] = 0
        return len(xs)

    staged = ag.function(clear_up_to)
    for k in range(7):
        xs = list(range(20 + k))
        given = copy.copy(xs)
        with pytest.raises(ValueError, match="found"):
            clear_up_to(xs, 11)
        with pytest.raises(ValueError, match="found"):
            staged(given, 11)
        assert given == xs


def test_the_same_trace_tells_lists_of_other_classes_apart() -> None:
    staged = ag.function(total)
    for seed in range(6):
        for xs in (INTEGERS(random.Random(seed)), FLOATS(random.Random(seed))):
            assert repr(staged(xs, 2)) == repr(total(xs, 2))
