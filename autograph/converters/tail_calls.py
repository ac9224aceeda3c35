"""Functions that end by calling themselves, as loops, for code whose conditions are staged.

    def gcd(a, b):                    ->   def gcd(a, b):
        if b == 0:                             while True:
            return a                               if b == 0:
        return gcd(b, a % b)                           return a
                                                   if ag.is_itself(gcd):
                                                       a, b = b, a % b
                                                       continue
                                                   return gcd(b, a % b)

Tracing runs both arms of a staged condition, so that such a function would never end. Whether the
name means the function itself is asked when it runs. Functions that call themselves in another way,
or that make functions of their own, which might keep variables of one call, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from autograph.converters.copies import copied
from autograph.source.quote import constant, make, name, quote
from autograph.source.walk import nodes_in

_FUNCTIONS = (
    gast.FunctionDef,
    gast.AsyncFunctionDef,
    gast.ClassDef,
    gast.Lambda,
    gast.GeneratorExp,
    gast.Yield,
    gast.YieldFrom,
)


def loop_tail_calls(function: gast.AST, operators: str) -> None:
    """Make a loop of a function whose calls of itself are the last thing that it does."""
    if not isinstance(function, gast.FunctionDef) or not _has_plain_parameters(function):
        return
    if any(isinstance(x, _FUNCTIONS) for x in nodes_in(function) if x is not function):
        return
    returns = list(_tail_returns(function.body, function))
    calls = [x for x in nodes_in(function) if _is_name(x, function.name)]
    if not returns or len(returns) != len(calls):
        return
    body = [*_block(function.body, function, operators), *quote("return None", at=function)]
    test = constant(True, at=function)
    function.body = [make(gast.While, at=function, test=test, body=body, orelse=[])]


def _has_plain_parameters(function: gast.AST) -> bool:
    arguments = function.args
    others = arguments.vararg, arguments.kwarg, *arguments.kwonlyargs
    return bool(arguments.posonlyargs or arguments.args) and not any(others)


def _parameters(function: gast.AST) -> list[str]:
    return [x.id for x in (*function.args.posonlyargs, *function.args.args)]


def _is_name(node: gast.AST, wanted: str) -> bool:
    return isinstance(node, gast.Name) and node.id == wanted


def _is_tail_call(statement: gast.AST, function: gast.AST) -> bool:
    """Tell whether a statement returns a call of the function with one value per parameter."""
    call = statement.value if isinstance(statement, gast.Return) else None
    if not isinstance(call, gast.Call) or not _is_name(call.func, function.name):
        return False
    is_plain = not call.keywords and not any(isinstance(x, gast.Starred) for x in call.args)
    return is_plain and len(call.args) == len(_parameters(function))


def _tail_returns(block: list[gast.AST], function: gast.AST) -> Iterator[gast.AST]:
    """Yield the calls of a function by itself that nothing comes after."""
    for statement in block:
        if _is_tail_call(statement, function):
            yield statement
        for inner in _arms(statement):
            yield from _tail_returns(inner, function)


def _arms(statement: gast.AST) -> Iterator[list[gast.AST]]:
    if isinstance(statement, gast.If):
        yield from (statement.body, statement.orelse)
    elif isinstance(statement, gast.Match):
        yield from (case.body for case in statement.cases)


def _block(block: list[gast.AST], function: gast.AST, operators: str) -> list[gast.AST]:
    result: list[gast.AST] = []
    for statement in block:
        if _is_tail_call(statement, function):
            result.append(_next_round(statement, function, operators))
        for inner in _arms(statement):
            inner[:] = _block(inner, function, operators)
        result.append(statement)
    return result


def _next_round(statement: gast.AST, function: gast.AST, operators: str) -> gast.AST:
    """Return the statement that goes on with the values of a call, if it calls the function."""
    names = _parameters(function)
    values = copied(statement.value).args
    targets = [make(gast.Name, at=statement, id=x, ctx=gast.Store()) for x in names]
    if len(names) == 1:
        target, value = targets[0], values[0]
    else:
        target = make(gast.Tuple, at=statement, elts=targets, ctx=gast.Store())
        value = make(gast.Tuple, at=statement, elts=values, ctx=gast.Load())
    assign = make(gast.Assign, at=statement, targets=[target], value=value, type_comment=None)
    (found,) = quote(
        "if OPERATORS.is_itself(FUNCTION):\n    ASSIGN\n    continue",
        at=statement,
        OPERATORS=operators,
        FUNCTION=name(function.name, at=statement),
        ASSIGN=assign,
    )
    return found
