"""Tracebacks show the user's frames, with the columns that failed, and nothing else is changed."""

from __future__ import annotations

import builtins
import functools
import linecache
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from runtime.graph import location
from runtime.lower import tracebacks
from runtime.lower.tracebacks import prune, pruned, show_internal_frames

HAS_COLUMNS = sys.version_info >= (3, 11)


@pytest.fixture
def ours(monkeypatch):
    """Declare a folder ours, and return what runs a text in it with the given names."""
    monkeypatch.setattr(location, "_OUR_FOLDERS", [*location._OUR_FOLDERS, "/ours/"])

    def run(text, **names):
        exec(compile(text, "/ours/a.py", "exec"), names)
        return names["call"]

    return run


def files(error):
    return [Path(frame.filename).name for frame in traceback.extract_tb(error.__traceback__)]


def fail():
    raise ValueError("no")


def test_our_frames_are_left_out_between_those_of_the_user(ours):
    call = ours("def call(f): return f()")
    with pytest.raises(ValueError, match="no") as caught:
        call(lambda: call(fail))
    assert files(caught.value) == ["test_tracebacks.py", "a.py"] * 2 + ["test_tracebacks.py"]
    prune(caught.value)
    assert files(caught.value) == ["test_tracebacks.py"] * 3


def test_a_door_adds_no_frame_of_its_own(ours):
    call = ours("def call(): raise ValueError('no')")
    with pytest.raises(ValueError, match="no") as caught:
        pruned(call)()
    assert files(caught.value) == ["test_tracebacks.py"]


def test_a_door_returns_what_the_function_returns_and_has_its_name():
    assert pruned(len)("abc") == 3
    assert pruned(fail).__name__ == "fail"


def test_an_error_without_a_frame_of_the_user_has_no_traceback(ours):
    call = ours("def call():\n try: 1/0\n except ZeroDivisionError as error: return error")
    error = call()
    prune(error)
    assert error.__traceback__ is None


def test_a_traceback_without_our_frames_is_left_as_it_is():
    with pytest.raises(ValueError, match="no") as caught:
        fail()
    before = caught.value.__traceback__
    if HAS_COLUMNS:
        prune(caught.value)
        assert caught.value.__traceback__ is before


def test_causes_and_contexts_are_pruned_too(ours):
    call = ours("def call(f): f()")

    def chained():
        try:
            call(fail)
        except ValueError as cause:
            try:
                call(lambda: {}["a"])
            except KeyError:
                raise TypeError("third") from cause

    with pytest.raises(TypeError, match="third") as caught:
        pruned(call)(chained)
    error = caught.value
    assert "a.py" not in files(error)
    assert files(error.__cause__) == ["test_tracebacks.py"] * 2
    assert files(error.__context__) == ["test_tracebacks.py"] * 2


def test_a_circle_of_contexts_comes_to_an_end(ours):
    call = ours("def call(f): f()")
    with pytest.raises(ValueError, match="no") as caught:
        call(fail)
    caught.value.__cause__ = TypeError()
    caught.value.__cause__.__cause__ = caught.value
    prune(caught.value)
    assert files(caught.value) == ["test_tracebacks.py"] * 2


@pytest.mark.skipif(not hasattr(builtins, "ExceptionGroup"), reason="groups came with 3.11")
def test_the_members_of_a_group_are_pruned_too(ours):
    call = ours("def call(f): f()")

    def group():
        try:
            call(fail)
        except ValueError as error:
            raise builtins.ExceptionGroup("several", [error]) from None

    with pytest.raises(builtins.ExceptionGroup) as caught:
        pruned(call)(group)
    assert files(caught.value.exceptions[0]) == ["test_tracebacks.py"] * 2


@pytest.fixture
def full():
    show_internal_frames(True)
    yield
    show_internal_frames(False)


@pytest.mark.usefixtures("full")
def test_all_frames_are_shown_on_request(ours):
    call = ours("def call(f): f()")
    with pytest.raises(ValueError, match="no") as caught:
        pruned(call)(fail)
    assert files(caught.value)[1:] == ["tracebacks.py", "a.py", "test_tracebacks.py"]


@ag.function
def pick(x, i):
    y = x * 2
    return abs(y[i]) + y[i + 1]


def underlined(error):
    """Return what the carets of the innermost frame of a traceback underline."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    whole = linecache.getline(frame.filename, frame.lineno).rstrip()
    return whole[frame.colno : frame.end_colno] if HAS_COLUMNS else whole.strip()


WHOLE = "return abs(y[i]) + y[i + 1]"


@pytest.mark.parametrize(("index", "part"), [(3, "y[i]"), (2, "y[i + 1]")])
def test_the_operation_that_failed_in_the_graph_is_underlined(index, part):
    for _ in range(2):  # the first call traces, the second goes through the entry
        with pytest.raises(IndexError) as caught:
            pick(np.ones(3), np.int64(index))
        assert files(caught.value) == ["test_tracebacks.py"] * 2
        assert underlined(caught.value) == (part if HAS_COLUMNS else WHOLE)


# fmt: off
@ag.function
def add_over_lines(x, n):
    return ("ä", x +
            np.ones(n))
# fmt: on


def test_an_operation_over_several_lines_is_underlined_to_its_end():
    with pytest.raises(ValueError, match="broadcast") as caught:
        add_over_lines(np.ones(2), np.int64(3))
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert frame.line.startswith('return ("ä", x +')
    if HAS_COLUMNS:
        assert (frame.end_lineno - frame.lineno, frame.colno, frame.end_colno) == (1, 18, 22)


@pytest.mark.usefixtures("full")
def test_on_request_the_driver_is_shown_and_then_the_users_line():
    with pytest.raises(IndexError) as caught:
        pick(np.ones(3), np.int64(3))
    names = files(caught.value)
    assert names[1] == "polymorphic.py"
    driver = next(k for k, name in enumerate(names) if name.startswith("<driver"))
    assert names[driver + 1 :].count("test_tracebacks.py") == 1
    assert not tracebacks.is_made(caught.value.__traceback__)


def test_an_interrupt_of_the_graph_is_shown_in_the_users_line():
    concrete = pick.get_concrete_function(np.ones(4), np.int64(3))

    class Interrupting:
        def __mul__(self, other):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        concrete.executable.run(Interrupting(), 1)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.line for frame in frames[1:]] == ["y = x * 2", "raise KeyboardInterrupt"]


def test_frames_of_functools_are_ours_between_ours_only(ours):
    call = ours(
        "import functools\nclass Ours:\n"
        " def __init__(self, f): self.f = f\n @functools.cached_property\n"
        " def value(self): return self.f()\ndef call(f): return Ours(f).value"
    )

    class Users:
        @functools.cached_property
        def value(self):
            return fail()

    with pytest.raises(ValueError, match="no") as caught:
        pruned(call)(lambda: Users().value)
    here = ["test_tracebacks.py"] * 2
    assert files(caught.value) == [*here, "functools.py", *here]
