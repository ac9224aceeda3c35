"""`tf.train`: checkpoints of modules, optimisers and variables."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf
from autograph.nn import arrivals


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.w, self.parts = tf.Variable([1.0, 2.0]), [tf.Variable(1.0), {"b": tf.Variable(2.0)}]


def stepped(net, optimizer):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(net.w**2)
    optimizer.apply_gradients([(tape.gradient(loss, net.w), net.w)])


def test_what_was_written_is_restored(tmp_path):
    net, optimizer = Net(), tf.keras.optimizers.Adam()
    stepped(net, optimizer)
    checkpoint = tf.train.Checkpoint(optimizer=optimizer, model=net, step=net.parts[0])
    path = checkpoint.save(tmp_path / "kept")
    held = net.w.numpy()
    stepped(net, optimizer)
    after = net.w.numpy()
    checkpoint.restore(path).assert_consumed()
    np.testing.assert_array_equal(net.w.numpy(), held)
    stepped(net, optimizer)
    np.testing.assert_array_equal(net.w.numpy(), after)
    names = {n.partition("/.")[0]: x for n, x in tf.train.list_variables(path)}
    assert {"model/w", "model/parts/0", "model/parts/1/b", "step", "save_counter"} <= set(names)
    assert names["model/w"] == [2]
    with pytest.raises(KeyError, match="there is no other in the file"):
        tf.train.Checkpoint(other=tf.Variable(0.0)).restore(path)


def test_the_last_files_are_kept(tmp_path):
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(Net()), tmp_path, max_to_keep=2)
    assert manager.restore_or_initialize() is None
    for _ in range(11):
        manager.save()
    assert [x.rpartition("-")[2] for x in manager.checkpoints] == ["10", "11"]
    assert tf.train.latest_checkpoint(tmp_path) == manager.latest_checkpoint


class Flexible(tf.Module):
    """A layer that makes its variables when it is first called."""

    def __init__(self, units):
        super().__init__()
        self.units, self.is_built = units, False

    def __call__(self, x):
        if not self.is_built:
            self.w = tf.Variable(tf.random.normal((x.shape[-1], self.units)), name="w")
            self.b = tf.Variable(tf.zeros(self.units), name="b")
            self.is_built = True
        return tf.matmul(x, self.w) + self.b


class Two(tf.Module):
    def __init__(self):
        super().__init__()
        self.dense_1, self.dense_2 = Flexible(3), Flexible(2)

    def __call__(self, x):
        return self.dense_2(self.dense_1(x))


X = tf.constant([[2.0, 1.0, 3.0]])


@pytest.fixture(autouse=True)
def nobody_waits():
    """Those who wait for variables in one test do not in another."""
    arrivals._WAITING.clear()


@pytest.mark.parametrize("stage", [lambda f: f, tf.function], ids=["eagerly", "staged"])
def test_variables_that_are_made_later_are_restored_then(tmp_path, stage):
    first, other = Two(), Two()
    expected = first(X).numpy()
    path = tf.train.Checkpoint(model=first).write(tmp_path / "kept")
    status = tf.train.Checkpoint(model=other).restore(path)
    with pytest.raises(AssertionError, match="no variables are there yet for model/dense_1/b"):
        status.assert_consumed()
    call = stage(lambda x: other(x))
    np.testing.assert_array_equal(call(X).numpy(), expected)
    status.assert_consumed()
    assert "__setattr__" not in vars(tf.Module)
    other.dense_2.w.assign(tf.zeros((3, 2)))
    np.testing.assert_array_equal(call(X).numpy(), [[0.0, 0.0]])
    names = tf.train.list_variables(path)
    assert names[1:3] == [
        ("model/dense_1/b/.ATTRIBUTES/VARIABLE_VALUE", [3]),
        ("model/dense_1/w/.ATTRIBUTES/VARIABLE_VALUE", [3, 3]),
    ]


def test_a_training_goes_on_where_it_was(tmp_path):
    def begun():
        model = tf.keras.Sequential([tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)])
        model.compile("adam", "mse")
        return model, tf.train.Checkpoint(net=model, optimizer=model.optimizer)

    def trained(model):
        model.fit(np.ones((8, 2)), np.ones(8), epochs=2, shuffle=False, verbose=0)

    one, checkpoint = begun()
    trained(one)
    path = checkpoint.save(tmp_path / "kept")
    other, again = begun()
    status = again.restore(path)
    trained(one), trained(other)
    status.assert_consumed()
    for a, b in zip(one.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_attributes_of_checkpoints_are_kept_and_restored(tmp_path):
    kept = tf.train.Checkpoint()
    kept.listed = [tf.Variable(1.0), tf.Variable(2.0)]
    kept.mapped = {"two": kept.listed[1]}
    path = kept.save(tmp_path / "kept")
    other, two = tf.train.Checkpoint(), tf.Variable(0.0)
    other.mapped = {"two": two}
    other.restore(path)
    assert two.numpy() == 2.0
    with pytest.raises(NotImplementedError, match="'listed' was restored with listed/0, which"):
        other.listed = []
    one = tf.Variable(0.0)
    other.listed = [one, two]
    assert one.numpy() == 1.0
    inner = tf.train.Checkpoint(listed=tf.train.Checkpoint())
    inner.listed.first = one
    with pytest.raises(KeyError, match="there is no listed/first in the file"):
        inner.restore(path)


def test_a_file_tells_what_it_holds(tmp_path):
    net = Net()
    path = tf.train.Checkpoint(net=net).save(tmp_path / "kept")
    reader = tf.train.load_checkpoint(tmp_path)
    name = "net/w/.ATTRIBUTES/VARIABLE_VALUE"
    assert reader.get_variable_to_shape_map()[name] == [2]
    assert reader.get_variable_to_dtype_map()[name] == tf.float32
    assert reader.has_tensor(name)
    np.testing.assert_array_equal(reader.get_tensor(name), net.w.numpy())
    np.testing.assert_array_equal(tf.train.load_variable(path, name), net.w.numpy())
    with pytest.raises(tf.errors.NotFoundError, match=r"none\.npz is not there"):
        tf.train.load_checkpoint(tmp_path / "none")
