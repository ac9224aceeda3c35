"""Ops that are ufuncs as they stand, and ufuncs applied over axes or at places.

    divmod, scipy_special_erf              a ufunc that has no definition of its own
    gcd_reduce, scipy_special_xlogy_reduce its `reduce` over axes
    maximum_accumulate                     its `accumulate` along an axis
    add_at                                 its `at`: once for each index

Each is an op of its own, so that it can have a derivative and a batching rule. It is
defined when it is first asked for: by the ufunc (`applied`), or by its name, in a graph that is
read (`made_of`).
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from runtime.dtypes import resolve_ufunc
from runtime.errors import BackendError, DtypeError
from runtime.forks import Lock
from runtime.graph.opdef import MAKERS, REGISTRY, OpDef, Samples, op
from runtime.graph.traits import (
    ONE_BY_ONE,
    UNWRITTEN,
    Derivative,
    Reduction,
    Subscript,
    raises_of_sizes,
)
from runtime.ops.batch_indexing import at_places
from runtime.ops.batch_rules import along, elementwise
from runtime.ops.derivatives.constructors import multilinear, of_one
from runtime.ops.derivatives.indexing_rules import added_at
from runtime.ops.derivatives.ordering import accumulation, reduction
from runtime.ops.derivatives.python_rules import FIRST_OF_FREXP, FIRST_OF_MODF, SECOND_OF_DIVMOD
from runtime.ops.derivatives.reduction_rules import LOGARITHM_OF_SUM, logarithm_of_powers
from runtime.ops.derivatives.scipy import derivative_of
from runtime.ops.families import ARRAYS
from runtime.ops.indexing import update_spec
from runtime.ops.keys import fill, keyed
from runtime.ops.samples import binary, calls, each, unary
from runtime.ops.spec_rules import Axis, broadcast, core_shape, not_empty, reduced_shape, trial
from runtime.spec import Shape, TensorSpec, make_spec


def _length(t: Any, y: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(x * t, axis=axis, keepdims=keepdims) / np.where(y == 0, 1, y)


_OF_PRODUCTS = {
    "vecdot": multilinear(lambda x, y: np.sum(np.conj(x) * y, axis=-1)),
    "matvec": multilinear(lambda x, y: np.sum(x * np.expand_dims(y, -2), axis=-1)),
    "vecmat": multilinear(lambda x, y: np.sum(np.expand_dims(np.conj(x), -1) * y, axis=-2)),
}
OF_UFUNCS: dict[np.ufunc, Derivative] = {
    np.divmod: SECOND_OF_DIVMOD,
    np.frexp: FIRST_OF_FREXP,
    np.modf: FIRST_OF_MODF,
    **{getattr(np, k): rule for k, rule in _OF_PRODUCTS.items() if hasattr(np, k)},
}
"""The derivatives of ufuncs; this NumPy may not have all of them."""
OF_REDUCTIONS: dict[np.ufunc, Derivative] = {
    np.logaddexp: LOGARITHM_OF_SUM,
    np.logaddexp2: logarithm_of_powers(np.exp2),
    np.hypot: of_one(_length),
}
"""The derivatives of their `reduce`."""


FOLDERS = {"numpy": "", "scipy.special": "scipy_special_"}
"""The modules whose ufuncs are found by their names, and how the names of their ops begin."""
METHODS = ("reduce", "accumulate", "at")


def full_name(ufunc: np.ufunc) -> str | None:
    """Return the name of the op that a ufunc is, or None when it stands in no known module."""
    for folder, prefix in FOLDERS.items():
        module = sys.modules.get(folder)
        if module is not None and _ufunc_in(module, ufunc.__name__) is ufunc:
            return f"{prefix}{ufunc.__name__}"
    return None


def _ufunc_in(module: ModuleType, name: str) -> Any:
    """Return the ufunc of a name; SciPy may have it inside of a function of several cases."""
    found = getattr(module, name, None) or getattr(getattr(module, "_ufuncs", None), name, None)
    return getattr(found, "__wrapped__", found)


def applied(ufunc: np.ufunc, method: str = "") -> OpDef:
    """Return the op that a ufunc is, or a method of it; DtypeError when it is not a known one.

    >>> applied(np.maximum, "accumulate")
    <op maximum_accumulate>
    """
    name = full_name(ufunc)
    if name is None:
        raise DtypeError(f"{ufunc.__name__} is not a ufunc of {' or '.join(FOLDERS)}")
    name = f"{name}_{method}" if method else name
    with _DEFINING:
        return REGISTRY.get(name) or _DEFINE[method](ufunc, name)


def made_of(name: str) -> OpDef | None:
    """Return the op of a name that `applied` gives; None when there is none."""
    base, _, method = name.rpartition("_")
    own, method = (base, method) if method in METHODS else (name, "")
    folder = next(folder for folder in reversed(FOLDERS) if own.startswith(FOLDERS[folder]))
    try:
        module = importlib.import_module(folder)
    except ImportError:
        return None
    ufunc = _ufunc_in(module, own.removeprefix(FOLDERS[folder]))
    return applied(ufunc, method) if isinstance(ufunc, np.ufunc) else None


MAKERS.append(made_of)
_DEFINING = Lock()


def method_in_module(xp: Any, ufunc: np.ufunc, method: str) -> Any:
    """Return a method of a ufunc in the array module; BackendError where that has none."""
    found = getattr(in_module(xp, ufunc), method, None)
    if found is None:
        raise BackendError(
            f"{xp.__name__} has no {ufunc.__name__}.{method}. Write it with other functions of "
            "arrays, or call it by ag.numpy_function, which copies arrays to the CPU and back"
        )
    return found


def in_module(xp: Any, ufunc: np.ufunc) -> Any:
    """Return a ufunc in the array module, which has those of SciPy in `special`."""
    if xp is np:
        return ufunc
    if getattr(np, ufunc.__name__, None) is ufunc:
        return getattr(xp, ufunc.__name__)
    return getattr(xp.special, ufunc.__name__)


def _inputs(ufunc: np.ufunc) -> str:
    return ", ".join(f"x{k}" for k in range(ufunc.nin))


def _samples(ufunc: np.ufunc) -> Samples:
    if ufunc.signature:
        return calls("f", lambda some: [(tuple(some(3, 3) for _ in range(ufunc.nin)), {})])
    drawn = {1: unary, 2: binary}.get(ufunc.nin)
    return calls("f", lambda some: []) if drawn is None else drawn("f")


def _call(ufunc: np.ufunc, name: str) -> OpDef:
    """Define the op of a ufunc, which may be generalised, or have several results."""

    def specs(*x: TensorSpec) -> tuple[TensorSpec, ...]:
        shape = core_shape(ufunc.signature, x) if ufunc.signature else broadcast(*x)
        found = resolve_ufunc(ufunc, *(spec.promotable for spec in x))
        return tuple(make_spec(dtype, shape) for dtype in found)

    is_single = ufunc.nout == 1
    return op(
        f"{name}({_inputs(ufunc)})",
        doc=f"The ufunc `{ufunc.__name__}`, element by element.",
        spec=(lambda *x: specs(*x)[0]) if is_single else specs,
        kernel=lambda xp, *x: in_module(xp, ufunc)(*x),
        samples=_samples(ufunc),
        functions=(ufunc,),
        multiple=not is_single,
        family=ARRAYS,
        batching=ONE_BY_ONE if ufunc.signature else elementwise,
        derivative=OF_UFUNCS.get(ufunc) or derivative_of(name),
    )


def _reduce(ufunc: np.ufunc, name: str) -> OpDef:
    """Define the op of `ufunc.reduce`."""

    def trial_of(x: Any, *, axis: Axis, keepdims: bool) -> Any:
        return ufunc.reduce(x, axis=axis, keepdims=keepdims)

    def shape(x: TensorSpec, *, axis: Axis, keepdims: bool) -> Shape | None:
        if ufunc.identity is None:
            found: Shape | None = not_empty(name)(x, axis=axis, keepdims=keepdims)
            return found
        return reduced_shape(x.shape, axis, keepdims)

    return op(
        f"{name}(x, /, axis=0, keepdims=False)",
        doc=f"The result of applying `{ufunc.__name__}` to the elements over axes.",
        spec=trial(trial_of, shape),
        kernel=lambda xp, x, **attrs: method_in_module(xp, ufunc, "reduce")(x, **attrs),
        samples=each("f", {}, {"axis": 1, "keepdims": True}),
        family=ARRAYS,
        batching=along("axis"),
        reduction=Reduction("ufunc", ufunc),
        derivative=UNWRITTEN
        if ufunc in _OVERTAKEN
        else OF_REDUCTIONS.get(ufunc) or _by_steps(ufunc, reduction),
        raises=raises_of_sizes,
        applies=_step(ufunc),
    )


def _accumulate(ufunc: np.ufunc, name: str) -> OpDef:
    """Define the op of `ufunc.accumulate`."""
    return op(
        f"{name}(x, /, axis=0)",
        doc=f"The results of applying `{ufunc.__name__}` to ever more elements along an axis.",
        spec=trial(lambda x, *, axis: ufunc.accumulate(x, axis=axis), lambda x, **attrs: x.shape),
        kernel=lambda xp, x, axis: method_in_module(xp, ufunc, "accumulate")(x, axis=axis),
        samples=each("f", {}, {"axis": -1}),
        family=ARRAYS,
        batching=along("axis"),
        derivative=_by_steps(ufunc, accumulation),
        accumulation=ufunc,
        applies=_step(ufunc),
    )


_OVERTAKEN = {np.power, np.arctan2}
"""What NumPy 2 reduces in vectors that do not wait for the result before, to other numbers."""


def _step(ufunc: np.ufunc) -> OpDef:
    """Return the op that a ufunc is."""
    name = full_name(ufunc)
    assert name is not None
    return REGISTRY.get(name) or _call(ufunc, name)


def _by_steps(ufunc: np.ufunc, rule: Callable[[Derivative, str, Any], Any]) -> Any:
    """Return the derivative of a method of a ufunc, made by a rule of that of the ufunc itself."""
    step = _step(ufunc)
    if not isinstance(step.derivative, Derivative):
        return step.derivative
    return rule(step.derivative, f"{full_name(ufunc)}_accumulate", ufunc.identity)


_AT: dict[np.ufunc, Derivative] = {np.add: added_at(1), np.subtract: added_at(-1)}
"""The derivatives of what is written by `ufunc.at`."""


def _at(ufunc: np.ufunc, name: str) -> OpDef:
    """Define the op of `ufunc.at` for a ufunc of two operands."""

    def kernel(xp: Any, x: Any, value: Any, *parts: Any, key: str) -> Any:
        found = xp.array(x)
        at = ufunc.at if xp is np else partial(xp.at, ufunc.__name__)
        at(found, fill(key, parts, False), value)
        return found

    return op(
        f"{name}(x, value, *parts, key)",
        doc=f"A copy of an array with `{ufunc.__name__}` applied where indices select, for each.",
        spec=update_spec,
        kernel=kernel,
        samples=calls("f", lambda some: [((some(5), 1, np.array([0, 2, 2])), {"key": "?"})]),
        family=ARRAYS,
        derivative=_AT.get(ufunc) or _by_steps(ufunc, lambda *rule: UNWRITTEN),
        batching=at_places,
        raises=keyed,
        subscript=Subscript.SCATTER,
        applies=_step(ufunc),
    )


_DEFINE: dict[str, Callable[[np.ufunc, str], OpDef]] = {
    "": _call,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "at": _at,
}
