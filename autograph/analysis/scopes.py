"""The names of one function: bound, declared, deleted, and captured by functions inside it.

In: a function or lambda as a gast node. Out: a `Scope`. It does not know what runs when:
that is the work of liveness.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import gast

from autograph.analysis.uses import Names, Uses, blocks, parameters

Function: TypeAlias = gast.AST  # FunctionDef, AsyncFunctionDef or Lambda


@dataclass(slots=True)
class Scope:
    """The names of a function, its own parameters among them.

    `captured` holds what functions inside it use of outer names, whether they read or rebind it;
    `free` what it uses without binding it; `order` all names by first appearance in the body.
    """

    parameters: tuple[str, ...]
    bound: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    captured: set[str] = field(default_factory=set)
    free: set[str] = field(default_factory=set)
    inner: set[str] = field(default_factory=set)
    order: dict[str, int] = field(default_factory=dict)
    has_walrus: bool = False
    suspends: bool = False
    sees_frame: bool = False

    @property
    def outward(self) -> set[str]:
        """The names whose value others may see at any time: they are always live."""
        return self.captured | self.globals | self.nonlocals

    def __str__(self) -> str:
        """Each kind of names on a line of its own, sorted."""
        kinds = ("bound", "globals", "nonlocals", "deleted", "captured", "free")
        lines = [f"{kind}: {', '.join(sorted(getattr(self, kind)))}" for kind in kinds]
        return "\n".join(line for line in lines if not line.endswith(": "))


def scope_of(
    function: Function,
    uses: Callable[[gast.AST], Uses],
    scope: Callable[[Function], Scope],
) -> Scope:
    """Return the scope of a function, given how to look up uses and the scopes inside it."""
    result = Scope(tuple(parameter.id for parameter in parameters(function.args)))
    reads: Names = {}
    if isinstance(function, gast.Lambda):
        _add(result, uses(function.body), reads, scope)
    else:
        _add_block(result, function.body, reads, uses, scope)
    result.bound.update(result.parameters)
    result.bound -= result.globals | result.nonlocals
    result.free = (reads.keys() | result.captured | result.nonlocals) - result.bound
    result.free -= result.globals
    return result


def _add_block(
    result: Scope,
    block: list[gast.AST],
    reads: Names,
    uses: Callable[[gast.AST], Uses],
    scope: Callable[[Function], Scope],
) -> None:
    for statement in block:
        _add(result, uses(statement), reads, scope)
        for inner in blocks(statement):
            _add_block(result, inner, reads, uses, scope)


def _add(result: Scope, uses: Uses, reads: Names, scope: Callable[[Function], Scope]) -> None:
    for name in uses.names:
        result.order.setdefault(name, len(result.order))
    reads.update(uses.reads)
    result.bound.update(uses.writes, uses.declares)
    result.deleted.update(uses.deletes)
    result.globals.update(uses.globals)
    result.nonlocals.update(uses.nonlocals)
    result.captured.update(uses.lazy)
    result.inner.update(uses.inner)
    result.has_walrus |= bool(uses.walrus)
    result.suspends |= uses.suspends
    result.sees_frame |= bool(uses.frame_calls)
    for function in uses.nested:
        result.captured.update(scope(function).free)
