"""Random functions of tuples that grow, are cut and compared, and are items of lists and dicts.

A program is a text with one function `f(x, n)`. Tuples are made of what a loop gives, and joined in
branches and loops of the graph, so that only that knows how long they are.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented


class TuplePrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        t = self.pick("()", "(n,)", "tuple(e for e in x if e > n)", "tuple(list(x))", "(1, n)")
        u = self.pick("()", "tuple(e for e in [v + n for v in x if v > 1] if e % 2)", "(n, n)", "t")
        lines = [f"t = {t}", f"u = {u}", "k, out, d, rows = 0, [], {}, [[1]]"]
        for _ in range(self.number(1, 2)):
            lines += self._loop()
        lines += self._statement()
        lines.append(f"return k, t, u, out, d, rows, {self._shown()}")
        imports = ["from itertools import chain, combinations, product", "from math import gcd"]
        return "\n".join([*imports, "def f(x, n):", *indented(lines)]) + "\n"

    def _shown(self) -> str:
        name = self.pick("t", "u")
        return self.pick(
            f"str({name})",
            f"(len({name}), sum({name}), {name} == t, isinstance({name}, tuple))",
            f"[{name}, list({name}), sorted({name})]",
            f"({name} + t, {name} * 2, n in {name}, {name}.count(n))",
            f"type({name}).__name__",
        )

    def _loop(self) -> Lines:
        over = self.pick("x", "x[::-1]", "range(n)", "t", "u")
        body = [line for _ in range(self.number(1, 2)) for line in self._statement()]
        return [f"for e in {over}:", *indented(body)]

    def _statement(self) -> Lines:
        lines = self._simple()
        if self.chance(0.4):
            test = self.pick("n > 2", "len(t) > 2", "t == u", "u", "n in t", "k % 3 == 1")
            lines = [f"if {test}:", *indented(lines)]
            if self.chance(0.4):
                lines += ["else:", *indented(self._simple())]
        return lines

    def _simple(self) -> Lines:
        t, u = self.pick(("t", "u"), ("u", "t"))
        return self.pick(
            [f"{t} = {t} + (n,)"],
            [f"{t} = {self.pick(f'(*{t}, n)', f'(n, *{u})', f'(*{t}, *{u})', f'*x, *{t}')}"],
            [f"rows = [[*{t}], [*{u}], {self.pick('[n, k]', 'list(x)', '[]')}]", *self._starred()],
            [f"{t} += ({self.pick('n', 'k', 'n * 2')},)"],
            [f"{t} = {u}[:2] + {t}[{self.pick('1:', ':n', '::-1')}]"],
            [f"{t} = {self.pick(u, f'tuple({u})', '()', f'tuple(sorted({u}))')}"],
            [f"{t} = tuple(v + n for v in {u})"],
            [f"if list({t}) not in rows:", f"    rows.append(list({t}))"],
            [f"k += rows.count(list({t})) + ([*{u}] in rows)"],
            [f"out.append([a - b for a, b in combinations({t}, 2) if a > {self.pick('n', 'b')}])"],
            [f"k += len(list({self.pick('product', 'chain')}({t}, {u})))"],
            [f"k += len({t})", f"if {t}:", f"    k += {t}[{self.pick('0', '-1')}]"],
            [f"out.append({t})"],
            [f"out.append(tuple(v for v in {t} if v > n))"],
            [f"d[k] = {t}"],
            ["try:", f"    k += {t}[n]", "except IndexError as error:", "    k = len(str(error))"],
            [f"for i, v in enumerate({t}):", "    k += i * v"],
        )

    def _starred(self) -> Lines:
        """Return what gives rows, of which the graph knows how many items each has, with a star."""
        return self.pick(
            ["out.append(list(zip(*rows)))"],
            ["for column in zip(*rows):", "    k += max(column)"],
            ["if n > 2:", "    rows.append([k])", "out.append([len(c) for c in zip(*rows)])"],
            ["if n > 2:", "    rows.append([k, n])", "out.append(tuple(chain(*rows)))"],
            ["k += max(*rows[0], *rows[2], 0, 1)", "k -= min(0, n, *rows[1])"],
            ["k += gcd(*rows[0], 6) + gcd(n, *rows[1], *rows[2])"],
        )


ARGUMENTS = [
    (np.array(x, np.int64), np.int64(n)) for x, n in (([3, 1, 2, 5], 2), ([], 1), ([4], 4))
]
"""Argument lists: numbers, and a bound."""
