"""The walk over the blocks of a function: what all statements with blocks have in common.

In: a function whose body may be changed, and a `Construct` for each kind of statement with blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import gast

from autograph.analysis.handlers import own_names
from autograph.analysis.jumps import NO_JUMPS, Jumps, Kinds, inner_blocks, kind_of
from autograph.analysis.may_vary import Names
from autograph.converters.jump_lowering.routes import Exit, Pending, Route, Routes
from autograph.source.names import Namer
from autograph.source.quote import make, quote, quote_expression

Block: TypeAlias = "list[gast.AST]"
# What became of a statement, the jumps pending after it, and what of its block is still to do.
Lowered: TypeAlias = "tuple[Block, Pending, Block]"
Rule: TypeAlias = "Callable[[JumpLowering, gast.AST, Block, Routes, Kinds], Lowered]"
Asks: TypeAlias = "Callable[[JumpLowering, gast.AST], bool]"
LOOP_JUMPS = {"continue": gast.Continue, "break": gast.Break}


@dataclass(frozen=True, slots=True)
class Construct:
    """A kind of statement with blocks: its rule, and whether such a statement is converted."""

    lower: Rule
    is_converted: Asks = lambda walk, node: False


@dataclass(slots=True)
class LoweredJumps:
    """What was decided: which statements to convert, and how loops are left early."""

    staged: set[gast.AST] = field(default_factory=set)
    tails: set[gast.AST] = field(default_factory=set)
    until: dict[gast.AST, str] = field(default_factory=dict)
    result: str | None = None  # the variable that holds the value of an early return
    declarations: Block = field(default_factory=list)  # moved to the top: global, nonlocal


class JumpLowering:
    """One walk over a function; each method returns new statements and the pending jumps."""

    def __init__(
        self,
        function: gast.AST,
        names: Names,
        namer: Namer,
        constructs: Mapping[type[gast.AST], Construct],
    ) -> None:
        self.lowered = LoweredJumps()
        self.names = names
        self.is_local = names.is_local
        self._namer = namer
        self._constructs = constructs
        self.own_names = own_names(function)
        self.jumps = Jumps()
        self._flags: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._plain: set[gast.AST] = set()  # jumps of ours, whose flags are set
        self.depth = 0  # of converted statements around
        self.loops = 0  # of converted loops around
        self.finallies = 0  # of `finally` blocks around
        self._returns_values = _returns_values(function.body)
        self._has_finally_jumps = any(map(self.jumps.jumps_in_finally, function.body))

    def run(self, body: Block) -> Block:
        """Return the lowered body of the function."""
        leave = Exit.VALUE if self._returns_values else Exit.RETURN
        routes = {"return": Route(leave)}
        statements, _ = self.block(body, routes, frozenset({"return"}))
        return statements or [make(gast.Pass, at=body[0])]

    def block(self, block: Block, routes: Routes, tail: Kinds) -> tuple[Block, Pending]:
        """Lower the jumps in a block.

        `tail` are the kinds of jumps that falling off the end of the block amounts to.
        """
        done: Block = []
        rest = block
        while rest:
            statement, rest = rest[0], rest[1:]
            if self.depth and isinstance(statement, (gast.Global, gast.Nonlocal)):
                self.lowered.declarations.append(statement)
            elif kind_of(statement):
                jump, pending = self._jump(statement, routes, tail)
                return done + jump, pending
            elif self.jumps.out_of(statement):
                statements, pending, rest = self.compound(statement, rest, routes, tail)
                done += statements
                if pending:
                    return done, pending
            else:
                done += self._without_jumps(statement)
        return done, Pending()

    def _without_jumps(self, statement: gast.AST) -> Block:
        if type(statement) not in self._constructs:
            return [statement]
        statements, _, rest = self.compound(statement, [], {}, NO_JUMPS)
        return statements + self.block(rest, {}, NO_JUMPS)[0]

    def compound(self, statement: gast.AST, rest: Block, routes: Routes, tail: Kinds) -> Lowered:
        """Lower the jumps out of a statement with blocks, and the rest of its block."""
        return self._constructs[type(statement)].lower(self, statement, rest, routes, tail)

    def jumps_from_converted(self, block: Block) -> Kinds:
        """Return the kinds of jumps out of a block that leave a statement to be converted."""
        return NO_JUMPS.union(*map(self._jumps_from_converted, block))

    def _jumps_from_converted(self, node: gast.AST) -> Kinds:
        kinds = self.jumps.out_of(node)
        if not kinds or kind_of(node) or self._constructs[type(node)].is_converted(self, node):
            return NO_JUMPS if kind_of(node) else kinds
        return kinds & NO_JUMPS.union(*map(self.jumps_from_converted, inner_blocks(node)))

    def _jump(self, jump: gast.AST, routes: Routes, tail: Kinds) -> tuple[Block, Pending]:
        kind = str(kind_of(jump))
        route = routes[kind]
        if jump in self._plain:
            return [jump], Pending()
        if route.exit in (Exit.VALUE, Exit.JUMP):
            return [*self._set_flags(route, jump), jump], Pending()
        statements = self._result(jump) if route.flags else []
        statements += self._set_flags(route, jump)
        if route.exit is Exit.FALL:
            return statements, Pending({kind: route})
        if kind not in tail:
            statements.append(make(gast.Return, at=jump))
        return statements, Pending()

    def _result(self, jump: gast.AST) -> Block:
        if not (isinstance(jump, gast.Return) and self._returns_values):
            return []
        value = jump.value or make(gast.Constant, at=jump, value=None)
        return quote("RESULT = VALUE", at=jump, RESULT=self.result_name(), VALUE=value)

    def _set_flags(self, route: Route, at: gast.AST) -> Block:
        sets = [self.assign(flag, True, at) for flag in route.flags]
        return sets + [self.assign(flag, False, at) for flag in route.resets]

    def assign(self, flag: str, value: bool, at: gast.AST) -> gast.AST:
        """Return the statement that sets a flag."""
        constant = make(gast.Constant, at=at, value=value)
        return quote("FLAG = VALUE", at=at, FLAG=flag, VALUE=constant)[0]

    def flag(self, wish: str, level: int = 0) -> str:
        """Return the name of a flag: one per purpose, and per depth of loops."""
        key = f"{wish} {level}"
        if key not in self._flags:
            self._flags[key] = self._namer.fresh(wish)
        return self._flags[key]

    def fresh(self, wish: str) -> str:
        """Return the name of a variable that is not a flag: one per purpose."""
        if wish not in self._names:
            self._names[wish] = self._namer.fresh(wish)
        return self._names[wish]

    def result_name(self) -> str:
        self.lowered.result = self.flag("result")
        return self.lowered.result

    def flagged(self, routes: Routes, kinds: Kinds) -> tuple[dict[str, Route], tuple[str, ...]]:
        """Return routes with jumps of these kinds made by flags, and the flags new with them."""
        result, fresh = dict(routes), []
        if "continue" in kinds and routes["continue"].exit is not Exit.FALL:
            skip = self.flag("skip", self.loops)
            fresh.append(skip)
            result = {
                kind: route if route.exit in (Exit.VALUE, Exit.JUMP) else route.with_flags(skip)
                for kind, route in routes.items()
            }
            result["continue"] = Route(Exit.FALL, (skip,))
        if "return" in kinds and not routes["return"].flags:
            returned = self.flag("returned")
            fresh.append(returned)
            result["return"] = Route(Exit.FALL, (returned, *result["return"].flags))
        skips = result["continue"].flags if "continue" in kinds else ()
        for kind in kinds:
            flags = dict.fromkeys((*result[kind].flags, *skips))
            result[kind] = Route(Exit.FALL, tuple(flags))
        return result, tuple(fresh)

    def followed(
        self, done: Block, pending: Pending, rest: Block, routes: Routes, tail: Kinds
    ) -> Lowered:
        """Return the statement and its rest, which asks about jumps that are pending."""
        if not pending:  # a `finally` that always leaves called all jumps off
            return self.cleared(pending, done[-1]) + done, Pending(), rest
        at = done[-1]
        is_value = "return" in pending.routes and routes["return"].exit is Exit.VALUE
        if is_value and ("return" in tail or self.jumps.ends(rest)):
            return self.cleared(pending, at) + done, Pending(), self._returning(pending, rest, at)
        if self.leaves_finally(rest):
            rest = [*self.leaving(pending, routes, at), *rest]
            return self.cleared(pending, at) + done, Pending(), rest
        inner = {**routes, **pending.routes}
        statements, after = self.guarded(rest, pending, inner, tail)
        if pending.routes.keys() | after.routes.keys() <= tail:
            return self.cleared(pending | after, at) + done + statements, Pending(), []
        return done + statements, pending | after, []

    def cleared(self, pending: Pending, at: gast.AST) -> Block:
        """Return what makes the flags false that nothing has made false before."""
        return [self.assign(flag, False, at) for flag in pending.fresh]

    def _returning(self, pending: Pending, rest: Block, at: gast.AST) -> Block:
        returns = quote("return RESULT", at=at, RESULT=self.result_name())
        if pending.certain:
            return returns
        flag = make(gast.Name, at=at, id=pending.routes["return"].flags[0])
        return [make(gast.If, at=at, test=flag, body=returns), *rest]

    def leaving(self, pending: Pending, routes: Routes, at: gast.AST) -> Block:
        """Exit by plain statements: a guard would put a jump out of `finally` into an arm."""
        guards = []
        for kind in [kind for kind in ("return", "break", "continue") if kind in pending.routes]:
            leave = LOOP_JUMPS[kind] if routes[kind].exit is Exit.JUMP else gast.Return
            value = None
            if routes[kind].exit is Exit.VALUE:
                value = make(gast.Name, at=at, id=self.result_name())
            jump = make(leave, at=at, value=value) if value else make(leave, at=at)
            test = quote_expression("True is FLAG", at=at, FLAG=pending.routes[kind].flags[0])
            guards.append(make(gast.If, at=at, test=test, body=[jump]))
            self._plain.add(jump)
        return guards

    def guarded(
        self, rest: Block, pending: Pending, routes: Routes, tail: Kinds
    ) -> tuple[Block, Pending]:
        """Put what follows pending jumps under `if not flag`."""
        if not rest or pending.certain:
            return [], Pending()
        return self.block([self.unless(pending.flags, rest)], routes, tail)

    def unless(self, flags: Sequence[str], block: Block) -> gast.AST:
        """Return `if not flag: block`."""
        test = quote_expression(" or ".join(flags), at=block[0])
        return quote("if not TEST: BLOCK", at=block[0], TEST=test, BLOCK=block)[0]

    def leaves_finally(self, block: Block) -> bool:
        """Whether a block jumps out of a `finally` in it."""
        return self._has_finally_jumps and any(map(self.jumps.leaves_finally, block))

    def flag_names(self) -> set[str]:
        """The flags so far, without the variable that holds a result."""
        result = self._flags.get("result 0")
        return set(self._flags.values()) - {result or ""}


def _returns_values(block: Block) -> bool:
    """Whether any `return` of a function has a value other than a plain None."""
    return any(map(_returns_value, block))


def _returns_value(node: gast.AST) -> bool:
    if isinstance(node, gast.Return):
        return not (node.value is None or _is_none(node.value))
    if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
        return False
    return any(map(_returns_values, inner_blocks(node)))


def _is_none(node: gast.AST) -> bool:
    return isinstance(node, gast.Constant) and node.value is None
