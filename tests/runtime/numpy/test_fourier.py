"""Fourier transforms: NumPy's bits, derivatives, batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag

ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = ("fft2", "fftn", "ifft2", "ifftn", "rfft2", "rfftn", "irfft2", "irfftn")
SHIFTS = ("fftshift", "ifftshift")
POINTS = [(None, None), (3, None), (9, "ortho"), (None, "ortho"), (3, "forward")]
TWO = {"s": (3, 8), "axes": (1, 0)}
FORMS: list[tuple[str, dict[str, Any]]] = [
    *((name, {"n": n, "norm": norm}) for name in ONE for n, norm in POINTS),
    *((name, {"axis": 0, "norm": "forward"}) for name in ONE),
    *((name, one) for name in SEVERAL for one in ({}, TWO, {"axes": (0, 0)})),
    *((name, one) for name in SHIFTS for one in ({}, {"axes": 0}, {"axes": (0, 1)})),
]  # fmt: skip
DRAW = np.random.default_rng(0)
X = DRAW.normal(size=(4, 6))
Z = X + 1j * DRAW.normal(size=(4, 6))


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize(("name", "given"), FORMS)
def test_transforms_are_those_of_numpy(name: str, given: dict[str, Any]) -> None:
    function = getattr(np.fft, name)
    for x in (
        (X, X.astype(np.float32), Z, X > 0) if name[:4] not in ("rfft", "ihff") else (X, X > 0)
    ):
        found, expected = ag.function(lambda x: function(x, **given))(x), function(x, **given)
        assert (found.dtype, found.tobytes()) == (expected.dtype, expected.tobytes())


def loss(y: Any) -> Any:
    return np.sum(np.abs(y) ** 2 * np.arange(y.size).reshape(y.shape)) + np.sum((y * y).real)


@pytest.mark.parametrize(("name", "given"), [x for x in FORMS if x[1].get("axes") != (0, 0)])
def test_transforms_have_derivatives(name: str, given: dict[str, Any]) -> None:
    function = getattr(np.fft, name)
    x = X if name[:4] in ("rfft", "ihff") else Z

    def value(x: Any) -> Any:
        return loss(function(x, **given))

    found, step = ag.grad(value)(x), 1e-6
    for place in ((0, 0), (1, 3), (3, 5)):
        one = np.zeros_like(x)
        one[place] = step
        by_real = (value(x + one) - value(x - one)) / (2 * step)
        np.testing.assert_allclose(found[place].real, by_real, rtol=1e-6, atol=1e-6)
        if x is Z:
            by_imaginary = (value(x + 1j * one) - value(x - 1j * one)) / (2 * step)
            np.testing.assert_allclose(-found[place].imag, by_imaginary, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        ag.vmap(ag.grad(value))(np.stack([x, 2 * x]))[1], ag.grad(value)(2 * x)
    )


def test_a_transform_in_a_loop_goes_back_for_all_sizes() -> None:
    def heat(x: Any, rounds: int) -> Any:
        y = x
        for _ in range(rounds):
            waves = np.fft.rfft(y)
            y = np.fft.irfft(waves * np.exp(-np.arange(waves.size) * 0.1), x.size) + 0.1 * np.sin(x)
        return np.sum(y * y)

    for size in (5, 6):
        x, step = X.ravel()[:size], 1e-6
        found = ag.grad(heat)(x, np.int64(4))
        for k, row in enumerate(np.eye(size) * step):
            expected = (heat(x + row, 4) - heat(x - row, 4)) / (2 * step)
            np.testing.assert_allclose(found[k], expected, rtol=1e-6)


def test_what_numpy_refuses_is_refused() -> None:
    for given, error in (
        ({"n": 0}, ValueError),
        ({"n": 2.0}, TypeError),
        ({"norm": "twice"}, ValueError),
        ({"axis": 4}, IndexError),
    ):
        with pytest.raises(error):
            ag.function(lambda x, given=given: np.fft.fft(x, **given))(X)
