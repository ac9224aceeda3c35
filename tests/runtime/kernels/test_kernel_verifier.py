"""Kernels that break a rule of their language are refused, with the instruction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from runtime.kernels.kernel import (
    BOOL,
    FLOAT,
    INT,
    ArrayType,
    Block,
    Instruction,
    Kernel,
    Literal,
    Operand,
    Port,
    Type,
    Variable,
)
from runtime.kernels.kernel_verifier import InvalidKernelError, verify
from runtime.kernels.target import ANY

SINGLE, SMALL = np.dtype(np.float32), np.dtype(np.uint8)
ARRAY, OPEN = ArrayType(FLOAT, (4,)), ArrayType(FLOAT, (None,))
YES, EMPTY = Literal(BOOL, True), Block((), (), ())


def step(op: str, args: Sequence[Operand], *types: Type, **attrs: Any) -> Instruction:
    """Return an instruction with new results."""
    return Instruction(op, tuple(args), tuple(map(Variable, types)), attrs)


def body(types: Sequence[Type], write: Any, written: bool = False) -> Kernel:
    """Return a kernel of parameters of types: `write` gives its instructions and results."""
    params = tuple(map(Variable, types))
    steps, results = write(*params)
    ports = tuple(Port(x, written=written) for x in types)
    block = Block(params, tuple(steps), tuple(results))
    return Kernel("broken", block, ports, tuple(Port(x.type) for x in results), target=ANY)


def twice(n: Variable) -> Any:
    x = step("add", [n, n], INT)
    return [x, x], []


def late(n: Variable) -> Any:
    x = step("add", [n, n], INT)
    return [step("mul", x.results * 2, INT), x], []


def inner_seen_outside(n: Variable) -> Any:
    x = step("add", [n, n], INT)
    arms = Block((), (x,), ()), Block((), (), ())
    return [Instruction("if", (YES,), (), {}, arms)], x.results


def loop(n: Variable, counters: tuple[int, ...] = (), kind: Type = INT) -> Any:
    state, result = Variable(kind), Variable(INT)
    test = step("lt", [state, n], BOOL)
    blocks = Block((state,), (test,), test.results), Block((Variable(INT),), (), (n,))
    return [Instruction("while", (n,), (result,), {"counters": counters}, blocks)], [result]


def counted(array: Variable, source: Variable) -> Any:
    """Return a loop that writes one array in the first round, another one afterwards."""
    number, state, result = Variable(INT), Variable(ARRAY), Variable(ARRAY)
    put = step("store", [state, Literal(FLOAT, 1.0), Literal(INT, 0)])
    inside = Block((number, state), (put,), (source,))
    own = Instruction("for", (Literal(INT, 2), array), (result,), {"counters": ()}, (inside,))
    return [own], [result]


def own(n: Variable) -> Any:
    """Return an array that an arm of a branch makes and gives."""
    made = step("array", [Literal(INT, 4)], ARRAY, zeros=True)
    arms = (Block((), (made,), made.results),) * 2
    return [Instruction("if", (YES,), (Variable(ARRAY),), {}, arms)], []


def resized(given: Type, found: Type) -> Any:
    """Return a kernel that resizes an array that it is given."""
    return body([given, INT], lambda x, n: ([step("resized", [x, n], found)], []), written=True)


BROKEN: dict[str, Any] = {
    "one definition in `%1: i64 = add(%0, %0)`": body([INT], twice),
    "definitions before uses in `%1: i64 = mul(%0, %0)`": body([INT], late),
    "definitions before uses": body([INT], inner_seen_outside),
    "another name than 'plus'": body([INT], lambda n: ([step("plus", [n, n], INT)], [])),
    "2 operands in `%1: i64 = add(%0)`": body([INT], lambda n: ([step("add", [n], INT)], [])),
    "numbers of kinds iu in `%1: f64 = add(": body(
        [FLOAT], lambda x: ([step("add", [x, x], FLOAT)], [])
    ),
    "f64 where it has f32": body(
        [FLOAT, SINGLE], lambda x, y: ([step("fadd", [x, y], FLOAT)], [])
    ),
    "bool where it has i64 in `stop(%0)`": body([INT], lambda n: ([step("stop", [n])], [])),
    "numbers in `%1: f64[4] = fneg(%0)`": body([ARRAY], lambda a: ([step("fneg", [a], ARRAY)], [])),
    "300 to be a number of u8": body(
        [SMALL], lambda n: ([step("add", [n, Literal(SMALL, 300)], SMALL)], [])
    ),
    "0.1 to be a number of f32": body(
        [SINGLE], lambda x: ([step("fadd", [x, Literal(SINGLE, 0.1)], SINGLE)], [])
    ),
    "attributes ('wraps',) in `overflow(True: bool)`": body(
        [INT], lambda n: ([step("overflow", [YES])], [])
    ),
    "instructions of its own language": body([INT], lambda n: ([step("index", [], INT)], [])),
    "an array that it may write": body(
        [ARRAY], lambda a: ([step("store", [a, Literal(FLOAT, 0.0), Literal(INT, 0)])], [])
    ),
    "indices in range in `%1: f64 = load(%0, 4: i64)`": body(
        [ARRAY], lambda a: ([step("load", [a, Literal(INT, 4)], FLOAT)], [])
    ),
    "1 indices": body([ARRAY], lambda a: ([step("load", [a], FLOAT)], [])),
    "an axis": body([ARRAY], lambda a: ([step("size", [a], INT, axis=1)], [])),
    "the inner loop d->d": body(
        [FLOAT], lambda x: ([step("loop", [x], FLOAT, ufunc="exp", types="f->f")], [])
    ),
    "its sizes in `%1: f64[4] = array(%0, zeros=True)`": body(
        [INT], lambda n: ([step("array", [n], ARRAY, zeros=True)], [])
    ),
    "blocks that keep their own arrays": body([INT], lambda n: own(n)),
    "to resize only arrays of its own": resized(OPEN, OPEN),
    "one dtype in `%2: f32[_] = resized(%0, %1)`": resized(OPEN, ArrayType(SINGLE, (None,))),
    "a known limit": body([INT], lambda n: ([step("beyond", [n, n], BOOL)], [])),
    "numbers of one size": body([FLOAT], lambda x: ([step("bits", [x], np.dtype("i4"))], [])),
    "0 blocks": body([INT], lambda n: ([Instruction("stop", (YES,), (), {}, (EMPTY,))], [])),
    "f64 in": body([INT], lambda n: loop(n, kind=FLOAT)),
    "counters that are i64": body([INT], lambda n: loop(n, counters=(1,))),
    "a result of i64, not of f64": Kernel(
        "broken", Block((), (), (Literal(FLOAT, 0.5),)), (), (Port(INT),), target=ANY
    ),
    "a parameter of f64, not of i64": Kernel(
        "broken", Block((Variable(INT),), (), ()), (Port(FLOAT),), (), target=ANY
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", BROKEN)
def test_what_breaks_a_rule_is_refused(rule: str) -> None:
    with pytest.raises(InvalidKernelError, match="needs .*" + re.escape(rule)):
        verify(BROKEN[rule])


def test_a_round_may_not_go_on_with_an_array_that_is_not_to_be_written() -> None:
    kernel = body([ARRAY, ARRAY], counted)
    ports = Port(ARRAY, written=True), Port(ARRAY)
    with pytest.raises(InvalidKernelError, match="rounds that keep an array writable"):
        verify(replace(kernel, inputs=ports))
    verify(body([ARRAY, ARRAY], counted, written=True))


def test_a_valid_loop_is_accepted() -> None:
    verify(body([INT], lambda n: loop(n, counters=(0,))))
