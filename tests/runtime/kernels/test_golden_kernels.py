"""Kernels of small programs, letter by letter; `--update-golden` writes them anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import load
from runtime.kernels.arrays.layout import HAS_LONG_SUMS
from runtime.kernels.jit import is_available

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "kernel"

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")

ROWS, NUMBERS = np.ones((6, 40)), np.arange(40)
SCALAR = np.int64(7)


def collatz(n: Any) -> Any:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def fibonacci(n: Any) -> Any:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def divided(x: Any, y: Any) -> Any:
    while x > y:
        x = x // y - x % y
    return x


def bubble(x: Any, n: Any) -> Any:
    for i in range(n):
        if x[i] > x[i + 1]:
            x[i], x[i + 1] = x[i + 1], x[i]
    return x


def inverted(x: Any, y: Any) -> Any:
    for i in range(len(x)):
        if x[i] != 0.0:
            y[i] = 1.0 / x[i]


def summed(x: Any, n: Any) -> Any:
    total = np.int64(0)
    for i in range(n):
        total += x[i]
    return total


def scaled(x: Any, y: Any, n: Any) -> Any:
    for i in range(n):
        y[i] = 2.0 * x[i] + y[i]
    return y


def multiplied(x: Any, y: Any, out: Any, n: Any) -> Any:
    for i in range(n):
        for j in range(n):
            for k in range(n):
                out[i, j] += x[i, k] * y[k, j]
    return out


def divided_rows(x: Any, y: Any, n: Any) -> Any:
    for k in range(1, n):
        x[k, :k] += y[k] * x[:k, k]
        y[:k] -= x[k, :k] / np.dot(y[:k], y[k - 1 :: -1])
        y[k] = np.sum(x[k])
    return y


def counted(table: Any, places: Any, values: Any) -> Any:
    found = table.copy()
    np.add.at(found, places, values)
    return found


def gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


def quotients(x: Any) -> Any:
    return (x // 3 + x % 5).astype(np.float64)


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def moments(x: Any) -> Any:
    return np.mean(x, axis=-1), np.var(x, axis=-1)


def total(x: Any) -> Any:
    return np.sum(x * x + 1)


def columns(x: Any) -> Any:
    return np.sum(x * 2, axis=0)


def greatest(x: Any) -> Any:
    return np.argmax(x * 2, axis=-1)


def moved(x: Any) -> Any:
    return np.roll(x, 1, axis=0) - 2 * np.roll(x, -1, axis=1)


def shrunk(x: Any) -> Any:
    rounds = 0
    while np.any(np.abs(x) > 1e-3) and rounds < 50:
        x = x * 0.5 - 1e-4
        rounds += 1
    return x, rounds


KERNELS: list[tuple[Callable[..., Any], Sequence[Any]]] = [
    (collatz, [SCALAR]), (fibonacci, [SCALAR]), (divided, [SCALAR, SCALAR]),
    (bubble, [ROWS[0], SCALAR]), (inverted, [ROWS[0], ROWS[1]]), (summed, [NUMBERS, SCALAR]),
    (scaled, [ROWS[0], ROWS[1], SCALAR]),
    (multiplied, [ROWS, ROWS, ROWS, SCALAR]), (counted, [ROWS[0, :8], NUMBERS % 8, ROWS[0]]),
    (gelu, [ROWS]), (quotients, [NUMBERS]), (softmax, [ROWS]), (moments, [ROWS]),
    (divided_rows, [ROWS, ROWS[0], SCALAR]), (columns, [ROWS]), (greatest, [ROWS]),
    (moved, [ROWS]), (shrunk, [ROWS]),
]  # fmt: skip
KERNELS += [(total, [ROWS])] if HAS_LONG_SUMS else []


@pytest.mark.parametrize(("function", "args"), KERNELS, ids=[x.__name__ for x, _ in KERNELS])
def test_kernels_are_the_known_ones(
    function: Callable[..., Any],
    args: Sequence[Any],
    update_golden: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: dict[str, None] = {}
    text_of = load.text_of

    def kept(kernel: Any) -> Any:
        seen[str(kernel)] = None
        return text_of(kernel)

    monkeypatch.setattr(load, "text_of", kept)
    str(ag.function(function).kernels(*args))
    found = "\n\n".join(seen) + "\n"
    assert seen
    path = GOLDEN / f"{function.__name__}.txt"
    if update_golden:
        path.write_text(found)
    assert found == path.read_text()
