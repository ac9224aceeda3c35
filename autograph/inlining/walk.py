"""The walk over a function made of operator calls, for whatever takes the operators' place.

A tree that is passed in is never changed: results share the parts of it that stay as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from autograph.inlining.bindings import free_names, own_names, own_nodes
from autograph.inlining.template import statements, with_fields
from autograph.lazy import lazy

Block = list[ast.stmt]
Functions = dict[str, ast.FunctionDef]
_HANDLERS = (ast.ExceptHandler, ast.match_case)
_PARTS = (ast.keyword, ast.comprehension, ast.withitem)


def operator_of(node: ast.AST | None, operators: str) -> str:
    """Return the name of the operator that an expression calls, or nothing."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    namespace = node.func.value
    return node.func.attr if isinstance(namespace, ast.Name) and namespace.id == operators else ""


def body_of(later: ast.expr) -> ast.expr:
    """Return the operand that waits in a lambda."""
    assert isinstance(later, ast.Lambda)
    return later.body


def all_wait(operands: Iterable[ast.expr]) -> bool:
    """Whether operands wait in lambdas, and none in a function that binds a name."""
    return all(isinstance(operand, ast.Lambda) for operand in operands)


def is_slice(node: ast.expr, operators: str) -> bool:
    """Whether an index is `slice(...)`, which converted code has nowhere else."""
    if not isinstance(node, ast.Call):
        return False
    is_builtin = isinstance(node.func, ast.Name) and node.func.id == "slice"
    return is_builtin or operator_of(node, operators) == "slice"


class Expressions:
    """Replaces operators in expressions.

    Args:
        operators: the name of the operators.
    """

    rules: ClassVar[Mapping[str, Callable[[Any, ast.Call], ast.expr | None]]] = {}
    """What takes the place of an operator's call; None leaves it."""

    def __init__(self, operators: str) -> None:
        self.operators = operators

    def inlined(self, node: ast.expr) -> ast.expr:
        """Return an expression with other operators: the same, where there are none."""
        rule = self.rules.get(operator_of(node, self.operators))
        found = rule(self, node) if rule is not None and isinstance(node, ast.Call) else None
        return self.parts(node, ast.iter_fields(node)) if found is None else found

    def parts(self, node: Any, fields: Iterable[tuple[str, Any]]) -> Any:
        """Return a node with operators in some of its fields replaced."""
        changed = {}
        for name, value in fields:
            new = self.value(value)
            if new is not value:
                changed[name] = new
        return with_fields(node, **changed) if changed else node

    def value(self, value: Any) -> Any:
        """Return a field's value with operators in it replaced."""
        if isinstance(value, ast.expr):
            return self.inlined(value)
        if isinstance(value, list):
            new = [self.value(item) for item in value]
            return value if all(a is b for a, b in zip(new, value, strict=True)) else new
        if isinstance(value, _PARTS):
            return self.parts(value, ast.iter_fields(value))
        return value


@dataclass(frozen=True)
class Statement:
    """A statement that calls an operator.

    Attributes:
        node: the statement.
        call: of the operator.
        closures: the definitions of the closures that it is given.
    """

    node: ast.stmt
    call: ast.Call
    closures: Functions

    @property
    def is_tail(self) -> bool:
        """Whether the function returns what the operator returns."""
        return isinstance(self.node, ast.Return)

    @property
    def test(self) -> ast.FunctionDef | None:
        """The function that returns the condition of a loop, if it is no lambda."""
        is_while = isinstance(self.call.func, ast.Attribute) and self.call.func.attr == "while_"
        first = self.call.args[0]
        return self.closures.get(first.id) if is_while and isinstance(first, ast.Name) else None

    @property
    def asked(self) -> ast.expr:
        """The condition, or what a loop goes over."""
        first = self.call.args[0]
        if self.test is not None:
            (end,) = self.test.body[-1:]
            assert isinstance(end, ast.Return)
            assert end.value is not None
            return end.value
        return body_of(first) if isinstance(first, ast.Lambda) else first

    @property
    def has_early_end(self) -> bool:
        """Whether a closure that returns nothing has a `return`, which ends no more than itself."""
        blocks = (x.body for x in self.closures.values() if x is not self.test)
        nodes = (node for block in blocks for node, _ in own_nodes(block))
        return not self.is_tail and any(isinstance(node, ast.Return) for node in nodes)

    @property
    def has_long_test(self) -> bool:
        """Whether a condition needs more than one expression."""
        block = self.test.body[:-1] if self.test is not None else []
        return any(not isinstance(node, (ast.Nonlocal, ast.Global)) for node in block)

    @property
    def flag(self) -> ast.Name | None:
        """The variable that ends a loop."""
        found = [keyword.value for keyword in self.call.keywords if keyword.arg == "until"]
        if not found:
            return None
        flag = body_of(found[0])
        assert isinstance(flag, ast.Name)
        return flag

    def ended(self, arm: Block) -> Block:
        """Return an arm that returns if the operator's result is returned."""
        if not self.is_tail or isinstance(arm[-1], (ast.Return, ast.Raise)):
            return arm
        return [*arm, *statements("return", self.node)]

    def closure(self, argument: ast.expr) -> ast.FunctionDef:
        """Return the definition of a closure."""
        assert isinstance(argument, ast.Name)
        return self.closures[argument.id]


class Statements:
    """Replaces operators in the statements of one function.

    What closures declare `nonlocal` becomes the function's own declaration, unless the variable is
    its own.

    Args:
        node: the function.
        expressions: for its expressions.
    """

    rules: ClassVar[Mapping[str, Callable[[Any, Statement], Block]]] = {}
    """What takes the place of a statement that calls an operator."""

    def __init__(self, node: ast.FunctionDef, expressions: Expressions) -> None:
        self._node = node
        self._own = own_names(node)
        self._declared: dict[str, ast.stmt] = {}
        self.expressions = expressions

    @lazy
    def _free(self) -> set[str]:
        return free_names(self._node)

    def inner(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Return a function of the user's inside this one, with its operators replaced."""
        raise NotImplementedError

    def function(self) -> ast.FunctionDef:
        """Return the function with its operators replaced."""
        body = self.block(self._node.body)
        start = int(ast.get_docstring(self._node, clean=False) is not None)
        body[start:start] = self._declared.values()
        return with_fields(self._node, body=body)  # type: ignore[no-any-return]

    def body(self, closure: ast.FunctionDef) -> Block:
        """Return the body of a closure as statements of the function itself."""
        self._own |= own_names(closure)
        return self.block(closure.body)

    def asked(self, part: Statement) -> ast.expr:
        """Return the condition of a loop, which is a lambda, or a function that returns it."""
        for node in part.test.body[:-1] if part.test is not None else ():
            self._plain(node)
        return part.asked

    def block(self, block: Sequence[ast.stmt]) -> Block:
        """Return the statements of a block with their operators replaced; at least one."""
        done: Block = []
        functions: Functions = {}
        for node in block:
            if isinstance(node, ast.FunctionDef) and not node.decorator_list:
                functions[node.name] = node
                continue
            part = self._part_of(node, functions)
            done += map(self.inner, functions.values())  # the user's; closures are taken by now
            functions.clear()
            done += self._plain(node) if part is None else self._replaced(part)
        done += map(self.inner, functions.values())
        return done or [ast.copy_location(ast.Pass(), block[0])]

    def _part_of(self, node: ast.stmt, functions: Functions) -> Statement | None:
        call = node.value if isinstance(node, (ast.Expr, ast.Return)) else None
        is_known = operator_of(call, self.expressions.operators) in self.rules
        if not is_known or not isinstance(call, ast.Call):
            return None
        used = {name: functions.pop(name) for name in _given(call) if name in functions}
        return Statement(node, call, used)

    def _replaced(self, part: Statement) -> Block:
        if part.has_early_end or part.has_long_test or self._hides(part):
            return [*part.closures.values(), part.node]
        return self.rules[operator_of(part.call, self.expressions.operators)](self, part)

    def _hides(self, part: Statement) -> bool:
        """Whether a closure's own variable has the name of one from around the function."""
        return any(own_names(closure) & self._free for closure in part.closures.values())

    def _plain(self, node: ast.stmt) -> Block:
        if isinstance(node, (ast.Nonlocal, ast.Global)):
            others = [name for name in node.names if name not in self._own]
            self._declared |= {name: with_fields(node, names=[name]) for name in others}
            return []
        if isinstance(node, ast.FunctionDef):
            return [self.inner(node)]
        if isinstance(node, ast.ClassDef):
            return [self._class(node)]
        if isinstance(node, ast.AsyncFunctionDef):
            return [node]
        return [self._parts(node)]

    def _class(self, node: ast.ClassDef) -> ast.ClassDef:
        body = [self._member(part) for part in node.body]
        return with_fields(node, body=body)  # type: ignore[no-any-return]

    def _member(self, node: ast.stmt) -> ast.stmt:
        if isinstance(node, ast.FunctionDef):
            return self.inner(node)
        return self._class(node) if isinstance(node, ast.ClassDef) else node

    def _parts(self, node: Any) -> Any:
        """Return a statement of Python's with operators in its parts replaced."""
        blocks: dict[str, list[Any]] = {}
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                blocks[name] = self.block(value)
            elif isinstance(value, list) and value and isinstance(value[0], _HANDLERS):
                blocks[name] = [self._parts(part) for part in value]
        fields = (field for field in ast.iter_fields(node) if field[0] not in blocks)
        node = self.expressions.parts(node, fields)
        return with_fields(node, **blocks) if blocks else node


def _given(call: ast.Call) -> Iterator[str]:
    """Yield the names that an operator is given, also those in its list of handlers."""
    for argument in call.args:
        if isinstance(argument, ast.Name):
            yield argument.id
        elif isinstance(argument, ast.List):
            lasts = (pair.elts[-1:] for pair in argument.elts if isinstance(pair, ast.Tuple))
            yield from (part.id for last in lasts for part in last if isinstance(part, ast.Name))
