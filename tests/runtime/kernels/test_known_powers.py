"""Powers of single floats with a known exponent, which NumPy and Python leave to the C library."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.graph.builder import Builder
from runtime.graph.opdef import REGISTRY
from runtime.kernels.entry import write_entry
from runtime.kernels.jit import is_available, load
from runtime.kernels.kernel import instructions
from runtime.kernels.known_powers import is_known
from runtime.kernels.target import host_target
from runtime.lower.loop_kernels import graph_kernel
from runtime.ops.creation import constant
from runtime.spec import spec_of

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")

EXPONENTS = [2, 3, 8, 0.5, 1.5, 2.5, -0.5, -1, -1.5, -2]


def kernel_of_powers(x, y):
    builder = Builder()
    param = builder.param(spec_of(x))
    (exponent,) = builder.emit(constant, [], constant.attributes({"value": y}))
    graph = builder.seal([param], builder.emit(REGISTRY["pow"], [param, exponent], {}))
    kernel = graph_kernel(graph, host_target())
    (call,) = (x for x in instructions(kernel.body) if x.op == "c_call")
    assert is_known(call, host_target()) == host_target().has("fma")
    return load(write_entry(kernel), "kernel")


@pytest.mark.parametrize("y", EXPONENTS)
@pytest.mark.parametrize("kind", [float, np.float64])
def test_they_have_the_bits_of_the_c_library(kind, y):
    power, rng = kernel_of_powers(kind(1.5), y), np.random.default_rng(7)
    usual = np.abs(rng.standard_normal(10_000))
    edge = 2.0 ** (60 / abs(y))
    extreme = np.exp2(rng.uniform(-400 / abs(y), 400 / abs(y), 1_000))
    given = [*map(kind, [*usual, *extreme, edge, 1 / edge])]
    if y >= 2 and y == int(y):
        given += [*map(kind, [*-usual[:1_000], 0.0, -0.0])]
    found, expected = [power(x) for x in given], [x**y for x in given]
    assert found == expected
    assert np.signbit(found).tolist() == np.signbit(expected).tolist()


def test_some_squares_are_not_the_product():
    given = np.random.default_rng(7).standard_normal(20_000).tolist()
    assert [x * x for x in given] != [x**2 for x in given]


@pytest.mark.parametrize("x", [0.0, -2.0, np.inf, np.nan])
def test_pythons_errors_and_complex_results_leave_the_kernel(x):
    assert kernel_of_powers(1.5, -0.5)(x) is None
