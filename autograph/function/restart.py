"""What is found while a function is traced, and has to be known from the beginning.

Comes in: why a trace was given up. Goes out: what the next one is told, or the error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autograph.errors import GivenUpError
from autograph.function.unconverted import explain_unconverted
from autograph.operators.calls.endless_calls import (
    CallsNeeded,
    Endless,
    EndlessFound,
    InGraph,
    InlinedOften,
)
from autograph.operators.containers.generator_restarts import GeneratorRefused, GeneratorsNeeded
from autograph.operators.control_flow.rolling import unroll_all
from autograph.operators.iteration.generators import to_be_staged
from autograph.operators.mutation.trace_journal import Printed
from autograph.staging.copies import Restart, TryAgain
from autograph.staging.selections import SELECTED
from runtime.aliasing import AliasError


class GivenUp(Restart):
    """Plain Python makes the call, for now; the argument is what is told of it."""


@dataclass
class Needs:
    """What was found while tracing that has to be known from the beginning.

    Attributes:
        tries: the `try` statements that are staged.
        generators: what identifies the generators that are staged.
        loops_tail_calls: whether functions that end by calling themselves are loops.
        recursions: the functions whose calls are calls in the graph, by the ids of their code.
        may_inline: whether a function is traced call by call, however many there are.
        is_shortened: whether calls are calls in the graph only to save time.
        printed: what the traces so far have printed.
    """

    tries: set[Any] = field(default_factory=set)
    generators: set[Any] = field(default_factory=set)
    loops_tail_calls: bool = False
    recursions: dict[int, InGraph] = field(default_factory=dict)
    may_inline: bool = False
    is_shortened: bool = False
    printed: Printed = field(default_factory=Printed)

    def add(self, needed: Restart) -> None:
        """Have something staged in another way, or calls be calls in the graph."""
        if isinstance(needed, GivenUp):
            raise GivenUpError(*needed.args) from None
        if isinstance(needed, TryAgain):
            self.tries.update(needed.keys)
        if isinstance(needed, GeneratorRefused):
            error = needed.error.with_traceback(needed.__traceback__)
            explain_unconverted(error)
            raise error from None
        if isinstance(needed, GeneratorsNeeded):
            self.generators.update(needed.found)
        self.is_shortened |= isinstance(needed, InlinedOften)
        if isinstance(needed, CallsNeeded):
            self.is_shortened |= needed.saves_time
            self.recursions[id(needed.needed.code)] = needed.needed
        if isinstance(needed, EndlessFound):
            self.end(needed.found, RecursionError())

    def differently(self, error: Exception) -> bool:
        """Have what was tried to save time or memory be traced as ever; tell whether there is any.

        What an error is about may not arise then.
        """
        return unroll_all(self.tries) or self._inline() or self._select(error)

    def _inline(self) -> bool:
        """Have calls traced one by one after all, if that is all that was given up for time."""
        if not self.is_shortened:
            return False
        self.loops_tail_calls, self.may_inline, self.is_shortened = False, True, False
        self.recursions.clear()
        return True

    def _select(self, error: Exception) -> bool:
        """Have arrays that are joined stay what they are, if that is what an error is about."""
        if not isinstance(error, AliasError) or SELECTED in self.tries:
            return False
        self.tries.add(SELECTED)
        return True

    def end(self, found: Endless | None, error: RecursionError) -> None:
        """Have calls without end be loops, else calls in the graph, known ones only in the end.

        Raises the error if they are.
        """
        if not self.loops_tail_calls:
            self.loops_tail_calls = True
            return
        if found is not None and id(found.code) not in self.recursions:
            self.recursions[id(found.code)] = InGraph(found.code)
            return
        traced = {k: x for k, x in self.recursions.items() if not x.if_known}
        if not traced:
            raise (error if found is None else _endless(found)) from None
        self.recursions |= {k: x._replace(if_known=True, if_sure=True) for k, x in traced.items()}

    def helps(self, error: Exception) -> bool:
        """Tell whether an error may not arise when the generator that it comes of is staged."""
        place = to_be_staged(error.__traceback__, self.generators)
        if place is None:
            return False
        self.add(GeneratorsNeeded([place]))
        return True


def _endless(found: Endless) -> RecursionError:
    return RecursionError(
        f"{found.name} calls itself ({found.place}), and had done so {found.depth} times while it "
        "was traced: no staged `if` in it decides whether it does, or it is a generator. Return "
        "something under a condition before the call, or write a loop"
    )
