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
