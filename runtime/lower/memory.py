"""Which values may share memory, and which updates may happen in place.

Comes in: a graph. Goes out: a `Memory`: the nodes that may write into their first operand instead
of a copy, and the loop state that has to be copied before its loop for that. It knows nothing of
slots.

Values that may share memory form a class (see `alias`). A node writes in place when everything in
the class of the array is dead by then, on all levels, and nothing in the class belongs to somebody
else: arguments, constants, what a loop uses from outside. Its result then is the array itself; for
all that follows, it is as good as a fresh one. Loop state that is written in a round is owned by
the loop: it takes over the initial array if that is dead, else a copy, once. Updates always want to
write; a ufunc does so when its result is large and would get the same layout in fresh memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from runtime.graph.node import Graph, Node, Value
from runtime.graph.regions import CALLS, Loop
from runtime.graph.traits import Form
from runtime.lower.alias import Classes, inner_states, join_all, renewed_states
from runtime.lower.lifetimes import Blocks, Level, Lives, Step
from runtime.lower.write_targets import Kept, Own, is_moving, kept_params, lengthens
from runtime.ops.safepoints import tells


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """What was found out about a graph, its regions included.

    Args:
        targets: the operand that a node writes its result into, for nodes that may.
        copied: for a loop, which parts of its state must be copied before it.
        params: parameters that must be copied at the start: several updates may write the copy.
        refused: what updates wanted to write and may not.
        classes: which values may share memory.
        grown: nodes that join others to an array that nobody needs afterwards, or that leave the
            first rows of one for what follows their region.
        lent: for calls of functions, which operands nobody needs afterwards that they may write.
        functions: what is known of functions that call themselves.
    """

    targets: Mapping[Node, Value]
    copied: Mapping[Node, tuple[int, ...]]
    params: tuple[Value, ...]
    refused: tuple[Value, ...]
    classes: Classes
    grown: frozenset[Node]
    lent: Mapping[Node, frozenset[int]]
    functions: Functions

    def opened(self) -> set[Value]:
        """Return what stands for the arrays that get other numbers of rows, as they are written."""
        arrays = [node.inputs[0] for node in self.grown]
        for node in self.lent:
            arrays += [node.inputs[k] for k in self.functions.opened(node)]
        found, before = {*map(self.classes.find, arrays)}, -1
        while before != len(found):
            before = len(found)
            for node, base in self.targets.items():
                if self.classes.find(node.result) in found:
                    found.add(self.classes.find(base))
        return found


class Functions:
    """What is known of the functions of a graph that call themselves.

    Args:
        around: which of their parameters those return in which the graph stands, by their names.

    Attributes:
        blocks: of the graph, for all searches in it.
    """

    def __init__(self, around: Mapping[str, Kept] | None = None) -> None:
        self.around = around or {}
        self.blocks = Blocks()
        self._kept: dict[Node, Kept] = {}
        self._memory: dict[Node, Memory] = {}

    def kept(self, node: Node) -> Kept:
        """Return which operands the results of a call are."""
        if node.op.form is Form.CALL_AGAIN:
            made = tuple(Own.MADE if x.spec.rank else None for x in node.results)
            return self.around.get(node.attrs["function"], made)
        if node not in self._kept:
            self._kept[node] = kept_params(node, self.around)
        return self._kept[node]

    def given(self, node: Node) -> list[int]:
        """Return which operands of a call a function writes, and gives back."""
        return [k for k in self.kept(node) if k is not None and k != Own.MADE]

    def memory(self, node: Node) -> Memory:
        """Return what may be written in the function that a node calls first."""
        if node not in self._memory:
            (region,) = node.regions
            own = Functions({**self.around, node.attrs["function"]: self.kept(node)})
            donated = [region.params[k] for k in self.given(node)]
            self._memory[node] = find_memory(region, True, donated, own)
        return self._memory[node]

    def opened(self, node: Node) -> list[int]:
        """Return the operands of a first call whose arrays get more rows."""
        if node.op.form is Form.CALL_AGAIN:  # of one class with the parameters
            return []
        memory, (region,) = self.memory(node), node.regions
        found = memory.opened()
        return [k for k in self.given(node) if memory.classes.find(region.params[k]) in found]


def find_memory(
    graph: Graph,
    scalars: bool = True,
    donated: Sequence[Value] = (),
    functions: Functions | None = None,
) -> Memory:
    """Find out what may be written in place.

    Args:
        graph: the whole graph.
        scalars: whether an array indexed down to one element gives a scalar and not a view.
        donated: parameters whose arrays nobody needs afterwards.
        functions: what is known of functions in which the graph stands.
    """
    search = partial(_search, graph, scalars, functions=functions or Functions())
    found = search(donated)
    renewed = frozenset[Value]()
    for may_stay in (False, True) if found.refused else ():
        states = renewed_states(graph, scalars, found.refused, may_stay)
        other = search(donated, states) if states else found
        if len(other.targets) > len(found.targets):
            more = set(found.refused).difference(other.refused)
            found, renewed = _without_copies(graph, partial(search, donated), other, states, more)
    often = [x for x in graph.params if sum(found.classes.share(x, y) for y in found.refused) > 1]
    if not often:
        return found
    copied = search(donated, renewed, often)
    return copied if len(copied.targets) > len(found.targets) + len(often) else found


def _without_copies(
    graph: Graph,
    search: Callable[[frozenset[Value]], Memory],
    found: Memory,
    renewed: frozenset[Value],
    more: Iterable[Value],
) -> tuple[Memory, frozenset[Value]]:
    """Leave out state of loops in loops, all or parts, which would begin with a copy in vain.

    First that of other memory than is written now and was not before: `more`.
    """
    written, find = {found.classes.find(x) for x in more}, found.classes.find
    todo: list[list[Value]] = [[], []]
    for x in inner_states(graph):
        is_other = written.isdisjoint((find(x.param), find(x.next), find(x.final)))
        todo[is_other] += [x.final] if x.final in renewed else []
    while todo:
        some = todo.pop()
        if not some:
            continue
        other = search(renewed.difference(some))
        if len(other.targets) >= len(found.targets):
            found, renewed = other, renewed.difference(some)
        elif len(some) > 1:
            half = len(some) // 2
            todo += [some[half:], some[:half]]
    return found, renewed


def _search(
    graph: Graph,
    scalars: bool,
    donated: Sequence[Value],
    renewed: frozenset[Value] = frozenset(),
    copied: Sequence[Value] = (),
    *,
    functions: Functions,
) -> Memory:
    """Find out what may be written.

    Args:
        graph, scalars, donated: as for `find_memory`.
        renewed: final values of loop state that each round makes anew, once it began as a copy.
        copied: parameters that are copied at the start.
        functions: what is known of functions that call themselves.
    """
    owned = [*donated, *copied]
    classes = Classes()
    join_all(graph, classes, scalars, renewed)
    for value in graph.params:
        if value not in owned:
            classes.mark_foreign(value)
    search = _Search(classes, tells(graph), renewed, functions)
    search.block(graph, owned)
    written = {classes.find(value) for value in search.written}
    params = tuple(value for value in copied if classes.find(value) in written)
    refused, grown = tuple(search.refused), frozenset(search.grown)
    lent = search.lent, functions
    return Memory(search.writers, search.copied, params, refused, classes, grown, *lent)


class _Search:
    """Goes through a graph in order and decides about every update.

    Args:
        classes: which values may share memory.
        is_watched: whether what was written is told before the graph ends: then nothing else is
            put where it is.
        renewed: final values of loop state that each round makes anew, once it began as a copy.
        functions: what is known of functions that call themselves.
    """

    def __init__(
        self,
        classes: Classes,
        is_watched: bool,
        renewed: frozenset[Value],
        functions: Functions,
    ) -> None:
        self.classes = classes
        self.functions = functions
        self.blocks = functions.blocks
        self.lent: dict[Node, frozenset[int]] = {}
        self.is_watched = is_watched
        self.renewed = renewed
        self.writers: dict[Node, Value] = {}
        self.grown: dict[Node, None] = {}
        self.copied: dict[Node, tuple[int, ...]] = {}
        self.levels: list[Level] = []
        self.written: set[Value] = set()
        self.fresh: dict[Value, None] = {}
        self.joins = 0
        self.refused: dict[Value, None] = {}

    def block(self, graph: Graph, fresh: Sequence[Value]) -> None:
        """Go through a graph or region; `fresh` are parameters with memory of their own."""
        block, level = self.blocks.of(graph), Level(graph)
        self.levels.append(level)
        self.fresh.update(dict.fromkeys(fresh))
        self._exist(level, block.params)
        for step in block.steps:
            level.step = step
            if step.node.op.form in CALLS:
                self._lend(step.node)
            elif step.node.regions:
                self._regions(step)
            else:
                self._choose_target(step)
            if step.makes or step.node in self.grown:
                self.fresh.update((value, None) for value, _ in step.results)
            self._exist(level, step.results)
        self.levels.pop()

    def _choose_target(self, step: Step) -> None:
        """Choose the input that a node writes its result into, if there is one."""
        node, in_place = step.node, step.node.op.in_place
        for value in step.targets:
            is_kept = self.is_watched and in_place is None
            if not is_kept and self._may_write(value, node):
                self.writers[node] = value
                self.written.add(value)
                return
        if in_place is not None:
            self.refused[node.inputs[0]] = None
        elif step.may_grow and self._may_grow(node) and self._may_write(node.inputs[0], node):
            self.grown[node] = None
            self.written.add(node.inputs[0])

    def _may_grow(self, node: Node) -> bool:
        """Tell whether a node adds rows, or takes the first ones for what follows its region."""
        is_left = len(self.levels) > 1 and node.result in self.levels[-1].graph.results
        return is_left or lengthens(node)

    def _lend(self, node: Node) -> None:
        """Choose the operands that a function may write where they are; its results are these."""
        found = []
        for place, result in zip(self.functions.kept(node), node.results, strict=True):
            if place is None or place == Own.MADE:
                continue
            if self._may_write(node.inputs[place], node):
                self._join(node.inputs[place], result)
                self.written.add(node.inputs[place])
                found.append(place)
        self.lent[node] = frozenset(found)

    def _exist(self, level: Level, values: Lives) -> None:
        until, find = level.until, self.classes.find
        for value, death in values:
            root = find(value)
            until[root] = max(until.get(root, -1), death)

    def _may_write(self, target: Value, node: Node) -> bool:
        """Tell whether a node may write into one of its inputs."""
        if target not in self.fresh or not target.spec.rank or self.classes.is_foreign(target):
            return False
        moves = is_moving(node, self.blocks.makers)
        given = node.inputs[:1] + node.inputs[2:] if moves else node.inputs
        used = [x for x in given if x.spec.shape != () and self._is_one(x, target)]
        may_repeat = node.op.ufunc is not None or lengthens(node)
        if len(set(used) if may_repeat else used) > 1:
            return False
        root = self.classes.find(target)
        for level in self.levels:
            assert level.step is not None
            if level.until.get(root, -1) > level.step.index:
                return False
        inside = [x for level in self.levels[:-1] if level.step for x in level.step.used]
        return not any(self.classes.find(x) is root for x in inside)  # they are used each round

    def _is_one(self, a: Value, b: Value) -> bool:
        return not a.spec.weak and self.classes.share(a, b)

    def _regions(self, step: Step) -> None:
        node, branch = step.node, step.branch
        if branch is not None:
            for region in branch.arms:
                pairs = step.fixed.get(region, ())
                self.block(region, [param for param, x in pairs if x in self.fresh])
            ways = zip(node.results, *(r.results for r in branch.arms), strict=True)
            self.fresh.update({x: None for x, *own in ways if all(y in self.fresh for y in own)})
        elif step.loop is not None:
            self._loop(step, step.loop)
        elif node.op.form is Form.TRY:  # a handler needs the operands, whatever the body did before
            for region in node.regions:
                self.block(region, ())

    def _rounds(self, body: Graph, fresh: Sequence[Value]) -> None:
        """Go through the body of a loop, again when that joined classes.

        What a later node of the body joins may belong to what an earlier one wrote, a round later.
        """
        known, places, grown = len(self.fresh), len(self.writers), len(self.grown)
        joins = -1
        while joins != self.joins:
            joins = self.joins
            self.written = set()
            _shorten(self.fresh, known)
            _shorten(self.writers, places)
            _shorten(self.grown, grown)
            self.block(body, fresh)

    def _loop(self, step: Step, loop: Loop) -> None:
        node, state, body = loop.node, step.carried, loop.body
        outside = self.written
        views = {x.result for x in body.nodes if x.op.view is not None and not x.op.multiple}
        fresh = [x.param for x in state if x.next not in views]
        for pairs in step.fixed.values():
            fresh += [param for param, operand in pairs if operand in self.fresh]
        self._rounds(body, fresh)
        if loop.test is not None:
            self.block(loop.test, ())
        written = {self.classes.find(value) for value in self.written}
        copied = []
        for k, x in enumerate(state):
            if x.final in self.renewed:
                copied.append(k)
            elif self.classes.find(x.param) not in written:
                self._join(x.initial, x.param)
            elif self._may_write(x.initial, node):
                outside.add(x.initial)
            else:
                copied.append(k)
            if x.next in self.fresh and (x.initial in self.fresh or k in copied):
                self.fresh[x.final] = None
        self.copied[node] = tuple(copied)
        self.written = outside | self.written

    def _join(self, a: Value, b: Value) -> None:
        """Make one class of two, and tell all levels."""
        if a.spec.weak or b.spec.weak:
            return
        roots = {self.classes.find(a), self.classes.find(b)}
        self.joins += len(roots) - 1
        self.classes.join(a, b)
        root = self.classes.find(a)
        for level in self.levels:
            level.until[root] = max(level.until.get(x, -1) for x in roots)


def _shorten(found: dict[Any, Any], length: int) -> None:
    """Forget what was added last."""
    while len(found) > length:
        found.popitem()
