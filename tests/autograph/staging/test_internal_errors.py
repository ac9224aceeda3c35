"""Errors of the library's own code: never taken for the program's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.operators.keyed import set_methods
from autograph.staging.internal_errors import is_internal

LIBRARY: dict[str, Any] = {"__name__": "autograph.operators.slip"}
exec(compile("def slip(staged, item):\n    return ()[0]", ag.__file__, "exec"), LIBRARY)


def caught(fail: Any) -> Exception:
    try:
        fail()
    except Exception as error:
        return error
    raise AssertionError


@ag.function
def in_an_arm(xs: Any) -> Any:
    found = {1}
    for x in xs:
        try:
            if x > 100:
                found.add(x)
        except IndexError:  # noqa: PERF203  (this is what no slip gets into)
            found = set()
    return len(found)


def test_a_slip_in_an_arm_ends_the_trace_and_no_handler_sees_it(monkeypatch: Any) -> None:
    monkeypatch.setitem(set_methods.METHODS, "add", LIBRARY["slip"])
    with pytest.raises(ag.InternalError, match=r"mistake of the library.*tuple index") as told:
        in_an_arm(np.arange(3))
    assert "found.add(x)" in str(told.value)
    assert isinstance(told.value.__cause__, IndexError)


def test_what_a_program_asks_is_its_own_error() -> None:
    assert not is_internal(caught(lambda: {}["a"]))
    assert not is_internal(caught(lambda: ag.numpy.ones(3)[[7]]))
    assert not is_internal(RuntimeError("never raised"))

    @ag.function
    def f(x: Any) -> Any:
        try:
            if x > 0:
                x = x + {"a": 1}["b"]
        except KeyError:
            x = -x
        return x

    assert f(np.float64(2)) == -2
    assert f(np.float64(-2)) == -2
