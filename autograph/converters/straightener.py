"""The walk that straightens a function: what all statements with blocks have in common.

In: a function whose body may be changed, and a rule for each compound statement. Out: the same
function without the jumps that would leave a converted statement, and a `Straight` that says which
statements those are. The rules are in straight_ifs.py, straight_loops.py and straight_blocks.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import gast

from autograph.analysis.jumps import NO_JUMPS, Jumps, Kinds, inner_blocks, kind_of
from autograph.analysis.settled import Names
from autograph.converters.ways import Leave, Pending, Way, Ways
from autograph.source.names import Namer
from autograph.source.quote import make, quote, quote_expression

Block: TypeAlias = "list[gast.AST]"
# What became of a statement, the jumps pending after it, and what of its block is still to do.
Straightened: TypeAlias = "tuple[Block, Pending, Block]"
Rule: TypeAlias = "Callable[[Straightener, gast.AST, Block, Ways, Kinds], Straightened]"
LOOP_JUMPS = {"continue": gast.Continue, "break": gast.Break}


@dataclass(slots=True)
class Straight:
    """What straightening decided: which statements to convert, and how loops are left early."""

    staged: set[gast.AST] = field(default_factory=set)
    tails: set[gast.AST] = field(default_factory=set)
    until: dict[gast.AST, str] = field(default_factory=dict)
    result: str | None = None  # the variable that holds the value of an early return
    declarations: Block = field(default_factory=list)  # moved to the top: global, nonlocal


class Straightener:
    """One walk over a function; each method returns new statements and the pending jumps."""

    def __init__(
        self,
        function: gast.AST,
        names: Names,
        namer: Namer,
        rules: Mapping[type[gast.AST], Rule],
    ) -> None:
        self.straight = Straight()
        self.function = function
        self.names = names
        self.is_local = names.is_local
        self._namer = namer
        self._rules = rules
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
        """Return the straightened body of the function."""
        leave = Leave.VALUE if self._returns_values else Leave.RETURN
        ways = {"return": Way(leave)}
        statements, _ = self.block(body, ways, frozenset({"return"}))
        return statements or [make(gast.Pass, at=body[0])]

    def block(self, block: Block, ways: Ways, tail: Kinds) -> tuple[Block, Pending]:
        """Straighten a block.

        `tail` are the kinds of jumps that falling off the end of the block amounts to.
        """
        done: Block = []
        rest = block
        while rest:
            statement, rest = rest[0], rest[1:]
            if self.depth and isinstance(statement, (gast.Global, gast.Nonlocal)):
                self.straight.declarations.append(statement)
            elif kind_of(statement):
                jump, pending = self._jump(statement, ways, tail)
                return done + jump, pending
            elif self.jumps.out_of(statement):
                statements, pending, rest = self.compound(statement, rest, ways, tail)
                done += statements
                if pending:
                    return done, pending
            else:
                done += self._without_jumps(statement)
        return done, Pending()

    def _without_jumps(self, statement: gast.AST) -> Block:
        if type(statement) not in self._rules:
            return [statement]
        statements, _, rest = self.compound(statement, [], {}, NO_JUMPS)
        return statements + self.block(rest, {}, NO_JUMPS)[0]

    def compound(self, statement: gast.AST, rest: Block, ways: Ways, tail: Kinds) -> Straightened:
        """Straighten a statement that has blocks, and the rest of the block it is in."""
        return self._rules[type(statement)](self, statement, rest, ways, tail)

    def _jump(self, jump: gast.AST, ways: Ways, tail: Kinds) -> tuple[Block, Pending]:
        kind = str(kind_of(jump))
        way = ways[kind]
        if jump in self._plain:
            return [jump], Pending()
        if way.leave in (Leave.VALUE, Leave.JUMP):
            return [*self._set_flags(way, jump), jump], Pending()
        statements = self._result(jump) if way.flags else []
        statements += self._set_flags(way, jump)
        if way.leave is Leave.FALL:
            return statements, Pending({kind: way})
        if kind not in tail:
            statements.append(make(gast.Return, at=jump))
        return statements, Pending()

    def _result(self, jump: gast.AST) -> Block:
        if not (isinstance(jump, gast.Return) and self._returns_values):
            return []
        value = jump.value or make(gast.Constant, at=jump, value=None)
        return quote("RESULT = VALUE", at=jump, RESULT=self.result_name(), VALUE=value)

    def _set_flags(self, way: Way, at: gast.AST) -> Block:
        sets = [self.assign(flag, True, at) for flag in way.flags]
        return sets + [self.assign(flag, False, at) for flag in way.resets]

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
        self.straight.result = self.flag("result")
        return self.straight.result

    def flagged(self, ways: Ways, kinds: Kinds) -> tuple[dict[str, Way], tuple[str, ...]]:
        """Return ways in which jumps of these kinds are made by flags, and flags new with them."""
        result, fresh = dict(ways), []
        if "continue" in kinds and ways["continue"].leave is not Leave.FALL:
            skip = self.flag("skip", self.loops)
            fresh.append(skip)
            result = {
                kind: way if way.leave in (Leave.VALUE, Leave.JUMP) else way.with_flags(skip)
                for kind, way in ways.items()
            }
            result["continue"] = Way(Leave.FALL, (skip,))
        if "return" in kinds and not ways["return"].flags:
            returned = self.flag("returned")
            fresh.append(returned)
            result["return"] = Way(Leave.FALL, (returned, *result["return"].flags))
        skips = result["continue"].flags if "continue" in kinds else ()
        for kind in kinds:
            flags = dict.fromkeys((*result[kind].flags, *skips))
            result[kind] = Way(Leave.FALL, tuple(flags))
        return result, tuple(fresh)

    def followed(
        self, done: Block, pending: Pending, rest: Block, ways: Ways, tail: Kinds
    ) -> Straightened:
        """Return the statement and its rest, which asks about jumps that are pending."""
        if not pending:
            return done, pending, rest
        at = done[-1]
        is_value = "return" in pending.ways and ways["return"].leave is Leave.VALUE
        if is_value and ("return" in tail or self.jumps.ends(rest)):
            return self._cleared(pending, at) + done, Pending(), self._returning(pending, rest, at)
        if self.leaves_finally(rest):
            rest = [*self.leaving(pending, ways, at), *rest]
            return self._cleared(pending, at) + done, Pending(), rest
        inner = {**ways, **pending.ways}
        statements, after = self.guarded(rest, pending, inner, tail)
        if pending.ways.keys() | after.ways.keys() <= tail:
            return self._cleared(pending | after, at) + done + statements, Pending(), []
        return done + statements, pending | after, []

    def _cleared(self, pending: Pending, at: gast.AST) -> Block:
        return [self.assign(flag, False, at) for flag in pending.fresh]

    def _returning(self, pending: Pending, rest: Block, at: gast.AST) -> Block:
        returns = quote("return RESULT", at=at, RESULT=self.result_name())
        if pending.certain:
            return returns
        flag = make(gast.Name, at=at, id=pending.ways["return"].flags[0])
        return [make(gast.If, at=at, test=flag, body=returns), *rest]

    def leaving(self, pending: Pending, ways: Ways, at: gast.AST) -> Block:
        """Leave by plain statements: a guard would put a jump out of `finally` into an arm."""
        guards = []
        for kind in [kind for kind in ("return", "break", "continue") if kind in pending.ways]:
            leave = LOOP_JUMPS[kind] if ways[kind].leave is Leave.JUMP else gast.Return
            value = None
            if ways[kind].leave is Leave.VALUE:
                value = make(gast.Name, at=at, id=self.result_name())
            jump = make(leave, at=at, value=value) if value else make(leave, at=at)
            test = quote_expression("True is FLAG", at=at, FLAG=pending.ways[kind].flags[0])
            guards.append(make(gast.If, at=at, test=test, body=[jump]))
            self._plain.add(jump)
        return guards

    def guarded(
        self, rest: Block, pending: Pending, ways: Ways, tail: Kinds
    ) -> tuple[Block, Pending]:
        """Put what follows pending jumps under `if not flag`."""
        if not rest or pending.certain:
            return [], Pending()
        return self.block([self.unless(pending.flags, rest)], ways, tail)

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
