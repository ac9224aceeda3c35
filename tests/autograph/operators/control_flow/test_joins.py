"""What arms and rounds leave is what Python goes on with: no number is rounded or cut off."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.autograph.operators.control_flow import join_samples

NUMBERS: dict[str, Any] = {
    "True": True,
    "1000": 1000,
    "-1": -1,
    "2**70": 2**70,
    "1e300": 1e300,
    "0.1": 0.1,
    "nan": float("nan"),
    "1j": 1j,
    "None": None,
    "text": "t",
}
DTYPES = "bool int8 uint8 int64 uint64 float16 float32 float64 complex64 complex128".split()  # noqa: SIM905


@cache
def staged(sample: Callable[..., Any], number: str) -> Any:
    """Return a sample with a number that is known while tracing."""
    return ag.function(sample(NUMBERS[number]))


def is_held(number: Any, dtype: str) -> bool:
    """Tell whether a dtype that NumPy would join with a number has that number."""
    if not isinstance(number, int | float | complex):
        return False
    try:
        with np.errstate(all="ignore"):
            found = np.result_type(np.dtype(dtype), type(number)).type(number).item()
    except OverflowError:
        return False
    return bool(found == number or number != number)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("sample", join_samples.SAMPLES, ids=lambda sample: sample.__name__)
def test_a_number_and_a_scalar_keep_their_values(
    sample: Callable[..., Any], number: str, dtype: str
) -> None:
    y = np.dtype(dtype).type(3)
    for c in (np.int64(1), np.int64(0)):
        expected = sample(NUMBERS[number])(c, y)
        found = staged(sample, number)(c, y)
        if is_held(NUMBERS[number], dtype):  # then the dtype may be the one that holds both
            np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))
        else:
            assert (type(found), repr(found)) == (type(expected), repr(expected))


@pytest.mark.parametrize("dtype", ["uint8", "float16"])
def test_what_is_kept_apart_is_computed_with_as_it_is(dtype: str) -> None:
    y = np.dtype(dtype).type(3)
    for number in ("1000", "1e300"):
        if is_held(NUMBERS[number], dtype):
            continue
        for c in (np.int64(1), np.int64(0)):
            expected = join_samples.doubled(NUMBERS[number])(c, y)
            found = staged(join_samples.doubled, number)(c, y)
            assert (type(found), repr(found)) == (type(expected), repr(expected))


@pytest.mark.parametrize(
    "value", [None, (), [], {}, set(), ..., int, range(3), (None,), slice(1), np, [[]], "ab"]
)
def test_a_loop_in_an_arm_returns_what_no_graph_holds(value: Any) -> None:
    def f(x):
        for _ in [1]:
            if x[0]:
                return 0
            for _ in x:
                return value
        return 7

    for x in (np.array([0.0, 1]), np.array([1.0, 1])):
        assert repr(ag.function(f)(x)) == repr(f(x))


def test_what_a_round_and_no_graph_hold_together_is_refused() -> None:
    def f(x):
        for k in x:
            if k > 0:
                return (..., k)
        return 0

    with pytest.raises(ag.LoopStateError, match="put them together after the loop"):
        ag.function(f)(np.ones(2))


def text_beside_two_classes(x: Any, n: Any) -> Any:
    items = ["t"]
    for _ in range(n):
        items.append("u")
    if x > 0:
        items[0] = 1.5
    else:
        items[0] = x
    found = items[0]
    return found if n < 3 else "no"


def test_a_number_beside_texts_keeps_its_class() -> None:
    staged = ag.function(text_beside_two_classes)
    for x in map(np.float64, (1.0, -2.0)):
        for n in map(np.int64, (2, 3)):
            expected, found = text_beside_two_classes(x, n), staged(x, n)
            assert (type(found), found) == (type(expected), expected)
