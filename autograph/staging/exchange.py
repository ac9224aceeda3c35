"""Arrays of arguments that change places with others in each round of a loop: `u, v = v, u`.

Which array a variable is in then depends on the number of rounds. The loop counts them; after it,
and where an error may leave it, each argument is what the variable holds that it has come to.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograph.staging.cond import stage_cond
from autograph.staging.context import Exchanged, region_now, region_of
from autograph.staging.loop_sharing import Key, LoopSharing
from runtime.aliasing import EXPOSED, AliasError, note_write, places_of, tick
from runtime.dispatch import apply, as_value, write_back
from runtime.graph.builder import Builder
from runtime.graph.node import Value
from runtime.graph.opdef import REGISTRY
from runtime.tensor import Symbol


@dataclass(frozen=True, slots=True)
class Circle:
    """Variables among which each round hands on their arrays.

    Args:
        keys: the variables; what the first holds is in the second after a round, and so on.
        arguments: what they held before the loop, by their places in `keys`: those of arguments.
    """

    keys: Sequence[Key]
    arguments: Mapping[int, Symbol]

    def exchanged(self, rounds: Symbol, state: Mapping[Key, Symbol]) -> Sequence[Exchanged]:
        """Return each argument with what it may be after some rounds, given the variables."""
        held, size = [state[key] for key in self.keys], len(self.keys)
        return [
            Exchanged(argument, rounds, [held[(first + k) % size] for k in range(size)])
            for first, argument in self.arguments.items()
        ]


class Exchanges:
    """The arguments that change places in the rounds of a loop.

    Args:
        builder: where the loop is.
    """

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._circles: list[Circle] = []
        self._rounds: Symbol | None = None

    def revise(
        self,
        sharing: LoopSharing,
        written: Iterable[Key],
        passing: Container[Key],
        before: Mapping[Key, Any],
    ) -> bool:
        """Find the variables that hold arguments and are written; tell if they are others now.

        Args:
            sharing: what is known of the places of the variables.
            written: the variables that a round writes.
            passing: those that hold nothing where a round begins.
            before: what they hold before the loop.

        Raises:
            MutationError: it is not known which variable holds an argument.
        """
        found: dict[Key, Circle] = {}
        for key in written:
            if key not in found and sharing.is_exposed(key):
                circle = self._circle(sharing.circle(key, passing), before)
                found.update(dict.fromkeys(circle.keys, circle))
        if {*found} == {key for circle in self._circles for key in circle.keys}:
            return False
        self._circles = list({id(circle): circle for circle in found.values()}.values())
        self._rounds = Symbol(self._builder, as_value(self._builder, 0))
        return True

    def _circle(self, keys: Sequence[Key] | None, before: Mapping[Key, Any]) -> Circle:
        """Return variables that hand on their arrays; a handler would need the arguments."""
        if keys is None or region_of(self._builder).catcher is not None:
            raise AliasError(EXPOSED)
        leaves = [before.get(key) for key in keys]
        held = {k: x for k, x in enumerate(leaves) if any(y.is_exposed for y in places_of(x))}
        own = {k: x for k, x in held.items() if type(x) is Symbol and x.is_param and not x.is_cell}
        if len(own) < len(held):
            raise AliasError(EXPOSED)
        return Circle(keys, own)

    def begin_round(self, state: Mapping[Key, Symbol]) -> None:
        """Note what the arguments may be in the round that is traced, given the variables."""
        region = region_now()
        if self._rounds is not None and region is not None:
            for circle in self._circles:
                region.exchanged += tuple(circle.exchanged(self._rounds, state))

    def end_round(self) -> None:
        """Count a round."""
        if self._rounds is not None:
            later = apply(REGISTRY["add"], [self._rounds, 1])
            write_back(self._rounds, as_value(self._rounds.builder_now(), later))

    def finish(self, state: Mapping[Key, Value]) -> None:
        """Write the arguments after the loop, given what the variables hold then."""
        builder = self._builder
        if self._rounds is None:
            return
        symbols = {key: Symbol(builder, value) for key, value in state.items()}
        for circle in self._circles:
            turn = apply(REGISTRY["remainder"], [self._rounds, len(circle.keys)])
            for argument, _, options in circle.exchanged(self._rounds, symbols):
                new = as_value(builder, _in_turn(turn, options))
                note_write(builder, argument)
                write_back(argument, new)
                argument.born = tick()  # it holds what was written in its place by other names


def _in_turn(turn: Any, options: Sequence[Any]) -> Any:
    first, *others = options
    if not others:
        return first
    is_first = apply(REGISTRY["equal"], [turn, 0])
    later = apply(REGISTRY["subtract"], [turn, 1])
    return stage_cond(is_first, lambda: first, lambda: _in_turn(later, others))
