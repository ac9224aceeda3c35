"""Rules of what is drawn at random, and of what Python's functions return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime import trees
from runtime.errors import DerivativeError
from runtime.graph.traits import Application, Derivative
from runtime.ops.derivatives.constructors import partials


def drawn(first: int) -> Derivative:
    """Return the derivative of what is drawn, by the two parameters of the distribution.

    The draw is taken for a function of the parameters and of chance (Kingma and Welling,
    Auto-Encoding Variational Bayes, 2013).

    Args:
        first: the place of the first parameter.
    """

    def by_low(y: Any, *x: Any, kind: str, **attrs: Any) -> Any:
        low, high = x[first : first + 2]
        return (high - y) / (high - low) if kind == "uniform" else 1

    def by_high(y: Any, *x: Any, kind: str, **attrs: Any) -> Any:
        low, high = x[first : first + 2]
        return (y - low) / (high - low if kind == "uniform" else high)

    return partials(*[None] * first, by_low, by_high)


def _asked_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    raise DerivativeError(
        f"{call.attrs['function']} of Python has a derivative for going back, at most; it cannot "
        "be differentiated forward"
    )


def asked(made: Callable[..., Any], declared: Callable[..., dict[str, Any]]) -> Derivative:
    """Return the derivative of a call of Python, which its declaration says.

    Args:
        made: returns what graphs call, of a function.
        declared: returns the attributes that declare results, of their specs and structure.
    """

    def vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
        function = call.attrs["function"]
        gradient = getattr(function, "gradient", None)  # what was read from a text has none
        if gradient is None:
            raise DerivativeError(
                f"{getattr(function, 'reference', function)} is a function of Python, which has no "
                "derivative but that which is declared: ag.py_function(..., gradient=...)"
            )
        specs = [x.spec for x in call.operands]
        chosen = [k for k, spec in enumerate(specs) if spec.dtype.kind in "fc"]

        def go_back(*values: Any) -> tuple[Any, ...]:
            found = gradient(*values)
            found = found if isinstance(found, tuple | list) else (found,)
            rows = [np.asarray(getattr(found[k], "array", found[k])) for k in chosen]
            return tuple(x.astype(specs[k].dtype) for x, k in zip(rows, chosen, strict=True))

        results = call.results
        given = [
            np.zeros_like(y) if g is None else g for y, g in zip(results, cotangents, strict=True)
        ]
        attrs = declared((specs[k] for k in chosen), trees.flatten((0,) * len(chosen))[1])
        operands = [*call.operands, *(results if function.sees_results else ()), *given]
        found = iter(call.apply(call.op, operands, function=made(go_back), **attrs))
        return [next(found) if k in chosen else None for k in range(len(specs))]

    return Derivative(_asked_jvp, vjp)
