"""The containers of a value, as objects."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.tree_nodes import mutable_nodes, taken_apart


@dataclass
class Pair:
    a: object
    b: object


def test_mutable_nodes_come_in_preorder_and_are_the_objects_themselves():
    inner, mapping = [1], {"k": (2, [3])}
    pair = Pair(inner, None)
    value = (pair, mapping, 4)
    found = mutable_nodes(value)
    assert [type(x) for x in found] == [Pair, list, dict, list]
    assert found[0] is pair
    assert found[1] is inner
    assert found[2] is mapping


def test_a_leaf_cannot_be_taken_apart():
    assert taken_apart(3) is None
    assert taken_apart({"k": 3}) == ((3,), (("k",), (str,)))
