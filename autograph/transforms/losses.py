"""What is differentiated of what a function returned, and the cotangents to begin with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph.function.polymorphic import Function
from autograph.staging.deferred_errors import emit_check
from autograph.transforms.region import current_builder
from runtime import trees
from runtime.dispatch import as_value
from runtime.errors import DerivativeError
from runtime.graph.node import Value
from runtime.tensor import Symbol
from runtime.union import Choice, is_numeric, values_of


def loss_of(inner: Function, returned: Any, has_aux: bool) -> Any:
    """Return what is differentiated of what a function returned."""
    if not has_aux:
        return returned
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise DerivativeError(
            f"{inner._signature.name} is to return a pair, what is differentiated and something "
            "else, as has_aux=True says, and returns something else"
        )
    return returned[0]


def seeds_of_loss(
    inner: Function, loss: Any, holomorphic: bool
) -> Iterator[tuple[Value, Value | float | None]]:
    """Yield the cotangent of a loss, or of each number that it may be, 1 for the one that it is.

    Where it may also be something else, as None, that is an error when the graph runs.
    """
    builder = current_builder()
    if type(loss) is not Choice:
        yield as_value(builder, _checked(inner, loss, loss, holomorphic)), 1
        return
    options = values_of(loss)
    if not any(isinstance(x, Symbol) and x.spec.dtype.kind in "fc" for x in options):
        _checked(inner, options[0], loss, holomorphic)
    which: Any = trees.flatten(loss)[0][0]
    for number, option in enumerate(options):
        if not is_numeric(option):
            emit_check(which != number, DerivativeError(_message(inner, option)))
        if not (isinstance(option, Symbol) and option.spec.dtype.kind in "fc"):
            continue
        value = as_value(builder, _checked(inner, option, loss, holomorphic))
        yield value, as_value(builder, np.where(which == number, 1.0, 0.0))


def _checked(inner: Function, found: Any, loss: Any, holomorphic: bool) -> Any:
    """Return a loss; DerivativeError says what is wrong with it."""
    name = inner._signature.name
    if not isinstance(found, Symbol):
        each = values_of(loss) if type(loss) is Choice else [loss]
        raise DerivativeError(_message(inner, *each))
    spec = found.spec
    if spec.shape != ():
        raise DerivativeError(
            f"{name} is to return one float, and returns {spec}; return its np.sum or np.mean, or "
            "use ag.jacobian"
        )
    if spec.dtype.kind == "c" and not holomorphic:
        raise DerivativeError(
            f"{name} returns the complex number {spec}; return a real one, or say "
            "holomorphic=True for the derivative of a holomorphic function"
        )
    if spec.dtype.kind not in "fc":
        raise DerivativeError(
            f"{name} returns {spec}, which follows its arguments in steps; return a float"
        )
    return found


def _message(inner: Function, *returned: Any) -> str:
    kinds = " or ".join(
        str(x.spec) if isinstance(x, Symbol) else str(trees.flatten(x)[1]) for x in returned
    )
    return (
        f"{inner._signature.name} is to return one float, and returns {kinds}; return the sum of "
        "what is to be differentiated, and has_aux=True for what is not"
    )
