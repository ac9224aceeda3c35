"""What stands for nothing is refused by an error that names it."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import RuntimeGraphError


def _shaped(x: Any) -> Any:
    x.shape = (3, 1)
    return x


REFUSED = {
    "base": lambda x: (x + 1).base,
    "data": lambda x: x.data,
    "ctypes": lambda x: x.ctypes,
    "nditer": lambda x: np.nditer(x, flags=["external_loop"]),
    "save": lambda x: np.save(io.BytesIO(), x),
    "load": lambda x: np.load("there is none.npy") * x,
    "resize": lambda x: x.resize((1,), refcheck=False),
    "reshape": _shaped,
    "strides": lambda x: (x + 1).strides,
    "apply_over_axes": lambda x: np.apply_over_axes(lambda a, axis: print(a) or a, x, 0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_names_what_is_refused(name: str) -> None:
    function: Any = REFUSED[name]
    with pytest.raises((RuntimeGraphError, AttributeError), match=name):
        ag.function(function)(np.ones(3))


def test_arrays_compare_with_none_element_by_element() -> None:
    function = ag.function(lambda x, s: (x == None, x != None, s == None))  # noqa: E711
    found = function(np.ones(2), np.float64(1))
    assert repr(found) == "(array([False, False]), array([ True,  True]), False)"


LINE = np.zeros(3)


def _written(x: Any) -> Any:
    LINE[0] = x[0]
    return LINE * 2


def test_an_array_from_outside_that_is_written_with_staged_values_is_written_in_each_run() -> None:
    staged = ag.function(_written)
    for k in (1.0, 2.0, 3.0):
        assert staged(np.full(3, k)).tolist() == [2 * k, 0, 0]
        assert LINE.tolist() == [k, 0, 0]
