from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import runtime.numpy as rnp
from runtime import default_graph
from runtime.errors import (
    AxisError,
    DtypeError,
    MutationError,
    ShapeError,
    StagedBoolError,
    StagedValueError,
)
from runtime.graph.builder import Builder
from runtime.spec import TensorSpec
from runtime.tensor import Symbol, Tensor, is_staged
from tests.runtime.staging import ops_of, staged, trace

MATRIX = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def x():
    builder = Builder()
    with default_graph.building(builder):
        symbol = Symbol(builder, builder.param(TensorSpec([3, 4]), "x"))
        symbol.is_param = True
        yield symbol


@pytest.fixture
def n():
    builder = Builder()
    with default_graph.building(builder):
        yield Symbol(builder, builder.param(TensorSpec([None, 4]), "n"))


def same(function, *arrays):
    """Tell whether a staged function gives what NumPy gives, with known and unknown sizes."""
    wanted = function(*(np.array(x) if np.ndim(x) else x for x in arrays))
    found = [staged(function, *arrays, open_sizes=open_sizes) for open_sizes in (False, True)]
    return all(
        np.asarray(x).dtype == np.asarray(wanted).dtype and np.array_equal(x, wanted) for x in found
    )


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 2 - x,
        lambda x: x // 2 + x % 3,
        lambda x: -(abs(x) ** 2),
        lambda x: 2**x,
        lambda x: x @ x.T,
        lambda x: MATRIX - x,
        lambda x: np.float32(2) * x,
        lambda x: [1, 2, 3, 4] * x,
        lambda x: divmod(x, 2)[1],
        lambda x: (x > 2) & ~(x == 5) | (x <= 1),
        lambda x: (x >= 2) ^ (x != 3),
        lambda x: x.astype(int) << 2 >> 1,
    ],
)
def test_operators_are_those_of_numpy(function):
    assert same(function, MATRIX)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.sum(axis=0),
        lambda x: x.mean(1, keepdims=True),
        lambda x: x.std(ddof=1),
        lambda x: x.argmax(axis=1),
        lambda x: x.clip(1, 5),
        lambda x: x.clip(max=5),
        lambda x: x.round(1),
        lambda x: x.reshape(4, 3),
        lambda x: x.reshape((2, -1)),
        lambda x: x.transpose(1, 0),
        lambda x: x.T.ravel(),
        lambda x: x.flatten(),
        lambda x: x.repeat(2),
        lambda x: x.take([0, 2]),
        lambda x: x.cumsum(),
        lambda x: x.nonzero()[1],
        lambda x: x.dot(np.ones(4)),
        lambda x: x.squeeze(),
        lambda x: x.swapaxes(0, 1),
        lambda x: x.compress([True, False, True], axis=0),
        lambda x: x.searchsorted(2) if x.ndim == 1 else x[0].searchsorted(2),
        lambda x: (x * 1j).conj().imag,
        lambda x: x.trace() + x.diagonal().prod(),
        lambda x: x.mT,
    ],
)
def test_methods_are_those_of_numpy(function):
    assert same(function, MATRIX)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[1],
        lambda x: x[-1, 1:3],
        lambda x: x[..., 0],
        lambda x: x[:, None, ::-1],
        lambda x: x[[0, 2]],
        lambda x: x[np.array([0, 2]), 1],
        lambda x: x[x > 3],
        lambda x: x[x[:, 0] > 3, 1:],
        lambda x: x[np.int64(1)],
        lambda x: x[()],
        lambda x: x[x[0, 1].astype(int)],
        lambda x: x[x[0, 1].astype(int) :],
    ],
)
def test_subscripts_are_those_of_numpy(function):
    assert same(function, MATRIX)


def test_a_write_through_a_slice_changes_the_array_it_was_taken_from():
    def function(x):
        y = x[1:]
        y += 1
        return x

    assert same(function, MATRIX)


def test_a_write_changes_every_name_of_an_array():
    def function(x):
        y = x
        y[0] = 1
        return x

    assert same(function, MATRIX)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.T,
        lambda x: x[::2].T[1:],
        lambda x: np.swapaxes(x, 0, 1),
        lambda x: np.moveaxis(x[None], 0, 2),
        lambda x: np.flip(x, 1),
        lambda x: x[:, :, None].squeeze(2),
        lambda x: np.expand_dims(x, 1),
        lambda x: x.real,
        lambda x: np.transpose(x[None], (2, 0, 1)),
        lambda x: np.split(x, [1])[1],
        lambda x: np.rot90(x),
    ],
)
def test_a_write_through_a_view_changes_the_base(view):
    def function(x):
        x = x + 0
        y = view(x)
        y *= y
        y[0] = -1
        return x

    assert same(function, MATRIX)


def test_a_view_sees_what_is_written_into_its_base():
    def function(x):
        y = x[1:]
        x[1, 1] = 100
        x += 1
        return y

    assert same(function, MATRIX)


def test_a_copy_does_not_see_what_is_written_into_its_source():
    def function(x):
        y, z = x.copy(), x.flatten()
        x[...] = 0
        return y + z.reshape(3, 4)

    assert same(function, MATRIX)


def test_an_array_is_lost_when_a_reshape_of_it_is_written(x):
    fresh = x + 1
    row = fresh.reshape(-1)
    row[0] = 7
    with pytest.raises(MutationError, match="depends on its memory layout"):
        fresh + 1


def test_a_written_reshape_holds_what_was_written():
    def function(x):
        row = (x + 1).reshape(-1)
        row[0] = 7
        return row

    assert same(function, MATRIX)


def test_a_write_through_reshape_of_a_parameter_is_refused(x):
    row = x.reshape(-1)
    with pytest.raises(MutationError, match=r"depends on its memory layout. Write .copy\(\)"):
        row[0] = 1


def test_broadcast_arrays_cannot_be_written(x):
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        np.broadcast_to(x, (2, 3, 4))[0] = 1


def test_in_place_operators_replace_single_values():
    def function(x):
        total = x[0, 0]
        before = total
        total += 1
        return np.stack([total, before])

    assert same(function, MATRIX)


def test_in_place_operators_need_a_dtype_of_the_same_kind(x):
    whole = x.astype(np.int64)
    with pytest.raises(
        TypeError, match=r"Cannot cast ufunc 'divide' output from dtype\('float64'\)"
    ):
        whole /= 2


def test_in_place_operators_cast_to_the_dtype_of_the_array():
    def function(x):
        y = x.astype(np.float32)
        y += x
        return y

    assert same(function, MATRIX)


def test_in_place_operators_do_not_broadcast_the_array_that_is_written(x):
    row = x[0]
    with pytest.raises(ValueError, match="non-broadcastable output operand"):
        row += x


@pytest.mark.parametrize(
    ("index", "value"),
    [
        (0, 5),
        ((slice(None), 1), [1.0, 2.0, 3.0]),
        (np.array([0, 0, 2]), 7),
        (MATRIX > 4, 0),
        ((..., slice(1, 3)), np.ones((3, 1))),
    ],
)
def test_subscripts_are_written_as_in_numpy(index, value):
    def function(x):
        x[index] = value
        return x

    assert same(function, MATRIX)


def test_staged_indices_and_values_are_written():
    def function(x, k):
        x[k] = x[0] * 2
        x[k:, 0] = k
        x[x > 10] = -1
        return x

    assert same(function, MATRIX, np.int64(1))


def test_known_arrays_are_written_in_place_while_tracing():
    builder = Builder()
    with default_graph.building(builder):
        a = rnp.zeros(3)
        b = a[1:]
        b[0] = 5
        a += 1
        assert a.tolist() == [1.0, 6.0, 1.0]
        assert b.tolist() == [6.0, 1.0]
    assert builder.nodes == []


def test_known_arrays_become_staged_when_a_staged_value_is_written():
    def function(x):
        a = rnp.zeros(4)
        b = a[:2]
        a[1] = x[0, 1]
        assert is_staged(a)
        assert is_staged(b)
        return b * 2

    assert staged(function, MATRIX).tolist() == [0.0, 2.0]


def test_sort_and_fill_change_the_array():
    def function(x):
        y = -x
        y.sort()
        z = x + 0
        z.fill(3)
        return y + z

    assert same(function, MATRIX)


def test_real_and_imaginary_parts_can_be_set():
    def function(x):
        z = x * (1 + 1j)
        z.imag = 3
        z.real[0] = 5
        return z

    assert same(function, MATRIX)


def test_unknown_sizes_are_staged_ints(n):
    rows, columns = n.shape
    assert is_staged(rows)
    assert str(rows.spec) == "int"
    assert columns == 4
    assert str(n.size.spec) == "int"


def test_sizes_take_part_in_arithmetic():
    assert staged(lambda x: x.sum() / x.shape[0], MATRIX, open_sizes=True) == MATRIX.sum() / 3


def test_rank_of_an_array_of_unknown_rank_is_staged():
    graph = trace(lambda x: x.ndim, [TensorSpec(None)])
    assert ops_of(graph) == ["rank"]


def test_a_known_length_can_be_iterated(x):
    assert len(x) == 3
    assert [str(row.spec) for row in x] == ["f64[4]"] * 3


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (len, "the length was needed while tracing"),
        (list, "the number of rows to iterate over was needed while tracing"),
    ],
)
def test_an_unknown_length_cannot_be_used_by_python(n, function, message):
    with pytest.raises(StagedValueError, match=message):
        function(n)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (int, "a Python int"),
        (float, "a Python float"),
        (complex, "a Python complex number"),
        (lambda x: [1, 2][x.astype(int)], "an integer"),
        (np.asarray, "a NumPy array"),
        (pickle.dumps, "a value that can be pickled"),
        (lambda x: f"{x:.2f}", "a number to format as '.2f'"),
        (lambda x: np.from_dlpack(x), "an array in memory"),
        (lambda x: math_sin(x), "a Python float"),
    ],
)
def test_what_needs_a_number_now_says_so(x, function, message):
    with pytest.raises(StagedValueError, match=f"{message}.* was needed while tracing"):
        function(x[0, 0])


def math_sin(x):
    import math

    return math.sin(x)


def test_truth_of_a_staged_value_says_what_to_do(x):
    with pytest.raises(StagedBoolError, match=r"truth of a staged value \(bool\[\]\).*np.where"):
        bool(x[0, 0] > 1)
    with pytest.raises(StagedBoolError, match="the membership"):
        1.0 in x  # noqa: B015


def test_symbols_cannot_be_keys(x):
    with pytest.raises(TypeError, match="unhashable type: a Symbol cannot be a key"):
        hash(x)


def test_copies_of_symbols_are_arrays_of_their_own():
    def function(x):
        y, z = copy.copy(x), copy.deepcopy([x])[0]
        x[0] = 0
        return y + z

    assert staged(function, MATRIX).tolist() == (MATRIX * 2).tolist()


def test_symbols_print_their_name_and_spec(x):
    assert repr(x) == "<staged x: f64[3, 4]>"
    assert str(x + 1) == "<staged f64[3, 4]>"
    with pytest.warns(UserWarning, match=r"'<staged x: f64\[3, 4\]>' in it, not the value. print"):
        assert f"{x}" == "<staged x: f64[3, 4]>"


def test_unrelated_objects_are_not_equal(x):
    found = rnp.asarray(x == "text")
    assert (found.dtype, found.shape) == (bool, (3, 4))  # element by element, as in NumPy
    assert (x != None).known.all()  # noqa: E711  (element by element, as in NumPy)
    with pytest.raises(TypeError, match="did not contain a loop"):
        x + "text"


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda x: x[5], IndexError, "index 5 is out of bounds for axis 0 with size 3"),
        (lambda x: x[0, 0, 0], IndexError, "too many indices for array: array is 2-dimensional"),
        (lambda x: x[1.5], IndexError, "only integers, slices"),
        (lambda x: x["a"], IndexError, "only integers, slices"),
        (lambda x: x[np.ones(2, bool)], IndexError, "boolean index did not match indexed array"),
        (lambda x: x[[0, 1], [0, 1, 2]], IndexError, "indexing arrays could not be broadcast"),
        (lambda x: x + np.ones(3), ShapeError, "sizes 3 and 4 do not broadcast"),
        (lambda x: x @ np.ones(3), ShapeError, "in its core dimension 'k', not 4"),
        (lambda x: x.sum(axis=2), AxisError, "axis 2 is out of bounds for array of dimension 2"),
        (lambda x: x.reshape(5, -1), ShapeError, "cannot reshape array of size 12 into shape"),
        (lambda x: x & 1, DtypeError, "bitwise_and is not defined for float64, int"),
        (lambda x: x[:0].max(), ShapeError, "zero-size array to reduction operation maximum"),
        (lambda x: np.concatenate([x, x[0]]), ShapeError, "different numbers of dimensions"),
        (lambda x: np.stack([x, x.T]), ShapeError, "all input arrays must have the same shape"),
        (lambda x: x.__setitem__(0, np.ones(3)), ShapeError, "could not broadcast input array"),
        (lambda x: x.__setitem__((0, 0), 1j), TypeError, "must be a string or a real number"),
        (lambda x: x[0, 0].__setitem__((), 1), DtypeError, "does not support item assignment"),
    ],
)
def test_what_numpy_refuses_is_refused_while_tracing(x, function, error, message):
    with pytest.raises(error, match=message):
        function(x)


def test_errors_name_the_op_the_operands_and_the_line(x):
    with pytest.raises(ShapeError) as caught:
        _ = x + np.ones(3)
    text = str(caught.value)
    assert text.startswith("add(f64[3, 4], f64[3]): ")
    assert "x + np.ones(3)" in text


def test_tensors_give_tensors():
    t = Tensor(MATRIX.copy())
    for found in (t + 1, 1 - t, np.tanh(t), t.sum(0), t[0], np.concatenate([t, t]), t.T):
        assert type(found) is Tensor


def test_tensors_write_into_their_array():
    array = MATRIX.copy()
    t = Tensor(array)
    t[0] = 7
    t += 1
    t[1:] *= 2
    assert array[0].tolist() == [8.0] * 4
    assert array[2].tolist() == ((MATRIX[2] + 1) * 2).tolist()


def test_tensors_are_numbers_where_python_needs_them():
    assert float(Tensor(np.float64(1.5))) == 1.5
    assert bool(Tensor(np.array(True)))
    assert [10, 20][Tensor(np.int64(1))] == 20
    assert np.asarray(Tensor(MATRIX)).tolist() == MATRIX.tolist()
    assert pickle.loads(pickle.dumps(Tensor(MATRIX))).numpy().tolist() == MATRIX.tolist()


def test_a_staged_value_cannot_be_written_into_a_tensor(x):
    t = Tensor(np.zeros(4))
    with pytest.raises(MutationError, match="a staged value was written into a Tensor"):
        t[0] = x[0, 0]


def test_reshape_of_a_known_array_is_a_copy_where_numpy_copies():
    with default_graph.building(Builder()):
        a = rnp.zeros((2, 3))
        row, copied = a.reshape(6), a.T.reshape(6)
        row += 1
        copied += 5
        assert a.tolist() == [[1.0] * 3] * 2
