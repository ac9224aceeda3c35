from __future__ import annotations

from typing import Any

import pytest

from runtime.graph.builder import Builder
from runtime.kernels.identity import identity
from runtime.kernels.maps import MapKernel
from runtime.lower.elementwise import map_kernel
from runtime.ops.creation import constant
from runtime.ops.elementwise import add, divide, multiply
from runtime.spec import TensorSpec

X, Y = TensorSpec([5]), TensorSpec([1])


def kernel(factor: Any = 2.0, op: Any = add, swapped: bool = False, spec: Any = X) -> MapKernel:
    """Return the kernel of `op(x * factor, y)`."""
    builder = Builder()
    x, y = builder.param(X), builder.param(spec)
    (number,) = builder.emit(constant, (), {"value": factor})
    (scaled,) = builder.emit(multiply, [y if swapped else x, number], {})
    (found,) = builder.emit(op, [scaled, x if swapped else y], {})
    return map_kernel(builder.seal([x, y], [found]), X.shape or ())


def test_kernels_that_do_the_same_are_equal() -> None:
    assert identity(kernel()) == identity(kernel())
    assert hash(identity(kernel())) == hash(identity(kernel()))


@pytest.mark.parametrize(
    "other", [{"factor": -2.0}, {"op": divide}, {"swapped": True}, {"spec": Y}], ids=str
)
def test_kernels_that_do_something_else_differ(other: dict[str, Any]) -> None:
    assert identity(kernel(**other)) != identity(kernel())


def test_zeros_of_different_signs_differ() -> None:
    assert identity(kernel(0.0)) != identity(kernel(-0.0))
