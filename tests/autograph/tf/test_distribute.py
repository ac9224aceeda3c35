"""`tf.distribute`: programs for several replicas run with one."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf

keras = tf.keras


def _trained(strategy):
    """Train as TensorFlow's guide on custom training with a strategy does; return the losses."""
    keras.utils.set_random_seed(1)
    draw = np.random.default_rng(0)
    x, y = draw.normal(size=(40, 3)).astype(np.float32), (np.arange(40) % 3).astype(np.uint8)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)
    with strategy.scope():
        assert tf.distribute.get_strategy() is strategy
        model = keras.Sequential(
            [keras.layers.Dense(3, kernel_regularizer=keras.regularizers.L2())]
        )
        loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
        optimizer = keras.optimizers.SGD(0.1)

    def train_step(inputs):
        images, labels = inputs
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(loss_of(labels, model(images, training=True)))
            loss += tf.nn.scale_regularization_loss(tf.add_n(model.losses))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    @tf.function
    def epoch(dataset):
        total, count = 0.0, 0
        for batch in dataset:
            losses = strategy.run(train_step, args=(batch,))
            total += strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)
            count += 1
        return total / tf.cast(count, tf.float32)

    dataset = strategy.experimental_distribute_dataset(data)
    return [float(epoch(dataset)) for _ in range(3)], model.get_weights()


def test_a_model_is_trained_in_the_scope_of_a_strategy_as_without_one() -> None:
    plain, weights = _trained(tf.distribute.get_strategy())
    for strategy in (tf.distribute.MirroredStrategy(), tf.distribute.OneDeviceStrategy("/cpu:0")):
        losses, again = _trained(strategy)
        assert losses == plain
        assert losses[-1] < losses[0]
        assert all(map(np.array_equal, weights, again))


def test_a_replica_knows_that_it_is_the_only_one() -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])

    def run(x):
        replica = tf.distribute.get_replica_context()
        assert not tf.distribute.in_cross_replica_context()
        return replica.all_reduce("SUM", x) * replica.num_replicas_in_sync

    found = strategy.run(run, (tf.constant([1.0, 3.0]),))
    assert strategy.reduce("MEAN", found, axis=0).numpy() == 2
    assert strategy.experimental_local_results(found) == (found,)
    with strategy.scope():
        assert tf.distribute.has_strategy()
        assert tf.distribute.get_replica_context() is None
    assert not tf.distribute.has_strategy()
    made = strategy.distribute_datasets_from_function(
        lambda given: tf.data.Dataset.range(4).batch(given.get_per_replica_batch_size(2))
    )
    assert [x.numpy().tolist() for x in made] == [[0, 1], [2, 3]]


def test_several_devices_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="2 devices were given, and there is one replica"):
        tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    with pytest.raises(AttributeError, match="there is one replica, on one device"):
        _ = tf.distribute.TPUStrategy
