"""Random functions with nested targets: of loops, assignments, comprehensions and swaps.

A program is a text with one function `f(x, n)`, over rows and pairs of which the graph may know how
many there are.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented


class TargetPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        lines = [
            "pairs = [(n, (1, 2))]",
            f"rows = {self.pick('[[1, n], [n, 3]]', '[[v, v + n] for v in x]')}",
            "p, q, r, out, d = 1, 2, n, [], {0: (n, 1)}",
            f"for i, v in enumerate({self.pick('x', 'x[::-1]')}):",
            *indented(self._fill()),
        ]
        for _ in range(self.number(2, 4)):
            lines += self._statement()
        lines.append("return p, q, r, pairs, rows, out, d")
        return "\n".join(["def f(x, n):", *indented(lines)]) + "\n"

    def _fill(self) -> Lines:
        lines = self.pick(
            ["pairs.append((v, (i, v + 1)))"],
            ["pairs.append((i, (v, n)))", "rows.append([v, i])"],
            ["d[v] = i, v"],
            ["rows.append([i, v])", "d[i] = v, n"],
        )
        return (
            [f"if v {self.pick('>', '<', '!=')} n:", *indented(lines)]
            if self.chance(0.5)
            else lines
        )

    def _statement(self) -> Lines:
        return self.pick(self._loop, self._loop, self._assigned, self._comprehension)()

    def _loop(self) -> Lines:
        head = self.pick(
            "for a, (b, c) in pairs:",
            "for i, (a, (b, c)) in enumerate(pairs):",
            "for a, (b, c) in d.items():",
            "for i, (b, c) in enumerate(rows):",
            "for (a, (b, _)), c in zip(pairs, x):",
            "for (b, c), (a, _) in zip(rows, pairs):",
            "for (_, b), c in zip(rows, range(n)):",
            "for a, *b in rows:",
            "for i, [b, *c] in enumerate(rows):",
            "for out_i, (p, q) in enumerate(rows):",
        )
        number = "b[0]" if "*b" in head else "c[0]" if "*c" in head else "b" if "b" in head else "p"
        body = self.pick(
            [f"p += {number}", f"out.append({number})"],
            [f"q = p, {number}", "p, q = q[1], q[0]"],
            [f"p, q = q, p + {number}", f"if p > {self.pick('n', '20')}:", "    break"],
            [f"if {number} > n:", "    continue", f"r += {number}"],
            ["out.append(len(pairs))", f"p, (q, r) = r, (p, {number})"],
        )
        return [head, *indented(body)]

    def _assigned(self) -> Lines:
        return self.pick(
            ["p = q, r = rows[0]", "p = p[1]"],
            ["p, (q, r) = pairs[-1]"],
            ["p, q = rows[-1]", "p, q = q, p"],
            ["(p, q), r = d[0], p"],
            ["rows[0][0], p = p, rows[0][0]"],
            ["p, *out = x[0], n, *out"],
            ["rows[0], rows[-1] = rows[-1], rows[0]"],
            ["d[1] = p, q", "[p, q] = d[1]"],
            [f"if n {self.pick('>', '<')} 2:", "    p, (q, r) = q, (r, p)"],
            ["p = q = r + n", "q += p"],
        )

    def _comprehension(self) -> Lines:
        return self.pick(
            ["out += [a + b * c for a, (b, c) in pairs]"],
            ["out.append(sum(b - c for b, c in rows))"],
            ["out += [i + c for i, (b, c) in enumerate(rows) if b > n]"],
            ["d = {i: (b, c) for i, (b, c) in enumerate(rows)}"],
            ["out.append(max(b for _, (b, c) in pairs))"],
            ["rows = [[c, b] for b, c in rows]"],
        )


ARGUMENTS = [
    (np.array(x, np.int64), np.int64(n)) for x, n in (([3, 1, 2, 5], 2), ([1], 1), ([4, 0, 6], 4))
]
"""Argument lists: numbers, and a bound."""
