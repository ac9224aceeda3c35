"""What op definitions say of their derivatives: one thing, from which both modes follow.

    sin     derivative=partials(lambda y, x: np.cos(x))         its partial derivatives
    sum     derivative=linear(lambda a, g, x, axis, ...: ...)   it is linear: its transpose
    matmul  derivative=bilinear(left, right)                    it is linear in each of its operands
    var     derivative=forward(jvp)                             how tangents go along it
    max     derivative=Derivative(jvp, vjp)                     all others

Rules are programs over NumPy, so that they work on the symbols of a graph and on arrays. They see
operands and results as they were; None stands for a cotangent or tangent that is zero. What they
return may be broadcast, or of another dtype: the engine (`runtime.autodiff`) sums and converts it.

Complex numbers are differentiated as in JAX: the cotangent of a complex `z = x + iy` is
`d/dx - i d/dy`, so that of `f(z)` with a complex derivative `p` is `p` times that of the result,
without conjugates, and a real result takes the real part of its tangent. This is what the gradient
of a real function of complex numbers is, and the derivative where the function is holomorphic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, TypeAlias

import numpy as np

from runtime.graph.traits import Application, Derivative

Axis: TypeAlias = int | tuple[int, ...] | None
Partial: TypeAlias = Callable[..., Any] | int | None
Transpose: TypeAlias = Callable[..., Any]


class NoDerivativeError(Exception):
    """Raised by a rule, with the reason, where there is no derivative for attributes or sizes."""


def partials(*rules: Partial) -> Derivative:
    """Return the derivative of an elementwise op.

    Args:
        rules: by operand, its partial derivative: `(result, *operands, **attrs) -> array`, or 1
            or -1, or None where the result does not follow the operand continuously, as by those
            for which there is no rule. Operands that are constants are numbers; a rule may return
            the number 0 or 1.
    """

    def each(call: Application, factors: Sequence[Any]) -> list[Any]:
        return [
            None if g is None or rule is None else _times(call, rule, g)
            for rule, g in zip_longest(rules, factors)
        ]

    def jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
        return [total(each(call, tangents))]

    def vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
        return each(call, [cotangents[0] if wanted else None for wanted in call.wanted])

    return Derivative(jvp, vjp, is_elementwise=True)


def _times(call: Application, rule: Callable[..., Any] | int, g: Any) -> Any:
    factor = rule if isinstance(rule, int) else rule(*call.results, *call.operands, **call.attrs)
    if type(factor) is int and factor in (-1, 0, 1):
        return None if factor == 0 else g if factor == 1 else -g
    return times(g, factor)


def times(g: Any, factor: Any) -> Any:
    """Return the product of a cotangent, which may be a number, and a factor."""
    return factor if isinstance(g, int | float | complex) and g == 1 else g * factor


def forward(jvp: Callable[[Application, Sequence[Any]], Sequence[Any]]) -> Derivative:
    """Return the derivative of an op by how tangents go along it; back it is the transpose.

    Args:
        jvp: as in `Derivative`. It must be linear in the tangents also where it is traced: they go
            through linear ops only.
    """
    return Derivative(jvp, None)


def of_one(rule: Callable[..., Any]) -> Derivative:
    """Return the derivative of an op by the tangent that follows that of its first operand.

    Args:
        rule: `(tangent, result, *operands, **attrs) -> tangent`; the tangent and the result are
            tuples where the op has several results.
    """

    def jvp(call: Application, tangents: Sequence[Any]) -> Sequence[Any]:
        count = len(call.results)
        if tangents[0] is None:
            return [None] * count
        made = call.results[0] if count == 1 else tuple(call.results)
        found = rule(tangents[0], made, *call.operands, **call.attrs)
        return [found] if count == 1 else list(found)

    return forward(jvp)


def multilinear(program: Callable[..., Any]) -> Derivative:
    """Return the derivative of an op that is linear in each of its operands.

    Args:
        program: `(*operands, **attrs) -> result`, made of ops that have derivatives.
    """

    def jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
        given = [
            [*call.operands[:k], t, *call.operands[k + 1 :]]
            for k, t in enumerate(tangents)
            if t is not None
        ]
        return [total([program(*operands, **call.attrs) for operands in given])]

    return forward(jvp)


def linear(
    transpose: Transpose,
    count: int | None = 1,
    *,
    broadcasts: bool = False,
    takes_small: bool = False,
) -> Derivative:
    """Return the derivative of an op that is linear in its first operands, taken together.

    Args:
        transpose: `(apply, cotangent, *operands, **attrs) -> cotangent` of the operand; of so many
            operands as there are, in a list, where `count` is not 1.
        count: how many operands it is linear in; None for all.
        broadcasts: whether it broadcasts its operand.
        takes_small: whether the transpose takes a cotangent that is to be broadcast, or a number.
    """

    def jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
        size = len(tangents) if count is None else count
        if all(t is None for t in tangents[:size]):
            return [None]
        pairs = zip(tangents[:size], call.operands, strict=False)
        given = [np.zeros_like(x) if t is None else t for t, x in pairs]
        return [call.apply(call.op, [*given, *call.operands[size:]], **call.attrs)]

    def vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
        found = transpose(call.apply, cotangents[0], *call.operands, **call.attrs)
        given = [found] if count == 1 else list(found)
        return given + [None] * (len(call.operands) - len(given))

    return Derivative(jvp, vjp, broadcasts=broadcasts, takes_small=takes_small)


def bilinear(
    left: Transpose,
    right: Transpose,
    *,
    broadcasts: bool = True,
    takes_small: bool | Callable[..., bool] = False,
) -> Derivative:
    """Return the derivative of an op that is linear in each of its two operands.

    Args:
        left: `(apply, cotangent, x, y, **attrs) -> cotangent` of the first operand.
        right: the same of the second one.
        broadcasts: whether what they give may have to be added up, where operands were broadcast.
        takes_small: as in `Derivative`.
    """

    def jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
        (x, y), (s, t) = call.operands, tangents
        first = None if s is None else call.apply(call.op, [s, y], **call.attrs)
        second = None if t is None else call.apply(call.op, [x, t], **call.attrs)
        return [total([first, second])]

    def vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
        rules = zip((left, right), call.wanted, strict=True)
        g = cotangents[0]
        return [
            rule(call.apply, g, *call.operands, **call.attrs) if wanted else None
            for rule, wanted in rules
        ]

    return Derivative(jvp, vjp, broadcasts=broadcasts, takes_small=takes_small)


def total(parts: Sequence[Any]) -> Any:
    """Return the sum of what is not None; None if all are."""
    found = None
    for part in parts:
        if part is not None:
            found = part if found is None else found + part
    return found


def is_complex(x: Any) -> bool:
    """Tell whether an array or number is of complex numbers.

    >>> is_complex(np.zeros(2)), is_complex(1j)
    (False, True)
    """
    return (x.dtype.kind if hasattr(x, "dtype") else np.asarray(x).dtype.kind) == "c"


def conjugated(x: Any) -> Any:
    """Return the conjugates of complex numbers, and real ones as they are.

    >>> conjugated(2.0), conjugated(1j)
    (2.0, np.complex128(-1j))
    """
    return np.conj(x) if is_complex(x) else x


def normal_axes(axis: Axis, rank: int) -> tuple[int, ...]:
    """Return axes counted from the first one; None means all of them.

    >>> normal_axes(-1, 3)
    (2,)
    """
    if axis is None:
        return tuple(range(rank))
    return tuple(k % rank for k in ((axis,) if isinstance(axis, int) else axis))
