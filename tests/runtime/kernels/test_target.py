"""Kernels for another processor than this one: with other vectors, and the same numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from runtime.graph.node import Graph
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.kernels.arrays.layout import lanes_of
from runtime.kernels.arrays.map_entry import write_map
from runtime.kernels.entry import write_entry
from runtime.kernels.jit import is_available, load
from runtime.kernels.kernel import Kernel
from runtime.kernels.kernel_interpreter import interpret
from runtime.kernels.loops.versioning import lean
from runtime.kernels.maps import MapKernel
from runtime.kernels.scalar.vector_library import LANES
from runtime.kernels.target import VARIABLE, Target, host_target
from runtime.lower.elementwise_kernels import map_kernel
from runtime.spec import TensorSpec
from tests.runtime.kernels.random_kernels import RandomWriter, arguments, is_same, outcome
from tests.runtime.kernels.test_maps import array, graph_of

AVX2 = Target("x86-64-v3", "+avx,+avx2,+fma,+f16c", 32)
"""A processor whose vectors have 32 bytes, and which has no AVX-512."""

pytestmark = pytest.mark.skipif(
    not is_available() or not host_target().has("avx2", "fma"), reason="it does not run here"
)


def kernel_of(name: str, spec: TensorSpec, fast: bool = False, **attrs: Any) -> Any:
    """Return the kernel of an op on arrays like one, for AVX2."""
    op: OpDef = REGISTRY[name]
    graph = graph_of(op, [spec] * len(op.signature.inputs), attrs)
    return made(graph, AVX2, fast)


def made(graph: Graph, target: Target, fast: bool = False) -> MapKernel:
    """Return the kernel of a graph of one op for a target."""
    (node,) = graph.nodes
    value = node.result if node.op.reduction is None else node.inputs[0]
    return map_kernel(graph, value.spec.shape or (), target, fast)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("add", "int8"), ("multiply", "uint64"), ("floor_divide", "int32"), ("maximum", "float64"),
        ("divide", "float32"), ("exp", "float32"), ("exp", "float64"), ("sqrt", "float64"),
    ],
)  # fmt: skip
def test_elementwise_kernels_have_the_same_numbers(name: str, dtype: str) -> None:
    kernel = kernel_of(name, TensorSpec([None], dtype))
    text = write_map(kernel)
    assert text.target is AVX2
    function = load(text, "kernel")
    assert lanes_of(kernel) == 32 // np.dtype(dtype).itemsize
    for size in (0, 1, 7, 1000, 70_001):
        inputs = [array(dtype, size, k, "tame") for k in range(len(kernel.inputs))]
        assert is_same(function(*inputs), interpret(kernel, inputs))


@pytest.mark.parametrize("target", [AVX2, host_target()], ids=["avx2", "host"])
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *(("less", x) for x in ("int8", "int16", "uint32", "int64", "float32", "float64")),
        *((x, "float64") for x in ("equal", "isnan", "logical_and", "signbit")),
    ],
)
def test_masks_are_made_of_two_vectors(name: str, dtype: str, target: Target) -> None:
    op: OpDef = REGISTRY[name]
    kernel = made(graph_of(op, [TensorSpec([None], dtype)] * len(op.signature.inputs), {}), target)
    size = np.dtype(dtype).itemsize
    assert lanes_of(kernel) == target.vector // size * (2 if size > 1 else 1)
    function = load(write_map(kernel), "kernel")
    for size in (*range(70), 1000, 70_001):
        inputs = [array(dtype, size, k) for k in range(len(kernel.inputs))]
        assert is_same(function(*inputs), interpret(kernel, inputs))


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
@pytest.mark.parametrize(
    ("name", "axis"), [("sum", -1), ("sum", 0), ("sum", None), ("max", -1), ("var", -1)]
)
def test_reductions_have_the_same_numbers(name: str, dtype: str, axis: Any) -> None:
    dtype = "float64" if name == "var" and dtype == "int32" else dtype
    kernel = kernel_of(name, TensorSpec([None, None], dtype), axis=axis)
    function = load(write_map(kernel), "kernel")
    for shape in ((2, 16), (3, 19), (33, 100), (5, 1030), (400, 17)):
        x = array(dtype, shape[0] * shape[1], 5, "tame").reshape(shape)
        assert is_same(function(x), interpret(kernel, [x])), shape


def test_random_kernels_have_the_same_numbers() -> None:
    for seed in range(30):
        writer = RandomWriter(seed)
        plain = writer.kernel()
        kernel = replace(plain, body=lean(plain.body), target=AVX2)
        assert isinstance(kernel, Kernel)
        machine = load(write_entry(kernel), "random")
        for inputs in arguments(kernel, writer.rng):
            wanted = outcome(lambda *x: interpret(plain, x), inputs, True)  # noqa: B023
            assert is_same(outcome(machine, inputs, True), wanted), f"{seed}: {inputs}\n{kernel}"


def test_instructions_of_larger_processors_are_not_used() -> None:
    many = replace(AVX2, vector_functions=frozenset({"sin"}))
    single, double = (TensorSpec([None], x) for x in ("float32", "float64"))
    op = REGISTRY["sin"]
    graph = graph_of(op, [double], {})
    assert "vector(" not in str(made(graph, many, True))
    wide = replace(many, vector=8 * LANES)
    assert "vector(" in str(made(graph, wide, True))
    assert "scale(" not in str(kernel_of("exp", single, fast=True))
    assert "loop(" in str(kernel_of("exp", single))


def test_fast_exponentials_are_near_the_right_ones() -> None:
    x = np.linspace(-80, 80, 10_001, dtype=np.float32)
    found = load(write_map(kernel_of("exp", TensorSpec([None], "float32"), fast=True)), "exp")(x)
    right = np.exp(x.astype(float))
    assert np.max(np.abs(found - right) / right) < 2e-7


def test_a_machine_stands_for_one_with_smaller_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "32")
    found = host_target.__wrapped__()
    assert found.vector == 32
    assert "+avx512" not in found.features
    assert found.has("avx2", "fma")
    assert not found.exact_exp
    assert not found.vector_functions
