"""Loops over elements make views with gaps themselves: their kernels take arrays without gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.node import Node, Value
from runtime.kernels.jit import is_available
from runtime.lower.loop_views import has_gaps
from runtime.ops.indexing import index
from runtime.passes.rewriter import node_of
from runtime.spec import spec_of
from tests.runtime.lower.same import all_same

needs_llvm = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")
GRID = np.random.default_rng(1).normal(size=(9, 4))


def column(x, n):
    c, s = x[:, 1], 0.0
    for i in range(n):
        s = s * 0.5 + c[i % 9]
    return s


def best(x, n):
    rows = np.zeros((n, 4))
    rows[0] = x[0]
    for t in range(1, n):
        for j in range(4):
            found = rows[t - 1] + x[:4, j]
            rows[t, j] = found[np.argmax(found)] * 0.5
    return rows


def turned(x, n):
    y, s, i = x.T, 0.0, 0
    while i < n:
        s += y[i % 4, i % 9] * y[::2, 3][i % 2]
        i += 1
    return s


def diagonals(x, n):
    d, back, s = np.diagonal(x), x[::-1, 2], 0.0
    for i in range(n):
        s += d[i % 4] - back[i % 9]
    return s


def inner(x, n):
    """The outer loop is none of a kernel's."""
    c, s = x[:, 1], 0.0
    for i in range(n):
        for k in range(n):
            s = s * 0.5 + c[(i + k) % 9]
        s += np.median(x)
    return s


def written(x, n):
    """The view is of what is written."""
    c = x[:, 0]
    for i in range(n):
        x[i % 9, 1] = c[i % 9] + x[(i + 1) % 9, 1] * 0.5
        x[i % 9, 0] += 1.0
    return c.copy()


def spaced(x, n):
    d, s = x[::2, 0], 0.0
    for i in range(n):
        s += d[i % 5]
        x[i % 9, 0] = s * 0.25
    return s


FUNCTIONS = [column, best, turned, diagonals, inner, written, spaced]


@pytest.mark.parametrize("n", [1, 60])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_views_in_loops_give_what_plain_python_gives(function: Any, n: int) -> None:
    ours, plain = GRID.copy(), GRID.copy()
    staged = ag.function(function)
    for _ in range(2):
        assert all_same([staged(ours, n)], [function(plain, n)])
        assert all_same([ours], [plain])


@needs_llvm
@pytest.mark.parametrize("function", [x for x in FUNCTIONS if x is not spaced])
def test_the_kernel_serves_loops_that_read_views_with_gaps(function: Any) -> None:
    report = str(ag.function(function).profile(GRID.copy(), 60))
    inmost = "for k in" if function is inner else "for "
    assert "= native(" in report
    assert inmost not in report
    assert "while" not in report


def view(key: str, *parts: Value) -> Node:
    return node_of(index, [Value(spec_of(np.zeros((4, 5, 6)))), *parts], {"key": key}, None)


@pytest.mark.parametrize("key", ["0", "1:3", "0, 1:3", "2, 1, :", "0, ...", "0, None, 1:", ":"])
def test_rows_have_no_gaps(key: str) -> None:
    assert not has_gaps(view(key))


@pytest.mark.parametrize(
    "key", [":, 0", "::2", "::-1", "..., 1", "1:3, 1:3", "0, :, 2", ":, :, 1:"]
)
def test_columns_and_steps_have_gaps(key: str) -> None:
    assert has_gaps(view(key))
