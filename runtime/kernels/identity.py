"""Which kernels do the same, so that they are compiled once.

Comes in: a kernel. Goes out: what is equal for kernels that differ in nothing but their variables.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import fields
from typing import Any

from runtime.kernels.kernel import Block, Kernel, Operand, Variable
from runtime.kernels.maps import MapKernel

_CONTAINERS = ("body", "inputs", "outputs", "constants")


def identity(kernel: Kernel | MapKernel) -> Hashable:
    """Return what tells kernels apart; constant arrays are arguments, and do not."""
    ports = [_values(x) for x in (*kernel.inputs, *kernel.outputs)]
    own = [getattr(kernel, x.name) for x in fields(kernel) if x.name not in _CONTAINERS]
    return type(kernel), len(kernel.inputs), *ports, *own, _block(kernel.body, {})


def _values(x: Any) -> tuple[Hashable, ...]:
    """Return the fields of a dataclass."""
    return tuple(getattr(x, field.name) for field in fields(x))


def _block(block: Block, numbers: dict[Variable, int]) -> Hashable:
    """Return what a block does, its variables by number."""
    params = tuple(_operand(x, numbers) for x in block.params)
    steps = []
    for x in block.instructions:
        args = tuple(_operand(y, numbers) for y in x.args)
        inner = tuple(_block(y, numbers) for y in x.blocks)
        results = tuple(_operand(y, numbers) for y in x.results)
        steps.append((x.op, args, results, _attrs(x.attrs), inner))
    return params, tuple(steps), tuple(_operand(x, numbers) for x in block.results)


def _operand(x: Operand, numbers: dict[Variable, int]) -> Hashable:
    """Return a number and type for a variable; of a literal its digits, too: -0.0 is not 0.0."""
    if isinstance(x, Variable):
        return numbers.setdefault(x, len(numbers)), x.type
    return x.type, type(x.value), repr(x.value)


def _attrs(attrs: Mapping[str, Any]) -> Hashable:
    return tuple(attrs.items())
