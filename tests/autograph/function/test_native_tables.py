"""Parts of an array at given places are read by the kernel that uses them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import load
from runtime.kernels.jit import is_available
from tests.autograph.function.test_native_rows import kernel_of, results
from tests.runtime.lower.same import all_same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")
rng = np.random.default_rng(1)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled when they are called first."""
    monkeypatch.setattr(load, "PATIENCE", 0.0)


def scaled(table, places):
    return table[places] * 2 + np.take(table, places, axis=0)


def lengths(table, places):
    found = table[places, :]
    return np.sqrt(np.sum(found * found, axis=-1))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "float32", "float64"])
def test_parts_are_taken_as_numpy_does(dtype: str) -> None:
    staged = ag.function(scaled)
    for shape, count in (((9,), (5,)), ((9,), (3, 700)), ((7, 33), (40,)), ((5, 2, 3), (2, 9))):
        table = rng.integers(0, 100, shape).astype(dtype)
        places = rng.integers(-shape[0], shape[0], count)
        assert all_same(results(staged(table, places)), results(scaled(table, places)))
        assert kernel_of(staged, table, places)(table, places) is not None


def test_gaps_and_other_sizes_are_left_to_numpy() -> None:
    staged = ag.function(scaled)
    table, places = rng.standard_normal((6, 8)), np.arange(12) % 6
    for given in ((table[:, ::2], places), (table, places[::2]), (table, places[:1])):
        assert all_same(results(staged(*given)), results(scaled(*given)))
    for given in ((table, places[:0]), (table[:, :0], places), (table[:0], places[:0])):
        assert all_same(results(staged(*given)), results(scaled(*given)))


def test_rows_of_a_table_are_reduced_and_one_trace_serves_all_sizes() -> None:
    specs = [ag.TensorSpec([None, None], np.float32), ag.TensorSpec([None], np.int64)]
    staged = ag.function(lengths, input_signature=specs)
    for rows, columns, count in ((3, 5, 1), (40, 129, 77), (2, 8, 0), (5, 1, 4)):
        table = rng.standard_normal((rows, columns)).astype(np.float32)
        places = rng.integers(-rows, rows, count)
        assert all_same([staged(table, places)], [lengths(table, places)])
    assert "= take(0, 1)" in staged.kernels(table, places)


@pytest.mark.parametrize("shape", [(6,), (6, 3)])
def test_places_beyond_the_ends_raise_as_in_numpy(shape: Any) -> None:
    staged, table = ag.function(scaled), np.ones(shape)
    for place in (6, -7, 2**62):
        places = np.arange(40) % 6
        places[17] = place
        message = f"index {place} is out of bounds for axis 0 with size 6"
        with pytest.raises(IndexError, match=message):
            staged(table, places)


def test_array_that_is_a_table_and_elements_at_once() -> None:
    def both(x, places):
        return x[places] + x

    x, places = rng.standard_normal((20, 4)), np.arange(20)[::-1].copy()
    staged = ag.function(both)
    assert all_same([staged(x, places)], [both(x, places)])
    assert kernel_of(staged, x, places)(x, places) is not None


def test_places_that_a_kernel_makes_are_used_by_the_next() -> None:
    def shifted(table, places):
        return table[places * 2 + 1] * 3 - 1

    table, places = rng.standard_normal(30), np.arange(9)
    staged = ag.function(shifted)
    assert all_same([staged(table, places)], [shifted(table, places)])
    assert staged.kernels(table, places).count("map chain") == 2
