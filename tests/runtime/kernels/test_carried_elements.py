"""Elements that later rounds read stay in registers; what is written is the same."""

from __future__ import annotations

import warnings
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available
from runtime.kernels.kernel import (
    FLOAT,
    INT,
    ArrayType,
    Kernel,
    Literal,
    Operand,
    Port,
    Variable,
    instructions,
)
from runtime.kernels.kernel_interpreter import interpret
from runtime.kernels.kernel_verifier import verify
from runtime.kernels.loops.carried_elements import carried
from runtime.kernels.scalar.scalars import Scalars
from runtime.kernels.target import host_target

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")
SIZE, LINE = 40, ArrayType(FLOAT, (None,))


def random_kernel(seed: int) -> Kernel:
    """Return a loop that reads and writes elements of two arrays around the number of its round."""
    random, s = Random(seed), Scalars(host_target())
    arrays, count, shift = [Variable(LINE), Variable(LINE)], Variable(INT), Variable(INT)
    number, step = Variable(INT), random.choice([1, 1, -1, -1, 2])

    def place() -> Operand:
        start = random.randint(-1, 1) + (8 if step > 0 else 30)
        at = s.emit("mul", [number, Literal(INT, step)], INT)
        at = s.emit("add", [at, Literal(INT, start)], INT)
        return s.emit("add", [at, shift], INT) if random.random() < 0.2 else at

    def body() -> list[Operand]:
        known: list[Operand] = [Literal(FLOAT, 0.5)]
        for _ in range(random.randint(3, 10)):
            array = random.choice([arrays[0], arrays[0], arrays[1]])
            if random.random() < 0.5:
                known.append(s.emit("load", [array, place()], FLOAT))
            else:
                op = random.choice(["fadd", "fsub"])
                value = s.emit(op, [random.choice(known), random.choice(known)], FLOAT)
                known.append(value)
                s.emit("store", [array, value, place()])
        return []

    def whole() -> list[Operand]:
        times: Operand = random.choice([count, count, Literal(INT, random.randint(0, 6))])
        s.structured("for", [times], [], [s.block([number], body)], counters=())
        return [*arrays]

    block = s.block([*arrays, count, shift], whole)
    ports = (*(Port(LINE, written=True) for _ in arrays), Port(INT), Port(INT))
    return Kernel("loop", block, ports, (Port(LINE), Port(LINE)), target=host_target())


def loads(kernel: Kernel) -> int:
    """Return how many elements the rounds of a loop read and write."""
    loop = next(x for x in instructions(kernel.body) if x.op == "for")
    return sum(x.op in ("load", "store") for x in instructions(loop.blocks[0]))


def test_random_loops_write_the_same_with_fewer_reads() -> None:
    fewer = 0
    for seed in range(400):
        kernel = random_kernel(seed)
        other = replace(kernel, body=carried(kernel.body))
        verify(other)
        fewer += loads(other) < loads(kernel)
        for count in (0, 1, 3, 9):
            x, y = np.sin(np.arange(2.0 * SIZE)).reshape(2, SIZE)
            given = x, y, count, Random(seed).randint(-1, 1)
            wanted = interpret(kernel, [x.copy(), y.copy(), *given[2:]])
            found = interpret(other, [x.copy(), y.copy(), *given[2:]])
            assert np.array_equal(found, wanted), seed
    assert fewer > 70


def running(x: Any) -> Any:
    y = np.zeros(len(x))
    for k in range(1, len(x)):
        y[k] = y[k - 1] * 0.5 + x[k]
    return y


def of_two_before(x: Any) -> Any:
    y = x.copy()
    for k in range(2, len(x)):
        y[k] = y[k - 1] * 0.5 - y[k - 2] + x[k]
    return y


def scattered(x: Any) -> Any:
    y = np.zeros(len(x) + 2)
    for k in range(len(x)):
        y[k] += x[k]
        y[k + 1] += x[k] * 0.5
        y[k + 2] += x[k] * 0.25
    return y


def down_a_table(x: Any) -> Any:
    y = np.zeros((len(x), len(x)))
    for i in range(1, len(x)):
        for j in range(1, len(x)):
            y[i, j] = np.minimum(y[i - 1, j], y[i, j - 1]) + x[i] * x[j]
    return y


@pytest.mark.parametrize("function", [running, of_two_before, scattered, down_a_table])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 30])
def test_loops_over_arrays_give_what_python_gives(function: Any, count: int) -> None:
    x = np.cos(np.arange(float(count)))
    assert np.array_equal(ag.function(function)(x), function(x))


@pytest.mark.parametrize("factor", [0.5, 3])
def test_a_recurrence_reads_no_element_that_it_has_written(factor: Any) -> None:
    def many(x: Any, n: Any) -> Any:
        for k in range(1, n):
            x[k] = x[k - 1] * factor + x[k]
        return x

    x, staged = np.ones(60, np.result_type(factor)), ag.function(many)
    text = str(staged.kernels(x, np.int64(30))).partition("; LLVM")[0]
    loop = text.partition("for(")[2].partition("yield")[0]
    assert loop.count("load(") == 1
    own, other = x.copy(), x.copy()
    with warnings.catch_warnings(record=True) as found:  # integers overflow
        warnings.simplefilter("always")
        many(own, 60), staged(other, np.int64(60))
    assert own.tobytes() == other.tobytes()
    assert len({str(x.message) for x in found}) == (factor == 3)
