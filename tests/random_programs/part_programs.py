"""Random programs on parts of arrays in loops: slices by round numbers, rows, sums, products.

What they compute is compared bit by bit, zeros with their signs: loops that are native add in
NumPy's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import autograph as ag
from tests.random_programs.comparing import compiled, is_refusal, outcome, rolled_at_once
from tests.random_programs.limits import SAME, TOO_LONG, TimeLimitError, time_limit
from tests.random_programs.writer import Draw, Lines, indented


def _arguments(size: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(size)
    square, wide = rng.standard_normal((size, size)), rng.standard_normal((size, size))
    x, y = rng.standard_normal((2, size))
    x[::3], y[::2] = -0.0, 0.0
    arrays = [(4 * each).astype(dtype) for each in (square, wide, x, y)]
    return (*arrays, np.dtype(dtype).type(2.5))


ARGUMENTS = [
    _arguments(*x) for x in ((7, "d"), (1, "d"), (37, "d"), (6, "f"), (5, "q"), (150, "d"))
]
RESULT = "return s, t, z, g, np.array(l)"


class PartPrograms(Draw):
    """Writes the programs of one seed: `a` and `b` are square, `x` and `y` have as many numbers.

    `l` is a list that grows, `g` an array that does, `z` is an array that is made anew.
    """

    def program(self) -> str:
        """Return a function of two matrices, two vectors and a number."""
        self.numbers = list[str]()
        lines = ["n, s, t = len(x), c, x[0]", "l, z, g = [c, x[0]], x.copy(), y[:1]"]
        lines += [f"o = (np.arange(n) * {self.pick(1, 3, 5)} + 1) % n - {self.pick('0', 'n', '1')}"]
        for _ in range(self.pick(1, 1, 2)):
            lines += self._loop()
        return "\n".join(["def f(a, b, x, y, c):", *indented([*lines, RESULT]), ""])

    def _loop(self) -> Lines:
        name, outer = "ijk"[len(self.numbers)], [*self.numbers]
        if not outer and self.chance(0.15):
            self.numbers = ["i"]
            rows = f"for i, row in enumerate({self.pick('a', 'b')}):"
            body = [
                *self._block(),
                self.pick("s = s + row @ x", "t = t + row[i] - row[-1]", "y += row"),
            ]
        else:
            ends = [f"range({o})" for o in outer] + [f"range({o}, n)" for o in outer]
            ends += ["range(n)", "range(1, n)", "range(n - 1, -1, -1)", "range(0, n, 2)"]
            rows = f"for {name} in {self.pick(*ends)}:"
            self.numbers = [*outer, name]
            body = self._block()
        self.numbers = outer
        return [rows, *indented(body)]

    def _block(self) -> Lines:
        lines = list[str]()
        for _ in range(self.number(1, 3)):
            deeper = len(self.numbers) < 2 and self.chance(0.4)
            lines += self._loop() if deeper else self._statement()
        return lines

    def _statement(self) -> Lines:
        key, sign, i = self._slice(), self.pick("=", "+=", "-=", "*="), self._place()
        target, part = self._part(key, targets=True), self._vector(key)
        return self.pick(
            [f"{target} {sign} {part}"],
            [f"{target} {sign} {part}"],
            [f"{target} {sign} np.flip({target}) - {part}"],
            [
                f"x[1:] {sign} x[:-1] * c",
                f"a[{self._place()}, :-1] {sign} a[{self._place()}, 1:] - c",
            ],
            [f"v = {target} * c", f"{target} {sign} c", f"y[{key}] {sign} v"],
            [f"{self._element()} {sign} {self._scalar(key)}"],
            ["for h in range(n):", f"    y[h] {sign} b[h, {self.pick('0', i, 'h')}] * c - a[h, h]"],
            [f"s = {self._scalar(key)}"],
            [f"v = {part}", f"{target} {sign} v", f"t = {self._reduced('v')}"],
            [f"if {self._measure(key)} > {self._scalar(key)}:", f"    {target} {sign} {part}"],
            [f"if {self._measure(key)} > {self._measure(key)}:", f"    {target} {sign} {part}"],
            [f"y[:] = {self.pick('a @ x', 'x @ a', 'a.T @ y', 'b[::-1] @ x', 'a @ b[:, 0]')}"],
            [f"b[{self._place()}:, :] {sign} a[{self._place()}] * c"],
            [
                f"y[{key}] {sign} a[o[{key}]] @ x",
                f"t = x[o[{key}] + {self.pick('0', '1')}].sum() + len(z[z > s])",
                "s = s - np.sum(a[y < t][:, 0]) + x[x != t].sum()",
            ],
            [f"{self.pick('x', 'y')}[o[{key}]] {sign} {part}"],
            [f"a[o] {sign} {self.pick('b', 'x', 'a[::-1]', 'a.T')}"],
            [f"np.{self.pick('add', 'subtract', 'maximum')}.at(y, o[{key}], {part})"],
            *[[f"{self.pick('x', 'y')} {sign} {self._along()}"] for _ in range(4)],
            self._growth(key),
        )

    def _along(self) -> str:
        """Return what an axis of a square array is reduced to, or a view or running sums of it."""
        i, both = self._place(), self.pick("a", "b", "(a - b.T)", "(a * c)", "(x - np.fmod(a, 3))")
        both = self.pick(
            both,
            f"np.{self.pick('rot90', 'flip', 'transpose')}({both})",
            f"np.swapaxes({both}, 0, 1)",
            "np.broadcast_to(x, a.shape)",
            "(np.expand_dims(x, 1) - np.broadcast_to(y, a.shape))",
            f"np.cumsum({both}, axis={self.pick(0, 1)})",
        )
        name = self.pick("sum", "sum", "mean", "max", "min", "std", "var", "prod", "argmax", "ptp")
        deep, axes = f"({both} * x[:2, None, None])", self.pick("(0, 1)", "(0, 2)", "(0, -1)")
        return self.pick(
            f"np.{self.pick('sum', 'mean', 'max', 'prod')}({deep}, axis={axes})",
            f"np.linalg.norm({both}, {self.pick('1', 'None')}, {self.pick(0, 1)})",
            f"np.take_along_axis({both}, o[:, None], axis=1)[:, 0]",
            f"np.take_along_axis({both}, o[:, None], axis=0)[{i}]",
            f"np.{self.pick('tile(x, 2)', 'repeat(y, 2)', 'tile(x[::-1], 3)')}[{i}:{i} + n]",
            f"np.repeat({both}, 2, axis={self.pick(0, 1)})[{i}, :n]",
            f"np.{name}({both}, axis={self.pick(0, 1)})",
            f"np.{name}({both}, axis={self.pick(0, 1)})",
            f"np.{name}({both}, axis={self.pick(0, 1)}, keepdims=True)[0]",
            f"np.diagonal({both})",
            f"{both}.{self.pick('ravel()', 'reshape(-1)')}[{i}:{i} + n]",
            f"np.{self.pick('cumsum', 'cumprod')}({self.pick('x', 'y[::-1]', 'a[0]', both)})[:n]",
        )

    def _growth(self, key: str) -> Lines:
        """Return a statement on what grows, or is chosen by a branch."""
        test, one, i = f"{self._element()} > {self._element()}", self._element(), self._place()
        grown = self.pick(f"g, {self._part(key)}", f"g, {self._vector(key)}", "g, g[:1]", "z, g")
        return self.pick(
            [f"l.append({one})"],
            [f"if {test}:", f"    l.append({one})", "elif len(l) > 1:", "    t = l.pop()"],
            [f"r = [{one}]", f"for q in range({i}):", f"    r.append(r[-1] - {one})", "t = r[-1]"],
            [f"l[-1] = l[{i} % len(l)] - {one}"],
            ["if len(g) < 300:", f"    g = np.concatenate([{grown}])"],
            [f"g = np.concatenate([{self._part(key)}, {self._part(key)}])"],
            [f"if {test}:", f"    z = z - {self.pick('x', 'c', 'z[::-1]')}"],
            [f"if {test}:", f"    z = {self.pick('x', 'y', 'x.copy()')}", "else:", "    z = z * c"],
            [f"if {test}:", f"    g = g[{i}:] * c", "else:", f"    g = {self._part(key)} - c"],
            [f"z = z - {one}", f"z[{i}] = {one}"],
        )

    def _place(self) -> str:
        return self.pick(*self.numbers)

    def _bound(self) -> str:
        i = self._place()
        return self.pick(i, i, f"{i} + 1", f"{i} - 1", "-1", "1", "", "")

    def _slice(self) -> str:
        step = self.pick("", "", "", "", ":-1", ":2", ":-2")
        return f"{self._bound()}:{self._bound()}{step}"

    def _part(self, key: str, targets: bool = False) -> str:
        i = self._place()
        parts = [f"{self.pick('x', 'y')}[{key}]", f"{self.pick('a', 'b')}[{i}, {key}]"]
        parts += [f"{self.pick('a', 'b')}[{key}, {i}]"]
        if targets:
            return self.pick(*parts)
        placed = f"{self.pick('x', 'y', 'z', f'a[{i}]')}[o[{key}]]"
        return self.pick(
            *parts, f"np.flip({parts[0]})", f"b.T[{i}, {key}]", f"a[{i}][{key}]", placed, placed
        )

    def _vector(self, key: str, depth: int = 0) -> str:
        if depth > 1 or self.chance(0.3):
            return self._part(key)
        one, two = self._vector(key, depth + 1), self._vector(key, depth + 1)
        return self.pick(
            f"({one} {self.pick('+', '-', '*')} {two})",
            f"({one} * {self._number()})",
            f"({self._number()} - {one})",
            f"np.where({one} > {two}, {one}, {self._number()})",
            f"np.maximum({one}, {two})",
            f"np.abs({one})",
            f"-{one}",
            f"np.{self.pick('tanh', 'exp', 'sin', 'log1p', 'rint')}({one} * {self._number()})",
            f"(np.abs({one}) ** {self.pick('1.5', '-0.5', '2')})",
        )

    def _number(self) -> str:
        return self.pick("c", "s", "2", self._element(), "1.5")

    def _element(self) -> str:
        i, j = self._place(), self._place()
        return self.pick(f"x[{i}]", f"y[{j} - 1]", f"a[{i}, {j}]", f"b[{i}, -1]")

    def _reduced(self, part: str) -> str:
        return self.pick(
            f"np.sum({part})", f"{part}.sum()", f"np.dot({part}, {part})", f"{part} @ {part}",
            f"np.count_nonzero({part})", f"np.mean({part})" if self.chance(0.3) else "c",
        )  # fmt: skip

    def _measure(self, key: str) -> str:
        """Return a number of a part, or of two axes."""
        i, one, two = self._place(), self._part(key), self._vector(key)
        block = self.pick(f"a[{i}:, {key}]", f"a[:{i}, 1:]", "b", f"b.T[{i}:, {key}]")
        both = self.pick(f"({block} * c)", f"({block} - {block}[:1])", block, "(a - b.T)")
        return self.pick(
            self._scalar(key),
            f"np.linalg.norm({self.pick(one, two, both)})",
            f"np.{self.pick('sum', 'sum', 'mean', 'std')}({both})",
            f"np.{self.pick('any', 'all', 'sum', 'max')}({both} > {self._number()}, initial=0)"
            if self.chance(0.1) else f"np.{self.pick('any', 'all', 'sum')}({both} > c)",
            f"(np.argmax({one} > c) if len({one}) else c)",
            f"(np.{self.pick('argmax', 'argmin')}({two}) if len({two}) else c)",
        )  # fmt: skip

    def _scalar(self, key: str) -> str:
        one, two = self._part(key), self._vector(key)
        return self.pick(
            self._element(),
            f"np.{self.pick('dot', 'vdot')}({one}, {two})",
            f"({one} @ {two})",
            f"np.sum({two})",
            f"np.sum({one})",
            f"(s + {one}.sum())",
            f"np.any({one} > {self._number()})",
            f"(np.max({one}) if len({one}) else c)",
        )


def compare_parts(text: str, name: str, arguments: Sequence[Any], turn: int | None) -> str:
    """Compare what a program gives staged, with its loops rolled, with what plain Python gives."""
    plain = compiled(text, name)
    chosen = arguments if turn is None else [arguments[turn % len(arguments)]]
    for given in chosen:
        staged = ag.function(plain)
        try:
            with time_limit(), rolled_at_once():
                (wanted, wrong), (found, error) = outcome(plain, given), outcome(staged, given)
        except TimeLimitError:
            return TOO_LONG
        if (wrong is None) is not (error is None) or not isinstance(wrong, type(error)):
            if error is not None and is_refusal(error):
                return f"refused: {error}"
            return f"{error!r} for {wrong!r} with {len(given[0])} numbers"
        if other := _difference(wanted, found):
            return f"{other} with {len(given[0])} numbers"
    return SAME


def _difference(wanted: Any, found: Any) -> str:
    """Return where results and arguments have other bits, but for those of NaN; "" if nowhere."""
    pairs = zip([*(wanted[0] or ()), *wanted[1]], [*(found[0] or ()), *found[1]], strict=True)
    for k, (x, y) in enumerate(pairs):
        a, b = np.asarray(x), np.asarray(y)
        if type(x) is not type(y) or a.dtype != b.dtype or a.shape != b.shape:
            return f"{y!r} for {x!r}"
        if a.dtype.kind == "c":
            a, b = np.array([a.real, a.imag]), np.array([b.real, b.imag])
        same = (a == b) & (np.signbit(a) == np.signbit(b) if a.dtype.kind == "f" else True)
        same |= (a != a) & (b != b)
        if not np.all(same):
            return f"number {k} at {np.argwhere(~same)[0]}: {b[~same][0]!r} for {a[~same][0]!r}"
    return ""
