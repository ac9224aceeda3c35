"""Functions without operators: what they mean where no graph is being built.

This is the way back from `ag.if_(test, then, else_, "x")` to `if test: ...`. The jumps that were
lowered before stay as they are: an early `return` is an `else`, a `break` a variable.
"""

from __future__ import annotations

import ast
from typing import Any, ClassVar

from autograph.inlining.template import Value, expression, statements, with_fields
from autograph.inlining.walk import (
    Block,
    Expressions,
    Statement,
    Statements,
    all_wait,
    body_of,
    is_slice,
    operator_of,
)
from autograph.source.signs import COMPARING


def plain(node: ast.stmt, operators: str) -> ast.stmt:
    """Return a function, or a statement with a lambda, without the usual operators.

    Args:
        node: made of operator calls; it is not changed, and the result shares parts of it.
        operators: the name of the operators in it.

    Example:
        >>> tree = ast.parse("def f(x): return ag.if_exp(ag.not_(x), lambda: 1, lambda: x[0])")
        >>> print(ast.unparse(plain(tree.body[0], "ag")))
        def f(x):
            return 1 if not x else x[0]
    """
    expressions = _PlainExpressions(operators)
    if isinstance(node, ast.FunctionDef):
        return _PlainStatements(node, expressions).function()
    if isinstance(node, ast.Expr):
        return with_fields(node, value=expressions.inlined(node.value))  # type: ignore[no-any-return]
    return node


class _PlainExpressions(Expressions):
    """Python's own expressions in the place of operators."""

    def _and(self, node: ast.Call) -> ast.expr | None:
        return self._logic(node, ast.And())

    def _or(self, node: ast.Call) -> ast.expr | None:
        return self._logic(node, ast.Or())

    def _logic(self, node: ast.Call, op: ast.boolop) -> ast.expr | None:
        first, *later = node.args
        if not all_wait(later):
            return None
        operands = [self.inlined(x) for x in (first, *map(body_of, later))]
        return ast.copy_location(ast.BoolOp(op=op, values=operands), node)

    def _not(self, node: ast.Call) -> ast.expr:
        return expression("not X", node, X=self.inlined(node.args[0]))

    def _hinted(self, node: ast.Call) -> ast.expr | None:
        function, later = node.args
        if not isinstance(later, ast.Lambda):
            return None
        keywords: Any = self.value(node.keywords)
        called = ast.Call(self.inlined(function), [self.inlined(body_of(later))], keywords)
        return ast.copy_location(called, node)

    def _keep(self, node: ast.Call) -> ast.expr:
        return self.inlined(node.args[0])

    def _binary(self, node: ast.Call) -> ast.expr:
        left, right = map(self.inlined, node.args)
        sign = operator_of(node, self.operators).strip("_").replace("_", " ")
        return ast.copy_location(ast.Compare(left, [COMPARING[sign]()], [right]), node)

    def _if_exp(self, node: ast.Call) -> ast.expr | None:
        test, *arms = node.args
        if not all_wait(arms):
            return None
        then, else_ = (self.inlined(body_of(arm)) for arm in arms)
        return expression("A if X else B", node, X=self.inlined(test), A=then, B=else_)

    def _compare(self, node: ast.Call) -> ast.expr | None:
        left, *rest = node.args
        if not all_wait(rest[1::2]):
            return None
        ops = [COMPARING[sign.value]() for sign in rest[::2]]  # type: ignore[attr-defined]
        others = [self.inlined(body_of(later)) for later in rest[1::2]]
        return ast.copy_location(ast.Compare(self.inlined(left), ops, others), node)

    def _get_item(self, node: ast.Call) -> ast.expr:
        container, index = node.args
        item = ast.Subscript(self.inlined(container), self._index(index), ast.Load())
        return ast.copy_location(item, node)

    def _index(self, node: ast.expr) -> ast.expr:
        """`slice(1, n)` is `1:n`."""
        if isinstance(node, ast.Tuple):
            return with_fields(node, elts=[self._index(x) for x in node.elts])  # type: ignore[no-any-return]
        if not isinstance(node, ast.Call) or not is_slice(node, self.operators):
            return self.inlined(node)
        parts = [self._bound(x) for x in node.args]
        lower, upper, step = (*parts, None)[:3]
        return ast.copy_location(ast.Slice(lower, upper, step), node)

    def _bound(self, node: ast.expr) -> ast.expr | None:
        is_none = isinstance(node, ast.Constant) and node.value is None
        return None if is_none else self.inlined(node)

    def _call(self, node: ast.Call) -> ast.expr | None:
        function, *arguments = node.args
        if isinstance(function, ast.Starred):
            return None
        values: Any = self.value(arguments), self.value(node.keywords)
        return ast.copy_location(ast.Call(self.inlined(function), *values), node)

    def _percent(self, node: ast.Call) -> ast.expr:
        form, values = map(self.inlined, node.args)
        return ast.copy_location(ast.BinOp(form, ast.Mod(), values), node)

    def _text(self, node: ast.Call) -> ast.expr:
        return ast.copy_location(ast.JoinedStr([self._text_part(x) for x in node.args]), node)

    def _text_part(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Call):
            return node
        value, form, conversion = (*node.args, None, None)[:3]
        assert value is not None
        code = ord(conversion.value) if isinstance(conversion, ast.Constant) else -1  # type: ignore[arg-type]
        part = ast.FormattedValue(self.inlined(value), code, self._form(form))
        return ast.copy_location(part, node)

    def _form(self, node: ast.expr | None) -> ast.expr | None:
        """Return what stands after the colon of a field."""
        if node is None or (isinstance(node, ast.Constant) and node.value == ""):
            return None
        if isinstance(node, ast.Constant):
            return ast.copy_location(ast.JoinedStr([node]), node)
        return self._text(node)  # type: ignore[arg-type]

    rules: ClassVar = {
        "and_": _and,
        "call": _call,
        "compare": _compare,
        "get_item": _get_item,
        "hinted": _hinted,
        "if_exp": _if_exp,
        "in_": _binary,
        "is_": _binary,
        "is_not": _binary,
        "keep": _keep,
        "not_": _not,
        "not_in": _binary,
        "or_": _or,
        "percent": _percent,
        "text": _text,
    }


class _PlainStatements(Statements):
    """Python's own statements in the place of operators."""

    def inner(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return _PlainStatements(node, self.expressions).function()

    def _if(self, part: Statement) -> Block:
        test, then, else_, *_ = part.call.args
        values: dict[str, Value]
        values = {"X": self.expressions.inlined(test), "THEN": self._arm(then, part)}
        if isinstance(else_, ast.Constant) and not part.is_tail:
            return statements("if X: THEN", part.node, **values)
        values["ELSE"] = self._arm(else_, part)
        return statements("if X: THEN\nelse: ELSE", part.node, **values)

    def _arm(self, arm: ast.expr, part: Statement) -> Block:
        if isinstance(arm, ast.Name):
            return part.ended(self.body(part.closure(arm)))
        value = self.expressions.inlined(body_of(arm)) if isinstance(arm, ast.Lambda) else arm
        return statements("return X" if part.is_tail else "X", arm, X=value)

    def _while(self, part: Statement) -> Block:
        body = part.call.args[1]
        asked = self.expressions.inlined(self.asked(part))  # perhaps far in front of the call
        block = self.body(part.closure(body)) + self._stop(part)
        return statements("while X: BODY", asked, X=asked, BODY=block)

    def _for(self, part: Statement) -> Block:
        iterable, body, *_ = part.call.args
        closure = part.closure(body)
        block = self.body(closure) + self._stop(part)
        item = closure.args.args[0].arg
        iterated = self.expressions.inlined(iterable)
        return statements("for ITEM in X: BODY", part.node, ITEM=item, X=iterated, BODY=block)

    def _stop(self, part: Statement) -> Block:
        flag = part.flag
        return [] if flag is None else statements("if FLAG: break", flag, FLAG=flag)

    def _assert(self, part: Statement) -> Block:
        test, *later = part.call.args
        message = self.expressions.inlined(body_of(later[0])) if later else None
        asked = self.expressions.inlined(test)
        return [ast.copy_location(ast.Assert(asked, message), part.node)]

    def _try(self, part: Statement, kind: type[Any] = ast.Try) -> Block:
        body, handlers, *rest = part.call.args
        assert isinstance(handlers, ast.List)
        block = self.body(part.closure(body))
        clauses = [self._handler(pair, part) for pair in handlers.elts]
        else_, final = (self._optional(x, part) for x in (*rest, None, None)[:2])
        node: Any = kind(block, clauses, else_, final)
        return [ast.copy_location(node, part.node)]

    def _try_star(self, part: Statement) -> Block:
        return self._try(part, vars(ast)["TryStar"])

    def _with(self, part: Statement) -> Block:
        manager, body, *_ = part.call.args
        closure = part.closure(body)
        entered = self.expressions.inlined(manager)
        block = self.body(closure)
        if not closure.args.args:
            return statements("with X: BODY", part.node, X=entered, BODY=block)
        name = closure.args.args[0].arg
        return statements("with X as NAME: BODY", part.node, X=entered, NAME=name, BODY=block)

    def _handler(self, pair: ast.expr, part: Statement) -> ast.ExceptHandler:
        """Python unbinds the name of the exception, which is the closure's parameter."""
        assert isinstance(pair, ast.Tuple)
        classes, function = pair.elts
        closure = part.closure(function)
        kind = (
            None
            if isinstance(classes, ast.Constant)
            else self.expressions.inlined(body_of(classes))
        )
        handler = ast.ExceptHandler(kind, closure.args.args[0].arg, self.body(closure))
        return ast.copy_location(handler, closure)

    def _optional(self, argument: ast.expr | None, part: Statement) -> Block:
        return self.body(part.closure(argument)) if isinstance(argument, ast.Name) else []

    rules: ClassVar = {
        "assert_": _assert,
        "for_": _for,
        "if_": _if,
        "try_": _try,
        "try_star": _try_star,
        "while_": _while,
        "with_": _with,
    }
