"""Guarded statements, in a function and those inside it.

With the bodies of its closures in the place of A and B, `ag.if_(test, then, else_, "x")` becomes

    if <test is true>: A
    elif <test is no staged value>: B
    else: <the closures, and the operator>

and loops likewise.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import count
from typing import ClassVar

from autograph.inlining.guards import IS_FALSE, IS_TRUE, GuardedExpressions
from autograph.inlining.places import constant
from autograph.inlining.template import Value, expression, statements, with_fields
from autograph.inlining.walk import Block, Statement, Statements, body_of, operator_of

# How many closures inside one another have operators inlined in them. They are code that is traced:
# it runs once, but it may have plain loops in it.
_LEVELS = 0

# Builtins that only compute.
_QUIET = frozenset({"abs", "len", "max", "min"})
_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)

_IF = f"""
if {IS_TRUE}: THEN
elif {IS_FALSE}: ELSE
else: OPERATOR
"""
_COMPUTED_IF = """
try: X = TRUTH
except STAGED: X = None
if X is True: THEN
elif X is False: ELSE
else: OPERATOR
"""
_COMPUTED_WHILE = """
while True:
    try: X = TRUTH
    except STAGED: X = None
    if X is not True: break
    BODY
if X is None or X is UNASKED: OPERATOR
"""
_WHILE = f"""
MARK = None
while {IS_TRUE}: BODY
if TYPE(X) in SYMBOLS or X is UNASKED: OPERATOR
"""
_MARKED_WHILE = f"""
while True:
    MARK = None if IS_QUIET else OPS.mark()
    if {IS_TRUE}: BODY
    else: break
if TYPE(X) in SYMBOLS or X is UNASKED: OPERATOR
"""
_STOPPED_WHILE = """
if FLAG is not False and (TYPE(FLAG) in SYMBOLS or FLAG):
    X = UNASKED if TYPE(FLAG) in SYMBOLS else False
    break
"""
_FOR = """
if TYPE(FIRST) in ITERABLES or OPS.is_plain_iterable(X):
    LOOP
else: OPERATOR
"""
_LOOP = "for ITEM in X: BODY"
_STOPPABLE_LOOP = "REST = ITER(X)\nfor ITEM in REST: BODY\nREST = None"
_STOPPED_FOR = """
if FLAG is not False and (TYPE(FLAG) in SYMBOLS or FLAG):
    if TYPE(FLAG) in SYMBOLS: OPERATOR
    break
"""


def guarded(node: ast.stmt, operators: str) -> ast.stmt:
    """Return a function, or a statement with a lambda, in which operators are inlined.

    Args:
        node: made of operator calls; it is not changed, and the result shares parts of it.
        operators: the name of the operators in it.
    """
    numbers = count(1)
    if isinstance(node, ast.FunctionDef):
        return _GuardedStatements(node, operators, numbers).function()
    if isinstance(node, ast.Expr):
        value = GuardedExpressions(operators, numbers).inlined(node.value)
        return with_fields(node, value=value)  # type: ignore[no-any-return]
    return node


class _GuardedStatements(Statements):
    """The inlining of one function.

    Args:
        node: the function.
        operators: the name of the operators.
        numbers: for what needs a name of its own.
        levels: how many closures inside one another are inlined, too.
    """

    expressions: GuardedExpressions
    takes_hints: ClassVar = False

    def __init__(
        self, node: ast.FunctionDef, operators: str, numbers: count[int], levels: int = _LEVELS
    ) -> None:
        super().__init__(node, GuardedExpressions(operators, numbers))
        self._operators = operators
        self._numbers = numbers
        self._levels = levels

    def inner(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return _GuardedStatements(node, self._operators, self._numbers).function()

    def after(self, node: ast.stmt | ast.expr) -> Block:
        """Let go of the objects that temporaries hold, as Python does without them."""
        names, self.expressions.held = self.expressions.held, []
        if isinstance(node, _JUMPS):
            return []
        return [part for name in names for part in statements("NAME = None", node, NAME=name)]

    def _filled(self, text: str, at: ast.expr, **values: Value) -> Block:
        objects = {name: constant(name) for name in ("UNASKED", "ITERABLES")}
        objects["STAGED"] = constant("StagedValueError")
        objects |= {
            "TYPE": constant("type"),
            "SYMBOLS": constant("STAGED"),
            "ITER": constant("iter"),
        }
        return statements(text, at, OPS=self._operators, **objects, **values)

    def _operated(self, part: Statement, operator: str, arguments: Sequence[ast.expr]) -> Block:
        """Return the closures, and the operator called with these arguments in front."""
        closures: Block = list(part.closures.values())
        if self._levels:
            closures = [self._closure(node) for node in part.closures.values()]
        function = with_fields(part.call.func, attr=operator)
        call = with_fields(part.call, func=function, args=list(arguments))
        return [*closures, with_fields(part.node, value=call)]

    def _if(self, part: Statement) -> Block:
        test, then, else_, *rest = part.call.args
        negation = test if operator_of(test, self._operators) == "not_" else None
        arms = {"THEN": then, "ELSE": else_}
        if isinstance(negation, ast.Call):
            test, arms = negation.args[0], {"THEN": else_, "ELSE": then}
        truth = self.expressions.test(test)
        if truth is not None:
            blocks = {name: self._arm(arm, part) for name, arm in arms.items()}
            staged = self._operated(part, "if_", [*part.call.args])
            name = f".{next(self._numbers)}"
            return self._filled(_COMPUTED_IF, test, X=name, TRUTH=truth, OPERATOR=staged, **blocks)
        first, again = self._operand(test)
        released = self.after(test)
        blocks = {name: released + self._arm(arm, part) for name, arm in arms.items()}
        asked = again if negation is None else with_fields(negation, args=[again])
        staged = self._operated(part, "if_", [asked, then, else_, *rest])
        return self._filled(_IF, test, FIRST=first, X=again, OPERATOR=staged, **blocks)

    def _operand(self, node: ast.expr) -> tuple[ast.expr, ast.expr]:
        operand = self.expressions.operand(node)
        assert operand is not None
        return operand

    def _arm(self, arm: ast.expr, part: Statement) -> Block:
        """Return the statements of an arm; if the operator's result is returned, so is theirs."""
        if isinstance(arm, ast.Name):
            return part.ended(self.body(part.closure(arm)))
        value = self.expressions.inlined(body_of(arm)) if isinstance(arm, ast.Lambda) else arm
        end = statements("return X" if part.is_tail else "X", arm, X=value)
        return end + self.after(end[0])

    def _closure(self, node: ast.FunctionDef) -> ast.FunctionDef:
        levels = self._levels - 1
        return _GuardedStatements(node, self._operators, self._numbers, levels).function()

    def _while(self, part: Statement) -> Block:
        body = part.call.args[1]
        asked = self.asked(part)
        truth = self.expressions.test(asked)
        if truth is not None:
            return self._computed_while(part, asked, truth)
        names = {"X": f".{next(self._numbers)}", "MARK": f".{next(self._numbers)}"}
        value = self.expressions.inlined(asked)
        first = expression("(X := VALUE)", asked, VALUE=value, **names)
        self.expressions.held.append(names["X"])
        released = self.after(asked)
        block = released + self.body(part.closure(body))
        if part.flag is not None:
            stop = self._filled(_STOPPED_WHILE, asked, FLAG=part.flag, **names)
            block = _stopped(block, part.flag.id, stop)
        known = [expression("X", asked, X=name) for name in names.values()]
        staged = self._operated(part, "resume_while", [*known, *part.call.args])
        values: dict[str, Value] = {"FIRST": first, "BODY": block, "OPERATOR": staged, **names}
        called = self._called(asked)
        if called:
            values["IS_QUIET"] = expression(_is_quiet(called), asked, **_builtins(called))
        return [*self._filled(_MARKED_WHILE if called else _WHILE, asked, **values), *released]

    def _computed_while(self, part: Statement, asked: ast.expr, truth: ast.expr) -> Block:
        """A loop whose condition does nothing but compute, so that it can be asked again."""
        name = f".{next(self._numbers)}"
        block = self.body(part.closure(part.call.args[1]))
        if part.flag is not None:
            stop = self._filled(_STOPPED_WHILE, asked, FLAG=part.flag, X=name)
            block = _stopped(block, part.flag.id, stop)
        text = "X if X is not None else ASKED"
        go_on = self.expressions.filled(text, asked, X=expression("X", asked, X=name), ASKED=asked)
        nothing = expression("None", asked)
        staged = self._operated(part, "resume_while", [go_on, nothing, *part.call.args])
        values: dict[str, Value] = {"TRUTH": truth, "BODY": block, "OPERATOR": staged}
        return self._filled(_COMPUTED_WHILE, asked, X=name, **values)

    def _called(self, node: ast.expr) -> set[str]:
        """Return the names of functions that may do more than compute; "" is any other."""
        calls = [x for x in ast.walk(node) if operator_of(x, self._operators) == "call"]
        functions = [call.args[0] for call in calls if isinstance(call, ast.Call)]
        return {x.id if isinstance(x, ast.Name) else "" for x in functions}

    def _for(self, part: Statement) -> Block:
        iterable, body, *rest = part.call.args
        closure = part.closure(body)
        first, again = self._operand(iterable)
        released = self.after(iterable)
        block = self.body(closure)
        values: dict[str, Value] = {"ITEM": closure.args.args[0].arg}
        text = _LOOP
        if part.flag is not None:
            text, name = _STOPPABLE_LOOP, f".{next(self._numbers)}"
            rest_of = ast.copy_location(ast.Name(name, ast.Load()), iterable)
            stopped = self._operated(part, "resume_for", [rest_of, body, *rest])
            stop = self._filled(_STOPPED_FOR, iterable, FLAG=part.flag, OPERATOR=stopped)
            block = _stopped(block, part.flag.id, stop)
            values["REST"] = name
        loop = self._filled(text, iterable, X=again, BODY=block, **values)
        staged = self._operated(part, "for_", [again, body, *rest])
        values = {"FIRST": first, "X": again, "LOOP": loop, "OPERATOR": staged}
        return [*self._filled(_FOR, iterable, **values), *released]

    def _assert(self, part: Statement) -> Block:
        test, *message = part.call.args
        first, again = self._operand(test)
        staged = self._operated(part, "assert_", [again, *message])
        text = "if FIRST is not True: OPERATOR"
        return [*self._filled(text, test, FIRST=first, OPERATOR=staged), *self.after(test)]

    rules: ClassVar = {"assert_": _assert, "for_": _for, "if_": _if, "while_": _while}


def _is_quiet(names: set[str]) -> str:
    """Return the template of a test whether these names are builtins that only compute."""
    if not names <= _QUIET:
        return "False"
    return " and ".join(f"{name} is {name.upper()}" for name in sorted(names))


def _builtins(names: set[str]) -> dict[str, Value]:
    return {name.upper(): constant(name) for name in names & _QUIET}


def _stopped(block: Block, flag: str, stop: Block) -> Block:
    """Return the body of a loop with `stop`, which ends the loop if the flag is set, at its end.

    If nothing but its last statement, an `if`, assigns the flag, it is asked in the arms that do.
    """
    *others, last = block
    if isinstance(last, ast.If) and not any(_assigns(node, flag) for node in others):
        arms = {name: getattr(last, name) for name in ("body", "orelse")}
        changed = {
            name: _stopped(arm, flag, stop)
            for name, arm in arms.items()
            if any(_assigns(node, flag) for node in arm)
        }
        return [*others, with_fields(last, **changed)]
    sets = isinstance(last, ast.Assign) and isinstance(last.value, ast.Constant)
    if sets and last.value.value is True and _assigns(last, flag):  # type: ignore[attr-defined]
        return [*block, *statements("break", last)]
    return [*block, *stop]


def _assigns(node: ast.AST, name: str) -> bool:
    found = (part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == name)
    return any(isinstance(part.ctx, ast.Store) for part in found)
