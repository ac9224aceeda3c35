"""From loops and branches of a graph to kernels.

Comes in: a node with regions. Goes out: the kernel that does what it does, when all of its steps
have one; else an UnsupportedError that says what has not. What a step does to numbers stands in the
`scalar` field of its op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any

import numpy as np

from runtime.dtypes import DType, loop_dtypes
from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop, has_loop
from runtime.graph.traits import Form
from runtime.kernels.kernel import (
    BOOL,
    FLOAT,
    INT,
    Block,
    Kernel,
    Operand,
    Policy,
    Port,
    UnsupportedError,
    Variable,
    fits,
    instructions,
)
from runtime.kernels.loops.lean import lean
from runtime.kernels.scalar import elements
from runtime.kernels.scalar.elements import root
from runtime.kernels.scalar.scalars import LARGEST_STEP, Scalars
from runtime.kernels.target import Target
from runtime.lower import element_writers
from runtime.lower.memory import Memory
from runtime.lower.mutation import is_large_copy, written_inputs
from runtime.lower.numbers_as_arrays import seen_as_arrays
from runtime.lower.value_types import number_of, port_of, type_of
from runtime.ops.creation import constant, filled, full
from runtime.ops.effects import check, keep
from runtime.ops.elementwise import add, subtract, where
from runtime.ops.indexing import index, update
from runtime.ops.movement import dim
from runtime.ops.safepoints import is_safepoint
from runtime.passes.rewriter import known_values
from runtime.spec import TensorSpec


def kernel_of(
    node: Node, wanted: Sequence[Value], memory: Memory, once: bool, known: Mapping[Value, Any]
) -> Kernel:
    """Return the kernel of a loop, or of a branch with loops.

    Args:
        node: the loop or branch.
        wanted: which of its results the kernel has.
        memory: what may be written in place.
        once: whether it stands in no loop.
        known: inputs that are known numbers; the kernel does not take them.

    Raises:
        UnsupportedError: it does something that no kernel does.
    """
    written = written_inputs(node, memory)
    if not once and any(is_large_copy(node.inputs[k].spec) for k in written):
        raise UnsupportedError("a large array that is written by a loop inside of another")
    return graph_kernel(Graph(node.inputs, (node,), tuple(wanted)), memory, written, known)


def graph_kernel(
    graph: Graph,
    memory: Memory | None = None,
    written: Set[int] = frozenset(),
    known: Mapping[Value, Any] = MappingProxyType({}),
    in_place: Sequence[int] = (),
    target: Target | None = None,
) -> Kernel:
    """Return the kernel of a graph of numbers, and of elements of arrays.

    Args:
        graph: of a single node, where copies of arrays are written.
        memory: what may be written in place.
        written: the places of parameters of which copies are.
        known: parameters that are known numbers; the kernel does not take them.
        in_place: the places of parameters that are written where they are; what they hold then
            are the last results of the graph, which the kernel does not return.
        target: what the kernel is for; this machine, if none is given.

    Raises:
        UnsupportedError: it does something that no kernel does.
    """
    writer = NodeWriter(memory, target=target)
    writer.seen = seen_as_arrays(graph, _computes)
    inputs = [
        port_of(x.spec, k in written, k in in_place)
        for k, x in enumerate(graph.params)
        if x not in known
    ]
    count = len(graph.results) - len(in_place)
    outputs = [port_of(value.spec) for value in graph.results[:count]]
    params = [Variable(port.type) for port in inputs]
    free = iter(params)
    given = [
        writer.scalars.literal(known[x], number_of(x.spec)) if x in known else next(free)
        for x in graph.params
    ]
    body = writer.scalars.block(params, lambda: writer.region(graph, given, inner=False))
    for k, x in zip(in_place, body.results[count:], strict=True):
        if root(x, body) is not params[k]:
            raise UnsupportedError("arrays that change places")
    constants = tuple(array for array, _ in writer.constants)
    params += [variable for _, variable in writer.constants]
    inputs += [Port(param.type) for param in params[len(inputs) :]]
    body = lean(Block(tuple(params), body.instructions, body.results[:count]))
    inner = (block for x in instructions(body) for block in x.blocks)
    if any(map(elements.is_leaving, (body, *inner))):
        raise UnsupportedError("an array that is used outside of where it is made")
    return Kernel("loop", body, tuple(inputs), tuple(outputs), constants, target=target)


class NodeWriter:
    """Writes nodes as instructions; `env` maps values to operands."""

    def __init__(
        self, memory: Memory | None, fast: bool = False, target: Target | None = None
    ) -> None:
        self.memory = memory
        self.constants: list[tuple[np.ndarray, Variable]] = []
        self.depth = 0
        self.scalars = Scalars(fast, target)
        self.counting: set[Node] = set()
        self.seen: Set[Value] | None = None

    def region(self, graph: Graph, given: Sequence[Operand], inner: bool = True) -> list[Operand]:
        """Write a region; a node that is a whole kernel may have one input twice, as two arrays."""
        env = dict(zip(graph.params, given, strict=True))
        self.depth += inner
        for node in graph.nodes:
            if is_safepoint(node):  # a kernel that gives up has written nothing
                continue
            is_whole = not inner and node.inputs == graph.params
            self.node(node, given if is_whole else [env[x] for x in node.inputs], env)
        self.depth -= inner
        return [env[value] for value in graph.results]

    def node(self, node: Node, given: Sequence[Operand], env: dict[Value, Operand]) -> None:
        """Write a node, and enter its results."""
        if node.op.form is Form.INLINE:
            raise UnsupportedError("arithmetic on whole arrays")
        write = _FORMS.get(node.op.form) or _WRITERS.get(node.op)
        found = [self.number(node, given)] if write is None else write(self, node, given)
        env.update(zip(node.results, found, strict=True))

    def number(self, node: Node, given: Sequence[Operand]) -> Operand:
        """Write an op on numbers."""
        if node.op.scalar is None or node.op.multiple:
            raise UnsupportedError(f"the op {node.op.name}")
        result = number_of(node.result.spec)
        specs = [value.spec for value in node.inputs]
        python = all(spec.weak for spec in specs)
        self.scalars.policy = Policy.PYTHON if python else Policy.SCALAR
        if node.op.ufunc is not None:
            given = self.operands(node, given)
        if node in self.counting:
            self.scalars.policy = Policy.ELEMENT
        found: Operand = node.op.scalar(self.scalars, *given, **node.attrs)
        if found.type != result:
            raise UnsupportedError(f"the op {node.op.name} of {', '.join(map(str, specs))}")
        return found

    def operands(self, node: Node, given: Sequence[Operand]) -> list[Operand]:
        """Return the operands of a ufunc in the dtypes of its loop."""
        specs = [value.spec for value in node.inputs]
        if node.result.spec.weak or all(spec.weak for spec in specs):
            kinds = self.python_kinds(node, specs)
        else:
            kinds = _loop_dtypes(node, specs)
        found = []
        for x, spec, kind in zip(given, specs, kinds, strict=True):
            if spec.weak and self.scalars.policy is Policy.SCALAR:
                found.append(self.scalars.fit(x, kind))
            elif (
                node.result.spec.dtype == BOOL and spec.weak and (spec.dtype, kind) == (INT, FLOAT)
            ):
                found.append(self.scalars.exact_float(x))
            else:
                found.append(self.scalars.convert(x, kind))
        return found

    def python_kinds(self, node: Node, specs: Sequence[TensorSpec]) -> list[DType]:
        """Return the kinds that Python's operator works on: the wider one; of bools, integers."""
        if not node.result.spec.weak:
            return _loop_dtypes(node, specs)
        kind = max((spec.dtype for spec in specs), key=[BOOL, INT, FLOAT].index)
        is_logic = node.op.scalar is not None and node.result.spec.dtype == BOOL
        return [INT if kind == BOOL and not is_logic else kind] * len(specs)

    def constant(self, node: Node, given: Sequence[Operand]) -> list[Operand]:
        """Write a constant."""
        value = node.attrs["value"]
        if isinstance(value, np.ndarray):
            self.constants.append((value, Variable(type_of(node.result.spec))))
            return [self.constants[-1][1]]
        number_of(node.result.spec)
        return [self.scalars.literal(value, node.result.spec.dtype)]

    def check(self, node: Node, given: Sequence[Operand]) -> list[Operand]:
        """Write a check: whoever called raises what it raises."""
        self.scalars.stop_if(self.scalars.not_(given[0]))
        return []

    def cond(self, node: Node, given: Sequence[Operand]) -> Sequence[Operand]:
        """Write a branch."""
        test = self.scalars.truth(given[0])
        arms = [self.arm(region, given[1:]) for region in node.regions]
        return self.choice(node, test, arms)

    def arm(self, region: Graph, given: Sequence[Operand]) -> Block:
        """Write an arm of a branch."""
        return self.scalars.block((), lambda: self.region(region, given))

    def choice(self, node: Node, test: Operand, arms: Sequence[Block]) -> Sequence[Operand]:
        """Write an `if`; its results are of the types of the node."""
        types = [type_of(value.spec) for value in node.results]
        for arm in arms:
            if not all(fits(x.type, wanted) for x, wanted in zip(arm.results, types, strict=True)):
                raise UnsupportedError("a branch of several dtypes")
        return self.scalars.choice(test, types, arms)

    def switch(self, node: Node, given: Sequence[Operand]) -> Sequence[Operand]:
        """Write an n-way branch, as a chain of two-way ones."""
        return self.choose(node, 0, self.scalars.convert(given[0], INT), given[1:])

    def choose(
        self, node: Node, first: int, place: Operand, given: Sequence[Operand]
    ) -> Sequence[Operand]:
        """Write the arms from a number on."""
        region = node.regions[first]
        if first == len(node.regions) - 1:
            return self.region(region, given)
        s = self.scalars
        test = s.less_equal(place, s.literal(first, INT))
        arm = self.arm(region, given)
        others = s.block((), lambda: self.choose(node, first + 1, place, given))
        return self.choice(node, test, [arm, others])

    def while_(self, node: Node, given: Sequence[Operand]) -> Sequence[Operand]:
        """Write a loop that tests."""
        self.check_copies(node)
        loop = Loop(node)
        parts, test = loop.layout.split(given), loop.test
        assert test is not None
        counters = self.counters(loop, parts.carried)

        def tested(state: Sequence[Operand]) -> Sequence[Operand]:
            (found,) = self.region(test, [*state, *parts.captured])
            return [self.scalars.truth(found)]

        blocks = [
            self.rounds(loop, tested),
            self.rounds(loop, lambda state: self.region(loop.body, [*state, *parts.captured])),
        ]
        types = [type_of(x.final.spec) for x in loop.carried]
        return self.scalars.structured("while", parts.carried, types, blocks, counters=counters)

    def check_copies(self, loop: Node) -> None:
        """Refuse an inner loop that needs a copy of an array for each of its runs."""
        if self.depth and self.memory is not None and self.memory.copied.get(loop):
            raise UnsupportedError("a loop that copies an array in each round")

    def counters(self, loop: Loop, initial: Sequence[Operand]) -> tuple[int, ...]:
        """Return which parts of a loop's state only count; they start small, or all ends.

        Their overflow is not tested in each round, but now and then (`counters` of a loop). That
        is for inmost loops only: others may do many rounds between two looks at them.
        """
        body = loop.body
        if any(map(has_loop, body.nodes)):
            return ()
        known = known_values(body)
        makers = {x.result: x for x in body.nodes if x.op is add or x.op is subtract}
        found = []
        for k, x in enumerate(loop.carried):
            param, result = x.param, x.next
            node = makers.get(result)
            if node is None or not result.spec.weak or result.spec.dtype != INT:
                continue
            other = node.inputs[1] if node.inputs[0] is param else node.inputs[0]
            step = known.get(other)
            in_place = param in node.inputs if node.op is add else node.inputs[0] is param
            if in_place and type(step) is int and abs(step) <= LARGEST_STEP:
                self.scalars.stop_unless_small(initial[k])
                self.counting.add(node)
                found.append(k)
        return tuple(found)

    def rounds(
        self,
        loop: Loop,
        write: Callable[[Sequence[Variable]], Sequence[Operand]],
        first: Sequence[Variable] = (),
    ) -> Block:
        """Write a block that runs each round: `write` gets the state."""
        state = [Variable(type_of(x.final.spec)) for x in loop.carried]
        return self.scalars.block([*first, *state], lambda: write(state))

    def for_(self, node: Node, given: Sequence[Operand]) -> Sequence[Operand]:
        """Write a loop that counts."""
        self.check_copies(node)
        loop = Loop(node)
        if loop.stacked:
            raise UnsupportedError("a loop that stacks what its rounds give")
        parts = loop.layout.split(given)
        count = self.scalars.to_int(parts.head[0])
        number = Variable(INT)
        self.scalars.mark_natural(number)
        counters = self.counters(loop, parts.carried)

        def write(state: Sequence[Operand]) -> Sequence[Operand]:
            place = self.mirrored(number, count) if loop.reverse else number
            taken = [elements.load(self.scalars, x, [place]) for x in parts.sequences]
            return self.region(loop.body, [place, *state, *taken, *parts.captured])

        block = self.rounds(loop, write, [number])
        types = [type_of(x.final.spec) for x in loop.carried]
        given = [count, *parts.carried]
        return self.scalars.structured("for", given, types, [block], counters=counters)

    def mirrored(self, number: Operand, count: Operand) -> Operand:
        """Return the number of a round of a loop that goes backwards."""
        s = self.scalars
        s.policy = Policy.ELEMENT  # it does not overflow
        found = s.subtract(s.subtract(count, s.literal(1, INT)), number)
        s.mark_natural(found)
        return found


def _computes(node: Node) -> bool:
    """Tell whether a node takes arrays without axes as it takes numbers."""
    return node.op.ufunc is not None or node.op in (where, update)


def _loop_dtypes(node: Node, specs: Sequence[TensorSpec]) -> list[DType]:
    """Return the dtypes of the operands of the loop that NumPy chooses."""
    assert node.op.ufunc is not None
    found = loop_dtypes(node.op.ufunc, *(spec.promotable for spec in specs))
    return list(found[: len(specs)])


_WRITERS: dict[Any, Callable[[NodeWriter, Node, Sequence[Operand]], Sequence[Operand]]] = {
    constant: NodeWriter.constant,
    check: NodeWriter.check,
    keep: lambda writer, node, given: [],  # a kernel that fails leaves all to its steps
    dim: element_writers.dim,
    filled: element_writers.zeros,
    full: element_writers.zeros,
    index: element_writers.index,
    update: element_writers.update,
    where: element_writers.where,
}
_FORMS: dict[Any, Callable[[NodeWriter, Node, Sequence[Operand]], Sequence[Operand]]] = {
    Form.COND: NodeWriter.cond,
    Form.SWITCH: NodeWriter.switch,
    Form.WHILE: NodeWriter.while_,
    Form.REDUCE: NodeWriter.for_,
}
