"""`tf.train`: checkpoints of modules, optimisers and variables."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf


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
    names = dict(tf.train.list_variables(path))
    assert {"model.w", "model.parts.0", "model.parts.1.b", "step", "save_counter"} <= set(names)
    assert names["model.w"] == [2]
    with pytest.raises(KeyError, match=r"there is no .*model.w.* in the variables"):
        tf.train.Checkpoint(step=tf.Variable(0.0)).restore(path)


def test_the_last_files_are_kept(tmp_path):
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(Net()), tmp_path, max_to_keep=2)
    assert manager.restore_or_initialize() is None
    for _ in range(11):
        manager.save()
    assert [x.rpartition("-")[2] for x in manager.checkpoints] == ["10", "11"]
    assert tf.train.latest_checkpoint(tmp_path) == manager.latest_checkpoint
