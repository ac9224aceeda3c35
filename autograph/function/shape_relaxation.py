"""Traces that serve more calls, after several that differ only in sizes or in numbers of Python.

Comes in: the trace types of the arguments of earlier traces and of a call. Goes out: types that
admit all of them: sizes that differed are open, with one name for those that were always equal, and
numbers of Python that differed are parameters, Python numbers still to promotion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograph.function.concrete import ConcreteFunction
from autograph.function.tracetype import LiteralType, TensorType, TraceType
from runtime.errors import StagedValueError
from runtime.graph.node import Graph
from runtime.spec import WEAK_SPECS, Dim, make_spec

Types = tuple[TraceType, ...]
NUMBERS = (int, float, complex)
AT_ONCE = 1
AFTER_MANY = 4
"""How many traces there are that differ only so before one is made that serves all."""


def generalised(types: Types, earlier: Sequence[ConcreteFunction], enough: int) -> Types | None:
    """Return types that admit a call's and those of traces like it; None if these are too few.

    Args:
        types: of the call.
        earlier: traces with arguments of the same structure.
        enough: how many of them have to be like the call.
    """
    found = generalised_like(types, [one.types for one in earlier], enough)
    return None if found == types else found


def generalised_like(types: Types, earlier: Sequence[Types], enough: int) -> Types | None:
    """Return types that admit some and those of earlier ones like them; None of too few."""
    alike = [one for one in earlier if all(map(_is_alike, one, types))]
    if len(alike) < enough:
        return None
    names: dict[tuple[object, ...], Dim] = {}
    columns = zip(*alike, types, strict=True)
    return tuple(_joined(column, names) for column in columns)


def never_asked(new: ConcreteFunction, earlier: Sequence[ConcreteFunction]) -> ConcreteFunction:
    """Return a trace with numbers as parameters, if no branch or loop depends on one.

    Raises:
        StagedValueError: there are more branches and loops than in a trace for one number.
    """
    is_number = any(isinstance(kind, TensorType) and kind.spec.weak for kind in new.types)
    before = _regions(earlier[-1].traced_graph)
    new.checked()
    if is_number and _regions(new.traced_graph) > before:
        new.trace.undo()
        raise StagedValueError("a branch or a loop depends on a number of Python")
    return new


def _regions(graph: Graph) -> int:
    """Return how many branches and loops a graph has."""
    inner = [region for node in graph.nodes for region in node.regions]
    return len(inner) + sum(map(_regions, inner))


def _is_alike(a: TraceType, b: TraceType) -> bool:
    """Tell whether one type can admit both."""
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        same_kind = (a.holder, a.inner, a.spec.dtype) == (b.holder, b.inner, b.spec.dtype)
        return same_kind and a.spec.rank == b.spec.rank
    if isinstance(b, LiteralType) and b.kind in NUMBERS:
        kind = a.kind if isinstance(a, LiteralType) else getattr(a, "holder", None)
        return kind is b.kind
    return a == b


def as_parameter(kind: TraceType) -> TraceType:
    """Return the type of a number of Python as a parameter, and other types as they are."""
    if isinstance(kind, LiteralType) and kind.kind in NUMBERS:
        return TensorType(kind.kind, WEAK_SPECS[kind.kind])
    return kind


def _joined(column: Sequence[TraceType], names: dict[tuple[object, ...], Dim]) -> TraceType:
    """Return what admits the types of one leaf; `names` are those of sizes, by what they were."""
    first = column[-1]
    if all(kind == first for kind in column):
        return first
    if isinstance(first, LiteralType):
        return as_parameter(first)
    assert isinstance(first, TensorType)
    rows = zip(*_shapes(column), strict=True)
    shape = tuple(
        sizes[0] if len(set(sizes)) == 1 else names.setdefault(sizes, Dim(f"n{len(names)}"))
        for sizes in rows
    )
    return TensorType(first.holder, make_spec(first.spec.dtype, shape), first.inner)


def _shapes(column: Sequence[TraceType]) -> Iterator[tuple[int | Dim, ...]]:
    for kind in column:
        if isinstance(kind, TensorType):
            yield kind.spec.shape or ()
