from __future__ import annotations

import doctest
import math

import numpy as np
import pytest

from runtime.dtypes import BY_SHORT_NAME
from runtime.errors import GraphFormatError
from runtime.graph import literal
from runtime.graph.lexer import Words
from runtime.graph.literal import literal_text
from runtime.spec import TensorSpec

NAN = float("nan")
DTYPES = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"]
PLAIN = [
    None, True, False, 0, -1, 10**30, -(1 << 20_000), 1.0, -0.0, 0.1, 1e300, 5e-324, math.inf,
    -math.inf, 1j, complex(-0.0, -math.inf), "", "a 'b' \"c\"", "\\ \n\t\x00 é 😀 \ud800", (), (1,),
    (1, (2.0, "x"), None, True),
]  # fmt: skip


def read(text):
    words = Words(text)
    value = words.literal()
    words.take("end", "the end")
    return value


def same(a, b):
    """Tell whether two values are the same to the last bit and of the same types."""
    if isinstance(a, tuple):
        return isinstance(b, tuple) and all(map(same, a, b)) and len(a) == len(b)
    if isinstance(a, np.ndarray | np.generic):
        bits = (a.dtype, a.shape, a.tobytes())
        return type(a) is type(b) and bits == (b.dtype, b.shape, b.tobytes())
    return type(a) is type(b) and (a == b if type(a) is int else repr(a) == repr(b))


def test_the_examples_in_the_docstring_hold():
    assert doctest.testmod(literal).failed == 0


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: literal_text(value)[:20])
def test_a_python_value_is_read_back(value):
    assert same(read(literal_text(value)), value)


@pytest.mark.parametrize("number", [NAN, complex(NAN, 1.0)])
def test_not_a_number_is_read_back(number):
    assert repr(read(literal_text(number))) == repr(number)


@pytest.mark.parametrize("name", [*DTYPES, "c64", "c128"])
def test_arrays_and_scalars_of_every_dtype_are_read_back(name):
    dtype = read(f"{name}[0]([])").dtype
    rng = np.random.default_rng(0)
    for shape in [(), (3,), (2, 3), (0,), (2, 0, 3), (40,), (1,) * 7]:
        array = (rng.standard_normal(shape) * 50).astype(dtype) if shape != (0,) else []
        array = np.asarray(array, dtype)
        assert same(read(literal_text(array)), array)
        for item in array.ravel()[:3]:
            assert same(read(literal_text(item)), item)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_special_numbers_in_arrays_are_read_back(dtype):
    array = np.array([math.nan, math.inf, -math.inf, -0.0, np.finfo(dtype).tiny / 4], dtype)
    assert same(read(literal_text(array)), array)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_every_bit_of_a_nan_is_kept(dtype):
    bits = np.array([0, -1, 7], dtype.replace("f", "i"))
    array = bits.view(dtype)
    assert "base64" in literal_text(array)
    assert same(read(literal_text(array)), array)
    assert same(read(literal_text(array[1])), array[1])


def test_random_floats_of_single_precision_are_read_back_exactly():
    bits = np.random.default_rng(1).integers(0, 2**32, 5000, np.uint32)
    for item in bits.view(np.float32):
        assert same(read(literal_text(item)), item)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.1), "f32(0.1)"),
        (np.array(0.1), "f64[](0.1)"),
        (np.True_, "bool(True)"),
        (np.arange(4).reshape(2, 2), "i64[2, 2]([[0, 1], [2, 3]])"),
        (np.zeros((2, 0), np.uint8), "u8[2, 0]([])"),
        (np.complex64(1 - 2j), "c64(complex(1.0, -2.0))"),
        (2.0, "2.0"),
        (complex(1, -0.0), "complex(1.0, -0.0)"),
    ],
)
def test_a_value_is_written_so_that_its_type_can_be_seen(value, text):
    assert literal_text(value) == text


SPECS = ["f32[3, n]", "f64[...]", "bool[]", "int", "bool", "string[?]"]


@pytest.mark.parametrize("text", SPECS)
def test_a_spec_is_read_back(text):
    spec = read(text)
    assert isinstance(spec, TensorSpec)
    assert literal_text(spec) == text


def test_a_large_array_is_elided_for_people():
    assert literal_text(np.zeros((10, 10)), elide=True) == "f64[10, 10](...)"


def test_a_large_array_is_written_completely_when_asked_for():
    array = np.arange(1000.0)
    assert same(read(literal_text(array)), array)


def test_the_byte_order_of_an_array_does_not_matter():
    array = np.arange(40)
    assert literal_text(array.astype(">i8")) == literal_text(array)


def test_a_transposed_array_keeps_its_items():
    array = np.arange(40).reshape(5, 8).T
    assert np.array_equal(read(literal_text(array)), array)


def test_an_array_that_was_read_cannot_be_written():
    assert not read("i64[1]([1])").flags.writeable


def test_an_object_has_no_text():
    with pytest.raises(GraphFormatError, match=r"\(set\) has no text; attributes are numbers"):
        literal_text({1})


def test_an_object_is_shown_to_people_by_its_class():
    assert literal_text((print, 1), elide=True) == "(<builtin_function_or_method>, 1)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("i64[2]([1])", "expected ',', found ']'"),
        ("i64[2]([1, 2, 3])", "expected ']', found ','"),
        ("i64[2](1, 2)", "expected '[', found '1'"),
        ("i64[1]([1.0])", "the items of i64 are written as int"),
        ("f64[1]([1])", "the items of f64 are written as float"),
        ("bool[1]([1])", "the items of bool are written as bool"),
        ("i8[1]([300])", "these are no 1 items"),
        ('f64[2](base64 "AAAA")', "these are no 2 items"),
        ('f64[1](base64 "*")', "these are no 1 items"),
        ('bool[1](base64 "Ag==")', "a bool is the byte 0 or 1"),
        ("f64[0, 999999999999999999, 999999999999999999]([])", "these are no 0 items"),
        ("f64[0, 2]([[]])", "expected ']', found '['"),
        (f"f64[{'1, ' * 70}1](1.0)", "an array has at most 64 dimensions"),
        ("f64[n]([1.0])", "the sizes of an array are numbers"),
        ("f64[30](...)", "the items of this array were left out for people"),
        ("complex(1, 2)", "complex() takes two floats"),
        ("(1 2)", "expected ',', found '2'"),
        ("(1, 2 3)", "expected ',' or ')', found '3'"),
        ("(1)", "expected ',', found ')'"),
        ("(" * 5000, "more than 100 tuples are nested"),
        ("__import__", "expected a number, a string, None, a tuple, or a dtype with items"),
        ("'abc", 'found "\'"'),
        (r"'\q'", "a backslash stands before something unknown"),
        (r"'\U99999999'", "a backslash stands before something unknown"),
        ("9" * 5000, "is no number"),
        ("", "found the end of the text"),
    ],
    ids=lambda text: text[:20],
)
def test_a_malformed_literal_is_refused_with_the_reason(text, message):
    with pytest.raises(GraphFormatError) as caught:
        read(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("line 1: ")


@pytest.mark.parametrize("name", [*DTYPES, "c64", "c128", "string"])
def test_a_dtype_reads_back(name):
    dtype = BY_SHORT_NAME[name]
    assert literal_text(dtype) == f"dtype({name})"
    assert read(literal_text((dtype, 1))) == (dtype, 1)


def test_arrays_and_dtypes_that_graphs_do_not_have_are_refused_by_name():
    for value in (np.dtype("M8[D]"), np.datetime64("2020-01-01"), np.float32):
        with pytest.raises(GraphFormatError, match="has no text"):
            literal_text(value)
