"""Random functions of one element, to be compared in a batch with a loop over the elements.

A program is a function `f(a, k, v, w)` of two numbers, an array of three that differs from element
to element, and one that does not. It loops and branches on numbers and on arrays, ends loops early,
returns early, writes items of its own array, and keeps a list. What it returns has one shape.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import autograph as ag
from tests.random_programs.comparing import compiled, is_equal, is_refusal
from tests.random_programs.limits import SAME, TOO_LONG, TimeLimitError, time_limit
from tests.random_programs.writer import Draw, Lines, indented

RNG = np.random.default_rng(11)
ARGUMENTS = [
    (
        RNG.uniform(-3, 3, n).astype(dtype),
        RNG.integers(-3, 6, n),
        RNG.uniform(-3, 3, (n, 3)).astype(np.float32 if dtype == np.float32 else float),
        np.array([0.5, -1.0, 2.0]),
    )
    for n, dtype in ((5, np.float64), (1, np.float64), (4, np.float32), (3, np.int64))
]
NUMBERS = ("a", "x", "y", "k", "n")
RESULT = "return x, u, n"


class BatchPrograms(Draw):
    """Writes the programs of one seed."""

    def program(self) -> str:
        """Return a function of one element."""
        self._loops = 0
        lines = ["x = a", f"y = {self.pick('1', '0.5', 'a', 'k')}", "n = 0", "u = v * 1"]
        lines += ["items = []"] if self.chance(0.4) else ["items = [x]"]
        for _ in range(self.number(2, 5)):
            lines += self._statement(0)
        if self.chance(0.5):
            lines += ["x = x + len(items)", "x = x + sum(items)"]
        return "\n".join(["def f(a, k, v, w):", *indented([*lines, RESULT]), ""])

    def _statement(self, depth: int) -> Lines:
        simple = [self._assign, self._assign, self._vector, self._write, self._append]
        compound = [self._if, self._if, self._while, self._shrink, self._grow, self._for]
        return self.pick(*(simple if depth >= 3 or self.chance(0.5) else compound))(depth)

    def _block(self, depth: int) -> Lines:
        return indented([x for _ in range(self.number(1, 2)) for x in self._statement(depth + 1)])

    def _if(self, depth: int) -> Lines:
        head = [f"if {self._test()}:", *self._block(depth)]
        if self.chance(0.15):
            return [*head, f"    return {self._operand()}, u, {self.pick('n', '-1')}"]
        return [*head, "else:", *self._block(depth)] if self.chance(0.5) else head

    def _while(self, depth: int) -> Lines:
        self._loops += 1
        i = f"i{self._loops}"
        body = [f"    {i} += 1", *self._block(depth)]
        if self.chance(0.4):
            body += [f"    if {self._test()}:", f"        {self.pick('break', 'continue')}"]
            body += self._block(depth)
        return [f"{i} = 0", f"while {i} < {self.pick('3', '5', 'k')} and {self._test()}:", *body]

    def _shrink(self, depth: int) -> Lines:
        body = [f"    u = u * {self.pick('0.5', '0.25')}", "    n += 1"]
        if self.chance(0.4):
            body += [f"    if {self._test()}:", "        u = u - 0.125"]
        if self.chance(0.3):
            body += ["    while np.max(u) > 2.0:", "        u = u - 1.0", "        n += 1"]
        return ["u = np.clip(u, -50, 50)", "while np.sum(u * u) > 1.0:", *body]

    def _grow(self, depth: int) -> Lines:
        """A loop that ends for the elements that come to it, and for no other ones.

        Where those took part, their count of rounds would soon not fit into 64 bits.
        """
        body = ["z = z * 2.0", f"m = m * {self.pick('3', '7')}"]
        loop = ["m = 1", "while z[0] < 40.0:", *indented(body), "n = m"]
        return [f"z = {self.pick('u', 'v')} * 1.0", "if z[0] > 0.05:", *indented(loop)]

    def _for(self, depth: int) -> Lines:
        over = self.pick("range(3)", "range(abs(k))", "v", "w")
        self._loops += 1
        return [f"for e{self._loops} in {over}:", *self._block(depth)]

    def _assign(self, depth: int) -> Lines:
        name = self.pick("x", "y")
        if self.chance(0.2):
            return [f"n = (n + {self.pick('1', 'k', '2')}) % 17"]
        if self.chance(0.2):
            return [f"{name} = np.tanh({self._operand()} * 0.5)"]
        sign = self.pick("+", "-", "*")
        return [f"{name} = ({self._operand()} {sign} {self._operand()}) % 7"]

    def _vector(self, depth: int) -> Lines:
        return [
            self.pick(
                f"u = u + {self._operand()}",
                "u = np.where(u > 0, u, w)",
                "u = u[::-1] * 1",
                f"u = (u * {self._operand()}) % 5",
                "u = np.cumsum(u) % 3",
                "u = u - np.sum(u) % 3",
                "u = np.sort(u)",
            )
        ]

    def _write(self, depth: int) -> Lines:
        where = self.pick("0", "-1", "k % 3", "n % 3", "u > 1")
        return [f"u[{where}] = {self._operand()}"]

    def _append(self, depth: int) -> Lines:
        return [f"items.append({self._operand()})"]

    def _test(self) -> str:
        one = f"{self._operand()} {self.pick('<', '>', '<=', '>=', '!=')} {self._operand()}"
        if self.chance(0.2):
            return f"({one} {self.pick('and', 'or')} np.sum(u) > {self._operand()})"
        return f"not ({one})" if self.chance(0.1) else one

    def _operand(self) -> str:
        kind = self.number(0, 9)
        if kind < 5:
            return self.pick(*NUMBERS)
        if kind < 7:
            return self.pick("1", "2", "0.5", "-1.5")
        return self.pick("v[0]", "u[-1]", "w[1]", "u[k % 3]", "w[n % 3]", "np.max(v)", "np.sum(w)")


def _at_once(function: Any) -> Any:
    return ag.vmap(function, AXES)


def _twice(function: Any) -> Any:
    """Return the batch, computed as the second of two in a batch of batches."""
    batch = ag.vmap(_at_once(function), AXES)

    def second(*given: Any) -> Any:
        *batched, same = given
        pairs = [np.stack([np.roll(x, 1, 0), x]) for x in batched]
        return tuple(x[1] for x in batch(*pairs, same))

    return second


def _of_any_size(function: Any) -> Any:
    """Return the batch in a function whose trace serves batches of all sizes."""
    staged: dict[Any, Any] = {}

    def batch(*given: Any) -> Any:
        sizes = [(None, *x.shape[1:]) if k < 3 else x.shape for k, x in enumerate(given)]
        specs = [ag.TensorSpec(s, x.dtype) for s, x in zip(sizes, given, strict=True)]
        key = tuple(map(str, specs))
        if key not in staged:
            inner = _at_once(function).python_function
            staged[key] = ag.function(inner, input_signature=specs, autograph=False)
        return staged[key](*given)

    return batch


AXES = (0, 0, 0, None)
WAYS = (_at_once, _twice, _of_any_size)


def compare_batch(text: str, name: str, arguments: Sequence[Any], turn: int | None) -> str:
    """Compare a batch of a program with a loop over the elements."""
    function = compiled(text, name)
    batch = WAYS[(turn or 0) % len(WAYS)](function)
    chosen = arguments if turn is None else [arguments[0], arguments[turn % len(arguments)]]
    refused = SAME
    for given in chosen:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", ag.FallbackWarning)  # it is refused
            try:
                with time_limit():
                    expected = _looped(function, given)
                    found = _outcome(batch, given)
            except TimeLimitError:
                return TOO_LONG
        finding = _difference(expected, found, is_narrow=given[0].dtype == np.float32)
        if finding.startswith("refused"):
            refused = finding
        elif finding != SAME:
            return f"{finding} with {given!r}"
    return refused


def _outcome(function: Any, given: Sequence[Any]) -> Any:
    try:
        return function(*given)
    except TimeLimitError:
        raise
    except Exception as error:
        return error


def _looped(function: Any, given: Sequence[Any]) -> Any:
    *batched, same = given
    rows = []
    for element in zip(*batched, strict=True):
        own = [x.copy() if isinstance(x, np.ndarray) else x for x in element]
        found = _outcome(function, [*own, same])
        if isinstance(found, Exception):
            return found
        rows.append(found)
    return tuple(np.stack([np.asarray(x) for x in column]) for column in zip(*rows, strict=True))


def _difference(expected: Any, found: Any, is_narrow: bool) -> str:
    if isinstance(found, Exception):
        if isinstance(expected, Exception) and isinstance(found, type(expected)):
            return SAME
        kind = "refused" if is_refusal(found) else "raises"
        return f"{kind}: {type(found).__name__}: {found}"
    if isinstance(expected, Exception):
        return f"does not raise {expected!r}"
    for x, y in zip(expected, found, strict=True):
        if not (is_equal(x, y) or _is_near(x, y, 1e-3 if is_narrow else 1e-9)):
            return f"{y!r} ({y.dtype}) for {x!r} ({x.dtype})"
    return SAME


def _is_near(x: Any, y: Any, exact: float) -> bool:
    """Tell whether arrays differ in the last digits only, in which sums of more axes may.

    What is float32 on one path and an integer on another is float64, and not rounded.
    """
    if x.shape != y.shape or not np.can_cast(x.dtype, y.dtype, "same_kind"):
        return False
    return y.dtype.kind == "f" and bool(np.allclose(x, y, exact, exact, equal_nan=True))
