"""The rule language: expressions with variables, written with the operators of programs.

    rule       = name, left, right [, condition]
    left       = function of variables -> expression
    expression = variable | Python scalar | operators on expressions
               | call(op, expression ..., attribute=literal ...)

A rule says that wherever `left` stands, `right` may stand. It fires only when the dtype, weakness
and shape of the result stay what they are, so a rule need not speak of promotion or broadcasting;
`condition`, given the variables' specs, says the rest. A Python scalar stands for a constant of the
same type and value: 1 is not 1.0, and 0.0 is not -0.0.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from runtime.graph.opdef import REGISTRY, OpDef
from runtime.spec import TensorSpec

Condition = Callable[..., bool]


class Expression:
    """A part of a rule; operators make applications of the ops that have them."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Variable(Expression):
    """Stands for any value, for the same one wherever it occurs."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Scalar(Expression):
    """Stands for a constant that is this Python scalar."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Application(Expression):
    """Stands for an op applied to what its operands stand for."""

    op: OpDef
    operands: tuple[Expression, ...]
    attrs: Mapping[str, Any] = field(default_factory=dict)


def as_expression(value: Any) -> Expression:
    """Return an expression: a Python scalar becomes a constant."""
    return value if isinstance(value, Expression) else Scalar(value)


def call(op: OpDef, *operands: Any, **attrs: Any) -> Application:
    """Return the application of an op."""
    return Application(op, tuple(map(as_expression, operands)), op.attributes(attrs))


@lru_cache(maxsize=256)
def _op_of(template: str) -> OpDef:
    """Return the op that is written so in Python."""
    return next(op for op in REGISTRY.values() if op.python == template)


def _add_operators() -> None:
    """Give expressions the operators that ops are written with."""

    def binary(symbol: str) -> Callable[..., Application]:
        return lambda x, y: call(_op_of(f"{{0}} {symbol} {{1}}"), x, y)

    def reflected(symbol: str) -> Callable[..., Application]:
        return lambda y, x: call(_op_of(f"{{0}} {symbol} {{1}}"), x, y)

    def unary(template: str) -> Callable[..., Application]:
        return lambda x: call(_op_of(template), x)

    symbols = {
        operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/",
        operator.floordiv: "//", operator.mod: "%", operator.pow: "**", operator.and_: "&",
        operator.or_: "|", operator.xor: "^", operator.lt: "<", operator.le: "<=",
        operator.gt: ">", operator.ge: ">=",
    }  # fmt: skip
    for function, symbol in symbols.items():
        name = function.__name__.strip("_")
        setattr(Expression, f"__{name}__", binary(symbol))
        setattr(Expression, f"__r{name}__", reflected(symbol))
    for name, template in {"neg": "-{0}", "invert": "~{0}", "abs": "abs({0})"}.items():
        setattr(Expression, f"__{name}__", unary(template))


_add_operators()


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A rule that was read: both sides as expressions.

    Args:
        name: what it is counted under.
        left: what it replaces.
        right: what it puts there.
        variables: their names in order.
        condition: of the variables' specs.
    """

    name: str
    left: Application
    right: Expression
    variables: tuple[str, ...]
    condition: Condition

    def holds_for(self, specs: Mapping[str, TensorSpec]) -> bool:
        """Tell whether the condition holds."""
        return self.condition(*(specs[name] for name in self.variables))


def rule(
    name: str, left: Callable[..., Any], right: Callable[..., Any], when: Condition | None = None
) -> Rule:
    """Read a rule: two functions of the same variables.

    >>> rule("neg_neg", lambda x: -(-x), lambda x: x).variables
    ('x',)
    """
    names = tuple(inspect.signature(left).parameters)
    variables = [Variable(name) for name in names]
    pattern = left(*variables)
    assert isinstance(pattern, Application)
    return Rule(name, pattern, as_expression(right(*variables)), names, when or _always)


def _always(*specs: TensorSpec) -> bool:
    return True
