"""Squares of single floats, which NumPy and Python leave to the C library's `pow`."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.graph.builder import Builder
from runtime.graph.opdef import REGISTRY
from runtime.kernels.entry import write_entry
from runtime.kernels.jit import is_available, load
from runtime.kernels.target import host_target
from runtime.lower.loop_kernels import graph_kernel
from runtime.ops.creation import constant
from runtime.spec import spec_of

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


def kernel_of_squares(x):
    builder = Builder()
    param = builder.param(spec_of(x))
    (two,) = builder.emit(constant, [], constant.attributes({"value": 2}))
    graph = builder.seal([param], builder.emit(REGISTRY["pow"], [param, two], {}))
    return load(write_entry(graph_kernel(graph, host_target())), "kernel")


@pytest.mark.parametrize("kind", [float, np.float64])
def test_they_have_the_bits_of_the_c_library(kind):
    square, rng = kernel_of_squares(kind(1.5)), np.random.default_rng(7)
    usual = rng.standard_normal(20_000)
    extreme = np.exp2(rng.uniform(-540, 511, 2_000)) * rng.choice([-1.0, 1.0], 2_000)
    given = [*map(kind, [*usual, *extreme, 0.0, -0.0, 2.0**-30, 2.0**30])]
    assert [square(x) for x in given] == [x**2 for x in given]
    products = [x * x for x in given]
    assert products != [x**2 for x in given]  # some are where only `pow` knows
