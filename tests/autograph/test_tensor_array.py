"""Arrays that are written one by one: in plain Python and in staged loops the same."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime.errors import DtypeError, MutationError, ShapeError


def cumulative(step, inputs, state, element_shape=None):
    inputs = np.transpose(inputs, [1, 0, 2])
    count = inputs.shape[0]
    states = ag.TensorArray(np.float32, size=count, element_shape=element_shape)
    for i in range(count):
        state = step(inputs[i], state)
        states = states.write(i, state)
    return np.transpose(states.stack(), [1, 0, 2])


INPUTS = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
STATE = np.ones((2, 4), np.float32)
OPEN = [ag.TensorSpec([None, None, 4], np.float32), ag.TensorSpec([None, 4], np.float32)]


def test_a_recurrent_network_stacks_its_states():
    """A-010, A-144"""

    def network(inputs, state):
        return cumulative(lambda x, state: x + state, inputs, state)

    expected = np.cumsum(INPUTS, axis=1) + STATE[:, None]
    assert np.array_equal(network(INPUTS, STATE), expected)
    found = ag.function(network)(INPUTS, STATE)
    assert np.array_equal(found, expected)
    assert found.shape == (2, 3, 4)


def test_sizes_of_elements_may_be_staged():
    """A-144"""

    @ag.function(input_signature=OPEN)
    def network(inputs, state):
        return cumulative(lambda x, state: x + state, inputs, state, (state.shape[0], 4))

    expected = np.cumsum(INPUTS, axis=1) + STATE[:, None]
    assert np.array_equal(network(INPUTS, STATE), expected)
    assert np.array_equal(network(INPUTS[:1], STATE[:1]), expected[:1])
    assert network.trace_count == 1


def test_elements_of_unknown_size_need_a_shape():
    f = ag.function(lambda x: ag.TensorArray(np.float64, 1).write(0, x), input_signature=[OPEN[1]])
    with pytest.raises(DtypeError, match="of float64 was given f32"):
        f(STATE)
    g = ag.function(lambda x: ag.TensorArray(np.float32, 1).write(0, x), input_signature=[OPEN[1]])
    with pytest.raises(ShapeError, match=r"such as \(x.shape\[0\], 4\)"):
        g(STATE)


def in_place(n, x):
    ta = ag.TensorArray(np.float64, size=n)
    i = 0
    while i < n:
        if x[i] > 0:
            ta.write(i, x[i] * np.ones(2))
        i += 1
    return ta.stack(), ta.read(0), ta.gather([0, 1]), ta.concat(), ta.size()


def growing(n, x):
    ta = ag.TensorArray(np.float64, size=0, dynamic_size=True)
    for i in range(n):
        ta = ta.write(i, x[i] * 2)
    ta.write(n + 1, x[0])
    return ta.stack(), ta.size(), ta.read(1)


def scattered(n, x):
    ta = ag.TensorArray(np.float64, size=n, element_shape=())
    ta.scatter([2, 0], x[:2])
    return ta.stack()


def unstacked(n, x):
    ta = ag.TensorArray(np.float64, size=n).unstack(x)
    grown = ag.TensorArray(np.float64, dynamic_size=True).unstack(x).write(n, x[0])
    return ta.read(1) + ta.read(2), grown.stack()


def scattered_behind_the_end(n, x):
    ta = ag.TensorArray(np.float64, size=1, dynamic_size=True, element_shape=())
    return ta.scatter([2, n], x[:2]).stack(), ta.gather([0, 2])


CASES = [in_place, growing, scattered, unstacked, scattered_behind_the_end]


@pytest.mark.parametrize("function", CASES)
def test_staged_gives_what_plain_python_gives(function):
    """A-010"""
    n, x = np.int64(3), np.array([1.0, -2.0, 3.0])
    expected, found = function(n, x), ag.function(function)(n, x)
    if not isinstance(expected, tuple):
        expected, found = (expected,), (found,)
    for a, b in zip(expected, found, strict=True):
        assert np.array_equal(a, b)
        assert getattr(a, "dtype", int) == getattr(b, "dtype", int)


def test_one_trace_serves_all_sizes():
    f = ag.function(in_place)
    x = np.array([1.0, -2.0, 3.0, 4.0])
    assert f(np.int64(4), x)[0].shape == (4, 2)
    assert f(np.int64(2), x)[0].shape == (2, 2)
    assert f.trace_count == 1


def test_what_stack_returned_does_not_change():
    ta = ag.TensorArray(np.int64, size=2).write(0, 1)
    rows = ta.stack()
    ta.write(1, 5)
    assert rows.tolist() == [1, 0]
    assert repr(ta) == "<TensorArray of int64, size 2>"
    assert len(ta) == 2


MADE_OUTSIDE = ag.TensorArray(np.float64, size=1)

REFUSED = [
    (lambda: ag.TensorArray(np.float32, 1).write(0, np.float64(1)), DtypeError, "astype"),
    (lambda: ag.TensorArray(int, 1).write(0, 0.5), DtypeError, "was given float"),
    (lambda: ag.TensorArray(int, 1).write(3, 1), IndexError, "out of bounds"),
    (lambda: ag.TensorArray(int, 1).stack(), ShapeError, "nothing was written yet"),
    (lambda: ag.TensorArray(int, -1), ShapeError, "cannot be -1; it is at least 0"),
    (lambda: ag.TensorArray(int, 2).write(0, 1).concat(), ShapeError, "concat of single numbers"),
    (lambda: ag.TensorArray(int, 2).unstack([1, 2, 3]), ShapeError, "make one of that size"),
    (lambda: ag.TensorArray(int, 2, True), ShapeError, "write size=0"),
    (lambda: ag.TensorArray(int, 2).write(0, 1).write(1, [1, 2]), ShapeError, "have one shape"),
]


@pytest.mark.parametrize(("wrong", "kind", "message"), REFUSED)
def test_misuse_is_refused_in_a_sentence(wrong, kind, message):
    with pytest.raises(kind, match=message):
        wrong()


def test_one_made_outside_is_refused_in_a_staged_function():
    with pytest.raises(MutationError, match="made outside of the staged function"):
        ag.function(lambda x: MADE_OUTSIDE.write(0, x).stack())(np.float64(1))
