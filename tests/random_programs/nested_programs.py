"""Random functions of lists of lists and dicts of lists, which are written through all their names.

A program is a text with one function `f(x, n)`: `x` is an array of numbers, `n` a NumPy integer.
Lists are put into other lists, taken out, and changed through either name, in branches and loops.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

OUTER = ("rows", "rows", "more")
ROWS = ("row", "last")
MADE = "[[] for _ in range(n + 1)]"


class NestedPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        self.loops = 0
        lines = [
            f"row = {self._new()}",
            f"last = {self.pick('row', '[]', '[2]')}",
            f"rows = {self.pick('[row]', '[[1], [2, 3]]', '[[0] * 2] * 3', MADE)}",
            f"more = {self.pick('[]', 'rows', '[row, last]', '[row[:]]')}",
            f"d = {self.pick('{}', '{1: row}', '{0: []}')}",
            "s = 0",
            *self._block(3, self.number(2, 4)),
            f"return rows, more, row, last, d, s, {self._same()}",
        ]  # fmt: skip
        return "\n".join(["def f(x, n):", *indented(lines)]) + "\n"

    def _same(self) -> str:
        one = self._row()
        return f"{one} is {self.pick(*ROWS)}"

    def _new(self) -> str:
        return self.pick("[]", "[1]", f"[{self._number()}, 2]", f"[{self._number()}]")

    def _number(self) -> str:
        return self.pick(f"{self.number(-2, 5)}", "x[0]", "x[n % 3]", "n", f"{self.number(1, 5)}.5")

    def _value(self) -> str:
        number = self._number()
        return self.pick(number, number, "s", f"len({self._row()})", f"s + {number}")

    def _row(self) -> str:
        """Return what is a row in any case."""
        return self.pick(*ROWS, *ROWS, "rows[0]", "rows[-1]", "rows[n % len(rows)]")

    def _block(self, depth: int, count: int) -> Lines:
        return [line for _ in range(count) for line in self._statement(depth)]

    def _inner(self, depth: int) -> Lines:
        return indented(self._block(depth - 1, self.number(1, 2)))

    def _statement(self, depth: int) -> Lines:
        simple = [self._grow, self._grow, self._put, self._put, self._bind, self._write]
        simple += [self._shrink, self._read, self._key] + [self._jump] * bool(self.loops)
        compound = [self._if, self._if, self._for, self._over, self._try]
        return self.pick(*(compound if depth > 1 and self.chance(0.6) else simple))(depth)

    def _grow(self, depth: int) -> Lines:
        row, value = self._row(), self._value()
        form = self.pick("{}.append({})", "{}.append({})", "{}.insert(0, {})", "{}.extend([{}, 1])")
        return [form.format(row, value)]

    def _put(self, depth: int) -> Lines:
        outer, row = self.pick(*OUTER), self.pick(self._row(), self._new(), f"{self._row()}[:2]")
        return [
            self.pick(
                f"{outer}.append({row})", f"{outer}.append({row})", f"{outer}.insert(0, {row})",
                f"rows[n % len(rows)] = {row}", f"{outer}.extend(more[:1])",
            )
        ]  # fmt: skip

    def _bind(self, depth: int) -> Lines:
        return [f"{self.pick(*ROWS)} = {self.pick(self._row(), self._row(), self._new())}"]

    def _write(self, depth: int) -> Lines:
        row, value = self._row(), self._value()
        sign = self.pick("=", "+=")
        place = self.pick("0", "-1", f"n % len({row})")
        return [f"if {row}:", f"    {row}[{place}] {sign} {value}"]

    def _shrink(self, depth: int) -> Lines:
        row = self._row()
        return self.pick(
            [f"if {row}:", f"    s = {row}.pop()"],
            [f"{row}.clear()"],
            ["if len(rows) > 1:", f"    {self.pick('row = rows.pop()', 'del rows[0]')}"],
            ["if more:", f"    {self.pick('last = more.pop(0)', 'more.reverse()')}"],
        )

    def _read(self, depth: int) -> Lines:
        row = self._row()
        return self.pick(
            ["s = sum(map(len, rows))"],
            [f"s = sum({row})"],
            [f"s = s + len({row})"],
            ["s = sum(len(r) for r in more)"],
            [f"if {row}:", f"    s = {row}[0]"],
        )

    def _key(self, depth: int) -> Lines:
        key, value = self.pick("n % 2", "1", "int(x[0])"), self._value()
        return self.pick(
            [f"d.setdefault({key}, []).append({value})"],
            [f"d[{key}] = d.get({key}, []) + [{value}]"],
            [f"d[{key}] = {self._row()}"],
            [f"if {key} in d:", f"    {self.pick(*ROWS)} = d[{key}]"],
        )

    def _jump(self, depth: int) -> Lines:
        return [f"if {self._test()}:", f"    {self.pick('break', 'continue')}"]

    def _test(self) -> str:
        row = self._row()
        return self.pick(
            f"x[0] > {self.number(-1, 3)}", f"len({row}) > {self.number(0, 3)}", row, f"n in {row}",
            f"{row} is {self._row()}", "s > 2",
        )  # fmt: skip

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self._test()}:", *self._inner(depth)]
        return [*lines, "else:", *self._inner(depth)] if self.chance(0.5) else lines

    def _looped(self, head: str, depth: int) -> Lines:
        self.loops += 1
        lines = [head, *self._inner(depth)]
        self.loops -= 1
        return lines

    def _for(self, depth: int) -> Lines:
        return self._looped(f"for k{depth} in range({self.pick('n', 'n', '2')}):", depth)

    def _over(self, depth: int) -> Lines:
        name = f"r{depth}"
        lines = self._looped(f"for {name} in {self.pick('rows[:]', 'more[:]', 'rows[1:]')}:", depth)
        grow = f"{name}.append({self._value()})"
        body = self.pick(f"s = s + len({name})", grow, f"last = {name}")
        return [*lines, f"    {body}"]

    def _try(self, depth: int) -> Lines:
        error = f"if {self._test()}:", f"    raise ValueError({self._number()})"
        body = [*self._block(depth - 1, 1), *error, *self._block(depth - 1, 1)]
        return ["try:", *indented(body), "except (ValueError, IndexError):", *self._inner(depth)]


ARGUMENTS = [
    (np.array(x), np.int64(n))
    for x, n in (([2.0, 1.0, 3.0], 0), ([-1, 0.5, 2], 1), ([4.0, 1.0, 0.0], 3), ([0.0, 3, 1], 2))
]  # fmt: skip
"""Argument lists: numbers that conditions compare with, and how often loops run."""
