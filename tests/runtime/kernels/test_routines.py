"""Routines have Python's syntax, and mean what Python means by it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from runtime.kernels.jit import is_available, link
from runtime.kernels.llvm import Writer
from runtime.kernels.routine_values import Value
from runtime.kernels.routines import routines, write
from runtime.kernels.target import host_target

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")
ENGINES: list[Any] = []
"""What holds the machine code."""


class Memory:
    """Memory as Python has it: elements of 64 bits from a byte on."""

    def __init__(self, words: Any, at: int = 0) -> None:
        self.words, self.at = words, at

    def __add__(self, size: int) -> Memory:
        return Memory(self.words, self.at + size)

    @property
    def i64(self) -> Any:
        """The elements."""
        return self.words[self.at // 8 :]


def compiled(source: str, **names: Any) -> Callable[..., int]:
    """Return the function `f` of a source, of integers, and of arrays by their addresses."""
    w = Writer({}, host_target())
    routines(w, dedent(source), "define", "", **names)
    engine, (address,) = link("\n".join([*w.lines, *w.declarations, ""]), ["f"], w.target)
    ENGINES.append(engine)

    def run(*given: Any) -> int:
        own = [x.ctypes.data if isinstance(x, np.ndarray) else x for x in given]
        return int(ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(own))(address)(*own))

    return run


def interpreted(source: str, **names: Any) -> Callable[..., int]:
    """Return the same function, run by Python."""
    space = {"i64": int, "ptr": Memory, "true": True, "unrolled": range, **names}
    exec(dedent(source), space)
    found: Callable[..., int] = space["f"]
    return lambda *given: found(*(Memory(x) if isinstance(x, np.ndarray) else x for x in given))


NUMBERS = {
    "a loop that tests": """
        def f(n: i64) -> i64:
            steps = 0
            while n != 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                steps += 1
            return steps
    """,
    "a choice of three, with an answer in one": """
        def f(n: i64) -> i64:
            found = n
            if n < 4:
                found = found << 2
            elif n > 20 and not n == 25 or n == 7:
                return 5
            else:
                found -= 1
            return found ^ 3
    """,
    "rounds that are left, and gone on with": """
        def f(n: i64) -> i64:
            total = 0
            for k in range(n, 90, 7):
                if k % 3 == 0:
                    continue
                for j in range(0, k):
                    if j * j > k:
                        break
                    total += min(j, 3)
                if total > 60:
                    break
            return max(total, k & 5)
    """,
    "an endless loop with an answer": """
        def f(n: i64) -> i64:
            k = 0
            while true:
                k += n
                if k > 50:
                    return k
    """,
    "a function that calls itself": """
        def f(n: i64) -> i64:
            if n < 2:
                return n
            return f(n - 1) + f(n - 2)
    """,
    "several values at once": """
        def f(n: i64) -> i64:
            a, b = n, 2
            for k in unrolled(3):
                a, b = b + k, a
            return a * 100 + b
    """,
}


@pytest.mark.parametrize("source", NUMBERS.values(), ids=NUMBERS.keys())
@pytest.mark.parametrize("n", [1, 3, 7, 25, 21])
def test_a_routine_means_what_python_means(source: str, n: int) -> None:
    assert compiled(source)(n) == interpreted(source)(n)


def test_memory_is_read_and_written() -> None:
    source = """
        def f(p: ptr, n: i64) -> i64:
            for k in range(1, n):
                p.i64[k] += p.i64[k - 1]
            (p + 16).i64[1] = 9
            return (p + 8).i64[0]
    """
    one, other = np.arange(2, 9), np.arange(2, 9)
    assert compiled(source)(one, 7) == interpreted(source)(other, 7)
    np.testing.assert_array_equal(one, other)


def test_what_python_knows_is_chosen_when_the_text_is_written() -> None:
    source = """
        def f(n: i64) -> i64:
            if doubles:
                n = n * 2
            for step in steps:
                n += step
            return n if limit is None else min(n, limit)
    """
    for known in (
        {"doubles": True, "steps": (1, 2), "limit": None},
        {"doubles": False, "steps": (), "limit": 2},
    ):
        assert compiled(source, **known)(5) == interpreted(source, **known)(5)


def test_integers_have_no_sign_unless_one_is_asked_for() -> None:
    source = """
        def f(n: i64) -> i64:
            return i64(n < 5) + 2 * i64(below(n, 5))
    """
    assert [compiled(source)(n) for n in (-1, 3, 8)] == [2, 3, 0]


def test_statements_stand_within_a_function_and_call_functions_of_python() -> None:
    w = Writer({}, host_target())
    seen: list[str] = []
    found = write(w, "mark(x + 1)\nreturn x, x * 2", x=Value("i32", "%x"), mark=seen.append)
    assert w.lines == ["  %v1 = add i32 %x, 1", "  %v2 = mul i32 %x, 2"]
    assert (found, seen) == (("%x", "%v2"), ["%v1"])
