"""What goes wrong while elements are drawn: the user's line, and no thread that stays."""

from __future__ import annotations

import threading
import time
import traceback
from contextlib import suppress

import numpy as np
import pytest

import autograph as ag
from autograph import tf
from autograph.data import Dataset

NUMBER = ag.TensorSpec([], np.int64)


def checked(x):
    if x > 2:
        raise ValueError("too large")
    return x


def broken():
    yield 1
    raise KeyError("no such row")


def total(data):
    found = 0
    for x in data:
        found = found + x
    return found


def until_two(data):
    for x in data:
        if x == 2:
            return x
    return np.int64(-1)


SOURCES = {
    "a function of map": (lambda: Dataset.range(9).map(checked), 'raise ValueError("too large")'),
    "a generator": (
        lambda: Dataset.from_generator(broken, NUMBER),
        'raise KeyError("no such row")',
    ),
}


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("called", [total, ag.function(total), lambda data: list(data)])
@pytest.mark.parametrize(("make", "line"), SOURCES.values(), ids=SOURCES)
def test_errors_of_the_user_s_functions_show_their_line(make, line, called, ahead):
    data = make().prefetch(2) if ahead else make()
    with pytest.raises((ValueError, KeyError)) as caught:
        called(data)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == line


@pytest.mark.parametrize("called", [total, ag.function(total), until_two, ag.function(until_two)])
def test_no_thread_stays_when_a_loop_is_left(called):
    def threads():
        return {thread for thread in threading.enumerate() if thread.name == "prefetch"}

    before = threads()
    for _ in range(5):
        with suppress(ValueError):
            called(Dataset.range(1000).map(checked).prefetch(2))
    deadline = time.monotonic() + 5
    while threads() - before and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not threads() - before


@pytest.mark.parametrize(
    "make",
    [
        lambda d: d.map(lambda x: x + 1),
        lambda d: d.batch(3),
        lambda d: d.shuffle(10**12).prefetch(10**9).cache(),
        lambda d: Dataset.zip((d, d)),
        lambda d: d.repeat(),
        lambda d: Dataset.from_arrays(np.zeros((0, 3))),
        lambda d: Dataset.from_arrays(np.zeros((2, 0))).unbatch(),
    ],
)
def test_no_elements_are_no_error(make):
    data = make(Dataset.range(0))
    assert list(data) == []
    assert ag.function(lambda data: data.reduce(np.int64(3), lambda a, b: a))(data) == 3


def test_a_file_in_another_encoding_is_named(tmp_path):
    (tmp_path / "latin").write_bytes("gr\u00fcn\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin is no text in utf-8, .*encoding=\.\.\."):
        list(Dataset.from_text(tmp_path / "latin"))
    assert list(Dataset.from_text(tmp_path / "latin", encoding="latin-1")) == ["gr\u00fcn"]
    with pytest.raises(TypeError, match=r"is no text in UTF-8.*np.frombuffer"):
        tf.constant(b"\xff")
