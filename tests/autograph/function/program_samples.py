"""Programs of many kinds, which are printed in one process and run in another."""

from __future__ import annotations

import collections
import functools
import math
from typing import Any

import numpy as np

import autograph as ag

PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {}
X = np.array([1.5, -2.0, 0.25])
M = np.random.default_rng(5).normal(size=(4, 4))
TABLE = np.asfortranarray(np.random.default_rng(6).normal(size=(333, 77)).astype(np.float32))
TEXTS = np.array(["a", "bc", "däf\0"], np.dtypes.StringDType())
TOTAL = ag.Variable(np.arange(3.0), name="total")
GENERATOR = ag.random.Generator(3)


def table_of(x: Any) -> Any:
    return {"sum": x.sum(), "rows": [np.full(int(x[0]), 2), x[0]]}


def rounded(x: Any) -> Any:
    assert isinstance(x, ag.Tensor)
    return ag.Tensor(np.round(x.numpy(), 1))


FUNCTIONS = (table_of, rounded)
"""What the programs call when they run."""


class OwnError(Exception):
    pass


def program(*args: Any) -> Any:
    def add(function: Any) -> Any:
        PROGRAMS[function.__name__] = function, args
        return function

    return add


@program(X)
def order_of_memory(x: Any) -> Any:
    made = np.asfortranarray(np.arange(12000.0).reshape(100, 120) ** 1.5 / 7)
    return np.sum(made) * x, np.sum(TABLE), TABLE.sum(0), np.sum(TABLE[::2, ::-3])


@program(X.astype(np.float16))
def halves(x: Any) -> Any:
    return np.exp(x) + np.float16(0.1), x.sum(), np.float16("nan") * x, np.float16(6e-8) + x


@program(X.astype(np.complex64) * (1 - 2j))
def complex_numbers(z: Any) -> Any:
    return z * (1 + 2j), np.abs(z), complex(math.nan, -0.0) * z, -0.0j + z, np.sum(z) ** 2


@program(np.int32(5), np.uint8(200), np.float32(0.1), np.int8(-128), np.uint64(2**64 - 1))
def numbers(a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    return a + 1, b + np.uint8(100), c * 0.1, d // np.int8(3), e // np.uint64(3), e % 7


@program(5, 2.5, True, 1 + 2j, "text", None)
def arguments_of_python(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
    return a + 1, b * 2, c and a, d * 2, e + "!", f


@program(np.array([True, False]), np.array([1, 0], np.uint16))
def bits(a: Any, b: Any) -> Any:
    return a ^ True, b << np.uint16(3), ~b, a.astype(np.complex64), b.view(np.int16), a.dtype


@program(TEXTS)
def arrays_of_texts(s: Any) -> Any:
    return np.strings.upper(s), np.strings.str_len(s), s == "bc", TEXTS, "\x00\n€\\'\""


@program(np.int64(3))
def texts(n: Any) -> Any:
    return f"{n * 1.5:05.2f}|{n}", "%s|%r" % (n, n), str(n * 0.1)  # noqa: UP031


@program(X)
def variables(x: Any) -> Any:
    TOTAL.assign_add(x)
    if np.sum(TOTAL) > 3:
        TOTAL.assign(TOTAL * 2)
    return TOTAL + x


@program(X)
def random_state(x: Any) -> Any:
    return GENERATOR.normal(size=3) + x, GENERATOR.integers(0, 10, size=4)


@program(np.int64(4))
def datasets(n: Any) -> Any:
    found = n * 0
    for x, _ in zip(ag.data.Dataset.range(1, 9).batch(3), range(n), strict=False):
        found = found * 3 + np.sum(x)
    return found


@program(X)
def derivatives(x: Any) -> Any:
    def loop(y: Any) -> Any:
        for _ in range(int(np.sum(np.abs(x)))):
            y = np.tanh(y * x)
        return np.sum(y)

    return ag.grad(loop)(x), ag.jvp(lambda y: np.cumsum(y * y), (x,), (np.ones(3),))


@program(M)
def batches(x: Any) -> Any:
    return ag.vmap(lambda row: np.sort(row) * np.max(row))(x), ag.hessian(lambda y: np.sum(y**3))(
        x[0]
    )


@program(np.int64(7))
def handlers(n: Any) -> Any:
    try:
        if n > 5:
            raise OwnError("large", n)
        y = n
    except OwnError:
        y = n * 2
    return y


@program(np.int64(7))
def raises_its_own(n: Any) -> Any:
    if n > 5:
        raise OwnError("large", n, 0.5)
    return n


@program(np.int64(7))
def asserts(n: Any) -> Any:
    assert n < 5, f"n is {n}"
    return n


@program(np.float64(-1.0))
def errors_of_math(x: Any) -> Any:
    return math.sqrt(x)


@program(np.int64(10))
def recursion(n: Any) -> Any:
    def fibonacci(k: Any) -> Any:
        return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)

    return fibonacci(n)


@program(np.int64(9))
def memoised(n: Any) -> Any:
    @functools.cache
    def fibonacci(k: Any) -> Any:
        return 1 if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)

    return fibonacci(n)


@program(np.int64(7))
def containers(n: Any) -> Any:
    found, seen, queue, squares = {}, set(), collections.deque([n]), []
    for k in range(n):
        found[k % 3] = found.get(k % 3, 0) + k
        seen.add(k * 7 % 5)
        squares.append(k * k)
    while queue:
        k = queue.popleft()
        if k > 1:
            queue.append(k // 2)
    return found[0], len(seen), sum(squares), k, found[n - 6]


@program(np.int64(7))
def missing_keys(n: Any) -> Any:
    found = {}
    for k in range(n):
        found[k % 3] = k
    return found[n]


@program(X, M)
def ufuncs(x: Any, m: Any) -> Any:
    rows = np.add.accumulate(x), np.hypot.outer(x, x), np.frexp(x), np.divmod(x, 2.0)
    return *rows, np.linalg.inv(m), np.fft.rfft(x, 8), np.histogram(m, bins=4), np.percentile(m, 30)


@program(M)
def writes(m: Any) -> Any:
    m[m > 0] = 0
    m[::2, 1] += 3
    return m.sum()


@program(M.copy(), X.copy(), np.zeros(3), np.int64(2))
def memory_of_callers(m: Any, a: Any, b: Any, n: Any) -> Any:
    row, chosen = m[1], a if n > 1 else b
    row += n
    chosen += 1
    b += 5
    one = m[0] if n > 5 else m[n]
    one *= 2
    made = np.zeros((3, 3))
    column = made[:, 1]
    column += n
    return row, chosen, one, one[::2], made, column


@program(X, X + 1, X * 2)
def all_other_arguments(x: Any, *rest: Any, k: Any = 2, **named: Any) -> Any:
    return x * k + rest[0] - rest[1], len(named)


@program(X)
def large_numbers(x: Any) -> Any:
    return 2**70, -(2**5000), x, 1e308 * 10, math.nan, -0.0, np.zeros((0, 3)), x[:0]


@program(X)
def prints(x: Any) -> Any:
    print("sum", np.sum(x), x)
    return x


@program(X + 1)
def functions_of_a_module(x: Any) -> Any:
    rows = [ag.TensorSpec([None], "int64"), ag.TensorSpec([], "float64")]
    found = ag.numpy_function(table_of, [x], {"sum": "float64", "rows": rows})
    for k in range(len(x)):
        found["sum"] += ag.py_function(rounded, [x[k] / 3], "float64")
    return found


@program(X + 1)
def other_results_than_declared(x: Any) -> Any:
    return ag.numpy_function(table_of, [x], {"rows": ["float64", "float64"]})
