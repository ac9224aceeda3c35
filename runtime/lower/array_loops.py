"""From loops over whole arrays to kernels that go through the arrays once.

Comes in: a loop whose arrays are of one shape, and whose rounds compute element by element. Goes
out: a kernel with a `while`, in which each element makes all its rounds before the next one does.
That is the same, as elements do not see each other; only the test may ask all of them, whether any
wants another round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import INLINES, Loop, Parts, is_loop
from runtime.graph.traits import Form, Subscript
from runtime.graph.walk import walk
from runtime.kernels.arrays.common_instructions import merged
from runtime.kernels.kernel import (
    INT,
    ArrayType,
    Block,
    Literal,
    Operand,
    Policy,
    Port,
    Type,
    UnsupportedError,
    Variable,
)
from runtime.kernels.maps import MapKernel
from runtime.kernels.scalar.element_access import load
from runtime.kernels.target import Target
from runtime.lower.array_loop_rules import broadcast, check_kernel, number_type, whole_inputs
from runtime.lower.elementwise_kernels import has_axes, number_of, port_of, write_element
from runtime.lower.loop_kernels import NodeWriter
from runtime.lower.reduction_predicates import (
    FALSE,
    TRUE,
    Asked,
    Found,
    alone,
    also,
    answer,
    reduced,
)
from runtime.ops.creation import constant
from runtime.spec import TensorSpec

MOST_ASKED = 4
"""How many numbers of the state may be what all elements say."""


def array_loop_kernel(
    node: Node, wanted: Sequence[Value], target: Target, fast: bool = False
) -> MapKernel:
    """Return the kernel of a loop over whole arrays.

    Args:
        node: the loop.
        wanted: which of its results the kernel gives.
        target: what the kernel is for.
        fast: whether results may differ from NumPy's in their last digits.

    Raises:
        UnsupportedError: it does something that no such kernel does.
    """
    return _kernel_of(node, wanted, {}, target, fast)


def _kernel_of(
    node: Node,
    wanted: Sequence[Value],
    kinds: Mapping[int, str],
    target: Target,
    fast: bool,
) -> MapKernel:
    """Return the kernel of a loop, some of whose numbers are what all elements say."""
    try:
        return _Loop(node, kinds, target, fast).kernel(wanted)
    except _AskedError as error:
        found = error
    if found.place in kinds or len(kinds) == MOST_ASKED:
        raise UnsupportedError("a number that is asked of all elements now and then")
    return _kernel_of(node, wanted, {**kinds, found.place: found.kind}, target, fast)


class _AskedError(Exception):
    """A number of the state is what all elements say: the place of it, and the kind."""

    def __init__(self, place: int, kind: str) -> None:
        super().__init__(place, kind)
        self.place, self.kind = place, kind


class _Loop:  # Long: one recursion over the nodes of a loop and its arms.
    """Writes the kernel of a loop; `state` and `captured` are the values that rounds see.

    A number of the state may be what all elements say (`kinds`: which, and how): whether they are
    done, for example. In the kernel it is an array of what each says, which begins as the number.
    """

    def __init__(self, node: Node, kinds: Mapping[int, str], target: Target, fast: bool) -> None:
        self.node, self.kinds, self.target, self.fast = node, kinds, target, fast
        self.places: dict[Operand, int] = {}
        self.ended: set[int] = set()
        self.is_unanimous = False
        self.parts = Loop(node)
        self.state = self.parts.params.carried
        self.wholes = whole_inputs(self.parts)
        self.writer = NodeWriter(None, target, fast)
        self.scalars = self.writer.scalars
        self.constants: list[tuple[np.ndarray, Variable]] = []
        shapes = {broadcast(x.spec) for x in self.state} - {()}
        if len(shapes) != 1:
            raise UnsupportedError("a state of arrays of several shapes, or of none")
        (self.shape,) = shapes

    def kernel(self, wanted: Sequence[Value]) -> MapKernel:
        """Return the kernel, which gives the wanted results."""
        self.check()
        first = len(self.parts.operands.head)
        specs = [x.spec for x in replace(self.parts.operands, carried=self.state)]
        types: list[Type] = [number_type(x) for x in specs]
        for k in self.wholes:
            types[k] = ArrayType(specs[k].dtype, (None,) * len(specs[k].shape or ()))
        params = [Variable(x) for x in types]
        places = [self.node.results.index(x) for x in wanted]
        if any(k in self.kinds for k in places):
            raise UnsupportedError("a reduction of whole arrays that is a result")
        arrays = [k for k, x in enumerate(self.state) if x.spec.shape or k in self.kinds]
        hidden = [k for k in arrays if k not in places]
        self.mark(params, specs, first)

        def write() -> list[Operand]:
            found = self.loop(self.parts.layout.split(params))
            return [found[k] for k in (*places, *hidden)]

        body = self.scalars.block(params, write)
        params += [x for _, x in self.constants]
        inputs = [port_of(x) for x in specs]
        for k in self.kinds:
            inputs[first + k] = self.spread(k, 1)
        for k in self.wholes:
            inputs[k] = Port(types[k], whole=True)
        inputs += [port_of(TensorSpec(x.shape, x.dtype)) for x, _ in self.constants]
        outputs = [port_of(self.state[k].spec) for k in places]
        outputs += [
            self.spread(k, None) if k in self.kinds else port_of(self.state[k].spec) for k in hidden
        ]
        arrays_given = tuple(x for x, _ in self.constants)
        kernel = MapKernel(
            "rounds",
            Block(tuple(params), body.instructions, body.results),
            tuple(inputs),
            tuple(range(len(inputs))),
            tuple(outputs),
            len(self.shape),
            self.fast,
            constants=arrays_given,
            hidden=len(hidden),
            target=self.target,
        )
        check_kernel(kernel)
        return kernel

    def mark(self, values: Sequence[Operand], specs: Sequence[TensorSpec], first: int) -> None:
        """Note which values are the same for all elements; the state begins at a place."""
        for k, (x, spec) in enumerate(zip(values, specs, strict=True), -first):
            if not spec.shape and k not in self.kinds:
                self.scalars.uniform.add(x)

    def spread(self, k: int, size: int | None) -> Port:
        """Return how a number of the state enters as an array, or such an array leaves."""
        spec = self.state[k].spec
        sizes = (1 if one else size for one in self.shape)
        is_number = size is not None
        return Port(ArrayType(spec.dtype, tuple(sizes)), is_number and spec.weak, spread=is_number)

    def check(self) -> None:
        """Refuse loops that do more than to compute elements."""
        attrs = self.node.attrs
        if attrs.get("quiet") or attrs.get("until") is not None:
            raise UnsupportedError("rounds that do not warn, or end early")
        if self.parts.stacked or self.parts.reverse:
            raise UnsupportedError("a loop that stacks what its rounds give, or goes backwards")
        for x in self.parts.carried:
            own, after = x.param.spec, x.next.spec
            for other in (x.initial.spec, after):
                if (other.dtype, other.weak, other.rank) != (own.dtype, own.weak, own.rank):
                    raise UnsupportedError(f"a state of {own} that is {other}")
            if broadcast(after) != broadcast(own):
                raise UnsupportedError(f"a state of {own} that becomes {after}")
        given = self.parts.operands
        read = {self.node.inputs[k] for k in self.wholes}
        for operand in (*given.sequences, *given.captured):
            if operand not in read:
                self.check_shape(operand.spec)
        if any(operand not in read for operand in given.sequences):
            raise UnsupportedError("rounds that take rows of an array")

    def check_shape(self, spec: TensorSpec) -> None:
        """Refuse values that are not of the size of the space, or broadcast to it."""
        shape = broadcast(spec)
        axes = zip(reversed(shape), reversed(self.shape), strict=False)
        if len(shape) > len(self.shape) or any(whole and not one for one, whole in axes):
            raise UnsupportedError(f"values of {spec}")

    def least(self) -> int:
        """Return after how many rounds no array that the loop began with is part of its state."""
        places = {x: k for k, x in enumerate(self.state)}
        body = self.parts.body
        results = [x for x in body.results if not x.spec.weak]
        if len({*results}) < len(results) or any(
            x in body.params and x not in places for x in results
        ):
            raise UnsupportedError("arrays that are passed on")
        most = 0
        for x in results:
            length = 0
            while x in places:
                x, length = body.results[places[x]], length + 1
                if length > len(places):
                    raise UnsupportedError("arrays that are passed on")
            most = max(most, length)
        return most + 1

    def loop(self, params: Parts[Operand]) -> Sequence[Operand]:
        """Write the loop; `params` are the state at first, and what is captured."""
        s = self.scalars
        numbers = [Literal(INT, 0) for _ in params.head]
        types = [INT] * len(numbers) + [number_type(x.spec) for x in self.state]
        given = [*numbers, *params.carried]
        rounds = [s.to_int(x) for x in params.head]

        def write(region: Callable[[Sequence[Operand]], Sequence[Operand]]) -> Block:
            state = [Variable(x) for x in types]
            for x in state[: len(numbers)]:
                s.uniform.add(x)
                s.mark_natural(x)
            own = state[len(numbers) :]
            self.mark(own, [x.spec for x in self.state], 0)
            self.places = {x: k for k, x in enumerate(own) if not self.state[k].spec.shape}
            return _merged(s.block(state, lambda: region(state)))

        def test(state: Sequence[Operand]) -> Sequence[Operand]:
            if rounds:
                return [s.less(state[0], rounds[0])]
            return self.condition(self.seen(state), params.captured)

        def body(state: Sequence[Operand]) -> Sequence[Operand]:
            seen = [
                FALSE if k in self.ended else x
                for k, x in enumerate(self.seen(state[len(numbers) :]))
            ]
            taken = [load(s, x, state[:1]) for x in params.sequences]
            own = [*state[: len(numbers)], *seen, *taken, *params.captured]
            found = self.region(self.parts.body, own)
            s.policy = Policy.ELEMENT
            counted = [s.add(x, Literal(INT, 1)) for x in state[: len(numbers)]]
            return [*counted, *(self.kept(k, x) for k, x in enumerate(found))]

        blocks = [write(test), write(body)]
        attrs = {"least": self.least(), **({"all": True} if self.is_unanimous else {})}
        found = s.structured("while", given, types, blocks, **attrs)
        return found[len(numbers) :]

    def seen(self, state: Sequence[Operand]) -> list[Found]:
        """Return what a round sees of the state."""
        pairs = enumerate(state)
        return [Asked(self.kinds[k], x) if k in self.kinds else x for k, x in pairs]

    def kept(self, k: int, found: Found) -> Operand:
        """Return what is kept of a result of a round, as a part of the state."""
        if k not in self.kinds:
            if isinstance(found, Asked) and not self.state[k].spec.shape:
                raise _AskedError(k, found.kind)
            return alone(found)
        if not isinstance(found, Asked) or found.kind != self.kinds[k] or found.uniform != TRUE:
            raise UnsupportedError("a number that is asked of all elements now and then")
        return found.element

    def condition(self, state: Sequence[Found], captured: Sequence[Operand]) -> Sequence[Operand]:
        """Write the test of a loop: of numbers, and of elements."""
        assert self.parts.test is not None
        (found,) = self.region(self.parts.test, [*state, *captured])
        if not isinstance(found, Asked):
            return [self.scalars.truth(found)]
        if found.kind not in ("any", "all"):
            raise UnsupportedError("a condition that is a number")
        self.is_unanimous = found.kind == "all"
        self.ended = {
            k for k, x in enumerate(state) if isinstance(x, Asked) and x.element is found.denied
        }
        return [found.uniform, found.element]

    def region(self, graph: Graph, given: Sequence[Found]) -> list[Found]:
        """Write the nodes of a region; return its results."""
        env: dict[Value, Found] = dict(zip(graph.params, given, strict=True))
        for node in graph.nodes:
            found = self.write(node, [env[x] for x in node.inputs])
            for x, own in zip(node.results, found, strict=True):
                env[x] = own
                if not x.spec.shape and isinstance(own, Variable):
                    self.scalars.uniform.add(own)
        return [env[x] for x in graph.results]

    def write(self, node: Node, given: Sequence[Found]) -> Sequence[Found]:
        """Write a node; return its results."""
        if node.op.form in INLINES:
            return self.region(node.regions[0], given)
        if node.op is constant:
            return [self.constant(node)]
        specs = [x.spec for x in (*node.inputs, *node.results)]
        arms = [x for region in node.regions for x in walk(region)]
        if any(map(is_loop, arms)) or is_loop(node):
            raise UnsupportedError("a loop inside of a loop over arrays")
        asks = any(isinstance(x, Asked) for x in given)
        specs += [y.spec for x in arms for y in x.results]
        is_read = node.op.subscript is Subscript.READ and not isinstance(given[0], Asked | Literal)
        is_read = is_read and isinstance(alone(given[0]).type, ArrayType)
        if not asks and (is_read or all(x.shape == () for x in specs)):
            return self.writer.passed(self.writer.node(node, [alone(x) for x in given]))
        if node.op.form is Form.COND:
            return [self.choice(node, given)]
        if node.op.reduction is not None:
            return [reduced(self.scalars, node, alone(given[0]))]
        if asks:
            return [answer(self.scalars, node, [*given])]
        return [self.element(node, [alone(x) for x in given])]

    def constant(self, node: Node) -> Operand:
        """Return a constant: a number that is written out, or an array that is given."""
        value = node.attrs["value"]
        if not isinstance(value, np.ndarray) or not value.shape:
            return number_of(node)
        self.check_shape(node.result.spec)
        self.constants.append((value, Variable(number_type(node.result.spec))))
        return self.constants[-1][1]

    def element(self, node: Node, given: Sequence[Operand]) -> Operand:
        """Write an op on elements."""
        op = node.op
        if op.scalar is None or op.view is not None or len(node.results) != 1 or has_axes(node):
            raise UnsupportedError(f"the op {op.name}")
        spec = node.result.spec
        self.check_shape(spec)
        types = [x.spec.promotable for x in node.inputs]
        return write_element(self.scalars, op, given, types, number_type(spec), node.attrs)

    def choice(self, node: Node, given: Sequence[Found]) -> Found:
        """Write a condition that asks all elements, or asks only where another one is true."""
        test, *others = given
        then, other = (self.region(region, others) for region in node.regions)
        if len(then) != 1:
            raise UnsupportedError("a branch over whole arrays")
        (first,), (second,) = then, other
        if isinstance(test, Asked):
            if first == TRUE and isinstance(second, Variable) and second in self.places:
                raise _AskedError(self.places[second], test.kind)
            if first == TRUE and second == FALSE:
                return test
            if isinstance(first, Asked) or second not in (FALSE, test):
                raise UnsupportedError("a condition that asks all elements twice")
            return also(self.scalars, test, first)
        if isinstance(first, Asked) and second in (FALSE, test):
            return also(self.scalars, first, test)
        if isinstance(second, Asked) and first == FALSE:
            return also(self.scalars, second, self.scalars.not_(test))
        raise UnsupportedError("a branch over whole arrays")


def _merged(block: Block) -> Block:
    """Return a block in which nothing is computed twice, if it has none inside."""
    return block if any(x.blocks for x in block.instructions) else merged(block)
