"""What the steps of a plan read and write.

Comes in: steps. Goes out: slots, kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from runtime.kernels.kernel import Kernel
from runtime.kernels.maps import MapKernel
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


def kernels_of(block: Block) -> Iterator[Kernel | MapKernel]:
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
            return _read([value]), [*targets]
        case Begin(_, value):
            return _read([value]), []
        case Wait(target):
            return [], [target]
        case Move(targets, sources):
            return _read(sources), [*targets]
        case Copy(target, source):
            return _read([source]), [target]
        case Write(value):
            return _read([value]), _read(value.operands[:1])
        case Take(target, sequence):
            return _read([sequence]), [target]
        case Collect(output, _, row):
            return _read([output.slot, row]), [output.slot]
        case Native(_, targets, operands):
            return _read(operands), [*targets]
    return [], []


def _read(operands: Iterable[Operand]) -> list[Slot]:
    """Return the slots in operands, each once."""
    found: list[Slot] = []
    for operand in operands:
        if isinstance(operand, Apply):
            found += _read(operand.operands)
        elif isinstance(operand, str):
            found.append(operand)
    return list(dict.fromkeys(found))
