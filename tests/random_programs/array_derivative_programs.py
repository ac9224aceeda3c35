"""Random functions of arrays, whose derivatives are compared with central differences.

A program is a function `f(x, a)` of an array of floats and a float, which returns a float. It calls
what has a lowering or a rule of its own (sorts, running results, windows, linear algebra, scatters)
in loops and branches, returns early, calls itself, writes rows, columns and items, and lets lists
grow. The reference runs the program as it stands, in NumPy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import autograph as ag
from tests.random_programs import array_derivative_forms as forms
from tests.random_programs.comparing import compiled, is_refusal
from tests.random_programs.limits import SAME, TOO_LONG, TimeLimitError, time_limit
from tests.random_programs.writer import Draw, Lines, indented

RNG = np.random.default_rng(23)
ARGUMENTS = [
    (RNG.uniform(-1.5, 1.5, n), np.float64(a)) for n, a in ((5, 0.37), (4, -0.92), (9, 1.41))
]
STEP = 2e-3
LARGEST = 1e4
"""Values and derivatives beyond are not compared: small errors grow with them."""
VECTORS = ("u", "v", "x")
MATRICES = ("p", "q")
TAMED = ("np.sin({})", "np.tanh({})", "{} * 0.3", "{} / (1.0 + {} ** 2)", "{}")


class ArrayDerivativePrograms(Draw):
    """Writes the programs of one seed.

    `u`, `v` and `x` are as long as `x`, `p` and `q` are 3 by 3, `s` and `t` are numbers.
    """

    def program(self) -> str:
        """Return a function of an array and a number."""
        self._loops = 0
        self._has_rows = self.chance(0.35)
        helper = self._helper()
        lines = ["s = a * 1.0", f"t = {self._number()}", "u = np.sin(x * 2.0)", "k = 1"]
        lines += [f"v = {self.pick('x * a', 'x[::-1] + 0.3', 'np.cos(x)')}", "items = [s]"]
        lines += [f"p = np.outer(x[:3], v[1:4]) + {self.pick('np.eye(3)', 'a', 'x[-3:]')}"]
        lines += ["q = p.T * 0.5"] if self.chance(0.5) else ["q = np.zeros((3, 3))"]
        lines += ["rows = [v * 1.0]"] if self._has_rows else []
        for _ in range(self.number(2, 5)):
            lines += self._statement(0)
        lines += ["u = u + np.sum(rows, axis=0)"] if self._has_rows else []
        lines += ["for item in items:", "    t = t * 0.5 + np.sin(item)"]
        lines += [f"return s + t * 0.5 + np.sum({self.pick('u * v', 'u')}) + np.sum(p @ q) * 0.3"]
        return "\n".join([*helper, "def f(x, a):", *indented(lines), ""])

    def _helper(self) -> Lines:
        self._has_helper = self.chance(0.3)
        if not self._has_helper:
            return []
        step = self.pick(
            "np.sin(h(np.cumsum(y) * 0.5, n - 1) + y)",
            "np.sort(h(y * 0.7, n - 1)) - y * 0.2",
            "h(np.convolve(y, y[:2])[1:] * 0.4, n - 1) + y[0]",
            "np.concatenate([h(y[1:], n - 1), y[:1] * y[-1]])",
        )
        first = self.pick("n <= 0 or len(y) < 3", "n <= 0 or np.max(y) > 2.5 or len(y) < 3")
        return [
            "def h(y, n):",
            f"    if {first}:",
            "        return y * y",
            f"    return {step}",
            "",
        ]

    def _statement(self, depth: int) -> Lines:
        simple = [
            self._assign, self._vector, self._vector, self._matrix, self._matrix, self._reduce,
            self._reduce, self._write, self._write, self._append,
        ]  # fmt: skip
        compound = [self._if, self._while, self._for, self._items]
        return self.pick(*(simple if depth >= 2 or self.chance(0.6) else compound))(depth)

    def _block(self, depth: int) -> Lines:
        return indented([x for _ in range(self.number(1, 2)) for x in self._statement(depth + 1)])

    def _number(self) -> str:
        return self.pick("a", "x[0]", "x[-1]", "0.75", "s")

    def _operand(self) -> str:
        known = ("s", "t", "a", "x[0]", "u[-1]", "v[1]", "u[k % 4]", "p[0, 2]", "q[k % 3, 1]")
        return self.pick(*known, "0.5", "p[k % 3, k % 2]", "items[-1]", "k * 0.3")

    def _test(self) -> str:
        one = self.pick(self._operand(), "np.sum(u)", "np.max(p)", "u[0]", "v[-1]")
        return f"{one} {self.pick('>', '<')} {self.pick('0.31', 't', 's', '-0.17')}"

    def _tamed(self, text: str) -> str:
        form = self.pick(*TAMED)
        return form.format(f"({text})", f"({text})")

    def _assign(self, depth: int) -> Lines:
        one, two = self._operand(), self._operand()
        sign = self.pick("=", "=", "+=", "*=")
        what = self.pick(f"{one} * {two}", f"np.sin({one}) + {two}", f"{one} / (1.5 + {two} ** 2)")
        return [f"{self.pick('s', 't')} {sign} {self._tamed(what)}"]

    def _filled(self, *forms: str) -> str:
        """Return one of the forms with its gaps filled in."""
        p = self.pick(*MATRICES)
        return self.pick(*filter(None, "".join(forms).splitlines())).format(
            u=self.pick(*VECTORS),
            v=self.pick(*VECTORS),
            p=p,
            q=self.pick(*MATRICES),
            n=self._operand(),
            axis=self.pick("0", "1"),
            at=self.pick("0", "1", "-1", "k % 3"),
            sign=self.pick("=", "=", "+=", "*="),
            regular=f"({p} * 0.4 + 2.0 * np.eye(3))",
            definite=f"({p} @ {p}.T + 1.5 * np.eye(3))",
        )

    def _vector(self, depth: int) -> Lines:
        if self._has_helper and self.chance(0.1):
            made = f"h({self.pick(*VECTORS)} * 0.7, {self.pick('2', '3', 'k')})"
        else:
            made = self._filled(forms.VECTORS, forms.OF_ROWS * self._has_rows)
        return [f"{self.pick('u', 'v')} = {self._tamed(made)}"]

    def _matrix(self, depth: int) -> Lines:
        return [f"{self.pick(*MATRICES)} = {self._tamed(self._filled(forms.MATRICES))}"]

    def _reduce(self, depth: int) -> Lines:
        return [f"{self.pick('s', 't')} = {self._tamed(self._filled(forms.NUMBERS))}"]

    def _write(self, depth: int) -> Lines:
        return [self._filled(forms.WRITES, forms.WRITES_OF_ROWS * 3 * self._has_rows)]

    def _append(self, depth: int) -> Lines:
        one = self.pick("np.sum(u)", "np.max(v)", "u[k % 3]", self._operand(), "np.trace(p)")
        if self.chance(0.3):
            return [f"items[{self.pick('0', '-1', 'k % len(items)')}] = {self._tamed(one)}"]
        return [f"items.append({self._tamed(one)})"]

    def _if(self, depth: int) -> Lines:
        head = [f"if {self._test()}:", *self._block(depth)]
        if self.chance(0.15):
            return [*head, f"    return {self._operand()} * {self.pick('s', 'np.sum(u)')}"]
        return [*head, "else:", *self._block(depth)] if self.chance(0.5) else head

    def _while(self, depth: int) -> Lines:
        self._loops += 1
        i = f"i{self._loops}"
        body = [f"    {i} += 1", "    k += 1", *self._block(depth)]
        if self.chance(0.3):
            body += [f"    if {self._test()}:", f"        {self.pick('break', 'continue')}"]
            body += self._block(depth)
        return [f"{i} = 0", f"while {i} < {self.pick('3', '4')} and {self._test()}:", *body]

    def _for(self, depth: int) -> Lines:
        head = self.pick("for k in range(3):", "for k in range(len(x) - 2):", "for y in u:")
        body = ["    s = s * 0.5 + y", *self._block(depth)] if "y" in head else self._block(depth)
        if self.chance(0.2):
            body += [f"    if {self._test()}:", f"        {self.pick('break', 'continue')}"]
            body += self._block(depth)
        return [head, *body]

    def _items(self, depth: int) -> Lines:
        """A nest of loops that goes over the items of a vector or a matrix."""
        if self.chance(0.5):
            at = self.pick("p[i, j - 1] * q[j, i]", "s * p[i, j] + q[j - 1, i]", "u[i] * v[j]")
            line = f"p[{self.pick('i, j', 'j, i', 'i, j - 1')}] {self.pick('=', '+=')} np.sin({at})"
            nest = ["for i in range(3):", "    for j in range(1, 3):", f"        {line}"]
            return nest
        one = self.pick("u[i - 1] * v[i]", "np.max(v[:i])", "np.sum(u[:i] * x[:i])", "v[i - 1]")
        loop = [f"u[i] {self.pick('=', '+=', '*=')} np.tanh({one} + {self._operand()})"]
        if self.chance(0.3):
            loop += [f"if u[i] > {self._operand()}:", f"    v[i - 1] = {self._operand()}"]
        if self.chance(0.3):
            loop += ["w = np.sort(v[:i + 1])", "s = s * 0.5 + w[i // 2]"]
        return ["for i in range(1, len(u)):", *indented(loop)]


def slopes_of(function: Callable[[Any], Any], x: Any, step: float = STEP) -> Any:
    """Return central differences of the fourth order, by each element; of arrays, in the rows."""
    rows = []
    for direction in np.eye(len(x)) * step:
        near = np.asarray(function(x + direction)) - np.asarray(function(x - direction))
        far = np.asarray(function(x + 2 * direction)) - np.asarray(function(x - 2 * direction))
        rows.append((8 * near - far) / (12 * step))
    return np.array(rows)


def smooth_slopes(function: Callable[[Any], Any], x: Any) -> Any | None:
    """Return the derivatives by each element, or None near kinks, and where they are large."""
    one, two = slopes_of(function, x), slopes_of(function, x, STEP / 2)
    is_tame = np.all(np.abs(two) < LARGEST) and np.allclose(one, two, rtol=1e-6, atol=1e-7)
    return two if is_tame else None


def compare_array_derivatives(
    text: str, name: str, arguments: Sequence[Any], turn: int | None
) -> str:
    """Compare value, gradient, tangent, hessian and batches of a program with plain runs of it."""
    function = compiled(text, name)
    chosen = arguments if turn is None else [arguments[turn % len(arguments)]]
    refused = SAME
    for x, a in chosen:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", ag.FallbackWarning)  # it is refused
            try:
                with time_limit(40.0):
                    finding = _difference(function, np.append(x, a), turn)
            except TimeLimitError:
                return TOO_LONG
            except Exception as error:
                if not is_refusal(error):
                    raise
                refused = f"refused: {error}"
                continue
        if finding != SAME:
            return f"{finding} with {(x, a)!r}"
    return refused


def _difference(function: Any, x: Any, turn: int | None) -> str:
    def plain(y: Any) -> Any:
        return function(y[:-1].copy(), y[-1])

    def joined(y: Any) -> Any:
        return function(y[:-1] * 1.0, y[-1])

    try:
        value = plain(x)
        slopes = smooth_slopes(plain, x)
    except np.linalg.LinAlgError:
        return SAME
    if slopes is None or not abs(value) < LARGEST:
        return SAME
    both = ag.value_and_grad(joined)
    found, gradient = both(x)
    if not _is_near(found, value, 1e-9):
        return f"value {found} instead of {value}"
    if not _is_near(gradient, slopes, 1e-5):
        return f"gradient {gradient} instead of {slopes}"
    t = np.cos(np.arange(len(x)) * 1.7)
    along = ag.jvp(joined, (x,), (t,))[1]
    if not _is_near(along, slopes @ t, 1e-5):
        return f"tangent {along} instead of {slopes @ t}"
    if turn is None or turn % 3 == 0:
        return _batches(both, plain, x)
    return _twice(joined, x) if turn % 3 == 1 else SAME


def _batches(both: Any, plain: Any, x: Any) -> str:
    rows = np.array([x, x[::-1], -x * 0.8])
    found, gradients = ag.vmap(both)(rows)
    for k, row in enumerate(rows):
        try:
            value, slopes = plain(row), smooth_slopes(plain, row)
        except np.linalg.LinAlgError:
            continue
        if slopes is None or not abs(value) < LARGEST:
            continue
        if not _is_near(found[k], value, 1e-8):
            return f"value {found[k]} instead of {value} in a batch, of {row!r},"
        if not _is_near(gradients[k], slopes, 1e-5):
            return f"gradient {gradients[k]} instead of {slopes} in a batch, of {row!r},"
    return SAME


def _twice(joined: Any, x: Any) -> str:
    expected = smooth_slopes(ag.grad(joined), x)
    if expected is None:
        return SAME
    for name, make in {"hessian": ag.hessian, "jacobian of the gradient": _forward}.items():
        found = make(joined)(x)
        if not _is_near(found, expected, 1e-4):
            return f"{name} {found} instead of {expected}"
    return SAME


def _forward(function: Any) -> Any:
    gradient = ag.grad(function)

    def columns(x: Any) -> Any:
        return np.array([ag.jvp(gradient, (x,), (row,))[1] for row in np.eye(len(x))])

    return columns


def _is_near(found: Any, expected: Any, exact: float) -> bool:
    scale = 1.0 + np.max(np.abs(expected))
    return np.shape(found) == np.shape(expected) and bool(
        np.all(np.abs(found - expected) <= exact * scale)
    )
