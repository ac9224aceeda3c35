"""Variables outside of graphs: boxes of arrays that are assigned anew."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import autograph as ag


def test_a_variable_is_read_by_operators_functions_and_methods() -> None:
    v = ag.Variable([1.0, 2.0, 4.0])
    assert (v + 1).tolist() == [2.0, 3.0, 5.0]
    assert (1 - v).tolist() == [0.0, -1.0, -3.0]
    assert (np.arange(3) * v).tolist() == [0.0, 2.0, 8.0]
    assert np.sum(v) == 7.0
    assert np.concatenate([v, v]).shape == (6,)
    assert np.maximum.reduce(v) == 4.0
    assert v.max() == 4.0
    assert v.T.shape == v.shape == (3,)
    assert (v > 1.5).tolist() == [False, True, True]
    assert [float(x) for x in v] == [1.0, 2.0, 4.0]
    assert (len(v), 2.0 in v, v[1], v[-2:].tolist()) == (3, True, 2.0, [2.0, 4.0])


def test_a_single_number_converts_as_one() -> None:
    v = ag.Variable(3)
    assert (int(v), float(v), bool(v), divmod(v, 2), round(v), abs(-v)) == (
        3,
        3.0,
        True,
        (1, 1),
        3,
        3,
    )
    assert [10, 20, 30, 40][v] == 40
    assert (v == 3, v != 3, v < 4) == (True, False, True)


def test_assignments_change_what_is_held_and_return_it() -> None:
    v = ag.Variable(1.0)
    assert v.assign(2.5) == 2.5
    assert v.assign_add(1) == 3.5
    assert v.assign_sub(0.5) == 3.0
    assert v == 3.0


def test_in_place_operators_change_the_variable_itself() -> None:
    v = same = ag.Variable([1, 2])
    v += 1
    v *= [2, 3]
    v //= 2
    assert v is same
    assert v.numpy().tolist() == [2, 4]


def test_items_are_assigned() -> None:
    v = ag.Variable(np.zeros((2, 2)))
    v[0] = 1.0
    v[1, 1] += 5
    v[..., 0] = ag.Variable(7.0)
    assert v.numpy().tolist() == [[7.0, 1.0], [7.0, 5.0]]


def test_what_was_read_stays_as_it_was() -> None:
    v = ag.Variable([1.0, 2.0])
    part, whole, held = v[1:], v.value(), np.asarray(v)
    v[1] = 9.0
    v.assign_add([1.0, 1.0])
    assert (part.tolist(), whole.tolist(), held.tolist()) == ([2.0], [1.0, 2.0], [1.0, 2.0])


def test_what_is_read_cannot_be_written_but_its_copy_can() -> None:
    v = ag.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="read-only"):
        v[1:][0] = 3.0
    for mine in (v.value(), v.numpy(), np.array(v)):
        mine[0] = 5.0
    assert v.numpy().tolist() == [1.0, 2.0]


def test_a_variable_does_not_share_the_array_that_it_is_given() -> None:
    x = np.zeros(2)
    v = ag.Variable(x)
    v.assign(x)
    x[0] = 1.0
    assert v.numpy().tolist() == [0.0, 0.0]


def test_the_dtype_is_kept() -> None:
    v = ag.Variable(1, dtype="float32", name="rate")
    assert v.dtype == np.float32
    assert v.assign(2).dtype == np.float32
    assert v.assign_add(0.5).dtype == np.float32
    with pytest.raises(
        ag.DtypeError, match=r"variable 'rate' is f32\[\], and was assigned f64\[\]"
    ):
        v.assign(np.float64(1.0))
    with pytest.raises(ag.DtypeError, match=r"Convert the value: .astype\('int64'\)"):
        ag.Variable(1).assign(0.5)


def test_the_shape_is_kept_unless_it_is_declared_open() -> None:
    with pytest.raises(ag.ShapeError, match=r"f64\[2\], and was assigned f64\[3\]: a var"):
        ag.Variable(np.zeros(2)).assign(np.zeros(3))
    v = ag.Variable(np.zeros((0, 2)), shape=[None, 2])
    v.assign(np.ones((3, 2)))
    assert v.shape == (3, 2)
    with pytest.raises(ag.ShapeError):
        v.assign(np.ones((3, 3)))
    with pytest.raises(ag.ShapeError, match="cannot hold"):
        ag.Variable(np.zeros(3), shape=[None, 2])


def test_ufuncs_write_variables_by_out() -> None:
    v = ag.Variable([1.0, 2.0])
    assert np.add(v, 1.0, out=v) is v
    assert v.numpy().tolist() == [2.0, 3.0]


def test_a_variable_of_a_tensor_gives_tensors() -> None:
    v = ag.Variable(ag.Tensor(np.float32([1, 2])))
    assert isinstance(v + 1, ag.Tensor)
    assert isinstance(v.assign_add(1.0), ag.Tensor)
    assert v.numpy().tolist() == [2.0, 3.0]


def test_copies_and_pickles_are_variables_of_their_own() -> None:
    v = ag.Variable([1.0], name="w", trainable=False)
    for other in (copy.copy(v), copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        other.assign([5.0])
        assert (other.name, other.trainable) == ("w", False)
    assert v.numpy().tolist() == [1.0]


def test_texts_and_refusals_name_the_variable() -> None:
    v = ag.Variable(2.5, name="w")
    assert repr(v) == str(v) == f"{v}" == "Variable(np.float64(2.5), name='w')"
    assert f"{v:.2f}" == "2.50"
    with pytest.raises(TypeError, match="the variable 'w' is compared by its elements"):
        hash(v)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = v.nothing


def test_a_variable_that_is_dropped_is_gone() -> None:
    v = ag.Variable(np.zeros(3))

    @ag.function
    def read(x):
        return v + x

    assert read(1.0).tolist() == [1.0, 1.0, 1.0]
    gone = weakref.ref(v)
    v = None
    gc.collect()
    assert gone() is None
