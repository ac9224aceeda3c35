"""`tf.experimental`: NumPy's functions of tensors, and types of one's own that hold tensors."""

from __future__ import annotations

import typing

import numpy as np
import pytest

import autograph.tf.experimental.numpy as tnp
from autograph import tf
from autograph.tf.tensors import operate

F = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
I = np.array([[3, 1, 2], [0, 5, -4]], np.int32)  # noqa: E741

CALLS = (
    lambda np, f, i: np.ones([2, 3]),
    lambda np, f, i: np.arange(4),
    lambda np, f, i: np.array([1.0, 2.0]),
    lambda np, f, i: np.add(f, i),
    lambda np, f, i: np.add(f, 1.5),
    lambda np, f, i: np.add(1, 2),
    lambda np, f, i: np.mean(i, axis=0),
    lambda np, f, i: np.sum(i),
    lambda np, f, i: np.matmul(f, np.transpose(i)),
    lambda np, f, i: np.concatenate([f, i]),
    lambda np, f, i: np.where(f > 0, f, 0),
    lambda np, f, i: np.einsum("ij->i", f),
    lambda np, f, i: np.tensordot(f, np.transpose(f), 1),
    lambda np, f, i: np.linspace(0, 1, 3),
    lambda np, f, i: np.true_divide(i, 2),
)


@pytest.mark.parametrize("is_staged", [False, True])
def test_functions_are_numpys_and_give_tensors(is_staged: bool) -> None:
    for k, call in enumerate(CALLS):
        expected = np.asarray(call(np, F, I))
        run = tf.function(lambda f, i, call=call: call(tnp, f, i)) if is_staged else call
        found = run(F, I) if is_staged else call(tnp, tf.constant(F), tf.constant(I))
        assert isinstance(found, tf.Tensor), k
        assert found.dtype == expected.dtype, k
        assert np.array_equal(found.numpy(), expected), k


def test_operators_mix_dtypes_when_they_are_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    f, i = tf.constant(F), tf.constant(I)
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        _ = f + i
    monkeypatch.setattr(operate, "mixes", False)
    tnp.experimental_enable_numpy_behavior()
    for made in (f + i, tf.function(lambda: f + i)()):
        assert made.dtype == "float64"
        assert np.array_equal(made.numpy(), F + I)
    assert (f + 1.5).dtype == "float32"
    assert (i / 2).dtype == "float64"


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor
    scale: int = 2

    def __validate__(self):
        self.values.shape.assert_is_compatible_with(self.mask.shape)

    def total(self):
        return tf.reduce_sum(tf.where(self.mask, self.values, 0)) * self.scale


class Outer(tf.experimental.ExtensionType):
    inner: Masked
    pair: typing.Tuple[tf.Tensor, tf.Tensor]  # noqa: UP006
    table: typing.Mapping[str, tf.Tensor]


class Rows(tf.experimental.ExtensionType):
    starts: tf.Tensor

    def __init__(self, starts):
        self.starts = tf.cast(starts, tf.int64)


@tf.function
def _turned(x, count):
    if tf.reduce_any(x.mask):
        x = Masked(x.values + count, tf.logical_not(x.mask))
    for _ in tf.range(count):
        x = Masked(x.values * 2, x.mask)
    return x, x.total()


def test_a_type_of_ones_own_goes_through_branches_and_loops() -> None:
    found, total = _turned(Masked([1, 2, 3], [True, False, True]), tf.constant(2))
    assert type(found) is Masked
    assert found.values.numpy().tolist() == [12, 16, 20]
    assert int(total) == int(found.total()) == 32
    whole = Outer(found, (1, 2.0), {"k": [3]})
    double = tf.function(lambda x: Outer(x.inner, (x.pair[0] + 1, x.pair[1]), {"k": x.table["k"]}))
    assert [int(double(whole).pair[0]), int(double(whole).inner.values[0])] == [2, 12]
    assert Rows([0, 2]).starts.dtype == "int64"


def test_fields_are_checked_and_set_once() -> None:
    x = Masked([1, 2], [True, False], scale=3)
    assert bool(x == Masked([1, 2], [True, False], 3))
    assert not bool(x == Masked([1, 2], [True, True], 3))
    assert bool(x != Masked([5, 2], [True, False], 3))
    assert repr(x).startswith("Masked(values=<tf.Tensor: shape=(2,)")
    with pytest.raises(AttributeError, match="Cannot mutate attribute `scale`"):
        x.scale = 4
    with pytest.raises(TypeError, match=r"Masked\.scale: expected a int, and got 'x'"):
        Masked([1], [True], "x")
    with pytest.raises(ValueError, match="are incompatible"):
        Masked([1, 2], [True])
    with pytest.raises(TypeError, match="missing a required argument: 'mask'"):
        Masked([1])


def test_derivatives_go_through_a_type_of_ones_own() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x = Masked([v * v, v], [True, False])
        loss = x.total()
    assert tape.gradient(loss, v).numpy() == 12
