"""What the planning of all blocks of a graph has in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from runtime.graph.location import Location
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import has_loop, is_loop
from runtime.graph.traits import Form
from runtime.graph.walk import walk
from runtime.kernels.kernel import Kernel, UnsupportedError
from runtime.kernels.products.products import AnyKernel
from runtime.kernels.target import Target
from runtime.lower.array_kernels import ArrayKernels
from runtime.lower.array_loops import array_loop_kernel
from runtime.lower.loop_kernels import graph_kernel
from runtime.lower.lowering import Lowering
from runtime.lower.memory import Memory
from runtime.lower.plan import Apply, Literal, Named, Operand, Plan, is_literal
from runtime.lower.slots import Slots
from runtime.lower.write_targets import is_large_copy, renewed_arrays, written_inputs
from runtime.ops.elementwise import truth


class Shared:
    """What the blocks of one plan have in common.

    Args:
        memory: what may be written in place.
        target: what loops become kernels for, where they can; they stay as they are for None.
        fast: whether results of kernels may differ from NumPy's in their last digits.
        planned: returns the plan of a function that calls itself, with kernels if it may have some.
        renewed: the constants that each run copies.
    """

    def __init__(
        self,
        memory: Memory,
        target: Target | None,
        fast: bool,
        planned: Callable[[Graph, Target | None], Plan],
        renewed: Collection[Value] = (),
    ) -> None:
        self.fast = fast
        self.memory = memory
        self.renewed = renewed
        self.target = target
        self.loops = 0
        self.refused: list[tuple[Location | None, str]] = []
        self.inside_kernels: set[Location | None] = set()
        self.slots = Slots()
        self.array_kernels = ArrayKernels(fast)
        self.constants: dict[str, Any] = {}
        self.functions: dict[str, Plan] = {}
        self._planned = planned

    def kernel(
        self, node: Node, wanted: Sequence[Value], known: Mapping[Value, Any]
    ) -> AnyKernel | None:
        """Return the kernel of a node, if it is to have one.

        Args:
            node: the node.
            wanted: the results that it gives.
            known: inputs that are Python's numbers, which loops do not take as arguments.
        """
        target = self.target
        if target is None or not wanted:
            return None
        if not (node.op.form in (Form.CHAIN, Form.CALL) or has_loop(node)):
            return None
        ways: list[Callable[[], AnyKernel]] = [lambda: self._whole(node, wanted, known, target)]
        if node.op.form is Form.CHAIN:
            ways = [lambda: self.array_kernels.kernel(node, target)]
        elif is_loop(node):
            ways.append(lambda: array_loop_kernel(node, wanted, target, self.fast))
            if renewed_arrays(node):  # whole arrays: in blocks and threads, where that can be
                ways.reverse()
        found, reasons = None, []
        for way in ways:
            try:
                found = way()
                break
            except UnsupportedError as error:
                reasons.append(str(error))
        if found is None:
            if is_loop(node) or node.op.form is Form.CALL:
                self.refused.append((node.location, reasons[-1 if renewed_arrays(node) else 0]))
            return None
        self.inside_kernels.update(x.location for region in node.regions for x in walk(region))
        return found

    def _whole(
        self, node: Node, wanted: Sequence[Value], known: Mapping[Value, Any], target: Target
    ) -> Kernel:
        """Return the kernel of a loop or call, or of a branch with loops, and of nothing else."""
        written = written_inputs(node, self.memory)
        if self.loops and any(is_large_copy(node.inputs[k].spec) for k in written):
            raise UnsupportedError("a large array that is written by a loop inside of another")
        graph = Graph(node.inputs, (node,), tuple(wanted))
        return graph_kernel(graph, target, self.memory, written, known)

    def function(self, node: Node) -> None:
        """Plan the function that a node calls."""
        self.functions[node.attrs["function"]] = self._planned(node.regions[0], self.target)

    @contextmanager
    def inside(self, kernel: AnyKernel | None) -> Iterator[None]:
        """Plan the steps that a kernel stands for: they have no kernels of their own."""
        before, self.target = self.target, self.target if kernel is None else None
        try:
            yield
        finally:
            self.target = before

    def constant(self, value: Any) -> Literal | Named:
        """Return the operand of a constant."""
        if is_literal(value):
            return Literal(value)
        name = self.slots.constant()
        self.constants[name] = value
        return Named(name)


_TESTED: Lowering[Callable[[Apply], Operand]] = Lowering()
"""What a test looks at in the place of what an op gives."""


@_TESTED.lowers(truth)
def _of_truth(apply: Apply) -> Operand:
    return apply.operands[0]


def tested(operand: Operand) -> Operand:
    """Return a test without `bool(...)` around it, which testing does anyway."""
    while isinstance(operand, Apply) and (rule := _TESTED.rule(operand.node.op)) is not None:
        operand = rule(operand)
    return operand
