"""Arms of a branch leave a variable in one dtype, as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autograph.tf as tf


def numbers(c):
    if c:
        y = 1
    else:
        y = 2.5
    return y


def only_one_arm(c):
    y = 0
    if c:
        y = tf.constant(2.5)
    return y


def expression(c):
    return tf.constant(1) if c else tf.constant(2.5)


def truth(c):
    if c:
        return True
    return 1


@pytest.mark.parametrize("f", [numbers, only_one_arm, expression, truth], ids=lambda f: f.__name__)
def test_arms_of_two_dtypes_are_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=r"has dtype \w+ in the main branch, but dtype \w+ in the"):
        tf.function(f)(tf.constant(True))


def test_a_number_of_python_becomes_a_tensor_of_its_kind() -> None:
    @tf.function
    def f(c):
        y = 0.0
        if c:
            y = tf.constant(2.5)
        return y

    assert f(tf.constant(False)).dtype == tf.float32
