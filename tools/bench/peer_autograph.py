"""Our column beside TensorFlow, JAX, PyTorch and Numba, in the form of the scripts of these peers.

    PYTHONPATH=.:FOLDER python tools/bench/peer_autograph.py --only gelu_1e7

FOLDER holds the programs that measure the peers (`bench_common`, `numpy_ref`); their `run_peers`
takes this file as one more peer. Every result is compared with the reference there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bench_common  # type: ignore[import-not-found]
import numpy as np

import autograph as ag
from tools.bench import array_samples, loop_samples

PAIR, FAST = "native", "fast"
bench_common.peer("autograph")
ag.set_threads(bench_common.THREADS)


def flat(found: Any) -> list[Any]:
    """Return the arrays of a result."""
    return [np.asarray(x) for x in (found if isinstance(found, tuple | list) else [found])]


def simple(
    workloads: str,
    function: Any,
    extra: Sequence[Any] = (),
    numbers: bool = False,
    fast: bool = False,
) -> None:
    """Register workloads that are one call of one function.

    Args:
        workloads: their names.
        function: plain Python.
        extra: arguments after those of the workload.
        numbers: whether arrays without axes are given as NumPy's scalars.
        fast: whether it is measured in fast mode, too.
    """
    variants = (PAIR, FAST) if fast else (PAIR,)

    @bench_common.case(workloads, *variants, wants_variant=True)  # type: ignore[untyped-decorator]
    def make(
        name: str, variant: str, *given: Any
    ) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
        staged = ag.function(function, fast=variant == FAST)
        args = [x[()] if numbers and isinstance(x, np.ndarray) else x for x in given]
        args += [x(given) if callable(x) else x for x in extra]
        return (lambda: staged(*args)), flat


def dispatch(workload: str, function: Any) -> None:
    """Register a workload so short that calls are made in a loop."""

    @bench_common.case(workload, PAIR)  # type: ignore[untyped-decorator]
    def make(name: str, *args: Any) -> tuple[Any, ...]:
        staged = ag.function(function)

        def loop(count: int) -> None:
            for _ in range(count):
                staged(*args)

        return (lambda: staged(*args)), flat, loop


@bench_common.case("dispatch_scalar", PAIR)  # type: ignore[untyped-decorator]
def changing_scalar(name: str, x: Any) -> tuple[Any, ...]:
    """Add a Python float that changes with every call."""
    staged, values = ag.function(array_samples.add2), bench_common.SCALARS

    def loop(count: int) -> None:
        for k in range(count):
            staged(x, values[k & 15])

    return (lambda: staged(x, values[0])), flat, loop


@bench_common.case("mlp_adam", PAIR)  # type: ignore[untyped-decorator]
def training(name: str, x: Any, y: Any, *p: Any) -> tuple[Any, ...]:
    """Train for one step; the state goes from call to call."""
    staged = ag.function(array_samples.mlp_step)
    state: list[Any] = [
        [*p],
        [np.zeros_like(a) for a in p],
        [np.zeros_like(a) for a in p],
        np.float64(0),
    ]

    def call() -> tuple[Any, list[Any]]:
        loss, *state[:] = staged(x, y, *state)
        return loss, state[0]

    def fetch(found: tuple[Any, list[Any]]) -> list[Any]:
        return flat([found[0], *found[1]])

    return call, fetch


def register() -> None:
    """Register all that is one call of one function."""
    a = array_samples
    dispatch("dispatch_add2", a.add2)
    dispatch("dispatch_add10", a.add10)
    simple("seed_power", a.power)
    simple("seed_dense", a.dense)
    simple("mandelbrot_512", a.mandelbrot)
    steps = [lambda given: np.int64(given[0].shape[1])]
    simple(" ".join(bench_common.RNNS), a.rnn, steps)
    simple(" ".join(bench_common.LSTMS), a.lstm, steps)
    simple("sgd_loop_1000", a.sgd, [np.int64(1000)])
    simple(" ".join(bench_common.GELUS), a.gelu, fast=True)
    simple(" ".join(bench_common.BSS), a.black_scholes, fast=True)
    for name in ("softmax", "layernorm", "logsumexp", "meanvar", "argmax"):
        simple(f"{name}_4096x1024", getattr(a, name), fast=name != "argmax")
    simple("attention", a.attention, fast=True)
    simple("life_512", a.life, [np.int64(100)])
    loops = {
        "collatz_one": "collatz",
        "newton_sqrt": "newton_sqrt",
        "gcd_fib": "gcd",
        "lcg_1m": "lcg",
    }
    for name, own in {**loops, "countdown_1m": "countdown"}.items():
        simple(name, getattr(loop_samples, own), numbers=True)
    simple("bubble_200 bubble_1000", loop_samples.bubble, [lambda given: np.int64(given[0].size)])
    simple("collatz_total_1k collatz_total_20k", loop_samples.collatz_total, numbers=True)


register()
if __name__ == "__main__":
    with np.errstate(over="ignore"):
        bench_common.main(warm=lambda: ag.function(array_samples.add2)(np.ones(2), np.ones(2)))
