from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.errors import GraphFormatError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.graph.reader import read_graph
from runtime.graph.verify import verify
from runtime.ops import control, elementwise
from runtime.spec import UNKNOWN, Dim, TensorSpec, make_spec
from tests.runtime.graph import hand_made
from tests.runtime.graph.hand_made import EXAMPLES
from tests.runtime.graph.random_graphs import SEEDS, random_graph
from tests.runtime.graph.test_printer import nested_branches

F3 = TensorSpec([3])


def refused(graph: Graph) -> str:
    """Return the message with which a graph is refused."""
    with pytest.raises(GraphFormatError) as caught:
        verify(graph)
    return str(caught.value)


def with_node(graph: Graph, number: int = 0, **changes) -> Graph:
    """Return a graph whose node of a number is changed."""
    nodes = list(graph.nodes)
    nodes[number] = replace(nodes[number], **changes)
    return replace(graph, nodes=tuple(nodes))


def with_region(graph: Graph, number: int, region: int, **changes) -> Graph:
    """Return a graph with a region of a node changed."""
    regions = list(graph.nodes[number].regions)
    regions[region] = replace(regions[region], **changes)
    return with_node(graph, number, regions=tuple(regions))


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_graph_that_was_built_is_well_formed(name):
    verify(EXAMPLES[name][0]())


@pytest.mark.parametrize("seed", SEEDS)
def test_random_graphs_are_well_formed(seed):
    verify(random_graph(seed, nodes=20, depth=3))


def test_the_message_names_the_node_its_place_and_the_line_of_the_program():
    graph = with_node(hand_made.doubled(), inputs=())
    message = refused(graph)
    assert message.startswith(
        "add takes 2 operands, and there are 0\n  in graph.nodes[0]: %0: f64[3] = add()\n  File "
    )
    assert "hand_made.py" in message


def test_the_place_of_a_node_in_a_region_leads_to_it():
    graph = hand_made.branch()
    broken = replace(graph.nodes[0].regions[0].nodes[0], inputs=())
    graph = with_region(graph, 0, 0, nodes=(broken,))
    assert "in graph.nodes[0].regions[0].nodes[0]: %1: f64[3] = add()" in refused(graph)


def test_a_value_that_is_defined_nowhere_is_refused():
    graph = hand_made.doubled()
    graph = with_node(graph, inputs=(graph.params[0], Value(F3)))
    assert refused(graph).startswith("operand 1 is defined nowhere before it\n")
    assert "add(%x, %?)" in refused(graph)


def test_a_value_that_is_defined_later_is_refused():
    graph = hand_made.running_sum()
    nodes = (graph.nodes[2], *graph.nodes[:2])
    assert refused(replace(graph, nodes=nodes)).startswith("operand 0 is defined nowhere before it")


def test_a_region_that_uses_a_value_from_outside_is_refused():
    graph = hand_made.branch()
    node = replace(graph.nodes[0].regions[0].nodes[0], inputs=(graph.params[1],) * 2)
    graph = with_region(graph, 0, 0, nodes=(node,))
    assert refused(graph).startswith("operand 0 is defined outside of this region\n")


def test_a_node_that_stands_there_twice_is_refused():
    graph = hand_made.doubled()
    message = refused(replace(graph, nodes=graph.nodes * 2))
    assert message.startswith("it has results that are defined twice")
    assert "in graph.nodes[1]" in message


def test_a_region_that_is_shared_is_refused():
    graph = hand_made.branch()
    graph = with_node(graph, regions=graph.nodes[0].regions[:1] * 2)
    assert "has parameters that are defined twice" in refused(graph)


def test_a_parameter_that_stands_there_twice_is_refused():
    graph = hand_made.doubled()
    assert refused(replace(graph, params=graph.params * 2)) == (
        "graph has parameters that are defined twice"
    )


def test_a_result_of_the_graph_that_is_not_defined_is_refused():
    graph = replace(hand_made.doubled(), results=(Value(F3),))
    assert refused(graph) == "graph returns a value (result 0) that is not defined in it"


def test_a_result_of_a_region_from_outside_is_refused():
    graph = hand_made.branch()
    graph = with_region(graph, 0, 1, results=(graph.params[1],))
    assert "graph.nodes[0].regions[1] returns a value (result 0)" in refused(graph)


def test_too_few_operands_for_a_variadic_op_are_refused():
    graph = with_node(hand_made.branch(), inputs=())
    assert refused(graph).startswith("cond takes at least 1 operands, and there are 0")


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({}, "while_loop() needs the argument 'carry'"),
        ({"carry": 2, "lost": 1}, "while_loop() has no argument 'lost'"),
        ({"carry": "two"}, "the rule of while_loop refuses it"),
        ({"carry": 1}, "the rule of while_loop refuses it: a region returns 2 values, and 1 are"),
        ({"carry": 9}, "the rule of while_loop refuses it: a region returns 2 values, and 9 are"),
    ],
)
def test_wrong_attributes_are_refused(attrs, message):
    given = {"label": None, "quiet": False, **attrs} if attrs else attrs
    assert refused(with_node(hand_made.loop(), attrs=given)).startswith(message)


def test_an_attribute_that_has_its_default_must_be_there():
    graph = with_node(hand_made.running_sum(), 2, attrs={"carry": 1, "sequences": 1})
    assert refused(graph).startswith("the attribute 'length' is missing")


def test_a_spec_that_is_not_the_one_of_the_rule_is_refused():
    graph = hand_made.doubled()
    wrong = Value(TensorSpec([4]))
    message = refused(replace(with_node(graph, results=(wrong,)), results=(wrong,)))
    assert message.startswith("result 0 is f64[3] by the rule of add, not f64[4]")


def test_a_wrong_number_of_results_is_refused():
    graph = with_node(hand_made.doubled(), results=())
    assert refused(replace(graph, results=())).startswith("add gives 1 results, and there are 0")


@pytest.mark.parametrize("number", [1, 3])
def test_a_branch_with_a_wrong_number_of_regions_is_refused(number):
    graph = hand_made.choice()
    attrs, regions = control.cond.attributes({}), graph.nodes[0].regions[:number]
    node = replace(graph.nodes[0], op=control.cond, attrs=attrs, regions=regions)
    message = f"the rule of cond refuses it: there are {number} regions, and 2 are needed"
    assert refused(replace(graph, nodes=(node,))).startswith(message)


def test_an_op_without_the_regions_that_it_needs_is_refused():
    graph = with_node(hand_made.branch(), regions=())
    assert refused(graph).startswith("the rule of cond refuses it")


def test_an_op_with_regions_that_it_does_not_have_is_refused():
    graph = with_node(hand_made.doubled(), regions=(Graph((), (), ()),))
    assert refused(graph).startswith("the rule of add refuses it")


@pytest.mark.parametrize(
    ("make", "node", "region", "operand"),
    [
        (hand_made.branch, 0, 0, 1), (hand_made.choice, 0, 2, 1), (hand_made.loop, 0, 0, 1),
        (hand_made.loop, 0, 1, 1), (hand_made.running_sum, 2, 0, 2),
    ],
)  # fmt: skip
def test_a_parameter_of_a_region_that_does_not_fit_is_refused(make, node, region, operand):
    graph = make()
    params = list(graph.nodes[node].regions[region].params)
    params[-1] = Value(TensorSpec([3], "int8"))
    results = graph.nodes[node].regions[region].results
    graph = with_region(graph, node, region, params=tuple(params), nodes=(), results=results)
    assert f"the rule of {graph.nodes[node].op.name} refuses it" in refused(graph)


@pytest.mark.parametrize(
    ("make", "node", "region"),
    [(hand_made.branch, 0, 1), (hand_made.loop, 0, 0), (hand_made.running_sum, 2, 0)],
)
def test_a_wrong_number_of_parameters_of_a_region_is_refused(make, node, region):
    graph = make()
    graph = with_region(graph, node, region, params=())
    assert "a region has 0 parameters" in refused(graph)


@pytest.mark.parametrize(("make", "region"), [(hand_made.loop, 0), (hand_made.branch, 1)])
def test_a_wrong_number_of_results_of_a_region_is_refused(make, region):
    graph = with_region(make(), 0, region, results=())
    assert "a region returns 0 values, and 1 are needed" in refused(graph)


def sum_of(left: TensorSpec, right: TensorSpec, given: TensorSpec) -> Graph:
    """Return a graph that adds, with a result that is said to have the spec `given`."""
    x, y, z = map(Value, (left, right, given))
    return Graph((x, y), (Node(elementwise.add, (x, y), {}, (), (z,), None),), (z,))


def test_a_size_of_a_loop_that_has_a_name_outside_stays_what_it_is():
    text = """graph(%x: f64[n], %c: int) {
      %0: f64[m] = reduce(%c, %x, carry=1, sequences=0) {
        (%1: int, %y: f64[NAME])
        %2: f64[k] = concatenate(%y, %y)
        return %2
      }
      return %0
    }"""
    verify(read_graph(text.replace("NAME", "of_the_round")))
    message = r"starts as f64\[n\], is f64\[n\], becomes f64\[k\]"
    with pytest.raises(GraphFormatError, match=message):
        read_graph(text.replace("NAME", "n"))


@pytest.mark.parametrize("size", [UNKNOWN, Dim("d3")])
def test_a_size_that_the_rule_does_not_know_may_have_any_name(size):
    given = make_spec(F3.dtype, (size,))
    verify(sum_of(TensorSpec(["n"]), TensorSpec(["m"]), given))


def test_a_size_that_the_rule_does_not_know_may_not_be_a_number():
    message = refused(sum_of(TensorSpec(["n"]), TensorSpec(["m"]), F3))
    assert message.startswith("result 0 is f64[?] by the rule of add, not f64[3]")


def test_a_size_that_the_rule_names_keeps_its_name():
    message = refused(sum_of(TensorSpec(["n"]), TensorSpec(["n"]), TensorSpec(["m"])))
    assert message.startswith("result 0 is f64[n] by the rule of add, not f64[m]")


def test_an_unknown_rank_must_stay_unknown():
    verify(sum_of(TensorSpec(None), F3, TensorSpec(None)))
    message = refused(sum_of(TensorSpec(None), F3, F3))
    assert message.startswith("result 0 is f64[...] by the rule of add, not f64[3]")


def test_the_name_of_a_spec_does_not_matter():
    verify(sum_of(TensorSpec([3], name="x"), TensorSpec([3], name="x"), F3))


def test_regions_are_checked_at_any_depth():
    verify(nested_branches(1500))


def test_a_mistake_in_the_innermost_region_is_found():
    builder = Builder()
    x = builder.param(F3, "x")
    captured = hand_made.region(builder, [], lambda inner: [Value(F3)] and [inner.resolve(x)], [x])
    broken = replace(captured, results=(Value(F3),))
    z = Value(F3)
    test = builder.param(TensorSpec((), bool), "t")
    node = Node(
        control.cond, (test, x), control.cond.attributes({}), (captured, broken), (z,), None
    )
    assert "graph.nodes[0].regions[1] returns" in refused(Graph((x, test), (node,), (z,)))
