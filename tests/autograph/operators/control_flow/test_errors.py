"""Errors of staged code show the user's line, never one of ours."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

import autograph as ag


def pick(x, i):
    y = x * 2
    return y[i]


def test_error_at_run_time_shows_the_line_of_the_user():
    with pytest.raises(IndexError) as caught:
        ag.function(pick)(np.arange(3.0), np.int64(7))
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.name, last.line) == (__file__, "pick", "return y[i]")
