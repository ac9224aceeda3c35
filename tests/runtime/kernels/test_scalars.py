"""What kernels compute is what the interpreter computes, bit for bit, or nothing."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.kernels.entry import write_entry
from runtime.kernels.jit import is_available, load
from runtime.kernels.kernel import UnsupportedError
from runtime.kernels.target import host_target
from runtime.lower.index_maps import NUMBERS
from runtime.lower.loop_kernels import graph_kernel
from runtime.lower.value_types import KINDS as NUMBERS_OF_LOOPS
from runtime.ops import ufuncs
from runtime.spec import spec_of
from tests.runtime.lower.same import all_same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")

PYTHON = [
    [False, True],
    [0, 1, -1, 2, 7, -7, 62, 63, 64, 2**31, 2**53, 2**53 + 1, -(2**62), 2**63 - 1, -(2**63)],
    [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -7.25, 1e-320, 1e308, -1e308, 1e19, math.inf, -math.inf,
     math.nan, 2.0**53],
    [complex(x, y) for x, y in itertools.product([0.0, -0.0, 1.5, -7.25, 1e308, math.inf, math.nan],
                                                 repeat=2)],
]  # fmt: skip
"""Python's numbers with all that is odd about each kind."""


def numbers(dtype: np.dtype[Any]) -> list[Any]:
    """Return numbers of a dtype with all that is odd about it."""
    if dtype.kind == "b":
        return [dtype.type(0), dtype.type(1)]
    if dtype.kind == "f":
        info = np.finfo(dtype)
        odd = [*PYTHON[2][:7], float(info.max), float(info.tiny) / 4, math.inf, -math.inf, math.nan]
        return [dtype.type(x) for x in odd]
    if dtype.kind == "c":
        pairs = itertools.product([0.0, -0.0, 1.0, -7.3, 0.1, 3e38, math.inf, math.nan], repeat=2)
        return [dtype.type(complex(x, y)) for x, y in pairs]
    limits = np.iinfo(dtype)
    known = [0, 1, 2, 3, 7, 63, 64, -1, -2, -7, limits.min, limits.min + 1, limits.max]
    return [dtype.type(x) for x in known if limits.min <= x <= limits.max]


KINDS: dict[str, list[Any]] = {
    **{name: numbers(np.dtype(name)) for name in sorted(NUMBERS_OF_LOOPS)},
    **{type(values[0]).__name__ + " of Python": values for values in PYTHON},
}


def attributes(op: OpDef) -> Iterator[dict[str, Any]]:
    """Yield attributes that an op may have."""
    if "dtype" in op.signature.attrs:
        yield from ({"dtype": name} for name in sorted(NUMBERS))
    else:
        yield {}


def graph_of(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> Graph:
    """Return the graph of one op on inputs like these."""
    builder = Builder()
    params = [builder.param(spec_of(x)) for x in inputs]
    return builder.seal(params, builder.emit(op, params, op.attributes(attrs)))


def plainly(graph: Graph, inputs: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return what the interpreter gives, or None where it raises or warns."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return interpret(graph, inputs, np)
    except (ArithmeticError, MemoryError, ValueError, RuntimeWarning):
        return None


def combinations(op: OpDef) -> Iterator[tuple[str, ...]]:
    """Yield kinds of operands: all of one, and mixed ones of the usual kinds.

    For functions, whose kernels all call an inner loop, fewer of them; and of the mixtures an op
    gets some, since what a kind is cast to is not decided by the op.
    """
    count = len(op.signature.inputs)
    if op in vars(ufuncs).values():
        yield from itertools.product(
            ["float of Python", "int8", "float64", "float32"][count - 1 :], repeat=count
        )
        return
    if count == 1:
        yield from itertools.product(KINDS)
        return
    usual = ["int64", "float64", "float32", "int8", "int of Python", "float of Python"]
    mixtures = [*itertools.permutations(usual, 2), ("uint64", "int of Python")]
    complexes = ["complex128", "complex64", "complex of Python"]
    mixtures += [(x, y) for x in complexes for y in [*complexes, "float64", "float of Python"]]
    mixtures += [("int of Python", "complex of Python"), ("float64", "complex of Python")]
    yield from ((kind, kind) for kind in KINDS)
    yield from mixtures[len(op.name) % 3 :: 3]


def kernel_cases() -> list[Any]:
    """Return all ops that have a scalar, and give numbers for numbers."""
    arrays_only = {"where", "clip", "cell"}
    ops = (x for x in REGISTRY.values() if x.scalar is not None and x.name not in arrays_only)
    return [pytest.param(x, id=x.name) for x in ops if "keepdims" not in x.signature.attrs]


@pytest.mark.parametrize("op", kernel_cases())
def test_kernel_gives_what_the_op_gives_or_nothing(op: OpDef) -> None:
    given = compared = 0
    for kinds in combinations(op):
        for attrs in attributes(op):
            for equal, found in compare(op, [KINDS[kind] for kind in kinds], attrs):
                given += found
                compared += equal
    assert compared
    assert given > compared * 0.5  # the others are left to Python, such as what raises


def compare(
    op: OpDef, values: Sequence[Sequence[Any]], attrs: dict[str, Any]
) -> Iterator[tuple[bool, bool]]:
    """Compare an op on all combinations of values: yield whether it gives something, and a kernel.

    A kernel for which the op, or its dtypes, have no scalar is not compared.
    """
    try:
        graph = graph_of(op, [x[-1] for x in values], attrs)
        kernel = graph_kernel(graph, host_target())
    except (TypeError, ValueError, UnsupportedError):
        return
    native = load(write_entry(kernel), "kernel")
    for inputs in itertools.product(*values):
        found = native(*inputs)
        if found is None and op.name == "pow" and type(inputs[0]) is int and inputs[1] > 2**10:
            continue  # Python's integer would fill the memory
        wanted = plainly(graph, inputs)
        if found is not None:
            assert wanted is not None, f"{op.name}{inputs} raises or warns, and gives {found!r}"
            assert all_same([found], wanted), f"{op.name}{inputs}: {found!r}, not {wanted}"
        if wanted is not None:
            yield True, found is not None
