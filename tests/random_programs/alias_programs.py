"""Random functions whose variables hold containers that others hold, too, and let go of them.

A program is a text with one function `f(x)`: `x` is an array of integers. In branches and loops,
`t`, `u` and the items of `box` become what others are, or new containers of the same kind, and are
written. It returns them, and which of them are one.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

KINDS = {
    "set": ("{}", "set()", "{{{}}}", "{}.add({})", "{} | {{{}}}"),
    "list": ("{}", "[]", "[{}]", "{}.append({})", "{} + [{}]"),
    "deque": ("{}", "deque()", "deque([{}])", "{}.append({})", "deque([*{}, {}])"),
    "dict": ("{}", "{{}}", "{{{}: 1}}", "{}.update({{{}: 2}})", "{} | {{{}: 3}}"),
}
"""Of each kind: itself, an empty one, one of an item, how one is put in, and one with one more."""


class AliasPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        self._forms = KINDS[self.pick("set", "set", *KINDS)]
        lines = [f"t, u, n = {self._new('3')}, {self._new('4')}, 0"]
        lines += [self.pick("u = t", "pass"), f"box = [{self.pick('t', 'u')}]"]
        body = [line for _ in range(self.number(2, 4)) for line in self._statement()]
        lines += ["for e in x:", *indented(body)]
        lines += self._write("8") if self.chance(0.5) else []
        lines.append("return t, u, n, t is u, box, box[0] is t")
        return (
            "\n".join(["from collections import deque", "", "def f(x):", *indented(lines)]) + "\n"
        )

    def _new(self, item: str) -> str:
        return self.pick(self._forms[1].format(), self._forms[2].format(item))

    def _statement(self) -> Lines:
        lines = self.pick(*[self._assign] * 3, *[self._write] * 2, self._swap, self._keep)("e")
        if not self.chance(0.6):
            return lines
        test = self.pick("e > 1", "e % 2 == 0", "len(t) > len(u)", "t is u", "n > 2")
        return [f"if {test}:", *indented(lines)]

    def _assign(self, item: str) -> Lines:
        one, other = self.pick(("t", "u"), ("u", "t"))
        more = self._forms[4].format(self.pick(one, other), self.pick("5", "6", item))
        return [f"{one} = {self.pick(other, more, more, self._new('7'))}"]

    def _write(self, item: str) -> Lines:
        one = self.pick("t", "t", "u")
        return [self._forms[3].format(one, self.pick("9", item)), f"n += len({one})"]

    def _swap(self, item: str) -> Lines:
        return ["t, u = u, t"]

    def _keep(self, item: str) -> Lines:
        return [f"if len(box) < 3: box.append({self.pick('t', 'u')})"]


ARGUMENTS = [(np.array(x, np.int64),) for x in ([], [2], [1, 0, 3, 2], [0, 1, 2, 3, 4, 5])]
"""Argument lists: items."""
