"""Random loops over long lists of known items, which become loops of the graph.

A program is a text with one function `f(x, n)` whose loops go over lists and tuples of numbers of
one class or of several, over pairs of numbers, known arrays, and what `itertools` makes of these.
Their items pick others, are compared, are the last value of a name, and end loops; the lists and
arrays are written while loops go over them, by what is known and by what is staged.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

LISTS = (
    "[k % 7 for k in range(120)]",
    "[k * 0.25 - 30 for k in range(120)]",
    "[k % 3 == 0 for k in range(120)]",
    "tuple(k * k % 11 for k in range(110))",
    "[k - 2 if k % 5 else 0.5 for k in range(120)]",
    "[*range(100)]",
    "[*GLOBAL]",
)
PAIRS = (
    "[(k, k * 0.5) for k in range(110)]",
    "[(k % 5, k % 3 == 0) for k in range(90)]",
    "tuple((k * 0.25, k) for k in range(100))",
    "[(k, 0.5 if k == 70 else k % 7) for k in range(90)]",
    "tuple((k % 4, 2**70 if k == 60 else k) for k in range(80))",
    "[(np.float64(k), k % 9) for k in range(100)]",
    "[(np.int8(k), np.float32(k / 3)) for k in range(100)]",
    "list(zip(p, q))",
)
ARRAYS = (
    "np.linspace(-1, 3, 100)",
    "np.arange(120)",
    "np.arange(90) % 3 == 0",
    "np.arange(100, dtype=np.int8)",
    "np.array(GLOBAL) * 0.5",
    "np.array(p)",
)
ROWS = "np.arange(200.0).reshape(100, 2) % 7"
PRELUDE = """import itertools

import numpy as np

GLOBAL = [k * 3 % 8 - 1 for k in range(130)]
MATRIX = np.arange(180).reshape(90, 2) % 11

"""
HEADERS = (
    "for v, w in r:",
    "for j, (v, w) in enumerate(r):",
    "for (v, w), u in zip(r, p):",
    "for j, ((v, w), u) in enumerate(zip(r, q)):",
    "for v, w in zip(reversed(p), r[2] * 60):",
    "for v, w in itertools.product(p[:12], range(9)):",
    "for v, (w, u) in itertools.product(range(4), r[:30]):",
    "for v, w in itertools.combinations(q[:15], 2):",
    "for v, w in itertools.pairwise(p):",
    "for w, v in np.ndindex(12, 9):",
    "for v, w in MATRIX:",
    "for v, w in b:",
    "for w, v in enumerate(a):",
    "for v, w in zip(a, b[:, 1]):",
    "for (w, v), u in zip(enumerate(q), a):",
    "for w, v in enumerate(itertools.chain(p, q)):",
    "for w, v in enumerate(itertools.islice(q, 3, 80)):",
    "for v, w in r[::-1]:",
    "for v, w in []:",
)


COMPREHENSIONS = (
    "[v * x[1] + s for v in p]",
    "[v + w * x[0] for v, w in r]",
    "[x[k % 4] + v for k, v in enumerate(q)]",
    "[v if v > s else w * 0.5 for w, v in enumerate(p)]",
    "[v * s for v in x for w in range(30)]",
    "[s + v for v in q if v != 2]",
    "[[v * 0.5 * s] for v in p][7] * 9",
    "[x[v % 4] if k else None for v in range(100)]",
    "[a + s for a in a]",
    "[v * w + s for v, w in b]",
    "[v - n for v in (x * 2 for _ in range(40)) for v in v]",
    "[*{v * 0.5 + s for v in range(60)}]",
    "{w: v * s for w, v in enumerate(p)}",
    "[s + x[v % 4] for v in range(90)] + [n] * 9",
)
USES = (
    "s = (s + c[3] + c[5]) % 97",
    "s = (s + sum(c)) % 97",
    "last = c[6]",
    "for v in c: s = s * 0.5 + (0 if v is None else v)",
    "s = s + len(c)",
    "last, *_ = [*c]",
    "s = (s + np.array(c)[2]) % 97",
    "s = (s + np.array(c).reshape(-1)[3]) % 97",
    "s = s + (max(c) > 3)",
    "k = k + c.index(c[2]) if type(c) is list else k",
)


class RolledPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        lines = [
            f"p = {self.pick(*LISTS)}",
            f"q = {self.pick(*LISTS)}",
            f"r = {self.pick(*PAIRS)}",
            f"a, b = {self.pick(*ARRAYS)}, {ROWS}",
            "s, k, last, w = x[0], 0, None, 0",
        ]
        for _ in range(self.number(1, 2)):
            lines += self._loop()
            if self.chance(0.4):
                lines += [f"c = {self.pick(*COMPREHENSIONS)}", self.pick(*USES), self.pick(*USES)]
        lines.append(
            "return s, k, last, type(last).__name__, w, len(p), p[5], q[-1], a, b[:9], r[3]"
        )
        return PRELUDE + "\n".join(["def f(x, n):", *indented(lines)]) + "\n"

    def _loop(self) -> Lines:
        body = [line for _ in range(self.number(2, 4)) for line in self._statement()]
        body.append("s = (s * 0.75 + v * x[k % 4]) % 89")
        if self.chance(0.6):
            header = self.pick(*HEADERS, "for v in a:", "for w in range(len(p)):")
            first = ["v = p[w]"] if "range(len" in header else []
            use = "s = s * 0.5 + w % 7 * x[1]" if "for v in" not in header else "k += 1"
            loop = [header, *indented([*first, *body, use])]
            return [*loop, "else:", "    s = s + 0.5"] if self.chance(0.3) else loop
        over = self.pick("p", "p", "q", "p[3:]", "p + q", "[*p]", "GLOBAL")
        if self.chance(0.5):
            return [f"for v in {over}:", *indented(body)]
        other = self.pick("p", "q", "range(3, 90)", "p[::-1]")
        header, last = self.pick(
            (f"for j, v in enumerate({over}):", "s = (s + j % 3) * 0.5"),
            (f"for v, w in zip({over}, {other}):", "s = s * 0.5 + w * x[0]"),
            (f"for j, (v, w) in enumerate(zip({over}, {other})):", "s = s * 0.5 + w * x[j % 4]"),
        )
        return [header, *indented([*body, last])]

    def _statement(self) -> Lines:
        lines = self._simple()
        if self.chance(0.3):
            test = self.pick("s > 40", "v > n", "v == 2", "k % 7 == 3", "s % 2 > v")
            return [f"if {test}:", *indented(lines)]
        return lines

    def _simple(self) -> Lines:
        return self.pick(
            ["s = s * 0.75 + v"],
            ["s = s + x[k % 4] * v"],
            ["s = (s + v * 0.5) % 97"],
            ["s = s + abs(v) / 4 - x[int(v) % 4]"],
            ["last = v"],
            ["k += 1"],
            ["k = k + int(v)"],
            ["s = s + [1, x[1], 2.5, n][int(v) % 4]"],
            ["if s > 60:", "    break"],
            ["if v == n:", "    continue"],
            ["if k > 150:", "    return s, v"],
            ["if k == 8 and type(p) is list:", "    p.append(v)"],
            ["if s > 30 and type(p) is list and len(p) < 140:", "    p.append(3)"],
            ["if type(q) is list:", "    q[int(k) % 9 - 1] = v"],
            ["if k % 8 == 3 and type(r) is list:", "    r.append(r[2])"],
            ["if type(r) is list:", "    r[-2] = (2, 2.5)"],
            ["a[int(k) % 9 + 30] = v"],
            ["a[-3] = a[-3] * 2"],
            ["b[k % 9 + 20] = 2.5"],
            ["w = w + 1"],
        )


ARGUMENTS = [
    (np.array([1.0, -2.0, 0.5, 3.0]), 3),
    (np.array([4, 1, -3, 7]), np.int64(2)),
    (np.array([30.0, 0.25, 8.0, -1.5]), np.float64(0.5)),
]
