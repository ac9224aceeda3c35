"""Arrays that callers give away are written in place, and become results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import MutationError, SignatureError
from runtime.lower.write_targets import LARGE
from tests.runtime.lower.same import all_same


def filtered(x: Any, gain: Any) -> Any:
    for k in range(3):
        x[k] = x[k + 1] * gain
    return np.sort(x + 1) + gain


def rotated(state: Any, count: Any) -> Any:
    out = state.copy()
    for k in range(count):
        out[k] = state[k] + np.sum(out)
    return out


SIZE = 4 * LARGE


@pytest.mark.parametrize("backend", [None, "numpy"])
def test_result_is_the_array_that_was_given_away(backend: str | None) -> None:
    def shifted(x, gain):
        return x + gain

    staged = ag.function(shifted, donate="x", backend=backend)
    x = np.arange(float(SIZE))
    wanted, found = shifted(x, 2.0), staged(x, np.float64(2.0))
    assert np.array_equal(found, wanted)
    assert np.shares_memory(found, x)


@pytest.mark.parametrize("function", [filtered, rotated])
def test_donation_changes_no_result(function: Any) -> None:
    name = next(iter(function.__code__.co_varnames))
    staged = ag.function(function, donate=[name])
    x, other = np.linspace(0, 1, SIZE), np.int64(3)
    for _ in range(3):
        assert all_same([staged(x.copy(), other)], [function(x.copy(), other)])


def test_less_memory_is_taken() -> None:
    def stepped(x, y):
        return np.sort(x + y) + y

    x, y = np.random.default_rng(1).standard_normal((2, SIZE))
    plain = ag.function(stepped).profile(x, y).peak_memory
    given = ag.function(stepped, donate="x").profile(x, y).peak_memory
    assert given <= plain - x.nbytes


def test_tensors_in_a_structure_are_given_away_together() -> None:
    def moved(p, step):
        return [a - step for a in p]

    p = [np.zeros(SIZE), np.ones(SIZE)]
    found = ag.function(moved, donate=("p",))(p, np.float64(1.0))
    assert [np.shares_memory(a, b) for a, b in zip(found, p, strict=True)] == [True, True]
    assert (found[0][0], found[1][0]) == (-1.0, 0.0)


def test_read_only_arrays_and_others_with_gaps_stay_as_they_are() -> None:
    staged = ag.function(lambda x, y: x * y, donate="x")
    fixed, spread = np.ones(SIZE), np.ones(2 * SIZE)
    fixed.flags.writeable = False
    assert staged(fixed, np.float64(3.0))[0] == 3.0
    assert staged(spread[::2], np.float64(3.0))[0] == 3.0
    assert fixed[0] == spread[0] == 1.0


def test_shared_memory_is_refused() -> None:
    x = np.ones(SIZE)
    with pytest.raises(MutationError, match="argument 1 is donated, and shares memory with arg"):
        ag.function(lambda x, y: x + y, donate="x")(x, x)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(SignatureError, match=r"donate names 'z', and the parameters of .* are"):
        ag.function(lambda x, y: x + y, donate="z")
