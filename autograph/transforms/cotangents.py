"""What a tape is given and gives: tensors, cotangents, and warnings where there is no gradient.

Comes in: what the user's program calls targets, sources and weights. Goes out: tensors, symbols and
variables, or an error that says what to write. What is recorded of them is not known here.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.errors import GradientWarning
from runtime import default_graph, trees
from runtime.autodiff.dependence import is_inexact
from runtime.autodiff.record import Record
from runtime.autodiff.stretch import Stretch
from runtime.errors import DerivativeError
from runtime.graph.location import Location, user_location
from runtime.operands import array_module
from runtime.state.variable import Variable
from runtime.tensor import Symbol, Tensor

NONE = "none"
ZERO = "zero"


def source_of(leaf: Any, what: str) -> Any:
    """Return a tensor, symbol or variable; TypeError says what else cannot be recorded."""
    if isinstance(leaf, Tensor | Symbol | Variable):
        return leaf
    role = {
        "watch": "tape.watch takes tensors and variables",
        "target": "the target of a gradient is a tensor",
        "source": "a gradient is by tensors and variables",
    }[what]
    raise TypeError(
        f"{role}, and this is {leaf!r} ({type(leaf).__name__}), of which nothing is recorded. Make "
        "it a tensor before, by ag.Tensor(np.asarray(x)) or tf.constant(x), and compute with that: "
        "what .numpy(), float(x) and np.asarray(x) give is recorded no more"
    )


def seeds_of(target: Any, given: Any) -> list[tuple[Any, Any]]:
    """Return the targets with their cotangents."""
    targets, structure = trees.flatten(target)
    weights: Sequence[Any] = [None] * len(targets)
    if given is not None:
        weights, own = trees.flatten_to(given, lambda x: x is None)
        difference = None if own == structure else trees.difference(target, given, "the target")
        if len(weights) != len(targets):
            raise DerivativeError(
                "output_gradients has the structure of the target, and has another: "
                f"{difference or f'{len(weights)} tensors for {len(targets)}'}"
            )
    pairs = zip(targets, weights, strict=True)
    return [seed_of(source_of(x, "target"), g) for x, g in pairs]


def seed_of(target: Any, weight: Any) -> tuple[Any, Any]:
    """Return a target and its cotangent: ones if none is given."""
    if not is_inexact(target.spec):
        warn(f"the target is {target.spec}, and gradients are of floats; it has none")
    if weight is None:
        return target, filled(target, 1)
    g = weight.read() if isinstance(weight, Variable) else weight
    g = g if isinstance(g, Tensor | Symbol) else np.asarray(g, target.spec.dtype)
    shape = g.spec.shape if isinstance(g, Tensor | Symbol) else g.shape
    if shape != target.spec.shape:
        raise DerivativeError(
            f"output_gradients has the shape {shape}, and the target is {target.spec}; give a "
            "tensor of that shape"
        )
    return target, Tensor(g) if isinstance(g, np.ndarray) and default_graph.current() is None else g


def filled(like: Any, number: int) -> Any:
    """Return a tensor of one number, of the shape and dtype of another."""
    if isinstance(like, Tensor):
        xp = array_module([like.array])
        return Tensor(xp.broadcast_to(xp.asarray(number, like.spec.dtype), like.array.shape))
    return rnp.full_like(like, number)


def zeros_of(source: Any) -> Any:
    """Return zeros of the shape and dtype of a source."""
    value = source.read() if isinstance(source, Variable) else source
    value = Tensor(value) if not isinstance(value, Tensor | Symbol) else value
    found = Tensor(np.zeros_like(value.array)) if isinstance(value, Tensor) else filled(value, 0)
    return in_kind(source, found)


def in_kind(source: Any, found: Any) -> Any:
    """Return a gradient as a tensor whose operators do what those of the source do."""
    if not isinstance(found, Tensor):
        return found
    return Tensor(found.array, getattr(source, "operate", None))


def conjugate(value: Any) -> Any:
    """Return the conjugate of a complex tensor, another tensor as it is."""
    return rnp.conj(value) if value.dtype.kind == "c" else value


def check_source(record: Record | Stretch, source: Any) -> None:
    """Warn of a source by which there is no gradient."""
    if not is_inexact(source.spec):
        warn(
            f"the gradient by {source.spec} is asked for, and gradients are by floats; it is None. "
            f"{AS_FLOATS}"
        )
    elif not isinstance(source, Variable) and not record.has(source):
        warn(
            f"the gradient by a tensor ({source.spec}) is asked for that was not watched, and is "
            "None. Write tape.watch(x) in the `with` block, before it is used; only trainable "
            "variables are watched by themselves"
        )


AS_FLOATS = "Make it of floats: 1.0 instead of 1, or tf.cast(x, tf.float32), x.astype(float)"
"""What to write for a source that is not of floats."""


def warn(text: str, place: Location | None = None) -> None:
    """Warn that there is no gradient, in a line, or in the user's one."""
    place = place or user_location()
    if place is None:
        warnings.warn(text, GradientWarning, stacklevel=2)
    else:
        warnings.warn_explicit(text, GradientWarning, place.file, place.line)


def sizes_of(value: Any) -> tuple[int, ...]:
    """Return the shape of a tensor; DerivativeError when it is not known."""
    if not value.spec.is_static:
        raise DerivativeError(
            f"a jacobian is made row by row, and how many there are is not known ({value.spec}); "
            "give the argument a signature with its sizes"
        )
    return tuple(value.spec.shape)


def stacked_rows(parts: Sequence[Any], sizes: tuple[int, ...]) -> Any:
    """Return rows in the shape of the target; None if there is no gradient."""
    if parts[0] is None:
        return None
    stacked = rnp.stack(list(parts))
    return rnp.reshape(stacked, (*sizes, *sizes_of(stacked)[1:]))


def asks_for_zeros(unconnected: Any) -> bool:
    """Tell whether zeros are asked for; ValueError if neither they nor None are."""
    value = getattr(unconnected, "value", unconnected)
    if value not in (NONE, ZERO):
        raise ValueError(f"unconnected_gradients is 'none' or 'zero', not {unconnected!r}")
    return bool(value == ZERO)
