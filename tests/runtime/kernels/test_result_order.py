"""Kernels of arrays in several orders give what NumPy gives, in its order, or nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available
from runtime.kernels.load import load_now
from runtime.kernels.maps import MapKernel
from runtime.lower.steps import kernels_of

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")
M = np.random.default_rng(1).random((190, 190))  # so large that NumPy overwrites what was computed
T = np.random.default_rng(2).random((4, 20, 60))
COLUMNS, SWAPPED = np.asfortranarray(T), T.transpose(1, 0, 2).copy().transpose(1, 0, 2)
ORDERS = {
    "transposed": (M, M.T),
    "transposed first": (M.T, M),
    "both transposed": (M.T, M.T),
    "reversed": (M[::-1], M.T),
    "a column": (M[:, :1], M.T),
    "a row": (M[:1], M.T),
    "axes": (T, COLUMNS),
    "other axes": (SWAPPED, COLUMNS),
    "broadcast": (SWAPPED, T[:, :1]),
}
FUNCTIONS = {
    "chain": lambda a, b: (a - b) * 2 + a,
    "overwritten": lambda a, b: (a * 2) - b * 3,
    "choice": lambda a, b: np.where(a > b, a - b, b),
    "several": lambda a, b: (a - b, (a - b) * 2 + b, a * b - 2),
    "rows": lambda a, b: np.sum((a - b) ** 2, -1),
    "columns": lambda a, b: np.sum((a * 2 + b) ** 2, axis=0),
}


@pytest.mark.parametrize("arrays", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_results_have_numpys_bits_and_order(function: Any, arrays: Any) -> None:
    plan = ag.function(function).get_concrete_function(*arrays).executable.plan
    (kernel,) = (x for x in kernels_of(plan.block) if isinstance(x, MapKernel))
    found = load_now(kernel)(*(arrays[k] for k in sorted({*kernel.sources})))
    if found is None:
        return
    wanted = function(*arrays)
    pairs = [(found, wanted)] if isinstance(wanted, np.ndarray) else zip(found, wanted, strict=True)
    for x, y in pairs:
        assert (x.strides, x.tobytes()) == (y.strides, y.tobytes())


def test_a_matrix_beside_its_transpose_is_machine_code() -> None:
    x = np.arange(12.0).reshape(3, 4)[:, :3]
    plan = ag.function(lambda x: (x - x.T) * 2 + 1).get_concrete_function(x).executable.plan
    (kernel,) = kernels_of(plan.block)
    assert load_now(kernel)(x, x.T).tolist() == ((x - x.T) * 2 + 1).tolist()
