"""What the calls of one function take and give, as far as it is known while it is traced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograph.staging.join import describe
from runtime.ops.recursion import open_dims
from runtime.spec import UNKNOWN, Dim, TensorSpec, accepts
from runtime.tensor import Symbol
from runtime.union import Reference, is_numeric, leaf_spec


@dataclass(frozen=True, slots=True)
class Outputs:
    """What a call gives.

    Args:
        structure: of the values of the state, and of what is returned.
        leaves: a spec for what is part of the graph; what all calls give, for all else.
        written: the numbers of the arguments that are written in place.
        boxes: the arrays from outside that are written.
        places: where the leaves may be: numbers of arguments, and places outside.
    """

    structure: Any
    leaves: tuple[Any, ...]
    written: tuple[int, ...]
    boxes: tuple[Symbol, ...]
    places: tuple[frozenset[Any], ...]

    def are_like(self, leaves: Sequence[Any], structure: Any) -> bool:
        """Tell whether other results have this structure, and numbers of the same classes."""
        if structure != self.structure:
            return False
        pairs = zip(self.leaves, leaves, strict=True)
        specs = ((x, leaf_spec(y)) for x, y in pairs if isinstance(x, TensorSpec))
        return all((x.dtype, x.weak) == (y.dtype, y.weak) for x, y in specs)


def holds(spec: TensorSpec, other: TensorSpec) -> bool:
    """Tell whether a parameter holds a value; sizes with names are the same in all calls."""
    if not accepts(spec, other):
        return False
    sizes = zip(spec.shape or (), other.shape or (), strict=False)
    return all(a in (b, UNKNOWN) or not isinstance(a, Dim) for a, b in sizes)


def expected_param(
    leaf: Any, spec: TensorSpec | None, begun: TensorSpec | None, found: TensorSpec | None
) -> TensorSpec | None:
    """Return the parameter of a leaf, given the one of an earlier call, and what it became."""
    if (spec is None) != (begun is None) or found is None or not is_numeric(leaf):
        return spec
    now = leaf_spec(leaf)
    is_like = (found.dtype, found.weak) == (now.dtype, now.weak)
    return found if is_like and holds(found, now) else spec


def result_of(leaf: Any) -> Any:
    """Return the spec of a leaf, or what is no part of a graph."""
    return open_dims(leaf_spec(leaf)) if is_numeric(leaf) else leaf


def told(value: Any) -> str:
    """Say what a value is, for a message; of objects their class."""
    value = value.target if type(value) is Reference else value
    is_short = value is None or is_numeric(value) or isinstance(value, str)
    return describe(value) if is_short else f"one {type(value).__name__}"


def is_handed_on(value: Any) -> bool:
    """Tell whether an argument is an object that all calls are given."""
    params = getattr(type(value), "__dataclass_params__", None)
    return isinstance(value, list | dict | set) or (params is not None and not params.frozen)
