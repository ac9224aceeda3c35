"""Tracing: running a function on symbols, once, to get its graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from autograph.function.outside import Outside
from autograph.function.unconverted import explain_unconverted
from runtime import trees
from runtime.control.trying import TryAgain
from runtime.dispatch import value_of
from runtime.errors import StagedBoolError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Value
from runtime.mode import building
from runtime.spec import TensorSpec
from runtime.tensor import Symbol


@dataclass(frozen=True, slots=True)
class Output:
    """Where one leaf of a function's result comes from.

    Args:
        kind: `"result"` of the graph, `"argument"` (the array that was passed), or `"static"`.
        position: which result or which tensor argument.
        value: the Python object, for a static one.
    """

    kind: str
    position: int = 0
    value: Any = None


@dataclass(frozen=True, slots=True)
class Trace:
    """What tracing found.

    Args:
        graph: the graph; its results are those of `outputs`, then the `writes`.
        structure: the tree that the function returns.
        outputs: the leaves of that tree.
        writes: the tensor arguments that the function writes in place.
    """

    graph: Graph
    structure: Any
    outputs: tuple[Output, ...]
    writes: tuple[int, ...]


Fill: TypeAlias = Callable[[Sequence[Any]], tuple[tuple[Any, ...], dict[str, Any]]]


def trace(
    function: Callable[..., Any],
    specs: Sequence[TensorSpec],
    names: Sequence[str],
    fill: Fill,
    owners: Iterable[tuple[str, Any]] = (),
) -> Trace:
    """Trace a function.

    Args:
        function: the converted function.
        specs: of the tensors among its arguments.
        names: of those tensors.
        fill: returns positional and keyword arguments that hold the given symbols.
        owners: objects that the function can reach, with their names.

    Raises:
        MutationError: the function assigned a staged value to something outside of itself.
        Whatever the function raises; no half-built state is left.
    """
    owners = list(owners)
    tries: set[Any] = set()
    while (found := _trace_once(function, specs, names, fill, owners, tries)) is None:
        pass
    return found


def _trace_once(
    function: Callable[..., Any],
    specs: Sequence[TensorSpec],
    names: Sequence[str],
    fill: Fill,
    owners: Iterable[tuple[str, Any]],
    tries: set[Any],
) -> Trace | None:
    """Trace a function and stage these `try` statements in it; add one when that is needed."""
    builder = Builder()
    builder.tries.update(tries)
    outside = Outside(function, owners)
    try:
        params = [builder.param(spec, name) for spec, name in zip(specs, names, strict=True)]
        symbols = [Symbol(builder, value) for value in params]
        for symbol in symbols:
            symbol.is_param = True
        args, kwargs = fill(symbols)
        with building(builder):
            found = _finish(builder, symbols, function(*args, **kwargs))
        refused = outside.restore()
        if refused is not None:
            raise refused
        return found
    except TryAgain as needed:
        tries.add(needed.key)
        return None
    except NameError as error:
        _explain_undefined(builder, error)
        raise
    except RecursionError as error:
        raise RecursionError(
            f"{function.__qualname__} calls itself in a branch of a staged condition: tracing runs "
            "both branches, so it never ends. Write the recursion as a loop"
        ) from error
    except StagedBoolError as error:
        explain_unconverted(error)
        raise
    finally:
        outside.restore()
        builder.is_open = False


def _finish(builder: Builder, symbols: Sequence[Symbol], returned: Any) -> Trace:
    leaves, structure = trees.flatten(returned)
    writes = tuple(k for k, symbol in enumerate(symbols) if symbol.was_written)
    positions = {id(symbol): k for k, symbol in enumerate(symbols)}
    values: list[Value] = []
    outputs = []
    for leaf in leaves:
        if not isinstance(leaf, Symbol):
            outputs.append(Output("static", value=leaf))
        elif id(leaf) in positions:
            outputs.append(Output("argument", positions[id(leaf)]))
        else:
            outputs.append(Output("result", len(values)))
            values.append(value_of(leaf))
    values += [value_of(symbols[k]) for k in writes]
    params = [symbol.first for symbol in symbols]
    return Trace(builder.seal(params, values), structure, tuple(outputs), writes)


_VARIABLE = re.compile(r"variable '(\w+)'")


def _explain_undefined(builder: Builder, error: NameError) -> None:
    """Say why a variable has no value, when a staged branch or loop is the reason."""
    found = _VARIABLE.search(str(error))
    reason = builder.undefined.get(found.group(1)) if found else None
    if found is not None and reason is not None:
        error.args = (
            f"{error}: {reason}, and which way the graph goes is known only when it runs. "
            f"Give {found.group(1)!r} a value before",
        )
