"""Items that a staged index names."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import autograph as ag
from autograph.operators.objects.subscripts import get_item

TABLE = np.arange(12.0).reshape(3, 4)


class Doubled:
    def __getitem__(self, key):
        return key * 2


@pytest.mark.parametrize(
    ("container", "index"),
    [
        ([1, 2], 1),
        ((1, 2), slice(1)),
        ({"a": 1}, "a"),
        ("abc", -1),
        (Doubled(), 4),
        (TABLE, (1, 2)),
    ],
)
def test_without_a_trace_an_item_is_pythons_own(container, index):
    assert np.all(get_item(container, index) == container[index])


def test_errors_without_a_trace_are_pythons_own():
    with pytest.raises(KeyError):
        get_item({}, 1)
    with pytest.raises(IndexError, match="list index out of range"):
        get_item([], 1)


CASES = [
    (lambda i: [10, 20, 30][i], (-3, 0, 2)),
    (lambda i: (1.5, 2, 3)[i], (0, 1, -1)),
    (lambda i: TABLE[i], (0, 2, -1)),
    (lambda i: TABLE[i, 1], (0, 2, -1)),
    (lambda i: TABLE[1, i], (0, 3, -4)),
    (lambda i: TABLE[1, i : i + 2], (0, 2)),
    (lambda i: TABLE[..., i], (0, 3)),
    (lambda i: TABLE[:, None, i], (0, 3)),
    (lambda i: [[1, 2], [3, 4]][i][1 - i], (0, 1)),
    (lambda i: [TABLE[0], TABLE[1]][i], (0, 1)),
    (lambda i: Doubled()[i], (3,)),
    (lambda i: {"a": i}["a"], (3,)),
    (lambda i: [i, i + 1][1], (3,)),
]


@pytest.mark.parametrize(("function", "indices"), CASES)
def test_a_staged_index_names_the_same_item(function, indices):
    staged = ag.function(function)
    for index in indices:
        np.testing.assert_array_equal(staged(np.int64(index)), function(index))
    assert staged.trace_count == 1


@pytest.mark.parametrize("index", [3, -4])
def test_an_index_out_of_range_of_a_list_is_an_error_when_the_graph_runs(index):
    staged = ag.function(lambda i: [1, 2, 3][i])
    assert staged(np.int64(0)) == 1
    with pytest.raises(IndexError, match="list index out of range"):
        staged(np.int64(index))


@pytest.mark.parametrize("index", [3, -4])
def test_an_index_out_of_range_of_an_array_is_an_error_when_the_graph_runs(index):
    staged = ag.function(lambda i: TABLE[i])
    staged(np.int64(0))
    with pytest.raises(IndexError, match="out of bounds"):
        staged(np.int64(index))


def test_an_item_of_an_empty_list_is_an_error_at_once():
    with pytest.raises(IndexError, match="list index out of range"):
        ag.function(lambda i: [][i])(np.int64(0))


def test_items_of_different_kinds_are_chosen_among():
    items = [1, "a", None, (2.5, "b")]
    staged = ag.function(lambda i: items[i])
    for position in range(-4, 4):
        assert staged(np.int64(position)) == items[position]


def test_a_part_of_a_plain_array_that_a_staged_index_names_is_written():
    table = TABLE.copy()

    @ag.function
    def f(i):
        row = table[i]
        row[0] += 5.0
        return row

    for i in (1, 0, 1):
        assert np.array_equal(f(np.int64(i)), table[i])
    assert table[:2, 0].tolist() == [TABLE[0, 0] + 5, TABLE[1, 0] + 10]


def test_a_staged_mask_chooses_from_a_plain_array():
    staged = ag.function(lambda mask: TABLE[mask])
    mask = np.array([True, False, True])
    np.testing.assert_array_equal(staged(mask), TABLE[mask])


@pytest.mark.parametrize("kind", [int, np.int64])
def test_what_stands_behind_an_item_is_assigned_after_it(kind):
    def f(x, items, k):
        first = last = 0
        try:
            last, items[k], first = x[0], x[1], 5
            items[0], *_, (first, last) = 1, 2, (3, x[2])
        except IndexError:
            return first, last
        return first, last

    staged = ag.function(f)
    for k in (0, 7):
        assert staged(np.array([4, 2, 9]), np.zeros(2), kind(k)) == ((3, 9) if k == 0 else (0, 4))
        assert staged(np.array([4, 2, 9]), [1, 2], k) == ((3, 9) if k == 0 else (0, 4))


def test_an_index_that_may_be_a_float_is_asked_for_its_class_when_the_graph_runs():
    def f(x, y, n):
        k, total = 0, 0.0
        for v in y:
            if k == n:
                k = k + v
            total += x[k % 4]
            k = k + 1
        return total

    given = np.arange(4.0), np.arange(6.0)
    staged = ag.function(f)
    assert staged(*given, np.int64(99)) == f(*given, 99)
    with pytest.raises(IndexError, match="only integers"):
        staged(*given, np.int64(2))


@pytest.mark.parametrize(
    ("write", "error"),
    [
        (lambda x, k: operator.setitem(x, k, 7.0), IndexError),
        (lambda x, k: operator.setitem(x, (k, 0), 7.0), IndexError),
        (lambda x, k: operator.setitem(x, ([0, k], 1), 7.0), IndexError),
        (lambda x, k: operator.setitem(x, slice(k, None), 7.0), TypeError),
        (lambda x, k: x[0, k : k + 1].copy(), TypeError),
    ],
)
def test_a_part_is_written_at_an_index_that_may_be_a_float_unless_it_is_one(write, error):
    def f(x, c):
        k = 1 if c > 0 else 1.0
        write(x, k)
        return x

    def g(x, c):
        k = 1 if c > 0 else 1.0
        x[k] += 1
        x[k, 0] = 5
        x[k:] *= 2
        return x

    for plain in (f, g):
        staged, rows = ag.function(plain), np.arange(6.0).reshape(3, 2)
        assert np.array_equal(staged(rows.copy(), np.int64(1)), plain(rows.copy(), 1))
        with pytest.raises(error if plain is f else IndexError):
            staged(rows, np.int64(-1))
        assert np.array_equal(rows, np.arange(6.0).reshape(3, 2))


@pytest.mark.parametrize("kind", [np.float64, np.array])
def test_what_is_no_index_of_a_list_is_a_type_error(kind):
    def f(k):
        items, told = [1, 2, 3], []
        for what in ("read", "write", "pop", "insert", "del"):
            try:
                if what == "read":
                    items[k]
                elif what == "write":
                    items[k] = 4
                elif what == "pop":
                    items.pop(k)
                elif what == "insert":
                    items.insert(k, 4)
                else:
                    del items[k]
            except TypeError as error:  # noqa: PERF203
                told.append(str(error))
        return told, items

    given = kind(1.5) if kind is np.float64 else kind([1.5])
    assert ag.function(f)(given) == f(given)


def places(x, limit):
    found, odd, none, pairs = [], [], [], []
    for i in range(len(x)):
        odd.append(x[i, 0] % 4 > limit % 3)
        pairs.append([i, -1 - i])
        if x[i, 0] > limit:
            found.append(i)
        if x[i, 0] > 100:
            none.append(i)
    return found, odd, none, pairs


INDEXED = [
    lambda x, found, odd, none, pairs: (x[found], x[none], x[odd], x[pairs], x[found, 0]),
    lambda x, found, odd, none, pairs: (TABLE.T[found], x.T[:, found], x[found, None], x[found, :]),
    lambda x, found, odd, none, pairs: x[found][found[:1]],
    lambda x, found, odd, none, pairs: x[[*found, 7]],
]


@pytest.mark.parametrize("indexed", INDEXED)
def test_arrays_are_indexed_by_lists_that_grow(indexed):
    def f(x, limit):
        return indexed(x, *places(x, limit))

    def told(one, limit):
        try:
            return repr(one(np.arange(8.0).reshape(4, 2), np.float64(limit)))
        except IndexError as error:
            return str(error)

    staged = ag.function(f)
    for limit in (3.0, 6.5, 99.0):
        assert told(staged, limit) == told(f, limit)


def test_arrays_are_written_by_lists_that_grow():
    def f(x, limit):
        found, odd, none, _ = places(x, limit)
        y = x.copy()
        y[found + found[:1]] += 1
        y[none] = 7
        y[odd, 1] *= 2
        x[found] -= 1
        return y

    staged = ag.function(f)
    for limit in (3.0, 6.5, 99.0):
        first, second = (np.arange(8.0).reshape(4, 2) for _ in range(2))
        assert np.array_equal(f(first, np.float64(limit)), staged(second, np.float64(limit)))
        assert np.array_equal(first, second)
