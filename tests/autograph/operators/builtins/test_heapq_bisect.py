"""Heaps, bisection, and tuples that are compared or sorted: programs, plain and staged."""

from __future__ import annotations

import bisect
import heapq

import numpy as np
import pytest

import autograph as ag


def pushed_and_popped(xs):
    heap, found = [], []
    for x in xs:
        heapq.heappush(heap, x)
    heapq.heappushpop(heap, 4)
    kept = heap.copy()
    while heap:
        found.append(heapq.heappop(heap))
    return kept, found


def made_heaps(xs):
    heap = [x for x in xs if x > 1]
    heapq.heapify(heap)
    others = [1, 2, 3]
    for x in xs:
        heapq.heapreplace(others, x)
    return heap, others


def the_largest(xs):
    few = [x for x in xs if x > 1]
    return heapq.nsmallest(2, xs), heapq.nlargest(2, few, key=lambda x: -x)


def with_their_places(xs):
    heap, found = [], []
    for k, x in enumerate(xs):
        heapq.heappush(heap, (x, -k))
    while heap:
        found.append(heapq.heappop(heap)[1])
    return found


def inserted_in_order(xs):
    found = []
    for x in xs:
        bisect.insort(found, x)
    bisect.insort_left(found, 2, key=lambda x: 2 * x)
    return found, bisect.bisect_left(found, 3), bisect.bisect(found, 2, 0, 1)


def places_in_arrays(xs):
    known = [1, 2, 3]
    return bisect.bisect_left(np.sort(xs), 3), bisect.bisect(known, np.sum(xs), key=lambda x: -x)


def shortest_paths(xs):
    lengths = [10**6] * 4
    lengths[0] = 0
    heap = [(0, 0)]
    while heap:
        length, k = heapq.heappop(heap)
        if length > lengths[k]:
            continue
        for j in range(4):
            further = length + abs(k - j) * np.sum(xs)
            if further < lengths[j]:
                lengths[j] = further
                heapq.heappush(heap, (further, j))
    return lengths


INTEGERS = [[5, 3, 8, 1, 9, 2, 7, 2], [3], []]
PROGRAMS = [pushed_and_popped, made_heaps, the_largest, with_their_places, inserted_in_order]


@pytest.mark.parametrize("program", [*PROGRAMS, places_in_arrays, shortest_paths])
def test_staged_means_what_python_means(program):
    staged = ag.function(program, reduce_retracing=True)
    for values in INTEGERS:
        xs = np.array(values, dtype=int)
        assert staged(xs) == program(xs)


@pytest.mark.parametrize("take", [heapq.heappop, lambda heap: heapq.heapreplace(heap, 1.0)])
def test_nothing_is_taken_from_an_empty_heap(take):
    def f(xs):
        heap = [x for x in xs if x > 0]
        return take(heap)

    for form in (f, ag.function(f)):
        with pytest.raises(IndexError, match="index out of range"):
            form(np.array([-1.0]))


def compared(x, y):
    return [
        *((x, 1) < (y, 2), (x, 1) <= (y, 1), (x, 3) > (y, 2), (x, y) >= (y, x), (x,) < (x, 1)),
        *((x, "a") == (y, "a"), [x, 1] != [y, 1], (x, 1) == (y,), {"k": x} == {"k": y}),
        *((1, x) < (2, y), [x, [1]] <= [y, [1]], (x, 0) < (y, 1) < (y, 2), ("a", x) < ("b", y)),
    ]


def sorted_by_parts(x, y):
    rows = [(x, 1), (y, 0), (y, 2)]
    return sorted(rows), sorted(rows, key=lambda row: row[1]), max((x, 1), (y, 0)), min(rows)


@pytest.mark.parametrize("program", [compared, sorted_by_parts])
def test_the_first_parts_that_differ_decide(program):
    staged = ag.function(program)
    for x in (1, 2, 3):
        wanted = program(np.int64(x), np.int64(2))
        found = staged(np.int64(x), np.int64(2))
        assert found == wanted
        if program is sorted_by_parts:
            assert [type(row) for row in found[0]] == [tuple] * 3


def test_a_row_is_equal_to_itself_though_nan_is_not():
    staged = ag.function(lambda x, y: ((x,) == (x,), (x,) == (y,)))
    assert staged(np.float64("nan"), np.float64("nan")) == (True, False)


def pops_in_a_branch(k):
    h = [1, 4, 7]
    if k > 2:
        heapq.heappop(h)
    found = [heapq.heappop(h)]
    while h:
        found.append(heapq.heappop(h))
    return found


def keeps_the_largest(k):
    h, found = [], []
    for x in [3, 1, 2, 5]:
        heapq.heappush(h, x)
        if len(h) > k:
            heapq.heappop(h)
    while h:
        found.append(heapq.heappop(h))
    return found


def inserts_in_a_loop(k):
    h = {"a": [4, 7]}
    while k < 4:
        bisect.insort(h["a"], 5)
        k += 1
    return h


@pytest.mark.parametrize("function", [pops_in_a_branch, keeps_the_largest, inserts_in_a_loop])
def test_known_lists_are_written_only_where_the_graph_goes(function):
    staged = ag.function(function)
    for k in (2, 3, 5):
        assert staged(np.int64(k)) == function(np.int64(k))
