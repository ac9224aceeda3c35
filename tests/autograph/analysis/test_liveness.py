"""Which names are needed after a statement, and at the start of its blocks."""

from __future__ import annotations

import textwrap

import gast

from autograph.analysis.facts import Facts
from autograph.analysis.liveness import Liveness


def live(text: str) -> tuple[Liveness, list[gast.AST]]:
    """Return the liveness of the statements of a function, and its `if`s and loops in order."""
    function = gast.parse(
        "def f(a, b, c):\n" + textwrap.indent(textwrap.dedent(text), "    ")
    ).body[0]
    found = [n for n in gast.walk(function) if isinstance(n, (gast.If, gast.For, gast.While))]
    return Facts().liveness(function, set(), {}), sorted(found, key=lambda node: node.lineno)


def test_only_what_is_read_later_is_live_after_an_if() -> None:
    liveness, (branch,) = live("if a: x = 1; y = 2\nreturn x")
    assert liveness.after(branch) == {"x"}
    assert liveness.on_entry(branch, "body") == set()
    assert liveness.on_entry(branch, "orelse") == {"x"}


def test_what_the_next_round_reads_is_live_after_a_loop() -> None:
    liveness, (loop,) = live("while a:\n    t = x\n    x = t + 1")
    assert liveness.after(loop) == {"a", "x"}


def test_a_temporary_of_a_round_is_not_live() -> None:
    liveness, (loop,) = live("for i in a:\n    t = i\n    b += t\nreturn b")
    assert liveness.after(loop) == {"b"}


def test_a_handler_may_read_what_any_statement_wrote() -> None:
    liveness, (branch,) = live("try:\n    if a: x = 1\n    x = 2\nexcept E: return x\nreturn b")
    assert "x" in liveness.after(branch)


def test_finally_runs_on_every_way_out() -> None:
    liveness, (loop, branch) = live(
        """
        while a:
            try:
                if b: x = 1
                break
            finally:
                print(x)
        return c
        """
    )
    assert {"x", "c"} <= liveness.after(branch)
    assert liveness.after(loop) >= {"a", "b", "c"}


def test_after_a_with_the_rest_may_follow_any_statement() -> None:
    liveness, (branch,) = live("with m:\n    if a: x = 1\n    x = 2\nreturn x")
    assert "x" in liveness.after(branch)


def test_nothing_is_live_after_an_if_that_returns() -> None:
    liveness, (branch,) = live("if a:\n    x = 1\n    return x\nelse:\n    return b")
    assert liveness.after(branch) == set()


def test_a_deep_nest_of_loops_takes_no_exponential_time() -> None:
    text = "".join("    " * depth + f"while a > {depth}:\n" for depth in range(19))
    liveness, loops = live(text + "    " * 19 + "a -= 1")
    assert all(liveness.after(loop) == {"a"} for loop in loops)


def test_names_read_before_they_are_bound_are_live_at_the_start() -> None:
    liveness, _ = live("if a: x = 1\nreturn x")
    assert liveness.at_start == {"a", "x"}
