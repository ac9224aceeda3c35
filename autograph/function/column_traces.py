"""Traces for lists of numbers, whatever these are and however many: they are given in columns.

Comes in: the arguments of calls that need a trace. Goes out: after several that differ only in such
lists, or once one has another length, what to trace so that one serves all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.function.cache import Cache
from autograph.function.concrete import ConcreteFunction
from autograph.function.shape_relaxation import Types, generalised_like
from autograph.function.tracetype import TensorType, TraceType, trace_type
from autograph.function.tracing import Tracer
from autograph.operators.lists.list_columns import LONG, Columns, in_columns, longest, varies
from runtime import trees
from runtime.errors import MutationError
from runtime.spec import Dim, make_spec


class ColumnTraces:
    """Which arguments of a function are given in columns.

    Args:
        enough: how many traces for lists of a kind there are before one serves all of them.
        by_length: whether short lists, too, have one trace once they come in several lengths.

    Attributes:
        is_refused: whether such a trace could not be made.
    """

    def __init__(self, enough: int, by_length: bool) -> None:
        self._enough, self._by_length = enough, by_length
        self._seen: dict[trees.Structure, list[Types]] = {}
        self._served: set[trees.Structure] = set()
        self._lengths: dict[int | str, int] = {}
        self._varying: set[int | str] = set()
        self.is_refused = False

    def found(self, cache: Cache, bound: Any) -> tuple[ConcreteFunction, list[Any]] | None:
        """Return the trace that serves arguments in columns, if any, and its tensors."""
        if not self._served:
            return None
        leaves, structure = trees.flatten(in_columns(bound, self._varying))
        if structure not in self._served:
            return None
        concrete = cache.find(structure, tuple(map(trace_type, leaves)))
        if concrete is None:
            return None
        pairs = zip(leaves, concrete.types, strict=True)
        return concrete, [x for x, kind in pairs if isinstance(kind, TensorType)]

    def traced(self, bound: Any, tracer: Tracer) -> tuple[trees.Structure, ConcreteFunction] | None:
        """Return a trace for arguments in columns, with their structure; None if it is not time.

        There is none either where the function needs the numbers themselves: then there is no
        trace for numbers of lists as parameters, each by itself, as these would be too many.
        """
        general = None if self.is_refused else self._general(bound)
        if general is None:
            return None
        try:
            found = tracer.concrete(*general).checked()
            found.trace.undo()
            if found.trace.changed:
                raise MutationError("each call is traced, which knows its numbers")
            if found.uses_objects and has_nested(general[0]):
                raise MutationError("lists are numbered with those that are items of others")
        except Exception:
            self.is_refused = True
            return None
        self._served.add(general[0])
        return general[0], found

    def _general(self, bound: Any) -> tuple[trees.Structure, Types, Sequence[Any], Any] | None:
        """Return what to trace: structure, types that serve all that are like it, leaves, all."""
        self._learn_lengths(bound)
        packed = in_columns(bound, self._varying)
        leaves, structure = trees.flatten(packed)
        if not any(entry is not None and entry[0] is Columns for entry in structure.entries):
            return None
        types = _opened(structure, tuple(map(trace_type, leaves)))
        seen = self._seen.setdefault(structure, [])
        is_time = longest(packed) >= LONG or varies(structure)
        enough = 0 if is_time else self._enough
        found = generalised_like(types, seen, enough)
        seen.append(types)
        return None if found is None else (structure, found, leaves, packed)

    def _learn_lengths(self, bound: Any) -> None:
        """Note the arguments that are lists of another length than in the first call."""
        args, kwargs = bound if self._by_length else ((), {})
        given: list[tuple[int | str, Any]] = [*enumerate(args), *kwargs.items()]
        for key, x in given:
            if type(x) is list and self._lengths.setdefault(key, len(x)) != len(x):
                self._varying.add(key)


def has_nested(structure: trees.Structure) -> bool:
    """Tell whether there are lists in lists among arguments in columns."""
    return any(x is not None and x[0] is Columns and x[1].is_nested for x in structure.entries)


def _opened(structure: trees.Structure, types: Types) -> Types:
    """Return types with a length of its own, known when the graph runs, for each list."""
    leaves = iter(types)
    found: list[TraceType] = []
    todo: list[Dim | None] = [None]
    for number, entry in enumerate(structure.entries):
        size = todo.pop()
        if entry is None:
            kind = next(leaves)
            found.append(kind if size is None else _of_length(kind, size))
        elif entry[0] is Columns and entry[1].is_nested:
            todo += [Dim(f"m{number}")] * (entry[2] - 2) + [Dim(f"n{number}")] * 2
        else:
            todo += [Dim(f"n{number}") if entry[0] is Columns else size] * entry[2]
    return tuple(found)


def _of_length(kind: TraceType, size: Dim) -> TraceType:
    assert isinstance(kind, TensorType)
    return TensorType(kind.holder, make_spec(kind.spec.dtype, (size,)), kind.inner)
