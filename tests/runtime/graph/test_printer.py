from __future__ import annotations

import numpy as np
import pytest

from runtime.errors import GraphFormatError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.printer import node_line, print_graph, value_names
from runtime.ops import control
from runtime.spec import TensorSpec
from tests.runtime.graph import hand_made
from tests.runtime.graph.hand_made import emit
from tests.runtime.graph.random_graphs import random_graph

BRANCH = """\
graph(%test: bool[], %x: f64[3]) {
  %0: f64[3] = cond(%test, %x) {
    (%x_1: f64[3])
    %1: f64[3] = add(%x_1, %x_1)
    return %1
  } {
    (%x_2: f64[3])
    return %x_2
  }
  return %0
}"""
LOOP = """\
graph(%n: int, %x: f64[3]) {
  %0: int, %1: f64[3] = while_loop(%n, %x, carry=2) {
    (%2: int, %3: f64[3])
    return %2
  } {
    (%4: int, %5: f64[3])
    %6: int = constant(value=-1)
    %7: int = add(%4, %6)
    %8: f64[3] = add(%5, %5)
    return %7, %8
  }
  return %0, %1
}"""
RUNNING_SUM = """\
graph(%x: f64[3]) {
  %0: f64[] = constant(value=f64(0.0))
  %1: int = constant(value=3)
  %2: f64[], %3: f64[3] = reduce(%1, %0, %x, carry=1, sequences=1, length=3) {
    (%4: int, %5: f64[], %6: f64[])
    %7: f64[] = add(%5, %6)
    return %7, %7
  }
  return %2, %3
}"""


def params_line(*params: tuple[TensorSpec, str | None]) -> str:
    builder = Builder()
    values = [builder.param(spec, name) for spec, name in params]
    return print_graph(builder.seal(values, [])).split("\n")[0]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (hand_made.branch, BRANCH),
        (hand_made.loop, LOOP),
        (hand_made.running_sum, RUNNING_SUM),
    ],
)
def test_a_graph_prints_with_its_regions_indented(make, text):
    assert print_graph(make()) == text


def test_an_empty_graph_prints():
    assert print_graph(Graph((), (), ())) == "graph() {\n  return\n}"


def test_the_same_graph_made_again_has_the_same_text():
    assert print_graph(random_graph(5, nodes=50)) == print_graph(random_graph(5, nodes=50))


def test_parameters_of_one_name_are_told_apart():
    x = TensorSpec(())
    line = params_line((x, "x"), (x, "x_1"), (x, "x"), (x, "x"))
    assert line == "graph(%x: f64[], %x_1: f64[], %x_2: f64[], %x_3: f64[]) {"


def test_a_parameter_without_a_usable_name_is_numbered():
    x = TensorSpec(())
    assert params_line((x, None), (x, "7"), (x, "")) == "graph(%0: f64[], %1: f64[], %2: f64[]) {"


def test_a_name_that_is_no_identifier_is_made_one():
    assert params_line((TensorSpec(()), "x[0].y")) == "graph(%x_0__y: f64[]) {"


def test_unknown_sizes_print_by_name():
    line = params_line((TensorSpec(["n", 3]), "x"), (TensorSpec(None, "int8"), "y"))
    assert line == "graph(%x: f64[n, 3], %y: i8[...]) {"


def test_an_attribute_with_its_default_is_left_out():
    text = print_graph(hand_made.running_sum())
    (node,) = (n for n in hand_made.running_sum().nodes if n.op is control.reduce)
    assert "length=3" in text
    assert "length" not in node_line(_with_attrs(node, length=None), {})


def test_an_attribute_that_only_equals_its_default_is_written():
    (node,) = (n for n in hand_made.running_sum().nodes if n.op is control.reduce)
    assert "length=False" in node_line(_with_attrs(node, length=False), {})


def _with_attrs(node: Node, **attrs) -> Node:
    return Node(node.op, node.inputs, {**node.attrs, **attrs}, (), node.results, None)


def test_attributes_print_in_the_order_of_the_signature():
    (node,) = (n for n in hand_made.running_sum().nodes if n.op is control.reduce)
    turned = Node(node.op, (), dict(reversed(node.attrs.items())), (), (), None)
    assert node_line(turned, {}) == "reduce(carry=1, sequences=1, length=3)"


def constant_graph(value):
    builder = Builder()
    return builder.seal([], [emit(builder, "constant", value=value)])


def test_large_constants_are_elided_for_people_only():
    graph = constant_graph(np.zeros(100))
    assert "constant(value=f64[100](...))" in print_graph(graph)
    assert "base64" in print_graph(graph, elide=False)


def test_what_has_no_text_is_refused_unless_the_text_is_for_people():
    graph = constant_graph(1)
    node = _with_attrs(graph.nodes[0], value=print)
    graph = Graph((), (node,), node.results)
    assert "constant(value=<builtin_function_or_method>)" in print_graph(graph)
    with pytest.raises(GraphFormatError, match="has no text"):
        print_graph(graph, elide=False)


def test_a_value_that_is_not_defined_prints_as_such():
    lost = Value(TensorSpec(()))
    assert print_graph(Graph((), (), (lost,))) == "graph() {\n  return %?\n}"


def test_value_names_are_those_of_the_text():
    graph = hand_made.doubled()
    assert [value_names(graph)[v] for v in (*graph.params, *graph.results)] == ["%x", "%0"]


def test_regions_print_at_any_depth():
    graph = nested_branches(1500)
    assert print_graph(graph).count("cond(") == 1500


def nested_branches(depth: int) -> Graph:
    """Return a branch in a branch in a branch ..."""
    spec = TensorSpec((), bool)
    inner = Builder()
    x = inner.param(spec)
    graph = inner.seal([x], [x])
    for _ in range(depth):
        builder = Builder()
        x = builder.param(spec)
        other = Builder()
        y = other.param(spec)
        regions = [graph, other.seal([y], [y])]
        graph = builder.seal(
            [x], builder.emit(control.cond, [x, x], control.cond.attributes({}), regions)
        )
    return graph
