"""Public functions made of ops: NumPy's names and signatures over `dispatch.apply`.

Comes in: an op and the NumPy function that it stands for. Goes out: a function with that one's
signature and the op's documentation. `FUNCTIONS` says what stands for which NumPy function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from runtime import mode
from runtime.dispatch import apply, as_known, lift
from runtime.dtypes import as_dtype, dtype_name
from runtime.graph.opdef import OpDef
from runtime.ops.elementwise import strong
from runtime.subscripts import concrete, describe, update_in_place
from runtime.tensor import Symbol, Tensor, TensorLike, is_staged, value_error

F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""What stands for a NumPy function: a function of the same signature."""


def stands_for(*functions: Any) -> Callable[[F], F]:
    """Enter the decorated function into `FUNCTIONS`."""

    def enter(function: F) -> F:
        for one in functions:
            FUNCTIONS[one] = function
        return function

    return enter


def named(*names: str) -> list[Any]:
    """Return the NumPy functions of these names, without those that this NumPy does not have."""
    return [getattr(np, name) for name in names if hasattr(np, name)]


def public(op: OpDef) -> Callable[..., Any]:
    """Return the public function of an op, and enter it for the NumPy functions it stands for."""
    function = _of_ufunc(op) if isinstance(op.functions[0], np.ufunc) else _of_function(op)
    name = op.functions[0].__name__
    function.__name__ = function.__qualname__ = name
    function.__doc__ = op.doc
    function.__module__ = "runtime.numpy"
    return stands_for(*op.functions)(function)


def _of_ufunc(op: OpDef) -> Callable[..., Any]:
    def function(*inputs: Any, out: Any = None) -> Any:
        return call_ufunc(op, inputs, out)

    names = [*op.signature.inputs, "out"]
    kinds = inspect.Parameter
    parameters = [kinds(name, kinds.POSITIONAL_ONLY) for name in names[:-1]]
    parameters.append(kinds("out", kinds.KEYWORD_ONLY, default=None))
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function


def call_ufunc(op: OpDef, inputs: Any, out: Any = None, **attrs: Any) -> Any:
    """Apply the op of a ufunc, whose result NumPy never makes a Python scalar."""
    operands = [lift(x) for x in inputs]
    if all(describe_operand(x) for x in operands):
        operands[0] = apply(strong, (operands[0],))
    return into(out, apply(op, operands, **attrs), f"ufunc '{op.name}'")


def describe_operand(x: Any) -> bool:
    """Tell whether an operand is a Python scalar, staged or not."""
    return (isinstance(x, bool | int | float | complex) and not isinstance(x, np.generic)) or (
        isinstance(x, Symbol) and x.spec.weak
    )


def _of_function(op: OpDef) -> Callable[..., Any]:
    signature = _signature(op)
    names = list(signature.parameters)
    inputs, attrs = names[: len(op.signature.inputs)], set(op.signature.attrs)

    def function(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs).arguments
        given = {k: v for k, v in bound.items() if not _is_default(signature, k, v)}
        operands = [given.pop(name) for name in inputs]
        out = given.pop("out", None)
        unknown = [name for name in given if name not in attrs]
        if unknown:
            return call_concretely(op.functions[0], args, kwargs, f"the argument {unknown[0]!r}")
        found = apply(op, operands, **{k: as_attribute(k, v) for k, v in given.items()})
        return into(out, found, op.name)

    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _signature(op: OpDef) -> inspect.Signature:
    """Return the signature of the NumPy function, or that of the op where NumPy tells none."""
    try:
        return inspect.signature(op.functions[0])
    except ValueError:
        kinds = inspect.Parameter
        names = [*op.signature.inputs, *op.signature.attrs]
        defaults = {**op.signature.attrs, "out": None}
        return inspect.Signature(
            [
                kinds(n, kinds.POSITIONAL_OR_KEYWORD, default=defaults.get(n, kinds.empty))
                for n in [*names, "out"]
            ]
        )


def _is_default(signature: inspect.Signature, name: str, value: Any) -> bool:
    return value is signature.parameters[name].default


def as_attribute(name: str, value: Any) -> Any:
    """Return a static argument as an attribute: a Python number, string, bool, None or tuple.

    StagedValueError when it is staged.
    """
    if is_staged(value):
        raise value_error(value, f"the argument {name!r}")
    if name == "dtype":
        return None if value is None else dtype_name(as_dtype(value))
    if isinstance(value, TensorLike):
        value = concrete(value)
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(as_attribute("", x) for x in value)
    return value


def into(out: Any, result: Any, what: str = "function") -> Any:
    """Return a result, or write it into `out` and return that."""
    if isinstance(out, tuple):
        (out,) = out
    if out is None:
        return result
    if isinstance(out, Symbol):
        return update_in_place(out, result, what)
    if is_staged(result):
        raise TypeError(
            f"out= of {what} is an array from outside of the graph ({describe(out)}), and the "
            "result is staged; make the array inside of the function, or leave out= away"
        )
    array = out.array if isinstance(out, Tensor) else out
    np.copyto(array, concrete(result), casting="same_kind")
    return out


Dims = tuple[tuple[int | None, ...], list[Any]]


def as_dims(shape: Any) -> Dims:
    """Return a shape as known numbers with None for staged sizes, and the staged sizes."""
    sizes = shape if isinstance(shape, list | tuple) else _sizes(shape)
    staged = [n for n in sizes if is_staged(n)]
    return tuple(None if is_staged(n) else n.__index__() for n in sizes), staged


def _sizes(shape: Any) -> Sequence[Any]:
    """Return the sizes that a shape which is no tuple holds: one number, or a vector of them."""
    if is_staged(shape):
        if shape.spec.shape != ():
            raise value_error(shape, "a shape (an array of sizes)")
        return (shape,)
    array = np.asarray(concrete(shape))
    return array.tolist() if array.ndim else (shape,)


def any_staged(*values: Any) -> bool:
    """Tell whether anything in nested lists, tuples and dicts is staged."""
    for value in values:
        if isinstance(value, list | tuple):
            if any_staged(*value):
                return True
        elif isinstance(value, Mapping):
            if any_staged(*value.values()):
                return True
        elif is_staged(value):
            return True
    return False


def call_concretely(
    function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any], what: str, hint: str = ""
) -> Any:
    """Call a NumPy function on known arrays; TypeError when anything is staged."""
    name = f"np.{function.__name__}"
    if any_staged(args, kwargs):
        raise TypeError(f"{what} of {name} cannot be staged{hint}")
    found = function(*map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()})
    return _wrapped(found, isinstance(next(iter(args), None), Tensor))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        items = [_plain(x) for x in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return concrete(value)


def _wrapped(found: Any, as_tensor: bool) -> Any:
    """Return the results of NumPy as known symbols or tensors."""
    if isinstance(found, list | tuple) and not hasattr(found, "_fields"):
        return type(found)(_wrapped(x, as_tensor) for x in found)
    if not isinstance(found, np.ndarray | np.generic):
        return found
    builder = mode.current()
    if builder is not None:
        return as_known(builder, found)
    return Tensor(found) if as_tensor else found
