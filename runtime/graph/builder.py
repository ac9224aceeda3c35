"""Building graphs: `emit` is the only door to a node.

Comes in: ops with values. Goes out: nodes in order, then a closed `Graph`. A builder with a parent
builds a region; a value of the parent that is used in it becomes a parameter when it is sealed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Protocol, TypeAlias

from runtime.errors import LeakedSymbolError
from runtime.graph.location import Location, user_location
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.spec import UNKNOWN, Dim, TensorSpec, make_spec

Inputs: TypeAlias = Sequence[Value]
Attrs: TypeAlias = Mapping[str, Any]
Call: TypeAlias = tuple[OpDef, Inputs, Attrs]


class Catcher(Protocol):
    """A `try` whose body is being built."""

    def redirect(self, builder: Builder, op: OpDef, inputs: Inputs, attrs: Attrs) -> Call:
        """Return the call of an op that stands for one that may raise in the body."""

    def catches(self, error: BaseException) -> bool:
        """Tell whether it, or one around it, catches an error."""

    def leave(
        self, builder: Builder, error: BaseException, test: Value
    ) -> tuple[Inputs, dict[str, Any]]:
        """Return operands and attributes of the `fail` that raises an error that is caught."""


ASSIGNED: list[Callable[[Any, Any, Value], None]] = []
"""What is called in a graph with variables for a symbol that was written, with its old value."""


class Builder:
    """A graph, or a region of one, while it is being built.

    Args:
        parent: the builder of the enclosing graph, for a region.

    `depth` tells how many graphs are around it. `constants` maps what identifies a constant to its
    value here. `mutations` holds the objects
    from outside that were written while this was built, by id, with what they held before.
    `undefined` says of variables, by name, why they may have no value; `frozen` says of objects, by
    id, why they may not be written here any more; `checked` holds the truth values that have been
    checked here, by id, so that none of them dies and leaves its id to another. `written` says of
    places which symbols were written in them, when, and where; `shared_reads` are the places of
    symbols from outside that may be in several. `has_forgotten` tells whether an array from
    outside, which was known, became staged meanwhile. `catcher` is the innermost `try` around
    what is being built; `tries` identifies those that are staged, and joins that must not copy;
    `points` numbers where they are left. `copies` are the joins that copied containers of Python,
    `unshared` the containers that may be copied, `made` those that were made for a round of a loop,
    by id. `lists` is what the tracer knows of Python lists whose items are staged; `choices` are
    the options of all choices that were made, `joins` where those of containers were. `variables`
    holds the variables that were used, by id, with what they hold here; `created` are those that
    were created. `outside` are arrays, by id, that become parameters when they are used; `taken`
    are those that did, `used` says where. `asked` are the names of attributes that the program
    computed.
    """

    def __init__(self, parent: Builder | None = None) -> None:
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.nodes: list[Node] = []
        self.captures: dict[Value, Value] = {}
        self.constants: dict[Any, Value] = {}
        self.frozen: dict[int, tuple[Any, str]] = {}
        self.checked: dict[int, Any] = {}
        self.written: dict[Any, dict[int, tuple[Any, int, Builder]]] = {}
        self.shared_reads: set[Any] = set()
        self.has_forgotten = False
        self.mutations: dict[int, tuple[Any, Any]] = {}
        self.undefined: dict[str, str] = parent.undefined if parent is not None else {}
        self.is_open = True
        self.location = user_location()
        self.catcher: Catcher | None = parent.catcher if parent is not None else None
        self.tries: set[Any] = parent.tries if parent is not None else set()
        self.points: count[int] = parent.points if parent is not None else count(1)
        self.lists: Any = parent.lists if parent is not None else None
        self.copies: list[Any] = []
        self.made: Mapping[int, Any] = {}
        self.unshared: dict[Any, Any] = parent.unshared if parent is not None else {}
        self.choices: list[Any] = parent.choices if parent is not None else []
        self.joins: list[Any] = parent.joins if parent is not None else []
        self.variables: dict[int, Any] = parent.variables if parent is not None else {}
        self.created: list[Any] = parent.created if parent is not None else []
        self.outside: dict[int, tuple[Any, str]] = {}
        self.taken: dict[int, tuple[Any, Value]] = {}
        self.used: dict[int, set[Any]] = {}
        self.asked: set[str] = parent.asked if parent is not None else set()
        self._own: set[Value] = set()
        self._dims: count[int] = parent._dims if parent is not None else count()
        self._user_dims: set[str] = parent._user_dims if parent is not None else set()

    def param(self, spec: TensorSpec, name: str | None = None) -> Value:
        """Return a new parameter; which ones the graph has is said when it is sealed."""
        self._user_dims.update(n.name for n in spec.shape or () if isinstance(n, Dim))
        value = Value(self._name_dims(spec), name)
        self._own.add(value)
        return value

    def emit(
        self,
        op: OpDef,
        inputs: Sequence[Value],
        attrs: Mapping[str, Any],
        regions: Sequence[Graph] = (),
        location: Location | None = None,
    ) -> tuple[Value, ...]:
        """Append a node and return its results; `location` is where, if not the line that runs.

        Raises what the op's spec rule raises, with the operands and the user's line added.
        """
        location = location or user_location()
        if self.catcher is not None and not regions:  # what is inside of those was redirected there
            op, inputs, attrs = self.catcher.redirect(self, op, inputs, attrs)
        specs = [value.spec for value in inputs]
        try:
            rule = (
                op.spec(*specs, **attrs, regions=regions) if regions else op.spec(*specs, **attrs)
            )
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            _explain(error, op, specs, location)
            raise
        found = rule if isinstance(rule, tuple) else (rule,)
        results = tuple(Value(self._name_dims(spec)) for spec in found)
        own = tuple(map(self.resolve, inputs))
        self.nodes.append(Node(op, own, attrs, tuple(regions), results, location))
        self._own.update(results)
        return results

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
        self.checked.clear()
        self.nodes[mark:] = [x for x in made if not x.inputs and x.op.effect is None]

    def _name_dims(self, spec: TensorSpec) -> TensorSpec:
        if spec.shape is None or UNKNOWN not in spec.shape:
            return spec
        shape = tuple(self._new_dim() if n == UNKNOWN else n for n in spec.shape)
        return make_spec(spec.dtype, shape, spec.weak)

    def _new_dim(self) -> Dim:
        """Return a dimension whose name is not one of the user's."""
        names = (f"d{number}" for number in self._dims)
        return Dim(next(name for name in names if name not in self._user_dims))


def _explain(
    error: Exception, op: OpDef, specs: Sequence[TensorSpec], location: Location | None
) -> None:
    """Add the operands and the user's line to the message of an error."""
    call = f"{op.name}({', '.join(map(str, specs))})"
    place = f"\n{location.describe()}" if location else ""
    error.args = (f"{call}: {error}{place}",)
