"""Random programs in the way of NumPy's users: several arrays, views of them, masks and writes.

Comes in: a seed. Goes out: the text of a function of two vectors, a matrix, a mask and a number.
`arguments` gives what it is called with: other data, dtypes, layouts and sizes at each call.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

DTYPES = ("f8", "i8", "f4", "u1", "c16", "?", "f2", "i4")
CALLS = 8

VECTORS = (
    "x", "y", "x + y", "x * 2", "x[::-1]", "np.sort(y)", "np.cumsum(x)", "np.where(b, x, y)",
    "np.roll(x, 1)", "m[0, :1] + x", "np.clip(y, 0, 2)", "x - n", "y.copy()", "np.flip(x)",
    "np.abs(x)", "x.astype(np.float64)", "np.concatenate([x, y])[: len(x)]", "np.sqrt(x)",
    "np.choose(b.astype(int), [x, y])", "x / y", "np.maximum(x, y)", "x % 3",
    "np.take(x, np.argsort(y))", "np.nan_to_num(y)", "np.tile(y[:1], len(x))", "x // n",
)  # fmt: skip
NUMBERS = (
    "n", "x.sum()", "np.median(y)", "m.max()", "np.count_nonzero(b)", "x.dot(y)",
    "len(np.unique(x))",
    "np.percentile(y, 30)", "np.ptp(x)", "m.trace()", "float(n)", "x[0]", "y[-1]",
    "np.trapezoid(x)",
    "np.linalg.norm(m)", "np.isscalar(n)", "x.nbytes", "m.size", "y.argmax()", "x[0, ...]",
    "np.vdot(x, y)", "np.searchsorted(np.sort(x), n)", "np.var(x)",
)  # fmt: skip
WRITES = (
    "x[0] = {n}", "x[:] = {v}", "x[b] = {n}", "x[::2] = 1", "y[-1] = {n}", "x += {v}", "m[0] = 2",
    "m[:, 0] *= 2", "np.add.at(x, [0, 0], 1)", "np.put(y, [0], {n})", "x[b] = y[b]", "y[...] = {v}",
    "np.copyto(x, y, casting='unsafe')", "x[0, ...] = {n}", "m.T[0] = 1", "x.sort()", "y.fill({n})",
    "np.multiply(x, 2, out=x)", "np.putmask(y, b, 0)", "x[1:] = x[:-1]", "x[b] = x[::-1][b]",
    "np.negative.at(y, [0, 0])", "x[10] = 1", "np.place(x, b, [1])", "m[np.ix_([0], [1])] = {n}",
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
)
TESTS = ("n > 1", "x.sum() > 2", "b.any()", "m[0, 0] < m[0, 1]", "y[0] == x[0]", "len(x) > 3")


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
        return f"def f(x, y, m, b, n):\n{body}\n    return {results}\n"

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
    dtype = DTYPES[(call // 2) % len(DTYPES)]
    size = (4, 4, 5, 5, 4, 4, 1, 0)[call % CALLS]
    x = rng.integers(0, 9, 2 * size).astype(dtype)
    y = rng.integers(1, 7, size).astype(dtype)
    x = (x[:size], x[::2], x[size:][::-1])[call % 3]
    m = np.asarray(rng.normal(size=(2, 3)), order="CF"[call % 2])
    return [x, y, m, rng.integers(0, 2, size).astype(bool), (3, np.int64(2), 1.5)[call % 3]]
