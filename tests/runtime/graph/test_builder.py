from __future__ import annotations

import numpy as np
import pytest

from runtime.errors import LeakedSymbolError, ShapeError
from runtime.graph.builder import Builder, Context
from runtime.spec import TensorSpec
from tests.runtime.graph import hand_made
from tests.runtime.graph.hand_made import INT, emit, unregistered

F3 = TensorSpec([3])


def test_nodes_stand_in_the_order_of_their_emission():
    builder = Builder()
    x = builder.param(F3)
    emit(builder, "add", x, x)
    emit(builder, "constant", value=1)
    assert [node.op.name for node in builder.nodes] == ["add", "constant"]


def test_a_sealed_graph_is_closed_to_nothing_but_reading():
    builder = Builder()
    builder.seal([], [])
    assert not builder.is_open


def test_results_have_the_specs_of_the_rule():
    builder = Builder()
    x, y = builder.param(TensorSpec([2, 1], "float32")), builder.param(TensorSpec([3], "int8"))
    assert str(emit(builder, "add", x, y).spec) == "f32[2, 3]"


def test_a_size_that_no_rule_knows_gets_a_name_of_its_own():
    builder = Builder()
    x, y = builder.param(TensorSpec([None])), builder.param(TensorSpec(["n"]))
    total = emit(builder, "add", x, y)
    again = emit(builder, "add", x, y)
    assert [str(v.spec) for v in (x, total, again)] == ["f64[d0]", "f64[d1]", "f64[d2]"]


def test_a_size_is_not_given_a_name_that_the_user_chose():
    builder = Builder()
    builder.param(TensorSpec(["d0"]))
    assert str(builder.param(TensorSpec([None])).spec) == "f64[d1]"


def test_sizes_in_regions_have_names_of_their_own():
    builder = Builder()
    builder.param(TensorSpec([None]))
    assert str(Builder(builder).param(TensorSpec([None])).spec) == "f64[d1]"


def test_an_error_of_a_rule_names_the_operands_and_the_line():
    builder = Builder()
    x, y = builder.param(F3, "x"), builder.param(TensorSpec([4]), "y")
    with pytest.raises(ShapeError) as caught:
        emit(builder, "add", x, y)
    message = str(caught.value)
    assert message.startswith("add(f64[3], f64[4]): ")
    assert 'hand_made.py", line' in message
    assert builder.nodes == []


def test_a_node_knows_the_line_that_made_it():
    builder = Builder()
    emit(builder, "constant", value=1)
    location = builder.nodes[0].location
    assert location.function == "emit"
    assert location.file == hand_made.__file__


def test_a_value_of_another_graph_is_refused():
    stranger = Builder().param(F3)
    builder = Builder()
    with pytest.raises(LeakedSymbolError, match="a value of one graph was used in another"):
        emit(builder, "add", stranger, stranger)


def test_a_value_from_outside_becomes_one_parameter_of_a_region():
    outer = Builder()
    x = outer.param(F3, "x")
    inner = Builder(outer)
    total = emit(inner, "add", x, x)
    graph = inner.seal([], [total], inner.captured())
    (param,) = graph.params
    assert inner.captured() == [x]
    assert graph.nodes[0].inputs == (param, param)
    assert (param.name, param.spec) == ("x", F3)


def test_a_value_from_far_outside_is_passed_through_every_region():
    outer = Builder()
    x = outer.param(F3)
    middle = Builder(outer)
    inner = Builder(middle)
    emit(inner, "add", x, x)
    assert middle.captured() == [x]
    assert inner.captured() == [middle.resolve(x)]


def test_captures_come_in_the_order_of_their_first_use():
    outer = Builder()
    x, y = outer.param(F3), outer.param(F3)
    inner = Builder(outer)
    emit(inner, "add", y, x)
    assert inner.captured() == [y, x]


def test_a_builder_encloses_itself_and_its_regions_only():
    outer = Builder()
    inner = Builder(outer)
    assert outer.encloses(inner)
    assert inner.encloses(inner)
    assert not inner.encloses(outer)


def test_a_rollback_drops_what_was_made_but_constants():
    builder = Builder()
    x = builder.param(INT)
    emit(builder, "add", x, x)
    mark = builder.mark()
    emit(builder, "constant", value=np.float64(1))
    emit(builder, "add", x, x)
    builder.rollback(mark)
    assert [node.op.name for node in builder.nodes] == ["add", "constant"]


def test_a_rollback_drops_effects_without_operands():
    builder = Builder()
    draw = unregistered("draw()", lambda: F3, "random")
    mark = builder.mark()
    builder.emit(draw, [], {})
    builder.rollback(mark)
    assert builder.nodes == []


class _Known(Context):
    def __init__(self, depth: int = 0) -> None:
        self.depth = depth

    def inner(self) -> _Known:
        return _Known(self.depth + 1)


def test_each_region_begins_with_the_context_that_the_one_around_it_gives() -> None:
    outer = Builder()
    late, known = Builder(Builder(outer)), outer.context(_Known)
    known.depth = 10
    assert outer.context(_Known) is known
    assert Builder(outer).context(_Known).depth == 11
    assert late.context(_Known).depth == 12
