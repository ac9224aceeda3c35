"""Steps that run beside others: heavy ones that do not need each other.

Comes in: the steps of a block. Goes out: the steps, some of which only begin where they stood, in a
thread, and are waited for before their result is needed.

Which are heavy, `node_cost` tells. A step is waited for early: before arrays are written in place,
and before whatever has an effect. So nothing is seen to change its order. What fails in a thread is
done again, where it is waited for, and fails there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from runtime.kernels.maps import MapKernel
from runtime.kernels.products.products import ProductKernel
from runtime.lower.node_cost import is_heavy
from runtime.lower.plan import Apply, Assign, Begin, Move, Native, Step, Take, Wait
from runtime.lower.steps import slots_in


def in_parallel(steps: Sequence[Step]) -> list[Step]:
    """Return the steps of a block, in which heavy ones run beside each other."""
    heavy = [k for k, step in enumerate(steps) if _may_begin(step)]
    if len(heavy) < 2:
        return [*steps]
    waits: dict[int, list[Wait]] = {}
    begun: dict[int, Begin] = {}
    for k, following in pairwise(heavy):
        step = steps[k]
        assert isinstance(step, Assign)
        end = _first_bar(steps, k)
        if end > following:
            begun[k] = Begin(step.targets[0], step.value)
            waits.setdefault(end, []).append(Wait(step.targets[0], step.value))
    found: list[Step] = []
    for k, step in enumerate(steps):
        found += [*waits.get(k, ()), begun.get(k, step)]
    return [*found, *waits.get(len(steps), ())]


def _may_begin(step: Step) -> bool:
    if not isinstance(step, Assign) or len(step.targets) != 1 or step.value.out is not None:
        return False
    return is_heavy(step.value.node)


def _first_bar(steps: Sequence[Step], place: int) -> int:
    """Return before which later step the result of a step has to be there."""
    (target,) = slots_in(steps[place])[1]
    for k in range(place + 1, len(steps)):
        given, made = slots_in(steps[k])
        if target in (*given, *made) or not _is_quiet(steps[k]):
            return k
    return len(steps)


def _is_quiet(step: Step) -> bool:
    """Tell whether a step only makes new arrays, or passes some on."""
    if isinstance(step, Native):
        return isinstance(step.kernel, MapKernel | ProductKernel)
    if isinstance(step, Assign):
        return step.value.out is None and all(map(_has_no_effect, _applied(step.value)))
    return isinstance(step, Move | Take)


def _applied(apply: Apply) -> list[Apply]:
    """Return all of an expression."""
    found = [apply]
    for operand in apply.operands:
        if isinstance(operand, Apply):
            found += _applied(operand)
    return found


def _has_no_effect(apply: Apply) -> bool:
    return apply.node.op.effect is None
