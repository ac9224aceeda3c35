"""Calls of NumPy's inner loops for parts of arrays.

Comes in: views, and along which of their axes the loop takes steps. Goes out: an instruction.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.kernels.kernel import Operand
from runtime.kernels.scalar.scalars import Scalars
from runtime.lower.parts import Part, places
from runtime.lower.slices import ZERO


def call(
    s: Scalars,
    name: str,
    types: str,
    operands: Sequence[Part],
    core: Sequence[tuple[int, int]],
    counts: Sequence[Operand],
    quiet: bool = False,
) -> None:
    """Write a call of an inner loop of NumPy's.

    Args:
        s: writes instructions.
        name: of the ufunc.
        types: of the loop.
        operands: views that it reads, and what it writes.
        core: for each step that it takes, an operand and an axis of that, or -1 for none.
        counts: how often it does something.
        quiet: whether nobody hears what happens in it.
    """
    args, steps = list[Operand](), []
    for x in operands:
        assert x.array is not None
        args += [x.array, *places(s, x, [ZERO] * len(x.sizes))]
    for k, axis in core:
        own = [(n, x.step) for n, x in enumerate(operands[k].axes) if x.of == axis >= 0]
        steps.append((k, *(own[0] if own else (0, 0))))
    attrs = {"ufunc": name, "types": types, "steps": tuple(steps), "quiet": quiet}
    s.emit("inner", [*args, *counts], **attrs)
