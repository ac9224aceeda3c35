from __future__ import annotations

from runtime.graph.builder import Builder
from runtime.graph.node import Graph
from runtime.graph.opdef import OpDef
from runtime.graph.walk import count_nodes, effects, walk
from runtime.spec import TensorSpec
from tests.runtime.graph import hand_made
from tests.runtime.graph.hand_made import region, unregistered
from tests.runtime.graph.test_printer import nested_branches


def effect_op(effect: str) -> OpDef:
    """Return an op that does nothing but have an effect."""
    return unregistered("touch(x)", lambda x: x, effect)


def names(graph: Graph) -> list[str]:
    return [node.op.name for node in walk(graph)]


def test_the_nodes_of_regions_come_before_the_node_that_has_them():
    assert names(hand_made.loop()) == ["constant", "add", "add", "while_loop"]


def test_regions_and_nodes_come_in_their_order():
    assert names(hand_made.choice()) == ["constant", "add"] * 3 + ["switch"]
    assert names(hand_made.running_sum()) == ["constant", "constant", "add", "reduce"]


def test_nodes_are_counted_with_those_of_regions():
    assert count_nodes(hand_made.loop()) == 4


def test_regions_are_walked_at_any_depth():
    assert count_nodes(nested_branches(3000)) == 3000


def test_a_node_without_effects_has_none():
    assert effects(hand_made.loop().nodes[0]) == frozenset()


def test_the_effects_of_a_node_include_those_of_its_regions():
    builder = Builder()
    test, x = builder.param(TensorSpec((), bool)), builder.param(TensorSpec(()))
    then = region(builder, [], lambda inner: inner.emit(effect_op("output"), [x], {}), [x])
    else_ = region(builder, [], lambda inner: inner.emit(effect_op("random"), [x], {}), [x])
    regions = [then, else_]
    hand_made.emit(builder, "cond", test, x, regions=regions)
    assert effects(builder.nodes[0]) == {"output", "random"}
