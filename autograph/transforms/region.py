"""A function traced into a closed graph, to be written into the graph that is being built.

Comes in: a function and its arguments. Goes out: the graph of what it does to some leaves of them,
with what it uses from outside as further parameters, and how its result is made again.

A function that is differentiated runs where it is called, as any other (`written_again`): what it
computed is taken out of the graph and written once more, with what its derivative needs, and that
is what it is wherever the function has put it. Rules are regions of their own (`close`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import runtime.numpy as rnp
from autograph.staging.copies import adopt_copies
from autograph.staging.deferred_errors import emit_check
from autograph.staging.region import Region, trace_region
from runtime import default_graph, trees
from runtime.aliasing import commit_writes
from runtime.autodiff.cut_out import CutOut
from runtime.dispatch import apply, as_value, value_of, write_back
from runtime.dispatch import write as write_into
from runtime.dtypes import promote
from runtime.errors import DtypeError, LeakedSymbolError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Value
from runtime.ops.elementwise import cast
from runtime.passes.inline import write_steps
from runtime.spec import TensorSpec
from runtime.tensor import Symbol
from runtime.union import Choice, is_numeric, leaf_spec, values_of


def current_builder() -> Builder:
    """Return the builder of the graph that is being built."""
    builder = default_graph.current()
    if builder is None:
        raise LeakedSymbolError("a derivative that was begun in a graph is asked for outside of it")
    return builder


@dataclass(frozen=True, slots=True)
class Returned:
    """What a function returned: the structure of it, and its leaves, some of them values."""

    structure: trees.Structure
    leaves: tuple[Any, ...]

    @property
    def values(self) -> list[Value]:
        """The leaves that are values of the graph."""
        return [x for x in self.leaves if isinstance(x, Value)]

    def filled(self, values: Sequence[Any]) -> Any:
        """Return it with something in the place of the values."""
        rest = iter(values)
        leaves = [next(rest) if isinstance(x, Value) else x for x in self.leaves]
        return trees.unflatten(self.structure, leaves)


@dataclass(frozen=True, slots=True)
class Closed:
    """A function as a graph.

    Args:
        graph: from the arguments, then what is captured, to the results, then what was written.
        captured: values from outside.
        returned: what the function returned.
        writes: what takes what was written, outside.
    """

    graph: Graph
    captured: list[Value]
    returned: Returned
    writes: Sequence[Callable[[Value], None]]


def close(function: Callable[[Sequence[Any]], Any], given: Sequence[Any]) -> Closed:
    """Trace a function into a closed graph.

    Args:
        function: is called with symbols that stand for `given`.
        given: symbols, arrays or numbers, or their specs.
    """
    builder = current_builder()
    specs = [x if isinstance(x, TensorSpec) else as_value(builder, x).spec for x in given]
    found: list[Returned] = []

    def run(*symbols: Any) -> None:
        for symbol, outer in zip(symbols, given, strict=True):
            symbol.is_cell = isinstance(outer, Symbol) and outer.is_cell
        found.append(_returned(function(symbols)))

    region = trace_region(builder, run, specs)
    (returned,) = found
    writes, values = _writes(builder, region, given)
    captured = region.builder.captured()
    sealed = region.builder.seal(region.params, [*returned.values, *values], captured)
    graph = write_steps(sealed, builder.new_dim)
    commit_writes(builder, region.builder)
    adopt_copies(builder, region.builder)
    return Closed(graph, captured, returned, writes)


def written_again(
    function: Callable[[Sequence[Any]], Any],
    given: Sequence[Any],
    write_again: Callable[[Graph, Sequence[Value], int], Sequence[Value]],
) -> Returned:
    """Run a function as a part of the graph that is being built, and write what it did once more.

    Args:
        function: is called with symbols that stand for `given`.
        given: symbols, arrays or numbers.
        write_again: takes what the function did as a graph, its operands, of which the first are
            `given`, and how many of its results the function returned; the others are all that it
            computed. It returns what stands for the results.

    Returns:
        What the function returned, of values that `write_again` replaced.

    Raises:
        DerivativeError: a tape that was begun before is asked for a gradient in the function.
    """
    builder = current_builder()
    cut = CutOut(builder, [as_value(builder, x) for x in given])
    symbols = [Symbol(builder, x) for x in cut.params]
    for symbol, outer in zip(symbols, given, strict=True):
        symbol.is_cell = isinstance(outer, Symbol) and outer.is_cell
    returned = _returned(function(symbols))
    values = returned.values

    def write(graph: Graph, operands: Sequence[Value]) -> Sequence[Value]:
        return write_again(write_steps(graph, builder.new_dim), operands, len(values))

    cut.write_again(values, write)
    for symbol, outer in zip(symbols, given, strict=True):
        if symbol.was_written and isinstance(outer, Symbol):
            write_into(outer, Symbol(builder, value_of(symbol)))
    return returned


def _returned(result: Any) -> Returned:
    leaves, structure = trees.flatten(result)
    builder = current_builder()
    made = (builder.resolve(as_value(builder, x)) if is_numeric(x) else x for x in leaves)
    return Returned(structure, tuple(made))


def as_one(leaf: Any) -> Any:
    """Return a number of one of several kinds as one of the dtype that holds them all.

    Where it may also be something else, as None, that is an error when the graph runs.
    """
    options = values_of(leaf) if type(leaf) is Choice else []
    numbers = list(filter(is_numeric, options))
    if not numbers:
        return leaf
    for k, option in enumerate(options):
        if not is_numeric(option):
            kind = trees.flatten(option)[1]
            emit_check(trees.flatten(leaf)[0][0] != k, DtypeError(_NO_NUMBER.format(kind)))
    dtype = promote(*(leaf_spec(x).dtype for x in numbers))

    def one(x: Any) -> Symbol:
        builder, x = current_builder(), x if is_numeric(x) else rnp.zeros_like(numbers[0])
        return Symbol(builder, as_value(builder, apply(cast, [x], dtype=dtype.name)))

    return Choice.each(leaf, one)


_NO_NUMBER = "a function that is differentiated, or has a batch, returned {} in place of a number"


def with_single_kinds(result: Any) -> Any:
    """Return a structure in which each number is of one kind."""
    leaves, structure = trees.flatten_to(result, lambda x: type(x) is Choice)
    return trees.unflatten(structure, list(map(as_one, leaves)))


def _writes(
    builder: Builder, region: Region, given: Sequence[Any]
) -> tuple[list[Callable[[Value], None]], list[Value]]:
    """Return what takes what a region has written, and the values of that in the region."""
    takers: list[Callable[[Value], None]] = []
    values: list[Value] = []
    with default_graph.building(region.builder):
        for symbol, outer in zip(region.symbols, given, strict=True):
            if symbol.was_written and isinstance(outer, Symbol):
                takers.append(partial(_write, builder, outer))
                values.append(value_of(symbol))
    for symbol, value in region.writes:
        takers.append(partial(write_back, symbol))
        values.append(value)
    return takers, values


def _write(builder: Builder, symbol: Symbol, new: Value) -> None:
    write_into(symbol, Symbol(builder, new))
