"""Rows A-050 to A-078 of the behaviours of the reference: traces and signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag


def f32(values: Any) -> Any:
    return np.asarray(values, np.float32)[()]


@pytest.fixture
def my_relu() -> Any:
    @ag.function
    def my_relu(x):
        return np.maximum(np.float32(0.0), np.asarray(x, np.float32))

    assert my_relu(f32(5.5)) == 5.5
    assert my_relu([1, -1]).tolist() == [1.0, 0.0]
    assert my_relu(f32([3.0, -3.0])).tolist() == [3.0, 0.0]
    return my_relu


def test_a052_the_key_is_spec_value_or_identity() -> None:
    class Thing:
        pass

    f = ag.function(lambda x: 0)
    thing = Thing()
    expected = 0
    for fresh, again in [
        (f32([1.0]), f32([2.0])),
        (f32([1.0, 2.0]), f32([3.0, 4.0])),
        (1, 1),
        (2, 2),
        (1.0, 1.0),
        ("a", "a"),
        (None, None),
        (thing, thing),
        ([1, 2], [1, 2]),
    ]:
        f(fresh)
        f(again)
        expected += 1
        assert f.trace_count == expected
    f(Thing())
    assert f.trace_count == expected + 1


def test_a061_a_signature_is_a_sequence_of_specs() -> None:
    with pytest.raises(TypeError, match="must be a list or tuple with one TensorSpec"):
        ag.function(lambda x: x, input_signature=5)
    with pytest.raises(TypeError, match="holds 5, not a TensorSpec"):
        ag.function(lambda x: x, input_signature=[5])
    with pytest.raises(TypeError, match=r"\*\*kwargs can have no input_signature"):
        ag.function(lambda **kwargs: 0, input_signature=[])


def test_a062_a_signature_enforces_rank_and_dtype() -> None:
    @ag.function(input_signature=[ag.TensorSpec([None], "int32")])
    def next_collatz(x):
        return np.where(x % 2 == 0, x // 2, 3 * x + 1)

    assert next_collatz(np.int32([1, 2])).tolist() == [4, 1]
    with pytest.raises(ValueError, match=r"x must be i32\[\?\] by the input signature, not i32"):
        next_collatz(np.int32([[1, 2], [3, 4]]))
    with pytest.raises(TypeError, match="float64 is not converted to it without loss"):
        next_collatz(np.array([1.0, 2.0]))


def test_a063_a_concrete_function_is_called_by_position_or_by_keyword() -> None:
    double = ag.function(lambda a: a + a)
    concrete = double.get_concrete_function(a=ag.TensorSpec(None, "float32"))
    assert concrete(f32([1.0])).tolist() == concrete(a=f32([1.0])).tolist() == [2.0]
    with pytest.raises(TypeError, match=r"a must be f32\[\.\.\.\] by the trace <lambda>\(a\)"):
        concrete(np.array([1, 2]))


def test_a065_functions_print_their_names_and_types(my_relu: Any) -> None:
    assert repr(my_relu).endswith("my_relu(x)>")
    texts = [repr(concrete).rpartition("my_relu")[2] for concrete in my_relu.concrete_functions]
    assert texts == ["(f32[]) -> f32[]>", "(1, -1) -> f32[2]>", "(f32[2]) -> f32[2]>"]
    assert str(my_relu.concrete_functions[0]) == (
        "ConcreteFunction my_relu(x)\n  Args:\n    x: float32 Tensor, shape=()\n"
        "  Returns:\n    float32 Tensor, shape=()"
    )


def test_a066_signatures_print_in_the_published_form(my_relu: Any) -> None:
    assert (
        my_relu.pretty_printed_concrete_signatures()
        == """\
my_relu(x)
  Args:
    x: float32 Tensor, shape=()
  Returns:
    float32 Tensor, shape=()

my_relu(x=[1, -1])
  Returns:
    float32 Tensor, shape=(2,)

my_relu(x)
  Args:
    x: float32 Tensor, shape=(2,)
  Returns:
    float32 Tensor, shape=(2,)"""
    )


def test_a067_calls_that_fit_add_no_signature(my_relu: Any) -> None:
    assert my_relu(f32(-2.5)) == 0.0
    assert my_relu(f32([-1.0, 1.0])).tolist() == [0.0, 1.0]
    assert len(my_relu.concrete_functions) == 3


def test_a066_structures_print_with_their_leaves_numbered() -> None:
    @ag.function
    def f(pair, *, scale=2.0):
        return {"sum": pair[0] + pair[1], "scale": scale}

    concrete = f.get_concrete_function((f32([1.0]), ag.TensorSpec([None], "float32")))
    assert concrete.pretty_printed_signature == (
        "f(pair, scale=2.0)\n  Args:\n    pair: (<1>, <2>)\n"
        "      <1>: float32 Tensor, shape=(1,)\n      <2>: float32 Tensor, shape=(None,)\n"
        "  Returns:\n    {'sum': <1>, 'scale': <2>}\n"
        "      <1>: float32 Tensor, shape=(None,)\n      <2>: 2.0"
    )


def test_a068_a_decorator_with_arguments_is_the_call_with_them() -> None:
    def f(x):
        return x + 1

    signature = [ag.TensorSpec([None])]
    for made in (
        ag.function(input_signature=signature)(f),
        ag.function(f, input_signature=signature),
    ):
        assert made(np.ones(2)).tolist() == [2.0, 2.0]
        assert made(np.ones(3)).tolist() == [2.0, 2.0, 2.0]
        assert made.trace_count == 1
    assert callable(ag.function(None, input_signature=signature))


def test_a077_python_arguments_stay_bound_in_a_concrete_function() -> None:
    @ag.function
    def power(a, b):
        return a**b

    square = power.get_concrete_function(ag.TensorSpec([None], "float32"), b=2)
    assert square(f32([10.0])).tolist() == square(f32([10.0]), b=2).tolist() == [100.0]
    with pytest.raises(TypeError, match=r"'b' was 2 when this was traced, .* and 3 is given"):
        square(f32([10.0]), b=3)
    with pytest.raises(TypeError, match="needs the argument 'a'"):
        square(b=2)
    with pytest.raises(TypeError, match=r"a is a leaf in one and \[\*\] in the other"):
        square([f32([10.0])])
    with pytest.raises(TypeError, match="unexpected keyword argument 'c'"):
        square(f32([10.0]), c=1)


def test_a_concrete_function_is_inlined_in_another_trace() -> None:
    double = ag.function(lambda x: x * 2)
    concrete = double.get_concrete_function(ag.TensorSpec([None]))
    outer = ag.function(lambda x: concrete(x) + 1)
    assert outer(np.ones(2)).tolist() == [3.0, 3.0]
    assert "multiply" in outer.graph(np.ones(2))
