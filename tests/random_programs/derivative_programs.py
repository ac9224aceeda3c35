"""Random functions of floats, whose derivatives are compared with those of plain Python.

A program is a function `f(x, a)` of an array of three floats and a float, which returns a float. It
loops and branches on what it computes, ends loops early, returns early, calls itself, writes items,
lets a list grow, keeps numbers in an object outside, draws nothing. The reference runs the program
as it stands on dual numbers: floats with their partial derivatives, in arrays of objects. It shares
no code with what is tested.
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

import autograph as ag
from tests.random_programs.comparing import compiled, is_refusal
from tests.random_programs.limits import SAME, TOO_LONG, TimeLimitError, time_limit
from tests.random_programs.writer import Draw, Lines, indented

ARGUMENTS = [
    (np.array([0.7, -1.3, 0.45]), np.float64(0.37)),
    (np.array([-0.21, 0.83, 1.6]), np.float64(-0.92)),
    (np.array([1.9, 0.11, -0.64]), np.float64(1.41)),
]
LARGEST = 1e5
"""Values and derivatives beyond are not compared: small errors grow with them."""
HEAD = """
class Box:
    def __init__(self):
        self.v, self.n, self.items = 0.25, 0, [0.5]

o = Box()
"""


class DerivativePrograms(Draw):
    """Writes the programs of one seed."""

    def program(self) -> str:
        """Return a function of an array and a number."""
        self._loops = 0
        self._keeps = self.chance(0.4)
        helper = self._helper()
        lines = ["s = a * 1.0", f"t = {self._expression(0)}", "w = x * 1.0", "k = 0"]
        lines += ["items = [s]"] if self.chance(0.5) else ["items = [x[1], t * 1.0]"]
        for _ in range(self.number(2, 5)):
            lines += self._statement(0)
        lines += ["for item in items:", f"    t = t * 0.5 + {self.pick('item', 'np.sin(item)')}"]
        lines += [f"return {self.pick('s + t', 's * t + np.sum(w)', '(w @ x) + s - t')}"]
        return "\n".join([HEAD, *helper, "def f(x, a):", *indented(lines), ""])

    def _helper(self) -> Lines:
        self._has_helper = self.chance(0.4)
        if not self._has_helper:
            return []
        step = self.pick("h(y * 0.5, n - 1) + y", "np.sin(h(y + 0.1, n - 1))", "y * h(y, n - 1)")
        return ["def h(y, n):", "    if n <= 0:", "        return y * y", f"    return {step}", ""]

    def _statement(self, depth: int) -> Lines:
        simple = [self._assign, self._assign, self._vector, self._write, self._append]
        if depth == 0:
            simple += [self._recur, self._stack]
        if self._keeps:
            simple += [self._keep, self._keep]
        compound = [self._if, self._if, self._while, self._for, self._settle]
        return self.pick(*(simple if depth >= 2 or self.chance(0.5) else compound))(depth)

    def _block(self, depth: int) -> Lines:
        return indented([x for _ in range(self.number(1, 2)) for x in self._statement(depth + 1)])

    def _operand(self) -> str:
        known = ("s", "t", "a", "x[0]", "x[2]", "w[1]", "w[k % 3]", "0.5", "1.25", "k")
        kept = ("o.v", "o.v", "o.items[-1]") if self._keeps else ()
        return self.pick(*known, "items[-1]", "items[k % len(items)]", *kept)

    def _expression(self, depth: int) -> str:
        known = ("a", "x[0]", "x[1]", "0.75", "s")
        one, two = (self.pick(*known) if depth == 0 else self._operand() for _ in range(2))
        return self.pick(
            f"{one} + {two}", f"{one} * {two}", f"{one} - {two} * 0.5", f"np.sin({one})",
            f"np.tanh({one}) * {two}", f"{one} / (1.5 + {two} * {two})",
            f"np.exp(-({one} * {two}))",
            f"abs({one}) + {two}", f"max({one}, {two} * 0.9)", f"-{one}", f"({one}) ** 2 * 0.3",
            f"np.sqrt(1.0 + {one} * {one})", f"np.where({one} > 0.2, {two}, {one})",
        )  # fmt: skip

    def _test(self) -> str:
        return f"{self._operand()} {self.pick('>', '<')} {self.pick('0.31', 't', 's', '-0.17')}"

    def _assign(self, depth: int) -> Lines:
        if self._has_helper and self.chance(0.15):
            return [
                f"{self.pick('s', 't')} = h({self._operand()} * 0.7, {self.pick('2', '3', 'k')})"
            ]
        name = self.pick("s", "t")
        sign = self.pick("=", "=", "=", "+=", "*=")
        return [f"{name} {sign} {self._expression(1)}"]

    def _vector(self, depth: int) -> Lines:
        return [
            self.pick(
                "w = w * s", "w = w + x * t", "w = np.sin(w)", "w = w[::-1]", "w = x * w - 0.5",
                "s = np.sum(w * x)", "t = (w @ w) * 0.2", "s = np.mean(w)", "w = w / (1.0 + w * w)",
                "w[1:] = w[:-1] * 0.5", "w = np.concatenate([w[1:], x[:1]])", "s = np.max(w)",
            )
        ]  # fmt: skip

    def _write(self, depth: int) -> Lines:
        place = self.pick("0", "2", "-1", "k % 3")
        return [f"w[{place}] {self.pick('=', '+=', '*=')} {self._expression(1)}"]

    def _keep(self, depth: int) -> Lines:
        one = self._expression(1)
        return [
            self.pick(
                f"o.v = {one}", f"o.v += {one}", "o.n += 1", f"o.items.append({one})",
                f"o.items[-1] = {one}", "s = s * 0.5 + o.v", "t = t + o.items[-1] * o.n",
            )
        ]  # fmt: skip

    def _append(self, depth: int) -> Lines:
        one = f"items.append({self._expression(1)})"
        if self.chance(0.3):
            return [f"items[{self.pick('0', '-1', 'k % len(items)')}] = {self._expression(1)}"]
        if self.chance(0.5):
            return [one]
        self._loops += 1
        j = f"j{self._loops}"
        head = [f"{j} = 0", f"while {j} < {self.pick('4', '13')} and abs(items[-1]) < 9.0:"]
        body = [f"{j} += 1", f"items.append({self._expression(1)} + items[-1] * items[0] * 0.2)"]
        if self.chance(0.3):
            body += ["for item in items:", "    s = s * 0.5 + np.sin(item) * item"]
        return [*head, *indented(body)]

    def _recur(self, depth: int) -> Lines:
        self._loops += 1
        j, v = f"j{self._loops}", f"v{self._loops}"
        return [
            f"{v} = np.concatenate([x, w, x, w, x, w, x, w])",
            f"{j} = 2",
            f"while {j} < {self.pick('9', '24')} and abs({v}[{j} - 1]) < 9.0:",
            f"    {v}[{j}] {self.pick('=', '=', '+=', '*=')} {self._item(v, j)}",
            *([f"    {v}[{self.pick('0', j)}] *= {self._operand()}"] if self.chance(0.4) else []),
            f"    {j} += 1",
            f"t = t * 0.5 + {v}[{j} - 1] + {v}[0]",
        ]

    def _stack(self, depth: int) -> Lines:
        self._loops += 1
        j = f"j{self._loops}"
        return [
            f"{j} = 0",
            f"while {j} < {self.pick('7', '12')}:",
            f"    {j} += 1",
            f"    if {self.pick(f'{j} % 3 < 2', self._test(), f'items[-1] < {self._operand()}')}:",
            f"        items.append({self._operand()} * items[-1] * 0.5 + np.sin(items[0]))",
            "    elif len(items) > 1:",
            f"        t = t * 0.5 + items.pop() * {self.pick('items[-1]', 'items[0]', 's')}",
            f"        items[{self.pick('0', '-1')}] *= {self._operand()}",
        ]

    def _item(self, v: str, j: str) -> str:
        one, two = f"{v}[{j} - 1]", self.pick(f"{v}[{j} - 2]", f"{v}[0]", self._operand())
        return self.pick(
            f"np.sin({one}) * {two}",
            f"{one} * {two} + {self._operand()}",
            f"{two} / (1.5 + {one} * {one})",
            f"max({one}, {two}) * {two}",
        )

    def _if(self, depth: int) -> Lines:
        head = [f"if {self._test()}:", *self._block(depth)]
        if self.chance(0.12):
            return [*head, f"    return {self._expression(1)}"]
        return [*head, "else:", *self._block(depth)] if self.chance(0.5) else head

    def _while(self, depth: int) -> Lines:
        self._loops += 1
        i = f"i{self._loops}"
        body = [f"    {i} += 1", "    k += 1", *self._block(depth)]
        if self.chance(0.4):
            body += [f"    if {self._test()}:", f"        {self.pick('break', 'continue')}"]
            body += self._block(depth)
        test = f"{i} < {self.pick('3', '5')} and {self._test()}"
        return [f"{i} = 0", f"while {test}:", *body]

    def _for(self, depth: int) -> Lines:
        self._loops += 1
        head = self.pick(
            f"for k in range({self.pick('2', '4', 'len(items)')}):", "for k in range(3):"
        )
        body = self._block(depth)
        if self.chance(0.3):
            body += [f"    if {self._test()}:", f"        {self.pick('break', 'continue')}"]
            body += self._block(depth)
        if self.chance(0.3):
            head = "for y in x:"
            body = ["    s = s * 0.5 + y", *body]
        return [head, *body]

    def _settle(self, depth: int) -> Lines:
        loop = ["while abs(r * r - q) > 1e-12 * q:", "    r = 0.5 * (r + q / r)"]
        return [f"q = 1.0 + {self._operand()} ** 2", "r = q", *loop, f"{self.pick('s', 't')} = r"]


class Dual:
    """A float with its partial derivatives.

    Args:
        value: the float.
        slopes: the derivatives, an array.
    """

    def __init__(self, value: float, slopes: Any) -> None:
        self.value = float(value)
        self.slopes = slopes

    def _two(
        self, other: Any, value: Any, slopes: Callable[[float, float], tuple[float, float]]
    ) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        y = other.value if isinstance(other, Dual) else float(other)
        dy = other.slopes if isinstance(other, Dual) else 0.0
        p, q = slopes(self.value, y)
        return Dual(value(self.value, y), p * self.slopes + q * dy)

    def __add__(self, other: Any) -> Any:
        return self._two(other, operator.add, lambda x, y: (1.0, 1.0))

    def __sub__(self, other: Any) -> Any:
        return self._two(other, operator.sub, lambda x, y: (1.0, -1.0))

    def __mul__(self, other: Any) -> Any:
        return self._two(other, operator.mul, lambda x, y: (y, x))

    def __truediv__(self, other: Any) -> Any:
        return self._two(other, operator.truediv, lambda x, y: (1 / y, -x / (y * y)))

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __rtruediv__(self, other: Any) -> Any:
        return Dual(other, 0 * self.slopes) / self

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, n: int) -> Any:
        return Dual(self.value**n, n * self.value ** (n - 1) * self.slopes)

    def __neg__(self) -> Any:
        return Dual(-self.value, -self.slopes)

    def __abs__(self) -> Any:
        return Dual(abs(self.value), math.copysign(1.0, self.value) * self.slopes)

    def __lt__(self, other: Any) -> bool:
        return self.value < value_of(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > value_of(other)

    def __eq__(self, other: object) -> bool:
        return self.value == value_of(other)

    __hash__ = None  # type: ignore[assignment]


def value_of(x: Any) -> float:
    """Return the value of a dual number, or a number."""
    return x.value if isinstance(x, Dual) else float(x)


def _smooth(function: Callable[[float], float], slope: Callable[[float], float]) -> Any:
    def one(x: Any) -> Any:
        if not isinstance(x, Dual):
            return function(float(x))
        return Dual(function(x.value), slope(x.value) * x.slopes)

    def each(x: Any) -> Any:
        return np.array([one(y) for y in x], object) if isinstance(x, np.ndarray) else one(x)

    return each


DUAL_NUMPY = SimpleNamespace(
    sin=_smooth(math.sin, math.cos),
    tanh=_smooth(math.tanh, lambda x: 1 - math.tanh(x) ** 2),
    exp=_smooth(math.exp, math.exp),
    sqrt=_smooth(math.sqrt, lambda x: 0.5 / math.sqrt(x)),
    where=lambda test, x, y: x if test else y,
    sum=lambda x: sum(list(x)),
    mean=lambda x: sum(list(x)) / len(x),
    max=lambda x: max(list(x)),
    concatenate=np.concatenate,
)
"""What the programs use of NumPy, for arrays of dual numbers."""


def reference(text: str, x: Any, a: Any) -> tuple[float, Any, list[float]]:
    """Return the value of a program, its derivatives by the four numbers, and what it has kept."""
    rows = np.eye(4)
    given = np.array([Dual(v, row) for v, row in zip(x, rows, strict=False)], object)
    namespace: dict[str, Any] = {"np": DUAL_NUMPY}
    exec(text, namespace)
    found = namespace["f"](given, Dual(a, rows[3]))
    slopes = found.slopes if isinstance(found, Dual) else np.zeros(4)
    return value_of(found), np.asarray(slopes) + np.zeros(4), kept_by(namespace)


def kept_by(namespace: dict[str, Any]) -> list[float]:
    """Return what the object of a program has kept, which forgets it."""
    box = namespace["o"]
    found = [*map(value_of, (box.v, box.n, *box.items))]
    box.__init__()
    return found


def compare_derivatives(text: str, name: str, arguments: Sequence[Any], turn: int | None) -> str:
    """Compare both modes, and the second order of both, with the reference."""
    function = compiled(text, name)
    chosen = arguments if turn is None else [arguments[turn % len(arguments)]]
    for x, a in chosen:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", ag.FallbackWarning)  # it is refused
            try:
                with time_limit():
                    value, slopes, kept = reference(text, x, a)
                    if not all(abs(y) < LARGEST for y in (value, *slopes, *kept)):
                        continue
                    wanted = (value, slopes, kept)
                    finding = _difference(function, x, a, wanted, (turn or 0) % 3 == 0)
            except TimeLimitError:
                return TOO_LONG
            except (OverflowError, ZeroDivisionError):
                continue
            except Exception as error:
                if is_refusal(error):
                    return f"refused: {error}"
                raise
        if finding != SAME:
            return f"{finding} with {(x, a)!r}"
    return SAME


def _difference(
    function: Any, x: Any, a: Any, wanted: tuple[float, Any, list[float]], is_twice: bool
) -> str:
    value, slopes, kept = wanted
    kept_by(function.__globals__)
    found, (by_x, by_a) = ag.value_and_grad(function, argnums=(0, 1))(x.copy(), a)
    left = kept_by(function.__globals__)
    if len(left) != len(kept) or not np.allclose(left, kept, rtol=1e-9, atol=1e-9):
        return f"the object keeps {left} instead of {kept}"
    if not np.allclose(found, value, rtol=1e-9, atol=1e-9):
        return f"value {found} instead of {value}"
    if not np.allclose([*by_x, by_a], slopes, rtol=1e-7, atol=1e-7):
        return f"gradient {[*by_x, by_a]} instead of {slopes}"
    t = np.array([0.3, -0.7, 0.2])
    along = ag.jvp(function, (x.copy(), a), (t, np.float64(0.4)))[1]
    if not np.allclose(along, slopes @ [*t, 0.4], rtol=1e-7, atol=1e-7):
        return f"tangent {along} instead of {slopes @ [*t, 0.4]}"
    left = kept_by(function.__globals__)
    if len(left) != len(kept) or not np.allclose(left, kept, rtol=1e-9, atol=1e-9):
        return f"the object keeps {left} instead of {kept}, going forward"
    if not is_twice:
        return SAME
    back = ag.grad(lambda y: np.sum(ag.grad(function)(y, a) * t))(x.copy())
    kept_by(function.__globals__)
    forth = ag.jvp(lambda y: ag.grad(function)(y, a), (x.copy(),), (t,))[1]
    if np.all(np.abs(forth) < LARGEST) and not np.allclose(back, forth, rtol=1e-6, atol=1e-6):
        return f"second derivatives {back} going back, and {forth} going forward"
    return SAME
