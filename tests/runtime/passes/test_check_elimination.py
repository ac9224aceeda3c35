from __future__ import annotations

import numpy as np
import pytest

from runtime.graph.interpret import interpret
from runtime.graph.node import Graph
from runtime.graph.printer import print_graph
from runtime.graph.reader import read_graph
from runtime.graph.verify import verify
from runtime.graph.walk import walk
from runtime.passes.check_elimination import remove_passed_checks


def removed(text: str) -> Graph:
    found = remove_passed_checks(read_graph(text))
    verify(found)
    return found


def checks(graph: Graph) -> list[str]:
    return [node.attrs["message"] for node in walk(graph) if node.op.name == "check"]


def test_a_check_of_what_was_checked_before_goes():
    found = removed(
        "graph(%t: bool[], %s: bool[]) { check(%t, message='a') check(%s, message='b')"
        " check(%t, message='c') return }"
    )
    assert checks(found) == ["a", "b"]


@pytest.mark.parametrize(("value", "left"), [("True", []), ("False", ["a"]), ("bool(True)", [])])
def test_a_check_of_a_known_truth_goes(value, left):
    found = removed(
        f"graph() {{ %0: {'bool[]' if '(' in value else 'bool'} = constant("
        f"value={value}) check(%0, message='a') return }}"
    )
    assert checks(found) == left


def test_what_was_checked_outside_is_known_in_regions_and_not_the_other_way_round():
    found = removed(
        "graph(%t: bool[], %s: bool[]) { check(%t, message='a') cond(%s, %t, %s) {"
        " (%1: bool[], %2: bool[]) check(%1, message='b') check(%2, message='c') return } {"
        " (%3: bool[], %4: bool[]) return } check(%s, message='d') return }"
    )
    assert checks(found) == ["a", "c", "d"]


def test_what_changes_in_a_loop_is_checked_in_each_round():
    text = (
        "graph(%t: bool[], %s: bool[], %n: int) { check(%t, message='a')"
        " %0: bool[] = reduce(%n, %t, %s, carry=1, sequences=0) {"
        " (%1: int, %2: bool[], %3: bool[]) check(%2, message='b') return %3 } return %0 }"
    )
    found = removed(text)
    assert checks(found) == ["a", "b"]
    with pytest.raises(AssertionError, match="b"):
        interpret(found, [np.True_, np.False_, 2], np)


def test_a_graph_without_such_checks_is_the_same():
    graph = read_graph("graph(%t: bool[]) { check(%t) return }")
    assert remove_passed_checks(graph) is graph
    assert "check(%t)" in print_graph(graph)
