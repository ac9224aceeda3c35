"""Functions that end by calling themselves, as loops, for code whose conditions are staged.

    def gcd(a, b):                    ->   def gcd(a, b):
        if b == 0:                             while True:
            return a                               if b == 0:
        return gcd(b, a % b)                           return a
                                                   if ag.is_itself(gcd):
                                                       a, b = b, a % b
                                                       continue
                                                   return gcd(b, a % b)

Whether the name means the function itself is asked when it runs. A call in an arm of a conditional
expression, or as the last operand of `and` or `or`, comes last, too. Functions that call themselves
in another way, or that make functions of their own, which might keep variables of one call, stay
as they are: their calls are calls in the graph.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from autograph.converters.copies import copied
from autograph.source.names import Namer
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


def loop_tail_calls(function: gast.AST, operators: str, namer: Namer) -> None:
    """Make a loop of a function whose calls of itself are the last thing that it does."""
    if not isinstance(function, gast.FunctionDef) or not _has_plain_parameters(function):
        return
    if any(isinstance(x, _FUNCTIONS) for x in nodes_in(function) if x is not function):
        return
    if any(_is_name(x, function.name) for x in nodes_in(function)):
        function.body = _spread(function.body, function, namer)
    returns = list(_tail_returns(function.body, function))
    calls = [x for x in nodes_in(function) if _is_name(x, function.name)]
    if not returns or len(returns) != len(calls):
        return
    body = [*_block(function.body, function, operators), *quote("return None", at=function)]
    test = constant(True, at=function)
    function.body = [make(gast.While, at=function, test=test, body=body, orelse=[])]


def _spread(block: list[gast.AST], function: gast.AST, namer: Namer) -> list[gast.AST]:
    """Return a block in which an expression that is returned, and ends by a call, is statements."""
    result: list[gast.AST] = []
    for statement in block:
        for inner in _arms(statement):
            inner[:] = _spread(inner, function, namer)
        value = statement.value if isinstance(statement, gast.Return) else None
        result += _statements(statement, value, function, namer)
    return result


def _statements(
    statement: gast.AST, value: gast.AST | None, function: gast.AST, namer: Namer
) -> list[gast.AST]:
    """Return the statements for `return value`; the statement itself where nothing is gained."""
    if isinstance(value, gast.IfExp) and _ends_by_call(value, function):
        (found,) = quote("if TEST:\n    pass\nelse:\n    pass", at=statement, TEST=value.test)
        found.body = _returned(value.body, statement, function, namer)
        found.orelse = _returned(value.orelse, statement, function, namer)
        return [found]
    if isinstance(value, gast.BoolOp) and _ends_by_call(value, function):
        *first, last = value.values
        left = (
            first[0] if len(first) == 1 else make(gast.BoolOp, at=value, op=value.op, values=first)
        )
        found = namer.fresh("first")
        is_or = isinstance(value.op, gast.Or)
        text = "FOUND = LEFT\nif FOUND:\n    pass\nelse:\n    pass"
        assign, test = quote(text, at=statement, FOUND=found, LEFT=left)
        arms = [[make(gast.Return, at=statement, value=name(found, at=statement))]]
        arms.insert(is_or, _returned(last, statement, function, namer))
        test.body, test.orelse = arms
        return [assign, test]
    return [statement]


def _returned(value: gast.AST, at: gast.AST, function: gast.AST, namer: Namer) -> list[gast.AST]:
    return _statements(make(gast.Return, at=at, value=value), value, function, namer)


def _ends_by_call(value: gast.AST, function: gast.AST) -> bool:
    """Tell whether the last thing that an expression does may be a call of the function."""
    if isinstance(value, gast.IfExp):
        return _ends_by_call(value.body, function) or _ends_by_call(value.orelse, function)
    if isinstance(value, gast.BoolOp):
        return _ends_by_call(value.values[-1], function)
    return isinstance(value, gast.Call) and _is_name(value.func, function.name)


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
