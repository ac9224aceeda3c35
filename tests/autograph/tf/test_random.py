"""`tf.random`: which calls give equal numbers, and what the numbers are like."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf


def drawn(count=3):
    return [tf.random.uniform([2], seed=4).numpy().tolist() for _ in range(count)]


def test_the_seed_of_an_operation_is_used():
    tf.random.set_seed(1)
    first = drawn()
    assert len(set(map(tuple, first))) == 3, "a stream of numbers, not one number"
    tf.random.set_seed(1)
    assert drawn() == first
    tf.random.set_seed(2)
    assert drawn() != first
    assert tf.random.uniform([2], seed=5).numpy().tolist() not in first


def test_staged_the_numbers_are_those_of_plain_calls():
    @tf.function
    def one():
        return tf.random.uniform([2], seed=4)

    tf.random.set_seed(1)
    expected = drawn(2)
    tf.random.set_seed(1)
    assert [one().numpy().tolist(), one().numpy().tolist()] == expected


DRAWS = {
    "normal": lambda g: g.normal([200], 5.0, 2.0),
    "uniform": lambda g: g.uniform([200], -1.0, 1.0),
    "uniform of integers": lambda g: g.uniform([200], 0, 9, tf.int32),
    "uniform_full_int": lambda g: g.uniform_full_int([200], tf.int32),
    "truncated_normal": lambda g: g.truncated_normal([200], 5.0, 2.0, tf.float64),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_generators_of_one_seed_give_the_same(draw):
    first = draw(tf.random.Generator.from_seed(3))
    generator = tf.random.Generator.from_seed(3)
    assert (draw(generator).numpy() == first.numpy()).all()
    again = tf.random.Generator.from_state(generator.state, alg="philox")
    assert (draw(generator).numpy() == draw(again).numpy()).all()
    assert (draw(tf.random.Generator.from_seed(4)).numpy() != first.numpy()).any()
    staged = tf.function(draw)
    assert (staged(tf.random.Generator.from_seed(3)).numpy() == first.numpy()).all()


def test_truncated_numbers_are_within_two_deviations_and_not_at_the_bounds():
    for values in (
        tf.random.truncated_normal([2000], 5.0, 2.0).numpy(),
        tf.random.stateless_truncated_normal([2000], [1, 2], 5.0, 2.0).numpy(),
    ):
        assert values.dtype == np.float32
        assert values.min() > 1
        assert values.max() < 9
        assert 0.86 < (np.abs(values - 5) < 3).mean() < 0.95
        assert len(np.unique(values)) > 1900


def test_generators_are_split_and_skipped_and_reset():
    generator = tf.random.Generator.from_seed(3)
    a, b = (one.normal([3]).numpy().tolist() for one in generator.split(2))
    before = generator.skip(10)
    assert a != b
    assert (generator.key.numpy() != before.numpy()).any()
    generator.reset_from_seed(3)
    assert (generator.key.numpy() == tf.random.Generator.from_seed(3).key.numpy()).all()
    assert generator.make_seeds(2).shape == (2, 2)


def test_the_global_generator_is_one():
    generator = tf.random.Generator.from_seed(8)
    tf.random.set_global_generator(generator)
    assert tf.random.get_global_generator() is generator


def test_stateless_numbers_depend_on_the_seed_alone():
    one = tf.random.stateless_normal([3], seed=[1, 2]).numpy()
    assert (
        (tf.function(tf.random.stateless_normal)([3], seed=tf.constant([1, 2])) == one)
        .numpy()
        .all()
    )
    assert (tf.random.stateless_normal([3], seed=[1, 3]).numpy() != one).any()
    assert tf.random.stateless_uniform([50], [1, 2], 3, 5, tf.int32).numpy().tolist().count(3) > 10
    assert tf.random.split([1, 2], 3).shape == (3, 2)
    assert (tf.random.fold_in([1, 2], 1) != tf.random.fold_in([1, 2], 2)).numpy().any()


def test_classes_are_drawn_as_likely_as_is_said():
    tf.random.set_seed(3)
    found = tf.random.categorical(tf.math.log([[0.75, 0.25, 0.0001]]), 4000)
    assert found.dtype == tf.int64
    assert abs((found.numpy() == 0).mean() - 0.75) < 0.05


def test_shuffling_keeps_all_rows():
    assert sorted(tf.random.shuffle([3, 1, 2], seed=1).numpy()) == [1, 2, 3]
