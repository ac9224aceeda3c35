"""Building graphs: `emit` is the only door to a node.

Comes in: ops with values. Goes out: nodes in order, then a closed `Graph`. A builder with a parent
builds a region; a value of the parent that is used in it becomes a parameter when it is sealed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import count, zip_longest
from math import inf
from time import thread_time
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from runtime.errors import LeakedSymbolError, RuntimeGraphError, StagedBoolError
from runtime.floating_errors import Reports
from runtime.graph.location import Location, user_location
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.spec import UNKNOWN, Dim, TensorSpec, make_spec

Inputs: TypeAlias = Sequence[Value]
Attrs: TypeAlias = Mapping[str, object]
Call: TypeAlias = tuple[OpDef, Inputs, Attrs]
Refused: TypeAlias = Callable[[StagedBoolError], None]
Redirect: TypeAlias = "Callable[[Builder, OpDef, Inputs, Attrs], Call | list[Value]]"


class Context(ABC):
    """What those that trace keep with a graph, and with each of its regions.

    A class of it is made without arguments for a whole graph.
    """

    @abstractmethod
    def inner(self) -> Context:
        """Return one of the same class for a region that begins."""


C = TypeVar("C", bound=Context)


class Watcher(Protocol):
    """What is told of the ops of a graph and its regions before they are emitted."""

    def before(self, builder: Builder, op: OpDef, inputs: Inputs, attrs: Attrs) -> None:
        """Do something before an op is emitted."""

    def at_end(self, builder: Builder) -> None:
        """Do something before a region ends."""


_OFTEN = 64
"""After how many nodes the time is looked at."""
_MOST = 1.0
"""So many seconds count of what lies between: what is computed meanwhile takes its own time."""
_STEPS = 2_000
"""So many steps are made in a second where it is steps that take long."""


class Progress:
    """How many nodes a graph has so far, in all regions; tells, once, if building it takes long.

    Args:
        tell: is called by the thread that builds, with the number of nodes and seconds.
        patience: after how many seconds of processor time.
        idle: after how many if there is no node yet.

    Attributes:
        nodes: the number of nodes.
        writes: how often arrays were written in place.
        known: how many operations were done, as all that they are given is known.
    """

    def __init__(
        self,
        tell: Callable[[int, float], None] | None = None,
        patience: float = inf,
        idle: float = inf,
    ) -> None:
        self.nodes = 0
        self.writes = self.known = 0
        self._tell, self._patience, self._idle = tell, patience, idle
        self._seconds, self._last = 0.0, thread_time()
        self._steps = 0

    def add(self) -> None:
        """Count one more node."""
        self.nodes += 1
        self.step()

    def step(self) -> None:
        """Note that one more node is made, or that something is done that makes none."""
        self._steps += 1
        if self._steps % _OFTEN == 0 and self._tell is not None:
            now = thread_time()
            self._seconds += min(now - self._last, _MOST)
            self._last = now
            is_idle = not self.nodes and self._steps > self._idle * _STEPS
            if self._seconds > (self._idle if is_idle else self._patience):
                tell, self._tell = self._tell, None
                tell(self.nodes, self._seconds)


class Snapshot(NamedTuple):
    """An array as it was when it became a constant.

    Args:
        array: itself.
        copy: what it held.
        value: the constant.
    """

    array: object
    copy: object
    value: Value


class Builder:
    """A graph, or a region of one, while it is being built.

    Args:
        parent: the builder of the enclosing graph, for a region.
        beside: for a region that is closed when it is written: the builder of a graph that it is
            for. Unknown sizes of one name are one in all of a graph, so it numbers them.

    `depth` tells how many graphs are around it. `constants` has the value of numbers and texts by
    their classes and what tells them apart, and `snapshots` that of arrays by their identities.
    `redirect`, if there is one, returns the call of an op that stands for one that is about to be
    emitted, or its results, in a list, where it has emitted what stands for it; `refused` is called
    with the error before the truth of a value of the graph is refused; `watcher`, if there is one,
    is told of each op before. `progress` counts the nodes of the whole graph, and how often arrays
    were written, which was so `writes_before` this began. `place` is where the nodes come from that
    are appended; None for the line that runs. `reports` knows how NumPy reported floating point
    errors when the graph was begun.
    """

    def __init__(self, parent: Builder | None = None, *, beside: Builder | None = None) -> None:
        self.parent = parent
        kin = parent or beside
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.nodes: list[Node] = []
        self.captures: dict[Value, Value] = {}
        self.constants: dict[tuple[type, str | bytes], Value] = {}
        self.snapshots: dict[int, Snapshot] = {}
        self.is_open = True
        self.location = user_location()
        self.redirect: Redirect | None = parent.redirect if parent is not None else None
        self.refused: Refused | None = parent.refused if parent is not None else None
        self.watcher: Watcher | None = parent.watcher if parent is not None else None
        around = parent._contexts.values() if parent is not None else ()
        self._contexts: dict[type[Context], Context] = {type(x): x.inner() for x in around}
        self.progress: Progress = parent.progress if parent is not None else Progress()
        self.writes_before = self.progress.writes
        self.place: Location | None = None
        self.reports: Reports = Reports() if parent is None else parent.reports
        self._own: set[Value] = set()
        self.rollbacks = 0
        self.gone: set[Value] = set()
        self._dims: count[int] = count() if kin is None else kin._dims
        self._user_dims: set[str] = set() if kin is None else kin._user_dims

    def context(self, kind: type[C]) -> C:
        """Return what is kept here by a class; something new if it keeps nothing yet."""
        found = self._contexts.get(kind)
        if found is None:
            found = kind() if self.parent is None else self.parent.context(kind).inner()
            self._contexts[kind] = found
        assert isinstance(found, kind)
        return found

    def param(self, spec: TensorSpec, name: str | None = None) -> Value:
        """Return a new parameter; which ones the graph has is said when it is sealed."""
        self._user_dims.update(n.name for n in spec.shape or () if isinstance(n, Dim))
        value = Value(self.named(spec), name)
        self._own.add(value)
        return value

    def emit(
        self,
        op: OpDef,
        inputs: Sequence[Value],
        attrs: Attrs,
        regions: Sequence[Graph] = (),
        location: Location | None = None,
    ) -> tuple[Value, ...]:
        """Append a node and return its results; `location` is where, if not the line that runs.

        Raises what the op's spec rule raises, with the operands and the user's line added.
        """
        location = location or self.place or user_location()
        if self.watcher is not None:
            self.watcher.before(self, op, inputs, attrs)
        if self.redirect is not None and not regions:  # what is in those was redirected there
            instead = self.redirect(self, op, inputs, attrs)
            if isinstance(instead, list):
                return tuple(instead)
            op, inputs, attrs = instead
        specs = [value.spec for value in inputs]
        try:
            rule = (
                op.spec(*specs, **attrs, regions=regions) if regions else op.spec(*specs, **attrs)
            )
        except (TypeError, ValueError) as error:  # an IndexError is NumPy's own, text and all
            _explain(error, op, specs, location)
            raise
        found = rule if isinstance(rule, tuple) else (rule,)
        results = tuple(Value(self.named(spec)) for spec in found)
        own = tuple(map(self.resolve, inputs))
        self.progress.add()
        self.nodes.append(Node(op, own, attrs, tuple(regions), results, location))
        self._own.update(results)
        return results

    def copy(
        self,
        node: Node,
        inputs: Sequence[Value],
        regions: Sequence[Graph],
        specs: Sequence[TensorSpec | None] | None = None,
    ) -> tuple[Value, ...]:
        """Append a node of another graph once more and return its results.

        Args:
            node: whose unknown sizes mean the same here; see `reserve`.
            inputs: what stands for its operands here.
            regions: what stands for its regions; they share no values with them.
            specs: of the results; None for one that the op's rule is asked for, as for those that
                follow. Those of the node's own results if not given.
        """
        known = [x.spec for x in node.results] if specs is None else specs
        own = tuple(map(self.resolve, inputs))
        found: Sequence[TensorSpec | None] = known
        if regions:
            rule = node.op.spec(*(x.spec for x in own), **node.attrs, regions=regions)
            assert isinstance(rule, tuple)
            found = [x or by_rule for x, by_rule in zip_longest(known, rule)]
        results = tuple(Value(self.named(spec)) for spec in found if spec is not None)
        self.progress.add()
        self.nodes.append(Node(node.op, own, node.attrs, tuple(regions), results, node.location))
        self._own.update(results)
        return results

    def reserve(self, graph: Graph) -> None:
        """Keep the names of the unknown sizes of a graph for its values."""
        values = [*graph.params, *(x for node in graph.nodes for x in node.results)]
        for value in values:
            self._user_dims.update(n.name for n in value.spec.shape or () if isinstance(n, Dim))

    def resolve(self, value: Value) -> Value:
        """Return what stands for a value here: itself, or the parameter that captures it."""
        if value in self._own:
            return value
        captured = self.captures.get(value)
        if captured is None:
            if self.parent is None:
                raise LeakedSymbolError("a value of one graph was used in another")
            outer = self.parent.resolve(value)
            captured = self.captures.get(outer)
            if captured is None:
                captured = self.captures[outer] = Value(value.spec, value.name)
                self._own.add(captured)
            self.captures[value] = captured
        while captured not in self._own:  # what stood for it was cut out, too
            captured = self.captures[captured]
        return captured

    def seal(
        self,
        params: Sequence[Value],
        results: Sequence[Value],
        captures: Sequence[Value] = (),
    ) -> Graph:
        """Close the graph.

        Args:
            params: its own parameters.
            results: what it returns.
            captures: values of the parent that follow as parameters, in this order; they must
                include all that were used (`captured()`).
        """
        own_results = tuple(map(self.resolve, results))
        taken = [self.resolve(value) for value in captures]
        self.is_open = False
        return Graph((*params, *taken), tuple(self.nodes), own_results)

    def has(self, value: Value) -> bool:
        """Tell whether a value was made here, or is one of the parameters so far."""
        return value in self._own

    def captured(self) -> list[Value]:
        """Return the values of the parent that are used here, in order of first use."""
        assert self.parent is not None
        return [outer for outer in self.captures if outer in self.parent._own]

    def encloses(self, other: Builder) -> bool:
        """Tell whether `other` is this builder or builds a region (of a region ...) of it."""
        inner: Builder | None = other
        while inner is not None:
            if inner is self:
                return True
            inner = inner.parent
        return False

    @property
    def root(self) -> Builder:
        """The builder of the whole graph."""
        builder = self
        while builder.parent is not None:
            builder = builder.parent
        return builder

    def mark(self) -> int:
        """Return a mark that `rollback` can return to."""
        return len(self.nodes)

    def rollback(self, mark: int) -> None:
        """Drop the nodes made since `mark`, but for constants, which others may have met."""
        made = self.nodes[mark:]
        self.nodes[mark:] = kept = [x for x in made if not x.inputs and x.op.effect is None]
        self.gone.update(x for node in made if node not in kept for x in node.results)
        self.rollbacks += 1

    def cut(self, mark: int) -> list[Node]:
        """Take the nodes made since `mark` out again, to write them in another way.

        What their results stand for from then on is said by `stand_for`.
        """
        made = self.nodes[mark:]
        del self.nodes[mark:]
        gone = {x for node in made for x in node.results}
        self._own -= gone
        self.constants = {k: x for k, x in self.constants.items() if x not in gone}
        self.snapshots = {k: x for k, x in self.snapshots.items() if x.value not in gone}
        return made

    def put_back(self, mark: int, nodes: Sequence[Node]) -> None:
        """Have nodes that were taken out in the place of those made since a mark."""
        self.nodes[mark:] = nodes
        self._own.update(x for node in nodes for x in node.results)

    def knows(self, value: Value) -> bool:
        """Tell whether a value is one of this graph, or of those around it."""
        is_here = value in self._own or value in self.captures
        return is_here or (self.parent is not None and self.parent.knows(value))

    def stand_for(self, old: Value, new: Value) -> None:
        """Let a value be used wherever one is that was cut out."""
        self.captures[old] = new

    def named(self, spec: TensorSpec) -> TensorSpec:
        """Return a spec with names for the sizes that are unknown."""
        if spec.shape is None or UNKNOWN not in spec.shape:
            return spec
        shape = tuple(self.new_dim() if n == UNKNOWN else n for n in spec.shape)
        return make_spec(spec.dtype, shape, spec.weak)

    def new_dim(self) -> Dim:
        """Return a dimension whose name is not one of the user's."""
        names = (f"d{number}" for number in self._dims)
        return Dim(next(name for name in names if name not in self._user_dims))


def _explain(
    error: Exception, op: OpDef, specs: Sequence[TensorSpec], location: Location | None
) -> None:
    """Add the operands and the user's line to the message of an error."""
    call = f"{op.name}({', '.join(map(str, specs))})"
    place = f"\n{location.describe()}" if location else ""
    if isinstance(error, RuntimeGraphError):
        error.plain_text, error.is_located = str(error), location is not None
    error.args = (f"{call}: {error}{place}",)
