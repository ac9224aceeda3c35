"""Calls of NumPy with arrays of another library: its functions of the same names are called.

Comes in: the text of a call, in the grammar of `runtime.ops.numpy_calls`, and arrays. Goes out:
what the library gives, if it has the function; an error that names it, if it has not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np

from runtime.backends import is_foreign
from runtime.errors import BackendError, DtypeError
from runtime.ops.public_names import resolve
from runtime.spec import TensorSpec, accepts, spec_of

COPIED = frozenset("cwk")
"""How operands are given that the function may write or keep, as `numpy_call` says it."""


def has_arrays(values: Sequence[Any]) -> bool:
    """Tell whether arrays of another library than NumPy are among values."""
    return any(map(is_foreign, values))


@lru_cache(maxsize=1024)
def function_of(xp: Any, path: str) -> Any:
    """Return what an array module has for a function of NumPy's, SciPy's or Python's.

    Args:
        xp: the array module.
        path: such as `numpy.linalg.eig`.

    Raises:
        BackendError: it has none.
    """
    own = resolve(path)  # nothing else is called by its name
    if path.startswith("operator."):
        return own
    names = path.removeprefix("numpy.").removeprefix("scipy.").split(".")
    if names[0] == "random":
        raise only_on_host(xp, path)
    try:
        return attrgetter(".".join(names))(xp)
    except (AttributeError, BackendError):
        raise only_on_host(xp, path) from None


def only_on_host(xp: Any, what: str) -> BackendError:
    """Return the error of what is computed of NumPy's arrays only."""
    return BackendError(
        f"{what} is a call of NumPy, and {xp.__name__} has none that gives the same. Call it "
        "outside of the staged function, with NumPy's arrays, or in it by ag.numpy_function, "
        "which copies arrays to the CPU and back"
    )


def given_to(values: Sequence[Any], given: str) -> list[Any]:
    """Return what the function is given: copies of what it may write."""
    pairs = zip(values, given, strict=True)
    return [x.copy() if how in COPIED and is_foreign(x) else x for x, how in pairs]


def taken_from(found: Any, specs: Sequence[TensorSpec], call: str) -> list[Any]:
    """Return the arrays of a result; DtypeError when they are others than NumPy's would be."""
    leaves = list(_leaves(found))
    fits = len(leaves) == len(specs)
    if not fits or not all(
        accepts(_strong(x), spec_of(y)) for x, y in zip(specs, leaves, strict=True)
    ):
        raise DtypeError(f"{call} gave {leaves}, and NumPy gives {', '.join(map(str, specs))}")
    pairs = zip(specs, leaves, strict=True)
    return [x.item() if spec.weak and is_foreign(x) else _own(x) for spec, x in pairs]


def _leaves(found: Any) -> Iterator[Any]:
    if isinstance(found, tuple | list):
        for x in found:
            yield from _leaves(x)
    elif is_foreign(found) or isinstance(found, np.generic | bool | int | float | complex):
        yield found


def _strong(spec: TensorSpec) -> TensorSpec:
    return TensorSpec(spec.shape, spec.dtype) if spec.weak else spec


def _own(x: Any) -> Any:
    """Return an array that shares no memory with what the function was given."""
    return x.copy() if getattr(x, "base", None) is not None else x
