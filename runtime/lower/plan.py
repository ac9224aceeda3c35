"""Plans: what a driver does, step by step, over named slots.

    plan   = "plan" "(" slots ")" "{" constant* function* step* "return" operands "}"
    constant = name "=" "constant" text
    function = name plan                             it calls itself
    step   = slots "=" expr                          an expression, its results in slots
           | expr                                    an expression for its effect
           | slots "<-" operands                     moves, all at once
           | slot "=" "copy" operand                 an array of its own
           | "begin" slot "=" expr                   it may be computed while other steps run, until
           | "wait" slot                             it has to be there
           | "write" expr                            its first operand is changed in place
           | label? reporting? "if" expr block "else" block
           | "choose" slot "=" expr block+           n-way, by number
           | label? reporting? "while" block? expr block   the first block runs before each test
           | label? "for" slot "in" order? expr ("collect" slots)? block ("until" slot)?
           | slots "=" "native" "(" operands ")" "else" block    a kernel; the block where it stops
           | "try" block ("fail" point "(" slots ")" block)*
           | "take" slot "=" operand                 row number `for` of a sequence
           | "collect" slot "=" operand              one more row of what is stacked
    order  = "rounds" | "reversed"                   of a stream; from the last one on
    block  = "{" step* "}"
    label  = text ":"                                the user's name of the statement
    reporting = "quiet" | "reporting" "(" settings ")"   how floating point errors are reported
    expr   = operand | op "(" operands attrs ")" ["into" slot]
    operand = slot | literal | constant's name | expr

Made by `planner`. Slots are local variables, literals Python scalars; other constants have names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from runtime.floating_errors import USUAL, Reporting, reporting_of
from runtime.graph.location import Location
from runtime.graph.node import Graph, Node
from runtime.kernels.products.products import AnyKernel
from runtime.spec import TensorSpec

Slot = str
LARGEST_LITERAL = 2**63


@dataclass(frozen=True, slots=True)
class Literal:
    """A Python scalar, written out."""

    value: Any

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True, slots=True)
class Named:
    """A constant of the plan, by name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class Apply:
    """An op applied to operands; `out` is the slot whose array takes the result."""

    node: Node
    operands: tuple[Operand, ...]
    out: Slot | None = None

    def __str__(self) -> str:
        attrs = [f"{name}={value!r}" for name, value in self.node.attrs.items()]
        call = f"{self.node.op.name}({', '.join([*map(str, self.operands), *attrs])})"
        return f"{call} into {self.out}" if self.out else call


Operand = Slot | Literal | Named | Apply


@dataclass(frozen=True, slots=True, eq=False)
class Assign:
    """Compute an expression; its results go to the slots (none: for its effect)."""

    targets: tuple[Slot, ...]
    value: Apply


@dataclass(frozen=True, slots=True, eq=False)
class _Beside:
    """What is computed beside other steps, and where that goes."""

    target: Slot
    value: Apply

    @property
    def location(self) -> Location | None:
        """The user's line."""
        return self.value.node.location


class Begin(_Beside):
    """Begin to compute an expression, beside the steps that follow."""

    __slots__ = ()


class Wait(_Beside):
    """Wait for what was begun; `value` says what that is."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """Give slots the values of operands, all at once."""

    targets: tuple[Slot, ...]
    sources: tuple[Operand, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Copy:
    """Put an array of one's own into a slot."""

    target: Slot
    source: Operand


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """Apply an op that changes its first operand in place."""

    value: Apply


@dataclass(frozen=True, slots=True, eq=False)
class Take:
    """Put row `index` of a sequence into a slot."""

    target: Slot
    sequence: Operand
    index: Slot


@dataclass(frozen=True, slots=True, eq=False)
class Collect:
    """Append a row to an output of a loop."""

    output: Output
    index: Slot
    row: Operand


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """A stacked output of a loop: its slot, and the spec of its rows."""

    slot: Slot
    spec: TensorSpec


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """Run one of several blocks: by truth (two blocks), or by number, which is put into a slot."""

    test: Operand
    arms: tuple[Block, ...]
    number: Slot | None
    location: Location | None
    label: str | None = None
    reporting: Reporting = USUAL

    @property
    def is_plain(self) -> bool:
        """Whether it is decided by truth, and nothing more is said of it."""
        return self.number is None and self.label is None and self.reporting == USUAL


@dataclass(frozen=True, slots=True, eq=False)
class While:
    """Run `head`, test, run `body`, again and again."""

    head: Block
    test: Operand
    body: Block
    location: Location | None
    label: str | None = None
    reporting: Reporting = USUAL


@dataclass(frozen=True, slots=True, eq=False)
class For:
    """Run a block a number of times, or for each element of a stream, until a slot is true."""

    index: Slot
    count: Operand
    outputs: tuple[Output, ...]
    body: Block
    location: Location | None
    label: str | None = None
    until: Slot | None = None
    is_stream: bool = False
    reverse: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Try:
    """Run a block; when it fails at a point, put its number and values into slots, run a handler.

    Args:
        body: the block.
        points: where it may be left.
        handlers: for each point the slots of its values, and the block to run.
        number: the slot for which of them it was, from 1; 0 for none.
        values: the slot for its values.
    """

    body: Block
    points: tuple[int, ...]
    handlers: tuple[tuple[tuple[Slot, ...], Block], ...]
    number: Slot
    values: Slot
    location: Location | None


@dataclass(frozen=True, slots=True, eq=False)
class Native:
    """Run a kernel; when it has no result, run a block of steps that does the same.

    Args:
        kernel: what runs as machine code.
        targets: the slots of its results.
        operands: what it is given.
        found: a slot for what it returns.
        otherwise: the steps that do the same.
    """

    kernel: AnyKernel
    targets: tuple[Slot, ...]
    operands: tuple[Operand, ...]
    found: Slot
    otherwise: Block
    location: Location | None


Step = (
    Assign
    | Begin
    | Wait
    | Move
    | Copy
    | Write
    | Take
    | Collect
    | Branch
    | While
    | For
    | Try
    | Native
)
Block = tuple[Step, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Steps over slots that do what a graph means.

    Args:
        params: the slots that receive the arguments.
        constants: arrays and NumPy scalars by name.
        block: the steps.
        results: what is returned.
        graph: what it was made of.
        refused: loops and operations on arrays that are not native, and why.
        functions: those that call themselves, by name.
    """

    params: tuple[Slot, ...]
    constants: Mapping[str, Any]
    block: Block
    results: tuple[Operand, ...]
    graph: Graph
    refused: tuple[tuple[Location | None, str], ...] = ()
    functions: Mapping[str, Plan] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"plan({', '.join(self.params)}) {{"]
        lines += [f"  {name} = constant {_show(x)}" for name, x in self.constants.items()]
        for name, plan in self.functions.items():
            lines += [f"  {line}" for line in f"{name} {plan}".splitlines()]
        lines += _lines(self.block, 1)
        lines += [f"  return {', '.join(map(str, self.results))}".rstrip(), "}"]
        return "\n".join(lines)


def _show(value: Any) -> str:
    """Return a short text of a constant: all of a scalar, dtype and shape of an array."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
    return repr(value)


def _lines(block: Sequence[Step], depth: int) -> Iterator[str]:
    for step in block:
        yield from ("  " * depth + line if line else line for line in step_lines(step))


def step_lines(step: Step) -> list[str]:
    """Return the text of a step."""
    match step:
        case Branch() | While() | For() | Try() | Native():
            return _block_lines(step)
        case Assign(targets, value):
            return [f"{', '.join(targets)} = {value}" if targets else str(value)]
        case Begin(target, value):
            return [f"begin {target} = {value}"]
        case Wait(target):
            return [f"wait {target}"]
        case Move(targets, sources):
            return [f"{', '.join(targets)} <- {', '.join(map(str, sources))}"]
        case Copy(target, source):
            return [f"{target} = copy {source}"]
        case Write(value):
            return [f"write {value}"]
        case Take(target, sequence):
            return [f"take {target} = {sequence}"]
        case Collect(output, _, row):
            return [f"collect {output.slot} = {row}"]


def _block_lines(step: Branch | While | For | Try | Native) -> list[str]:
    first, *others = _unlabelled_lines(step)
    label = None if isinstance(step, Try | Native) else step.label
    if isinstance(step, Branch | While) and step.reporting != USUAL:
        first = f"{step.reporting} {first}"
    return [first if label is None else f"{label}: {first}", *others]


def _unlabelled_lines(step: Branch | While | For | Try | Native) -> list[str]:
    match step:
        case Native(_, targets, operands, _, otherwise):
            first = f"{', '.join(targets)} = native({', '.join(map(str, operands))}) else {{"
            return [first, *_lines(otherwise, 1), "}"]
        case Try(body, points, handlers):
            lines = ["try {", *_lines(body, 1)]
            for point, (slots, handler) in zip(points, handlers, strict=True):
                lines += [f"}} fail {point} ({', '.join(slots)}) {{", *_lines(handler, 1)]
            return [*lines, "}"]
        case Branch(test, arms, number):
            first = f"if {test} {{" if number is None else f"choose {number} = {test} {{"
            between = "} else {" if number is None else "} {"
            rest = [line for arm in arms[1:] for line in (between, *_lines(arm, 1))]
            return [first, *_lines(arms[0], 1), *rest, "}"]
        case While(head, test, body):
            first = f"while {test} {{"
            opening = ["while {", *_lines(head, 1), f"}} {test} {{"] if head else [first]
            return [*opening, *_lines(body, 1), "}"]
        case For(index, count, outputs, body):
            outs = f" collect {', '.join(x.slot for x in outputs)}" if outputs else ""
            end = "}" if step.until is None else f"}} until {step.until}"
            rounds = "rounds " if step.is_stream else "reversed " if step.reverse else ""
            return [f"for {index} in {rounds}{count}{outs} {{", *_lines(body, 1), end]


def about(node: Node) -> tuple[Location | None, str | None, Reporting]:
    """Return where a branch or loop is, the user's name of it, and how it reports errors."""
    return node.location, node.attrs.get("label"), reporting_of(node.attrs)


def is_literal(value: Any) -> bool:
    """Tell whether a constant can be written out."""
    if type(value) is int:
        return -LARGEST_LITERAL <= value <= LARGEST_LITERAL
    return type(value) is bool or (type(value) is float and math.isfinite(value))


def is_integer(operand: Operand) -> bool:
    """Tell whether an operand is a Python integer for sure."""
    if isinstance(operand, Literal):
        return type(operand.value) is int
    if isinstance(operand, Apply):
        spec = operand.node.result.spec
        return spec.weak and spec.dtype.kind == "i"
    return False
