"""Exponentials in kernels have the bits of NumPy's loop, or are that loop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from runtime.kernels.jit import is_available
from runtime.kernels.target import RESULTS, digest, host_target
from tools.bench.exponentials import differing, kernel

pytestmark = pytest.mark.skipif(
    not is_available() or not host_target().exact_exp, reason="NumPy's own loop is called here"
)


def test_exponentials_have_the_bits_of_numpy() -> None:
    function, ends = kernel(host_target()), (0x00000000, 0x42AEAC50, 0x42B17218, 0x7F800000)
    ends += (0x80000000, 0xC2AEAC50, 0xC2CFF1B5, 0xFF800000)
    near = [np.arange(max(end - 1000, 0), end + 1000, dtype=np.uint64) for end in ends]
    everywhere = np.arange(0, 2**32, 9973, dtype=np.uint64)
    assert differing(function, np.concatenate([*near, everywhere])) == 0


@pytest.mark.parametrize(
    ("value", "kind"),
    [(89.0, "over"), (-104.0, "under"), (-90.0, "under"), (-103.97208, "under")],
)
def test_what_numpy_would_report_leaves_the_kernel(value: float, kind: str) -> None:
    x = np.full(100, value, np.float32)
    function = kernel(host_target())
    with np.errstate(all="ignore", **{kind: "raise"}):
        assert function(x) is None
        with pytest.raises(FloatingPointError):
            np.exp(x)
    with np.errstate(all="ignore"):
        assert np.array_equal(function(x), np.exp(x))


def test_numbers_of_usual_size_report_nothing() -> None:
    x = np.linspace(-87, 88, 1000).astype(np.float32)
    x[::7] = np.nan
    with np.errstate(all="raise"):
        assert kernel(host_target())(x) is not None


def test_a_loop_with_other_bits_is_called() -> None:
    assert digest(np.exp) == RESULTS != digest(np.exp2)
    x = np.linspace(-10, 10, 1000).astype(np.float32)
    another = replace(host_target(), exact_exp=False)
    assert np.array_equal(kernel(another)(x), np.exp(x))
