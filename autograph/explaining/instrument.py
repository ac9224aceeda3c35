"""Converted code in which each operator says at which site of the source it stands.

In: a function as a gast node, and its sites. Out: which sites are converted, with their variables,
and the rewritten tree, in which `ag.if_(...)` has become `ag[3].if_(...)`: the site's number. Loops
also tell when a condition is asked and when a round begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import gast

from autograph.converters.pipeline import rewrite
from autograph.explaining.sites import OPERATORS, Site
from autograph.source.names import identifiers
from autograph.source.quote import Position, position, quote, quote_expression


@dataclass(frozen=True)
class Converted:
    """What is known of a site that is converted.

    Attributes:
        operator: its name, `while_`.
        state: the variables that are needed afterwards.
        discarded: the others that it assigns.
        is_negated: whether it asks for the opposite of what is written: `if not x: continue`
            becomes an `if x` around the rest of the round.
    """

    operator: str
    state: tuple[str, ...]
    discarded: tuple[str, ...]
    is_negated: bool


@dataclass(frozen=True)
class Instrumented:
    """A rewritten function whose operators know their sites.

    Attributes:
        tree: of the function.
        sites: what became of those that are converted, by their index.
    """

    tree: gast.AST
    sites: Mapping[int, Converted]


def instrument(
    function: gast.AST,
    sites: Sequence[Site],
    *,
    operators: str,
    modules: Mapping[str, str],
    class_name: str | None,
) -> Instrumented:
    """Rewrite a function and mark its operators.

    Args:
        function: the function without decorators; it is not changed.
        sites: of the function.
        operators: the name of the operators in the new code.
        modules: names that are bound to modules.
        class_name: the class around it.
    """
    written = frozenset(identifiers(function))
    tree = rewrite(
        function, operators=operators, modules=modules, class_name=class_name, traced=True
    )
    calls = _operator_calls(tree, operators)
    bodies = _bodies(tree)
    found = {}
    for index, site in enumerate(sites):
        call = _call_of(site, calls)
        if call is not None:
            found[index] = _described(call, written, _is_negated(site, call))
            _mark(call, index, operators, bodies)
    return Instrumented(tree, found)


def _operator_calls(tree: gast.AST, operators: str) -> dict[tuple[Position, str], gast.AST]:
    """Return the calls of operators; of two at one place the inner one, which is the user's."""
    found: dict[tuple[Position, str], gast.AST] = {}
    for node in _outside_in(tree):
        is_call = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)
        if is_call and isinstance(node.func.value, gast.Name) and node.func.value.id == operators:
            found[position(node), node.func.attr] = node
    return found


def _outside_in(tree: gast.AST) -> Iterator[gast.AST]:
    """Yield nodes by depth; the functions of arms stand before the call that they are arms of."""
    level = [tree]
    while level:
        yield from level
        level = [part for node in level for part in gast.iter_child_nodes(node)]


def _bodies(tree: gast.AST) -> dict[tuple[Position, str], gast.AST]:
    definitions = (node for node in gast.walk(tree) if isinstance(node, gast.FunctionDef))
    return {(position(node), node.name): node for node in definitions}


def _call_of(site: Site, calls: Mapping[tuple[Position, str], gast.AST]) -> gast.AST | None:
    keys = ((place, name) for place in site.positions for name in sorted(OPERATORS[site.kind]))
    return next((calls[key] for key in keys if key in calls), None)


def _is_negated(site: Site, call: gast.AST) -> bool:
    negated = site.negated
    if negated is None:
        return False
    return (call.args[0].lineno, call.args[0].col_offset) == (negated.lineno, negated.col_offset)


def _described(call: gast.AST, written: frozenset[str], is_negated: bool) -> Converted:
    """The variables of our own making, such as the flag of a `break`, are not told."""
    fixed = {"if_": 3, "while_": 2, "for_": 2}.get(call.func.attr)
    state = call.args[fixed].value if fixed is not None and len(call.args) > fixed else ""
    discard = [word.value.value for word in call.keywords if word.arg == "discard"]
    names = [_names(text, written) for text in (state, *discard)]
    return Converted(call.func.attr, names[0], names[1] if discard else (), is_negated)


def _names(text: str, written: frozenset[str]) -> tuple[str, ...]:
    names = (part.strip().rstrip("?~") for part in text.split(",") if part.strip())
    return tuple(name for name in names if name.partition(".")[0] in written)


def _mark(
    call: gast.AST,
    index: int,
    operators: str,
    bodies: Mapping[tuple[Position, str], gast.AST],
) -> None:
    call.func.value = quote_expression(
        "OPERATORS[INDEX]",
        at=call,
        OPERATORS=operators,
        INDEX=gast.copy_location(gast.Constant(index, None), call),
    )
    if call.func.attr not in ("while_", "for_"):
        return
    test, body = call.args[:2]
    if call.func.attr == "while_" and isinstance(test, gast.Lambda):
        test.body = quote_expression(
            "SITE.tested(TEST)", at=test, SITE=_copy(call.func.value), TEST=test.body
        )
    definition = bodies.get((position(call), body.id))
    if definition is not None:
        start = sum(isinstance(x, (gast.Global, gast.Nonlocal)) for x in definition.body[:2])
        begin = quote("SITE.round()", at=call, SITE=_copy(call.func.value))
        definition.body[start:start] = begin


def _copy(site: gast.AST) -> gast.AST:
    name = gast.copy_location(gast.Name(site.value.id, gast.Load(), None, None), site)
    index = gast.copy_location(gast.Constant(site.slice.value, None), site)
    return gast.copy_location(gast.Subscript(name, index, gast.Load()), site)
