"""`for` over a dataset in a staged function: one loop of the graph, whatever the dataset holds."""

from __future__ import annotations

import gc
import tracemalloc
import weakref

import numpy as np
import pytest

import autograph as ag
from autograph.data import Dataset
from runtime.errors import LeakedSymbolError, StagedValueError


def total(data):
    result = 0
    for x in data:
        result += x
    return result


def weighted(data):
    result = 0.0
    for x, row in data:
        result = result + x * row["w"].sum()
    return result


def until_large(data, limit):
    seen = 0
    for x in data:
        if x > limit:
            break
        seen = seen + 1
    else:
        seen = -seen
    return seen


def odd_only(data):
    result = 0
    for x in data:
        if x % 2 == 0:
            continue
        result = result + x
    return result


def first_above(data, limit):
    for x in data:
        if x > limit:
            return x
    return np.int64(-1)


def numbered(data):
    result = 0
    for k, x in enumerate(data, 1):
        result = result + k * x
    return result


def pairs(data):
    result = 0
    for x, y in zip(data, data.skip(1)):  # noqa: B905
        result = result * 2 + x * y
    return result


def nested(data):
    result = 0
    for batch in data.batch(2):
        for x in data:
            if x > 2:
                break
            result = result + x * batch.sum()
    return result


def changed(data):
    result = 0
    for x in data.filter(lambda x: x % 2 == 1).map(lambda x: x * 10).repeat(2):
        result = result + x
    return result


def written(data):
    rows = np.zeros(3, np.int64)
    for x in data.take(3):
        rows[x % 3] += x + 1
    return rows


def reduced(data):
    return data.reduce(np.int64(0), lambda total, x: total + x if x > 1 else total)


def first_only(data):
    result = np.int64(-1)
    for x in data:
        result = x
        break
    return result


def rows_until(data, limit):
    rows = np.zeros(4, np.int64)
    for k, x in enumerate(data):
        if k == limit:
            break
        if x % 2:
            continue
        rows[k % 4] += x
        while x > 3:
            x = x - 1
            if x == 4:
                break
        rows[0] += x
    else:
        rows += 100
    return rows


CASES = [
    (total, ()),
    (odd_only, ()),
    (numbered, ()),
    (pairs, ()),
    (nested, ()),
    (changed, ()),
    (written, ()),
    (reduced, ()),
    (until_large, (np.int64(3),)),
    (until_large, (np.int64(99),)),
    (first_only, ()),
    (rows_until, (np.int64(3),)),
    (rows_until, (np.int64(99),)),
    (first_above, (np.int64(2),)),
    (first_above, (np.int64(99),)),
]


@pytest.mark.parametrize("count", [0, 1, 6])
@pytest.mark.parametrize(("function", "others"), CASES)
def test_staged_gives_what_plain_python_gives(function, others, count):
    """A-100, A-138"""
    data = Dataset.range(count)
    expected = function(data, *others)
    found = ag.function(function)(data, *others)
    assert np.array_equal(found, expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype or count == 0


def test_elements_may_be_trees():
    data = Dataset.from_arrays((np.arange(3), {"w": np.ones((3, 2))}))
    assert ag.function(weighted)(data) == weighted(data) == 6.0


def test_the_sum_of_a_range_is_one_loop():
    """A-138: 10, int64, and one loop of the graph."""

    @ag.function
    def f():
        x = np.int64(0)
        for i in Dataset.range(5):
            x += i
        return x

    assert f() == 10
    assert f().dtype == np.int64
    assert f.graph().count("reduce(") == 1
    assert "while_loop" not in f.graph()


def test_the_graph_has_one_size_whatever_the_length():
    """A-150"""

    def nodes(count):
        data = Dataset.from_generator(
            lambda: (k for k in range(count)), ag.TensorSpec([], np.int64)
        )
        return str(ag.function(total).graph(data)).count("\n")

    assert nodes(2) == nodes(10) == nodes(1000)


def test_datasets_of_one_element_spec_share_a_trace():
    f = ag.function(total)
    assert f(Dataset.range(3)) == 3
    assert f(Dataset.range(9).map(lambda x: x + 1).take(2)) == 3
    assert f(Dataset.from_arrays(np.arange(5)).shuffle(5)) == 10
    assert f.trace_count == 1
    assert f(Dataset.range(3, dtype=np.float32)) == 3
    assert f.trace_count == 2


def test_a_trace_keeps_no_dataset_alive():
    f = ag.function(total)
    data = Dataset.range(3)
    f(data)
    gone = weakref.ref(data)
    del data
    gc.collect()
    assert gone() is None


def test_elements_are_drawn_one_by_one():
    """A-151: the data stay in Python, which is called for each element."""
    drawn = []

    def source():
        for k in range(100):
            drawn.append(k)
            yield k

    data = Dataset.from_generator(source, ag.TensorSpec([], np.int64))
    assert ag.function(until_large)(data, np.int64(4)) == 5
    assert drawn == [0, 1, 2, 3, 4, 5]


def test_a_loop_that_ends_draws_no_further_element():
    """A-009, A-142: `break` ends the `reduce`, also where nothing of it is used afterwards."""
    drawn = []

    def source():
        for k in range(9):
            drawn.append(k)
            yield k

    @ag.function
    def f(data, limit):
        for x in data:
            if x == limit:
                break

    f(Dataset.from_generator(source, ag.TensorSpec([], np.int64)), np.int64(2))
    assert drawn == [0, 1, 2]
    assert "reduce(" in f.graph(Dataset.range(3), np.int64(2))


def test_a_plan_shows_where_a_loop_over_a_dataset_ends():
    plan = str(ag.function(until_large).get_concrete_function(Dataset.range(3), np.int64(1)).plan)
    assert "in rounds " in plan
    assert "} until " in plan
    assert ".rounds():" in plan


def test_memory_stays_flat_over_a_long_stream():
    f = ag.function(lambda data: data.reduce(0.0, lambda most, row: most + row[0]))
    rows = Dataset.range(2000).map(lambda k: np.ones(5000) * k)
    f(rows.take(2))
    tracemalloc.start()
    f(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * 5000 * 8


def test_a_captured_dataset_is_gone_over_anew_at_each_call():
    data = Dataset.range(4)
    f = ag.function(lambda: total(data))
    assert f() == f() == 6


def test_numbers_and_arrays_of_the_function_make_datasets():
    @ag.function
    def f(n, rows):
        result = 0.0
        for k in Dataset.range(n):
            for x, y in Dataset.from_arrays((rows, rows * k)):
                result = result + x * y
        return result

    assert f(np.int64(3), np.array([1.0, 2.0])) == 15.0
    assert f(np.int64(1), np.array([1.0, 2.0])) == 0.0
    assert f.trace_count == 1


def test_datasets_are_returned_and_chosen():
    @ag.function
    def f(a, b, first):
        data = a if first else b
        return data.map(lambda x: x * 2)

    a, b = Dataset.range(3), Dataset.range(5, 8)
    assert list(f(a, b, np.bool_(True))) == [0, 2, 4]
    assert list(f(a, b, np.bool_(False))) == [10, 12, 14]


def test_an_error_of_the_source_names_the_line_of_the_loop():
    def broken():
        yield 1
        raise OSError("the disk is gone")

    data = Dataset.from_generator(broken, ag.TensorSpec([], np.int64)).prefetch(2)
    with pytest.raises(OSError, match="the disk is gone"):
        ag.function(total)(data)
    assert ag.function(total)(Dataset.range(3)) == 3


def test_hints_hold_for_loops_over_datasets():
    @ag.function
    def f(data):
        result = 0
        for x in ag.hint(data, unroll=2, label="the sum"):
            result = result + x
        return result

    @ag.function
    def g(data):
        for x in ag.hint(data, max_iterations=2, label="short"):
            ag.check(x >= 0)

    assert [f(Dataset.range(n)) for n in range(5)] == [0, 0, 1, 3, 6]
    g(Dataset.range(2))
    with pytest.raises(RuntimeError, match="the loop 'short' did not end after 2 rounds"):
        g(Dataset.range(3))


def test_texts_are_elements_too():
    @ag.function
    def f(lines):
        count = 0
        for _ in lines:
            count = count + 1
        return count

    assert f(Dataset.from_arrays(["a", "b", "c"])) == 3


def test_a_tuple_of_a_dataset_is_one_of_the_graph():
    f = ag.function(lambda data: (tuple(data), list(data)))
    for count in (3, 5):
        found = f(Dataset.from_arrays(np.arange(count)))
        assert repr(found) == repr((tuple(np.arange(count)), list(np.arange(count))))


WRONG = [
    (lambda data: [x + 1 for x in data], "Write a `for` loop over the dataset"),
    (lambda data: sum(data), "the number of elements of a dataset is not known"),
    (lambda data: max(data), "the number of elements of a dataset is not known"),
    (lambda data: list(zip(data, data, strict=True)), "which is longer is known only at its end"),
]


@pytest.mark.parametrize(("function", "message"), WRONG)
def test_what_has_no_staged_meaning_is_refused(function, message):
    with pytest.raises(StagedValueError, match=message):
        ag.function(function)(Dataset.range(3))


def test_a_function_of_map_that_uses_a_staged_value_is_refused():
    @ag.function
    def f(data, scale):
        return total(data.map(lambda x: x * scale))

    with pytest.raises(LeakedSymbolError, match="the function of map uses a staged value"):
        f(Dataset.range(3), np.float64(2))


def test_a_loop_over_a_dataset_is_not_unrolled():
    def f(data):
        for x in ag.hint(data, mode="python"):
            ag.check(x >= 0)

    with pytest.raises(ag.StagedBoolError, match="depends on a dataset"):
        ag.function(f)(Dataset.range(2))


def test_explain_and_compare_know_datasets():
    text = str(ag.explain(total, Dataset.range(3)))
    assert "staged" in text
    assert not ag.compare(total, Dataset.range(3)).difference
