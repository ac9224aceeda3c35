"""`tf.keras.ops` and `tf.keras.random`: NumPy's functions of tensors, with Keras' dtypes."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf

keras = tf.keras
ops = keras.ops
F = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
I = np.array([[3, 1, 2], [0, 5, -4]], np.int32)  # noqa: E741
B = F > 0

DTYPES = (  # what Keras 3 gives over TensorFlow
    (lambda: ops.mean(I), "float32", 7 / 6),
    (lambda: ops.sum(B), "int32", 4),
    (lambda: ops.mean(I.astype(np.int64)), "float32", 7 / 6),
    (lambda: ops.sum(I.astype(np.int64)), "int64", 7),
    (lambda: ops.exp(np.array([True])), "float32", [np.e]),
    (lambda: ops.floor(I), "float32", I),
    (lambda: ops.add(I, F), "float32", I + F),
    (lambda: ops.add(I.astype(np.int64), 1.5), "float32", I + 1.5),
    (lambda: ops.multiply(B, 2), "int32", B * 2),
    (lambda: ops.true_divide(I, 2), "float32", I / 2),
    (lambda: ops.add(F, F.astype(np.float64)), "float64", F * 2),
    (lambda: ops.matmul(I, I.T), "int32", I @ I.T),
    (lambda: ops.argmax(F, axis=1), "int32", [2, 1]),
    (lambda: ops.arange(3), "int32", [0, 1, 2]),
    (lambda: ops.full((2,), 3), "float32", [3, 3]),
    (lambda: ops.concatenate([F, I]), "float32", np.concatenate([F, I])),
    (lambda: ops.where(B, I, F), "float32", np.where(B, I, F)),
    (lambda: ops.einsum("ij,kj->ik", F, I), "float32", F @ I.T),
    (lambda: ops.cast(F, "int32"), "int32", F.astype(np.int32)),
    (lambda: ops.relu(I), "int32", np.maximum(I, 0)),
    (lambda: ops.one_hot([1, 0], 2), "float32", [[0, 1], [1, 0]]),
    (lambda: ops.scatter_update(F, [[0, 1]], [9.0]), "float32", [[1, 9, 3], [0.5, 4, -1]]),
    (lambda: ops.slice(F, (0, 1), (2, 2)), "float32", F[:, 1:]),
    (lambda: ops.slice_update(F, (0, 1), np.zeros((1, 2))), "float32", [[1, 0, 0], [0.5, 4, -1]]),
    (lambda: ops.segment_sum(F, [0, 0]), "float32", [F.sum(0)]),
    (lambda: ops.norm(F, axis=-1), "float32", np.linalg.norm(F, axis=-1)),
    (lambda: ops.fori_loop(0, 4, lambda i, x: x + i, 1), "int32", 7),
    (lambda: ops.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (0, 1.0))[1],
     "float32", 8),
    (lambda: ops.scan(lambda c, x: (c + x, c * x), np.float32(0), F[0])[1], "float32", [0, -2, -3]),
    (lambda: ops.switch(7, [lambda x: x + 1, lambda x: x * 3], 2.0), "float32", 6),
    (lambda: ops.binary_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]), "float32", [[np.log(2)] * 2]),
)  # fmt: skip


@pytest.mark.parametrize("is_staged", [False, True])
def test_operations_have_keras_dtypes_and_numpys_values(is_staged: bool) -> None:
    for k, (call, dtype, expected) in enumerate(DTYPES):
        found = (tf.function(call) if is_staged else call)()
        assert found.dtype == dtype, (k, found.dtype, dtype)
        assert np.allclose(found.numpy(), expected, atol=1e-6), k


def test_operations_are_parts_of_a_model() -> None:
    x = keras.Input((3,))
    y = ops.softmax(ops.add(ops.multiply(x, 2), 1), axis=-1)
    model = keras.Model(x, ops.concatenate([y, ops.mean(y, axis=-1, keepdims=True)], axis=-1))
    expected = np.exp(2 * F) / np.exp(2 * F).sum(-1, keepdims=True)
    assert model.output_shape == (None, 4)
    assert np.allclose(model.predict(F, verbose=0)[:, :3], expected, atol=1e-6)


class Dropped(keras.layers.Layer):
    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate, self.seeds = rate, keras.random.SeedGenerator(1337)

    def call(self, inputs, training=None):
        return keras.random.dropout(inputs, self.rate, seed=self.seeds) if training else inputs


def test_a_generator_of_seeds_draws_anew_in_each_call_of_a_graph() -> None:
    layer = Dropped(0.5)
    run = tf.function(lambda x: layer(x, training=True))
    first, other = (run(np.ones(64, np.float32)).numpy() for _ in range(2))
    assert set(first) | set(other) == {0.0, 2.0}
    assert first.tolist() != other.tolist()
    assert layer(np.ones(2, np.float32)).numpy().tolist() == [1.0, 1.0]
    again = Dropped(0.5)
    assert again(np.ones(64, np.float32), training=True).numpy().tolist() == first.tolist()


def test_draws_of_a_seed_are_the_same() -> None:
    for draw in (keras.random.normal, keras.random.uniform, keras.random.truncated_normal):
        assert draw((5,), seed=3).numpy().tolist() == draw((5,), seed=3).numpy().tolist()
    drawn = keras.random.randint((100,), 2, 5, seed=1)
    assert drawn.dtype == "int32"
    assert set(drawn.numpy()) == {2, 3, 4}
    assert sorted(keras.random.shuffle(np.arange(5), seed=1).numpy()) == [0, 1, 2, 3, 4]
    kinds = keras.random.categorical([[0.0, -1e9]], 4, seed=1)
    assert kinds.numpy().tolist() == [[0, 0, 0, 0]]
