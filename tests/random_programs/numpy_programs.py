"""Random programs in the way of NumPy's users: several arrays, views of them, masks and writes.

Comes in: a seed. Goes out: the text of a function of two vectors, a matrix, a mask, a number and a
text. `arguments` gives what it is called with: other data, dtypes, layouts, sizes and aliases at
each call.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

DTYPES = ("f8", "i8", "f4", "u1", "c16", "?", "f2", "i4", "u8", "i1", "c8", "u4", "i2", "u2")
SIZES = (4, 4, 5, 5, 4, 4, 1, 0)
CALLS = len(DTYPES)

VECTORS = (
    "x", "y", "x + y", "x * 2", "x[::-1]", "np.sort(y)", "np.cumsum(x)", "np.where(b, x, y)",
    "np.roll(x, 1)", "m[0, :1] + x", "np.clip(y, 0, 2)", "x - n", "y.copy()", "np.flip(x)",
    "np.abs(x)", "x.astype(np.float64)", "np.concatenate([x, y])[: len(x)]", "np.sqrt(x)",
    "np.choose(b.astype(int), [x, y])", "x / y", "np.maximum(x, y)", "x % 3",
    "np.take(x, np.argsort(y))", "np.nan_to_num(y)", "np.tile(y[:1], len(x))", "x // n",
    "np.diff(x, prepend=0)", "np.array([e * 2 for e in y])", "np.full(len(x), n)", "x ** 2",
    "np.fmin(x, y)", "np.broadcast_to(n, x.shape)", "x[np.argsort(x, kind='stable')]", "-y",
    "np.outer(x, y)[0] if len(x) else x", "np.delete(np.append(x, n), 0)", "abs(x - y)",
)  # fmt: skip
NUMBERS = (
    "n", "x.sum()", "np.median(y)", "m.max()", "np.count_nonzero(b)", "x.dot(y)",
    "len(np.unique(x))",
    "np.percentile(y, 30)", "np.ptp(x)", "m.trace()", "float(n)", "x[0]", "y[-1]",
    "np.trapezoid(x)",
    "np.linalg.norm(m)", "np.isscalar(n)", "x.nbytes", "m.size", "y.argmax()", "x[0, ...]",
    "np.vdot(x, y)", "np.searchsorted(np.sort(x), n)", "np.var(x)", "t + str(len(x))", "t.upper()",
    "t == 'ab'", "f'{t}:{n}'", "int(n)", "x.dtype.name", "max(y[-1], n)", "np.mean(x)", "round(n)",
    "[k for k in range(3) if k > n]", "{t: n}[t]", "x.shape[0] * n", "sum(x)", "bool(b[0])",
    "np.shares_memory(x, y)", "x.tolist()", "y.item(0)", "(n, x[-1])", "str(n)",
)  # fmt: skip
WRITES = (
    "x[0] = {n}", "x[:] = {v}", "x[b] = {n}", "x[::2] = 1", "y[-1] = {n}", "x += {v}", "m[0] = 2",
    "m[:, 0] *= 2", "np.add.at(x, [0, 0], 1)", "np.put(y, [0], {n})", "x[b] = y[b]", "y[...] = {v}",
    "np.copyto(x, y, casting='unsafe')", "x[0, ...] = {n}", "m.T[0] = 1", "x.sort()", "y.fill({n})",
    "np.multiply(x, 2, out=x)", "np.putmask(y, b, 0)", "x[1:] = x[:-1]", "x[b] = x[::-1][b]",
    "np.negative.at(y, [0, 0])", "x[10] = 1", "np.place(x, b, [1])", "m[np.ix_([0], [1])] = {n}",
    "y -= x", "x[[0, -1]] = y[[-1, 0]]", "x[0], y[0] = y[0], x[0]", "m += m.T[0, 0]", "x *= {n}",
    "x[:] = x + y", "m[m > 0] = {n}", "np.add(x, y, out=y)", "y[::-1] += 1", "x[x > 2] -= 1",
    "m[:] = m[::-1]", "x[t == 'ab'] = 1", "y **= 2", "x[b] += y[b]", "m[1, :2] = m[0, 1:]",
)  # fmt: skip
VIEWS = (
    "x[::2]",
    "x[1:]",
    "y[::-1]",
    "m.T",
    "m[0]",
    "x[:1].squeeze()",
    "x[0, ...]",
    "m.reshape(-1)",
    "x[...]",
    "m[:, 1]",
    "y[1:-1]",
    "np.asarray(y)",
    "m[::-1, ::2]",
)
TESTS = ("n > 1", "x.sum() > 2", "b.any()", "m[0, 0] < m[0, 1]", "y[0] == x[0]", "len(x) > 3")
TESTS += ("t == 'ab'", "x is y", "(x > 1).all()", "not n or x[0] > 1", "1 < n < m.max()")


class NumpyPrograms:
    """Writes the program of a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names: list[str] = []

    def program(self) -> str:
        """Return the text."""
        lines = [line for _ in range(self._random.randint(2, 4)) for line in self._statement()]
        results = ", ".join([*self._names, self._of(VECTORS), self._of(NUMBERS)])
        body = "\n".join(f"    {line}" for line in lines)
        return f"def f(x, y, m, b, n, t):\n{body}\n    return {results}\n"

    def _of(self, texts: tuple[str, ...]) -> str:
        return self._random.choice(texts)

    def _write(self) -> str:
        return self._of(WRITES).format(n=self._of(NUMBERS), v=self._of(VECTORS))

    def _statement(self) -> list[str]:
        kind = self._random.random()
        if kind < 0.35:
            return [self._write()]
        if kind < 0.5:
            return [f"if {self._of(TESTS)}:", f"    {self._write()}"]
        if kind < 0.6:
            return ["for _ in range(2):", f"    {self._write()}"]
        name = f"v{len(self._names)}"
        self._names.append(name)
        if kind < 0.75:
            return [f"{name} = {self._of(VIEWS)}", f"{name} *= 2"]
        return [f"{name} = {self._of(VECTORS + NUMBERS)}"]


def arguments(call: int) -> list[Any]:
    """Return the arguments of a call: no two are alike in data, and few in type and layout."""
    rng = np.random.default_rng(call)
    dtype, size = DTYPES[(call // 2) % len(DTYPES)], SIZES[call % len(SIZES)]
    x = rng.integers(0, 9, 2 * size).astype(dtype)
    y = rng.integers(1, 7, size).astype(dtype)
    x = (x[:size], x[::2], x[size:][::-1])[call % 3]
    if call % 5 == 2:  # names of one array, or of its parts
        y = (x, x[::-1], x[:])[call % 3]
    m = np.asarray(rng.normal(size=(2, 3)), order="CF"[call % 2])
    b = rng.integers(0, 2, size).astype(bool)
    return [x, y, m, b, (3, np.int64(2), 1.5, True)[call % 4], ("ab", "b", "")[call % 3]]


def calls(turn: int | None) -> range:
    """Return the calls of a program: a quarter of them in turn, or all."""
    every = range(2 * CALLS)
    return every if turn is None else every[turn % 2 :: 2]
