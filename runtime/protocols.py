"""NumPy's protocols: what `np.tanh(x)` and `np.sum(x)` do when `x` is a tensor or a symbol.

Comes in: NumPy's own functions and ufuncs with arguments among which is a tensor or a symbol. Goes
out: what our function of that name makes of them. What has no op is computed when all is known, and
refused, with near names, when anything is staged; nothing staged is ever made an array in silence.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

import numpy as np

import runtime.numpy as rnp
from runtime.dispatch import apply
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.methods import operate_of
from runtime.numpy.face import FUNCTIONS, call_concretely, call_ufunc, into
from runtime.numpy.shaping import operand
from runtime.ops import functions
from runtime.subscripts import add_at, describe, set_item
from runtime.tensor import Symbol, Tensor, TensorLike

UFUNCS: dict[np.ufunc, OpDef] = {
    function: op
    for op in REGISTRY.values()
    for function in op.functions
    if isinstance(function, np.ufunc)
}
"""The op that stands for a ufunc."""

REDUCTIONS: dict[np.ufunc, str] = {
    np.add: "sum", np.multiply: "prod", np.maximum: "max", np.minimum: "min",
    np.logical_and: "all", np.logical_or: "any",
}  # fmt: skip
ACCUMULATIONS: dict[np.ufunc, str] = {np.add: "cumsum", np.multiply: "cumprod"}
"""The public functions that `ufunc.reduce` and `ufunc.accumulate` are."""


def array_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """Do what a method of a ufunc does, for operands among which is a tensor or a symbol."""
    handler = METHODS.get(method)
    if handler is None:
        raise TypeError(f"np.{ufunc.__name__}.{method} of tensors has no op; write it with slices")
    operate = operate_of(self)
    if operate is not None and handler is _call and ufunc.nin == 2 and ufunc in UFUNCS:
        return operate(UFUNCS[ufunc], *inputs)
    return handler(ufunc, inputs, {k: v for k, v in options.items() if not _is_plain(k, v)})


PLAIN = {"where": True, "casting": "same_kind", "order": "K", "subok": True, "initial": None}
"""Values of the arguments of ufuncs that ask for nothing."""


def _is_plain(name: str, value: Any) -> bool:
    if name == "initial":
        return value is np._NoValue
    return name in PLAIN and isinstance(value, bool | str) and value == PLAIN[name]


def _refuse(ufunc: np.ufunc, options: dict[str, Any]) -> None:
    for name in options:
        hint = "; use np.where(condition, ...) around the result" if name == "where" else ""
        raise TypeError(f"np.{ufunc.__name__} of a tensor does not support {name}={hint}")


def _call(ufunc: np.ufunc, inputs: Any, options: dict[str, Any]) -> Any:
    out, dtype = options.pop("out", None), options.pop("dtype", None)
    _refuse(ufunc, options)
    if dtype is not None:
        inputs = [_in_loop(ufunc, x, np.dtype(dtype)) for x in inputs]
    op = UFUNCS.get(ufunc)
    if op is not None:
        return call_ufunc(op, inputs, out)
    name = _name_of(ufunc)
    if ufunc.nout == 1:
        return call_ufunc(functions.any_ufunc, inputs, out, name=name)
    found = call_ufunc(functions.many_ufunc, inputs, None, name=name)
    outs = out if out is not None else (None,) * ufunc.nout
    return tuple(into(o, x, f"ufunc '{name}'") for o, x in zip(outs, found, strict=True))


def _in_loop(ufunc: np.ufunc, x: Any, dtype: np.dtype[Any]) -> Any:
    """Return an operand in the dtype that was asked for, of a ufunc that computes in one dtype."""
    loop = f"{dtype.char * ufunc.nin}->{dtype.char * ufunc.nout}"
    if loop not in ufunc.types:
        raise TypeError(f"np.{ufunc.__name__} of a tensor does not support dtype={dtype}")
    return operand(x).astype(dtype, casting="same_kind") if hasattr(x, "astype") else dtype.type(x)


def _name_of(ufunc: np.ufunc) -> str:
    name = functions.full_name(ufunc)
    if name is None:
        raise TypeError(
            f"the ufunc {ufunc.__name__!r} of tensors has no op; those of "
            f"{' and '.join(functions.FOLDERS)} have one"
        )
    return name


def _reduce(ufunc: np.ufunc, inputs: Any, options: dict[str, Any]) -> Any:
    (x,) = inputs
    out = options.pop("out", None)
    axis = options.pop("axis", 0)
    keepdims = bool(options.pop("keepdims", False))
    if options.get("dtype", 0) is None:
        del options["dtype"]
    if ufunc in REDUCTIONS:
        given = {"dtype": options.pop("dtype")} if "dtype" in options else {}
        _refuse(ufunc, options)
        found = getattr(rnp, REDUCTIONS[ufunc])(x, axis=axis, keepdims=keepdims, **given)
        return into(out, found, f"ufunc '{ufunc.__name__}'")
    _refuse(ufunc, options)
    attrs = {"name": _name_of(ufunc), "axis": axis, "keepdims": keepdims}
    return into(out, apply(functions_reduce, (x,), **attrs), f"ufunc '{ufunc.__name__}'")


functions_reduce = REGISTRY["ufunc_reduce"]


def _accumulate(ufunc: np.ufunc, inputs: Any, options: dict[str, Any]) -> Any:
    (x,) = inputs
    out, axis = options.pop("out", None), options.pop("axis", 0)
    if options.get("dtype", 0) is None:
        del options["dtype"]
    if ufunc in ACCUMULATIONS:
        found = getattr(rnp, ACCUMULATIONS[ufunc])(x, axis=axis, dtype=options.pop("dtype", None))
    else:
        found = apply(functions.accumulate, (x,), name=_name_of(ufunc), axis=axis)
    _refuse(ufunc, options)
    return into(out, found, f"ufunc '{ufunc.__name__}'")


def _outer(ufunc: np.ufunc, inputs: Any, options: dict[str, Any]) -> Any:
    x, y = map(operand, inputs)
    rank = describe(y).rank
    if rank is None:
        raise TypeError(f"np.{ufunc.__name__}.outer needs a known number of axes")
    wide = x[(..., *(None,) * rank)] if rank else x
    return _call(ufunc, (wide, y), options)


def _at(ufunc: np.ufunc, inputs: Any, options: dict[str, Any]) -> Any:
    x, index, *value = inputs
    _refuse(ufunc, options)
    if not value:
        set_item(x, index, _call(ufunc, (x[index],), {}))
    elif isinstance(x, Symbol):
        add_at(x, index, value[0], _name_of(ufunc))
    else:
        call_concretely(ufunc.at, inputs, {}, "a staged value")


METHODS: dict[str, Callable[[np.ufunc, Any, dict[str, Any]], Any]] = {
    "__call__": _call,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
    "at": _at,
}
"""What does the methods of ufuncs."""

WRITERS = frozenset({np.put, np.place, np.putmask, np.copyto, np.fill_diagonal, np.put_along_axis})
"""NumPy functions that write their first argument."""


def array_function(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Do what a NumPy function does, for arguments among which is a tensor or a symbol."""
    ours = FUNCTIONS.get(function)
    if ours is not None:
        return ours(*args, **kwargs)
    if function in WRITERS and not isinstance(args[0], Tensor):
        raise TypeError(f"np.{function.__name__} cannot write a staged array; write x[...] = value")
    return call_concretely(function, args, kwargs, "a staged argument", _near(function.__name__))


def _near(name: str) -> str:
    """Return a hint with the names of functions that have an op and nearly this name."""
    near = get_close_matches(name, rnp.FUNCTION_NAMES, n=3, cutoff=0.5)
    return f": it has no op. Near it are {', '.join(near)}" if near else ": it has no op"


setattr(TensorLike, "__array_ufunc__", array_ufunc)  # noqa: B010  (methods, for a type checker)
setattr(TensorLike, "__array_function__", array_function)  # noqa: B010
