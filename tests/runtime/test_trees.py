from __future__ import annotations

import doctest
import pickle
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime import trees
from runtime.errors import StructureError
from runtime.spec import TensorSpec
from runtime.tree_classes import register_leaf, register_tree
from runtime.trees import (
    LEAF,
    difference,
    flatten,
    map_tree,
    paths,
    unflatten,
    )  # fmt: skip


class Point(NamedTuple):
    x: Any
    y: Any = 0


@dataclass
class Line:
    start: Any
    end: Any
    note: str = "none"


@dataclass(
    frozen=True,
    slots=True,
)
class Frozen:
    a: Any
    b: Any = field(init=False, default=5)


def structure(value):
    return flatten(value)[1]


VALUES = [
    1, None, (), [], {}, (1,), (1, 2), [1, [2, (3, None)]], {"a": 1, 2: (3,), (4, 5): [6]},
    Point(1, [2]), Line(1, (2, 3)), Frozen({"k": 1}), OrderedDict(b=1, a=2),
    [Point(None), Line(0, 0)],
]  # fmt: skip
nested = st.recursive(
    st.integers() | st.none() | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=2) | st.integers() | st.booleans(), inner, max_size=4)
        | st.builds(Point, inner, inner)
        | st.builds(Line, inner, inner)
    ),
    max_leaves=20,
)


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(trees).failed == 0


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_unflatten_makes_what_was_flattened(value):
    leaves, found = flatten(value)
    again = unflatten(found, leaves)
    assert again == value
    assert type(again) is type(value)


@given(nested)
def test_unflatten_makes_any_nested_value_again(value):
    leaves, found = flatten(value)
    assert unflatten(found, leaves) == value
    assert found == structure(value)
    assert len(paths(found)) == len(leaves) == found.count


@given(nested, nested)
def test_structures_differ_exactly_when_a_difference_is_found(a, b):
    left, right = structure(a), structure(b)
    assert (left == right) == (difference(left, right) is None)


def test_leaves_come_in_the_order_of_the_containers():
    assert flatten({"b": 1, "a": (2, [3, Point(4, 5)])})[0] == (1, 2, 3, 4, 5)


def test_none_is_a_node_without_leaves():
    assert flatten(None) == ((), structure(None))
    assert structure(None) != LEAF


@pytest.mark.parametrize("value", [3, "text", {1, 2}, object, range(3), b"x"], ids=repr)
def test_anything_else_is_a_leaf(value):
    assert flatten(value) == ((value,), LEAF)


def test_a_subclass_of_a_container_is_a_leaf():
    class Mine(list):
        pass

    assert structure(Mine([1, 2])) == LEAF


def test_a_dataclass_that_is_also_a_builtin_is_a_leaf():
    @dataclass
    class Failure(Exception):
        code: int

    assert structure(Failure(3)) == LEAF


def test_the_class_of_a_dataclass_is_a_leaf():
    assert structure(Line) == LEAF


def test_a_tensor_spec_is_a_leaf():
    spec = TensorSpec([3])
    assert flatten((spec, 1))[0] == (spec, 1)


def test_a_dataclass_is_made_without_its_init():
    @dataclass
    class Counted:
        n: int
        made: list = field(init=False)

        def __post_init__(self):
            self.made = ["init"]

    value = Counted(1)
    value.made = [2, 3]
    leaves, found = flatten(value)
    assert leaves == (1, 2, 3)
    assert unflatten(found, leaves).made == [2, 3]


def test_a_field_that_was_never_set_stays_unset():
    @dataclass
    class Late:
        now: int
        later: int = field(init=False)

    leaves, found = flatten(Late(1))
    assert leaves == (1,)
    assert not hasattr(unflatten(found, leaves), "later")


def test_a_default_dict_keeps_its_factory():
    value = defaultdict(list, a=[1])
    again = unflatten(structure(value), [2])
    assert again["b"] == []
    assert again["a"] == [2]


def test_equal_structures_are_equal_and_hash_equally():
    a, b = structure({"a": (1, None)}), structure({"a": ("x", None)})
    assert a == b
    assert hash(a) == hash(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((1, 2), [1, 2]), ((1, 2), (1, 2, 3)), ({"a": 1, "b": 2}, {"b": 1, "a": 2}),
        ({1: 0}, {True: 0}), ((1, (2,)), ((1,), 2)), (None, ()), (Point(1, 2), (1, 2)),
        (Line(1, 2), Frozen(1)),
    ],
    ids=repr,
)  # fmt: skip
def test_different_structures_are_different(a, b):
    assert structure(a) != structure(b)


def test_a_structure_differs_from_anything_that_is_none():
    assert LEAF != None  # noqa: E711  (the operator is what is tested)
    assert LEAF != (None,)


def test_flat_tuples_of_one_length_share_their_structure():
    assert structure((1, 2)) is structure(("a", b"b"))


def test_a_structure_prints_as_the_value_with_stars():
    value = (1, [2, None], {"k": (3,)}, Point(1, 2), Line(1, 2), OrderedDict(a=1), ())
    assert str(structure(value)) == (
        "(*, [*, None], {'k': (*,)}, Point(x=*, y=*), Line(start=*, end=*, note=*), "
        "OrderedDict({'a': *}), ())"
    )


def test_a_structure_can_be_pickled():
    found = structure((1, {"a": Point(1, 2)}))
    assert pickle.loads(pickle.dumps(found)) == found


def test_paths_name_each_leaf_as_it_is_written():
    value = (1, {"k": [2, 3]}, Point(4, Line(5, 6)))
    assert paths(structure(value), "x") == [
        "x[0]", "x[1]['k'][0]", "x[1]['k'][1]", "x[2].x", "x[2].y.start", "x[2].y.end",
        "x[2].y.note",
    ]  # fmt: skip


def test_the_path_of_a_lone_leaf_is_the_root():
    assert paths(LEAF, "x") == ["x"]


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ((1, [2]), (1, (2,)), "x[1] is [*] in one and (*,) in the other"),
        ({"a": 1}, {"b": 1}, "x is {'a': *} in one and {'b': *} in the other"),
        ([1, 2], [1, 2, 3], "x is [*, *] in one and [*, *, *] in the other"),
        ((1,), (None,), "x[0] is a leaf in one and None in the other"),
        ([0] * 99, [0] * 98, "x is a list of 99 in one and a list of 98 in the other"),
    ],
)
def test_a_difference_is_told_in_words(a, b, message):
    assert difference(structure(a), structure(b), "x") == message


def test_equal_structures_have_no_difference():
    assert difference(structure((1, [2])), structure((3, [4]))) is None


def test_a_difference_is_found_between_values_as_well_as_structures():
    assert difference((1,), structure(2)) == "the value is (*,) in one and a leaf in the other"


def test_map_tree_keeps_the_structure():
    value = {"a": (1, None), "b": [Point(2, 3)]}
    assert map_tree(lambda x: -x, value) == {"a": (-1, None), "b": [Point(-2, -3)]}


@pytest.mark.parametrize("leaves", [(), (1,), (1, 2, 3)])
def test_a_wrong_number_of_leaves_is_refused(leaves):
    message = rf"\(\*, \*\) has 2 leaves, and {len(leaves)} are given"
    with pytest.raises(StructureError, match=message):
        unflatten(structure((1, 2)), leaves)


def test_a_list_that_contains_itself_is_refused():
    value = [1]
    value.append({"k": value})
    with pytest.raises(StructureError, match="a list contains itself"):
        flatten((value, 2))


def test_dataclasses_that_point_back_are_objects():
    @dataclass
    class Node:
        name: str
        parent: Any = None
        children: dict[str, Any] = field(default_factory=dict)

    root = Node("root")
    root.children["a"] = child = Node("a", root)
    assert flatten([child, 2])[0] == (child, 2)
    assert flatten(Node("alone"))[0][0].name == "alone"


def test_a_large_value_with_shared_parts_is_no_cycle():
    shared = [1, None]
    assert len(flatten([shared] * 20_000)[0]) == 20_000


def test_no_depth_is_too_much():
    value: Any = 1
    for _ in range(20_000):
        value = [value]
    leaves, found = flatten(value)
    assert leaves == (1,)
    assert hash(found) == hash(structure(value))
    assert str(found).count("[") == 20_000
    again = unflatten(found, [2])
    while isinstance(again, list):
        (again,) = again
    assert again == 2


class Box:
    def __init__(self, content, label):
        self.content, self.label = content, label


register_tree(Box, lambda box: ([box.content], box.label), lambda label, parts: Box(*parts, label))


def test_a_registered_class_is_a_node():
    leaves, found = flatten([Box((1, 2), "a")])
    again = unflatten(found, [3, 4])[0]
    assert leaves == (1, 2)
    assert (again.content, again.label) == ((3, 4), "a")
    assert str(found) == "[Box((*, *))]"
    assert paths(found, "x") == ["x[0][0][0]", "x[0][0][1]"]


def test_the_data_of_a_registered_class_belong_to_the_structure():
    assert structure(Box(1, "a")) != structure(Box(1, "b"))


def test_a_registered_class_can_name_its_children():
    class Pair:
        def __init__(self, *items):
            self.items = items

    register_tree(
        Pair,
        lambda p: (p.items, None),
        lambda _, items: Pair(*items),
        lambda _: (".left", ".right"),
    )
    assert paths(structure(Pair(1, 2)), "p") == ["p.left", "p.right"]


def test_a_class_that_was_met_as_a_leaf_can_be_registered_later():
    class Late:
        pass

    assert structure(Late()) == LEAF
    register_tree(Late, lambda _: ((), None), lambda *_: Late())
    assert structure(Late()) != LEAF


def test_a_dataclass_can_be_registered_in_its_own_way():
    @dataclass
    class Scaled:
        array: Any
        scale: float

    structure(Scaled(1, 2.0))
    register_tree(
        Scaled, lambda s: ((s.array,), s.scale), lambda scale, parts: Scaled(*parts, scale)
    )
    assert flatten(Scaled(1, 2.0))[0] == (1,)


@pytest.mark.parametrize("cls", [Box, tuple, dict])
def test_a_class_is_registered_once(cls):
    with pytest.raises(TypeError, match=f"{cls.__name__} is a tree already"):
        register_tree(cls, lambda value: ((), None), lambda *_: None)


def test_a_named_tuple_can_be_made_a_leaf():
    Tag = namedtuple("Tag", "a b")
    register_leaf(Tag)
    assert structure((Tag(1, 2),)) == structure((0,))
