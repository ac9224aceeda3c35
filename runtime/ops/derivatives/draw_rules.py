"""Derivatives of draws of NumPy's generators by the parameters of their distributions.

A draw is taken for a function of the parameters and of chance (Kingma and Welling, Auto-Encoding
Variational Bayes, 2013): `rng.normal(a, b)` for `a + b * z`. Other calls of NumPy have none.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from runtime.graph.traits import OF_HOST, Application, Derivative
from runtime.ops.call_forms import is_operand
from runtime.ops.derivatives.constructors import NoDerivativeError

Partial = Callable[[Any, Any, Any], Any]
"""From the draw, and the two parameters, to the derivative by one of these."""


def _by_scale(y: Any, location: Any, scale: Any) -> Any:
    return (y - location) / scale


_SCALED: tuple[Partial, Partial] = (lambda y, location, scale: 1, _by_scale)
_LOGNORMAL: tuple[Partial, Partial] = (
    lambda y, mean, sigma: y,
    lambda y, mean, sigma: y * (np.log(y) - mean) / sigma,
)
_UNIFORM: tuple[Partial, Partial] = (
    lambda y, low, high: (high - y) / (high - low),
    lambda y, low, high: (y - low) / (high - low),
)
_METHODS: Mapping[str, tuple[Mapping[str, float], tuple[Partial, Partial]]] = {
    **{
        name: ({"loc": 0.0, "scale": 1.0}, _SCALED)
        for name in ("normal", "laplace", "logistic", "gumbel")
    },
    "lognormal": ({"mean": 0.0, "sigma": 1.0}, _LOGNORMAL),
    "uniform": ({"low": 0.0, "high": 1.0}, _UNIFORM),
    "exponential": ({"scale": 1.0}, (lambda y, scale, _: y / scale, _by_scale)),
    "rayleigh": ({"scale": 1.0}, (lambda y, scale, _: y / scale, _by_scale)),
}
"""Methods that draw, with their parameters besides the size, and the derivatives by these."""


def draws(text_of: Callable[[Any], tuple[str, bool]]) -> Derivative:
    """Return the derivative of calls of NumPy.

    Args:
        text_of: of an application of a call its text, and whether it is one of a generator.
    """

    def each(call: Application, wanted: Sequence[bool]) -> list[Any]:
        text, is_draw = text_of(call)
        tree = ast.parse(text, mode="eval").body
        if (
            not is_draw
            or not isinstance(tree, ast.Call)
            or not isinstance(tree.func, ast.Attribute)
        ):
            raise NoDerivativeError(OF_HOST.why)
        method = tree.func.attr
        if method not in _METHODS:
            raise NoDerivativeError(f"that of a draw by {method} is not defined, or not written")
        defaults, partials = _METHODS[method]
        names = [*defaults, "size"]
        given = {**dict(zip(names, tree.args, strict=False))}
        given.update((x.arg or "", x.value) for x in tree.keywords)
        values = [_value(given.get(name), default, call) for name, default in defaults.items()]
        found: list[Any] = [None] * len(call.operands)
        for name, partial in zip(defaults, partials, strict=False):
            one = given.get(name)
            place = int(one.id[1:]) if isinstance(one, ast.Name) and is_operand(one.id) else -1
            if place >= 0 and wanted[place]:
                own = partial(call.results[0], *values[:2], *([None] if len(values) < 2 else []))
                found[place] = own if found[place] is None else found[place] + own
        return found

    def jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
        rows = zip(each(call, [t is not None for t in tangents]), tangents, strict=True)
        parts = [p * t for p, t in rows if p is not None and t is not None]
        return [sum(parts[1:], parts[0]) if parts else None]

    def vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
        return [None if p is None else cotangents[0] * p for p in each(call, call.wanted)]

    return Derivative(jvp, vjp, broadcasts=True)


def _value(given: ast.expr | None, default: float, call: Application) -> Any:
    """Return an argument: an operand, or a number that is written out."""
    if given is None:
        return default
    if isinstance(given, ast.Name) and is_operand(given.id):
        return call.operands[int(given.id[1:])]
    try:
        return ast.literal_eval(given)
    except ValueError:
        raise NoDerivativeError(OF_HOST.why) from None
