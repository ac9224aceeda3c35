"""A debugger steps through converted code by the user's own lines."""

from __future__ import annotations

import io
import linecache
import os
import pdb
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import operators
from autograph.conversion import convert
from tests.autograph import debugger_samples as samples

# What a person tells a debugger not to step into.
SKIP = ["autograph.*", "runtime.*", "numpy*", "dataclasses", "inspect", "namedtuple_*", "functools"]
STOP = re.compile(r"^> (.+)\((\d+)\)(\S+?)\(\)(->.*)?$")


def debugger(*commands: str, skip: list[str] | None = None) -> tuple[pdb.Pdb, io.StringIO]:
    """Return a debugger that is given commands, and what it will say."""
    given, said = io.StringIO("\n".join([*commands, ""])), io.StringIO()
    made = pdb.Pdb(stdin=given, stdout=said, skip=skip, nosigint=True, readrc=False)
    made.prompt = ""
    return made, said


def session(call: Callable[[], Any], *commands: str, skip: list[str] | None = None) -> str:
    """Return what pdb says while it runs a call and is given commands."""
    made, said = debugger(*commands, "continue", skip=skip)
    before = sys.gettrace()
    try:
        made.runcall(call)
    finally:
        sys.settrace(before)
    return said.getvalue()


def tag(line: int) -> str:
    """Return the word at the end of a line of the samples."""
    return linecache.getline(samples.__file__, line).partition("  # ")[2].strip()


def place(function: Any, word: str) -> str:
    """Return the place of a line in a function of the samples, as pdb wants it."""
    start = function.__code__.co_firstlineno
    line = next(line for line in range(start, start + 20) if tag(line) == word)
    return f"{samples.__file__}:{line}"


def stops(said: str) -> list[tuple[str, str]]:
    """Return the functions and lines in which pdb stopped, without returns and repetitions."""
    found: list[tuple[str, str]] = []
    for text in said.splitlines():
        match = STOP.match(text)
        if match and match[1] == samples.__file__ and match[4] is None:
            stop = match[3], tag(int(match[2]))
            if stop[1] and found[-1:] != [stop]:
                found.append(stop)
    return found


def steps(call: Callable[[], Any], skip: list[str] | None = SKIP) -> str:
    """Return the lines that `step` goes through."""
    said = session(call, *["step"] * 5000, skip=skip)
    return " ".join(line for _, line in stops(said))


@pytest.mark.parametrize("skip", [SKIP, None], ids=["own code", "all code"])
def test_stepping_goes_through_the_lines_that_run(skip: Any) -> None:
    function = convert(samples.walk, operators)
    assert steps(lambda: function(2, 2), skip) == "start for if else for if then while end"
    assert (
        steps(lambda: function(8, 3), skip)
        == "start for if else for if then for if then while half while half while end"
    )


def test_every_line_that_is_stepped_through_is_in_the_function_of_the_user() -> None:
    function = convert(samples.walk, operators)
    said = session(lambda: function(8, 3), *["step"] * 100, skip=SKIP)
    assert {name for name, _ in stops(said)} == {"walk"}


def test_stepping_while_tracing_goes_through_both_branches_in_order() -> None:
    function = ag.function(samples.walk)
    function(np.float32(2), np.int32(2))  # what is imported and read once takes no steps below
    lines = steps(lambda: function(np.float64(2), np.int64(2)))
    assert lines == "start for if then if else while half while end"


def test_stepping_goes_from_a_function_into_another_and_back() -> None:
    function = convert(samples.choose, operators)
    assert steps(lambda: function(-1)) == "if call helper end"
    assert steps(lambda: function(1)) in ("if positive if", "if positive")


def test_a_breakpoint_in_a_branch_stops_there_and_shows_the_variables() -> None:
    function = convert(samples.walk, operators)
    said = session(
        lambda: function(2, 2),
        f"break {place(samples.walk, 'then')}",
        "continue",
        "p (x, total)",
    )
    assert stops(said) == [("walk", "then")]
    assert "(2, -2)" in said


def test_the_stack_at_a_breakpoint_shows_the_lines_of_the_user() -> None:
    function = convert(samples.walk, operators)
    said = session(
        lambda: function(2, 2), f"break {place(samples.walk, 'then')}", "continue", "where"
    )
    found = re.findall(rf"^[ >] {re.escape(samples.__file__)}\((\d+)\)(\w+)\(\)", said, re.M)
    stack = [(name, tag(int(line))) for line, name in found]
    assert stack[-3:] == [("walk", "for"), ("walk", "if"), ("walk", "then")]


def test_a_breakpoint_in_a_branch_stops_while_it_is_traced() -> None:
    function = ag.function(samples.choose)
    said = session(
        lambda: function(np.float64(1)),
        f"break {place(samples.choose, 'positive')}",
        "continue",
        "p x.dtype",
    )
    assert stops(said) == [("choose", "positive")]
    assert "dtype('float64')" in said


def test_a_call_of_breakpoint_stops_in_the_function_that_calls_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stopped = []

    def hook() -> None:
        frame = sys._getframe(1)
        stopped.append((frame.f_code.co_name, tag(frame.f_lineno)))

    monkeypatch.setattr(sys, "breakpointhook", hook)
    assert convert(samples.stop_in_branch, operators)(1) == 2
    ag.function(samples.stop_in_branch)(np.float64(1))
    assert stopped == [("stop_in_branch", "breakpoint")] * 2


def test_a_warning_is_given_in_the_line_of_the_user() -> None:
    with pytest.warns(UserWarning, match="x is positive") as caught:
        ag.function(samples.warn_in_branch)(1)
    assert (caught[0].filename, tag(caught[0].lineno)) == (samples.__file__, "warn")


def test_a_post_mortem_shows_the_frame_of_the_user() -> None:
    made, said = debugger("p x", "quit")
    with pytest.raises(TypeError) as caught:
        ag.function(samples.choose)([1])
    made.reset()
    made.interaction(None, caught.value.__traceback__)
    line = place(samples.choose, "if").rpartition(":")[2]
    assert said.getvalue().startswith(f"> {samples.__file__}({line})choose()\n")
    assert said.getvalue().endswith("[1]\n")


def stopped_at(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the list of stops: function, line, and a copy of the variables."""
    found: list[Any] = []

    def hook() -> None:
        frame = sys._getframe(1)
        names = {k: v for k, v in frame.f_locals.items() if not k.startswith("_")}
        found.append((frame.f_code.co_name, tag(frame.f_lineno), names))
        print("stopped", frame.f_globals["__name__"])

    monkeypatch.setattr(sys, "breakpointhook", hook)
    return found


def test_a_staged_breakpoint_stops_when_the_graph_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = stopped_at(monkeypatch)
    arguments = np.array([1.0, -2.0, 3.0]), np.float64(0.0)
    samples.stop_in_rounds(*arguments)
    plain, said = list(found), capsys.readouterr().out
    found.clear()
    staged = ag.function(samples.stop_in_rounds)
    staged.get_concrete_function(*arguments)
    assert found == []
    for _ in range(2):
        found.clear()
        assert staged(*arguments) == 8.0
        assert capsys.readouterr().out == said
        assert [stop[:2] for stop in found] == [("stop_in_rounds", "staged breakpoint")] * 2
        for (_, _, mine), (_, _, theirs) in zip(found, plain, strict=True):
            assert set(mine) == set(theirs) == {"xs", "limit", "total", "label", "x", "y"}
            for name in mine:
                np.testing.assert_array_equal(mine[name], theirs[name])
    where = samples.__name__
    assert said.splitlines() == [
        *(f"stopped {where}", "round 2.0", "round 2.0", f"stopped {where}", "round 8.0")
    ]


def test_a_staged_breakpoint_that_is_switched_off_does_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYTHONBREAKPOINT", "0")
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    arguments = np.array([1.0]), np.float64(0.0)
    assert ag.function(samples.stop_in_rounds)(*arguments) == 2.0
    assert samples.stop_in_rounds(*arguments) == 2.0
    assert capsys.readouterr().out == "round 2.0\n" * 2


@pytest.mark.parametrize("how", ["samples.stop_in_rounds", "ag.function(samples.stop_in_rounds)"])
def test_pdb_stops_at_a_staged_breakpoint_with_the_variables(how: str) -> None:
    script = (
        "import numpy as np, autograph as ag\n"
        "from tests.autograph import debugger_samples as samples\n"
        f"print({how}(np.array([1.0, 5.0]), np.float64(2.0)))\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONBREAKPOINT"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        input="p (float(x), float(y), float(total), label)\ncontinue\n",
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=True,
    )
    assert "(5.0, 10.0, 0.0, 'rounds')" in done.stdout
    assert re.search(rf"> {re.escape(samples.__file__)}\(\d+\)stop_in_rounds\(\)", done.stdout)
    assert done.stdout.rstrip().endswith("10.0")
