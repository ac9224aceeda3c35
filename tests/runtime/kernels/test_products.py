"""Products of matrices as machine code: NumPy's bits, or nothing."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import load, threads
from runtime.kernels.jit import is_available
from runtime.kernels.products import pending_products, products
from runtime.kernels.products.product_layout import ends_of, layout_of, sizes_of
from runtime.kernels.target import host_target

pytestmark = pytest.mark.skipif(
    not is_available() or products.blas_threads() is None, reason="no llvmlite, or no OpenBLAS"
)
KINDS = (np.float32, np.float64)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Products are tried when they are called first, with two threads."""
    before = threads.get_threads()
    threads.set_threads(2)
    for kind in KINDS:
        products.products(np.dtype(kind), host_target())
    monkeypatch.setattr(load, "PATIENCE", -1.0)
    yield
    threads.set_threads(before)


def numbers(*shape: int, kind: Any = np.float32, seed: int = 1) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(kind)


def kernel_of(x: Any, y: Any) -> Callable[..., Any] | None:
    return products.products(x.dtype, host_target()).found(layout_of(x, y))


def is_same(found: Any, wanted: Any) -> bool:
    return found.tobytes() == wanted.tobytes() and found.shape == wanted.shape


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("turned", range(4))
def test_products_of_many_sizes_have_the_bits_of_numpy_or_no_kernel(kind: Any, turned: int) -> None:
    sizes = [(2, 3, 4), (7, 5, 3), (9, 64, 33), (17, 40, 49), (40, 500, 100), (65, 33, 129)]
    found = 0
    for rows, depth, columns in sizes:
        x = numbers(*((depth, rows) if turned & 1 else (rows, depth)), kind=kind)
        y = numbers(*((columns, depth) if turned & 2 else (depth, columns)), kind=kind, seed=2)
        x, y = x.T if turned & 1 else x, y.T if turned & 2 else y
        function = kernel_of(x, y)
        if function is not None:
            found += 1
            assert is_same(function(x, y), x @ y)
    assert found or not host_target().has("avx512f")


@pytest.mark.parametrize(
    ("first", "second"),
    [((3, 2, 9, 20), (3, 2, 20, 50)), ((5, 9, 20), (20, 50)), ((9, 20), (2, 5, 20, 50)),
     ((1, 4, 9, 20), (1, 4, 20, 50)), ((3, 1, 9, 20), (1, 20, 50))],
)  # fmt: skip
def test_stacks_are_broadcast(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    x, y = numbers(*first), numbers(*second)
    function = kernel_of(x, y)
    assert function is None or is_same(function(x, y), x @ y)
    turned = numbers(*second[:-2], second[-1], second[-2]).swapaxes(-1, -2)
    function = kernel_of(x, turned)
    assert function is None or is_same(function(x, turned), x @ turned)


def test_what_is_multiplied_may_have_gaps() -> None:
    x, y = numbers(12, 64, 20).transpose(1, 0, 2)[3], numbers(40, 60)[::2, ::3]
    function = kernel_of(x, y)
    assert function is None or is_same(function(x, y), x @ y)


@pytest.mark.parametrize(
    ("x", "y"),
    [(np.ones(4), np.ones((4, 3))), (np.ones((1, 4)), np.ones((4, 3))),
     (np.ones((3, 4)), np.ones((4, 1))), (np.ones((3, 0)), np.ones((0, 3))),
     (np.ones((3, 4)), np.ones((5, 3))), (np.ones((2, 3, 4)), np.ones((3, 4, 3))),
     (np.ones((3, 4))[::-1], np.ones((4, 3))), (np.ones((0, 3, 4)), np.ones((4, 3))),
     (np.ones((2, 3, 3, 4)).swapaxes(0, 1), np.ones((4, 3)))],
)  # fmt: skip
def test_vectors_and_what_does_not_fit_or_has_several_steps_have_no_kernel(x: Any, y: Any) -> None:
    assert sizes_of(layout_of(x, y)) is None


def staged_product(x: Any, y: Any) -> Any:
    return x @ y


def test_a_staged_product_calls_its_kernel_and_numpy_where_it_does_not_fit() -> None:
    staged, x, y = ag.function(staged_product), numbers(30, 20), numbers(20, 40)
    assert "native(x, y) else" in staged.plan(x, y)
    assert is_same(staged(x, y), x @ y)
    others = np.asfortranarray(x), x[::-1], numbers(30, 40)[:, ::2]
    for other in others:
        assert is_same(staged(other, y), other @ y)
    both = numbers(30, 30)
    assert is_same(staged(both, both.T), both @ both.T)  # of an array with itself
    unaligned = np.frombuffer(b"0" + x.tobytes(), np.float32, offset=1).reshape(30, 20)
    assert is_same(staged(unaligned, y), unaligned @ y)


def test_small_and_large_products_and_those_of_other_dtypes_are_left_to_numpy() -> None:
    staged = ag.function(staged_product)
    for x in (numbers(4, 4), np.ones((50, 50), np.int32), numbers(1000, 1000, kind=np.float64)):
        assert "native" not in staged.plan(x, x + x)
    whole = ag.function(lambda x: x @ x)
    assert "native" not in whole.plan(numbers(30, 30))


def test_what_numpy_would_warn_of_is_left_to_it() -> None:
    staged, x, y = ag.function(staged_product), numbers(30, 20), numbers(20, 40)
    staged(x, y)
    x[3, 4], y[4, 5] = 3e38, 3e38
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
        found = staged(x, y)
    with np.errstate(all="ignore"):
        assert is_same(found, x @ y)
        x[5, 6] = np.nan
        assert np.array_equal(staged(x, y), x @ y, equal_nan=True)


def test_without_numpys_bits_there_is_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = numbers(31, 21), numbers(21, 41)
    own = products.products(x.dtype, host_target())
    monkeypatch.setattr(products, "ends_of", lambda depth: iter([(1, depth)]))
    assert own.tried(layout_of(x, y), sizes_of(layout_of(x, y)), products.blas_threads()) is None
    monkeypatch.setattr(own, "known", {})
    assert is_same(ag.function(staged_product)(x, y), x @ y)


def test_with_another_blas_there_is_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "blas_threads", lambda: None)
    x, y = numbers(31, 21), numbers(21, 41)
    assert kernel_of(x, y) is None
    assert is_same(ag.function(staged_product)(x, y), x @ y)


def test_a_kernel_is_for_as_many_threads_as_blas_had(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = numbers(30, 20), numbers(20, 40)
    own = products.products(x.dtype, host_target())
    asked = products.blas_threads()
    assert asked is not None
    sizes = sizes_of(layout_of(x, y))
    assert sizes is not None
    function = own.function(layout_of(x, y), sizes, (20,), 0.0, (asked.address, asked() + 1))
    assert function(x, y) is None


def test_calls_of_several_sizes_have_a_kernel_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_products, "MOST_LAYOUTS", 2)
    waiting = pending_products.WaitingProduct(
        products.ProductKernel("matmul", np.dtype(np.float32), (2, 2), False, host_target())
    )
    y = numbers(20, 40)
    found = [(waiting(x, y), x @ y) for x in (numbers(n, 20) for n in (30, 31, 32))]
    assert len(waiting.known) == 2
    assert found[2][0] is None
    assert all(own is None or is_same(own, wanted) for own, wanted in found)
    assert waiting([1.0], y) is None


def test_a_product_waits_until_machine_code_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "PATIENCE", 1e-5)
    kernel = products.ProductKernel("matmul", np.dtype(np.float32), (2, 2), True, host_target())
    x, y = numbers(30, 20), numbers(20, 40)
    waiting, settled = pending_products.WaitingProduct(kernel), list[Any]()
    waiting.settle = settled.append
    for _ in range(100):
        waiting(x, y)
    assert len(settled) == 1
    assert settled[0](x, y) is None or is_same(settled[0](x, y), x @ y)


def test_threads_of_the_program_multiply_at_the_same_time() -> None:
    staged, x, y = ag.function(staged_product), numbers(200, 150), numbers(150, 300)
    wanted, found = x @ y, list[bool]()

    def work() -> None:
        found.extend(is_same(staged(x, y), wanted) for _ in range(20))

    own = [threading.Thread(target=work) for _ in range(4)]
    for each in own:
        each.start()
    for each in own:
        each.join()
    assert found == [True] * 80


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_multiplies() -> None:
    staged, x, y = ag.function(staged_product), numbers(200, 150), numbers(150, 300)
    wanted = staged(x, y)
    threads_before = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self") else 0
    child = os.fork()
    if child == 0:
        os._exit(0 if is_same(staged(x, y), wanted) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert is_same(staged(x, y), wanted)
    if threads_before:
        assert len(os.listdir("/proc/self/task")) <= threads_before


def test_a_profile_counts_the_operations_of_a_product() -> None:
    x, y = numbers(30, 20), numbers(20, 40)
    found = ag.function(staged_product).profile(x, y)
    assert found.steps[0].operations == 2 * 30 * 20 * 40


def test_the_depth_is_divided_as_openblas_does() -> None:
    found = [*ends_of(784)]
    assert found[0] == (784,)
    assert (392, 784) in found
    assert (400, 784) in found
    assert next(iter(ends_of(4000)))[-3:] == (3072, 3536, 4000)
    assert max(map(len, ends_of(4000))) <= 8


def test_kernels_print_what_they_multiply() -> None:
    text = ag.function(staged_product).kernels(numbers(30, 20), numbers(20, 40))
    assert "product matmul(x: f32[_, _], y: f32[_, _])" in text


@pytest.mark.parametrize("kind", KINDS)
def test_products_in_any_order_are_within_the_bound_whatever_blas_does(kind: Any) -> None:
    own = products.products(np.dtype(kind), host_target())
    for rows, depth, columns in [(2, 3, 4), (9, 64, 33), (40, 500, 100), (65, 1500, 129)]:
        x, y = numbers(rows, depth, kind=kind), numbers(columns, depth, kind=kind, seed=2).T
        function = own.in_any_order(layout_of(x, y))
        assert function is not None
        bound = depth * np.finfo(kind).eps * (np.abs(x).astype(float) @ np.abs(y).astype(float))
        assert np.all(np.abs(function(x, y) - x.astype(float) @ y.astype(float)) <= bound)
    assert own.in_any_order(layout_of(numbers(2, 20_000), numbers(20_000, 2))) is None


def test_fast_functions_multiply_without_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products.Products, "tried", lambda self, layout, sizes, threads: None)
    x, y = numbers(64, 48), numbers(48, 80)
    asked = list[Any]()
    plain = products.Products.in_any_order

    def noted(self: Any, layout: Any) -> Any:
        asked.append(found := plain(self, layout))
        return found

    monkeypatch.setattr(products.Products, "in_any_order", noted)
    exact, fast = ag.function(staged_product), ag.function(staged_product, fast=True)
    assert is_same(exact(x, y), x @ y)
    assert asked == []
    np.testing.assert_allclose(fast(x, y), x @ y, rtol=1e-5, atol=1e-5)
    assert len(asked) == 1
    assert asked[0] is not None
