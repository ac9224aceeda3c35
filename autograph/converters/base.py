"""What every converter works with: the function being rewritten and the frames made inside it.

A `Unit` is one call of `rewrite`. A `Function` is a function or lambda of the user's. A `Frame` is
a function that will exist at run time: the user's own, or one made from a branch or a loop body.
It knows which names are its own, and turns statements and expressions into converted ones by the
two tables of the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import gast

from autograph.analysis.facts import Facts
from autograph.analysis.liveness import Liveness
from autograph.analysis.may_vary import AROUND, Names, names_of
from autograph.analysis.scopes import Scope
from autograph.analysis.writes import WritesOf
from autograph.converters.jump_lowering.walk import LoweredJumps
from autograph.source.names import Namer
from autograph.source.quote import constant, make, quote, quote_expression

Block: TypeAlias = "list[gast.AST]"
ToExpression: TypeAlias = "Callable[[gast.AST, Frame], gast.AST]"
ToStatements: TypeAlias = "Callable[[gast.AST, Frame], Block]"


@dataclass(frozen=True, slots=True)
class Unit:
    """One call of `rewrite`: what is the same for all functions in it.

    `traced` tells whether containers may have staged items, so that NumPy's functions need help.
    """

    operators: str
    modules: Mapping[str, str]
    facts: Facts
    taken: frozenset[str]
    expressions: Mapping[type[gast.AST], ToExpression]
    statements: Mapping[type[gast.AST], ToStatements]
    traced: bool = False


@dataclass(slots=True)
class Function:
    """A function or lambda of the user's, with what is known of it."""

    unit: Unit
    node: gast.AST
    parent: Function | None
    class_name: str | None
    namer: Namer = field(init=False)
    scope: Scope = field(init=False)
    lowered: LoweredJumps = field(default_factory=LoweredJumps)
    names: Names = field(init=False)
    liveness: Liveness = field(init=False)
    passing: Liveness = field(init=False)  # the same if no `with` swallows an exception
    writes: WritesOf = field(init=False)
    unsure: frozenset[str] = frozenset()  # names that may be unbound where they are read
    forced: frozenset[str] = frozenset()  # names that no generated function keeps to itself
    conditionals: int = 0  # converted so far, to number the names of their arms

    def __post_init__(self) -> None:
        self.namer = Namer(extra=self.unit.taken)
        self.scope = self.unit.facts.scope(self.node)
        outer = self.parent.names if self.parent is not None else AROUND
        self.names = names_of(self.node, self.scope, outer, self.unit.traced)

    def is_local(self, name: str) -> bool:
        """Whether a name is a variable of this function or of one around it."""
        return self.names.is_local(name)

    @property
    def first_parameter(self) -> str | None:
        """The parameter that `super()` without arguments means."""
        arguments = self.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        return positional[0].id if positional else None

    def arm_names(self, are_used: bool) -> tuple[str, str]:
        """Return names for the two arms of an `if`, which have the same number."""
        self.conditionals += are_used
        if self.conditionals <= 1:
            wishes = ("then", "else_")
        else:
            wishes = (f"then_{self.conditionals}", f"else_{self.conditionals}")
        if not are_used:
            return wishes
        return self.namer.fresh(wishes[0]), self.namer.fresh(wishes[1])

    def in_order(self, names: Iterable[str]) -> list[str]:
        """Return names by first appearance in the function, then those of our own making."""
        order = self.scope.order
        return sorted(names, key=lambda name: order.get(name, len(order)))


@dataclass(slots=True)
class Frame:
    """A function that will exist at run time.

    `outer` are the names bound in it, or in frames inside it, that belong to a frame around it;
    `direct` are the names its own statements bind, `assigned` those that not only := binds.
    """

    function: Function
    parent: Frame | None
    outer: frozenset[str]
    direct: set[str]
    assigned: set[str]
    shared: dict[str, None] = field(default_factory=dict)  # what of `outer` is really bound
    declared: set[str] = field(default_factory=set)
    lazy: int = 0  # of generated lambdas around the expression being converted
    items: tuple[str, ...] = ()  # the targets of the comprehensions around the expression
    before: Block = field(default_factory=list)  # to stand before the statement being converted

    @property
    def is_moved(self) -> bool:
        """Whether what is converted now will run in another function than the user's."""
        return self.parent is not None or self.lazy > 0

    def block(self, block: Block) -> Block:
        """Return the converted statements of a block."""
        table = self.function.unit.statements
        result: Block = []
        for statement in block:
            outer, self.before = self.before, []
            converted = table.get(type(statement), convert_parts)(statement, self)
            result += self.before + converted
            self.before = outer
        return result

    def expression(self, node: gast.AST) -> gast.AST:
        """Return the converted form of an expression."""
        rule = self.function.unit.expressions.get(type(node))
        if rule is not None:
            return rule(node, self)
        for name in node._fields:
            value = getattr(node, name)
            if isinstance(value, list):
                setattr(node, name, [self.part(item) for item in value])
            elif isinstance(value, gast.AST):
                setattr(node, name, self.expression(value))
        return node

    def part(self, value: gast.AST) -> gast.AST:
        """Return an item of a list of expressions; keys of dictionaries may be None."""
        return self.expression(value) if isinstance(value, gast.AST) else value

    def thunk(self, node: gast.AST, *, at: gast.AST) -> gast.AST:
        """Return a lambda that evaluates an expression when it is called.

        It stands where the whole statement or expression does, so that a debugger that steps over
        the making of it does not show a line that may never run.
        """
        self.lazy += 1
        value = self.expression(node)
        self.lazy -= 1
        return quote_expression("lambda: VALUE", at=at, VALUE=value)

    def can_thunk(self, *nodes: gast.AST) -> bool:
        """Whether expressions may move into lambdas: a walrus would bind another variable."""
        if not self.function.scope.has_walrus:
            return True
        return not any(self.function.unit.facts.uses(node).walrus for node in nodes)


def convert_parts(node: gast.AST, frame: Frame) -> Block:
    """Convert a statement that stays: its expressions, and its blocks where they are."""
    for name in node._fields:
        value = getattr(node, name)
        if isinstance(value, list):
            setattr(node, name, _converted_list(value, frame))
        elif isinstance(value, gast.expr | gast.Slice):
            setattr(node, name, frame.expression(value))
    return [node]


def _converted_list(values: Block, frame: Frame) -> Block:
    if values and isinstance(values[0], gast.stmt):
        return frame.block(values)
    for index, value in enumerate(values):
        if isinstance(value, gast.expr):
            values[index] = frame.expression(value)
        elif isinstance(value, gast.AST) and not isinstance(value, gast.pattern):
            convert_parts(value, frame)
    return values


def handed_on(node: gast.AST, frame: Frame) -> gast.AST:
    """Return the converted form of a value that is handed on, or let go of, without being used.

    Operators check what they compute with; a name that may be unbound is checked here.
    """
    function = frame.function
    if isinstance(node, gast.Name) and function.unit.traced and node.id in function.unsure:
        return call_operator("present", frame, at=node, arguments=[node])
    is_starred = any(isinstance(part, gast.Starred) for part in getattr(node, "elts", ()))
    if isinstance(node, gast.Tuple) and not is_starred:
        node.elts = [handed_on(part, frame) for part in node.elts]
        return node
    return valued(node, frame)


def valued(node: gast.AST, frame: Frame) -> gast.AST:
    """Return the converted form of an expression whose value is wanted, not only its truth."""
    if isinstance(node, gast.Tuple) and not any(isinstance(x, gast.Starred) for x in node.elts):
        node.elts = [valued(part, frame) for part in node.elts]
        return node
    found = frame.expression(node)
    if frame.function.unit.traced:
        _want_value(found, frame.function.unit.operators)
    return found


def _want_value(node: gast.AST, operators: str) -> None:
    """Say to `and_` and `or_`, and to those in their operands, that the operand is wanted."""
    of_ours = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)
    if not of_ours or getattr(node.func.value, "id", None) != operators:
        return
    if node.func.attr in ("and_", "or_"):
        wanted = constant(True, at=node)
        node.keywords.append(make(gast.keyword, at=node, arg="is_value", value=wanted))
    if node.func.attr in ("and_", "or_", "if_exp"):
        for part in node.args:
            _want_value(part.body if isinstance(part, gast.Lambda) else part, operators)


def call_operator(
    name: str, frame: Frame, *, at: gast.AST, arguments: Block, keywords: Block | None = None
) -> gast.AST:
    """Return `ag.name(...)`, the only form in which converted code uses the operators.

    A call of a method is said to be where the name of the method ends: that is kept on one line.
    """
    call = quote_expression(
        "OPERATORS.NAME(ARGUMENTS, **KEYWORDS)",
        at=at,
        OPERATORS=frame.function.unit.operators,
        NAME=name,
        ARGUMENTS=arguments,
        KEYWORDS=keywords or [],
    )
    call.func.end_lineno, call.func.end_col_offset = call.lineno, call.col_offset
    return call


def statement(expression: gast.AST) -> gast.AST:
    """Return an expression as a statement of its own."""
    return quote("EXPRESSION", at=expression, EXPRESSION=expression)[0]
