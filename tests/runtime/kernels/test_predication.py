"""Loops with choices in place of branches write the same as those with branches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.dtypes import DType
from runtime.kernels.entry import write_entry
from runtime.kernels.jit import is_available, load
from runtime.kernels.kernel import (
    BOOL,
    INT,
    ArrayType,
    Block,
    Kernel,
    Literal,
    Operand,
    Policy,
    Port,
    Variable,
    instructions,
)
from runtime.kernels.kernel_interpreter import interpret
from runtime.kernels.kernel_verifier import InvalidKernelError, verify
from runtime.kernels.loops import predication, promoted_elements, tested_sums
from runtime.kernels.loops.predication import predicated
from runtime.kernels.loops.promoted_elements import promoted
from runtime.kernels.scalar.scalars import Scalars
from runtime.kernels.semantics import UndefinedError
from runtime.kernels.target import host_target
from tests.runtime.kernels.random_kernels import ODD, is_same, outcome

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")
DTYPES = [np.dtype(x) for x in ("f8", "f8", "i8", "f4", "i4", "u1", "?")]


class LoopWriter:
    """Writes a loop with branches, over three arrays of which it writes two.

    Args:
        seed: of the choices.
        is_one: whether all rounds meet one element of some of the arrays that it writes.
        sums: how many integers its rounds add to, in place of writing arrays.
    """

    def __init__(self, seed: int, is_one: bool = False, sums: int = 0) -> None:
        self.random, self.s, self.number = Random(seed), Scalars(host_target()), Variable(INT)
        self.dtype: DType = self.random.choice(DTYPES)
        self.line, self.count = ArrayType(self.dtype, (None,)), Variable(INT)
        self.arrays = [Variable(self.line) for _ in range(3)]
        self.pool: list[Operand] = []
        chosen = self.random.choices([1, 2], k=2) if is_one else ()
        self.fixed = [self.arrays[k] for k in chosen]
        self.sums: list[Operand] = [Variable(INT) for _ in range(sums)]
        self.kinds = ["load", "compute", "compute", *["sum" if sums else "store"] * 2, "branch"]

    def kernel(self) -> Kernel:
        """Return the kernel."""
        s, random, is_shared = self.s, self.random, self.random.random() < 0.5

        def body() -> list[Operand]:
            self.pool = [self.load(self.arrays[0], self.number)]
            for _ in range(random.randint(1, 4)):
                self.statement(0)
            self.branch(0)
            return self.sums

        def whole() -> list[Operand]:
            params = [x for x in self.sums if isinstance(x, Variable)]
            block, types = s.block([self.number, *params], body), [INT] * len(params)
            starts = [Literal(INT, 2**62 + k) for k in range(len(params))]
            totals = s.structured("for", [self.count, *starts], types, [block], counters=())
            return [*totals] or self.arrays[1 : 2 + (not is_shared)]

        block = s.block([*self.arrays, self.count], whole)
        last = Port(self.line, written=not is_shared, in_place=is_shared)
        inputs = Port(self.line), Port(self.line, written=True), last, Port(INT, weak=True)
        outputs = tuple(Port(x.type) for x in block.results)
        return Kernel("loop", block, inputs, outputs, target=s.target)

    def load(self, array: Variable, place: Operand) -> Operand:
        """Read an element."""
        is_next, place = place is not self.number, self.place(array, place)
        is_written = array is not self.arrays[0] and self.random.random() < 0.9
        is_known = is_written and not is_next and array not in self.fixed
        attrs = {"anyway": True} if is_known else {}
        found: Operand = self.s.emit("load", [array, place], self.dtype, **attrs)
        return found

    def place(self, array: Variable, place: Operand) -> Operand:
        """Return where an array is read or written."""
        return Literal(INT, 0) if array in self.fixed else place

    def statement(self, depth: int) -> None:
        """Read, compute or write a number, or write a branch."""
        random, s = self.random, self.s
        kind = random.choice(self.kinds)
        if kind == "branch" and depth < 2:
            self.branch(depth)
        elif kind == "load":
            self.pool.append(self.load(random.choice(self.arrays), self.number))
        elif kind == "sum":
            s.policy = random.choice([Policy.SCALAR, Policy.SCALAR, Policy.PYTHON])
            k, own = random.randrange(len(self.sums)), self.pool if self.dtype == INT else []
            by = random.choice([*own, self.number, Literal(INT, random.choice([-1, 1, 2**61]))])
            self.sums[k] = s.add(self.sums[k], by)
        elif kind == "store":
            array = random.choice(self.arrays[1:])
            is_known = random.random() < 0.5 and array not in self.fixed
            attrs = {"anyway": True} if is_known else {}
            place = self.place(array, self.number)
            s.emit("store", [array, random.choice(self.pool), place], **attrs)
        else:
            s.policy = Policy.SCALAR
            ways = [s.add, s.subtract]
            if self.dtype.kind == "f":
                ways += [s.multiply, s.divide, s.divide]
            if self.dtype == BOOL:
                ways = [lambda x, y: s.bitwise("xor", x, y)]
            self.pool.append(random.choice(ways)(random.choice(self.pool), self.pool[-1]))

    def branch(self, depth: int) -> None:
        """Write a branch, whose first arm may read what only it knows to be there."""
        s, random, result = self.s, self.random, self.random.random() < 0.5
        following = s.emit("add", [self.number, Literal(INT, 1)], INT, fits=True)
        is_next = random.random() < 0.3
        test = s.emit("lt", [following, self.count], BOOL) if is_next else self.test()

        def arm(more: Callable[[], None]) -> Block:
            def write() -> list[Operand]:
                pool, sums = [*self.pool], [*self.sums]
                more()
                for _ in range(random.randint(0, 3)):
                    self.statement(depth + 1)
                found = [*([self.pool[-1]] if result else []), *self.sums]
                self.pool, self.sums = pool, sums
                return found

            return s.block((), write)

        def read() -> None:
            if is_next:
                self.pool.append(self.load(self.arrays[0], following))

        types = [*([self.dtype] if result else []), *[INT] * len(self.sums)]
        arms = arm(read), arm(lambda: None)
        found = s.structured("if", [test], types, arms)
        self.pool += found[:result]
        self.sums = [*found[result:]]

    def test(self) -> Operand:
        """Return what is true for some numbers."""
        if self.dtype == BOOL:
            return self.random.choice(self.pool)
        found: Operand = self.s.emit("lt", self.random.choices(self.pool, k=2), BOOL)
        return found


def inverted(x: Any, y: Any) -> None:
    for i in range(len(x)):
        if x[i] != 0.0:
            y[i] = 1.0 / x[i]


def clipped(x: Any, y: Any) -> None:
    for i in range(len(x)):
        if x[i] > 2.0:
            y[i] = 2.0
        elif x[i] < -2.0:
            y[i] = -2.0
        else:
            y[i] = x[i] * x[i]


def neighbours(x: Any, y: Any) -> None:
    for i in range(len(x)):
        if i > 0 and x[i - 1] < x[i]:
            y[i] += x[i] - x[i - 1]


def counted(x: Any, y: Any) -> None:
    n = x.astype(np.int64)
    for i in range(len(n)):
        if n[i] > 0:
            n[i] = n[i] + n[i] - 1
        y[i] = n[i]


@pytest.mark.parametrize("function", [inverted, clipped, neighbours, counted])
def test_programs_write_what_plain_python_does(function: Callable[..., Any]) -> None:
    x = np.tile([0.0, 0.5, -3.0, 7.0, -0.0, 1e200, 2.0], 9)
    x = x.clip(-9, 9) if function is counted else x
    staged, (y, z) = ag.function(function), np.zeros((2, len(x)))
    with np.errstate(over="ignore"):
        function(x, y)
        staged(x, z)
    assert y.tobytes() == z.tobytes()
    assert " = if(" not in str(staged.kernels(x, z)).split("; LLVM")[0].split("} {")[0]


def numbers(random: Random, dtype: DType, count: int) -> Any:
    with np.errstate(all="ignore"):
        odd = np.array(random.choices(ODD[dtype.kind], k=count)).astype(dtype)
        usual = np.array([random.randint(0, 9) for _ in range(count)]).astype(dtype)
    return np.where([random.random() < 0.2 for _ in range(count)], odd, usual)


def meaning(kernel: Kernel) -> Callable[..., Any]:
    return lambda *given: interpret(kernel, given)


def compare(first: int, last: int, is_one: bool = False, sums: int = 0) -> set[str]:
    """Compare loops; return what is in those that have choices, or promoted elements."""
    found: set[str] = set()
    for seed in range(first, last):
        plain = LoopWriter(seed, is_one, sums).kernel()
        kernel = predicated(replace(plain, body=promoted(plain.body)))
        steps = {x.op for x in instructions(kernel.body)}
        if "if" in steps and not is_one:
            continue
        loop = next(x for x in instructions(kernel.body) if x.op == "for")
        found |= {"state"} if len(loop.args) > 1 else set()
        found |= steps
        verify(plain)
        verify(kernel)
        machine, random = load(write_entry(kernel), "loop"), Random(seed)
        for count, quiet in ((0, False), (70, True), (70, False), (17, False)):
            given = [
                *(numbers(random, kernel.inputs[0].type.dtype, count) for _ in range(3)),
                count,
            ]
            wanted = outcome(meaning(plain), given, quiet)
            for name, function in (("choices", meaning(kernel)), ("machine", machine)):
                got = outcome(function, given, quiet)
                assert is_same(got, wanted), (
                    f"{seed} {name} {count}\n{got}\n{wanted}\n{plain}\n{kernel}"
                )
    return found


def test_random_loops_write_the_same() -> None:
    assert compare(0, 24) >= {"load_if", "store_if", "store", "select", "overflow", "fdiv"}


def test_random_sums_under_tests_are_the_same() -> None:
    assert compare(0, 24, sums=2) >= {"load_if", "select", "overflow"}


def test_a_mistake_with_a_sum_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tested_sums, "_ZERO", Literal(INT, 1))
    with pytest.raises(AssertionError, match="choices"):
        compare(0, 24, sums=2)


def test_random_loops_with_an_element_in_their_state_write_the_same() -> None:
    assert "state" in compare(0, 24, is_one=True)


@pytest.mark.parametrize(
    ("name", "planted"),
    [("meets", lambda self, x: x.op == "store"), ("after", lambda self: ())],
)
def test_a_mistake_with_an_element_is_seen(
    name: str, planted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promoted_elements._Cell, name, planted)
    with pytest.raises((AssertionError, InvalidKernelError)):
        compare(0, 24, is_one=True)


def test_an_array_of_others_is_written_only_where_the_way_is_taken() -> None:
    for seed in range(24):
        kernel = LoopWriter(seed).kernel()
        shared = kernel.body.params[2]
        if not kernel.inputs[2].in_place:
            continue
        stores = [x for x in instructions(kernel.body) if x.op == "store" and x.args[0] is shared]
        found = instructions(predicated(kernel).body)
        plain = [x for x in found if x.op == "store" and x.args[0] is shared]
        assert len(plain) <= len(stores)


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("harmless", lambda self, x, test: x),
        ("chosen", lambda self, x, test: x),
        ("place", lambda self, x: (x.args[0],)),
    ],
)
def test_a_mistake_is_seen(name: str, planted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predication._Rounds, name, planted)
    with pytest.raises(AssertionError, match="choices"):
        compare(0, 24)


def test_what_only_a_way_may_read_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    load = predication._Rounds.load
    monkeypatch.setattr(predication._Rounds, "load", lambda self, x, test: load(self, x, None))
    with pytest.raises(UndefinedError):
        compare(0, 24)
