"""What the generated tests of ops draw from: short generators of operands.

Comes in: a random generator and a dtype. Goes out: operands with what goes wrong elsewhere among
them: NaN, infinities, -0.0, empty arrays, arrays of no dimension, broadcasting, strides, Python
scalars, and second operands of other dtypes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from runtime.dtypes import SUPPORTED, DType
from runtime.graph.opdef import Samples

Call = tuple[tuple[Any, ...], dict[str, Any]]
Rng = np.random.Generator

SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0)
OTHER_KINDS = {"b": "int8", "i": "float32", "u": "int16", "f": "int64", "c": "float32"}


def dtypes(kinds: str) -> tuple[DType, ...]:
    """Return the supported dtypes whose kind is one of the letters b, i, u, f, c."""
    return tuple(x for x in SUPPORTED if x.kind in kinds)


def values(rng: Rng, dtype: DType, shape: tuple[int, ...], low: float, high: float) -> Any:
    """Return an array of random numbers between two bounds, as far as its dtype has them."""
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind == "u":
        low = max(low, 0)
    drawn = rng.uniform(low, high, shape)
    if dtype.kind == "c":
        drawn = drawn + 1j * rng.uniform(low, high, shape)
    return np.asarray(drawn).astype(dtype)


def special(rng: Rng, dtype: DType, low: float, high: float) -> Any:
    """Return a vector that also holds NaN, infinities and zeros of both signs, if it can."""
    drawn = values(rng, dtype, (8,), low, high)
    if dtype.kind in "fc":
        drawn[: len(SPECIAL)] = SPECIAL
    return drawn


def strided(rng: Rng, dtype: DType, low: float, high: float) -> Any:
    """Return a matrix that is neither in row nor in column order."""
    return values(rng, dtype, (8, 6), low, high)[::2, ::-1].T


def scalar(array: Any) -> Any:
    """Return the first element of an array as a Python scalar."""
    return array.ravel()[0].item()


def unary(kinds: str = "biufc", low: float = -3, high: float = 3, **attrs: Any) -> Samples:
    """Return samples for functions of one array."""

    def draw(rng: Rng, dtype: DType) -> Iterator[Call]:
        for array in arrays(rng, dtype, low, high):
            yield (array,), attrs
        yield (scalar(values(rng, dtype, (1,), low, high)),), attrs

    return Samples(dtypes(kinds), draw)


def arrays(rng: Rng, dtype: DType, low: float = -3, high: float = 3) -> Iterator[Any]:
    """Yield arrays of many shapes, a NumPy scalar among them."""
    yield values(rng, dtype, (3, 4), low, high)
    yield special(rng, dtype, low, high)
    yield strided(rng, dtype, low, high)
    yield values(rng, dtype, (0,), low, high)
    yield values(rng, dtype, (2, 0, 3), low, high)
    yield values(rng, dtype, (1,), low, high)[0]


def floats(low: float = -3, high: float = 3) -> Samples:
    """Return samples for functions of one array that give floats; complex ones are left out."""
    return unary("biuf", low, high)


def binary(kinds: str = "biufc", low: float = -3, high: float = 3) -> Samples:
    """Return samples for functions of two arrays."""

    def draw(rng: Rng, dtype: DType) -> Iterator[Call]:
        def some(*shape: int) -> Any:
            return values(rng, dtype, shape, low, high)

        yield (some(3, 4), some(3, 4)), {}
        yield (special(rng, dtype, low, high), special(rng, dtype, low, high)[::-1]), {}
        yield (some(3, 1), some(4)), {}
        yield (strided(rng, dtype, low, high), some(4)), {}
        yield (some(0), some(1)), {}
        yield (some(2, 3), some(1)[0]), {}
        yield (scalar(some(1)), some(3)), {}
        yield (some(3), scalar(some(1))), {}
        yield (some(1)[0], scalar(some(1))), {}
        yield (scalar(some(1)), scalar(some(1))), {}
        if OTHER_KINDS[dtype.kind][0] in kinds:
            other = np.dtype(OTHER_KINDS[dtype.kind])
            yield (some(3), values(rng, other, (3,), low, high)), {}

    return Samples(dtypes(kinds), draw)


def calls(kinds: str, draw: Callable[[Callable[..., Any]], Iterable[Call]]) -> Samples:
    """Return samples from a function that is given `some(*shape)`, which draws arrays."""

    def drawn(rng: Rng, dtype: DType) -> Iterable[Call]:
        return draw(lambda *shape: values(rng, dtype, shape, -3, 3))

    return Samples(dtypes(kinds), drawn)


def each(kinds: str, *attrs: dict[str, Any], shape: tuple[int, ...] = (3, 4, 2)) -> Samples:
    """Return samples for functions of one array, with each of the given attributes."""
    return calls(kinds, lambda some: [((some(*shape),), given) for given in attrs])


def reductions(kinds: str = "biufc", empty: bool = True) -> Samples:
    """Return samples for reductions over axes."""

    def draw(rng: Rng, dtype: DType) -> Iterator[Call]:
        whole = values(rng, dtype, (3, 4, 2), -3, 3)
        for attrs in ({}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 2)}):
            yield (whole,), attrs
        yield (special(rng, dtype, -3, 3),), {}
        yield (strided(rng, dtype, -3, 3),), {"axis": 1}
        yield (values(rng, dtype, (1,), -3, 3)[0],), {}
        yield (values(rng, dtype, (0, 3), -3, 3),), {} if empty else {"axis": 1}

    return Samples(dtypes(kinds), draw)
