"""Random functions of deques that get items at one end and lose them at the other.

A program is a text with one function `f(x, n, c)`: `x` is an array of integers, and `c` a deque of
the caller's. It and two others, one of them perhaps with a greatest length, are changed in branches
and loops at both ends, by methods, by items, and through a variable that is either of two.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented


class DequePrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        most = self.pick("", "", f", maxlen={self.number(2, 6)}")
        lines = ["t = 0", f"p, q = deque([1, 2]), deque([3]{most})"]
        rounds = self.pick("for e in x:", "for e in x:", "for e in range(n):")
        body = ["p.append(e)", "q.append(t % 5)"]
        body += [line for _ in range(self.number(2, 6)) for line in self._statement()]
        lines += [rounds, *indented(body)]
        lines += [line for _ in range(self.number(0, 2)) for line in self._statement("3")]
        lines.append("return t, p, q, list(p), sum(q), len(p), len(c), str(q)")
        text = ["from collections import deque", "", "def f(x, n, c):", *indented(lines)]
        return "\n".join(text) + "\n"

    def _statement(self, e: str = "e") -> Lines:
        d = self.pick("p", "p", "q", "c")
        lines = self.pick(
            *[self._add] * 3, *[self._take] * 4, self._item, self._whole, self._either
        )(d, e)
        if self.chance(0.4):
            return [f"if {self._test(e)}:", *indented(lines)]
        return lines

    def _test(self, e: str) -> str:
        return self.pick(f"{e} > 4", f"{e} % 2 == 0", "len(p) > 3", "len(q) < len(p)", "t % 3 == 1")

    def _add(self, d: str, e: str) -> Lines:
        ways = (f"append({e})", f"append({e})", f"appendleft({e})", f"extend([{e}, t % 7])")
        return [f"{d}.{self.pick(*ways)}"]

    def _take(self, d: str, e: str) -> Lines:
        way = self.pick("popleft()", "popleft()", "pop()")
        guard = self.pick(f"if {d}:", f"if len({d}) > {self.number(1, 4)}:", f"while len({d}) > 3:")
        return [guard, f"    t += {d}.{way}"]

    def _item(self, d: str, e: str) -> Lines:
        place = self.pick(0, -1)
        do = self.pick(f"t += {d}[{place}]", f"{d}[{place}] += {e}", f"{d}[{place}] = t % 11")
        return [f"if len({d}) > 0:", f"    {do}"]

    def _whole(self, d: str, e: str) -> Lines:
        loop = [f"for i in {d}:", "    t = (t * 2 + i) % 97"]
        other = [f"{d} = {d}.copy()"]
        return self.pick(
            loop, loop, other, [f"{d}.rotate(1)"], [f"{d}.reverse()"], [f"t += {e} in {d}"],
            [f"{d}.clear()"], [f"t += sum({d}) % 5"], [f"t += len(str({d}))"],
        )  # fmt: skip

    def _either(self, d: str, e: str) -> Lines:
        lines = self.pick(self._add, self._take)("r", e)
        return [f"r = p if {self._test(e)} else {self.pick('q', 'q', 'c')}", *lines]


ARGUMENTS = [
    (np.array(x, np.int64), np.int64(n), deque(map(np.int64, c), most))
    for x, n, c, most in (
        ([], 0, [4, 1], None), ([5], 1, [], None), ([3, 8, 2, 9, 4, 4, 7], 4, [2, 7, 6], 4),
        ([1, 6, 2, 8, 3, 7, 5, 5, 9, 0, 2, 6, 4, 8, 1, 3, 7, 9, 2, 5], 12, [2, 7, 6], 4),
    )
]  # fmt: skip
"""Argument lists: items, how many rounds some loops make, and a deque."""
