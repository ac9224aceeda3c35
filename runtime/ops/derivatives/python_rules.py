"""Rules of Python's functions of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import pi, sqrt
from typing import Any

import numpy as np

from runtime.graph.traits import Application, Derivative
from runtime.ops.derivatives.constructors import partials, total
from runtime.ops.derivatives.indexing_rules import op_of
from runtime.ops.derivatives.special_rules import digamma


def _divmod_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    s, t = tangents
    return [None, total([s, None if t is None else -call.results[0] * t])]


def _divmod_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    g = cotangents[1]
    return [g, None if g is None else -call.results[0] * g]


def _of_mantissa(call: Application, given: Sequence[Any]) -> Any:
    return None if given[0] is None else given[0] * 2.0 ** -call.results[1]


SECOND_OF_DIVMOD = Derivative(_divmod_jvp, _divmod_vjp)
FIRST_OF_FREXP = Derivative(
    lambda call, tangents: [_of_mantissa(call, tangents), None],
    lambda call, cotangents: [_of_mantissa(call, cotangents)],
)
FIRST_OF_MODF = Derivative(lambda call, t: [t[0], None], lambda call, g: [g[0]])


def like(name: str) -> Derivative:
    """Return the derivative of a function of `math` that an op computes, too, which it is.

    Args:
        name: of the op, which may be defined later.
    """

    def of(call: Application) -> tuple[Derivative, Application]:
        op = op_of(name)
        assert isinstance(op.derivative, Derivative)
        return op.derivative, replace(call, op=op, attrs={})

    def jvp(call: Application, tangents: Sequence[Any]) -> Sequence[Any]:
        rule, same = of(call)
        return rule.jvp(same, tangents)

    def vjp(call: Application, cotangents: Sequence[Any]) -> Sequence[Any]:
        rule, same = of(call)
        assert rule.vjp is not None
        return rule.vjp(same, cotangents)

    return Derivative(jvp, vjp)


def _of_each(rule: Callable[..., Any]) -> Derivative:
    """Return the derivative of a function of any number of numbers, all of one rule."""

    def made(call: Application) -> Derivative:
        return partials(*(partial(rule, k) for k in range(len(call.operands))))

    def vjp(call: Application, cotangents: Sequence[Any]) -> Sequence[Any]:
        found = made(call).vjp
        assert found is not None
        return found(call, cotangents)

    return Derivative(lambda call, tangents: made(call).jvp(call, tangents), vjp)


def _not_zero(x: Any) -> Any:
    return np.where(x == 0, 1, x)


def _dist_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    (p, q), (z,) = call.operands, call.results
    g = (p - q) * (cotangents[0] / _not_zero(z))
    return [g, -g]


def _dist_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    (p, q), (z,), (s, t) = call.operands, call.results, tangents
    step = total([s, None if t is None else -t])
    return [np.sum((p - q) * step) / _not_zero(z)]


def _of_log(k: int, z: Any, x: Any, base: Any = None, **attrs: Any) -> Any:
    if k:
        return -z / (base * np.log(base))
    return 1 / x if base is None else 1 / (x * np.log(base))


MATH: dict[str, Derivative] = {
    "log": _of_each(_of_log),
    "hypot": _of_each(lambda k, z, *x, **attrs: x[k] / _not_zero(z)),
    "dist": Derivative(_dist_jvp, _dist_vjp),
    "fsum": Derivative(
        lambda call, tangents: [np.sum(tangents[0])],
        lambda call, cotangents: [np.zeros_like(call.operands[0]) + cotangents[0]],
    ),
    "erf": partials(lambda z, x, **attrs: 2 / sqrt(pi) * np.exp(-x * x)),
    "erfc": partials(lambda z, x, **attrs: -2 / sqrt(pi) * np.exp(-x * x)),
    "lgamma": partials(lambda z, x, **attrs: digamma(x)),
    "gamma": partials(lambda z, x, **attrs: z * digamma(x)),
    "remainder": partials(1, lambda z, x, y, **attrs: (z - x) / y),
    "fma": partials(lambda z, x, y, a, **attrs: y, lambda z, x, y, a, **attrs: x, 1),
    "sumprod": Derivative(
        lambda call, tangents: [
            total([None if t is None else np.sum(x * t) for x, t in _crossed(call, tangents)])
        ],
        lambda call, cotangents: [x * cotangents[0] for x, _ in _crossed(call, call.operands)],
    ),
}
"""The derivatives of functions of `math` that no op of NumPy computes."""


def _crossed(call: Application, given: Sequence[Any]) -> list[tuple[Any, Any]]:
    x, y = call.operands
    return [(y, given[0]), (x, given[1])]
