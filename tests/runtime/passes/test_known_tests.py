from __future__ import annotations

import numpy as np
import pytest

from runtime.graph.interpret import interpret
from runtime.graph.reader import read_graph
from runtime.graph.verify import verify
from runtime.graph.walk import walk
from runtime.passes.known_tests import tell_tests
from runtime.passes.pipeline import optimise

ASKED = {
    "the test": ("", "%{a}"),
    "what is not": ("%{c}: bool = not_(%{a})", "%{c}"),
    "what is not not": ("%{d}: bool = not_(%{a}) %{c}: bool = not_(%{d})", "%{c}"),
}


def twice(kind: str, asked: str) -> str:
    """Return the text of a graph whose branch asks its test once more in each arm."""

    def arm(k: int, op: str) -> str:
        names = {name: f"{name}{k}" for name in "abcd"}
        before, test = (x.format(**names) for x in ASKED[asked])
        return (
            f"{{ (%a{k}: {kind}, %b{k}: f64[2]) {before} %e{k}: f64[2] = cond({test}, %b{k}) {{"
            f" (%f{k}: f64[2]) %g{k}: f64[2] = {op}(%f{k}) return %g{k} }}"
            f" {{ (%h{k}: f64[2]) return %h{k} }} return %e{k} }}"
        )

    outer = f"%z: f64[2] = cond(%t, %t, %x) {arm(1, 'negative')} {arm(2, 'square')}"
    return f"graph(%t: {kind}, %x: f64[2]) {{ {outer} return %z }}"


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("kind", ["bool", "bool[]"])
def test_a_test_is_known_in_the_arms_of_its_branch(kind: str, asked: str) -> None:
    graph = read_graph(twice(kind, asked))
    told = tell_tests(graph)
    verify(told)
    assert sum(x.op.name == "cond" for x in walk(optimise(graph))) == 1
    for truth in (True, False):
        given = [truth if kind == "bool" else np.bool_(truth), np.array([2.0, -3.0])]
        (expected,), (found,) = interpret(graph, given, np), interpret(told, given, np)
        np.testing.assert_array_equal(found, expected, strict=True)


def test_a_number_is_not_known_where_it_is_found_true() -> None:
    graph = read_graph(twice("int", "the test"))
    assert tell_tests(graph) is graph
