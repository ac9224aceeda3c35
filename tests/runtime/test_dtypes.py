from __future__ import annotations

import doctest

import numpy as np
import pytest

from runtime import dtypes
from runtime.dtypes import (
    SUPPORTED,
    as_dtype,
    is_lossless,
    promote,
    python_type,
    resolve_ufunc,
    short_name,
)
from runtime.errors import DtypeError

PYTHON = (bool, int, float, complex)


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(dtypes).failed == 0


@pytest.mark.parametrize("dtype", SUPPORTED, ids=str)
def test_short_names_are_names_of_one_dtype_each(dtype):
    assert dtypes.BY_SHORT_NAME[short_name(dtype)] == dtype


@pytest.mark.parametrize("name", ["object", "datetime64[s]", "longdouble"])
def test_other_dtypes_are_refused_with_those_that_are_supported(name):
    with pytest.raises(DtypeError, match="are not supported; supported are bool, int8"):
        as_dtype(name)


@pytest.mark.parametrize("name", ["U3", "S2"])
def test_texts_of_a_fixed_length_are_refused_with_those_that_are_not(name):
    with pytest.raises(DtypeError, match=r"x.astype\(np.dtypes.StringDType\(\)\)"):
        as_dtype(name)


def test_what_is_no_dtype_is_refused():
    with pytest.raises(DtypeError, match="'nothing' is not a dtype"):
        as_dtype("nothing")


def test_a_foreign_byte_order_becomes_this_machines():
    assert as_dtype(">f4").isnative


@pytest.mark.parametrize("a", SUPPORTED, ids=str)
def test_promotion_is_that_of_numpy(a):
    x = np.ones(1, a)
    for b in (*SUPPORTED, *PYTHON):
        y = b(1) if isinstance(b, type) else np.ones(1, b)
        assert promote(a, b) == np.result_type(x, y), b


@pytest.mark.parametrize("a", SUPPORTED, ids=str)
@pytest.mark.parametrize("ufunc", [np.add, np.true_divide, np.less, np.logical_or, np.power])
def test_the_dtype_of_a_ufunc_is_that_of_its_result(ufunc, a):
    x = np.ones(1, a)
    for b in (*SUPPORTED, *PYTHON):
        y = b(1) if isinstance(b, type) else np.ones(1, b)
        assert resolve_ufunc(ufunc, a, b) == (ufunc(x, y).dtype,), b


def test_python_scalars_alone_are_resolved_as_arrays_of_their_dtypes():
    assert resolve_ufunc(np.tanh, float) == (np.dtype("f8"),)
    assert resolve_ufunc(np.add, int, bool) == (np.add(1, True).dtype,)


def test_a_ufunc_with_two_results_has_two_dtypes():
    assert resolve_ufunc(np.divmod, np.dtype("i4"), int) == (np.dtype("i4"), np.dtype("i4"))


def test_a_ufunc_without_a_loop_is_refused_with_the_operands():
    with pytest.raises(DtypeError, match="bitwise_and is not defined for float32, int"):
        resolve_ufunc(np.bitwise_and, np.dtype("f4"), int)


@pytest.mark.parametrize(("dtype", "kind"), [("?", bool), ("i8", int), ("f8", float)])
def test_weak_dtypes_stand_for_python_types(dtype, kind):
    assert python_type(np.dtype(dtype)) is kind


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [("f4", "f8", True), ("f8", "f4", False), ("i8", "f4", False), ("?", "i1", True)],
)
def test_a_conversion_is_lossless_when_every_value_survives(source, target, expected):
    assert is_lossless(np.dtype(source), np.dtype(target)) is expected


def test_dtypes_are_the_objects_that_arrays_have() -> None:
    assert as_dtype("float32") is np.zeros(1, "float32").dtype
    assert as_dtype(">f4") is np.dtype("float32")
