"""What the steps of a plan read and write.

Comes in: steps. Goes out: slots, kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from runtime.kernels.products.products import AnyKernel
from runtime.lower.plan import (
    Apply,
    Assign,
    Begin,
    Block,
    Branch,
    Collect,
    Copy,
    For,
    Move,
    Native,
    Operand,
    Slot,
    Step,
    Take,
    Try,
    Wait,
    While,
    Write,
)


def kernels_of(block: Block) -> Iterator[AnyKernel]:
    """Yield the kernels of a block, in the order of its steps."""
    for step in block:
        match step:
            case Native(kernel):
                yield kernel
            case Branch(_, arms):
                for arm in arms:
                    yield from kernels_of(arm)
            case While(head, _, body):
                yield from kernels_of((*head, *body))
            case For(body=body):
                yield from kernels_of(body)
            case Try(body, _, handlers):
                for inner in (body, *(handler for _, handler in handlers)):
                    yield from kernels_of(inner)


def slots_of(block: Block) -> set[str]:
    """Return every slot that the steps of a block write."""
    found: set[str] = set()
    for step in block:
        match step:
            case Assign(targets) | Move(targets):
                found.update(targets)
            case Copy(target) | Take(target) | Begin(target):
                found.add(target)
            case Branch(_, arms, number):
                found.update(*map(slots_of, arms), {number} if number else ())
            case While(head, _, body):
                found |= slots_of(head) | slots_of(body)
            case For(index, _, outputs, body):
                found |= {index, *(x.slot for x in outputs)} | slots_of(body)
            case Native(_, targets, _, slot, otherwise):
                found |= {*targets, slot} | slots_of(otherwise)
            case Try(body, _, handlers, number, values):
                found |= {"failure", number, values} | slots_of(body)
                found.update(*(slots_of(block) | {*slots} for slots, block in handlers))
    return found


def slots_in(step: Step) -> tuple[list[Slot], list[Slot]]:
    """Return the slots that a step reads, and those that it writes; of no step with blocks."""
    match step:
        case Assign(targets, value):
            return slots_read([value]), [*targets]
        case Begin(_, value):
            return slots_read([value]), []
        case Wait(target):
            return [], [target]
        case Move(targets, sources):
            return slots_read(sources), [*targets]
        case Copy(target, source):
            return slots_read([source]), [target]
        case Write(value):
            return slots_read([value]), slots_read(value.operands[:1])
        case Take(target, sequence):
            return slots_read([sequence]), [target]
        case Collect(output, _, row):
            return slots_read([output.slot, row]), [output.slot]
        case Native(_, targets, operands):
            return slots_read(operands), [*targets]
    return [], []


def slots_read(operands: Iterable[Operand]) -> list[Slot]:
    """Return the slots in operands, each once."""
    found: list[Slot] = []
    for operand in operands:
        if isinstance(operand, Apply):
            found += slots_read(operand.operands)
        elif isinstance(operand, str):
            found.append(operand)
    return list(dict.fromkeys(found))


def slots_needed(block: Iterable[Step]) -> set[Slot]:
    """Return the slots whose values before a block some step of it may read."""
    found: set[Slot] = set()
    written: set[Slot] = set()
    for step in block:
        found |= _needed_by(step) - written
        written |= _made_by(step)
    return found


def _made_by(step: Step) -> set[Slot]:
    """Return the slots that a step writes in any case."""
    if isinstance(step, Branch):
        arms = [set[Slot]().union(*map(_made_by, arm)) for arm in step.arms]
        return arms[0].intersection(*arms[1:])
    return {*slots_in(step)[1]}


def _needed_by(step: Step) -> set[Slot]:
    match step:
        case Branch(test, arms):
            return {*slots_read([test])}.union(*map(slots_needed, arms))
        case While(head, test, body):
            made = set[Slot]().union(*map(_made_by, head))
            return slots_needed(head) | ({*slots_read([test])} | slots_needed(body)) - made
        case For(_, count, outputs, body):
            until = {step.until} if step.until else set()
            return {*slots_read([count]), *(x.slot for x in outputs)} | until | slots_needed(body)
        case Native(_, _, operands, _, otherwise):
            return {*slots_read(operands)} | slots_needed(otherwise)
        case Try(body, _, handlers):
            return slots_needed(body).union(*(slots_needed(block) for _, block in handlers))
    return {*slots_in(step)[0]}
