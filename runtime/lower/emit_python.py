"""From a plan to the Python source of one function.

Comes in: a plan. Goes out: text, the names that it needs from its namespace, and which lines stand
for which lines of the user's program. It does not run anything, and does not know on which arrays
the text will run: `xp` is whatever array module the namespace is filled with.

Operators are written as operators, ufuncs as calls of the array module's own functions, all other
ops as calls of their kernels. Python scalars stay Python scalars, so a loop counter runs at the
speed of Python.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from runtime.dtypes import is_string
from runtime.floating_errors import QUIET, USUAL, Reporting
from runtime.graph.location import Location
from runtime.graph.regions import CALLS
from runtime.kernels.products.pending_products import load_kernel
from runtime.lower.async_call import AsyncCall
from runtime.lower.driver import Clock, Driver, getter, known
from runtime.lower.emit_expression import ATOM, NOT, Expressions
from runtime.lower.packed_arrays import most_copied, packable, packed
from runtime.lower.plan import (
    Apply,
    Assign,
    Begin,
    Block,
    Branch,
    Collect,
    Copy,
    For,
    Literal,
    Move,
    Native,
    Operand,
    Output,
    Plan,
    Step,
    Take,
    Try,
    Wait,
    While,
    Write,
    is_integer,
)
from runtime.lower.slots import Names, unique
from runtime.lower.steps import slots_in, slots_of
from runtime.ops.control import stack_rows
from runtime.ops.effects import Failure

_BINARY = re.compile(r"\{0\} ([-+*/%&|^]|//|<<|>>) \{1\}")


def emit_python(
    plan: Plan,
    clock: Clock | None = None,
    function: str = "",
    operators: frozenset[str] = frozenset(),
) -> Driver:
    """Return the driver of a plan.

    Args:
        plan: what it does.
        clock: its steps start and stop it, if there is one.
        function: the name of a function that calls itself.
        operators: the ops for whose operators and subscripts the array module has functions.
    """
    emitter = _Emitter(plan, clock, operators)
    name = emitter.names.function(function) if function else "run"
    emitter.line(f"def {name}({', '.join(plan.params)}):", None)
    emitter.depth = 1
    emitter.block(plan.block)
    results = plan.results if clock is None else tuple(map(emitter.as_step, plan.results))
    emitter.returned(results)
    text = "\n".join(emitter.text) + "\n"
    names = emitter.names
    inner = plan.functions.items()
    functions = {name: emit_python(x, None, name, operators) for name, x in inner}
    parts = emitter.parts
    return Driver(text, names.bindings, emitter.locations, parts, functions, names.calls, name)


class _Emitter:  # Long: one recursion over steps, with a method for each kind.
    """Writes lines; `names` grows with what they use."""

    def __init__(self, plan: Plan, clock: Clock | None, operators: frozenset[str]) -> None:
        self.clock = clock
        self.text: list[str] = []
        self.locations: list[Location | None] = []
        self.parts: dict[int, dict[str, Location | None]] = {}
        self.depth = 0
        taken = slots_of(plan.block) | set(plan.params) | set(plan.constants)
        self.names = Names(taken, plan.constants)
        self.expressions = Expressions(self.names, operators)
        self.operand = self.expressions.operand

    def line(self, text: str, location: Location | None) -> None:
        """Write a line at the current depth."""
        self.text.append("    " * self.depth + text)
        self.locations.append(location)
        if len(self.expressions.operations) > 1:
            self.parts[len(self.text)] = self.expressions.operations
        self.expressions.operations = {}

    def returned(self, results: Sequence[Operand]) -> None:
        """Write the return statement: one result bare, others as a tuple."""
        values = ", ".join(map(self.operand, results))
        self.line(f"return {values or '()'}", _location(results[0], None) if results else None)

    def block(self, block: Block) -> None:
        """Write the steps of a block."""
        for step in block:
            self.step(step)

    def inner(self, block: Block) -> None:
        """Write a block one level deeper."""
        self.depth += 1
        self.block(block)
        if not block:
            self.line("pass", None)
        self.depth -= 1

    def step(self, step: Step) -> None:
        """Write a step, between the start and the stop of the clock where there is one."""
        if self.clock is None:
            self.untimed(step)
            return
        start, stop = (self.names.bind(x, known(getattr(self.clock, x))) for x in ("start", "stop"))
        name = self.names.bind("step", known(step), key=("step", step))
        begun = unique("begun", self.names.taken)
        self.names.taken.add(begun)
        given, made = (", ".join(x) + "," * (len(x) == 1) for x in slots_in(step))
        self.line(f"{begun} = {start}({name}, ({given}))", None)
        self.untimed(step)
        self.line(f"{stop}({begun}, ({made}))", None)

    def as_step(self, operand: Operand) -> Operand:
        """Return what is to be returned; an expression becomes a step."""
        if not isinstance(operand, Apply):
            return operand
        slot = unique("result", self.names.taken)
        self.names.taken.add(slot)
        self.step(Assign((slot,), operand))
        return slot

    def untimed(self, step: Step) -> None:
        """Write a step, in a context where it reports floating point errors in its own way."""
        reporting = step.reporting if isinstance(step, Branch | While) else USUAL
        if reporting != USUAL:
            self.line(f"with {self.reporting(reporting)}:", None)
        self.depth += reporting != USUAL
        self.one_step(step)
        self.depth -= reporting != USUAL

    def reporting(self, reporting: Reporting) -> str:
        """Return the expression of a context in which floating point errors are reported so."""
        if reporting == QUIET:
            return f"{self.names.bind('errstate', known(np.errstate))}(all='ignore')"
        if reporting.filters:
            return f"{self.names.bind('reporting', known(reporting), key=reporting)}.active()"
        settings = ", ".join(f"{kind}={x!r}" for kind, x in reporting.errstate)
        return f"{self.names.bind('errstate', known(np.errstate))}({settings})"

    def one_step(self, step: Step) -> None:
        """Write a step as it is."""
        match step:
            case Assign((target,), Apply(out=into) as value) if into == target:
                self.line(self.augmented(value), value.node.location)
            case Assign(targets, value):
                call = self.operand(value)
                is_row = value.node.op.multiple and value.node.op.form not in CALLS
                comma = "," if is_row and len(targets) == 1 else ""
                equals = f"{', '.join(targets)}{comma} = " if targets else ""
                self.line(equals + call, value.node.location)
            case Begin(target, value):
                given = ", ".join(f"{x}={x}" for x in slots_in(step)[0])
                beside = self.names.bind("async_call", known(AsyncCall))
                text = f"{target} = {beside}(lambda {given}: {self.operand(value)})"
                self.line(text, step.location)
            case Wait(target):
                self.line(f"{target} = {target}()", step.location)
            case Move(targets, sources):
                self.move(targets, sources)
            case Copy(target, source):
                self.line(f"{target} = {self.operand(source, ATOM)}.copy('K')", None)
            case Take(target, sequence, index):
                self.line(f"{target} = {self.operand(sequence)}[{index}]", None)
            case Collect(output, index, row):
                self.collect(output, index, row)
            case Branch():
                self.branch(step)
            case While():
                self.while_(step)
            case For():
                self.for_(step)
            case Try():
                self.try_(step)
            case Native():
                self.native(step)
            case Write(value):
                self.line(self.expressions.written(value), value.node.location)

    def augmented(self, apply: Apply) -> str:
        """Return the statement that computes a result into the array of an operand."""
        match = _BINARY.fullmatch(apply.node.op.python or "")
        is_other = apply.operands[0] != apply.out or self.expressions.is_mended(apply.node, 1)
        if match is None or is_other:
            return f"{apply.out} = {self.operand(apply)}"
        return f"{apply.out} {match[1]}= {self.operand(apply.operands[1])}"

    def move(self, targets: Sequence[str], sources: Sequence[Operand]) -> None:
        """Write assignments, as one when a target is a source of another."""
        values = list(map(self.operand, sources))
        if any(target in values for target in targets):
            self.line(f"{', '.join(targets)} = {', '.join(values)}", None)
        else:
            for target, value in zip(targets, values, strict=True):
                self.line(f"{target} = {value}", None)

    def branch(self, step: Branch, keyword: str = "if") -> None:
        """Write `if` and `else`, or a chain of comparisons of the number."""
        if len(step.arms) == 1:
            self.block(step.arms[0])
            return
        if step.number is not None:
            self.line(f"{step.number} = int({self.operand(step.test)})", step.location)
            for k, arm in enumerate(step.arms[:-1]):
                test = f"{step.number} {'==' if k else '<='} {k}"
                self.line(f"{'elif' if k else 'if'} {test}:", step.location)
                self.inner(arm)
        else:
            self.line(f"{keyword} {self.operand(step.test)}:", _location(step.test, step.location))
            self.inner(step.arms[0])
        self.otherwise(step.arms[-1])

    def otherwise(self, block: Block) -> None:
        """Write the last arm of a branch; a branch that is alone in it as `elif`."""
        if len(block) == 1 and isinstance(block[0], Branch) and block[0].is_plain:
            self.branch(block[0], "elif")
        elif block:
            self.line("else:", None)
            self.inner(block)

    def while_(self, step: While) -> None:
        """Write a loop; its test stands in the `while` line when it is one expression."""
        if step.head:
            self.line("while True:", None)
            self.depth += 1
            self.block(step.head)
            test = self.operand(step.test, NOT)
            self.line(f"if not {test}:", _location(step.test, step.location))
            self.line("    break", None)
            self.depth -= 1
        else:
            test = self.operand(step.test)
            self.line(f"while {test}:", _location(step.test, step.location))
        self.inner(step.body)

    def for_(self, step: For) -> None:
        """Write a loop over a stream, or one with a number of rounds."""
        if step.is_stream:
            self.over(f"{self.operand(step.count, ATOM)}.rounds()", step)
            return
        count = self.operand(step.count)
        if not is_integer(step.count):
            count = f"int({count})"
        if step.outputs and not isinstance(step.count, Literal | str):
            name = unique("count", self.names.taken)
            self.names.taken.add(name)
            self.line(f"{name} = {count}", step.location)
            count = name
        for output in step.outputs:
            self.line(f"{output.slot} = {self.empty(output, count)}", step.location)
        rounds = f"range({count})"
        self.over(f"reversed({rounds})" if step.reverse else rounds, step)
        for output in step.outputs:
            if not output.spec.is_static:
                stack = self.names.bind("stack_rows", known(stack_rows))
                spec = self.names.bind("rows", known(output.spec), key=output)
                rows = f"{output.slot}[::-1]" if step.reverse else output.slot
                text = f"{stack}({self.names.xp()}, {rows}, {spec})"
                self.line(f"{output.slot} = {text}", step.location)

    def over(self, numbers: str, step: For) -> None:
        """Write a loop over numbers of rounds."""
        self.line(f"for {step.index} in {numbers}:", step.location)
        self.inner(step.body)
        if step.until is not None:
            self.line(f"    if {step.until}:", step.location)
            self.line("        break", step.location)

    def native(self, step: Native) -> None:
        """Write the call of a kernel, and what runs where it has no result."""
        kernel = step.kernel
        name = self.names.bind("native", lambda xp: load_kernel(kernel), key=step)
        arguments = ", ".join(map(self.operand, step.operands))
        self.line(f"{step.found} = {name}({arguments})", step.location)
        if places := packable(step):
            again = self.names.bind("packed", known(packed))
            again += f"({name}, ({arguments},), {places}, {most_copied(step)})"
            self.line(f"if {step.found} is None: {step.found} = {again}", step.location)
        self.line(f"if {step.found} is None:", step.location)
        self.inner(step.otherwise)
        self.line("else:", step.location)
        self.line(f"    {', '.join(step.targets)} = {step.found}", step.location)

    def try_(self, step: Try) -> None:
        """Write a `try`; handlers stand after it, so that their errors have no context."""
        failure = self.names.bind("Failure", known(Failure))
        self.line(f"{step.number} = 0", step.location)
        self.line("try:", step.location)
        self.inner(step.body)
        self.line(f"except {failure} as failure:", step.location)
        found = f"failure.among({step.points!r})"
        self.line(f"    {step.number}, {step.values} = {found}", step.location)
        for k, (slots, block) in enumerate(step.handlers):
            self.line(f"{'elif' if k else 'if'} {step.number} == {k + 1}:", step.location)
            if slots:
                self.line(f"    {', '.join(slots)}, = {step.values}", None)
            self.inner(block)

    def empty(self, output: Output, count: str) -> str:
        """Return what rows are put into: memory when their size is known, else a list."""
        if not output.spec.is_static:
            return "[]"
        rows = count if count.isdecimal() else f"max({count}, 0)"
        shape = "".join(f", {n}" for n in output.spec.shape or ()) or ","
        dtype = f'"{output.spec.dtype}"'
        if is_string(output.spec.dtype):
            dtype = self.names.bind("texts", known(output.spec.dtype))
        return f"{self.names.bind('empty', getter('empty'))}(({rows}{shape}), {dtype})"

    def collect(self, output: Output, index: str, row: Operand) -> None:
        """Write the storing of a row."""
        text = self.operand(row)
        stored = f"[{index}] = {text}" if output.spec.is_static else f".append({text})"
        self.line(output.slot + stored, None)


def _location(operand: Operand, otherwise: Location | None) -> Location | None:
    """Return the line of an expression, if it is one."""
    return operand.node.location if isinstance(operand, Apply) else otherwise
