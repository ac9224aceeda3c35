"""Loops that run as machine code: they do what Python does, and Python takes over where need be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available
from tests.runtime.lower.same import all_same
from tools.bench.loop_samples import collatz_total, gcd, newton_sqrt

needs_llvm = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def lcg(x, n):
    for _ in range(n):
        x = x * 6364136223846793005 + 1442695040888963407
    return x


def first_power_above(limit, base):
    k = 0
    power = 1
    while True:
        if power > limit:
            break
        power = power * int(base)
        k += 1
        if k == 200:
            break
    return power, k


def is_prime(n):
    if n < 2:
        return False
    d = 2
    while d * d <= n:
        if n % d == 0:
            return False
        d += 1
    return True


def decay(x, rate):
    rounds = 0
    while x > 1e-300:
        x = x * rate
        rounds += 1
    return x, rounds


def exp_series(x):
    term, total, k = x * 0 + 1.0, x * 0 + 1.0, 1
    while abs(term) > 1e-17:
        term = term * x / k
        total = total + term
        k += 1
    return total, np.exp(x) - total


def exp_sum(x, n):
    total = x * 0
    for i in range(n):
        total = total + np.exp(x + i) * 1e-10
    return total


def float_floors(x, y):
    total = x * 0
    for i in range(int(y)):
        total = total + (x - i) // y + (i - x) % y
    return total


def bits(x):
    count = 0
    while x:
        count += int(x & 1)
        x = x >> 1
    return count


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (collatz, (np.int64(837799),)),
    (collatz, (np.int32(27),)),
    (collatz_total, (np.int64(300),)),
    (gcd, (np.int64(2880067194370816120), np.int64(1779979416004714189))),
    (gcd, (np.int64(12), np.int64(-18))),
    (newton_sqrt, (np.float64(123456789.0),)),
    (newton_sqrt, (np.float32(4.0),)),
    (lcg, (np.int64(12345), np.int64(0))),
    (lcg, (np.int64(0), np.int64(1))),
    (first_power_above, (np.int64(10**9), np.int64(3))),
    (first_power_above, (np.float64(1e30), np.int64(10))),
    (is_prime, (np.int64(1000003),)),
    (is_prime, (np.int64(1000001),)),
    (is_prime, (np.uint8(97),)),
    (decay, (np.float64(1.0), np.float64(0.5))),
    (exp_series, (np.float64(-3.5),)),
    (exp_sum, (np.float64(0.1), np.int64(5))),
    (float_floors, (np.float64(7.3), np.float64(3.0))),
    (float_floors, (np.float32(-7.3), np.float32(2.5))),
    (bits, (np.int64(0x5A5A5A5A5A5A),)),
]


def results(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize(("function", "args"), CASES, ids=[f"{f.__name__}{a}" for f, a in CASES])
def test_native_loop_gives_what_plain_python_gives(function: Any, args: tuple[Any, ...]) -> None:
    for backend in ("native", "numpy"):
        staged = ag.function(function, backend=backend)
        assert all_same(results(staged(*args)), results(function(*args)))


@needs_llvm
@pytest.mark.parametrize(("function", "args"), CASES, ids=[f"{f.__name__}{a}" for f, a in CASES])
def test_loop_of_numbers_is_native(function: Any, args: tuple[Any, ...]) -> None:
    steps = ag.function(function).plan(*args).splitlines()
    assert any(" = native(" in step for step in steps)
    assert not any(step.startswith(("  while", "  for")) for step in steps)
    assert " = native(" not in ag.function(function, backend="numpy").plan(*args)


def warned(function: Callable[..., Any], *args: Any) -> tuple[Any, list[str]]:
    """Return what a call gives and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function(*args)
    return found, [str(x.message) for x in caught]


WARNING: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (lcg, (np.int64(12345), np.int64(3)), "overflow encountered in scalar multiply"),
    (newton_sqrt, (np.float64(0.0),), ""),
    (newton_sqrt, (np.float64(1e300),), "overflow encountered in scalar multiply"),
    (float_floors, (np.float64(np.inf), np.float64(2.0)), "invalid value encountered in "),
    (exp_sum, (np.float64(708.0), np.int64(3)), "overflow encountered in exp"),
]


@pytest.mark.parametrize(
    ("function", "args", "text"), WARNING, ids=[f"{f.__name__}{a}" for f, a, _ in WARNING]
)
def test_warnings_are_those_of_plain_python(function: Any, args: Any, text: str) -> None:
    found, messages = warned(ag.function(function), *args)
    wanted, expected = warned(function, *args)
    assert all_same(results(found), results(wanted))
    assert messages == expected
    assert any(text in message for message in messages) == bool(text)


@needs_llvm
def test_overflow_that_nobody_wants_to_hear_of_stays_native() -> None:
    staged = ag.function(lcg)
    with np.errstate(over="ignore"):
        found, messages = warned(staged, np.int64(1), np.int64(20_000_000))
    assert found == np.int64(8843630203987260673)  # Python would need a minute
    assert not messages


def test_errors_are_those_of_plain_python() -> None:
    @ag.function
    def quotients(n):
        total = 0
        for i in range(int(n)):
            total += 100 // (3 - i)
        return total

    assert quotients(np.int64(3)) == 100 // 3 + 100 // 2 + 100
    with pytest.raises(ZeroDivisionError, match="integer division or modulo by zero"):
        quotients(np.int64(5))


def test_python_integers_grow_beyond_64_bits() -> None:
    @ag.function
    def factorial(n):
        product = 1
        for i in range(int(n)):
            product *= i + 1
        return product

    assert factorial(np.int64(20)) == 2432902008176640000
    assert factorial(np.int64(25)) == 15511210043330985984000000


def test_counter_that_starts_large_does_not_wrap() -> None:
    @ag.function
    def count(start, n):
        k = int(start)
        i = int(n)
        while i > 0:
            k += 2**29
            i -= 1
        return k

    assert count(np.int64(2**63 - 2**29), np.int64(3)) == 2**63 - 2**29 + 3 * 2**29
    assert count(np.int64(-(2**62)), np.int64(3)) == -(2**62) + 3 * 2**29


def test_failing_assertion_in_a_loop_is_raised() -> None:
    @ag.function
    def checked(n):
        i = 0
        while i < n:
            assert i != 5, "met five"
            i += 1
        return i

    assert checked(np.int64(5)) == 5
    with pytest.raises(AssertionError, match="met five"):
        checked(np.int64(7))


@needs_llvm
def test_other_threads_run_during_a_native_loop() -> None:
    @ag.function
    def count_down(x):
        while x > 0:
            x -= 1
        return x

    assert count_down(np.int64(10)) == 0
    worker = threading.Thread(target=count_down, args=(np.int64(2 * 10**9),))
    worker.daemon = True
    worker.start()
    steps = 0
    while worker.is_alive() and steps < 1000:
        steps += 1
    assert steps == 1000
    worker.join()


LONG = """
import numpy as np, autograph as ag
@ag.function
def forever(x):
    while x > 0:
        x = x ^ 2
    return x
forever(np.int64(0))
print("ready", flush=True)
try:
    forever(np.int64(1))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@needs_llvm
def test_interrupt_ends_a_native_loop(tmp_path: Any) -> None:
    file = tmp_path / "long.py"
    file.write_text(LONG, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert process.wait(30) == 0


WITHOUT = """
import sys, warnings
sys.modules["llvmlite"] = None
import numpy as np, autograph as ag
@ag.function
def count_down(x):
    while x > 0:
        x -= 1
    return x
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert count_down(np.int64(3)) == 0
    assert count_down(np.int32(3)) == 0
(notice,) = caught
assert "llvmlite" in str(notice.message), notice
assert " = native(" not in count_down.plan(np.int64(3))
print(notice.message)
"""


def test_without_llvmlite_all_works_with_one_notice() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert found.stdout.startswith("there is no machine code here, so loops run in Python"), found
