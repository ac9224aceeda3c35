"""Arrays with gaps are copied for kernels that do nothing with them but to read elements.

Kernels of loops take arrays without gaps, as NumPy's loops, which they call for sums and extremes
of arrays, may give other bits where elements stand apart. Where there are no such, a copy is as
good: without one, a transposed argument was gone through step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import Any

import numpy as np

from runtime.graph.node import Node
from runtime.graph.traits import Subscript
from runtime.kernels.kernel import ArrayType, Kernel
from runtime.lower.plan import (
    Apply,
    Assign,
    Block,
    Branch,
    Copy,
    For,
    Literal,
    Move,
    Native,
    Operand,
    Take,
    While,
    Write,
)

PER_ROUND = 64
"""So many elements are copied in the time that one round takes step by step."""
UNTOLD, SEARCHED = 1 << 14, 1 << 6
"""How many rounds a `for` is taken to have that does not tell, and a `while`."""


def packable(step: Native) -> list[int]:
    """Return which operands of a kernel may be copies, as it only reads elements of them."""
    kernel = step.kernel
    if not isinstance(kernel, Kernel):
        return []
    ports = list(zip(step.operands, kernel.inputs, strict=False))
    arrays = [(k, x, port) for k, (x, port) in enumerate(ports) if isinstance(port.type, ArrayType)]
    rows = {x for _, x, port in arrays if len(port.type.shape) == 1}
    gives_arrays = any(isinstance(x.type, ArrayType) for x in kernel.outputs)
    if not all(_reads_elements(x, gives_arrays, rows) for x in _parts(step.otherwise)):
        return []
    return [k for k, _, x in arrays if not (x.written or x.in_place or x.stream)]


def most_copied(step: Native) -> int:
    """Return how many elements are copied at most, as few rounds may read few of many."""
    return PER_ROUND * _rounds(step.otherwise)


def _rounds(block: Block) -> int:
    """Return about how many rounds the longest loop has."""
    most = 1
    for step in block:
        match step:
            case For(_, count, _, body):
                rounds = count.value if isinstance(count, Literal) else UNTOLD
                most = max(most, rounds * _rounds(body))
            case While(head, _, body):
                most = max(most, SEARCHED * _rounds((*head, *body)))
            case Branch(_, arms):
                most = max(most, *map(_rounds, arms))
            case Native(otherwise=otherwise):
                most = max(most, _rounds(otherwise))
    return most


def _parts(block: Block) -> Iterator[Node | Take | None]:
    """Yield what some steps do: None for what is not looked at."""
    for step in block:
        match step:
            case Assign(_, value) | Write(value):
                yield from _nodes([value])
            case Branch(test, arms):
                yield from _nodes([test])
                for arm in arms:
                    yield from _parts(arm)
            case While(head, test, body):
                yield from _nodes([test])
                yield from _parts((*head, *body))
            case For(_, count, outputs, body):
                yield from (*_nodes([count]), *(None for _ in outputs))
                yield from _parts(body)
            case Native(otherwise=otherwise):
                yield from _parts(otherwise)
            case Move(_, sources):
                yield from _nodes(sources)
            case Take():
                yield step
            case Copy():  # of what the kernel writes, which is not copied here
                pass
            case _:
                yield None


def _nodes(operands: Iterable[Operand]) -> Iterator[Node]:
    for operand in operands:
        if isinstance(operand, Apply):
            yield operand.node
            yield from _nodes(operand.operands)


def _reads_elements(part: Node | Take | None, gives_arrays: bool, rows: Set[Operand]) -> bool:
    """Tell whether it does nothing with arrays but to read and write elements.

    Args:
        part: what is done.
        gives_arrays: whether a part of an array may be a result.
        rows: the slots of arrays whose rows are numbers.
    """
    if part is None or isinstance(part, Take):
        return part is not None and (not gives_arrays or part.sequence in rows)
    written = part.op.subscript is Subscript.WRITE
    if part.op.subscript is Subscript.READ:
        return not gives_arrays or part.result.spec.shape == ()
    return all(
        x.spec.shape == () for x in (part.inputs[1:] if written else (*part.inputs, *part.results))
    )


def packed(
    kernel: Callable[..., Any], given: Sequence[Any], places: Sequence[int], most: int
) -> Any:
    """Return what a kernel gives for copies of arrays with gaps; None if there are none to copy.

    Args:
        kernel: what gave nothing for the arrays themselves.
        given: what it was given.
        places: where a copy may be given.
        most: how many elements are copied at most.
    """
    spaced = [k for k in places if type(x := given[k]) is np.ndarray and not x.flags.c_contiguous]
    if not spaced or sum(given[k].size for k in spaced) > most:
        return None
    arrays = list(given)
    for k in spaced:
        arrays[k] = np.ascontiguousarray(arrays[k])
    return kernel(*arrays)
