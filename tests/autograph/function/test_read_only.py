"""Calls that give a read-only array which the function writes: as plain Python, error and all."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag


def caught(x):
    try:
        x[0] = 1
    except ValueError as error:
        return str(error)
    return "written"


def caught_in_place(x, y):
    z = y * 2
    try:
        x += y
        z += 1
    except ValueError:
        z += 5
    return z


def written_in_a_branch(x, n):
    if n > 3:
        x[0] = n
    return n


def written_in_rounds(x, n):
    for i in range(n):
        x[i] = 1
    return n


def earlier_writes_stay(x, y):
    y[0] = 9
    x[0] = 1
    return y


def through_out(x, y):
    try:
        np.add(y, 1, out=x)
    except ValueError:
        return y + 3
    return x


def through_a_view(x):
    view = x[1:]
    try:
        view.sort()
    except ValueError:
        return x + 1
    return x


def by_unary_at(x):
    np.negative.at(x, [0, 1])
    return x


def locked_by_itself(x):
    x.flags.writeable = False
    try:
        x[0] = 1
    except ValueError:
        return x + 1
    return x


def locked_for_later(x):
    flags = x.flags
    flags.writeable = False


def read_only(array):
    array.flags.writeable = False
    return array


def outcome(function, *arguments):
    given = [x.copy("K") if isinstance(x, np.ndarray) else x for x in arguments]
    for x, new in zip(arguments, given, strict=True):
        if isinstance(x, np.ndarray):
            new.flags.writeable = x.flags.writeable
    try:
        found = function(*given)
    except ValueError as error:
        found = type(error), str(error)
    return repr((found, given, [x.flags.writeable for x in given if isinstance(x, np.ndarray)]))


LOCKED = read_only(np.arange(3.0))
CALLS = [
    (caught, LOCKED),
    (caught_in_place, LOCKED, np.ones(3)),
    (written_in_a_branch, LOCKED, np.int64(2)),
    (written_in_a_branch, LOCKED, np.int64(4)),
    (written_in_rounds, LOCKED, np.int64(0)),
    (written_in_rounds, LOCKED, np.int64(2)),
    (earlier_writes_stay, LOCKED, np.ones(3)),
    (through_out, LOCKED, np.ones(3)),
    (through_a_view, LOCKED),
    (by_unary_at, LOCKED),
]
GIVEN_LOCKS = [(locked_by_itself, np.ones(3)), (locked_for_later, np.ones(3))]
OUTSIDE = read_only(np.zeros(3))


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0].__name__)
def test_as_plain_python(call):
    function, first, *rest = call
    staged = ag.function(function)
    writable = first.copy()
    for given in (first, writable, first, writable):
        assert outcome(staged, given, *rest) == outcome(function, given, *rest)
    assert staged.trace_count == 1


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
@pytest.mark.parametrize("call", GIVEN_LOCKS, ids=lambda call: call[0].__name__)
def test_flags_are_set_by_plain_python(call):
    function, given = call
    assert outcome(ag.function(function), given) == outcome(function, given)


def test_a_known_write_outside_is_traced_again_when_the_flag_changes():
    def known():
        try:
            OUTSIDE[0] = 1
        except ValueError as error:
            return str(error)
        return "written"

    staged = ag.function(known)
    for is_writeable in (False, True, False):
        OUTSIDE.flags.writeable = is_writeable
        assert staged() == known()
    assert OUTSIDE[0] == 1


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
def test_a_refused_write_outside_is_undone():
    held = read_only(np.zeros(3))

    def refused(x):
        try:
            held[0] = x
        except ValueError:
            return x + 1
        return x

    assert ag.function(refused)(np.float64(3)) == 4


def test_calls_by_native_code_are_told_the_same():
    staged = ag.function(caught)
    for _ in range(5000):
        assert staged(np.ones(3)) == "written"
    assert staged(LOCKED) == "assignment destination is read-only"
    assert LOCKED[0] == 0


def test_a_trace_that_changes_what_is_outside_is_undone():
    seen = []

    def told(x):
        seen.append("begins")
        try:
            x[0] = 1
        except ValueError:
            seen.append("caught")

    ag.function(told)(LOCKED)
    assert seen == ["begins", "caught"]


def test_where_plain_python_makes_no_call_nothing_is_written():
    staged = ag.function(earlier_writes_stay, input_signature=[ag.TensorSpec([3])] * 2)
    y = np.ones(3)
    with pytest.raises(ValueError, match="read-only"):
        staged(LOCKED, y)
    assert y[0] == 1
