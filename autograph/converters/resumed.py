"""Generators that are left and gone on with: a function that goes on where it yielded.

    def scaled(xs, by):          ->   def scaled(xs, by, *, begin):
        for x in xs:                      x: None
            yield x * by                  items = begin(xs)
                                          def step():
                                              nonlocal resume, value, x
                                              at, resume = resume, -1
                                              if at < 0:
                                                  return False
                                              while at != 0:       # a round that yielded
                                                  at = 0
                                              else:
                                                  for x in items:
                                                      resume, value = 1, x * by
                                                      return True
                                              return False
                                          resume = 0
                                          return step, lambda: value

Each `yield` has a number, and `at` is that of the one to go on from: 0 in the beginning, and after
it was reached; less than 0 at the end. What stands before the `yield` is passed over until then.
So the frame of a generator is variables of a function, which branches and loops of the graph join
and carry as all others, and nothing of it has to be known while tracing.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.facts import Facts
from autograph.analysis.jumps import inner_blocks
from autograph.converters.copies import copied
from autograph.converters.frames import declaration
from autograph.converters.generators import Emit, own_nodes
from autograph.errors import UnsupportedSyntaxError
from autograph.source.names import Namer
from autograph.source.quote import make, name, parameter, quote, quote_expression

_MOST_DEPTH = 3
"""So many loops may stand around a `yield`: each one doubles what is inside of it."""
BUILTINS = frozenset({"enumerate", "range", "reversed", "zip"})
"""Builtins that only make an iterable: nobody sees when they do it."""
_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)


class Begun(gast.expr):
    """What a loop goes over, and the variable that has the iterator."""

    _fields = ("value", "items")

    def __init__(self, value: gast.AST, items: str) -> None:
        super().__init__()
        self.value = value
        self.items = items
        gast.copy_location(self, value)


class Step(gast.stmt):
    """A `yield`, between this and the rewriting of statements."""

    _fields = ("value", "number")

    def __init__(self, value: gast.AST, number: int) -> None:
        super().__init__()
        self.value = value
        self.number = number
        gast.copy_location(self, value)


def resume_steps(function: gast.AST, namer: Namer) -> None:
    """Change a generator, in place, to a function that returns how to take a step, and the item.

    Args:
        function: the generator; its last keyword-only parameter will be what begins iterators.
        namer: gives names.

    Raises:
        UnsupportedSyntaxError: it yields in a statement that cannot be gone on with.
    """
    Resumed(function, namer).change()


class Resumed:
    """The rewriting of one generator."""

    def __init__(self, function: gast.AST, namer: Namer) -> None:
        scope = Facts().scope(function)
        self._function = function
        self._namer = namer
        self._parameters = set(scope.parameters)
        self._locals = sorted(scope.bound)
        self._begin, self._at = namer.fresh("begin"), namer.fresh("at")
        self._resume, self._value = namer.fresh("resume"), namer.fresh("value")
        self._before: list[gast.AST] = []
        self._count = 0
        writes = [x.id for x in own_nodes(function) if _is_store(x)]
        self._lasting = self._parameters - set(writes) - scope.captured

    def change(self) -> None:
        """Rewrite the function."""
        node = self._function
        block = node.body = self._numbered(node.body)
        for x in own_nodes(node):
            self._check(x)
        body = self._block(block, 0)
        names = [self._resume, self._value, *self._locals]
        step = self._namer.fresh("step")
        parts = {"AT": self._at, "RESUME": self._resume, "VALUE": self._value, "STEP": step}
        node.args.kwonlyargs.append(parameter(self._begin, at=node))
        node.args.kw_defaults.append(None)
        unbound = [self._value, *(x for x in self._locals if x not in self._parameters)]
        node.body = [
            *(declaration(x, node) for x in unbound),
            *self._before,
            *quote(_FUNCTION, at=node, NAMES=names, BODY=body, **parts),
        ]

    def _numbered(self, block: list[gast.AST]) -> list[gast.AST]:
        """Give each `yield` its number, and let `return` tell that there is no item."""
        result: list[gast.AST] = []
        for statement in block:
            if not isinstance(statement, _FUNCTIONS):
                for inner in inner_blocks(statement):
                    inner[:] = self._numbered(inner)
            if isinstance(statement, gast.For) and _steps([statement]):
                statement.iter = self._loop(statement.iter)
            value = statement.value if isinstance(statement, gast.Expr) else None
            if isinstance(value, gast.Yield):
                result.append(self._step(value.value or _constant(None, statement)))
            elif isinstance(value, gast.YieldFrom):
                item = self._namer.fresh("item")
                self._locals.append(item)
                target = make(gast.Name, at=value, id=item, ctx=gast.Store())
                body = [self._step(name(item, at=value))]
                given = self._loop(value.value)
                fields = {"target": target, "iter": given, "body": body, "orelse": []}
                result.append(make(gast.For, at=value, **fields, type_comment=None))
            elif isinstance(statement, gast.Return):
                value, statement.value = statement.value, _constant(False, statement)
                result += [make(gast.Expr, at=statement, value=value)] if value else []
                result.append(statement)
            else:
                result.append(statement)
        return result

    def _loop(self, iterable: gast.AST) -> Begun:
        return Begun(iterable, self._namer.fresh("items"))

    def _step(self, value: gast.AST) -> Step:
        self._count += 1
        return Step(value, self._count)

    def _check(self, x: gast.AST) -> None:
        is_around = isinstance(x, gast.Try | gast.TryStar | gast.With | gast.Match)
        if isinstance(x, gast.Yield | gast.YieldFrom) or (is_around and _steps([x])):
            raise UnsupportedSyntaxError(
                f"The generator {self._function.name} is left and gone on with, and how far it "
                "has come is known only when the graph runs: it may yield in loops and "
                "branches, not in `with`, `try` or `match`, and not use what is sent to it.",
                at=x,
                hint="Make a list of its items before.",
            )

    def _is_lasting(self, iterable: gast.AST) -> bool:
        """Tell whether an iterable is made of parameters and constants alone, unseen by others."""
        if isinstance(iterable, gast.Call) and not iterable.keywords:
            is_known = isinstance(iterable.func, gast.Name) and iterable.func.id in BUILTINS
            return is_known and all(map(self._is_lasting, iterable.args))
        if isinstance(iterable, gast.List | gast.Tuple):
            return all(map(self._is_lasting, iterable.elts))
        return isinstance(iterable, gast.Constant) or self._is_name(iterable)

    def _is_name(self, x: gast.AST) -> bool:
        return isinstance(x, gast.Name) and x.id in self._lasting

    def _block(self, block: list[gast.AST], depth: int) -> list[gast.AST]:
        """Return statements of which those before the `yield` to go on from are passed over."""
        result: list[gast.AST] = []
        passed: list[gast.AST] = []
        for statement in block:
            steps = _steps([statement])
            if not steps:
                passed.append(statement)
                continue
            if passed:
                result += quote("if AT == 0:\n    BODY", at=statement, AT=self._at, BODY=passed)
                passed = []
            made = self._statement(statement, depth)
            if len(steps) < self._count:
                parts = {"AT": self._at, "INSIDE": self._in(steps, statement)}
                test = quote_expression("AT == 0 or INSIDE", at=statement, **parts)
                made = [make(gast.If, at=statement, test=test, body=made, orelse=[])]
            result += made
        return [*result, *passed]

    def _statement(self, node: gast.AST, depth: int) -> list[gast.AST]:
        if isinstance(node, Step):
            test = "if AT == 0:\n    YIELD\nAT = 0"
            return quote(test, at=node, AT=self._at, YIELD=self._yielded(node))
        is_loop = not isinstance(node, gast.If)
        if is_loop and depth == _MOST_DEPTH:
            raise UnsupportedSyntaxError(
                f"The generator {self._function.name} yields in more than {_MOST_DEPTH} loops, "
                "one in another, and how far it has come is known only when the graph runs.",
                at=node,
                hint="Make a list of its items before.",
            )
        if isinstance(node, gast.For):
            return self._for(node, depth)
        parts = {"INSIDE": self._in(_steps(node.body), node), "AT": self._at, "TEST": node.test}
        node.test = quote_expression("INSIDE or AT == 0 and TEST", at=node, **parts)
        node.body = self._block(node.body, depth + is_loop)
        node.orelse = self._block(node.orelse, depth)
        return [node]

    def _for(self, node: gast.AST, depth: int) -> list[gast.AST]:
        """Go on with a round that yielded, in a loop of its own, and then with the others.

        A loop that runs once begins where the generator is made, if nobody sees that.
        """
        begin = self._begun(node)
        if depth == 0 and self._is_lasting(node.iter.value):
            self._before += begin
            begin = []
        else:
            if node.iter.items not in self._locals:
                self._locals.append(node.iter.items)
            begin = quote("if AT == 0:\n    BEGIN", at=node, AT=self._at, BEGIN=begin)
        again = [copied(x) for x in node.body]
        is_flat = _is_flat(node.body)
        again = _rest(again) if is_flat else self._block(again, depth + 1)
        inside = self._in(_steps(node.body), node)
        node.body = self._fresh(node.body) if is_flat else self._block(node.body, depth + 1)
        node.orelse = self._block(node.orelse, depth)
        node.iter = name(node.iter.items, at=node)
        if not again and depth == 0 and self._count == 1:  # nothing else asks where it goes on
            return [*begin, node]
        if is_flat:
            again = [*quote("AT = 0", at=node, AT=self._at), *again]
        return [*begin, *quote(_FOR, at=node, INSIDE=inside, AGAIN=again, LOOP=[node])]

    def _begun(self, node: gast.AST) -> list[gast.AST]:
        """Return what begins the iterator of a loop."""
        given = quote_expression("lambda: ITERABLE", at=node, ITERABLE=node.iter.value)
        begun = Emit(name(self._begin, at=node), given)
        return quote("ITEMS = BEGIN", at=node, ITEMS=node.iter.items, BEGIN=begun)

    def _fresh(self, block: list[gast.AST]) -> list[gast.AST]:
        """Return a block without loops around a `yield`, in which nothing is passed over."""
        result: list[gast.AST] = []
        for node in block:
            if isinstance(node, Step):
                result += self._yielded(node)
                continue
            if _steps([node]):
                node.body, node.orelse = self._fresh(node.body), self._fresh(node.orelse)
            result.append(node)
        return result

    def _yielded(self, node: Step) -> list[gast.AST]:
        parts = {"RESUME": self._resume, "VALUE": self._value}
        return quote(_YIELD, at=node, ITEM=node.value, NUMBER=_constant(node.number, node), **parts)

    def _in(self, steps: list[int], at: gast.AST) -> gast.AST:
        """Return whether the generator goes on from one of some steps."""
        if not steps:
            return _constant(False, at)
        low, high = _constant(steps[0], at), _constant(steps[-1], at)
        return quote_expression("LOW <= AT and AT <= HIGH", at=at, AT=self._at, LOW=low, HIGH=high)


_FUNCTION = """
def STEP():
    nonlocal NAMES
    AT = RESUME
    RESUME = -1
    if AT < 0:
        return False
    BODY
    return False
RESUME = 0
return STEP, lambda: VALUE
"""
_YIELD = """
RESUME = NUMBER
VALUE = ITEM
return True
"""
_FOR = """
while INSIDE:
    AGAIN
else:
    LOOP
"""


def _is_flat(block: list[gast.AST]) -> bool:
    """Tell whether a block has one `yield`, and no loop around it."""
    around = [x for x in block if _steps([x])]
    if len(_steps(block)) != 1 or isinstance(around[0], gast.For | gast.While):
        return False
    return isinstance(around[0], Step) or _is_flat(around[0].body) or _is_flat(around[0].orelse)


def _rest(block: list[gast.AST]) -> list[gast.AST]:
    """Return what follows the `yield` in a block that is flat."""
    number = next(k for k, x in enumerate(block) if _steps([x]))
    statement, others = block[number], block[number + 1 :]
    if isinstance(statement, Step):
        return others
    return [*_rest(statement.body if _steps(statement.body) else statement.orelse), *others]


def _constant(value: Any, at: gast.AST) -> gast.AST:
    return make(gast.Constant, at=at, value=value)


def _steps(block: list[gast.AST]) -> list[int]:
    """Return the numbers of the steps in a block, in their order."""
    found: list[int] = []
    for statement in block:
        if isinstance(statement, Step):
            found.append(statement.number)
        elif not isinstance(statement, _FUNCTIONS):
            for inner in inner_blocks(statement):
                found += _steps(inner)
    return found


def _is_store(x: gast.AST) -> bool:
    return isinstance(x, gast.Name) and not isinstance(x.ctx, gast.Load | gast.Param)
