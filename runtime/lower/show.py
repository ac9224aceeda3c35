"""What the native parts of a plan look like, for people.

Comes in: a plan. Goes out: the text of each kernel in three languages, and of each loop or
operation on arrays that has none, why; of a plan for a GPU, what the CPU computes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from runtime.backends.backend import Backend
from runtime.dtypes import OBJECT
from runtime.graph.node import Graph
from runtime.graph.walk import walk
from runtime.kernels.jit import assembly, optimised
from runtime.kernels.products.pending_products import text_of
from runtime.kernels.products.products import AnyKernel
from runtime.lower.plan import Plan
from runtime.lower.steps import kernels_of


def show_kernels(plan: Plan, backend: Backend, before: Iterable[AnyKernel] = ()) -> str:
    """Return the kernels of a plan: in the kernel language, as LLVM text, and as machine code.

    Args:
        plan: what runs where the kernels before it give up.
        backend: where it runs.
        before: other kernels.
    """
    if backend.xp is not np:
        parts = [f"all operations are calls of {backend.name}", *_on_host(plan.graph, backend)]
        return "\n".join(parts)
    parts = [*_shown(before), *_parts(plan)]
    return "\n".join(parts) or "there is nothing native in this plan"


def _on_host(graph: Graph, backend: Backend) -> Iterator[str]:
    """Yield what the CPU computes: some ops, and what is done with objects of NumPy's."""
    for node in walk(graph):
        has_objects = any(x.spec.dtype == OBJECT for x in node.inputs)
        if has_objects or backend.computes_on_host(node.op.name):
            place = "" if node.location is None else f"\n  {node.location.describe().strip()}"
            yield f"on the CPU: {node.op.name}{place}"


def _parts(plan: Plan) -> Iterator[str]:
    yield from _shown(kernels_of(plan.block))
    for function in plan.functions.values():
        yield from _parts(function)
    for location, reason in plan.refused:
        place = "a loop or operation" if location is None else location.describe().strip()
        yield f"not native: {reason}\n  {place}"


def _shown(kernels: Iterable[AnyKernel]) -> Iterator[str]:
    for kernel in kernels:
        text = text_of(kernel)
        yield f"{kernel}\n\n; LLVM, after its passes\n{optimised(text)}"
        yield f"; machine code\n{assembly(text)}"
