"""`tf.bitwise`: operations on the bits of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runtime.numpy as rnp
from autograph.tf.absent import missing_from
from autograph.tf.errors import translating
from autograph.tf.tensors import as_result, pair, takes

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]


def _of_two(name: str) -> Callable[..., Any]:
    function = getattr(rnp, name)

    def public(x: Any, y: Any, name: Any = None) -> Any:
        with translating():
            return as_result(function(*pair(x, y)))

    public.__name__ = public.__qualname__ = name
    public.__doc__ = f"Return `np.{name}` of each pair of integers."
    return public


bitwise_and = _of_two("bitwise_and")
bitwise_or = _of_two("bitwise_or")
bitwise_xor = _of_two("bitwise_xor")
left_shift = _of_two("left_shift")
right_shift = _of_two("right_shift")


@takes(1)
def invert(x: Any) -> Any:
    """Return integers with all their bits inverted."""
    return rnp.invert(x)


__getattr__ = missing_from("autograph.tf.bitwise", globals())
