"""The guard in front of a trace lets the right calls through, and no others."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function.guarded_call import LONGEST_CHAIN


class Thing:
    def method(self):
        return self


Pair = namedtuple("Pair", "a b")


@dataclass
class Point:
    a: Any
    b: Any


@dataclass(slots=True)
class Held:
    a: Any
    b: Any


@dataclass(slots=True)
class Mixed(Point):
    c: Any = 5


def with_more(x: Any) -> Any:
    x.c = 7
    return x


def depth(staged: Any) -> int:
    """Return how many guards a call goes through at most."""
    return getattr(staged._chain, "depth", 0)


def only_fast(staged: Any) -> None:
    """Make a call fail that no guard lets through."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("the slow path was taken")

    entry = staged._chain
    while hasattr(entry, "depth"):
        last, entry = entry, entry.__globals__["_entry_miss"]
    last.__globals__["_entry_miss"] = refuse


@pytest.mark.parametrize(
    "value",
    [
        np.ones(2),
        np.ones((), np.int32),
        np.float64(1.5),
        ag.Tensor(np.ones(3)),
        True,
        None,
        ...,
        3,
        -1,
        10**30,
        1.5,
        0.0,
        -0.0,
        float("inf"),
        float("nan"),
        "text",
        "quote ' and \\ and \n",
        b"bytes",
        Thing(),
        Thing,
        [1],
        (np.ones(1), None, [2.5]),
        {"a": 1, 2: {"b": (np.ones(3), Thing)}},
        Point(1, np.ones(2)),
        [Held(Point(1, 2), "text")],
        Mixed(1, 2),
        Pair({}, ()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_second_call_takes_the_short_path(value):
    @ag.function
    def f(x, y):
        return x + 1, y

    f(np.ones(2), value)
    only_fast(f)
    assert f(np.zeros(2), value)[0].tolist() == [1, 1]


@pytest.mark.parametrize(
    "value",
    [1j, range(3), deque([1]), defaultdict(list), [[*range(5, 700)], [1] * 700], Thing().method],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_guard_takes_the_long_path(value):
    @ag.function
    def f(x, y):
        return x + 1

    f(np.ones(2), value)
    assert depth(f) == 0
    f(np.ones(2), value)
    assert f.trace_count == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, True),
        (True, 1),
        (0, False),
        (1, 1.0),
        (1, np.int64(1)),
        ("a", np.str_),
        (None, 0),
        (0.0, -0.0),
        (np.ones(2), np.ones(3)),
        (np.ones(2), np.ones(2, np.float32)),
        (np.ones(2), ag.Tensor(np.ones(2))),
        (np.ones(()), np.float64(1)),
        (np.ones(2), [1.0, 1.0]),
        ([1], [1, 2]),
        ([1], (1,)),
        ([1, [2]], [1, [True]]),
        ((1, 2), Pair(1, 2)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, OrderedDict(a=1)),
        ({1: "a"}, {True: "a"}),
        ({"a": None}, {"a": ()}),
        (Point(1, 2), Point(1, 3)),
        (Point(1, 2), with_more(Point(1, 2))),
        (Held(1, 2), Held(1, 2.0)),
        (Held(1, Pair(2, 3)), Held(1, Point(2, 3))),
    ],
    ids=repr,
)
def test_a_guard_lets_no_other_value_through(first, second):
    f = ag.function(lambda x, y: (x, y))
    for value in (first, second, first, second):
        found = f(np.ones(1), value)[1]
        assert type(found) is type(value)
        assert repr(found) == repr(value)
    assert f.trace_count == 2


def changed(x, rows, *, of):
    """Change an array, a list in a dict and an object, and return two of them."""
    rows["a"].append(x * of.b)
    rows["c"] = of.a
    of.a[0] += x
    of.b = rows["a"][0]
    return of, rows["a"], x


def test_what_containers_hold_is_changed_on_the_short_path():
    f = ag.function(changed)
    for k in range(4):
        (x, rows, of), (x_, rows_, of_) = (
            (np.float64(k), {"a": [k * 1.5], "c": None}, Point(np.ones(2), np.float64(2)))
            for _ in range(2)
        )
        rows["a"][0] = rows_["a"][0] = np.float64(k)
        wanted, found = changed(x, rows, of=of), f(x_, rows_, of=of_)
        assert (repr(found), repr(rows_)) == (repr(wanted), repr(rows))
        assert found[0] is of_
        assert found[1] is rows_["a"]
        assert rows_["c"] is of_.a
        only_fast(f)


def test_arrays_in_containers_that_share_memory_take_the_long_path():
    def shifted(x, y):
        x[0][1:] = y["a"] * 2
        return x[0]

    f, x = ag.function(shifted), np.arange(5.0)
    for a, b in ((x, np.ones(4)), (x, x[:-1]), (x, np.ones(4))):
        wanted = a.copy()
        shifted([wanted], {"a": wanted[:-1] if b.base is x else b})
        if b.base is x:
            with pytest.warns(ag.FallbackWarning, match="OverlapError"):
                assert f([a], {"a": b}).tolist() == wanted.tolist()
        else:
            assert f([a], {"a": b}).tolist() == wanted.tolist()


def swapped(x, y, *, by=1):
    x[0], x[-1] = x[-1] + by, x[0]
    return x if y is None else len(x)


def sum_of(x, y):
    return sum(x) + len(y)


def first_of_pairs(x, y):
    return [a + b for a, b in x]


def lengths(x, y):
    return [len(row) for row in x]


LISTS = {
    "numbers": (sum_of, lambda n: (list(range(n, n + 120)), [2.5 * n] * (130 + n))),
    "written": (swapped, lambda n: (list(range(n, n + 120)), 1)),
    "returned": (swapped, lambda n: (list(range(n, n + 120)), None)),
    "pairs": (first_of_pairs, lambda n: ([(k, 0.5 * n) for k in range(100 + n)], None)),
    "rows": (lengths, lambda n: ([[n] * (k % 3 + 1) for k in range(100 + n)], None)),
    "numbers of NumPy's": (sum_of, lambda n: ([np.int32(n)] * 120, np.ones(3))),
    "short": (sum_of, lambda n: (list(range(n, n + 10)), np.ones(3))),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_in_columns_take_the_short_path(name):
    function, make = LISTS[name]
    staged = ag.function(function)
    for n in range(6):
        staged(*make(n))
    only_fast(staged)
    for n in range(6, 9):
        plain, given = make(n), make(n)
        wanted, found = function(*plain), staged(*given)
        assert repr((wanted, plain)) == repr((found, given))
        assert (wanted is plain[0]) == (found is given[0])


@pytest.mark.parametrize(
    "other",
    [
        [1.5] * 120,
        [True] * 120,
        [*range(119), 2.5],
        [2**70] * 120,
        [(1, 2)] * 120,
        [np.int64(3)] * 120,
        tuple(range(120)),
        [3] * 8,
        np.arange(120),
    ],
    ids=lambda x: f"{type(x).__name__} of {x[-1]!r}",
)
def test_a_guard_of_columns_lets_no_other_list_through(other):
    staged = ag.function(lambda x: x[1])
    for value in ([*range(120)], other, [*range(130)], other):
        assert repr(staged(value)) == repr(value[1])


def test_a_list_given_twice_is_not_written_through_the_guard_of_columns():
    @ag.function
    def f(x, y):
        x[0] = y[1] + 1
        return y[0]

    x, y = [*range(120)], [*range(120)]
    assert f(x, y) == 0
    assert x[0] == 2
    assert f(x, x) == 2
    assert x == [2, *range(1, 120)]


def test_columns_go_by_keyword_through_the_guard():
    staged = ag.function(swapped)
    for by in (2, 2, 3):
        x = [*range(120)]
        assert staged(y=1, x=x, by=by) == 120
        assert x == [119 + by, *range(1, 119), 0]


def moved_between(x, *, y, z=None):
    y.append(x[0])
    x[0] = y[0]
    return y


@pytest.mark.parametrize("make", [lambda n: [[*range(n)]], lambda n: list(range(n))])
def test_lists_with_names_are_changed_through_the_guard(make):
    staged = ag.function(moved_between)
    for n in (120, 121, 122):
        given, plain = ({"x": [*range(n)], "y": make(n + 1)} for _ in range(2))
        found = staged(given["x"], y=given["y"])
        assert (found is given["y"], given) == (True, {**plain, "y": moved_between(**plain)})


def test_not_a_number_is_one_value():
    @ag.function
    def f(x, y):
        return x * y

    for _ in range(3):
        assert np.isnan(f(np.ones(1), float("nan"))).all()
    assert f.trace_count == 1


def test_an_object_that_is_gone_is_not_mistaken_for_none():
    @ag.function
    def f(x, y):
        return x + (1 if y is None else 2)

    assert f(np.zeros(1), Thing()) == 2
    assert f(np.zeros(1), None) == 1


def test_keywords_go_through_the_guard():
    @ag.function
    def f(x, /, y, *, z=3):
        return x * 100 + y * 10 + z

    f(np.ones(1), np.ones(1))
    only_fast(f)
    assert f(np.ones(1), y=np.ones(1)) == 113
    assert f(np.ones(1), np.ones(1), z=3) == 113


def test_keyword_only_arguments_may_come_in_any_order():
    @ag.function
    def f(*, a, b=2.0):
        return a - b

    for _ in range(2):
        assert f(b=np.float64(1), a=np.float64(3)) == 2
        assert f(a=np.float64(3), b=np.float64(1)) == 2
    assert f.trace_count == 1


def test_positional_only_arguments_may_not_be_named():
    @ag.function
    def f(x, /):
        return x

    for _ in range(2):
        f(np.ones(1))
        with pytest.raises(TypeError, match="positional-only"):
            f(x=np.ones(1))


def test_a_default_is_part_of_the_guard():
    marker = Thing()

    @ag.function
    def f(x, y=marker, n=2):
        return x * n, y

    for _ in range(2):
        assert f(np.ones(1))[1] is marker
        assert f(np.ones(1), n=3)[0] == 3
        assert f(np.ones(1), marker, 2)[0] == 2
    assert f.trace_count == 2


def test_names_of_parameters_do_not_clash_with_those_of_the_guard():
    @ag.function
    def f(error, result_0, type, len, nothing):
        return error + result_0 + type + len + nothing

    for _ in range(2):
        assert f(*(np.float64(k) for k in range(5))) == 10


def test_a_chain_of_guards_has_an_end():
    @ag.function(reduce_retracing=False)
    def f(x):
        return x + 1

    for n in range(LONGEST_CHAIN + 5):
        f(np.ones(n))
    assert depth(f) == LONGEST_CHAIN
    for n in range(LONGEST_CHAIN + 5):
        assert f(np.ones(n)).shape == (n,)
    assert f.trace_count == LONGEST_CHAIN + 5


def test_unknown_sizes_are_guarded_by_rank_and_known_sizes():
    @ag.function
    def f(x):
        return x.sum()

    f.get_concrete_function(ag.TensorSpec([None, 2]))
    assert depth(f) == 1
    assert f(np.ones((5, 2))) == 10
    assert f.trace_count == 1
    assert f(np.ones((5, 3))) == 15
    assert f.trace_count == 2


def test_sizes_of_one_name_are_guarded():
    @ag.function
    def f(x, y):
        return x.shape[0] * 100 + y.shape[0] * 10 + x.shape[1]

    f.get_concrete_function(ag.TensorSpec(["n", "n"]), ag.TensorSpec(["n"]))
    assert depth(f) == 1
    assert f(np.ones((3, 3)), np.ones(3)) == 333
    assert f.trace_count == 1
    assert f(np.ones((3, 3)), np.ones(4)) == 343
    assert f(np.ones((3, 5)), np.ones(3)) == 335


def test_tensors_go_in_and_come_out():
    @ag.function
    def f(x, y):
        return x, y + 1

    for _ in range(3):
        x, y = ag.Tensor(np.ones(1)), np.zeros(1)
        same, other = f(x, y)
        assert same is x
        assert type(other) is ag.Tensor
    assert depth(f) == 1


def test_what_a_program_writes_is_written_through_the_guard():
    @ag.function
    def f(x):
        x += 1

    x = np.zeros(2)
    for _ in range(3):
        assert f(x) is None
    assert x.tolist() == [3, 3]


def test_overlapping_arguments_do_not_pass_the_guard():
    @ag.function
    def f(x, y):
        x[0] = y[0]

    f(np.ones(2), np.ones(2))
    only_fast(f)
    shared = np.arange(3.0)
    with pytest.raises(AssertionError):
        f(shared[1:], shared[:2])


def test_a_function_without_tensors_is_staged_too():
    @ag.function
    def f(n, text):
        return n + 1, text * 2

    for _ in range(2):
        assert f(1, "ab") == (2, "abab")
    assert f(2, "ab") == (3, "abab")


def test_results_of_any_structure_come_out():
    @ag.function
    def f(x, kind):
        return {"none": None, "list": [x, (x + 1,)], "empty": (), "one": (x + 2,)}[kind]

    for kind, expected in [("none", None), ("list", [1, (2,)]), ("empty", ()), ("one", (3,))]:
        for _ in range(2):
            assert f(np.float64(1), kind) == expected


def test_an_effect_inside_another_trace_belongs_to_that_one(capsys):
    @ag.function
    def speak(x):
        print("x is", x)

    @ag.function
    def outer(y, x):
        speak(x)
        return y

    speak(np.float64(1))
    capsys.readouterr()
    outer(np.ones(1), 1.0)
    capsys.readouterr()
    for _ in range(2):
        speak(np.float64(2))
    assert capsys.readouterr().out == "x is 2.0\nx is 2.0\n"


def test_a_guarded_function_is_inlined_in_a_trace():
    @ag.function
    def inner(x):
        return x * 2

    inner(np.ones(2))
    constant = np.ones(2)

    @ag.function
    def outer(y):
        return inner(y) + inner(constant)

    for _ in range(2):
        np.testing.assert_array_equal(outer(np.ones(2)), [4, 4])


def test_an_error_at_run_time_through_the_guard_shows_the_line_of_the_user():
    @ag.function
    def f(x, i):
        return x[i]

    f(np.ones(3), np.int64(1))
    only_fast(f)
    with pytest.raises(IndexError, match="out of bounds"):
        f(np.ones(3), np.int64(5))


def test_zeros_of_either_sign_and_nans_are_told_apart():
    f = ag.function(lambda x, y: (x, y), reduce_retracing=False)
    values = [0.0, -0.0, float("nan"), 1.5, 0, True, float("inf")]
    for _ in range(2):
        assert [repr(f(np.float64(1), value)[1]) for value in values] == list(map(repr, values))
    assert f.trace_count == depth(f) == len(values)
