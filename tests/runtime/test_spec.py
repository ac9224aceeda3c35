from __future__ import annotations

import doctest

import numpy as np
import pytest

from runtime import spec as module
from runtime.errors import DtypeError, ShapeError
from runtime.spec import (
    UNKNOWN,
    WEAK_SPECS,
    Dim,
    TensorSpec,
    accepts,
    broadcast_shapes,
    join_specs,
    make_spec,
    spec_of,
)

N, M = Dim("n"), Dim("m")
INT, FLOAT, BOOL = WEAK_SPECS[int], WEAK_SPECS[float], WEAK_SPECS[bool]


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (TensorSpec(), "f64[]"),
        (TensorSpec([2, 3], "int8"), "i8[2, 3]"),
        (TensorSpec([None, "n"], bool), "bool[?, n]"),
        (TensorSpec(None, "complex64"), "c64[...]"),
        (FLOAT, "float"),
        (BOOL, "bool"),
    ],
)
def test_a_spec_prints_its_dtype_and_dimensions(spec, text):
    assert str(spec) == text


@pytest.mark.parametrize("size", [-1, "not a name", "3", "..."])
def test_what_is_no_dimension_is_refused(size):
    with pytest.raises(ShapeError):
        TensorSpec([size])


def test_a_size_that_is_no_integer_is_refused():
    with pytest.raises(TypeError):
        TensorSpec([2.5])


def test_a_question_mark_is_an_unknown_size():
    assert TensorSpec(["?"]) == TensorSpec([None])


def test_a_size_may_be_an_integer_of_numpy():
    assert type(TensorSpec([np.int64(3)]).shape[0]) is int


def test_a_dtype_that_is_not_supported_is_refused():
    with pytest.raises(DtypeError, match="arrays of dtype object are not supported"):
        TensorSpec([3], object)


def test_a_spec_knows_its_rank_and_whether_all_is_known():
    assert TensorSpec([2, None]).rank == 2
    assert TensorSpec(None).rank is None
    assert TensorSpec([2, 3]).is_static
    assert not TensorSpec([2, None]).is_static
    assert not TensorSpec(None).is_static


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "bool"),
        (3, "int"),
        (1.5, "float"),
        (1j, "complex"),
        (np.float64(1.5), "f64[]"),
        (np.bool_(True), "bool[]"),
        (np.zeros((2, 3), "f4"), "f32[2, 3]"),
        (np.array(1, "u2"), "u16[]"),
    ],
)
def test_python_scalars_are_weak_and_all_else_is_not(value, text):
    assert str(spec_of(value)) == text
    assert spec_of(value).weak == (type(value).__module__ == "builtins")


def test_the_spec_of_an_array_does_not_know_its_byte_order():
    assert spec_of(np.zeros(3, ">f4")) == spec_of(np.zeros(3, "<f4"))


@pytest.mark.parametrize(
    ("general", "special", "expected"),
    [
        ((3,), (3,), True),
        ((3,), (4,), False),
        ((UNKNOWN,), (4,), True),
        ((UNKNOWN,), (N,), True),
        ((3,), (N,), False),
        ((N, N), (3, 3), True),
        ((N, N), (3, 4), False),
        ((N, N), (M, M), True),
        ((N, N), (UNKNOWN, UNKNOWN), False),
        ((N, M), (3, 4), True),
        ((3,), (3, 1), False),
        (None, (3,), True),
        ((3,), None, False),
        (None, None, True),
    ],
)
def test_a_general_shape_accepts_its_special_cases(general, special, expected):
    dtype = np.dtype("f8")
    assert accepts(make_spec(dtype, general), make_spec(dtype, special)) is expected


def test_dtypes_and_weakness_must_be_the_same_to_be_accepted():
    assert not accepts(TensorSpec((), "f8"), TensorSpec((), "f4"))
    assert not accepts(TensorSpec((), "f8"), FLOAT)
    assert not accepts(FLOAT, TensorSpec((), "f8"))


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        ([], ()),
        ([(2, 3), (3,)], (2, 3)),
        ([(2, 1), (1, 3)], (2, 3)),
        ([(0, 1), (3,)], (0, 3)),
        ([(N,), (1,)], (N,)),
        ([(N,), (N,)], (N,)),
        ([(N,), (3,)], (3,)),
        ([(N,), (M,)], (UNKNOWN,)),
        ([(UNKNOWN,), (UNKNOWN,)], (UNKNOWN,)),
        ([None, (3,)], None),
    ],
)
def test_shapes_broadcast_as_in_numpy(shapes, expected):
    assert broadcast_shapes(shapes) == expected


@pytest.mark.parametrize("shapes", [[(2,), (3,)], [(2,), (0,)], [(2, 1), (3, 1)]])
def test_shapes_that_do_not_broadcast_are_refused(shapes):
    with pytest.raises(ShapeError, match="do not broadcast"):
        broadcast_shapes(shapes)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (TensorSpec([3]), TensorSpec([3]), "f64[3]"),
        (TensorSpec([3]), TensorSpec([4]), "f64[?]"),
        (TensorSpec([3], "f4"), TensorSpec([3], "f8"), "f64[3]"),
        (TensorSpec((), "f4"), FLOAT, "f32[]"),
        (TensorSpec((), "i4"), FLOAT, "f64[]"),
        (INT, FLOAT, "float"),
        (BOOL, INT, "int"),
        (TensorSpec([3]), TensorSpec([3, 1]), "None"),
        (TensorSpec((), "i8"), TensorSpec((), "u8"), "f64[]"),
        (TensorSpec((), "i4"), TensorSpec((), "u4"), "i64[]"),
        (TensorSpec([3], "i8"), TensorSpec([3], "f4"), "f64[3]"),
        (TensorSpec([3]), TensorSpec(None), "f64[...]"),
    ],
)
def test_specs_are_joined_where_numpy_converts_safely(a, b, expected):
    assert str(join_specs(a, b)) == expected


def test_specs_are_equal_as_dictionary_keys():
    assert {TensorSpec([3, "n"]): 1}[TensorSpec([3, "n"])] == 1
