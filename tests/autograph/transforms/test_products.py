"""Products whose cotangents have one row or one column, or are one number."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.runtime.autodiff.derivatives import central

SHAPES = {
    "matmul": [((3, 4), (4, 2)), ((4,), (4, 2)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 2))],
    "dot": [((3, 4), (4, 2)), ((4,), (4, 2)), ((2, 3, 4), (5, 4, 2)), ((3,), ())],
    "inner": [((3, 4), (2, 4)), ((3, 4), (4,)), ((2, 3, 4), (2, 4))],
    "outer": [((3,), (2,)), ((2, 2), (3,))],
}


@pytest.mark.parametrize("name", SHAPES)
def test_sums_of_products_have_the_derivatives_of_differences(name: str) -> None:
    def sums(x, y):
        z = np.atleast_1d(getattr(np, name)(x, y))
        rows = np.sum(np.sum(z, axis=0) ** 2)
        return np.sum(z) + rows + np.sum(np.sum(z, axis=-1, keepdims=True) ** 3)

    functions = [sums, lambda x, y: np.sum(getattr(np, name)(x, y))]
    parts = [(f, ag.grad(f, argnums=(0, 1))) for f in functions]
    rng = np.random.default_rng(0)
    for shapes in SHAPES[name]:
        x, t = ([rng.normal(size=shape) for shape in shapes] for _ in range(2))
        for function, derived in parts:
            found = sum(np.sum(g * b) for g, b in zip(derived(*x), t, strict=True))
            (step,) = central(lambda *x, f=function: [f(*x)], x, t, 1e-5)
            np.testing.assert_allclose(found, step, rtol=1e-6)


def test_a_sum_of_a_product_goes_back_without_a_product() -> None:
    for product in (np.matmul, np.dot, lambda x, y: np.inner(x, y.T)):
        derived = ag.grad(lambda x, y, f=product: np.sum(f(x, y)))
        text = derived.plan(np.ones((3, 4)), np.ones((4, 2))).partition("def ")[0]
        assert text.count("matmul") + text.count("inner") + text.count("dot") == 1  # for warnings
        assert "multiply" not in text
        assert "full" not in text
