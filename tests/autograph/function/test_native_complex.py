"""Loops over complex numbers that run as machine code: they give what Python and NumPy give."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available
from tests.runtime.lower.same import same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


def escape(z, c, n):
    rounds = 0
    for _ in range(n):
        if abs(z) > 2.0:
            break
        z = z * z + c
        rounds += 1
    return z, rounds


def orbit(z, w, n):
    for _ in range(n):
        z = (z - w) / (z.conjugate() * w + 3)
        if z == w or z.imag < -5.0:
            z = -z
    return z


def transform(x):
    found = np.zeros_like(x)
    turn = np.exp(-2j * np.pi * np.arange(len(x)) / len(x))
    for k in range(len(x)):
        total = 0j
        for n in range(len(x)):
            total += x[n] * turn[k * n % len(x)]
        found[k] = total
    return found


def chained(m, v, n):
    total = np.complex128(0)
    for k in range(n):
        v[1:] = v[1:] * v[:-1] + m[k % 5, 1:]
        total += (m @ v)[k % 5] * np.sum(v)
    return total, v


def written(z, n):
    for k in range(n):
        new, other = np.zeros(4, complex), np.full(4, complex(0, -0.0))
        new[k] = z
        z = z * 0.5j + new[1] + new[k] + other[k]
    return z


def numbers(*shape: int, dtype: Any = np.complex128) -> Any:
    rng = np.random.default_rng(sum(shape))
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype) * 0.3


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (escape, (np.complex128(0.1j), np.complex128(-0.4 + 0.6j), np.int64(80))),
        (escape, (np.complex64(0.1j), np.complex64(-0.4 + 0.6j), np.int64(80))),
        (orbit, (np.complex128(1 + 2j), np.complex128(0.5 - 1j), np.int64(30))),
        (orbit, (np.complex64(1 + 2j), np.complex64(0.5 - 1j), np.int64(30))),
        (written, (np.complex128(1 + 2j), np.int64(3))),
        (transform, (numbers(40),)),
        (transform, (numbers(33, dtype=np.complex64),)),
        (chained, (numbers(5, 5), numbers(5), np.int64(20))),
        (chained, (*(numbers(*n, dtype=np.complex64) for n in ((5, 5), (5,))), np.int64(20))),
    ],
)
def test_native_loops_have_the_bits_of_numpy(function: Any, given: tuple[Any, ...]) -> None:
    staged = ag.function(function)
    own = [[x.copy() for x in given] for _ in range(2)]
    wanted, found = function(*own[0]), staged(*own[1])
    for x, y in zip(*(z if isinstance(z, tuple) else (z,) for z in (wanted, found)), strict=True):
        assert same(x, y)
    assert all(map(same, *own))
    assert "native(" in str(staged.get_concrete_function(*given).plan)


def of_python(n):
    z, w = 0.5j, 1.0 - 0.25j
    while n > 0:
        z = z * w - z / w
        if abs(z) > 3:
            z = z / abs(z)
        n -= 1
    return z


def test_numbers_of_python_stay_numbers_of_python() -> None:
    staged = ag.function(of_python)
    assert same(staged(np.int64(40)), of_python(np.int64(40)))
    assert "native(" in str(staged.get_concrete_function(np.int64(40)).plan)


def shrunk(n):
    z = 1.0 + 1j
    while n > 0:
        z = (z + 1j) / (z - z)
        n -= 1
    return z


def test_quotients_of_python_by_zero_raise() -> None:
    with pytest.raises(ZeroDivisionError, match="complex division by zero"):
        ag.function(shrunk)(np.int64(3))


def squared(z, n):
    for _ in range(n):
        z = z * z
    return z


@pytest.mark.parametrize("z", [np.complex128(1e200 + 1j), np.complex64(1e30), 1e200 + 1e200j])
def test_warnings_are_those_of_numpy(z: Any) -> None:
    staged, n = ag.function(squared), np.int64(2)
    outcomes = []
    for function in (squared, staged):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = function(z, n) if function is squared else staged(z, n)
        outcomes.append((repr(found), {str(x.message) for x in caught}))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][1] or type(z) is complex
