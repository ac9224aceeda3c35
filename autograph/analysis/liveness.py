"""Which variables are still needed: a walk backwards over the structure of a function.

In: a function whose jumps are where they will stay, which of its statements will be converted, and
the flags that loops ask after each round; also whether a `with` may swallow what its block raises.
Out: for each compound statement the names
that are needed after it, and for each of its blocks the names needed on entry. It errs on the
side of "needed". Names that functions inside capture are not its business: `Scope.outward`
lists them, and whoever asks adds them.

The algorithm is the textbook backward dataflow analysis, done by structure instead of by a graph
of blocks. A loop needs no fixpoint: what is needed at its head is what one round reads before
writing it (`_reads_of_round`), and what is needed after the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager

import gast

from autograph.analysis.uses import Uses

Live = frozenset[str]
_NONE: Live = frozenset()


class Liveness:
    """What is needed after each `if`, loop, `try`, `with`, and on entry of each of its blocks."""

    def __init__(
        self,
        function: gast.AST,
        uses: Callable[[gast.AST], Uses],
        staged: Set[gast.AST],
        until: Mapping[gast.AST, str],
        swallows: bool = True,
    ) -> None:
        self._uses = uses
        self._swallows = swallows
        self._staged = staged
        self._until = until
        self._rounds: dict[gast.AST, Live] = {}
        self._after: dict[gast.AST, Live] = {}
        self._entry: dict[tuple[gast.AST, str], Live] = {}
        self._exits: dict[str, Live] = {}
        self._raise: Live = _NONE
        self._recording = True
        self.at_start: Live = self._block(function.body, _NONE)

    def after(self, statement: gast.AST) -> Live:
        """Return the names needed after a statement with blocks, or in the next round of a loop."""
        return self._after[statement]

    def on_entry(self, statement: gast.AST, block: str) -> Live:
        """Return the names needed at the start of a block, such as "body" or "orelse"."""
        return self._entry[statement, block]

    def _block(self, block: list[gast.AST], out: Live) -> Live:
        for statement in reversed(block):
            rule = _RULES.get(type(statement).__name__, Liveness._simple)
            out = rule(self, statement, out) | self._raise
        return out

    def _simple(self, node: gast.AST, out: Live) -> Live:
        uses = self._uses(node)
        if not uses.writes:
            return out.union(uses.reads)
        killed = uses.writes.keys() - uses.maybe.keys()
        return out.difference(killed).union(uses.reads)

    def _recorded(self, node: gast.AST, name: str, out: Live) -> Live:
        live = self._block(getattr(node, name), out)
        if self._recording:
            self._entry[node, name] = live
        return live

    def _record_after(self, node: gast.AST, live: Live) -> None:
        if self._recording:
            self._after[node] = live

    def _if(self, node: gast.AST, out: Live) -> Live:
        body = self._recorded(node, "body", out)
        orelse = self._recorded(node, "orelse", out)
        if _leaves([node]):
            out = self._exits.get("return", _NONE)
        self._record_after(node, out | self._raise)
        return self._simple(node, body | orelse)

    def _loop(self, node: gast.AST, out: Live) -> Live:
        """The head of the loop needs what a round reads and what is read once it is left."""
        head = self._reads_of_round(node) | self._block(node.orelse, out) | out
        if node in self._until:
            head |= {self._until[node]}
        self._record_after(node, head | self._bound_by_test(node) | self._raise)
        if self._recording:
            exits = {"break": out, "continue": head}
            if node in self._staged:  # there, `return` leaves the function made of the body
                exits["return"] = head
            with self._set_exits(exits):
                self._recorded(node, "body", head)
        return head

    def _while(self, node: gast.AST, out: Live) -> Live:
        return self._simple(node, self._loop(node, out))

    def _for(self, node: gast.AST, out: Live) -> Live:
        return self._loop(node, out).union(self._uses(node.iter).reads)

    def _reads_of_round(self, node: gast.AST) -> Live:
        known = self._rounds.get(node)
        if known is None:
            with self._set_exits({}), self._raising(_NONE), self._unrecorded():
                header = node.target if isinstance(node, gast.For) else node
                known = self._simple(header, self._block(node.body, _NONE))
            self._rounds[node] = known
        return known

    def _bound_by_test(self, node: gast.AST) -> Live:
        """The names that a condition binds for its round: it is asked when the last one ends."""
        bound = self._uses(node).writes if isinstance(node, gast.While) else {}
        if not bound:
            return _NONE
        with self._set_exits({}), self._raising(_NONE), self._unrecorded():
            return self._block(node.body, _NONE).intersection(bound)

    def _with(self, node: gast.AST, out: Live) -> Live:
        """A context manager may swallow an exception: the rest then runs after any statement."""
        self._record_after(node, out | self._raise)
        with self._raising(self._raise | out if self._swallows else self._raise):
            live = self._recorded(node, "body", out)
        for item in reversed(node.items):
            live = self._simple(item, live)
        return live

    def _try(self, node: gast.AST, out: Live) -> Live:
        """Any statement of the body may raise, and every way out leads through `finally`."""
        ways = self._exits.values()
        self._record_after(node, out | self._raise)
        leaving = self._recorded(node, "finalbody", out.union(*ways, self._raise))
        if not node.finalbody:
            leaving = _NONE
        normal = leaving or out
        exits = {name: live | leaving for name, live in self._exits.items()}
        with self._set_exits(exits), self._raising(self._raise | leaving):
            handlers = [self._handler(handler, normal) for handler in node.handlers]
            orelse = self._recorded(node, "orelse", normal)
            with self._raising(self._raise.union(*handlers)):
                return self._recorded(node, "body", orelse)

    def _handler(self, handler: gast.AST, out: Live) -> Live:
        return self._simple(handler, self._recorded(handler, "body", out)) | self._raise

    def _match(self, node: gast.AST, out: Live) -> Live:
        """A pattern that fails may have bound some of its names: they are not killed."""
        live = out.union(self._uses(node.subject).reads)
        for case in node.cases:
            body = self._block(case.body, out)
            if case.guard is not None:
                body = self._simple(case.guard, body)
            live |= self._simple(case.pattern, body)
        return live

    def _return(self, node: gast.AST, out: Live) -> Live:
        return self._exits.get("return", _NONE).union(self._uses(node).reads)

    def _raise_(self, node: gast.AST, out: Live) -> Live:
        return frozenset(self._uses(node).reads)

    def _break(self, node: gast.AST, out: Live) -> Live:
        return self._exits.get("break", _NONE)

    def _continue(self, node: gast.AST, out: Live) -> Live:
        return self._exits.get("continue", _NONE)

    @contextmanager
    def _set_exits(self, exits: dict[str, Live]) -> Iterator[None]:
        before = self._exits
        self._exits = {**before, **exits} if exits else {}
        yield
        self._exits = before

    @contextmanager
    def _raising(self, live: Live) -> Iterator[None]:
        before, self._raise = self._raise, live
        yield
        self._raise = before

    @contextmanager
    def _unrecorded(self) -> Iterator[None]:
        before, self._recording = self._recording, False
        yield
        self._recording = before


def _leaves(block: list[gast.AST]) -> bool:
    """Whether control never reaches the end of a block, by its last statement alone."""
    if not block:
        return False
    if isinstance(block[-1], gast.If):
        return _leaves(block[-1].body) and _leaves(block[-1].orelse)
    return isinstance(block[-1], (gast.Return, gast.Raise))


_RULES: dict[str, Callable[[Liveness, gast.AST, Live], Live]] = {
    "If": Liveness._if,
    "While": Liveness._while,
    "For": Liveness._for,
    "With": Liveness._with,
    "Try": Liveness._try,
    "TryStar": Liveness._try,
    "Match": Liveness._match,
    "Return": Liveness._return,
    "Raise": Liveness._raise_,
    "Break": Liveness._break,
    "Continue": Liveness._continue,
}
