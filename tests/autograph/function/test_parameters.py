"""Arguments are bound, named and converted."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import autograph as ag
from autograph.function.parameters import Parameters
from runtime import trees

F32 = ag.TensorSpec([None], np.float32)


def sample(x, y=2, /, z=3, *rest, key=4, **others):
    return x


def plain(x, y):
    return x


def test_defaults_are_filled_in():
    assert Parameters(sample).bind((1,), {}) == ((1, 2, 3), {"key": 4})


def test_every_way_to_write_a_call_is_bound_alike():
    bound = [
        Parameters(plain).bind(args, kwargs)
        for args, kwargs in [((1, 2), {}), ((1,), {"y": 2}), ((), {"y": 2, "x": 1})]
    ]
    assert bound == [((1, 2), {})] * 3


def test_variadic_arguments_stay_in_their_place():
    args, kwargs = Parameters(sample).bind((1, 2, 3, 4, 5), {"key": 6, "other": 7})
    assert (args, kwargs) == ((1, 2, 3, 4, 5), {"key": 6, "other": 7})


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, r"plain\(\): missing a required argument: 'x'; its parameters are \(x, y\)"),
        ((1, 2, 3), {}, r"plain\(\): too many positional arguments"),
        ((1,), {"x": 1}, r"plain\(\): multiple values for argument 'x'"),
        ((1, 2), {"z": 1}, r"plain\(\): got an unexpected keyword argument 'z'"),
    ],
)
def test_a_call_that_does_not_fit_names_the_function(args, kwargs, message):
    with pytest.raises(TypeError, match=message):
        Parameters(plain).bind(args, kwargs)


def test_leaves_are_named_by_parameter_and_path():
    signature = Parameters(sample)
    bound = signature.bind(({"a": [1, 2]}, 0, 0, 7, 8), {"key": (1,), "other": 2})
    names = signature.leaf_names(trees.flatten(bound)[1])
    assert names == [
        *["x['a'][0]", "x['a'][1]", "y", "z", "rest[0]", "rest[1]"],
        *["key[0]", "other"],
    ]


def test_a_wrapper_is_called_by_its_own_parameters():
    @functools.wraps(plain)
    def wrapper(*args):
        return plain(*args, 1)

    assert list(Parameters(wrapper).python.parameters) == ["args"]


@pytest.mark.parametrize("function", [np.sin, np.add, max])
def test_what_says_nothing_of_its_parameters_takes_any(function):
    assert Parameters(function).bind((1, 2), {"out": 3}) == ((1, 2), {"out": 3})


def test_arguments_are_converted_to_the_signature():
    (converted,) = Parameters(lambda x: x, [F32]).convert(([1, 2],))
    assert converted.dtype == np.float32
    np.testing.assert_array_equal(converted, [1, 2])


def test_an_array_that_fits_is_passed_on_as_it_is():
    array = np.ones(2, np.float32)
    (converted,) = Parameters(lambda x: x, [F32]).convert((array,))
    assert converted is array


def test_a_tensor_stays_a_tensor():
    (converted,) = Parameters(lambda x: x, [F32]).convert((ag.Tensor(np.ones(2, np.float16)),))
    assert type(converted) is ag.Tensor
    assert converted.dtype == np.float32


def test_structures_are_converted_leaf_by_leaf():
    signature = Parameters(lambda x: x, [{"a": ag.TensorSpec([]), "b": [F32]}])
    (converted,) = signature.convert(({"a": 1.0, "b": [np.ones(3, np.float16)]},))
    assert converted["b"][0].dtype == np.float32


def test_arguments_beyond_the_signature_are_left_alone():
    assert Parameters(plain, [F32]).convert((np.ones(1, np.float32), "other"))[1] == "other"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.ones(2), r"x must be f32\[\?\] by the input signature, and float64 is not converted"),
        (np.ones((2, 2), np.float32), r"x must be f32\[\?\] by the input signature, not f32\[2, 2"),
        ([1j], "complex128 is not converted to it without loss"),
        ({"a": [1.0]}, "x"),
    ],
)
def test_an_argument_that_does_not_fit_is_named(value, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Parameters(plain, [F32]).convert((value, 1))


def test_sizes_of_one_name_must_be_equal():
    signature = Parameters(plain, [ag.TensorSpec(["n"]), {"a": ag.TensorSpec([2, "n"])}])
    signature.convert((np.ones(3), {"a": np.ones((2, 3))}))
    with pytest.raises(ag.ShapeError, match=r"x.shape\[0\] and y\['a'\].shape\[1\] are both n in "):
        signature.convert((np.ones(3), {"a": np.ones((2, 4))}))


def test_another_structure_is_refused():
    with pytest.raises(TypeError, match=r"x: .*against the input signature"):
        Parameters(plain, [[F32, F32]]).convert(([np.ones(1)], 1))


def test_a_missing_argument_is_refused():
    with pytest.raises(TypeError, match=r"takes 2 arguments, got 1"):
        Parameters(lambda *xs: xs, [F32, F32]).convert((np.ones(1),))


def test_a_function_with_any_keywords_has_no_signature():
    with pytest.raises(TypeError, match=r"a function with \*\*others can have no input_signature"):
        Parameters(sample, [F32])
