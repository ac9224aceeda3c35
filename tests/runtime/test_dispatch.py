from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from runtime import default_graph, dispatch
from runtime.array_context import arrays_of
from runtime.dispatch import apply, as_array, as_value, value_of, write
from runtime.errors import DtypeError, LeakedSymbolError, ShapeError
from runtime.graph.builder import Builder
from runtime.ops.elementwise import add
from runtime.spec import TensorSpec
from runtime.tensor import Symbol, Tensor, is_staged


@pytest.fixture
def builder():
    builder = Builder()
    with default_graph.building(builder):
        yield builder


def staged(builder: Builder, shape=(3,), dtype="float64") -> Symbol:
    return Symbol(builder, builder.param(TensorSpec(shape, dtype)))


def test_arrays_give_arrays():
    found = apply(add, [np.ones(3), 1.0])
    assert type(found) is np.ndarray
    assert found.tolist() == [2.0, 2.0, 2.0]


def test_python_numbers_give_python_numbers():
    assert type(apply(add, [1, 2])) is int


def test_a_tensor_among_the_operands_gives_a_tensor():
    found = apply(add, [Tensor(np.ones(3)), np.ones(3)])
    assert type(found) is Tensor
    assert found.numpy().tolist() == [2.0, 2.0, 2.0]


def test_nested_lists_are_arrays():
    assert apply(add, [[[1, 2], [3, 4]], 1]).tolist() == [[2, 3], [4, 5]]


def test_ragged_lists_are_refused():
    with pytest.raises(ShapeError, match="nested lists of different lengths make no array"):
        as_array([[1], [2, 3]])


@pytest.mark.parametrize("value", [b"bytes", None, {1}], ids=repr)
def test_what_is_no_number_is_refused(value):
    with pytest.raises(DtypeError, match="is not an array or a number"):
        as_array(value)


def test_an_attribute_that_an_op_does_not_have_is_refused():
    with pytest.raises(TypeError, match=r"add\(\) has no argument 'axis'"):
        apply(add, [1, 2], axis=0)


def test_a_staged_operand_makes_a_node(builder):
    found = apply(add, [staged(builder), 1.0])
    assert is_staged(found)
    assert [node.op.name for node in builder.nodes] == ["constant", "add"]


def test_known_operands_are_computed_while_building(builder):
    known = Symbol(builder, None, np.ones(3))
    found = apply(add, [known, 1.0])
    assert not is_staged(found)
    assert found.known.tolist() == [2.0, 2.0, 2.0]
    assert builder.nodes == []


def test_a_known_scalar_stays_a_number(builder):
    assert type(apply(add, [1, 2])) is int


def test_one_number_is_one_constant_of_the_graph(builder):
    assert as_value(builder, 1.0) is as_value(builder, 1.0)
    assert as_value(builder, 1.0) is not as_value(builder, 1)
    assert as_value(builder, 0.0) is not as_value(builder, -0.0)
    assert as_value(builder, np.float32(1)) is not as_value(builder, np.float64(1))


def test_one_array_is_one_constant_until_it_changes(builder):
    array = np.arange(20.0)
    first = as_value(builder, array)
    assert as_value(builder, array) is first
    array[0] = 7.0
    assert as_value(builder, array) is not first


def test_a_constant_keeps_what_the_array_held(builder):
    array = np.array([1.0, 2.0])
    as_value(builder, array)
    array[0] = 7.0
    assert builder.nodes[0].attrs["value"].tolist() == [1.0, 2.0]


def test_a_written_symbol_holds_the_new_value(builder):
    x = staged(builder)
    new = apply(add, [x, 1.0])
    write(x, new)
    assert value_of(x) is value_of(new)


def test_a_known_symbol_becomes_staged_when_a_staged_value_is_written(builder):
    known = Symbol(builder, None, np.ones(3))
    write(known, staged(builder))
    assert is_staged(known)


def test_a_symbol_is_refused_after_its_graph_has_ended():
    builder = Builder()
    with default_graph.building(builder):
        x = staged(builder)
    builder.seal([], [])
    with default_graph.building(Builder()), pytest.raises(LeakedSymbolError) as caught:
        apply(add, [x, x])
    assert "was used after the staged function or region that made it had ended" in str(
        caught.value
    )


def test_a_flag_that_was_checked_lives_as_long_as_its_graph(builder):
    """Otherwise another flag might get its id, and would not be checked."""
    x, flag = staged(builder), staged(builder, (), "bool")
    x.valid = ("x", flag)
    value_of(x)
    kept = weakref.ref(flag)
    x.valid = None
    del flag
    assert kept() is not None
    assert [node.op.name for node in builder.nodes] == ["check"]


def test_what_may_not_be_written_stays_so_that_its_id_is_no_others() -> None:
    outer = Builder()
    inner = Builder(outer)
    symbol = Symbol(outer, outer.param(TensorSpec([2])))
    held = weakref.ref(symbol)
    dispatch._freeze(inner, symbol, "why")
    del symbol
    gc.collect()
    assert arrays_of(inner).frozen[id(held())] == (held(), "why")
