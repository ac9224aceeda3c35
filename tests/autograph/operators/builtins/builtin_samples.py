"""Sample calls of builtins: each is run plain, converted and staged, with the same result.

A row is `name of the builtin: [(call, arguments), ...]`; the arguments are what is staged.
"""

from __future__ import annotations

import bisect
import copy
import heapq
import math
import operator
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Sequence, Sized
from typing import Any

import numpy as np

XS = np.array([3.0, -1.0, 2.0])
M32 = np.arange(6.0).reshape(3, 2)
I5, F25 = np.int64(5), np.float64(2.5)
NANS = np.array([np.nan, 1.0])
Sample = tuple[Callable[..., Any], tuple[Any, ...]]


def total_of(values: Any) -> Any:
    total = 0
    for value in values:
        total = total * 10 + value
    return total


def weighted(pairs: Any) -> Any:
    total = 0.0
    for a, b in pairs:
        total = total * 10 + a * b
    return total


def negative(x: Any) -> Any:
    if x > 0:
        return -x
    return x


def inserted(function: Any, values: Any) -> Any:
    found = [values[0]]
    for value in values:
        function(found, value)
    return found


def changed(function: Any, values: Any) -> Any:
    items = [value for value in values if value > -9]
    return function(items), items


# fmt: off
SAMPLES: dict[str, list[Sample]] = {
    "operator.index": [
        (lambda n: operator.index(n), (I5,)), (lambda n: operator.index(int(n) + 1), (I5,)),
    ],
    "abs": [
        (lambda x: abs(x), (-XS,)), (lambda x: abs(int(-x)), (I5,)), (lambda x: abs(x), (-F25,)),
    ],
    "all": [
        (lambda x: all(x > 2), (XS,)), (lambda x: all(x > -9), (XS,)),
        (lambda x: all(v > 2 for v in x), (XS,)), (lambda x: all((x > 4, x > 9)), (I5,)),
        (lambda x: all([]), (I5,)),
        (lambda x: all(1 / int(k) > 0 for k in x), (np.array([1, -1, 0]),)),
    ],
    "any": [
        (lambda x: any(x > 2), (XS,)), (lambda x: any(x > 9), (XS,)),
        (lambda x: any(v > 2 for v in x), (XS,)), (lambda x: any([x > 4, x > 9]), (I5,)),
        (lambda x: any([False, 0, x > 9]), (I5,)), (lambda x: any([x > 9, 1]), (I5,)),
        (lambda x: any(1 / int(k) > 0 for k in x), (np.array([-1, 1, 0]),)),
    ],
    "bin": [
        (lambda x: bin(-x)[3:].zfill(8), (I5,)), (lambda x: list(map(bin, x)), (np.arange(2),)),
        (lambda x: bin(bool(x > 0)), (I5,)), (lambda x: bin(x), (np.array(6),)),
    ],
    "bool": [(lambda x: bool(x), (I5,)), (lambda x: bool(x), (np.float64(0),))],
    "bisect.bisect_left": [(lambda x: bisect.bisect_left(x, 2), (np.sort(XS),))],
    "bisect.bisect_right": [(lambda x, v: bisect.bisect([1, 2, 3], v), (XS, F25))],
    "bisect.insort_left": [(lambda x: inserted(bisect.insort_left, x), (XS,))],
    "bisect.insort_right": [(lambda x: inserted(bisect.insort, x), (XS,))],
    "callable": [(lambda x: callable(x), (XS,))],
    "collections.Counter": [
        (lambda x: Counter(x > 0)[True], (XS,)), (lambda x: Counter([*x, 2.0])[2], (XS,)),
        (lambda x: Counter(x // 2).most_common(1), (XS,)), (lambda x: Counter(x).total(), (XS,)),
        (lambda x: Counter(x // 2).most_common(), (XS,)),
    ],
    "collections.deque": [
        (lambda x: deque(x, 2), (XS,)), (lambda x: deque([x], maxlen=1)[0], (I5,)),
    ],
    "chr": [(lambda x: chr(x + 60), (I5,))],
    "complex": [
        (lambda x: complex(x), (F25,)), (lambda x, y: complex(x, y), (F25, I5)),
        (lambda x: complex(real=1, imag=x), (F25,)),
    ],
    "copy.copy": [(lambda x: copy.copy([x, 1]), (I5,)), (lambda x: copy.copy({*x}), (XS,))],
    "copy.deepcopy": [(lambda x: copy.deepcopy([[x], {1}]), (I5,))],
    "dict": [
        (lambda x: dict(zip(x, x > 0)), (XS,)), (lambda x: dict(x), (M32,)),  # noqa: B905
        (lambda x: dict([("a", x), ("b", 2)], c=x)["c"], (XS,)),
    ],
    "divmod": [
        (lambda x: divmod(x, -3), (I5,)), (lambda x: divmod(int(x), -3), (I5,)),
        (lambda x: divmod(float(x), -3), (I5,)), (lambda x: divmod(x, 2), (XS,)),
    ],
    "enumerate": [
        (lambda x: weighted(enumerate(x)), (XS,)), (lambda x: weighted(enumerate(x, 3)), (XS,)),
        (lambda x, n: weighted(enumerate(x, start=n)), (XS, I5)),
        (lambda x, n: list(enumerate([1.5, 2.5], n)), (XS, I5)),
        (lambda x: next(enumerate(x)), (XS,)),
    ],
    "dict.fromkeys": [
        (lambda x: list(dict.fromkeys(x)), (XS,)), (lambda x, n: dict.fromkeys(x, n), (XS, I5)),
    ],
    "float": [(lambda x: float(x), (I5,)), (lambda x: float(x) / 2, (np.float32(3),))],
    "getattr": [
        (lambda x: getattr(x, "shape"), (XS,)),  # noqa: B009
        (lambda x: getattr(x, "nothing", 3), (XS,)), (lambda x: getattr(x, "known", 3), (XS,)),
        (lambda x: getattr(x, "sum")(), (XS,)),  # noqa: B009
        (lambda x: getattr(int(x), "shape", 4), (I5,)),
    ],
    "hasattr": [(lambda x: hasattr(x, "dtype"), (XS,)), (lambda x: hasattr(x, "known"), (XS,))],
    "heapq.heapify": [(lambda x: changed(heapq.heapify, x), (XS,))],
    "heapq.heappop": [(lambda x: changed(heapq.heappop, x), (XS,))],
    "heapq.heappush": [(lambda x: inserted(heapq.heappush, x), (XS,))],
    "heapq.heappushpop": [(lambda x: inserted(heapq.heappushpop, x), (XS,))],
    "heapq.heapreplace": [(lambda x: inserted(heapq.heapreplace, x), (XS,))],
    "heapq.nlargest": [(lambda x: heapq.nlargest(2, x), (XS,))],
    "heapq.nsmallest": [(lambda x, n: sum(heapq.nsmallest(n, x)), (XS, I5))],
    "hex": [(lambda x: hex(x), (I5,)), (lambda x: hex(int(x) * -9), (F25,))],
    "int": [
        (lambda x: int(x), (F25,)), (lambda x: int(x), (-F25,)),
        (lambda x: int(x), (np.bool_(True),)), (lambda x: int(x), (np.float64(1e15),)),
    ],
    "isinstance": [
        (lambda x: isinstance(x, int | float), (XS,)), (lambda x: isinstance(x, str), (XS,)),
        (lambda x: isinstance(x, np.ndarray), (XS,)),
        (lambda x: isinstance(x, np.floating), (F25,)),
        (lambda x: isinstance(int(x), int), (F25,)), (lambda x: isinstance(x, int), (I5,)),
        (lambda x: isinstance(np.zeros(2), np.ndarray), (I5,)),
        (lambda x: [isinstance(y, Iterable) for y in (x, int(x), [x], float(x))], (I5,)),
        (lambda x: [isinstance(x, y) for y in (Sized, (Hashable, str), int | Sized)], (I5,)),
        (lambda x: isinstance(x, Hashable), (XS,)), (lambda x: isinstance(x, Sequence), (XS,)),
    ],
    "iter": [(lambda x: next(iter(x)), (XS,)), (lambda x: list(iter(x)), (M32,))],
    "len": [(lambda x: len(x), (XS,)), (lambda n: len(range(2, n)), (I5,))],
    "list": [
        (lambda x: list(x), (XS,)), (lambda x: list(zip(x, "abc")), (XS,)),  # noqa: B905
        (lambda x: list(zip(x, [1.0, 2.0])), (XS,)),  # noqa: B905
    ],
    "map": [
        (lambda x: total_of(map(negative, x)), (XS,)), (lambda x: list(map(negative, x)), (XS,)),
        (lambda x, y: list(map(lambda a, b: a + b, x, y)), (XS, -XS)),
        (lambda x: list(map(negative, [x, 1])), (I5,)),
        (lambda x: list(map(int, x)), (XS,)),
    ],
    "max": [
        (lambda x: max(x, 3), (I5,)), (lambda x: max(3, x, 9), (I5,)),
        (lambda x: max([x, 3]), (I5,)),
        (lambda x: max(x), (XS,)), (lambda x: max(x), (NANS,)), (lambda x: max(x), (NANS[::-1],)),
        (lambda x: max(x, key=negative), (XS,)), (lambda x: max(x, -x, key=abs), (I5,)),
        (lambda x: max(x, key=lambda row: row[1]), (M32,)), (lambda x: max(x, default=7.0), (XS,)),
        (lambda x: max(x, default=7.0), (XS[:0],)), (lambda x: max(range(int(x))), (I5,)),
        (lambda x: max(v * v for v in x), (XS,)), (lambda x: max("ab", "c", key=len), (I5,)),
    ],
    "min": [
        (lambda x: min(x, 3), (I5,)), (lambda x: min((x, 3)), (I5,)), (lambda x: min(x), (XS,)),
        (lambda x: min(x, key=lambda v: (v * v, v)), (XS,)),
        (lambda x: min([x, -x], key=lambda v: (v * v, v)), (F25,)),
        (lambda x: min(zip(x, x[::-1])), (XS,)),  # noqa: B905
    ],
    "next": [(lambda x: next(zip(x, x)), (XS,)), (lambda x: next(iter([]), x), (XS,))],  # noqa: B905
    "oct": [(lambda x: oct(x), (np.uint64(2**64 - 1),))],
    "ord": [(lambda x: ord(str(x)), (I5,))],
    "pow": [
        (lambda x: pow(x, 2), (XS,)), (lambda x: pow(int(x), 3, 7), (I5,)),
        (lambda x: pow(base=x, exp=2), (I5,)), (lambda x: pow(2, x), (F25,)),
    ],
    "range": [
        (lambda n: total_of(range(n)), (I5,)), (lambda n: total_of(range(2, n)), (I5,)),
        (lambda n: total_of(range(n)), (np.int64(-1),)),
        (lambda n: total_of(range(9, 0, -n)), (np.int64(2),)),
    ],
    "reversed": [
        (lambda x: total_of(reversed(x)), (XS,)), (lambda n: total_of(reversed(range(n))), (I5,)),
        (lambda x: list(reversed([x, 1])), (I5,)),
    ],
    "round": [
        (lambda x: round(x), (F25,)), (lambda x: round(x), (np.float64(3.5),)),
        (lambda x: round(x, 1), (np.float64(1.25),)), (lambda x: round(x, -1), (np.int64(17),)),
        (lambda x: round(float(x) * 1.07, 2), (F25,)), (lambda x: round(x, ndigits=None), (F25,)),
        (lambda x: round(int(x) * 3, -1), (I5,)),
    ],
    "set": [
        (lambda x: sorted(set(x)), (XS,)), (lambda x: len(set([*x, 2.0])), (XS,)),  # noqa: C405
        (lambda x: set(dict(zip(x, x))) == set(x), (XS,)),  # noqa: B905
    ],
    "slice": [(lambda x, n: x[slice(1, n)], (XS, np.int64(2)))],
    "sorted": [
        (lambda x: sorted(x), (XS,)), (lambda x: sorted(x, reverse=True), (XS,)),
        (lambda x, n: sorted(x[:n]), (XS, I5)), (lambda x, n: sorted(x[n:]), (XS, I5)),
        (lambda x, n: sorted(range(n - 3), key=lambda k: x[k]), (XS, I5)),
        (lambda x, n: sorted([*list(x[n - 4 :]), 0.5])[1], (XS, I5)),
        (lambda x: sorted(x, key=negative), (XS,)), (lambda x: sorted(x, reverse=0), (XS,)),
        (lambda x: sorted([x, 1 - x, x * 2]), (F25,)), (lambda x: sorted([int(x), 7, 1]), (I5,)),
        (lambda x: sorted(x, key=lambda row: -row[0]), (M32,)), (lambda x: sorted("ba"), (XS,)),
        (lambda x: sorted([x, -x], key=lambda v: (v * v, v)), (F25,)),
    ],
    "sum": [
        (lambda x: sum(x), (XS,)), (lambda x: sum(x, 10), (XS,)), (lambda x: sum(x), (M32,)),
        (lambda x: sum(x, start=0.5), (M32,)), (lambda x: sum([x, x + 1]), (I5,)),
        (lambda x: sum([float(x), 0.1, 1e16, -1e16]), (F25,)),
        (lambda x: sum(v * 2 for v in x), (XS,)),
        (lambda x: sum(x), (XS[:0],)), (lambda x: sum([1, 2], x), (I5,)),
        (lambda n: sum(range(n)), (I5,)), (lambda x: sum(x > 0), (XS,)),
    ],
    "tuple": [(lambda x: tuple(x), (M32,)), (lambda x: tuple(map(abs, x)), (XS,))],
    "type": [
        (lambda x: type(x), (XS,)), (lambda x: type(x), (I5,)), (lambda x: type(int(x)), (I5,)),
        (lambda x: type("T", (), {}).__name__, (I5,)), (lambda x: type(np.zeros(2)), (I5,)),
    ],
    "zip": [
        (lambda x: weighted(zip(x, x[::-1])), (XS,)),  # noqa: B905
        (lambda x, n: weighted(zip(x, range(n))), (XS, I5)),  # noqa: B905
        (lambda x: weighted(zip(x, [1.0, 2.0])), (XS,)),  # noqa: B905
        (lambda x: weighted(zip(x, [1, 2, 3], strict=True)), (XS,)),
        (lambda x: weighted(zip(x, iter([1, 2]))), (XS,)),  # noqa: B905
        (lambda x: weighted(zip(x, [1, 2.5])), (XS,)),  # noqa: B905
        (lambda x: dict(zip("ab", x)), (XS,)),  # noqa: B905
    ],
    "math.ceil": [(lambda x: math.ceil(x), (-F25,))],
    "math.dist": [
        (lambda x: math.dist(x, x * 2), (XS,)), (lambda x: math.dist([x, 1], (0, x)), (F25,)),
    ],
    "math.floor": [(lambda x: math.floor(x), (-F25,))],
    "math.frexp": [(lambda x: math.frexp(x), (F25,))],
    "math.fsum": [
        (lambda x: math.fsum(x), (XS,)), (lambda x: math.fsum([x, 0.1, 1e16, -1e16]), (F25,)),
        (lambda x: math.fsum(v for v in x), (XS,)),
    ],
    "math.hypot": [(lambda x: math.hypot(x, 1, x), (F25,))],
    "math.isclose": [
        (lambda x: math.isclose(x, 2.6, rel_tol=0.1), (F25,)),
        (lambda x: math.isclose(x, 2.6), (F25,)),
    ],
    "math.ldexp": [(lambda x: math.ldexp(x, 3), (F25,))],
    "math.log": [(lambda x: math.log(x), (F25,)), (lambda x: math.log(x, 2), (F25,))],
    "math.modf": [(lambda x: math.modf(x), (-F25,))],
    "math.perm": [(lambda x: math.perm(x), (I5,)), (lambda x: math.perm(x, 2), (I5,))],
    "math.prod": [
        (lambda x: math.prod(x), (XS,)), (lambda x: math.prod(x, start=2), (XS,)),
        (lambda x: math.prod([x, 3]), (I5,)), (lambda x: math.prod(v for v in x), (XS,)),
    ],
    "math.trunc": [(lambda x: math.trunc(x), (-F25,))],
}
# fmt: on

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "acos": (0.5,), "acosh": (1.5,), "asin": (0.5,), "atan2": (0.5, -2.0), "atanh": (0.5,),
    "comb": (5, 2), "copysign": (1.5, -0.0), "factorial": (5,), "fma": (2.0, 3.0, 4.0),
    "fmax": (2.0, 3.0), "fmin": (2.0, 3.0), "fmod": (-7.5, 2.0), "gcd": (12, 18), "isqrt": (17,),
    "lcm": (4, 6), "nextafter": (1.5, 2.0), "pow": (2.0, 0.5), "remainder": (7.5, 2.0),
}  # fmt: skip
"""What the functions of `math` without samples are given; 0.5 where nothing stands here."""
