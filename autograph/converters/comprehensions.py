"""Comprehensions in code that meets lists: both forms, of which an operator takes one.

    [x * 2 for x in xs]          ->   def items(x_s, emit):
                                          for x in x_s:
                                              if emit(x * 2):
                                                  return
                                      ag.list_comprehension(
                                          xs, items, lambda x_s: [x * 2 for x in x_s])

The function stands before the statement; the first iterable is evaluated where the comprehension
was. It comes before all other steps, so that the loop is converted as one of the user's. Generator
expressions and those of sets and dicts likewise. Those that assign variables by `:=`, or that stand
in lambdas, stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from autograph.analysis.facts import Facts
from autograph.analysis.support import is_left_alone
from autograph.analysis.uses import blocks
from autograph.converters.base import Block, Frame, call_operator
from autograph.converters.copies import copied
from autograph.converters.functions import convert_function
from autograph.converters.generators import emitted
from autograph.source.names import Namer
from autograph.source.quote import make, name, parameter, quote_expression
from autograph.source.walk import nodes_in

_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
_OWN = (gast.Lambda, *_COMPREHENSIONS)
_STAY = (gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom)


class ItemsFunction(gast.FunctionDef):
    """The function of a comprehension's loop, which nobody keeps: it captures no names."""


class SpelledOut(gast.expr):
    """Both forms of a comprehension.

    Args:
        operator: takes one of them.
        first: what it goes over first.
        items: the name of the function.
        plain: the lambda.
    """

    _fields = ("first", "items", "plain")

    def __init__(self, operator: str, first: gast.AST, items: gast.AST, plain: gast.AST) -> None:
        super().__init__()
        self.operator, self.first, self.items, self.plain = operator, first, items, plain
        gast.copy_location(self, plain)


def convert_items(node: ItemsFunction, frame: Frame) -> Block:
    """Rewrite the function of a comprehension's loop."""
    fields = {field: getattr(node, field) for field in gast.FunctionDef._fields}
    return convert_function(make(gast.FunctionDef, at=node, **fields), frame)


def convert_spelled_out(node: SpelledOut, frame: Frame) -> gast.AST:
    """Return the call of the operator that takes one of the two forms."""
    arguments = [frame.expression(part) for part in (node.first, node.items, node.plain)]
    return call_operator(node.operator, frame, at=node, arguments=arguments)


def spell_out(function: gast.AST, namer: Namer) -> None:
    """Make loops of the comprehensions in a function, and in the functions inside it."""
    is_lambda = isinstance(function, gast.Lambda)
    if not is_lambda and not is_left_alone(function, Facts().scope(function)):
        function.body = _block(function.body, namer)


def _block(block: list[gast.AST], namer: Namer) -> list[gast.AST]:
    result: list[gast.AST] = []
    for statement in block:
        before: list[gast.AST] = []
        if isinstance(statement, gast.FunctionDef):
            spell_out(statement, namer)
        elif not isinstance(statement, gast.ClassDef | gast.AsyncFunctionDef):
            _statement(statement, before, namer)
        result += [*before, statement]
    return result


def _statement(statement: gast.AST, before: list[gast.AST], namer: Namer) -> None:
    inner = {id(block) for block in blocks(statement)}
    if isinstance(statement, gast.Try | gast.TryStar | gast.Match):
        for part in getattr(statement, "handlers", None) or getattr(statement, "cases", []):
            part.body = _block(part.body, namer)
    for field in statement._fields:
        value = getattr(statement, field)
        if field in ("handlers", "cases"):
            continue
        if id(value) in inner:
            setattr(statement, field, _block(value, namer))
        elif isinstance(value, list):
            value[:] = [_part(item, before, namer) for item in value]
        else:
            setattr(statement, field, _part(value, before, namer))


def _part(node: object, before: list[gast.AST], namer: Namer) -> object:
    """Return a part of a statement with calls in the places of comprehensions."""
    if not isinstance(node, gast.AST):
        return node
    if isinstance(node, _COMPREHENSIONS) and not _stays(node):
        return _either(node, before, namer)
    if isinstance(node, _OWN):
        return node
    _in_place(node, lambda part: _part(part, before, namer))
    return node


def _in_place(node: gast.AST, change: Callable[[object], object]) -> None:
    for field in node._fields:
        value = getattr(node, field)
        if isinstance(value, list):
            value[:] = map(change, value)
        else:
            setattr(node, field, change(value))


def _stays(node: gast.AST) -> bool:
    is_async = any(part.is_async for part in node.generators)
    return is_async or any(isinstance(inner, _STAY) for inner in nodes_in(node))


_OPERATORS = {
    gast.ListComp: "list_comprehension",
    gast.SetComp: "set_comprehension",
    gast.DictComp: "dict_comprehension",
    gast.GeneratorExp: "generator_expression",
}


def _either(node: gast.AST, before: list[gast.AST], namer: Namer) -> gast.AST:
    """Define the function that emits the items of a comprehension; return what takes one form."""
    given, receiver = namer.fresh("given"), namer.fresh("emit")
    loops = copied(node)
    step = emitted(_item(loops), receiver, True, _item(node))
    first, loop = _loop(loops, given, step, namer)
    first = _part(first, before, namer)
    node.generators[0].iter = name(given, at=first)
    function = namer.fresh("items")
    arguments = make(gast.arguments, at=node)
    arguments.args = [parameter(given, at=node), parameter(receiver, at=node)]
    before.append(make(ItemsFunction, at=node, name=function, args=arguments, body=loop))
    plain = quote_expression("lambda GIVEN: ITEMS", at=node, GIVEN=given, ITEMS=node)
    return SpelledOut(_operator(node), first, name(function, at=node), plain)


def _operator(node: gast.AST) -> str:
    """Return the name of the operator; generators that give one item for each are known as such."""
    is_map = len(node.generators) == 1 and not node.generators[0].ifs
    is_generator = isinstance(node, gast.GeneratorExp)
    return "generator_of_each" if is_map and is_generator else _OPERATORS[type(node)]


def _item(node: gast.AST) -> gast.AST:
    """Return what a comprehension yields; a dict's yields pairs of key and value."""
    if not isinstance(node, gast.DictComp):
        return node.elt
    return make(gast.Tuple, at=node.key, elts=[node.key, node.value], ctx=gast.Load())


def _loop(
    node: gast.AST, given: str, step: list[gast.AST], namer: Namer
) -> tuple[gast.AST, list[gast.AST]]:
    """Return the first iterable of a comprehension, and the loop that takes a step for each item.

    Args:
        node: the comprehension.
        given: the name that the loop has for the first iterable.
        step: what is done with an item.
        namer: gives names.
    """
    first = node.generators[0].iter
    node.generators[0].iter = name(given, at=first)
    body = step
    for part in reversed(node.generators):
        for test in reversed(part.ifs):
            body = [make(gast.If, at=test, test=test, body=body, orelse=[])]
        fields = {"target": part.target, "iter": part.iter, "body": body, "orelse": []}
        body = [make(gast.For, at=node, **fields, type_comment=None)]
    return first, _block(body, namer)
