"""Discrete Fourier transforms along one axis; those along several are made of these. Phases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from runtime.graph.opdef import OpDef, op
from runtime.graph.traits import Derivative, Error, raises
from runtime.ops.batch_rules import along
from runtime.ops.derivatives.constructors import partials
from runtime.ops.derivatives.fourier_rules import HALF, HALF_BACK, whole
from runtime.ops.families import ARRAYS
from runtime.ops.samples import calls, each
from runtime.ops.spec_rules import Size, as_size, normal_axis, trial
from runtime.spec import Shape, TensorSpec


def _half(n: Size) -> Size:
    return n // 2 + 1 if isinstance(n, int) else as_size(None)


def _double(n: Size) -> Size:
    return 2 * (n - 1) if isinstance(n, int) else as_size(None)


def _points(x: TensorSpec, n: int | None, axis: int, is_back: bool) -> Size:
    """Return the number of points of a transform, of which `n` are asked for."""
    if n is not None:
        return n
    if x.shape is not None and not -len(x.shape) <= axis < len(x.shape):
        raise IndexError("tuple index out of range")
    size = as_size(None) if x.shape is None else x.shape[axis]
    return _double(size) if is_back else size


def _transform(
    name: str, kinds: str, derivative: Derivative, is_half: bool = False, is_back: bool = False
) -> OpDef:
    """Return the op of a function of `numpy.fft`.

    Args:
        name: of the function.
        kinds: of arrays that it takes.
        derivative: of it.
        is_half: whether it gives only the first half of the points.
        is_back: whether it takes only the first half of the points.
    """
    function: Callable[..., Any] = getattr(np.fft, name)

    def shape(x: TensorSpec, *, n: int | None, axis: int, norm: str | None) -> Shape | None:
        if x.shape is None:
            return None
        points = _points(x, n, axis, is_back)
        sizes = [*x.shape]
        sizes[axis] = _half(points) if is_half else points
        return tuple(sizes)

    def tried(x: Any, **attrs: Any) -> Any:
        return function(np.concatenate([x, x], attrs["axis"]), **attrs)

    def may_raise(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
        points = _points(specs[0], attrs["n"], attrs["axis"], is_back)
        is_fine = isinstance(points, int) and points > 0
        return () if is_fine else raises("ValueError")(specs, attrs)

    return op(
        f"{name}(x, /, n=None, axis=-1, norm=None)",
        doc=f"The Fourier transform of `numpy.fft.{name}`, of `n` points along an axis.",
        spec=trial(tried, shape),
        kernel=lambda xp, x, n, axis, norm: getattr(xp.fft, name)(x, n, axis, norm),
        samples=calls(
            kinds,
            lambda some: [
                ((some(3, 5),), {}),
                ((some(3, 6),), {"norm": "ortho"}),
                ((some(4, 3),), {"axis": 0, "n": 6}),
                ((some(2, 5, 3),), {"axis": 1, "n": 3, "norm": "forward"}),
                ((some(7),), {"n": 4}),
            ],
        ),
        family=ARRAYS,
        derivative=derivative,
        batching=along("axis"),
        raises=may_raise,
    )


fft = _transform("fft", "iufc", whole(np.fft.fft))
ifft = _transform("ifft", "iufc", whole(np.fft.ifft))
rfft = _transform("rfft", "iuf", HALF, is_half=True)
irfft = _transform("irfft", "iufc", HALF_BACK, is_back=True)


def _phases(x: TensorSpec, *, discont: float | None, axis: int, period: float) -> Shape | None:
    if x.shape is not None:
        normal_axis(axis, len(x.shape))
    return x.shape


unwrap = op(
    f"unwrap(x, /, discont=None, axis=-1, period={2 * np.pi})",
    doc="Phases along an axis, without the jumps of more than half a period between neighbours.",
    spec=trial(np.unwrap, _phases),
    kernel=lambda xp, x, **attrs: xp.unwrap(x, **attrs),
    samples=each("iuf", {}, {"axis": 0}, {"discont": 2.5, "period": 4.0}),
    functions=(np.unwrap,),
    family=ARRAYS,
    derivative=partials(lambda y, x, **attrs: 1),
    batching=along("axis"),
)
