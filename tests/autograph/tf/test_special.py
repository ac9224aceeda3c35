"""Functions of `tf.math.special` are SciPy's, in the dtype of their tensors, with derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from autograph import tf

X = [0.5, 1.2, 2.5]
WANT = {
    "igamma": special.gammainc(0.7, X),
    "bessel_i1e": special.i1e(X),
    "special.bessel_y0": special.y0(X),
    "special.expint": special.expi(X),
    "special.dawsn": special.dawsn(X),
}


@pytest.mark.parametrize("name", WANT)
def test_special_functions_are_scipys(name: str) -> None:
    module = tf.math.special if "." in name else tf.math
    function = getattr(module, name.rpartition(".")[2])
    before = (tf.constant(0.7),) if name == "igamma" else ()
    x, step = tf.constant(X), tf.constant(1e-2)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(function)(*before, x)
    assert y.dtype == tf.float32
    np.testing.assert_allclose(y.numpy(), WANT[name], rtol=1e-5)
    slope = (function(*before, x + step) - function(*before, x - step)) / (2 * step)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), slope.numpy(), rtol=2e-3)


def test_polygamma_is_the_derivative_of_the_order_before() -> None:
    x = tf.constant([0.5, 1.2, 2.5], tf.float64)
    order = tf.constant([0.0, 1.0, 2.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.polygamma(order, x)
    np.testing.assert_allclose(y.numpy(), special.polygamma([0, 1, 2], X), rtol=1e-12)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), special.polygamma([1, 2, 3], X))
    np.testing.assert_allclose(tf.math.zeta(tf.constant(2.0), tf.constant(1.0)), np.pi**2 / 6)
