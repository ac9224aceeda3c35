"""Random programs with elementwise statements, which do for arrays what they do for each number.

Variables, items of a list and of a dict, and what a function that is called writes, in branches and
loops inside one another, with jumps and further names of one value.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import autograph as ag
from tests.random_programs.comparing import compiled, is_refusal
from tests.random_programs.limits import SAME, TOO_LONG, TimeLimitError, time_limit
from tests.random_programs.writer import Draw, Lines, indented

RNG = np.random.default_rng(7)
ARGUMENTS = [(RNG.integers(-4, 7, 24), RNG.integers(-4, 7, 24)) for _ in range(2)]
NAMES = ("a", "b", "c", "items[0]", "items[1]", "keyed['k']")


class ElementwisePrograms(Draw):
    """Writes the programs of one seed."""

    def program(self) -> str:
        """Return a function of two integers."""
        lines = ["c = 0", "n = 0", "items = [0, a]", "keyed = {'k': b}"]
        for _ in range(3):
            lines += self._statement(0, "ag.hint({}, mode='elementwise')")
        result = " + ".join(f"{10**k} * {name}" for k, name in enumerate(NAMES))
        function = ["def f(a, b):", *indented([*lines, f"return {result}"])]
        return "\n".join([*_WRITER, *function, ""])

    def _statement(self, depth: int, around: str = "{}") -> Lines:
        kind = self.pick("if", "while", "assign", "assign") if depth < 3 else "assign"
        if kind == "if":
            head = [f"if {around.format(self._condition())}:", *indented(self._block(depth + 1))]
            return head if self.chance(0.3) else [*head, "else:", *indented(self._block(depth + 1))]
        if kind == "while":
            return self._while(depth, around)
        return self._assignment(depth)

    def _while(self, depth: int, around: str) -> Lines:
        test = around.format(f"({self._condition()}) and n < {self.number(2, 9)}")
        body = ["n += 1", *self._block(depth + 1)]
        if self.chance(0.5):
            body += [
                f"if {self._condition()}:",
                f"    {self.pick('break', 'continue', 'return c')}",
            ]
            body += self._block(depth + 1)
        return [f"while {test}:", *indented(body)]

    def _assignment(self, depth: int) -> Lines:
        name, value = self.pick(*NAMES), self._operand()
        computed = [f"{name} = {value} {self.pick('+', '-')} {self._operand()}"]
        if not depth:  # around elementwise statements, arrays are arrays, and written in place
            return computed
        choice = f" if {self._condition()} else {self._operand()}"
        return self.pick(
            computed,
            [f"{name} {self.pick('+=', '-=')} {value}"],
            [f"{name} = {value}{choice}"],
            [f"c = {name}", f"{name} += {value}"],
            [f"c = put(items, keyed, {value})"],
        )

    def _block(self, depth: int) -> Lines:
        return [line for _ in range(self.number(1, 2)) for line in self._statement(depth)]

    def _condition(self) -> str:
        parts = [
            f"{self._operand()} {self.pick('<', '>=', '==', '!=')} {self._operand()}"
            for _ in range(self.number(1, 2))
        ]
        joined = self.pick(" and ", " or ").join(parts)
        return f"not ({joined})" if self.chance(0.3) else f"({joined})"

    def _operand(self) -> str:
        return self.pick(*NAMES, "n", "3", "-1")


_WRITER = [
    "def put(items, keyed, value):",
    "    items[1] += value",
    "    keyed['k'] = keyed['k'] % 1000 + items[0]",
    "    return items[1]",
]


def compare_elementwise(text: str, name: str, arguments: Sequence[Any], turn: int | None) -> str:
    """Compare a program of arrays with the program of each of their numbers."""
    function = compiled(text, name)
    function.__globals__["ag"] = ag
    chosen = arguments if turn is None else [arguments[turn % len(arguments)]]
    for given in chosen:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", ag.FallbackWarning)  # it is refused
            try:
                with time_limit():
                    expected = np.vectorize(function, otypes=[np.int64])(*given)
                    found = ag.function(function)(*given)
            except TimeLimitError:
                return TOO_LONG
            except Exception as error:
                return f"{'refused' if is_refusal(error) else 'raises'}: {error!r}"
        if not np.array_equal(found, expected):
            return f"{found!r} for {expected!r} with {given!r}"
    return SAME
