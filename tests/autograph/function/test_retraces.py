"""Why a function was traced again, and the warning when that is frequent (row A-076)."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Net:
    pass


rate = 1.0


def told(function: Any) -> str:
    """Return what is told of the last trace, without its number."""
    last = function.explain_retraces().traces[-1]
    assert last.nearest is not None
    return f"unlike {last.nearest}: {' '.join(map(str, last.differences))}"


FIRST = ((np.ones(2),), {"n": 1, "net": Net()})
LATER = [
    (
        (np.ones(3),),
        {},
        "x is f64[3] (ndarray), not f64[2] (ndarray). Leave its sizes open: "
        "@ag.function(reduce_retracing=True), or an input_signature with "
        "ag.TensorSpec([None], 'float64').",
    ),
    (
        (np.ones((2, 2)),),
        {},
        "x is f64[2, 2] (ndarray), not f64[2] (ndarray). Leave its sizes open: an "
        "input_signature with ag.TensorSpec(None, 'float64').",
    ),
    (
        (np.ones(2, np.float32),),
        {},
        "x is f32[2] (ndarray), not f64[2] (ndarray). Convert it to one dtype before the "
        "call: .astype('float64').",
    ),
    (
        (),
        {"n": 2},
        "n is the int 2, not the int 1. A number of Python is part of the trace: pass an array "
        "or a NumPy scalar, as np.int64(2).",
    ),
    (
        (),
        {"n": True},
        "n is the bool True, not the int 1. Each value has a trace of its own: decide by it "
        "outside of the function.",
    ),
    (
        (),
        {"net": Net()},
        "net is <Net object>, not <Net object>. Each object has a trace of its own: pass its "
        "arrays, or make its class a dataclass.",
    ),
    ((), {"net": 3}, "net is the int 3, not <Net object>. Pass the same kind of value always."),
    (
        (),
        {"n": [1, 1]},
        "the form of the arguments is another (the arguments[0][1] is a leaf in one and [*, *] "
        "in the other), not as before. Pass structures of one form; make arrays of lists of "
        "numbers.",
    ),
]


@pytest.mark.parametrize(("args", "kwargs", "text"), LATER)
def test_it_says_which_argument_differed_and_what_to_write(
    args: Any, kwargs: Any, text: str
) -> None:
    @ag.function
    def f(x, n=1, net=None):
        return x.sum() + np.sum(n)

    (x,), options = FIRST
    f(x, **options)
    f(*(args or (x,)), **{**options, **kwargs})
    assert told(f) == f"unlike 1: {text}"


def test_it_says_what_changed_outside() -> None:
    global rate
    f = ag.function(lambda x: x * rate)
    f(np.float64(1.0))
    rate = 2.0
    f(np.float64(1.0))
    assert told(f) == (
        "unlike 1: the global 'rate' is 2.0, not 1.0. Pass it as an argument, or keep it in an "
        "ag.Variable."
    )


def test_the_nearest_trace_is_the_one_that_differs_least() -> None:
    f = ag.function(lambda x, mode: x if mode == "a" else -x)
    for x, mode in ((np.ones(2), "a"), (np.ones(3), "b"), (np.float32([1, 2, 3]), "b")):
        f(x, mode)
    assert told(f).startswith("unlike 2: x is f32[3]")
    text = str(f.explain_retraces()).splitlines()
    assert text[0].endswith("was traced 3 times")
    assert text[1] == "1  <lambda>(x, mode='a') with x: f64[2]"
    assert repr(ag.function(told).explain_retraces()) == "told was never traced"


def test_frequent_retracing_is_warned_of_twice_at_most_a076(caplog: Any) -> None:
    @ag.function(reduce_retracing=False)
    def f(x: Any) -> Any:
        return x + 1

    with caplog.at_level(logging.WARNING, "autograph"):
        for size in range(1, 5):
            f(np.ones(size))
        assert caplog.records == []
        f(np.ones(5))
        (record,) = caplog.records
        text = record.getMessage()
        assert "f was traced in 5 of its last 5 calls" in text
        assert "The last time x is f64[5] (ndarray), not f64[4] (ndarray)." in text
        assert text.endswith("f.explain_retraces() tells of all.")
        for size in range(6, 40):
            f(np.ones(size))
    assert len(caplog.records) == 2


def test_of_many_differences_the_first_three_are_told(caplog: Any) -> None:
    f = ag.function(lambda xs, x: x + xs[0], reduce_retracing=False)
    with caplog.at_level(logging.WARNING, "autograph"):
        for k in range(5):
            f([k] * 50, np.float64(1))
    text = caplog.records[0].getMessage()
    assert "xs[2] is the int 4" in text
    assert "xs[3]" not in text
    assert "So it is with 47 more. " in text


def test_traces_that_are_far_apart_are_not_warned_of_a076(caplog: Any) -> None:
    f = ag.function(lambda x: x + 1, reduce_retracing=False)
    with caplog.at_level(logging.WARNING, "autograph"):
        for size in range(1, 9):
            for _ in range(4):
                f(np.ones(size))
    assert caplog.records == []
    assert f.trace_count == 8


def test_what_is_gone_is_told_of_as_not_there() -> None:
    table = {"a": [1]}

    @ag.function
    def f(x: Any) -> Any:
        return x * len(table.get("a", ()))

    f(np.float64(1.0))
    del table["a"]
    table["b"] = [1]
    f(np.float64(1.0))
    told = str(f.explain_retraces())
    assert "table['a'] is not there, not a list of 1" in told
    assert "_Missing" not in told
