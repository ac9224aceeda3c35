from __future__ import annotations

import numpy as np

from runtime.graph.builder import Builder
from runtime.spec import TensorSpec
from runtime.tensor import Symbol, Tensor, bool_error, is_staged, value_error


def test_a_tensor_has_the_spec_of_its_array():
    assert Tensor(np.zeros((2, 3), "f4")).spec == TensorSpec([2, 3], "float32")


def test_a_tensor_holds_its_array_without_a_copy():
    array = np.zeros(3)
    assert Tensor(array).array is array


def test_numpy_gives_a_copy():
    array = np.zeros(3)
    Tensor(array).numpy()[0] = 1.0
    assert array.tolist() == [0.0, 0.0, 0.0]


def test_a_symbol_has_the_spec_of_its_value():
    builder = Builder()
    spec = TensorSpec(["n", 3])
    assert Symbol(builder, builder.param(spec)).spec == spec


def test_a_known_symbol_has_the_spec_of_its_array():
    assert Symbol(Builder(), None, np.zeros(3)).spec == TensorSpec([3])


def test_only_symbols_that_are_not_known_are_staged():
    builder = Builder()
    assert is_staged(Symbol(builder, builder.param(TensorSpec([3]))))
    assert not is_staged(Symbol(builder, None, np.zeros(3)))
    assert not is_staged(Tensor(np.zeros(3)))
    assert not is_staged(3)


def test_a_symbol_can_be_restored():
    builder = Builder()
    symbol = Symbol(builder, builder.param(TensorSpec([3])))
    held = symbol.held()
    symbol.restore((builder.param(TensorSpec([4])), None))
    symbol.restore(held)
    assert symbol.spec == TensorSpec([3])


def test_the_errors_for_staged_values_say_what_to_do():
    builder = Builder()
    symbol = Symbol(builder, builder.param(TensorSpec([])))
    assert "the truth of a staged value (f64[]) was asked for" in str(bool_error(symbol))
    assert "np.where" in str(bool_error(symbol))
    assert "an int was needed while tracing" in str(value_error(symbol, "an int"))
