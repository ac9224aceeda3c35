"""The names of a function."""

from __future__ import annotations

import textwrap

import gast

from autograph.analysis.facts import Facts
from autograph.analysis.scopes import Scope


def scope(text: str) -> Scope:
    return Facts().scope(gast.parse(textwrap.dedent(text)).body[0])


def test_parameters_and_assigned_names_are_bound() -> None:
    found = scope(
        """
        def f(a, /, b, *c, d, **e):
            g = h
            for i in b:
                with i as j: pass
            try: pass
            except ValueError as k: import l.m
        """
    )
    assert found.bound == set("abcdegijkl")
    assert found.free == {"h", "ValueError"}


def test_declared_names_are_not_bound() -> None:
    found = scope("def f():\n    global a\n    nonlocal b\n    a = b = c = 1")
    assert (found.bound, found.globals, found.nonlocals) == ({"c"}, {"a"}, {"b"})
    assert found.outward == {"a", "b"}


def test_names_of_inner_functions_are_captured() -> None:
    found = scope(
        """
        def f(x, y, z):
            def g(a):
                nonlocal y
                return lambda: (a, x)
            class C:
                def method(self): return z
            return (w for w in x)
        """
    )
    assert found.captured == {"x", "y", "z"}


def test_a_comprehension_captures_nothing_but_binds_a_walrus() -> None:
    found = scope("def f(xs, k):\n    return [y := x * k for x in xs]")
    assert found.captured == set()
    assert found.bound == {"xs", "k", "y"}
    assert found.inner == {"x"}


def test_a_generator_is_known_by_its_own_yield_only() -> None:
    assert scope("def f():\n    x = yield").suspends
    assert not scope("def f():\n    def g(): yield\n    return g").suspends


def test_a_scope_prints_sorted_names() -> None:
    text = str(scope("def f(b, a):\n    global c\n    return lambda: b + d"))
    assert text == "bound: a, b\nglobals: c\ncaptured: b, d\nfree: d"
