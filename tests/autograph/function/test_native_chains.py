"""Chains of elementwise ops are kernels over arrays, and give what NumPy gives."""

from __future__ import annotations

import re
import signal
import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import background, load
from runtime.kernels.jit import is_available
from tests.runtime.lower.same import all_same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled when they are called first."""
    monkeypatch.setattr(load, "PATIENCE", 0.0)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def black_scholes(spot, strike, years):
    rate, spread = 0.02, 0.3
    root = spread * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * spread**2) * years) / root
    d2 = d1 - root
    k = 1.0 / (1.0 + 0.2316419 * np.abs(d2))
    tail = np.exp(-0.5 * d2 * d2) * k * (0.31938153 + k * -0.356563782)
    chance = np.where(d2 > 0, 1 - tail, tail)
    return spot * d1 - strike * np.exp(-rate * years) * chance, chance


def mandelbrot(re, im):
    x, y = np.zeros_like(re), np.zeros_like(im)
    count = np.zeros(re.shape, np.int32)
    rounds = 0
    active = x * x + y * y <= 4
    while rounds < 30 and np.any(active):
        active = x * x + y * y <= 4
        count = count + active
        y, x = np.where(active, 2 * x * y + im, y), np.where(active, x * x - y * y + re, x)
        rounds += 1
    return count


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True) * 2 - 1


def scaled(x, rate):
    y = x
    if np.sum(x) > 0:
        y = x * rate + 1
    else:
        y = (x - rate) * 2
    return y


def steps(x, w):
    for row in x:
        w = np.tanh(row * 0.5 + w) * (w + 1)
    return w


def integers(x, y):
    return ((x // y) * y + x % y == x) & (x - y < 7) | ~(x > y), (x << 1) ^ (y >> 1)


def several(x, y):
    a = x * 2 + y
    b = a @ y.T
    c = a - x
    return a, b, c * c


def gated(x, keep):
    new = np.tanh(x * 2 + 1)
    out = np.zeros((3, 4))
    out[1] = np.where(keep, new, 0)
    return np.where(keep, new, x), out


RNG = np.random.default_rng(3)
PLANE = [
    x.astype(np.float32) for x in np.meshgrid(np.linspace(-2, 0.6, 61), np.linspace(-1, 1, 43))
]
CASES = [
    (gelu, [RNG.standard_normal(1001).astype(np.float32)]),
    (gelu, [RNG.standard_normal((3, 7, 11))]),
    (black_scholes, [RNG.uniform(5, 30, 3001), RNG.uniform(1, 100, 3001), RNG.uniform(1, 9, 3001)]),
    (mandelbrot, PLANE),
    (softmax, [RNG.standard_normal((17, 33)).astype(np.float32)]),
    (scaled, [RNG.uniform(0, 1, 100), np.float64(2)]),
    (scaled, [RNG.uniform(-1, 0, 100), np.float64(2)]),
    (steps, [RNG.standard_normal((9, 5)), np.zeros(5)]),
    (integers, [RNG.integers(-50, 50, (8, 9)), RNG.integers(1, 9, 9)]),
    (gated, [RNG.standard_normal(4), np.array([True, False, True, True])]),
    (several, [RNG.standard_normal((6, 4)), RNG.standard_normal((6, 4))]),
]


def results(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.parametrize(("function", "args"), CASES)
def test_chain_gives_what_plain_python_gives(function: Any, args: list[Any]) -> None:
    staged, numpy = ag.function(function), ag.function(function, backend="numpy")
    assert " = native" in staged.plan(*args)
    assert " = native" not in numpy.plan(*args)
    wanted = results(function(*args))
    for _ in range(2):
        assert all_same(results(staged(*args)), wanted)
    assert all_same(results(numpy(*args)), wanted)


def test_kernel_runs_and_not_the_steps_that_it_stands_for() -> None:
    staged, x = ag.function(gelu), np.ones(100, np.float32)
    staged(x)
    (name,) = set(re.findall(r"native\w*", staged.get_concrete_function(x).executable.source))
    kernel = staged.get_concrete_function(x).executable.function.__globals__[name]
    assert np.array_equal(kernel(x), gelu(x))


def test_sizes_that_are_known_at_run_time_only() -> None:
    staged = ag.function(
        lambda x, y: (x * y + 1) * x, input_signature=[ag.TensorSpec([None]), ag.TensorSpec([None])]
    )
    for n, m in ((5, 5), (1, 5), (5, 1), (0, 1), (3000, 3000)):
        x, y = np.arange(n) * 0.5, np.arange(m) * 0.25
        assert all_same([staged(x, y)], [(x * y + 1) * x])
    with pytest.raises(
        ValueError, match=r"could not be broadcast together with shapes \(2,\) \(3,\)"
    ):
        staged(np.ones(2), np.ones(3))


def warned(function: Any, *args: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args)
    return [str(x.message) for x in found]


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (lambda x: np.log(x) * 2, np.array([1.0, 0.0])),
        (lambda x: np.sqrt(x) + 1, np.array([1.0, -1.0])),
        (lambda x: 1 / (x - 1) + 1, np.linspace(0, 2, 101)),
        (lambda x: (x * x) * x, np.full(40, 1e200)),
        (lambda x: (x // (x - 3)) * 2, np.arange(9)),
        (lambda x: (x * 2).astype(np.int8) + 1, np.array([1.0, 300.0, np.nan])),
        (lambda x: np.exp(x) + 1, np.array([-1e4, 0.0])),
    ],
)
def test_warnings_are_those_of_numpy(function: Any, x: Any) -> None:
    staged = ag.function(function)
    assert warned(staged, x) == warned(function, x)
    with np.errstate(all="raise", under="ignore"):
        try:
            wanted = function(x)
        except FloatingPointError as error:
            with pytest.raises(FloatingPointError, match=re.escape(str(error))):
                staged(x)
        else:
            assert all_same([staged(x)], [wanted])
    with np.errstate(all="ignore"):
        assert all_same([staged(x)], [function(x)])


def test_chain_that_warns_does_so_once_at_its_line() -> None:
    @ag.function
    def logarithm(x):
        y = x + 1
        return np.log(y) * 2

    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log") as found:
        logarithm(np.array([-1.0, 3.0]))
    (only,) = found
    assert only.filename.endswith(".py") or only.filename.startswith("<driver")


def test_kernels_shows_the_chain_in_three_languages() -> None:
    text = ag.function(lambda x, y: (x + y) * 2.5).kernels(
        np.ones((2, 3), np.float32), np.float32(1)
    )
    assert text.startswith(
        "map chain(%0: f32[_, _], %1: f32) -> f32[_, _] {\n"
        "  each %0, %1 in [_, _]\n"
        "  %2: f32 = fadd(%0, %1)\n"
        "  %3: f32 = fmul(%2, 2.5: f32)\n"
        "  yield %3\n"
        "}\n"
    )
    assert "@llvm.experimental.constrained.fmul.v16f32" in text
    assert "\tvmulps\t" in text or "\tmulps\t" in text


def test_single_ops_and_other_reductions_are_left_to_numpy() -> None:
    assert "native" not in ag.function(lambda x: x + 1).plan(np.ones(3))
    assert "native" not in ag.function(lambda x: np.sum(x + 1, axis=0)).plan(np.ones((3, 3)))


def test_nodes_join_a_chain_that_others_have_used_already() -> None:
    plan = ag.function(gated).plan(np.ones(4), np.ones(4, bool))
    assert plan.count(" = native(x, keep) else {") == 1
    assert "native_2" not in plan


def test_kernel_is_compiled_only_when_that_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "PATIENCE", 1e-3)
    staged = ag.function(gelu)
    small, large = np.ones(4, np.float32), np.ones(400_000, np.float32)
    names = staged.get_concrete_function(small).executable.function.__globals__
    staged(small)
    assert isinstance(names["native"], load.Waiting)
    staged(large)
    names = staged.get_concrete_function(large).executable.function.__globals__
    background.wait()
    assert not isinstance(names["native"], load.Waiting)


def test_equal_kernels_of_one_program_wait_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def unrolled(x):
        for _ in range(20):
            x = np.roll(x, 1) * 0.5 + x
        return x

    monkeypatch.setattr(load, "PATIENCE", 1.0)
    staged, x = ag.function(unrolled), np.ones(1000)
    staged(x)
    names = staged.get_concrete_function(x).executable.function.__globals__
    kernels = [value for value in names.values() if isinstance(value, load.Waiting)]
    assert len(kernels) == 20
    assert len({id(kernel.account) for kernel in kernels}) == 1
    own = kernels[0].account.spent
    assert own == pytest.approx(20 * kernels[0].steps * (load.CALL + load.ELEMENT * 1000))
    monkeypatch.setattr(load, "PATIENCE", own * 1.5)
    staged(x)
    background.wait()
    assert staged(x).tolist() == unrolled(x).tolist()
    assert len({id(value) for name, value in names.items() if name.startswith("native")}) == 1


def test_other_threads_run_while_a_large_kernel_does() -> None:
    staged, x = ag.function(gelu), np.ones(4_000_000)
    staged(x)
    turns, done = [0], threading.Event()

    def watch() -> None:
        while not done.is_set():
            turns[0] += 1
            time.sleep(0.0005)

    def during_a_call() -> int:
        before = turns[0]
        staged(x)
        return turns[0] - before

    thread = threading.Thread(target=watch)
    thread.start()
    try:  # a busy machine may not wake the thread for a while, and one turn fits beside a kernel
        assert any(during_a_call() > 2 for _ in range(100))
    finally:
        done.set()
        thread.join()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_interrupt_ends_a_long_kernel() -> None:
    def interrupt(*args: Any) -> None:
        raise KeyboardInterrupt

    sizes = [ag.TensorSpec([None], np.float64)]
    staged, x = ag.function(gelu, input_signature=sizes), np.ones(40_000_000)
    staged(x[:10])
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            staged(x)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_arrays_in_column_order_give_such_arrays() -> None:
    def chain(x, y):
        return np.exp(x) * 2 - y, np.where(x > y, x, 1)

    staged, rng = ag.function(chain), np.random.default_rng(1)
    for shape in ((1, 2, 3), (2, 3), (3, 4), (40, 70), (5, 6, 7)):
        x, y = (np.asfortranarray(rng.standard_normal(shape)) for _ in range(2))
        found, wanted = staged(x, y), chain(x, y)
        assert all_same(list(found), list(wanted))
        assert [a.strides for a in found] == [a.strides for a in wanted]
        mixed = x, np.ascontiguousarray(y)
        for a, b in zip(staged(*mixed), chain(*mixed), strict=True):
            assert a.tobytes() == b.tobytes()
            assert a.strides == b.strides
    names = staged.get_concrete_function(x, y).executable.function.__globals__
    assert next(f for n, f in names.items() if n.startswith("native"))(x, y) is not None


@pytest.mark.parametrize("many", [False, True])
def test_a_number_that_a_kernel_cannot_hold_is_warned_of_as_by_numpy(many: bool) -> None:
    def f(x):
        return x * 1e40

    x = np.float32(1) if not many else np.ones(3, np.float32)
    staged, told = ag.function(f), []
    for function in (f, staged, staged):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(x)
        told.append([str(w.message) for w in caught])
    assert told[0] == told[1] == told[2]
