"""Reductions of rows are part of kernels over arrays, with NumPy's bits."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import load
from runtime.kernels.arrays.layout import LONGEST_ROW
from runtime.kernels.jit import is_available
from tests.runtime.lower.same import all_same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled when they are called first."""
    monkeypatch.setattr(load, "PATIENCE", 0.0)


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layer_norm(x):
    center = x - np.mean(x, -1, keepdims=True)
    return center / np.sqrt(np.var(x, -1, keepdims=True) + 1e-5) * x[0] + 1


def log_sum_exp(x):
    top = np.max(x, -1, keepdims=True)
    return np.log(np.sum(np.exp(x - top), -1, keepdims=True)) + top


def moments(x):
    return np.mean(x, -1), np.var(x, -1), np.std(x, axis=-1, keepdims=True)


def questions(x):
    return np.any(x > 2, -1), np.all(x < 3, -1), np.sum(x > 0, -1), np.min(x * 2, -1)


def whole(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e), np.sum(e * e), np.mean(e) + 1


def places(x):
    y = np.round(x) * 2
    return np.argmax(y, axis=-1), np.argmin(y, axis=-1, keepdims=True)


def norms(x):
    length = np.sqrt(np.sum(x * x, axis=-1, keepdims=True))
    return x / length, np.tanh(length) * 2 - length


SHAPES = [
    (1, 7), (3, 2), (5, 17), (200, 10), (33, 1024), (2, LONGEST_ROW - 384), (2, 3, 50),
    (1000, 3), (4, 129),
]  # fmt: skip


def kernel_of(staged: Any, *args: Any) -> Any:
    """Return the function of the only kernel of a staged function, after its first call."""
    names = staged.get_concrete_function(*args).executable.function.__globals__
    (found,) = (value for name, value in names.items() if name.startswith("native"))
    return found


def results(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.parametrize(
    "function", [softmax, layer_norm, log_sum_exp, moments, questions, norms, places]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_reduced_as_numpy_does(function: Any, dtype: Any) -> None:
    staged = ag.function(function)
    for shape in SHAPES:
        x = np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)
        x.flat[0] = -0.0
        for given in (x, np.repeat(x, 2, axis=-1)[..., ::2]):
            found = results(staged(given))
            assert all_same(found, results(function(given))), shape
        if function is not layer_norm:
            assert kernel_of(staged, x)(x) is not None, shape


def test_sums_of_few_and_many_rows_of_all_lengths() -> None:
    def sums(x):
        top = np.max(x * 2, axis=-1, keepdims=True)
        return x - np.sum(x, axis=-1, keepdims=True), np.sum(x * x, axis=-1), top

    signature = [ag.TensorSpec([None, None], np.float32)]
    staged = ag.function(sums, input_signature=signature)
    lengths = (*range(2, 20), 127, 128, 129, 136, 137, 200, 255, 256, 257, 300, 1000, 1025, 2047)
    for length, rows in itertools.product(lengths, (1, 2, 4, 5)):
        x = np.random.default_rng(length).standard_normal((rows, length)).astype(np.float32)
        assert all_same(results(staged(x)), results(sums(x))), x.shape


def test_elements_wait_where_a_result_of_them_goes() -> None:
    def shares(x):
        e = np.exp(np.abs(x) - np.max(np.abs(x), -1, keepdims=True))
        total = np.sum(e, -1, keepdims=True)
        return e / total, total - e, total

    def both(x):
        y = np.sqrt(np.abs(x)) * 3 / (x * x + 1)
        return y, y - np.max(y, -1, keepdims=True), np.sum(y * 2, -1)

    for function, dtype in itertools.product((shares, both), (np.float32, np.float64)):
        staged = ag.function(function, input_signature=[ag.TensorSpec([None, None], dtype)])
        for shape in ((1, 3), (2, 5), (3, 40), (7, 1000)):
            x = np.random.default_rng(1).standard_normal(shape).astype(dtype)
            assert all_same(results(staged(x)), results(function(x))), shape


def test_one_row_is_repeated_beside_others() -> None:
    def scaled(x, gain, bias):
        y = x * gain + bias
        return y, np.mean(y, -1), gain * np.max(x, -1, keepdims=True), np.tanh(bias - y) * 2

    signature = [ag.TensorSpec([None, None], np.float32), ag.TensorSpec([None], np.float32)]
    staged = ag.function(scaled, input_signature=[*signature, ag.TensorSpec([1, None], np.float32)])
    for rows, length in itertools.product((1, 3, 9), (2, 10, 16, 31, 1000)):
        x = np.random.default_rng(length).standard_normal((rows, length)).astype(np.float32)
        args = x, np.repeat(x[0], 2)[::2], x[-1:] * 3
        assert all_same(results(staged(*args)), results(scaled(*args))), x.shape


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 17, 127, 128, 129, 1000, 4097, 16384])
def test_vectors_are_reduced_to_scalars(size: int) -> None:
    staged = ag.function(whole)
    for dtype in (np.float32, np.float64):
        x = np.random.default_rng(size).standard_normal(size).astype(dtype)
        assert all_same(results(staged(x)), results(whole(x)))


def test_integers_and_booleans_are_widened() -> None:
    def total(x):
        return np.sum(x * 2 + 1, -1), np.max(x - 1, -1), np.any(x * 2, -1)

    staged = ag.function(total)
    for name, size in itertools.product(("int8", "uint8", "int32", "uint64", "int64"), (3, 100)):
        x = np.random.default_rng(1).integers(0, 100, (7, size)).astype(name)
        assert all_same(results(staged(x)), results(total(x)))


def test_long_rows_among_others_are_left_to_numpy() -> None:
    def last(x):
        return x * 2 - np.max(x * 2, axis=1, keepdims=True)

    x = np.random.default_rng(1).standard_normal((3, 20_000))
    assert all_same([ag.function(last)(x)], [last(x)])
    assert "reduce" not in ag.function(last).kernels(x)


def test_rows_whose_length_is_known_at_run_time_only() -> None:
    staged = ag.function(softmax, input_signature=[ag.TensorSpec([None, None], np.float32)])
    for shape in ((3, 5), (3, 1), (2, 30_000), (0, 4), (100, 64)):
        x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
        assert all_same([staged(x)], [softmax(x)])
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        staged(np.zeros((2, 0), np.float32))


def test_places_of_extremes_in_odd_rows_and_of_integers() -> None:
    x = np.random.default_rng(1).standard_normal((8, 40))
    x[1, 3], x[2], x[3, 7], x[4], x[5, ::2] = np.nan, np.nan, -np.inf, -0.0, 0
    assert all_same(results(ag.function(places)(x)), results(places(x)))
    of_integers, y = (lambda x: np.argmax(x + 1, -1)), np.arange(99).reshape(3, 33) % 5
    for dtype in (np.int8, np.uint64):
        given = y.astype(dtype)
        assert all_same([ag.function(of_integers)(given)], [of_integers(given)])
    assert "index()" in ag.function(of_integers).kernels(y)
    alone = ag.function(lambda x: np.argmax(x, -1))
    assert "index()" in alone.kernels(y)  # of a small array NumPy's call takes longer than the work
    assert "argmax by itself" in alone.kernels(np.zeros((90, 90)))


def test_nan_and_infinity_in_rows() -> None:
    x = np.random.default_rng(1).standard_normal((6, 40))
    x[1, 3], x[2, 5], x[3, 7] = np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        assert np.array_equal(ag.function(softmax)(x), softmax(x), equal_nan=True)
    with pytest.warns(RuntimeWarning, match="invalid value encountered in subtract"):
        ag.function(softmax)(x)


@pytest.mark.parametrize("size", [3, 16, 33, 200])
def test_rows_that_are_made_in_the_kernel_and_have_zeros_on_top_or_nan(size: int) -> None:
    def shifted(x, b):
        z = x + b
        return z - np.max(z, axis=-1, keepdims=True), np.min(z * 2 - x, axis=-1)

    for dtype in (np.float32, np.float64):
        x = -abs(np.random.default_rng(size).standard_normal((40, size)).astype(dtype))
        x[3:9], x[12, 1], x[14], x[15, 0] = 0, np.nan, -0.0, -0.0
        b = np.zeros(size, dtype)
        assert all_same(results(ag.function(shifted)(x, b)), results(shifted(x, b)))
        assert all_same(results(ag.function(shifted)(x, -b)), results(shifted(x, -b)))


def test_threads_do_not_change_results() -> None:
    x = np.random.default_rng(1).standard_normal((3000, 100)).astype(np.float32)
    staged = ag.function(softmax)
    try:
        for count in (1, 2, 5, 100):
            ag.set_threads(count)
            assert ag.get_threads() == min(count, 64)
            assert all_same([staged(x) for _ in range(8)], [softmax(x)] * 8)
    finally:
        ag.set_threads(None)


def test_number_of_threads_is_checked() -> None:
    with pytest.raises(ValueError, match="the number of threads is at least 1, not 0"):
        ag.set_threads(0)


def test_kernels_are_printed_with_their_reductions() -> None:
    text = ag.function(softmax).kernels(np.ones((2, 3)))
    assert text.startswith(
        "map chain(%0: f64[_, _]) -> f64[_, _] {\n"
        "  each %0 in [_, _]\n"
        "  %1: f64 = reduce(%0, ufunc=maximum, types=dd->d, initial=None)\n"
        "  %2: f64 = fsub(%0, %1)\n"
        "  %3: f64 = loop(%2, ufunc=exp, types=d->d)\n"
        "  %4: f64 = reduce(%3, ufunc=add, types=dd->d, initial=0)\n"
        "  %5: f64 = fdiv(%3, %4)\n"
        "  yield %5\n"
        "}\n"
    )
