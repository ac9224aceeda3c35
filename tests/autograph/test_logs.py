"""What the library says of its work goes to `logging`, as much as is asked for."""

from __future__ import annotations

import logging
import os
import subprocess
import sys

import numpy as np
import pytest

import autograph as ag
from autograph import conversion
from autograph.function import trace


@pytest.fixture(autouse=True)
def quiet_again(monkeypatch):
    """Convert everything anew, and say nothing afterwards."""
    monkeypatch.setattr(conversion, "_cache", {})
    yield
    ag.set_verbosity(0)


def said(caplog, level):
    """Return what is logged while a new function is traced."""

    def inner(x):
        return x if x > 0 else -x

    @ag.do_not_convert
    def left(x):
        return x + 1

    @ag.function
    def f(x):
        return left(inner(x))

    ag.set_verbosity(level)
    with caplog.at_level(logging.INFO, "autograph"):
        f(np.float64(3))
    return [record.getMessage() for record in caplog.records]


def test_nothing_is_said_unless_it_is_asked_for(caplog):
    assert said(caplog, 0) == []


def test_at_1_what_is_traced_and_converted(caplog):
    found = said(caplog, 1)
    (first,) = (text for text in found if ".f was converted (" in text)
    (second,) = (text for text in found if ".f is traced with (f64[])" in text)
    (third,) = (text for text in found if ".inner was converted (" in text)
    assert len(found) == 3
    assert found.index(second) < found.index(third)
    assert f"{__file__}, line " in first
    assert f"{__file__}, line " in third


def test_at_2_what_is_left_and_why(caplog):
    name = "said.<locals>.left"
    assert f"{name} is called as it is: {name} is marked with do_not_convert" in said(caplog, 2)


def test_at_3_the_converted_code(caplog):
    texts = said(caplog, 3)
    assert any(
        "return ag.if_exp(ag.binary('>', x, 0), lambda: x, lambda: ag.unary('-', x))" in text
        for text in texts
    )


def test_it_is_printed_too(capsys):
    ag.set_verbosity(1, alsologtostdout=True)
    ag.function(lambda x: x + 1)(np.float64(1))
    assert "is traced with" in capsys.readouterr().out


@pytest.mark.parametrize("level", [-1, 11, "1"])
def test_levels_are_from_0_to_10(level):
    with pytest.raises(ValueError, match=f"the verbosity is a number from 0 to 10, not {level!r}"):
        ag.set_verbosity(level)


def run(verbosity):
    code = "import autograph as ag; ag.function(lambda: 1)()"
    environment = {**os.environ, "AUTOGRAPH_VERBOSITY": verbosity}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


def test_the_environment_may_ask():
    assert "is traced with ()" in run("1").stderr
    assert run("0").stderr == ""
    assert "AUTOGRAPH_VERBOSITY is a number from 0 to 10, not 'much'" in run("much").stderr


def test_trace_prints_while_tracing_only(capsys):
    @ag.function
    def f(x):
        ag.trace("traced", 1)
        return x + 1

    f(np.float64(1))
    f(np.float64(2))
    assert capsys.readouterr().out == "traced 1\n"
    f.python_function(1.0)
    assert capsys.readouterr().out == "traced 1\n"


def add_up(x):
    total = x
    for _ in ag.hint(range(300), unroll=True):
        total = total + x
    return total


def test_a_trace_that_takes_long_says_once_where_it_is(caplog, monkeypatch):
    monkeypatch.setattr(trace, "PATIENCE", 0.0)
    ag.function(add_up).get_concrete_function(np.ones(2))
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert "and made 64 operations so far" in record.message
    assert "total = total + x" in record.message
    assert f'{__file__}", line {add_up.__code__.co_firstlineno + 3}' in record.message


def test_a_trace_that_is_quick_says_nothing(caplog):
    ag.function(add_up).get_concrete_function(np.ones(2))
    assert not caplog.records
