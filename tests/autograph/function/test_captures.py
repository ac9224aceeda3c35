"""Whatever a function reads outside of itself may change: the next call sees it, as in Python.

Each row is a function and a change of what it reads; the calls after the change are compared.
"""

from __future__ import annotations

import logging
import operator
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import tf
from autograph.function import captures, guards
from autograph.tf import keras


class Plain:
    rate = 1.0


class Answering:
    def __init__(self) -> None:
        self.held = {"gain": 2.0}

    def __getattr__(self, name: str) -> Any:
        return self.held[name]


class Scaled:
    def __init__(self) -> None:
        self.k = 2.0

    def __rmul__(self, x):
        return x * self.k


class Table(dict[str, Any]):
    pass


A = np.array([1.0, 2.0, 3.0])
B = np.array([1.0, 2.0, 3.0])
PAIR = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
LONG = list(range(20))
MIXED: list[Any] = [[1, 2], *range(20)]
NAMED = {f"k{k}": float(k) for k in range(20)}
ONES = {1, 2, 3}
QUEUE, COUNTS, ORDERED = deque([1, 2]), defaultdict(int, {"a": 1}), OrderedDict(a=1)
BYTES = bytearray(b"abc")
SPACE = types.SimpleNamespace(a=1.0)
TABLE = Table(a=1.0)
WEIGHTS = {"w": np.array([1.0, 2.0]), "b": np.array([3.0, 4.0])}
plain, answering, scaled = Plain(), Answering(), Scaled()
plain.rate = 3.0
get_rate, get_first = operator.attrgetter("rate"), operator.itemgetter(0)
NAME = "rate"


def with_default(x, k=[1.0], *, j={"a": 1.0}):  # noqa: B006
    return x * k[0] + j["a"]


def described(x):
    return x * described.scale  # type: ignore[attr-defined]


described.scale = 1.0  # type: ignore[attr-defined]


def chosen(x):
    return x * 2 if A[0] > 0 else x


def through_a_name(x):
    other = B
    return x * other + other[0]


def each_of_a_list(x):
    for row in PAIR:
        x = x * row + row[0]
    return x


def twice_of_a_list(x):
    for k in range(2):
        x = PAIR[k] * x + PAIR[k][0]
    return x


def summed(x):
    for a in A:
        x = x + a
    return x


def in_a_call(x):
    return helper(A) * x


def helper(a):
    return a[1]


def put(owner: Any, key: Any, value: Any) -> Callable[[], None]:
    return lambda: owner.__setitem__(key, value)


ROWS: list[tuple[Callable[..., Any], Callable[[], Any]]] = [
    (chosen, put(A, 0, -1.0)),
    (lambda x: x * A[1], put(A, 1, 7.0)),
    (lambda x: x * A.sum(), put(A, 1, 8.0)),
    (lambda x: x * np.sum(A), put(A, 1, 9.0)),
    (lambda x: x * (A + 1), put(A, 1, 10.0)),
    (lambda x: x * A, put(A, 1, 11.0)),
    (lambda x: A + x * A.shape[0], put(A, 1, 11.5)),
    (lambda x: x * A + A[0], put(A, 0, 12.0)),
    (lambda x: np.where(x > 0, A, A) + A.max(), put(A, 0, 99.0)),
    (lambda x: x * A[:2], put(A, 1, 13.0)),
    (lambda x: x * A.T, put(A, 1, 14.0)),
    (lambda x: x * float(A[1]), put(A, 1, 15.0)),
    (lambda x: x * get_first(A), put(A, 0, 16.0)),
    (lambda x: x * len(A), put(A, 0, 17.0)),
    (summed, put(A, 2, 18.0)),
    (in_a_call, put(A, 1, 19.0)),
    (through_a_name, put(B, 0, 5.0)),
    (each_of_a_list, put(PAIR[1], 0, 5.0)),
    (twice_of_a_list, put(PAIR[1], 0, 6.0)),
    (lambda x: x * LONG[19], put(LONG, 19, -1)),
    (lambda x: x * sum(LONG), put(LONG, 19, True)),
    (lambda x: x * MIXED[0][1], put(MIXED[0], 1, 7)),
    (lambda x: x * NAMED["k19"], put(NAMED, "k19", 0.5)),
    (lambda x: x * WEIGHTS["w"] + WEIGHTS["b"], put(WEIGHTS["b"], 0, 0.5)),
    (lambda x: x * WEIGHTS["w"][0], put(WEIGHTS["w"], 0, 0.5)),
    (lambda x: x * getattr(plain, "ra" + "te"), lambda: setattr(plain, "rate", 4.0)),
    (lambda x: x * getattr(plain, NAME), lambda: setattr(plain, "rate", 5.0)),
    (lambda x: x * getattr(plain, NAME, 1.0), lambda: delattr(plain, "rate")),
    (lambda x: x * 2 if hasattr(plain, "extra") else x, lambda: setattr(plain, "extra", 1)),
    (lambda x: x * vars(answering)["held"]["gain"], put(answering.held, "gain", 3.0)),
    (lambda x: x * answering.__dict__["held"]["gain"], put(answering.held, "gain", 4.0)),
    (lambda x: x * answering.gain, put(answering.held, "gain", 5.0)),
    (lambda x: x * scaled, lambda: setattr(scaled, "k", 3.0)),
    (lambda x: x * get_rate(Plain), lambda: setattr(Plain, "rate", 6.0)),
    (lambda x: x * 2 if 5 in ONES else x, lambda: ONES.add(5)),
    (lambda x: x * len(ONES), lambda: ONES.add(6)),
    (lambda x: x * QUEUE[0], lambda: QUEUE.appendleft(9)),
    (lambda x: x * COUNTS["a"], put(COUNTS, "a", 9)),
    (lambda x: x * ORDERED["a"], put(ORDERED, "a", 9)),
    (lambda x: x * BYTES[0], put(BYTES, 0, 9)),
    (lambda x: x * SPACE.a, lambda: setattr(SPACE, "a", 2.0)),
    (lambda x: x * TABLE["a"], put(TABLE, "a", 2.0)),
    (lambda x: with_default(x), put(with_default.__defaults__[0], 0, 5.0)),  # type: ignore[index]
    (lambda x: with_default(x), put(with_default.__kwdefaults__["j"], "a", 5.0)),
    (described, lambda: setattr(described, "scale", 5.0)),
]


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_a_change_of_what_a_function_reads_is_seen(row: int) -> None:
    function, change = ROWS[row]
    x = np.float64(2.0)
    staged = ag.function(function)
    before = staged(x)
    np.testing.assert_array_equal(before, function(x))
    staged(x)
    assert staged.trace_count == 1
    change()
    for _ in range(2):
        np.testing.assert_array_equal(staged(x), function(x))
    assert staged.trace_count <= 2


@pytest.mark.parametrize("x", [np.float64(2.0), np.ones(3), np.ones((1, 3))])
def test_writing_arrays_that_are_only_operands_needs_no_trace(x: Any) -> None:
    m, v, table = np.eye(3), np.ones(3), {"w": np.ones(3), "b": np.ones(3)}

    def function(x):
        moved = (x * v) @ m + x * table["w"]  # Python 3.10 tells uses apart by their lines
        return moved + table["b"] * (x * v.shape[0])

    staged = ag.function(function)
    for k in range(4):
        m[0, 1] = v[2] = table["w"][0] = table["b"][1] = k
        np.testing.assert_array_equal(staged(x), function(x))
    assert staged.trace_count == 1


def test_what_is_too_large_or_too_much_to_compare_is_named(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    big, many = np.ones(100), [[k] for k in range(40)]
    monkeypatch.setattr(guards, "MOST_BYTES", 100)
    monkeypatch.setattr(captures, "MOST_PLACES", 30)
    with caplog.at_level(logging.WARNING):
        ag.function(lambda x: x * big[0])(1.0)
        ag.function(lambda x: x * many[0][0])(1.0)
    first, second, *_ = [record.getMessage() for record in caplog.records]
    assert first == (
        "the variable 'big' around a function, an array of 800 bytes, is read while tracing. If it "
        "is written in place, that is not seen. Pass it as an argument."
    )
    assert "may read more than 30 places outside of itself. If many[28] or what" in second


def test_a_model_of_thirty_layers_is_looked_at_whole(caplog: pytest.LogCaptureFixture) -> None:
    layers = [keras.layers.Dense(2, "relu") for _ in range(30)]
    model = keras.Sequential([keras.Input((2,)), *layers])
    staged = ag.function(lambda x: model(x))
    x = np.full((1, 2), -1.0, np.float32)
    with caplog.at_level(logging.WARNING):
        assert (staged(x).numpy() >= 0).all()
    assert not caplog.records
    model.layers[-1].activation = lambda x: x - 7.0
    np.testing.assert_array_equal(staged(x), model(x))


class Scaled:
    kind = 1.0

    def __init__(self) -> None:
        self.by, self.parts = 2.0, [1.0]
        self.step = ag.function(self.scaled)

    def scaled(self, x: Any) -> Any:
        return x * self.by + self.parts[0] + self.kind

    __call__ = scaled


BOUND: dict[str, Callable[[Scaled], Callable[[Any], Any]]] = {
    "a method": lambda one: ag.function(one.scaled),
    "one in an attribute": lambda one: one.step,
    "an object that is called": ag.function,
    "a partial": lambda one: ag.function(partial(one.scaled)),
    "a wrapped method": lambda one: ag.function(wraps(one.scaled)(lambda x: one.scaled(x))),
    "a batch of a method": lambda one: lambda x: ag.vmap(one.scaled)(x),
    "tf.function": lambda one: lambda x: tf.function(one.scaled)(x),
}


@pytest.mark.parametrize("way", BOUND)
def test_a_change_of_the_object_whose_method_is_staged_is_seen(way: str) -> None:
    one, x = Scaled(), np.ones(2)
    staged = BOUND[way](one)
    for change in ({}, {"by": 5.0}, {"parts": [7.0]}, {"kind": 3.0}):
        vars(one).update(change)
        for _ in range(2):
            np.testing.assert_array_equal(staged(x), one.scaled(x))


def test_what_this_library_holds_itself_is_no_place() -> None:
    def step(x: Any) -> Any:
        return keras.ops.square(x) + ops.sum(x) + offset[0]

    offset, ops = [1.0], keras.ops
    found = [place.text for place in captures.reads_of(step)]
    assert "offset[0]" in found
    assert len(found) < 60
