"""Loops over whole arrays run block by block, and give what NumPy gives, bit for bit."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import load
from runtime.kernels.arrays import sweeps
from runtime.kernels.jit import is_available
from runtime.kernels.kernel import Kernel
from runtime.kernels.maps import MapKernel
from tests.runtime.lower.array_loop_samples import (
    SAMPLES,
    driven,
    euler,
    legendre,
    logistic,
    newton,
)
from tests.runtime.lower.same import all_same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


@pytest.fixture(autouse=True)
def gave(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Compile kernels at once; note of each call of one with rounds whether it gave something."""
    compiled, found = load.load_now, list[bool]()

    def noting(kernel: Kernel | MapKernel) -> Callable[..., Any]:
        function = compiled(kernel)

        def run(*given: Any) -> Any:
            result = function(*given)
            found.append(result is not None)
            return result

        return run if isinstance(kernel, MapKernel) and kernel.loop else function

    monkeypatch.setattr(load, "PATIENCE", 0.0)
    monkeypatch.setattr(load, "load_now", noting)
    before = ag.get_threads()
    ag.set_threads(1)
    yield found
    ag.set_threads(before)


def check(plain: Any, staged: Any, args: tuple[Any, ...]) -> None:
    """Compare what a function gives as it is and staged."""
    with np.errstate(under="ignore"):
        wanted, found = plain(*args), staged(*args)
    pair = wanted, found
    assert all_same(*(x if isinstance(x, tuple) else (x,) for x in pair))


@pytest.mark.parametrize("name", SAMPLES)
def test_rounds_of_blocks_give_what_rounds_of_arrays_give(name: str, gave: list[bool]) -> None:
    plain, make = SAMPLES[name]
    specs = [ag.TensorSpec([None] * x.ndim, x.dtype) for x in make((7,))]
    staged = ag.function(plain, input_signature=specs)
    for size in (1, 7, 1000, 4097):
        check(plain, staged, make((size,)))
    assert gave == [True] * 4


@pytest.mark.parametrize("name", ["mandelbrot", "julia"])
def test_rounds_over_planes_take_rows_and_columns(name: str, gave: list[bool]) -> None:
    plain, make = SAMPLES[name]
    staged = ag.function(plain)
    x, y, n = make((40, 33))
    for count in (1, 2):
        ag.set_threads(count)
        check(plain, staged, (x, y, n))
        check(plain, staged, (np.asfortranarray(x), np.asfortranarray(x), n))
        check(plain, staged, (np.tile(x, (20, 10)), np.tile(y, (20, 10)), n))
    assert gave == [True] * 6


@pytest.mark.parametrize(
    "name", ["mandelbrot", "newton", "flicker", "euler", "legendre", "settle", "grow"]
)
def test_sweeps_of_few_rounds_go_on_where_the_last_one_ended(
    name: str, gave: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "SWEEP_TIME", 0.0)
    monkeypatch.setattr(sweeps, "FEWEST", 3)
    plain, make = SAMPLES[name]
    check(plain, ag.function(plain), make((3, 431)))
    assert gave == [True]


def test_a_loop_without_rounds_gives_the_arrays_that_it_began_with(gave: list[bool]) -> None:
    staged, x = ag.function(logistic), np.ones(5)
    assert staged(x, np.int64(0)) is x
    assert staged(np.ones(0), np.int64(3)).shape == (0,)
    _, q = ag.function(legendre)(x, np.int64(1))
    assert q is x
    assert not any(gave)


def test_no_number_ends_a_loop_that_asks_for_the_greatest(gave: list[bool]) -> None:
    staged, a = ag.function(newton), np.array([2.0, np.nan, 9.0])
    check(newton, staged, (np.ones(3), a))
    check(newton, staged, (np.ones(3), a[::2].repeat(2)[:3]))
    assert gave == [False, True]


def test_warnings_are_those_of_the_rounds_that_are_made(gave: list[bool]) -> None:
    def grow(x, n):
        for _ in range(n):
            x = x * 1e100
        return x

    staged, x = ag.function(grow), np.array([1.0, 2.0, 1e-300])
    check(grow, staged, (x, np.int64(3)))
    with pytest.warns(RuntimeWarning, match="overflow encountered in multiply"):
        staged(x, np.int64(4))
    with np.errstate(over="ignore"):
        check(grow, staged, (x, np.int64(4)))
    assert gave == [True, False, True]


def test_integers_of_python_that_overflow_end_the_kernel(gave: list[bool]) -> None:
    def double(x, n):
        k = 1
        for _ in range(n):
            x, k = x + 1, k * 3
        return x, k

    staged = ag.function(double)
    check(double, staged, (np.ones(9), np.int64(30)))
    check(double, staged, (np.ones(9), np.int64(50)))
    assert gave == [True, False]


def test_numbers_that_are_not_in_an_array_end_the_kernel(gave: list[bool]) -> None:
    staged, x = ag.function(driven), np.ones(9)
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        staged(x, np.ones(2), np.int64(5))
    check(driven, staged, (x, np.ones(2), np.int64(2)))
    assert gave == [False, True]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_interrupt_ends_rounds_of_few_elements() -> None:
    def interrupt(*args: Any) -> None:
        raise KeyboardInterrupt

    staged, x = ag.function(euler), np.ones(10)
    staged(x, np.int64(10))
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            staged(x, np.int64(10**12))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


SETTLE = """\
map rounds(%0: i64, %1: f64[_], %2: i64, %3: f64) -> i64, f64[_] {
  each %0, %1, %2, %3 in [_]
  %4: i64, %5: f64 = while(%0, %1, least=1) {
    (%6: i64, %7: f64)
    %8: bool = lt(%6, %2)
    %9: bool = lt(%3, %7)
    yield %8, %9
  } {
    (%10: i64, %11: f64)
    %12: bool = lt(%3, %11)
    %13: f64 = convert(%10)
    %14: f64 = fsub(%11, %13)
    %15: f64 = select(%12, %14, %11)
    %16: i64, %17: bool = add_overflow(%10, 1: i64)
    overflow(%17, wraps=False)
    yield %16, %15
  }
  yield %4, %5
}"""


def test_the_kernel_of_a_loop_prints() -> None:
    def settle(x, a, n):
        i = 0
        while i < n and np.any(x > a):
            x = np.where(x > a, x - i, x)
            i += 1
        return x, i

    text = ag.function(settle).kernels(np.ones(5), np.float64(2), np.int64(9))
    assert text.partition("\n\n")[0] == SETTLE
    assert "not native" not in text
