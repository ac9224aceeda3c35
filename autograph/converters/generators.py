"""Generators whose steps are emitted: a function that calls another one where it would yield.

    def evens(xs):                ->   def evens(xs, *, emit):
        for x in xs:                       for x in xs:
            if x % 2 == 0:                     if x % 2 == 0:
                yield x                            if emit(x):
                                                       return

So the body of the loop that consumes the steps becomes a part of the generator's own loops and
branches, and is staged with them. What `emit` returns tells whether the consumer wants no more:
then the generator ends, as Python ends one that nobody holds any more. Where the consumer takes
everything, `emit(x)` stands alone, and loops stay as simple as they are.

Errors of the consumer go through the generator here, and do not in Python. So a generator that
might catch one, in a `try` with handlers or in a `with` around a `yield`, is refused. Under
`contextlib.contextmanager` they do in Python, too: there the block of the `with` is the consumer.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import gast

from autograph.analysis.jumps import inner_blocks
from autograph.converters.base import Frame
from autograph.errors import UnsupportedSyntaxError
from autograph.source.names import Namer
from autograph.source.quote import make, name, parameter, quote
from autograph.source.walk import nodes_in

_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)
_STEPS = (gast.Yield, gast.YieldFrom)


class Steps(Enum):
    """What the steps of a generator are emitted to."""

    ALL = " emitting"  # takes all of them
    UNTIL = " emitting until it is stopped"  # tells when it wants no more
    ONCE = " emitting once"  # the block of a `with`
    RESUMED = " resumed"  # to nobody: the generator goes on from where it was left
    KEPT = " kept"  # to nobody: the generator stays one, with its expressions converted


class Emit(gast.expr):
    """A step of a generator, between this and the rewriting of expressions."""

    _fields = ("receiver", "value")

    def __init__(self, receiver: gast.AST, value: gast.AST) -> None:
        super().__init__()
        self.receiver = receiver
        self.value = value
        gast.copy_location(self, value)


def convert_emit(node: Emit, frame: Frame) -> gast.AST:
    """Return the call, which is made as it is."""
    value = frame.expression(node.value)
    return make(gast.Call, at=node, func=node.receiver, args=[value], keywords=[])


def emit_steps(function: gast.AST, namer: Namer, steps: Steps) -> None:
    """Change a generator, in place, to a function that emits its steps.

    Args:
        function: the generator; its last keyword-only parameter will be what it emits to.
        namer: gives names.
        steps: what they are emitted to.

    Raises:
        UnsupportedSyntaxError: it waits for what is sent; it could catch an error of its consumer,
            or does not yield once, where that is a `with`.
    """
    _check(function, steps)
    receiver = namer.fresh("emit")
    function.args.kwonlyargs.append(parameter(receiver, at=function))
    function.args.kw_defaults.append(None)
    function.body = _block(function.body, receiver, namer, steps is Steps.UNTIL)


def check_kept(function: gast.AST) -> None:
    """Raise UnsupportedSyntaxError if a generator yields inside of a larger expression."""
    values = {id(getattr(node, "value", None)) for node in nodes_in(function) if _is_whole(node)}
    for node in own_nodes(function):
        if isinstance(node, _STEPS) and id(node) not in values:
            raise UnsupportedSyntaxError(
                f"The generator {function.name} yields inside of an expression.",
                at=node,
                hint="Assign what `yield` gives to a variable.",
            )


def _is_whole(node: gast.AST) -> bool:
    return isinstance(node, gast.Expr | gast.Assign | gast.AnnAssign | gast.AugAssign | gast.Return)


def _block(block: list[gast.AST], receiver: str, namer: Namer, stops: bool) -> list[gast.AST]:
    result: list[gast.AST] = []
    for statement in block:
        if not isinstance(statement, _FUNCTIONS):
            for inner in inner_blocks(statement):
                inner[:] = _block(inner, receiver, namer, stops)
        step = statement.value if isinstance(statement, gast.Expr) else None
        if isinstance(step, gast.Yield):
            value = step.value or make(gast.Constant, at=step, value=None)
            result += emitted(value, receiver, stops, step)
        elif isinstance(step, gast.YieldFrom):
            item = namer.fresh("item")
            body = emitted(name(item, at=step), receiver, stops, step)
            target = make(gast.Name, at=step, id=item, ctx=gast.Store())
            fields = {"target": target, "iter": step.value, "body": body, "orelse": []}
            result.append(make(gast.For, at=step, **fields, type_comment=None))
        elif isinstance(statement, gast.Return) and statement.value is not None:
            value, statement.value = statement.value, None
            result += [make(gast.Expr, at=statement, value=value), statement]
        else:
            result.append(statement)
    return result


def emitted(value: gast.AST, receiver: str, stops: bool, at: gast.AST) -> list[gast.AST]:
    """Return the statements that give an item to the receiver."""
    step = Emit(name(receiver, at=at), value)
    return quote("if STEP:\n    return" if stops else "STEP", at=at, STEP=step)


def may_catch(function: gast.AST) -> bool:
    """Tell whether a generator has a handler, or a `with`, around a step."""
    return any(_has_handler(node) for node in own_nodes(function))


def _check(function: gast.AST, steps: Steps) -> None:
    known = set(_lone_steps(function.body))
    if steps is Steps.ONCE:
        _check_once(function)
    for node in own_nodes(function):
        if isinstance(node, _STEPS) and node not in known:
            raise UnsupportedSyntaxError(
                f"The generator {function.name} uses what is sent to it, or what `yield from` "
                "gives, and which step comes next is known only when the graph runs.",
                at=node,
                hint="Write `yield x` as a statement of its own, and give the generator what it "
                "needs as arguments.",
            )
        if steps is not Steps.ONCE and _could_catch(node):
            raise UnsupportedSyntaxError(
                f"The generator {function.name} yields inside of `with`, of `finally`, or of "
                "`try` with `except`, which would see errors of the loop that goes over it.",
                at=node,
                hint="Compute the value inside, and yield it after the statement.",
            )


def _lone_steps(block: list[gast.AST]) -> Iterator[gast.AST]:
    for statement in block:
        if isinstance(statement, gast.Expr) and isinstance(statement.value, _STEPS):
            yield statement.value
        elif not isinstance(statement, _FUNCTIONS):
            for inner in inner_blocks(statement):
                yield from _lone_steps(inner)


def own_nodes(function: gast.AST) -> list[gast.AST]:
    """Return the nodes of a function without those of functions inside it."""
    hidden = {
        id(node)
        for inner in nodes_in(function)
        if isinstance(inner, _FUNCTIONS) and inner is not function
        for node in nodes_in(inner)
    }
    return [node for node in nodes_in(function) if id(node) not in hidden]


def _check_once(function: gast.AST) -> None:
    own = own_nodes(function)
    steps = [node for node in own if isinstance(node, _STEPS)]
    loops = [
        node for node in own if isinstance(node, (gast.For, gast.While)) and _has_steps(node.body)
    ]
    if len(steps) != 1 or loops or not isinstance(steps[0], gast.Yield):
        raise UnsupportedSyntaxError(
            f"The context manager {function.name} may handle what the block of a `with` raises "
            "when the graph runs, and has not one `yield` outside of loops.",
            at=function,
            hint="Write one `yield` in its `try`, or a class with __enter__ and __exit__.",
        )


def _could_catch(node: gast.AST) -> bool:
    """Tell whether a statement around a step sees errors of whoever takes that."""
    is_try = isinstance(node, gast.Try | gast.TryStar)
    return _has_handler(node) or (is_try and _has_steps(node.finalbody))


def _has_handler(node: gast.AST) -> bool:
    if isinstance(node, gast.Try | gast.TryStar):
        return bool(node.handlers) and _has_steps(node.body)
    return isinstance(node, gast.With) and _has_steps(node.body)


def _has_steps(block: list[gast.AST]) -> bool:
    return any(_lone_steps(block))
