"""Dicts, sets and deques whose keys or items are known only when the graph runs."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import StagedValueError
from tests.autograph.operators.keyed import keyed_samples


def outcome(function, argument):
    try:
        return "returned", function(argument.copy())
    except (KeyError, RuntimeError) as error:
        return "raised", type(error)


def same(found, wanted):
    if isinstance(wanted, np.ndarray):
        return np.array_equal(found, wanted)
    if isinstance(wanted, tuple | list | deque):
        pairs = zip(found, wanted, strict=True)
        return type(found) is type(wanted) and all(same(a, b) for a, b in pairs)
    if isinstance(wanted, dict):
        return type(found) is type(wanted) and same(list(found.items()), list(wanted.items()))
    return bool(found == wanted)


@pytest.mark.parametrize(("function", "arguments"), keyed_samples.CASES)
def test_staged_means_what_python_means(function, arguments):
    staged = ag.function(function, reduce_retracing=True)
    for argument in arguments:
        wanted = outcome(function, argument)
        for _ in range(2):
            found = outcome(staged, argument)
            assert same(found, wanted), (argument, found, wanted)


@pytest.mark.parametrize(("function", "argument", "message"), keyed_samples.REFUSED)
def test_what_cannot_be_staged_is_refused_by_name(function, argument, message):
    with pytest.raises(ag.MutationError) as caught:
        ag.function(function)(argument)
    assert message in str(caught.value)


@pytest.mark.parametrize(("function", "argument", "message"), keyed_samples.WRONG)
def test_what_python_refuses_is_refused(function, argument, message):
    for form in (function, ag.function(function)):
        with pytest.raises(TypeError, match=message):
            form(argument)


def test_keys_are_counted_in_a_loop_of_the_graph_whatever_the_length():
    staged = ag.function(keyed_samples.counts_with_get, reduce_retracing=True)
    rng = np.random.default_rng(3)
    for length in (0, 1, 40, 700):
        xs = rng.integers(0, 50, length)
        assert staged(xs) == keyed_samples.counts_with_get(xs)


def test_keys_that_were_known_have_their_class():
    found = ag.function(keyed_samples.counts_of_known_keys)(np.array([1, 2, 2]))
    assert [type(key) for key in found] == [int, int, int]


def test_numbers_are_keys_by_value_as_their_hashes_say():
    def find(x):
        found = {}
        found[x] = 1
        return 0.1 in found, np.float32(0.1) in found, x in {0.1}, x in {np.float32(0.1)}

    assert find(np.float32(0.1)) == (False, True, False, True)
    assert ag.function(find)(np.float32(0.1)) == (False, True, False, True)


def test_a_dict_of_other_things_gets_no_new_key():
    @ag.function
    def replace(k):
        found = {1: (1.0, None), 2: (2.0, None)}
        found[k] = (3.0, object())
        return len(found)

    assert replace(np.int64(1)) == 2
    with pytest.raises(StagedValueError, match=r"np.int64\(5\) is no key of the dict 'found'"):
        replace(np.int64(5))


def test_a_dict_that_is_given_is_changed_and_is_the_one_that_is_returned():
    @ag.function
    def count(found, xs):
        for x in xs:
            found[x] = found.get(x, 0) + 1
        return found

    given = {5: 2}
    assert count(given, np.array([5, 6])) is given
    assert given == {5: 3, 6: 1}


OUTSIDE: dict[int, int] = {}


def test_what_is_made_outside_holds_what_python_leaves_in_it(monkeypatch):
    monkeypatch.setitem(globals(), "OUTSIDE", outside := {})
    others = {1}

    @ag.function
    def change(xs):
        for x in xs:
            OUTSIDE[x] = OUTSIDE.get(x, 0) + 1
            others.add(x)

    change(np.arange(3))
    change(np.arange(4))
    assert OUTSIDE is outside
    assert (OUTSIDE, others) == ({0: 2, 1: 2, 2: 2, 3: 1}, {0, 1, 2, 3})


def test_keys_that_are_nan_are_looked_up_by_python():
    def count(xs):
        found = {}
        for x in xs:
            found[x] = 1
        return len(found)

    staged = ag.function(count)
    assert staged(np.array([1.0, 2.0, 1.0])) == 2
    with pytest.warns(ag.FallbackWarning, match="nan in the dict 'found' is found in Python if it"):
        assert staged(np.array([1.0, np.nan, np.nan])) == 3


def test_a_dict_of_texts_gets_a_key_in_a_try_and_is_written_after_it() -> None:
    """Which key is there is staged then, and how many there are is not: texts are joined."""

    def f(n: Any, v: Any, table: Any) -> Any:
        try:
            table["new"] = v[1] * 1.0
            if v[0] > 8:
                raise KeyError("k")
        except AttributeError:
            return 0
        except KeyError:
            v[0] = 1
        table["a"] = n + table["a"] * 1.0
        table["new"] += 1
        return len(table)

    def after(function: Any, first: float) -> str:
        given = np.int64(2), np.array([first, 1.0]), {"a": np.float64(1)}
        return repr((function(*given), given))

    staged = ag.function(f)
    for first in (0.0, 9.0):
        assert after(staged, first) == after(f, first)


def test_the_first_array_of_a_dict_says_the_sizes_that_only_the_graph_knows() -> None:
    def by_number(n: Any, x: Any) -> Any:
        found = {}
        for k in range(n):
            found[k % 3] = x * k
        return found

    def by_text(n: Any, x: Any) -> Any:
        found = {str(n): x}
        found[str(n + 1)] = x * 2
        return found[str(n)] + found[str(n + 1)]

    for function in (by_number, by_text):
        staged = ag.function(function, reduce_retracing=True)
        for n in (2, 3, 5):
            given = np.int64(n), np.arange(float(n))
            assert repr(staged(*given)) == repr(function(*given))
        assert staged.trace_count == 2


MOVES = {("idle", 1): "run", ("run", 0): "idle", ("run", 2): "stop", ("idle", 2): "stop"}


def walked(events):
    state, log = "idle", []
    for event in events:
        after = MOVES.get((state, int(event)), state)
        if after != state:
            log.append(f"{state}->{after}")
        state = after
    return state, log


def chosen_keys(events):
    key = ("idle" if events[0] > 0 else "run", events[0])
    moves, seen = dict(MOVES), {("idle", 1), ("run", 0)}
    found = [key in moves, key in seen, moves.get(key, "none"), (None, events[0]) in moves]
    if key in moves:
        found.append(moves[key])
        moves[key] = "moved"
    return found, moves


@pytest.mark.filterwarnings("error::autograph.FallbackWarning")
@pytest.mark.parametrize("function", [walked, chosen_keys])
def test_parts_of_keys_may_be_one_of_several_values(function):
    staged = ag.function(function)
    for events in ([1, 0, 2], [0, 0, 1], [2, 1, 1], [3, 1, 0]):
        assert staged(np.array(events)) == function(np.array(events))
