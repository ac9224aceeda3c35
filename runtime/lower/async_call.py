"""Steps that run beside others, each in a thread: heavy ones that do not need each other.

Comes in: the steps of a block. Goes out: the steps, some of which only begin where they stood, and
are waited for before their result is needed.

Heavy are ops that go through large arrays and are no part of kernels, which have threads of their
own, nor products and factors of matrices, which BLAS and LAPACK spread over threads. A step is
waited for early: before arrays are written in place, and before whatever has an effect. So nothing
is seen to change its order. What fails in a thread is done again, where it is waited for, and fails
there.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from itertools import pairwise
from typing import Any

import numpy as np

from runtime.graph.node import Node, Value
from runtime.kernels.maps import MapKernel
from runtime.kernels.products.products import ProductKernel
from runtime.kernels.threads import get_threads
from runtime.lower.plan import Apply, Assign, Begin, Move, Native, Step, Take, Wait
from runtime.lower.steps import slots_in

HEAVY = 1 << 20
"""From so many elements on, read and written, a thread pays: it has to wait for Python's lock."""


def is_heavy(node: Node) -> bool:
    """Tell whether a node takes much longer than to begin a thread."""
    op = node.op
    if node.regions or op.effect is not None or op.view is not None or op.ufunc is not None:
        return False
    is_elementwise = op.scalar is not None and op.reduction is None
    is_linear = op.product == "matrix" or any(
        getattr(x, "__module__", "") == "numpy.linalg" for x in op.functions
    )
    if is_elementwise or is_linear or not node.inputs:
        return False
    values = {*node.inputs, *node.results}
    return sum(map(_elements, values)) >= HEAVY


def _elements(value: Value) -> float:
    """Return how many numbers a value has; without end below zero when that is not known."""
    spec = value.spec
    if spec.shape is None or spec.dtype.kind not in "biufc":
        return -math.inf
    return math.prod(n if isinstance(n, int) else -math.inf for n in spec.shape)


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


class AsyncCall:
    """What is computed in a thread; a call waits, and returns it.

    With one thread, and when something goes wrong in the thread, it is computed by that call: so
    what is raised or warned of comes from there.

    >>> AsyncCall(lambda: 1 + 1)()
    2
    """

    __slots__ = ("_compute", "_found", "_thread")

    def __init__(self, compute: Callable[[], Any]) -> None:
        self._compute = compute
        self._found: list[Any] = []
        self._thread: threading.Thread | None = None
        if get_threads() > 1:
            context = copy_context()
            self._thread = threading.Thread(target=context.run, args=(self._run,), daemon=True)
            self._thread.start()

    def _run(self) -> None:
        settings: dict[str, Any] = {
            k: "ignore" if v == "ignore" else "raise" for k, v in np.geterr().items()
        }
        try:
            with np.errstate(**settings):
                self._found.append(self._compute())
        except Exception:
            return  # It is raised by the call.

    def __call__(self) -> Any:
        """Return the result; raise what computing it raises."""
        if self._thread is not None:
            self._thread.join()
        return self._found[0] if self._found else self._compute()
