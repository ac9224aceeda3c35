"""Guarded expressions: logic, items and calls as Python's own, while nothing in them is staged.

`ag.not_(a)` becomes `False if <a is true> else True if <a is plain> else ag.not_(a)`. What is used
twice is a name: the user's, or a temporary that `:=` binds. Inside comprehensions, where `:=` would
bind a name of the function around, only what needs no temporary is inlined.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, ClassVar

from autograph.inlining.places import call_site, constant
from autograph.inlining.template import Value, expression, with_fields
from autograph.inlining.walk import (
    Expressions,
    all_wait,
    body_of,
    is_hinted,
    is_slice,
    operator_of,
)

# `a and b and c` writes its last operand out once for each operand in front of it.
_MOST_OPERANDS = 6
_SIMPLE = (ast.Name, ast.Constant)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ARITHMETIC = (ast.BinOp, ast.Compare, ast.Tuple, ast.UnaryOp)
_INDEX = (*_SIMPLE, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
_ORDERS: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
}

IS_TRUE = "(FIRST is True or X is not False and TYPE(X) not in SYMBOLS and X)"
IS_FALSE = "(X is False or TYPE(X) not in SYMBOLS)"
"""Whether a plain value that is not true is there at all."""

_METHOD = """(
    PLAIN if TYPE(OWNER) is SITE.kind
    else BOUND if TYPE(METHOD := FUNCTION) is METHOD_TYPE and METHOD.__func__ is SITE.function
    else KNOWN if METHOD is SITE.function
    else OTHER
)"""


class GuardedExpressions(Expressions):
    """Inlines the operators in expressions of one function.

    Args:
        operators: the name of the operators.
        numbers: for everything that needs a name of its own.
        may_bind: whether := binds a name of the function itself.

    Attributes:
        held: temporaries that may keep an object alive.
    """

    def __init__(self, operators: str, numbers: count[int], may_bind: bool = True) -> None:
        super().__init__(operators)
        self.numbers = numbers
        self._may_bind = may_bind
        self.held: list[str] = []

    def inlined(self, node: ast.expr) -> ast.expr:
        """Return an expression in which operators are inlined; a new one, where it differs."""
        if isinstance(node, _SIMPLE):
            return node
        if isinstance(node, ast.Lambda):
            return with_fields(node, body=self._within(True).inlined(node.body))  # type: ignore[no-any-return]
        if self._may_bind and isinstance(node, _COMPREHENSIONS):
            return self._within(False).inlined(node)
        found = self._indexed(node) if isinstance(node, _ARITHMETIC) else None
        return super().inlined(node) if found is None else found

    def _within(self, may_bind: bool) -> GuardedExpressions:
        return GuardedExpressions(self.operators, self.numbers, may_bind)

    def operand(self, node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
        """Return an expression, and the name or constant that is its value from then on."""
        node = self.inlined(node)
        if isinstance(node, _SIMPLE):
            return node, node
        if not self._may_bind:
            return None
        name = self.temporary(node)
        return expression("(NAME := X)", node, NAME=name, X=node), expression("X", node, X=name)

    def temporary(self, node: ast.expr) -> str:
        """Return a name for the value of an expression."""
        name = f".{next(self.numbers)}"
        if not isinstance(node, ast.Compare):  # which gives True or False, as a rule
            self.held.append(name)
        return name

    def filled(self, text: str, at: ast.expr, **values: Value) -> ast.expr:
        """Return the expression of a template that may name TYPE and SYMBOLS."""
        return expression(text, at, TYPE=constant("type"), SYMBOLS=constant("STAGED"), **values)

    def _and(self, node: ast.Call) -> ast.expr | None:
        return self._logic(node, node.args, f"OTHERS if {IS_TRUE} else X")

    def _or(self, node: ast.Call) -> ast.expr | None:
        return self._logic(node, node.args, f"X if {IS_TRUE} else OTHERS")

    def _logic(self, node: ast.Call, operands: Sequence[ast.expr], plain: str) -> ast.expr | None:
        """`operands`: the first as it is, the others waiting in lambdas."""
        first, *later = operands
        if not later:
            return self.inlined(first)
        if not all_wait(later):
            return None
        operand = self.operand(first) if len(later) < _MOST_OPERANDS else None
        others = operand and self._logic(node, [body_of(later[0]), *later[1:]], plain)
        if operand is None or others is None:
            return None
        text = f"{plain} if {IS_FALSE} else OP(X, *LATER)"
        values = {"FIRST": operand[0], "X": operand[1], "OTHERS": others}
        return self.filled(text, node, OP=node.func, LATER=later, **values)

    def _not(self, node: ast.Call) -> ast.expr | None:
        operand = self.operand(node.args[0])
        if operand is None:
            return None
        text = f"False if {IS_TRUE} else True if {IS_FALSE} else OP(X)"
        return self.filled(text, node, OP=node.func, FIRST=operand[0], X=operand[1])

    def _if_exp(self, node: ast.Call) -> ast.expr | None:
        test, then, else_ = node.args
        if is_hinted(test, self.operators):
            return node
        operand = self.operand(test) if all_wait((then, else_)) else None
        if operand is None:
            return None
        values = {"FIRST": operand[0], "X": operand[1], "THEN": self.inlined(body_of(then))}
        values["ELSE"] = self.inlined(body_of(else_))
        text = f"THEN if {IS_TRUE} else ELSE if {IS_FALSE} else OP(X, *LATER)"
        return self.filled(text, node, OP=node.func, LATER=[then, else_], **values)

    def _compare(self, node: ast.Call) -> ast.expr | None:
        """A chain of names and constants; each operand is looked at only when its turn comes."""
        left, sign, later, *rest = node.args
        if not isinstance(later, ast.Lambda):
            return None
        right = body_of(later)
        order = _ORDERS.get(getattr(sign, "value", ""))
        if order is None or not isinstance(left, _SIMPLE) or not isinstance(right, _SIMPLE):
            return None
        plain: ast.expr = ast.Compare(left=left, ops=[order()], comparators=[right])
        ast.copy_location(plain, node)
        if rest:
            others = self._compare(with_fields(node, args=[right, *rest]))
            if others is None:
                return None
            plain = self.filled("X and OTHERS", node, X=plain, OTHERS=others)
        return self._unless_staged(plain, node, [left, right])

    def _unless_staged(
        self, plain: ast.expr, node: ast.Call, operands: Sequence[ast.expr]
    ) -> ast.expr:
        """Return a plain expression, but the operator when one of the operands is staged."""
        for operand in operands:
            if not isinstance(operand, ast.Constant):
                text = "OPERATOR if TYPE(X) in SYMBOLS else PLAIN"
                plain = self.filled(text, node, OPERATOR=node, X=operand, PLAIN=plain)
        return plain

    def _is(self, node: ast.Call) -> ast.expr | None:
        return self._identity(node, ast.Is())

    def _is_not(self, node: ast.Call) -> ast.expr | None:
        return self._identity(node, ast.IsNot())

    def _identity(self, node: ast.Call, sign: ast.cmpop) -> ast.expr | None:
        left, right = node.args
        if not isinstance(left, _SIMPLE) or not isinstance(right, _SIMPLE):
            return None
        plain = ast.copy_location(ast.Compare(left, [sign], [right]), node)
        return self._unless_staged(plain, node, [left, right])

    def _in(self, node: ast.Call) -> ast.expr | None:
        return self._membership(node, "X in Y")

    def _not_in(self, node: ast.Call) -> ast.expr | None:
        return self._membership(node, "X not in Y")

    def _membership(self, node: ast.Call, plain: str) -> ast.expr | None:
        item, container = node.args
        operand = self.operand(item) if isinstance(container, ast.Name) else None
        if operand is None:
            return None
        text = f"OP(X, Y) if TYPE(FIRST) in SYMBOLS or TYPE(Y) not in KEYED else {plain}"
        values = {"FIRST": operand[0], "X": operand[1], "Y": container}
        return self.filled(text, node, OP=node.func, KEYED=constant("KEYED"), **values)

    def _get_item(self, node: ast.Call) -> ast.expr | None:
        index = node.args[1]
        if isinstance(index, ast.Call) and is_slice(index, self.operators):
            return self._get_slice(node, index)
        return self._indexed(node)

    def _indexed(self, node: ast.expr) -> ast.expr | None:
        """An expression of names, numbers and items, written out for plain indices."""
        names: dict[str, ast.expr] = {}
        plain: ast.expr | None = self._without_operators(node, names)
        if plain is None or not names:
            return None
        for name in names.values():
            text = "PLAIN if TYPE(X) is INT or TYPE(X) not in INDICES else OPERATOR"
            values = {"INT": constant("int"), "INDICES": constant("INDICES")}
            plain = self.filled(text, node, X=name, PLAIN=plain, OPERATOR=node, **values)
        return plain

    def test(self, node: ast.expr) -> ast.expr | None:
        """A condition that does nothing but compute: True, False, or None if an index is staged.

        It raises StagedValueError if something else in it is staged.
        """
        names: dict[str, ast.expr] = {}
        plain = self._without_operators(node, names, self._without_logic)
        if plain is None or isinstance(plain, _SIMPLE):
            return None
        truth = self.filled("True if X else False", node, X=plain)
        for name in names.values():
            text = "TRUTH if TYPE(X) is INT or TYPE(X) not in INDICES else None"
            values = {"INT": constant("int"), "INDICES": constant("INDICES")}
            truth = self.filled(text, node, X=name, TRUTH=truth, **values)
        return truth

    def _without_logic(self, node: ast.expr, names: dict[str, ast.expr]) -> ast.expr | None:
        """Return an operator of logic as Python's own, if there is nothing else in it."""
        operator = operator_of(node, self.operators)
        if operator not in ("and_", "or_", "not_") or not isinstance(node, ast.Call):
            return None
        first, *later = node.args
        if not all_wait(later):
            return None
        operands = [
            self._without_operators(operand, names, self._without_logic)
            for operand in (first, *map(body_of, later))
        ]
        if None in operands:
            return None
        if operator == "not_":
            return expression("not X", node, X=operands[0])
        op = ast.And() if operator == "and_" else ast.Or()
        return ast.copy_location(ast.BoolOp(op, operands), node)

    def _without_operators(
        self, node: Any, names: dict[str, ast.expr], other: Callable[..., Any] = lambda *_: None
    ) -> Any:
        """Return an expression with Python's own subscripts; None if there is anything else in it.

        Args:
            node: the expression.
            names: gets the names in the indices.
            other: what is done with what is no arithmetic.
        """
        if isinstance(node, _SIMPLE):
            return node
        if operator_of(node, self.operators) == "get_item":
            container, index = node.args
            value = self._without_operators(container, names)
            if value is None or not all(isinstance(part, _INDEX) for part in ast.walk(index)):
                return None
            names |= {part.id: part for part in ast.walk(index) if isinstance(part, ast.Name)}
            return ast.copy_location(ast.Subscript(value, index, ast.Load()), node)
        if not isinstance(node, _ARITHMETIC):
            return other(node, names)
        fields = {}
        for field, value in ast.iter_fields(node):
            if isinstance(value, (ast.expr, list)):
                parts = [
                    self._without_operators(part, names) if isinstance(part, ast.expr) else part
                    for part in (value if isinstance(value, list) else [value])
                ]
                if None in parts:
                    return None
                fields[field] = parts if isinstance(value, list) else parts[0]
        return with_fields(node, **fields)

    def _get_slice(self, node: ast.Call, index: ast.Call) -> ast.expr | None:
        container = node.args[0]
        parts = [*index.args, None][:3]
        if not isinstance(container, ast.Name) or not all(map(_is_bound, parts)):
            return None
        lower, upper, step = parts
        written = ast.copy_location(ast.Slice(lower=lower, upper=upper, step=step), node)
        plain = ast.Subscript(value=container, slice=written, ctx=ast.Load())
        return self._unless_staged(ast.copy_location(plain, node), node, index.args)

    def _call(self, node: ast.Call) -> ast.expr | None:
        function, *arguments = node.args
        if isinstance(function, ast.Starred):
            return None
        site = call_site(next(self.numbers))
        arguments = self.value(arguments)
        keywords = self.value(node.keywords)

        def call(callee: ast.expr, *first: ast.expr) -> ast.expr:
            return ast.copy_location(ast.Call(callee, [*first, *arguments], keywords), node)

        is_attribute = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
        if not isinstance(function, ast.Attribute) or not is_attribute or not self._may_bind:
            return call(self._resolved(function, site))
        is_short = not keywords and all(isinstance(argument, _SIMPLE) for argument in arguments)
        if is_short:
            return self._method(node, function, site, call)
        text = "METHOD if TYPE(OWNER) is SITE.kind else RESOLVED"
        resolved = self._resolved(function, site)
        values = {"METHOD": function, "OWNER": function.value, "RESOLVED": resolved}
        return call(self.filled(text, function, SITE=site, **values))

    def _resolved(self, function: ast.expr, site: ast.expr) -> ast.expr:
        """Return what is called in the place of a function: what its site has found before."""
        operand = self.operand(function)
        if operand is None:
            return self.filled("SITE.resolve(X)", function, SITE=site, X=self.inlined(function))
        text = "SITE.target if FIRST is SITE.function else SITE.resolve(X)"
        return self.filled(text, function, SITE=site, FIRST=operand[0], X=operand[1])

    def _method(
        self, node: ast.Call, function: ast.Attribute, site: ast.expr, call: Callable[..., ast.expr]
    ) -> ast.expr:
        """A call that is written out for each way, as its arguments are names and constants."""
        method = self.temporary(function)
        target = self.filled("SITE.target", function, SITE=site)
        resolved = self.filled("SITE.resolve(METHOD)", function, SITE=site, METHOD=method)
        return self.filled(
            _METHOD,
            node,
            SITE=site,
            OWNER=function.value,
            METHOD=method,
            FUNCTION=function,
            METHOD_TYPE=constant("MethodType"),
            PLAIN=call(function),
            BOUND=call(target, self.filled("METHOD.__self__", function, METHOD=method)),
            KNOWN=call(target),
            OTHER=call(resolved),
        )

    rules: ClassVar = {
        "and_": _and,
        "call": _call,
        "compare": _compare,
        "get_item": _get_item,
        "if_exp": _if_exp,
        "in_": _in,
        "is_": _is,
        "is_not": _is_not,
        "not_": _not,
        "not_in": _not_in,
        "or_": _or,
    }


def _is_bound(part: ast.expr | None) -> bool:
    return part is None or isinstance(part, _SIMPLE)
