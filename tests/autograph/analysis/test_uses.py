"""What a node does with names."""

from __future__ import annotations

import gast
import pytest

from autograph.analysis.uses import Uses, dotted, uses_of


def uses(text: str) -> Uses:
    return uses_of(gast.parse(text).body[0])


@pytest.mark.parametrize(
    ("text", "reads", "writes"),
    [
        ("x = y + z", ["y", "z"], ["x"]),
        ("x += y", ["x", "y"], ["x"]),
        ("x[i] = y", ["x", "i", "y"], []),
        ("a, (b, *c) = d", ["d"], ["a", "b", "c"]),
        ("a.b.c = d", ["a", "d"], []),
        ("del x, y[i]", ["x", "y", "i"], ["x"]),
        ("import a.b, c as d", [], ["a", "d"]),
        ("from m import a, b as c", [], ["a", "c"]),
        ("for i in xs: body = i", ["xs"], ["i"]),
        ("with a as b, c: pass", ["a", "c"], ["b"]),
        ("x: int = y", ["y"], ["x"]),
        ("x: int", [], []),
        ("y = [x for x in xs if x > a]", ["xs", "a"], ["y"]),
        ("def f(a: t = d, *, k=e) -> r: return free", ["d", "e", "t", "r"], ["f"]),
        ("g = lambda x=d: x + free", ["d"], ["g"]),
        ("class C(Base): x = y", ["Base", "y"], ["C"]),
        ("if (m := f()) and m.ok: pass", ["f"], ["m"]),
        ("y = a and (m := f()) or m", ["a", "f", "m"], ["y", "m"]),
    ],
)
def test_reads_and_writes(text: str, reads: list[str], writes: list[str]) -> None:
    found = uses(text)
    assert (list(found.reads), sorted(found.writes)) == (reads, sorted(writes))


def test_a_walrus_that_may_not_run_is_written_only_maybe() -> None:
    assert list(uses("x = a and (y := b)").maybe) == ["y"]
    assert list(uses("x = (y := b) and a").maybe) == []


def test_a_generator_expression_reads_later() -> None:
    assert set(uses("g = (x * k for x in xs)").lazy) == {"xs", "k"}


def test_assigned_attributes_are_dotted_names() -> None:
    assert list(uses("self.a.b, f().c, x[0].d = 1, 2, 3").attributes) == ["self.a.b"]


def test_patterns_bind_names() -> None:
    (case,) = gast.parse("match x:\n    case {'k': [a, *b], **c} if a > d: pass").body[0].cases
    found = uses_of(case)
    assert list(found.writes) == ["c", "a", "b"]
    assert list(found.reads) == ["a", "d"]


@pytest.mark.parametrize("text", ["locals()", "vars()", "dir()", "eval('x')", "exec(code)"])
def test_calls_that_see_the_frame_are_noted(text: str) -> None:
    assert uses(text).frame_calls


@pytest.mark.parametrize("text", ["vars(x)", "eval('x', {})", "dir(x)", "x.locals()"])
def test_calls_that_see_no_frame_are_not(text: str) -> None:
    assert not uses(text).frame_calls


def test_dotted_names_have_plain_roots() -> None:
    assert dotted(gast.parse("a.b.c", mode="eval").body) == "a.b.c"
    assert dotted(gast.parse("a().b", mode="eval").body) is None
