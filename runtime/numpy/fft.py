"""The functions of `numpy.fft`: made of transforms along one axis, as NumPy's are."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.dispatch import apply
from runtime.graph.opdef import OpDef
from runtime.numpy import functions as fn
from runtime.numpy.array_api_calls import calling
from runtime.numpy.face import call_concretely, stands_for
from runtime.numpy.shaping import operand, shape
from runtime.ops import fourier as ops
from runtime.ops.derivatives.fourier_rules import OTHER_WAY
from runtime.tensor import is_staged


def _is_plain(*attrs: Any) -> bool:
    """Tell whether the numbers of points, the axes and the norm are known."""
    given = [x for one in attrs for x in (one if isinstance(one, tuple | list) else (one,))]
    return not any(map(is_staged, given))


def _along_one(op: OpDef, function: Any) -> Callable[..., Any]:
    def transform(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
        if out is not None or not _is_plain(n, axis, norm):
            return call_concretely(function, (a, n, axis, norm, out), {})
        n = None if n is None else operator.index(n)
        return apply(op, (operand(a),), n=n, axis=operator.index(axis), norm=norm)

    transform.__doc__ = op.doc
    return stands_for(function)(transform)


fft = _along_one(ops.fft, np.fft.fft)
ifft = _along_one(ops.ifft, np.fft.ifft)
rfft = _along_one(ops.rfft, np.fft.rfft)
irfft = _along_one(ops.irfft, np.fft.irfft)


@stands_for(np.fft.hfft)
def hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    """Return the transform of points with Hermitian symmetry, of which half are given."""
    if out is not None:  # which NumPy's does not write
        return call_concretely(np.fft.hfft, (a, n, axis, norm, out), {})
    return irfft(fn.conjugate(operand(a)), n, axis, OTHER_WAY.get(norm, norm))


@stands_for(np.fft.ihfft)
def ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    """Return half of the transform back of real numbers, whose other half is symmetric."""
    if out is not None:
        return call_concretely(np.fft.ihfft, (a, n, axis, norm, out), {})
    return fn.conjugate(rfft(a, n, axis, OTHER_WAY.get(norm, norm)))


def _along_several(
    function: Any, steps: Callable[[Sequence[int]], Sequence[tuple[Callable[..., Any], int]]]
) -> Callable[..., Any]:
    """Return the function of several axes.

    Args:
        function: NumPy's.
        steps: gives, for the places of axes, the transforms in their order, each with its place.
    """
    axes_if_not_given = (-2, -1) if function.__name__.endswith("2") else None

    def transform(
        a: Any, s: Any = None, axes: Any = axes_if_not_given, norm: Any = None, out: Any = None
    ) -> Any:
        a = operand(a)
        is_simple = s is None or (axes is not None and None not in s and len(s) == len(axes))
        if out is not None or not is_simple or not _is_plain(s, axes, norm):
            return call_concretely(function, (a, s, axes, norm, out), {})
        axes = range(-len(shape(a)), 0) if axes is None else axes
        if not axes or len({k % len(shape(a)) for k in axes}) < len(axes):  # sizes as at first
            return call_concretely(function, (a, s, axes, norm, out), {})
        points = [None] * len(axes) if s is None else [None if n == -1 else n for n in s]
        for one, place in steps(range(len(axes))):
            a = one(a, points[place], axes[place], norm)
        return a

    transform.__doc__ = f"Return the transform of `numpy.fft.{function.__name__}`."
    return stands_for(function)(transform)


def _from_last(one: Callable[..., Any], last: Callable[..., Any]) -> Any:
    return lambda places: [(one if k < len(places) - 1 else last, k) for k in reversed(places)]


def _to_last(places: Sequence[int]) -> Any:
    return [(irfft if k == len(places) - 1 else ifft, k) for k in places]


fft2 = _along_several(np.fft.fft2, _from_last(fft, fft))
fftn = _along_several(np.fft.fftn, _from_last(fft, fft))
ifft2 = _along_several(np.fft.ifft2, _from_last(ifft, ifft))
ifftn = _along_several(np.fft.ifftn, _from_last(ifft, ifft))
rfft2 = _along_several(np.fft.rfft2, _from_last(fft, rfft))
rfftn = _along_several(np.fft.rfftn, _from_last(fft, rfft))
irfft2 = _along_several(np.fft.irfft2, _to_last)
irfftn = _along_several(np.fft.irfftn, _to_last)


def _shifted(x: Any, axes: Any, sign: int) -> Any:
    x = operand(x)
    sizes = shape(x)
    axes = range(len(sizes)) if axes is None else axes
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    if any(not -len(sizes) <= k < len(sizes) for k in axes):
        raise IndexError("tuple index out of range")
    shifts = tuple(sizes[k] // 2 if sign > 0 else -(sizes[k] // 2) for k in axes)
    return fn.roll(x, shifts, axes)


@stands_for(np.fft.fftshift)
def fftshift(x: Any, axes: Any = None) -> Any:
    """Return points with the one of frequency zero in the middle."""
    return _shifted(x, axes, 1)


@stands_for(np.fft.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Any:
    """Return points with the one of frequency zero in front: what undoes `fftshift`."""
    return _shifted(x, axes, -1)


fftfreq, rfftfreq = calling(np.fft.fftfreq), calling(np.fft.rfftfreq)

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip
