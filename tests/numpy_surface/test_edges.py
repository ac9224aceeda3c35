"""Where what is made of ops could differ from NumPy: classes, dtypes, layouts, errors, warnings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.numpy_surface.judging import EQUAL, judge

CALLS = (
    "np.fmax.outer(w, 2)",
    "np.gcd.outer(np.uint8(3) * b, 2)",
    "np.logaddexp.accumulate(w, 1, out=np.zeros((2, 3)))",
    "np.multiply.accumulate(s)",
    "(x == 'a', x != 'a')",
    "m.item((0, 1))",
    "b.conjugate()",
    "np.array(2 * float(s), np.int32)",
    "np.ascontiguousarray(s)",
    "np.isposinf(c)",
    "np.linalg.svdvals(x)",
    "np.compress(m > 0, x)",
    "np.put(x, b, y) or x",
    "np.indices(w[0, :2])",
    "np.intersect1d(i, [1.0, 2.0])",
    "np.ediff1d(w, to_end=[1, 2])",
    "np.cov(x[:0], y[:0])",
    "np.delete(s, 1)",
    "np.vander(c, 5)",
    "x[0:s]",
    "x + np.log(np.zeros(5))",
)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_as_plain_numpys(call: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert judge(call) == EQUAL


def _written(x: Any) -> Any:
    y = x.conj()
    y[0] = 7
    return x


def test_what_is_real_is_its_own_conjugate() -> None:
    assert ag.function(_written)(np.arange(2.0)).tolist() == [7.0, 1.0]


@pytest.mark.parametrize("method", ["copy", "transpose"])
def test_a_copy_lies_in_rows(method: str) -> None:
    function = ag.function(lambda m: getattr(m.T, method)())
    plain = np.ones((2, 3))
    assert function(plain).strides == getattr(plain.T, method)().strides


@pytest.mark.parametrize("of", [lambda z: z * 1, lambda z: z - 0, lambda z: z & z, lambda z: z | 0])
def test_arithmetic_makes_a_number_of_an_array_without_axes(of: Any) -> None:
    assert type(ag.function(of)(np.array(3))) is np.int64
