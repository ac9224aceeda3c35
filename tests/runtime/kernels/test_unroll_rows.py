"""Rows of a few elements are computed at once: NumPy's bits, however the arrays lie in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.arrays.unroll_rows import LONGEST
from runtime.kernels.jit import is_available
from runtime.kernels.kernel_interpreter import interpret
from runtime.kernels.load import load_now
from runtime.kernels.maps import MapKernel
from runtime.lower.steps import kernels_of
from tests.runtime.lower.same import all_same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")


def distances(x: Any, y: Any) -> Any:
    return np.sqrt(np.sum((x - y) ** 2, axis=-1))


def scaled(x: Any, y: Any) -> Any:
    return np.sum((x - y) * (x - y), axis=-1) * 3


def mean(x: Any, y: Any) -> Any:
    return np.mean(x * y, -1)


def inside(x: Any, y: Any) -> Any:
    return np.all(x > y, axis=-1)


def meeting(x: Any, y: Any) -> Any:
    return np.any(x == y, axis=-1)


def counted(x: Any, y: Any) -> Any:
    return np.sum(x > y, axis=-1, dtype=np.float64)


def kernel_of(function: Any, *args: Any) -> MapKernel:
    plan = ag.function(function).get_concrete_function(*args).executable.plan
    (kernel,) = (x for x in kernels_of(plan.block) if isinstance(x, MapKernel))
    return kernel


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        *((f, x) for f in (inside, meeting, counted, scaled) for x in ("float32", "int64")),
        *((f, x) for f in (distances, mean) for x in ("float32", "float64")),
    ],
)
def test_rows_have_the_bits_of_numpy(function: Any, dtype: str) -> None:
    rng = np.random.default_rng(4)
    for length in (2, 3, LONGEST):
        x = rng.integers(-3, 4, (6, 1, length)).astype(dtype) * np.dtype(dtype).type(3)
        y = rng.integers(-3, 4, (1, 500, length)).astype(dtype)
        kernel = kernel_of(function, x, y)
        assert kernel.name == "rows"
        machine = load_now(kernel)
        for given in layouts(x, y):
            with np.errstate(all="ignore"):
                wanted = function(*given)
            found = machine(*given)
            if found is not None:
                assert all_same(found, wanted)
                assert all_same(interpret(kernel, given), wanted)
        assert machine(x, y) is not None


def layouts(x: Any, y: Any) -> Any:
    """Yield arrays as they are, of columns, reversed, with negative zeros, and with NaN."""
    yield [x, y]
    yield [np.asfortranarray(x), y]
    yield [x[::-1, :, ::-1], y[:, ::3]]
    yield [x * 0 * -1, y * 0]
    if x.dtype.kind == "f":
        yield [np.where(x > 2, x.dtype.type(np.nan), x), y]


def test_a_result_is_negative_zero_no_more_than_numpys() -> None:
    x = np.full((40, 3), -0.0)
    machine = load_now(kernel_of(lambda x: np.sum(x * 1.0, axis=-1), x))
    assert not np.signbit(machine(x)).any()


@pytest.mark.parametrize("shape", [(40, LONGEST + 1), (40, 1), (3,)])
def test_longer_rows_and_single_ones_are_loops(shape: tuple[int, ...]) -> None:
    def total(x: Any) -> Any:
        return np.sum(x * x - 1.0, axis=-1)

    assert "map rows" not in ag.function(total).kernels(np.ones(shape))


def test_other_lengths_than_it_was_made_for_give_nothing() -> None:
    machine = load_now(kernel_of(lambda x: np.sum(x * x, axis=-1), np.ones((9, 3))))
    assert machine(np.ones((9, 4))) is None
    assert machine(np.ones(3)) is None
