"""From loops and branches of a graph to kernels.

Comes in: a node with regions. Goes out: the kernel that does what it does, when all of its steps
have one; else an UnsupportedError that says what has not. What a step does to numbers stands in the
`scalar` field of its op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import INLINES
from runtime.graph.traits import Form, Subscript
from runtime.kernels.kernel import (
    ArrayType,
    Block,
    Kernel,
    Operand,
    Policy,
    Port,
    UnsupportedError,
    Variable,
    instructions,
    is_loop,
)
from runtime.kernels.loops.carried_elements import carried
from runtime.kernels.loops.merge import merged
from runtime.kernels.loops.predication import predicated
from runtime.kernels.loops.promoted_elements import promoted
from runtime.kernels.loops.settled import settled
from runtime.kernels.loops.versioning import lean
from runtime.kernels.scalar.element_access import is_leaving, resizes_own, root
from runtime.kernels.scalar.scalars import Scalars
from runtime.kernels.target import Target
from runtime.lower import control_nodes, draws, element_writers, function_kernels, part_nodes
from runtime.lower.expression import uses
from runtime.lower.lowering import NODES
from runtime.lower.memory import Memory
from runtime.lower.part_nodes import check_results, has_parts
from runtime.lower.parts import (
    Given,
    Part,
    array_of,
    copied,
    is_all,
    is_computed,
    is_in_order,
    kept,
    whole,
)
from runtime.lower.scatters import is_put
from runtime.lower.slices import Slices
from runtime.lower.value_types import known_outside, number_of, operands, port_of, seen_as_arrays
from runtime.opaque import OPAQUE
from runtime.ops.safepoints import is_safepoint

LARGEST, MOST_LOOPS = 4000, 250
"""How many instructions and loops a kernel has at most: LLVM takes seconds for more, or fails."""


def graph_kernel(
    graph: Graph,
    target: Target,
    memory: Memory | None = None,
    written: Set[int] = frozenset(),
    known: Mapping[Value, Any] = MappingProxyType({}),
    in_place: Sequence[int] = (),
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
    writer = NodeWriter(memory, target)
    writer.seen = seen_as_arrays(graph, _computes)
    inputs = [
        STREAM if x.spec == OPAQUE else port_of(x.spec, k in written, k in in_place)
        for k, x in enumerate(graph.params)
        if x not in known
    ]
    count = len(graph.results) - len(in_place)
    outputs = [port_of(value.spec) for value in graph.results[:count]]
    params = [Variable(port.type) for port in inputs]
    if len(graph.nodes) == 1:  # nothing else reads them
        writer.writable = {x for x, port in zip(params, inputs, strict=True) if port.written}
    free = iter(params)
    writer.streams = {x for x, port in zip(params, inputs, strict=True) if port.stream}
    given = [
        writer.scalars.literal(known[x], number_of(x.spec)) if x in known else next(free)
        for x in graph.params
    ]
    body = writer.scalars.block(
        params, lambda: writer.returned(graph, writer.region(graph, given, inner=False))
    )
    for k, x in zip(in_place, body.results[count:], strict=True):
        if root(x, body) is not params[k]:
            raise UnsupportedError("arrays that change places")
    constants = tuple(array for array, _ in writer.constants)
    params += [variable for _, variable in writer.constants]
    inputs += [Port(x.type, stream=x in writer.streams) for x in params[len(inputs) :]]
    body = Block(tuple(params), body.instructions, body.results[:count])
    check_length(body)
    inner = (block for x in instructions(body) for block in x.blocks)
    if any(map(is_leaving, inner)) or not resizes_own(body, set()):
        raise UnsupportedError("an array that is used outside of where it is made")
    arrays = (root(x, body) for x in body.results if isinstance(x.type, ArrayType))
    made = [x for x in arrays if x not in params]
    if len({*made}) < len(made):
        raise UnsupportedError("an array that is several results")
    ports, body = (tuple(inputs), tuple(outputs)), carried(promoted(lean(merged(settled(body)))))
    return predicated(Kernel("loop", body, *ports, constants, target=target))


def check_length(body: Block) -> None:
    """Refuse what LLVM takes too long for."""
    steps = [*instructions(body)]
    if len(steps) > LARGEST or sum(map(is_loop, steps)) > MOST_LOOPS:
        raise UnsupportedError("a loop of so many instructions that they take long to compile")


STREAM = Port(draws.STATE, stream=True)
"""How a generator of random numbers enters a kernel; another object gives no result."""


class NodeWriter:
    """Writes nodes as instructions; `env` maps values to operands."""

    def __init__(self, memory: Memory | None, target: Target, fast: bool = False) -> None:
        self.memory = memory
        self.constants: list[tuple[Any, Variable]] = []
        self.streams: set[Operand] = set()
        self.depth = 0
        self.scalars = Scalars(target, fast)
        self.counting: set[Node] = set()
        self.cells: set[Value] = set()
        self.slices = Slices()
        self.env: dict[Value, Given] = {}
        self.seen: Set[Value] | None = None
        self.writable: Set[Operand] = frozenset()
        self.open = memory.opened() if memory is not None else set()
        self.functions: dict[str, function_kernels.Function] = {}

    def region(self, graph: Graph, given: Sequence[Given], inner: bool = True) -> list[Given]:
        """Write a region; a node that is a whole kernel may have one input twice, as two arrays."""
        env: dict[Value, Given] = dict(zip(graph.params, given, strict=True))
        outer, self.env = self.env, env
        slices, self.slices = self.slices, self.slices.inside()
        self.depth += inner
        used = uses(graph)
        for value, x in env.items():
            if used[value] > 1 and is_computed(x):
                env[value] = copied(self.scalars, x)
        for node in graph.nodes:
            if is_safepoint(node):  # a kernel that gives up has written nothing
                continue
            if node.regions and node.op.form not in INLINES:
                self.settle(lambda part: True)
            is_whole = not inner and node.inputs == graph.params
            own = given if is_whole else [env[x] for x in node.inputs]
            for value in node.inputs:
                if is_computed(env.get(value)):
                    del env[value]  # it is used here only
            for value, made in zip(node.results, self.node(node, own), strict=True):
                is_again = used[value] > 1 and is_computed(made)
                env[value] = self.kept(made) if is_again else made
        self.depth -= inner
        self.env, self.slices = outer, slices
        return [env[value] for value in graph.results]

    def node(self, node: Node, given: Sequence[Given]) -> Sequence[Given]:
        """Write a node; return its results."""
        if node.op.form in INLINES:
            return self.region(node.regions[0], given)
        write = _FORMS.get(node.op.form) or NODES.rule(node.op)
        if write is not None:
            return write(self, node, given)
        if is_put(node):
            return element_writers.scattered(self, node, given)
        if has_parts(node, given):
            return self.part(node, given)
        return [self.number(node, [*map(self.one, given)])]

    def one(self, x: Given) -> Operand:
        """Return a number, or an array as a whole."""
        if isinstance(x, Part):
            raise UnsupportedError("arithmetic on whole arrays")
        return x

    def kept(self, x: Given) -> Given:
        """Return a part as a view."""
        return kept(self.scalars, x) if isinstance(x, Part) else x

    def settle(self, test: Callable[[Part], bool]) -> None:
        """Compute the elements now of parts that are used later, if a test says so of a view."""
        for value, x in self.env.items():
            if is_computed(x) and any(map(test, x.views)):
                self.env[value] = copied(self.scalars, x)

    def part(self, node: Node, given: Sequence[Given]) -> list[Given]:
        """Write a node on parts of arrays."""
        check_results(node)
        parts = [self.whole(x, y) for x, y in zip(given, node.inputs, strict=True)]
        return [part_nodes.write_node(self.scalars, node, parts)]

    def whole(self, x: Given, value: Value) -> Given:
        """Return an array as a part."""
        is_array = isinstance(x.type, ArrayType)
        return whole(self.scalars, x, value) if is_array else x

    def settled(self, owner: Value, array: Given) -> Callable[[Part], bool]:
        """Compute now what is used later of an array that is written.

        Args:
            owner: what stands for it in the graph.
            array: itself.

        Returns: what tells whether a view may be of it.
        """
        memory = self.memory
        assert memory is not None

        def is_own(view: Part) -> bool:
            is_its = isinstance(view.owner, Value) and memory.classes.share(view.owner, owner)
            return is_its or view.array is array

        self.settle(is_own)
        return is_own

    def array(self, x: Given) -> Operand:
        """Return an array that may be written: of a part, one of its own."""
        if not isinstance(x, Part):
            return x
        return array_of(x) if x.owner is None and is_all(x) else self.owned(x)

    def is_open(self, value: Value) -> bool:
        """Tell whether rows are put behind those of an array, or of what may be that one."""
        return self.memory is not None and self.memory.classes.find(value) in self.open

    def arrays(self, given: Sequence[Given]) -> list[Operand]:
        """Return parts in arrays of their own, and other values as they are."""
        return [self.owned(x) if isinstance(x, Part) else x for x in given]

    def owned(self, x: Given, kind: ArrayType | None = None) -> Variable:
        """Return an array of the kernel's own with the elements of an array.

        Its type is given if it may be resized.
        """
        part = whole(self.scalars, x)
        if not is_in_order(part):
            raise UnsupportedError("an array in another order in memory")
        return array_of(copied(self.scalars, part, kind))

    def passed(self, results: Sequence[Given]) -> list[Operand]:
        """Return what a block yields; no parts of arrays, whose memory is used again."""
        return [*map(self.one, results)]

    def returned(self, graph: Graph, results: Sequence[Given]) -> list[Operand]:
        """Return what a kernel returns: what it has computed is made an array.

        A view of another array would be one outside, too.
        """
        known = known_outside(graph)
        pairs = zip(results, graph.results, strict=True)
        own = (isinstance(x, Part) and value not in known for x, value in pairs)
        return self.passed([self.array(x) if y else x for x, y in zip(results, own, strict=True)])

    def number(self, node: Node, given: Sequence[Operand]) -> Operand:
        """Write an op on numbers; one that gets no axes by another shape is itself."""
        if node.op.view == "contiguous" and not node.result.spec.shape:
            return given[0]
        if node.op.scalar is None or node.op.multiple:
            raise UnsupportedError(f"the op {node.op.name}")
        result = number_of(node.result.spec)
        specs = [value.spec for value in node.inputs]
        python = all(spec.weak for spec in specs)
        self.scalars.policy = Policy.PYTHON if python else Policy.SCALAR
        if node.op.ufunc is not None:
            given = operands(self.scalars, node, given)
        if node in self.counting or (not python and self.is_of_elements(node)):
            self.scalars.policy = Policy.ELEMENT
        if node.op.cell == "always":
            self.cells.add(node.result)
        found: Operand = node.op.scalar(self.scalars, *given, **node.attrs)
        if found.type != result:
            raise UnsupportedError(f"the op {node.op.name} of {', '.join(map(str, specs))}")
        return found

    def is_of_elements(self, node: Node) -> bool:
        """Tell whether NumPy does an op on numbers as on elements of arrays, by the ufunc."""
        op = node.op
        is_call = op.ufunc is not None and op.python is None
        return is_call or not self.cells.isdisjoint(node.inputs)


def _computes(node: Node) -> bool:
    """Tell whether a node takes arrays without axes as it takes numbers."""
    op = node.op
    is_choice = NODES.rule(op) is element_writers.where
    return (
        op.ufunc is not None or is_choice or op.cell == "always" or op.subscript is Subscript.WRITE
    )


_FORMS: dict[Form | None, Callable[[NodeWriter, Node, Sequence[Given]], Sequence[Given]]] = {
    Form.COND: control_nodes.cond,
    Form.SWITCH: control_nodes.switch,
    Form.WHILE: control_nodes.while_,
    Form.REDUCE: control_nodes.for_,
    Form.CALL: function_kernels.call,
    Form.CALL_AGAIN: function_kernels.call_again,
}
