"""`ForwardAccumulator`: derivatives in a direction of what happens in a `with` block.

What goes back through the block is linear in what it is given. So its derivative by that, in the
direction of the tangents, is what goes forward: two ways back are one way forward (a trick of
J. Townsend's, 2017). So whatever has a gradient has a tangent, also by a rule of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.transforms.cotangents import NONE, asks_for_zeros, source_of, zeros_of
from autograph.transforms.tape import GradientTape
from runtime import trees
from runtime.autodiff.dependence import is_inexact
from runtime.errors import DerivativeError
from runtime.subscripts import describe


class ForwardAccumulator:
    """Follows tensors in a direction, in a `with` block.

    Args:
        primals: a tensor or variable, or a structure of them, of floats.
        tangents: the direction: of the same structure, shapes and dtypes.

    Raises:
        DerivativeError: the tangents do not fit.

    >>> import autograph as ag
    >>> x = ag.Tensor(np.array([1.0, 2.0]))
    >>> with ForwardAccumulator(x, np.array([1.0, 0.5])) as forward:
    ...     y = x**2
    >>> forward.jvp(y)
    Tensor(array([2., 2.]))
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        leaves, structure = trees.flatten(primals)
        rows, form = trees.flatten(tangents)
        if structure != form:
            where = trees.difference(form, structure, "tangents")
            raise DerivativeError(f"primals and tangents are of two structures: {where}")
        self._primals = [source_of(x, "source") for x in leaves]
        self._tangents = list(rows)
        for x, t in zip(self._primals, rows, strict=True):
            found = describe(t)
            if (found.shape, found.dtype) != (x.spec.shape, x.spec.dtype) or not is_inexact(x.spec):
                raise DerivativeError(
                    f"the tangent of {x.spec} is {found}; it is to be floats of the same dtype and "
                    "shape"
                )
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)

    def __enter__(self) -> ForwardAccumulator:
        self._tape.__enter__()
        self._tape.watch(self._primals)
        return self

    def __exit__(self, *error: object) -> None:
        self._tape.__exit__(*error)

    def jvp(self, primals: Any, unconnected_gradients: str = NONE) -> Any:
        """Return the derivatives of tensors in the direction of the tangents.

        Args:
            primals: what was computed: a tensor, or a structure of them.
            unconnected_gradients: `"none"` or `"zero"`: that of what follows nothing.
        """
        is_zero = asks_for_zeros(unconnected_gradients)
        return trees.map_tree(lambda x: self._forward(x, is_zero), primals)

    def _forward(self, leaf: Any, is_zero: bool) -> Any:
        y = source_of(leaf, "target")
        if not self._tape.follows(y):
            return zeros_of(y) if is_zero else None
        weight = zeros_of(y)
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(weight)
            found = self._tape.gradient(y, self._primals, weight)
            pairs = zip(found, self._tangents, strict=True)
            total: Any = sum(np.sum(g * t) for g, t in pairs if g is not None)
        return tape.gradient(total, weight)
