"""The steps of one graph or region: which value lives in which slot, from when to when.

Comes in: a graph, and operands for its parameters. Goes out: steps.

A value lives from its statement to its last use; then its slot is free for another one. Parameters
of a region stand for the operands' own slots, so entering a branch or a loop costs nothing, and the
results of a region are computed right into the slots that are to hold them whenever these are free
by then: `x = x + 1` in a loop body needs no move.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import Loop
from runtime.graph.traits import Form
from runtime.kernels.kernel import Kernel
from runtime.lower.async_call import in_parallel
from runtime.lower.expression import Leaf, Statements, Tree, statements
from runtime.lower.liveness import deaths, dying, hint_of, preferences
from runtime.lower.plan import (
    Apply,
    Assign,
    Block,
    Branch,
    Collect,
    Copy,
    For,
    Literal,
    Move,
    Native,
    Operand,
    Output,
    Slot,
    Step,
    Take,
    Try,
    While,
    Write,
    about,
)
from runtime.lower.planning_context import Shared, tested
from runtime.ops.creation import constant
from runtime.ops.streams import DATASET


class BlockPlanner:  # Long: one recursion over regions, which give each other slots.
    """Plans one graph or region.

    Args:
        shared: of the whole plan.
        graph: the graph or region.
        env: operands that stand for its parameters.
        owned: parameters whose slots this block may give to others.
        prefer: slots that results should be computed into.
        last: whether a single result may be an expression.
    """

    def __init__(
        self,
        shared: Shared,
        graph: Graph,
        env: dict[Value, Operand],
        *,
        owned: Iterable[Value] = (),
        prefer: dict[Value, Slot] | None = None,
        last: bool = False,
    ) -> None:
        self.shared = shared
        self.graph = graph
        self.env = env
        self.prefer = prefer or {}
        self.steps, self.begins = list[Step](), list[int]()
        for node in (x for x in graph.nodes if x.op is constant):
            operand = shared.constant(node.attrs["value"])
            env[node.result] = self.own(operand) if node.result in shared.renewed else operand
        self.statements: Statements = statements(graph, shared.memory.targets, last)
        self.death = deaths(self.statements)
        self.mine = {value for value in owned if isinstance(env[value], str)}
        self.until: dict[Slot, int] = {}
        for value in graph.params:
            self._occupy(value)

    def plan(self) -> None:
        """Plan all statements."""
        dying_at = dying(self.death, len(self.statements.trees))
        for index, tree in enumerate(self.statements.trees):
            self.begins.append(len(self.steps))
            if tree.node.regions:
                self._region_node(index, tree)
                unused = [value for value in tree.node.results if value not in self.death]
                self._free([*dying_at[index], *unused])
            elif tree.node in self.shared.memory.targets:
                self._write(index, tree)
                self._free(dying_at[index])
            else:
                value = self.apply(tree)
                self._free(dying_at[index])
                self.steps.append(Assign(self._targets(index, tree.node), value))

    def _write(self, index: int, tree: Tree) -> None:
        """Write into the array of an operand, which is the result from here on."""
        old, new = self.shared.memory.targets[tree.node], tree.node.result
        value = self.apply(tree)
        if tree.node.op.in_place is not None:
            self.steps.append(Write(value))
        else:
            slot = self.slot(old)
            self.steps.append(Assign((slot,), Apply(tree.node, value.operands, slot)))
        if new in self.death and not self._hand_over(old, new, index):
            self._bind(new, self.slot(old))

    def results(self) -> list[Operand]:
        """Return the operands of the results, after `plan`."""
        return [self.operand(value) for value in self.statements.results]

    def move_results(self, targets: Sequence[Slot | None]) -> None:
        """Move the results to where they are wanted."""
        pairs = zip(targets, self.results(), strict=False)
        self._move([(slot, x) for slot, x in pairs if slot is not None])

    def own(self, operand: Operand) -> Operand:
        """Return an operand that shares memory with nothing."""
        slot = self.shared.slots.take()
        self.steps.append(Copy(slot, operand))
        return slot

    def operand(self, leaf: Leaf) -> Operand:
        """Return the operand of a value or tree."""
        return self.env[leaf] if isinstance(leaf, Value) else self.apply(leaf)

    def apply(self, tree: Tree) -> Apply:
        """Return the expression of a tree."""
        return Apply(tree.node, tuple(map(self.operand, tree.operands)))

    def _move(self, pairs: Sequence[tuple[Slot, Operand]]) -> None:
        if wanted := [(slot, operand) for slot, operand in pairs if slot != operand]:
            targets, sources = zip(*wanted, strict=True)
            self.steps.append(Move(targets, sources))

    def _occupy(self, value: Value) -> None:
        slot = self.env[value]
        if isinstance(slot, str):
            self.until[slot] = max(self.until.get(slot, -1), self.death.get(value, -1))

    def _free(self, values: Iterable[Value]) -> None:
        for value in values:
            if value in self.mine:
                self.mine.discard(value)
                slot = self.env[value]
                assert isinstance(slot, str)
                self.shared.slots.give(slot)

    def _targets(self, index: int, node: Node) -> tuple[Slot, ...]:
        if not any(value in self.death for value in node.results):
            return ()
        targets = tuple(self._place(value, index) for value in node.results)
        self._free([value for value in node.results if value not in self.death])
        return targets

    def _place(self, value: Value, index: int, hint: str | None = None) -> Slot:
        """Give a new value a slot: the wanted one if it is free now."""
        slot = self.prefer.get(value)
        if slot is None or self.until.get(slot, -1) > index:
            slot = self.shared.slots.take(hint or value.name)
            self.mine.add(value)
        self._bind(value, slot)
        return slot

    def _bind(self, value: Value, slot: Slot) -> None:
        self.env[value] = slot
        self._occupy(value)

    def _region_node(self, index: int, tree: Tree) -> None:
        wanted = [value for value in tree.node.results if value in self.death]
        operands = list(map(self.operand, tree.operands))
        pairs = zip(tree.node.inputs, operands, strict=True)
        known = {value: x.value for value, x in pairs if isinstance(x, Literal)}
        kernel = self.shared.kernel(tree.node, wanted, known)
        outer, self.steps = self.steps, self.steps if kernel is None else []
        with self.shared.inside(kernel):
            self._structured(index, tree)
        if kernel is None:
            return
        self.steps, otherwise = outer, tuple(self.steps)
        if isinstance(kernel, Kernel):  # numbers that are known are written in it
            operands = [x for x in operands if not isinstance(x, Literal)]
        operands += map(self.shared.constant, kernel.constants)
        targets, found = tuple(map(self.slot, wanted)), self.shared.slots.take()
        step = Native(kernel, targets, tuple(operands), found, otherwise, tree.node.location)
        self.steps.append(step)
        self.shared.slots.give(found)

    def _structured(self, index: int, tree: Tree) -> None:
        node = tree.node
        match node.op.form:
            case Form.COND | Form.SWITCH:
                self._branch(index, tree)
            case Form.WHILE:
                self._while(index, tree)
            case Form.REDUCE:
                self._for(index, tree)
            case Form.TRY:
                self._try(index, tree)
            case Form.STEP | Form.CHECKPOINT | Form.CHAIN:
                self._fused(index, tree)
            case form:
                if form is Form.CALL:
                    self.shared.function(node)
                self.steps.append(Assign(self._targets(index, node), self.apply(tree)))

    def _fused(self, index: int, tree: Tree) -> None:
        """Plan a chain of elementwise ops as the steps that it is made of."""
        operands = [self.operand(x) for x in tree.operands]
        targets = [self._place(value, index) for value in tree.node.results]
        (region,) = tree.node.regions
        self.steps += self._arm(region, operands, targets)

    def _branch(self, index: int, tree: Tree) -> None:
        node = tree.node
        test = tested(self.operand(tree.operands[0]))
        operands = [self.operand(x) for x in tree.operands[1:]]
        number = self.shared.slots.take() if node.op.form is Form.SWITCH else None
        targets = [
            self._arm_target(index, node, k) if value in self.death else None
            for k, value in enumerate(node.results)
        ]
        arms = tuple(self._arm(region, operands, targets) for region in node.regions)
        self.steps.append(Branch(test, arms, number, *about(node)))
        if number is not None:
            self.shared.slots.give(number)

    def _arm_target(self, index: int, node: Node, k: int) -> Slot:
        """Return the slot of a result of a branch: that of an operand it passes on, if free."""
        result = node.results[k]
        if result not in self.prefer:
            for region in node.regions:
                passed = region.results[k]
                if passed in region.params:
                    operand = node.inputs[1 + region.params.index(passed)]
                    if self._hand_over(operand, result, index):
                        return self.slot(result)
        return self._place(result, index, hint_of(node, k))

    def _hand_over(self, old: Value, new: Value, index: int) -> bool:
        """Give a new value the slot of an old one that dies now; tell whether that was possible."""
        if old not in self.mine or self.death[old] != index:
            return False
        self.mine.discard(old)
        self.mine.add(new)
        self._bind(new, self.slot(old))
        return True

    def slot(self, value: Value) -> Slot:
        """Return the slot of a value."""
        slot = self.env[value]
        assert isinstance(slot, str)
        return slot

    def _arm(
        self, region: Graph, operands: Sequence[Operand], targets: Sequence[Slot | None]
    ) -> Block:
        env = dict(zip(region.params, operands, strict=True))
        block = BlockPlanner(self.shared, region, env, prefer=preferences(region, targets))
        block.plan()
        block.move_results(targets)
        block.close()
        return block.finished()

    def finished(self) -> Block:
        """Return the steps; heavy ones run beside each other."""
        return tuple(in_parallel(self.steps) if self.shared.target is not None else self.steps)

    def close(self) -> None:
        """Free the slots that the block still holds."""
        self._free(list(self.mine))

    def _while(self, index: int, tree: Tree) -> None:
        loop = Loop(tree.node)
        test, body = loop.test, loop.body
        assert test is not None
        given = loop.layout.split([self.operand(x) for x in tree.operands])
        slots = self._enter(index, loop)
        inside = [*slots, *given.captured]
        env = dict(zip(test.params, inside, strict=True))
        head = BlockPlanner(self.shared, test, env, last=True)
        head.plan()
        (asked,) = head.results()
        head.close()
        steps = self._body(body, dict(zip(body.params, inside, strict=True)), slots)
        self.steps.append(While(tuple(head.steps), tested(asked), steps, *about(loop.node)))

    def _enter(self, index: int, loop: Loop) -> list[Slot]:
        """Choose the slots of a loop's state and move the initial values there."""
        operands = [self.env[value] for value in loop.operands.carried]
        copied = self.shared.memory.copied[loop.node]
        slots = []
        for k, x in enumerate(loop.carried):
            value, result = x.initial, x.final
            alone = loop.node.inputs.count(value) == 1 and k not in copied
            if not (alone and result not in self.prefer and self._hand_over(value, result, index)):
                self._place_state(result, value if alone else None, index, x.param.name)
            slots.append(self.slot(result))
        self.steps += [Copy(slots[k], operands[k]) for k in copied]
        pairs = enumerate(zip(slots, operands, strict=True))
        self._move([pair for k, pair in pairs if k not in copied])
        return slots

    def _place_state(
        self, result: Value, initial: Value | None, index: int, hint: str | None
    ) -> None:
        """Place the state of a loop: in the wanted slot, if nobody needs that inside the loop."""
        slot = self.prefer.get(result)
        if slot is not None:
            kept = initial is not None and self.env[initial] == slot
            if self.until.get(slot, -1) < index or (kept and self.until[slot] == index):
                self._bind(result, slot)
                return
        self._bind(result, self.shared.slots.take(hint or result.name))
        self.mine.add(result)

    def _body(
        self,
        body: Graph,
        env: dict[Value, Operand],
        slots: Sequence[Slot],
        before: Sequence[Step] = (),
        outputs: Sequence[Output] = (),
        number: Slot = "",
    ) -> Block:
        block = BlockPlanner(self.shared, body, env, prefer=preferences(body, slots))
        block.steps += before
        self.shared.loops += 1
        block.plan()
        self.shared.loops -= 1
        rows = block.results()[len(slots) :]
        block.steps += [Collect(*x) for x in zip(outputs, [number] * len(rows), rows, strict=True)]
        block.move_results(slots)
        block.close()
        return block.finished()

    def _for(self, index: int, tree: Tree) -> None:
        loop = Loop(tree.node)
        given = loop.layout.split([self.operand(x) for x in tree.operands])
        slots = self._enter(index, loop)
        (count,), (own,) = loop.operands.head, loop.params.head
        number = self.shared.slots.take(own.name or "i")
        taken = [self.shared.slots.take(value.name) for value in loop.params.sequences]
        outputs = [Output(self._output(rows, index), row.spec) for row, rows in loop.stacked]
        inside = [number, *slots, *taken, *given.captured]
        env = dict(zip(loop.body.params, inside, strict=True))
        pairs = zip(taken, given.sequences, strict=True)
        takes = [Take(slot, source, number) for slot, source in pairs]
        steps = self._body(loop.body, env, slots, takes, outputs, number)
        step = For(
            number,
            given.head[0],
            tuple(outputs),
            steps,
            loop.node.location,
            loop.node.attrs["label"],
            None if loop.until is None else slots[loop.until],
            count.spec == DATASET,
            loop.reverse,
        )
        self.steps.append(step)
        for slot in (number, *taken):
            self.shared.slots.give(slot)

    def _try(self, index: int, tree: Tree) -> None:
        """Plan a `try`; its results have slots of their own, as handlers need all operands."""
        node = tree.node
        operands = [self.operand(x) for x in tree.operands]
        targets = [self._output(x, index) if x in self.death else None for x in node.results]
        number, values = self.shared.slots.take(), self.shared.slots.take()
        body, *handlers = node.regions
        steps = self._arm(body, operands, targets)
        planned = tuple(self._handler(x, operands, targets) for x in handlers)
        points = node.attrs["points"]
        self.steps.append(Try(steps, points, planned, number, values, node.location))
        for slot in (number, values):
            self.shared.slots.give(slot)

    def _handler(
        self, region: Graph, operands: Sequence[Operand], targets: Sequence[Slot | None]
    ) -> tuple[tuple[Slot, ...], Block]:
        given = region.params[: len(region.params) - len(operands)]
        slots = tuple(self.shared.slots.take(value.name) for value in given)
        block = self._arm(region, [*slots, *operands], targets)
        for slot in slots:
            self.shared.slots.give(slot)
        return slots, block

    def _output(self, value: Value, index: int) -> Slot:
        slot = self.shared.slots.take(value.name)
        self.mine.add(value)
        self._bind(value, slot)
        return slot
