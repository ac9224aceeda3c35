"""Functions made from blocks: which names are theirs, which are declared, what is state.

A name that a block binds stays local to its function unless somebody else needs it: it is read
afterwards, in the next round, or before the block binds it; or it is captured, global or nonlocal
in the user's function, or perhaps unbound where it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import gast

from autograph.analysis.uses import Names
from autograph.analysis.writes import Writes
from autograph.converters.base import Block, Frame
from autograph.source.quote import constant, make, parameter, quote


@dataclass(frozen=True, slots=True)
class Part:
    """A block or test of a converted statement, on its way to become a function."""

    writes: Writes
    outer: frozenset[str]


def part_of(node: gast.AST, name: str, frame: Frame) -> Part:
    """Return the "test", "body" or "orelse" of a statement with the names it shares."""
    function = frame.function
    writes = function.writes.part(node, name)
    needed = function.liveness.after(node) | function.forced
    if isinstance(node, gast.With):
        needed |= function.liveness.on_entry(node, name).difference(_targets(node))
    elif not isinstance(node, gast.For):
        needed |= function.liveness.on_entry(node, "body" if name == "test" else name)
    return Part(writes, needed.intersection(writes.deep))


def _targets(node: gast.AST) -> frozenset[str]:
    """Return the names that a `with` binds before its body."""
    target = node.items[0].optional_vars
    return (
        frozenset(x.id for x in gast.walk(target) if isinstance(x, gast.Name))
        if target
        else frozenset()
    )


def bound_parameter(target: gast.AST, wish: str, part: Part, frame: Frame) -> tuple[str, Block]:
    """Return the parameter of a body, and the statements that take it to the target in a head."""
    if isinstance(target, gast.Name) and target.id not in part.outer | frame.function.scope.globals:
        return target.id, []
    fresh = frame.function.namer.fresh(wish)
    value = make(gast.Name, at=target, id=fresh)
    return fresh, [make(gast.Assign, at=target, targets=[target], value=value)]


def declared(shared: Iterable[str], frame: Frame, at: gast.AST) -> Block:
    """Return `y: ...` for each shared name that is to live in a frame and is not bound there."""
    scope = frame.function.scope
    foreign = frame.outer | scope.globals | scope.nonlocals | frame.direct | frame.declared
    names = [name for name in frame.function.in_order(shared) if name not in foreign]
    frame.declared.update(names)
    return [declaration(name, at) for name in names]


def declared_again(shared: Iterable[str], frame: Frame, at: gast.AST) -> Block:
    """Return `y: ...` for each shared name of a frame that an expression binds.

    What the expression was to bind directly is bound in another function now, perhaps only there.
    """
    scope = frame.function.scope
    foreign = frame.outer | scope.globals | scope.nonlocals | frame.declared | frame.assigned
    names = [name for name in frame.function.in_order(shared) if name not in foreign]
    frame.declared.update(names)
    return [declaration(name, at) for name in names]


def declaration(name: str, at: gast.AST) -> gast.AST:
    """Return `name: ...`, which makes a name local and leaves it unbound."""
    return quote("NAME: ...", at=at, NAME=name)[0]


def inner_frame(part: Part, frame: Frame) -> Frame:
    """Return the frame of the function that a part becomes."""
    shared = {name: None for name in part.writes.direct if name in part.outer}
    writes = part.writes
    return Frame(
        frame.function, frame, part.outer, set(writes.direct), set(writes.assigned), shared
    )


def define(
    name: str, inner: Frame, statements: Block, *, at: gast.AST, parameters: Sequence[str] = ()
) -> gast.AST:
    """Return the function of a frame, made from converted statements."""
    scope = inner.function.scope
    shared = [n for n in inner.function.in_order(inner.shared) if n in inner.direct]
    return quote(
        "def NAME(PARAMETERS):\n    global GLOBALS\n    nonlocal NAMES\n    STATEMENTS",
        at=at,
        NAME=name,
        PARAMETERS=[parameter(item, at=at) for item in parameters],
        GLOBALS=[n for n in shared if n in scope.globals],
        NAMES=[n for n in shared if n not in scope.globals],
        STATEMENTS=statements,
    )[0]


def shared_names(inner: Iterable[Frame], frame: Frame) -> Names:
    """Return what functions bind of the names around them, and note what is passed on."""
    shared = {name: None for one in inner for name in one.shared}
    frame.shared.update((name, None) for name in shared if name in frame.outer)
    return shared


def state(
    node: gast.AST,
    parts: list[Part],
    shared: Names,
    frame: Frame,
    read: frozenset[str] = frozenset(),
) -> tuple[Block, Block]:
    """Return the arguments that name the state: the string, if any, and `discard=`, if any.

    Args:
        node: the statement.
        parts: its blocks.
        shared: what they bind of the names around them.
        frame: of the statement.
        read: what one block reads that another one may have assigned.
    """
    function = frame.function
    others = function.scope.outward | read
    live = function.liveness.after(node) | others
    rarely = live.difference(function.passing.after(node), others)
    kept: Names = {name: None for name in shared if name in live}
    kept.update(_attributes(parts))
    dropped: Names = {name: None for name in shared if name not in live}
    names = [constant(_listed(kept, frame, rarely), at=node)] if kept else []
    if not dropped:
        return names, []
    value = constant(_listed(dropped, frame), at=node)
    return names, [make(gast.keyword, at=node, arg="discard", value=value)]


def _attributes(parts: list[Part]) -> Names:
    """Attributes are state as long as their root is the same object all the time."""
    bound = {name for part in parts for name in part.writes.deep}
    found = {name: None for part in parts for name in part.writes.attributes}
    return {name: None for name in found if name.partition(".")[0] not in bound}


def _listed(names: Names, frame: Frame, rarely: frozenset[str] = frozenset()) -> str:
    function = frame.function
    marked = [
        name + "?"
        if name == function.lowered.result
        else mangled(name, function.class_name) + "~" * (name in rarely)
        for name in function.in_order(names)
    ]
    return ", ".join(marked)


def mangled(name: str, class_name: str | None) -> str:
    """Return a dotted name as it is at run time, where class-private parts are renamed."""
    if "__" not in name or class_name is None or not class_name.strip("_"):
        return name
    prefix = f"_{class_name.lstrip('_')}"
    parts = name.split(".")
    private = [part.startswith("__") and not part.endswith("__") for part in parts]
    return ".".join(
        prefix + part if hidden else part for part, hidden in zip(parts, private, strict=True)
    )
