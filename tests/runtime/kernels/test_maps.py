"""Kernels over arrays give what NumPy gives, bit for bit, or nothing."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from runtime.errors import DtypeError
from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.kernels.arrays.map_entry import write_map
from runtime.kernels.jit import is_available, load
from runtime.kernels.kernel import UnsupportedError
from runtime.kernels.target import host_target
from runtime.lower.elementwise_kernels import NUMBERS, map_kernel
from runtime.ops import ufuncs
from runtime.spec import TensorSpec, spec_of
from tests.runtime.lower.same import all_same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")

SIZES = (0, 1, 3, 17, 1000, 5001)
ODD = {
    "f": [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -7.25, 1e-320, np.inf, -np.inf, np.nan, 1e30, 3.0],
    "i": [0, 1, -1, 2, -2, 3, -7, 100, -128, 127, 5],
    "u": [0, 1, 2, 3, 7, 100, 255],
    "b": [False, True],
}
USUAL = ("bool", "uint8", "int32", "int64", "float32", "float64")


def array(dtype: str, size: int, seed: int, kind: str = "odd") -> Any:
    """Return numbers of a dtype: all that is odd about it, or tame ones."""
    rng, found = np.random.default_rng(seed), np.dtype(dtype)
    if kind == "tame":
        return rng.uniform(1, 3, size).astype(found)
    return rng.choice(np.array(ODD[found.kind]), size).astype(found)


def graph_of(op: OpDef, specs: list[TensorSpec], attrs: dict[str, Any]) -> Graph:
    """Return the graph of one op."""
    builder = Builder()
    params = [builder.param(spec) for spec in specs]
    return builder.seal(params, builder.emit(op, params, op.attributes(attrs)))


def native(graph: Graph) -> Any:
    """Return the function of the kernel of a graph."""
    shape = graph.results[0].spec.shape
    assert shape is not None
    return load(write_map(map_kernel(graph, shape, host_target())), "kernel")


def plainly(graph: Graph, inputs: Any) -> tuple[Any, ...] | None:
    """Return what the interpreter gives, or None where it raises or warns."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return interpret(graph, inputs, np)
    except (ArithmeticError, ValueError, RuntimeWarning):
        return None


def kinds_of(op: OpDef) -> Iterator[tuple[str, ...]]:
    """Yield dtypes of operands: each with itself, and mixtures; fewer of NumPy's functions.

    Of the mixtures of two, an op gets some: what a dtype is cast to is not decided by the op.
    """
    count = len(op.signature.inputs)
    if op in vars(ufuncs).values():
        yield from ((name,) * count for name in ("bool", "int32", "uint8", "float32", "float64"))
        return
    yield from ((name,) * count for name in sorted(NUMBERS))
    if count == 2:
        mixtures = list(itertools.permutations(("uint8", "int64", "float32"), 2))
        yield from mixtures[len(op.name) % 3 :: 3]
    if count == 3:
        yield ("bool", "float32", "float64")


def elementwise() -> list[Any]:
    """Return the ops that take arrays and have a scalar."""
    odd = {"truth", "not_", "to_int", "to_float", "to_complex", "python_complex", "item", "strong"}
    ops = (x for x in REGISTRY.values() if x.scalar is not None and x.name not in odd)
    return [pytest.param(x, id=x.name) for x in ops if "keepdims" not in x.signature.attrs]


@pytest.mark.parametrize("op", elementwise())
def test_kernel_gives_what_numpy_gives_or_nothing(op: OpDef) -> None:
    compared = given = 0
    for kinds in kinds_of(op):
        for attrs in [{"dtype": name} for name in USUAL] if "dtype" in op.signature.attrs else [{}]:
            for equal, found in compare(op, kinds, attrs):
                compared += equal
                given += found
    assert given > compared * 0.8


def compare(
    op: OpDef, kinds: tuple[str, ...], attrs: dict[str, Any]
) -> Iterator[tuple[bool, bool]]:
    """Yield whether NumPy has a result of an op, and whether the kernel has; compare them."""
    try:
        graph = graph_of(op, [TensorSpec([None], kind) for kind in kinds], attrs)
        function = native(graph)
    except (UnsupportedError, DtypeError):
        return
    for size, kind, quiet in itertools.product(SIZES, ("odd", "tame"), (False, True)):
        with np.errstate(all="ignore" if quiet else "warn", under="ignore"):
            for inputs in layouts([array(x, size, k, kind) for k, x in enumerate(kinds)]):
                wanted, found = plainly(graph, inputs), function(*inputs)
                if found is not None:
                    assert wanted is not None, f"{op.name} of {kinds} warns, and gives a result"
                    assert all_same([found], wanted), f"{op.name} of {kinds}, {size} elements"
                yield wanted is not None, found is not None


def layouts(arrays: list[Any]) -> Iterator[list[Any]]:
    """Yield arrays as they are, and as every third element of larger ones."""
    yield arrays
    spread = [np.repeat(x, 3)[::3] for x in arrays]
    yield [spread[0], *arrays[1:]]
    yield spread


def sum_of(*shapes: tuple[int, ...]) -> Any:
    """Return the kernel of a sum of arrays of shapes, and its graph."""
    builder = Builder()
    params = [builder.param(spec_of(np.zeros(shape, np.float32))) for shape in shapes]
    total = params[0]
    for x in params[1:]:
        (total,) = builder.emit(REGISTRY["add"], [total, x], {})
    graph = builder.seal(params, [total])
    return native(graph), graph


@pytest.mark.parametrize(
    "shapes",
    [
        [(3, 5), (5,)],
        [(40, 700), (40, 1), (700,)],
        [(7, 1, 300), (7, 4, 300), ()],
        [(2, 3, 4, 5), (3, 1, 5)],
        [(1, 1), (1, 1)],
        [(3000, 1), (3000, 2)],
        [(1, 40), (30, 40)],
        [(0, 3), (3,)],
        [(0, 1), (0, 5)],
    ],
)
def test_arrays_are_broadcast(shapes: list[tuple[int, ...]]) -> None:
    function, graph = sum_of(*shapes)
    rng = np.random.default_rng(5)
    inputs = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    assert all_same([function(*inputs)], interpret(graph, inputs, np))


def test_slices_are_read_where_they_are() -> None:
    function, graph = sum_of((50, 70), (50, 70), (70,))
    large = np.random.default_rng(1).standard_normal((100, 210)).astype(np.float32)
    for inputs in (
        [large[::2, ::3], large[50:, 140:], large[3, :70]],
        [large[::-2, 69::-1], large[:50, :70], large[:70, 9]],
        [large[:50, :70], large[10:11, :70].repeat(50, 0), large[99, ::3]],
    ):
        assert all_same([function(*inputs)], interpret(graph, inputs, np))


def test_what_numpy_lays_out_otherwise_is_left_to_it() -> None:
    function, _ = sum_of((4, 6), (4, 6))
    x = np.ones((6, 4), np.float32).T
    assert function(x, x).strides == x.strides
    assert function(np.ones((12, 4), np.float32).T[:, ::2], x) is None
    y = np.ones((4, 6), np.float32)
    assert function(y, x).strides == (y + x).strides == y.strides


@pytest.mark.parametrize(
    "other",
    [
        np.ones((4, 7), np.float32),
        np.ones((1, 6), np.float32),
        np.ones((4, 6)),
        np.ones(6, np.float32),
        np.float32(1),
        1.0,
        None,
        np.ones((4, 6), ">f4"),
        np.ma.ones((4, 6), np.float32),
    ],
)
def test_other_arguments_than_it_was_made_for_give_nothing(other: Any) -> None:
    function, _ = sum_of((4, 6), (4, 6))
    x = np.ones((4, 6), np.float32)
    assert function(x, other) is None
    assert function(other, x) is None


def test_numbers_may_be_arrays_without_axes() -> None:
    function, _ = sum_of((5,), ())
    x = np.arange(5, dtype=np.float32)
    for number in (np.float32(2), np.array(2, np.float32)):
        assert np.array_equal(function(x, number), x + 2)
    assert function(x, 2.0) is None


def test_numbers_of_python_are_as_weak_as_ever() -> None:
    builder = Builder()
    x, y = builder.param(TensorSpec([None], np.uint8)), builder.param(spec_of(1))
    graph = builder.seal([x, y], builder.emit(REGISTRY["multiply"], [x, y], {}))
    function, values = native(graph), np.arange(200, dtype=np.uint8)
    assert all_same([function(values, 3)], [values * 3])
    assert function(values, 300) is None  # NumPy raises
    assert function(values, 2**70) is None


def test_one_kernel_serves_every_size_and_a_result_is_never_shared() -> None:
    function, _ = sum_of((4, 6), (4, 6))
    x = np.ones((4, 6), np.float32)
    first, second = function(x, x), function(x, x)
    first[:] = 0
    assert second.sum() == 48
    assert function(np.ones((9, 2), np.float32), np.ones((9, 2), np.float32)).shape == (9, 2)


def test_what_two_ops_have_in_common_is_computed_once() -> None:
    builder = Builder()
    x = builder.param(TensorSpec([None, None], np.float32))
    attrs = {"axis": -1}
    results = [
        builder.emit(REGISTRY[name], [x], REGISTRY[name].attributes(attrs))[0]
        for name in ("mean", "var")
    ]
    kernel = map_kernel(builder.seal([x], results), x.spec.shape, host_target())
    assert str(kernel).count("reduce(") == 2
