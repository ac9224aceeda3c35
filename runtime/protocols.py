"""NumPy's protocols: what `np.tanh(x)` and `np.sum(x)` do when `x` is a tensor or a symbol.

Comes in: NumPy's own functions and ufuncs with arguments among which is a tensor or a symbol. Goes
out: what our function of that name makes of them. What has no op is computed when all is known, and
is a call of NumPy in the graph when anything is staged; nothing staged is made an array in silence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import runtime.numpy as rnp
from runtime.dispatch import apply
from runtime.errors import DtypeError, StagedValueError
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.numpy.face import FUNCTIONS, call_concretely, call_ufunc, into, is_like
from runtime.numpy.op_or_call import or_call
from runtime.numpy.shaping import operand
from runtime.operator_methods import operate_of
from runtime.ops.applied import FOLDERS, applied, full_name
from runtime.ops.elementwise import strong
from runtime.subscripts import add_at, describe
from runtime.tensor import Symbol, TensorLike

UFUNCS: dict[np.ufunc, OpDef] = {
    function: op
    for op in REGISTRY.values()
    for function in op.functions
    if isinstance(function, np.ufunc)
}
"""The op that stands for a ufunc."""

REDUCTIONS: dict[np.ufunc, str] = {
    op.reduction.ufunc: op.name
    for op in REGISTRY.values()
    if op.reduction is not None and op.reduction.ufunc is not None
}
ACCUMULATIONS: dict[np.ufunc, str] = {
    op.accumulation: op.name for op in REGISTRY.values() if op.accumulation is not None
}
"""The public functions that `ufunc.reduce` and `ufunc.accumulate` are."""


def array_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """Do what a method of a ufunc does, for operands among which is a tensor or a symbol."""
    operate = operate_of(self)
    if operate is not None and method == "__call__" and ufunc.nin == 2 and ufunc in UFUNCS:
        return operate(UFUNCS[ufunc], *inputs)
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    return or_call(function, partial(_apply, ufunc, method), inputs, options)


def _apply(ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    handler = METHODS.get(method)
    if handler is None:
        raise StagedValueError(
            f"np.{ufunc.__name__}.{method} of tensors has no op; write it with slices"
        )
    if method in POSITIONAL:
        options = {**dict(zip(POSITIONAL[method], inputs[1:], strict=False)), **options}
        inputs = inputs[:1]
    return handler(ufunc, inputs, {k: v for k, v in options.items() if not _is_plain(k, v)})


POSITIONAL = {
    "reduce": ("axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("axis", "dtype", "out"),
}
"""Arguments of methods that need not be named."""
PLAIN = {"where": True, "casting": "same_kind", "order": "K", "subok": True, "initial": None}
"""Values of the arguments of ufuncs that ask for nothing."""


def _is_plain(name: str, value: Any) -> bool:
    if name == "initial":
        return value is np._NoValue
    return name in PLAIN and isinstance(value, bool | str) and value == PLAIN[name]


def _refuse(ufunc: np.ufunc, options: dict[str, Any]) -> None:
    for name in options:
        hint = "; use np.where(condition, ...) around the result" if name == "where" else ""
        raise StagedValueError(f"np.{ufunc.__name__} of a tensor does not support {name}={hint}")


def _call(ufunc: np.ufunc, inputs: Any, options: dict[str, Any]) -> Any:
    out, dtype = options.pop("out", None), options.pop("dtype", None)
    _refuse(ufunc, options)
    if dtype is not None:
        inputs = [_in_loop(ufunc, x, np.dtype(dtype)) for x in inputs]
    op = UFUNCS.get(ufunc)
    if op is not None:
        return call_ufunc(op, inputs, out)
    op = _applied(ufunc)
    if ufunc.nout == 1:
        return call_ufunc(op, inputs, out)
    found = call_ufunc(op, inputs, None)
    outs = out if out is not None else (None,) * ufunc.nout
    return tuple(into(o, x, f"ufunc '{ufunc.__name__}'") for o, x in zip(outs, found, strict=True))


def _in_loop(ufunc: np.ufunc, x: Any, dtype: np.dtype[Any]) -> Any:
    """Return an operand in the dtype that was asked for, of a ufunc that computes in one dtype."""
    loop = f"{dtype.char * ufunc.nin}->{dtype.char * ufunc.nout}"
    if loop not in ufunc.types:
        raise StagedValueError(f"np.{ufunc.__name__} of a tensor does not support dtype={dtype}")
    return operand(x).astype(dtype, casting="same_kind") if hasattr(x, "astype") else dtype.type(x)


def _applied(ufunc: np.ufunc, method: str = "") -> OpDef:
    if full_name(ufunc) is None:
        raise DtypeError(
            f"the ufunc {ufunc.__name__!r} of tensors has no op; those of "
            f"{' and '.join(FOLDERS)} have one"
        )
    return applied(ufunc, method)


def _reduce(ufunc: np.ufunc, inputs: Any, options: dict[str, Any]) -> Any:
    (x,) = inputs
    out = _of_dtype(x, options)
    axis = options.pop("axis", 0)
    keepdims = bool(options.pop("keepdims", False))
    if options.get("dtype", 0) is None:
        del options["dtype"]
    if ufunc in REDUCTIONS:
        given = {"dtype": options.pop("dtype")} if "dtype" in options else {}
        _refuse(ufunc, options)
        found = getattr(rnp, REDUCTIONS[ufunc])(x, axis=axis, keepdims=keepdims, **given)
        return _into(out, found, ufunc)
    _refuse(ufunc, options)
    found = apply(_applied(ufunc, "reduce"), (x,), axis=axis, keepdims=keepdims)
    return _into(out, found, ufunc)


def _accumulate(ufunc: np.ufunc, inputs: Any, options: dict[str, Any]) -> Any:
    (x,) = inputs
    if describe(x).shape == ():
        raise TypeError("cannot accumulate on a scalar")
    out, axis = _of_dtype(x, options), options.pop("axis", 0)
    if options.get("dtype", 0) is None:
        del options["dtype"]
    if ufunc in ACCUMULATIONS:
        found = getattr(rnp, ACCUMULATIONS[ufunc])(x, axis=axis, dtype=options.pop("dtype", None))
    else:
        found = apply(_applied(ufunc, "accumulate"), (x,), axis=axis)
    _refuse(ufunc, options)
    return _into(out, found, ufunc)


def _of_dtype(x: Any, options: dict[str, Any]) -> Any:
    """Take `out` from the options; TypeError for one whose dtype NumPy would compute in."""
    out = options.pop("out", None)
    (given,) = out if isinstance(out, tuple) else (out,)
    if given is not None and describe(given).dtype != describe(x).dtype:
        raise StagedValueError("the dtype of out= is that of the result, and has no op")
    return out


def _into(out: Any, found: Any, ufunc: np.ufunc) -> Any:
    """Write a result into `out`, which has its shape: it is not repeated there."""
    if out is not None and not is_like(out, found):
        raise StagedValueError("out= of another dtype or shape than the result has no op")
    return into(out, found, f"ufunc '{ufunc.__name__}'")


def _outer(ufunc: np.ufunc, inputs: Any, options: dict[str, Any]) -> Any:
    x, y = map(_strong_operand, inputs)
    if isinstance(x, str):
        raise StagedValueError(f"np.{ufunc.__name__}.outer of a text has no op")
    rank = describe(y).rank
    if rank is None:
        raise StagedValueError(f"np.{ufunc.__name__}.outer needs a known number of axes")
    wide = x[(..., *(None,) * rank)] if rank else x
    return _call(ufunc, (wide, y), options)


def _strong_operand(x: Any) -> Any:
    """Return an operand that decides the dtype of a result, as arrays and NumPy's numbers do."""
    found = operand(x)
    if isinstance(found, TensorLike):
        return apply(strong, (found,)) if describe(found).weak else found
    return np.asarray(found)[()] if isinstance(found, bool | int | float | complex) else found


def _at(ufunc: np.ufunc, inputs: Any, options: dict[str, Any]) -> Any:
    x, index, *value = inputs
    _refuse(ufunc, options)
    if not value:
        raise StagedValueError(f"np.{ufunc.__name__}.at has no op")
    if isinstance(x, Symbol):
        _applied(ufunc, "at")
        add_at(x, index, value[0], ufunc)
    else:
        call_concretely(ufunc.at, inputs, {})


METHODS: dict[str, Callable[[np.ufunc, Any, dict[str, Any]], Any]] = {
    "__call__": _call,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
    "at": _at,
}
"""What does the methods of ufuncs."""


def array_function(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Do what a NumPy function does, for arguments among which is a tensor or a symbol."""
    ours = FUNCTIONS.get(function)
    if ours is not None:
        return or_call(function, ours, args, kwargs)
    return call_concretely(function, args, kwargs)


setattr(TensorLike, "__array_ufunc__", array_ufunc)  # noqa: B010  (methods, for a type checker)
setattr(TensorLike, "__array_function__", array_function)  # noqa: B010
