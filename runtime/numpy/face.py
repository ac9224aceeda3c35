"""Public functions made of ops: NumPy's names and signatures over `dispatch.apply`.

Comes in: an op and the NumPy function that it stands for. Goes out: a function with that one's
signature and the op's documentation. `FUNCTIONS` says what stands for which NumPy function.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from runtime import default_graph
from runtime.active_tapes import RECORDERS
from runtime.dispatch import SEQUENCES, apply, as_known, lift
from runtime.dtypes import asked_dtype, dtype_name
from runtime.errors import DtypeError, GraphFormatError, MutationError
from runtime.graph.opdef import OpDef
from runtime.number_union import spec_of_option
from runtime.numpy.staged_call import holds_staged, stage_call
from runtime.operator_mode import operate_now
from runtime.ops.creation import cell
from runtime.ops.elementwise import multiply, pow_, strong
from runtime.ops.public_names import resolve
from runtime.ops.spec_rules import total
from runtime.ops.ufuncs import product_in_place, square
from runtime.scalar_conversion import note_leaving
from runtime.spec import TensorSpec
from runtime.subscripts import concrete, describe, update_in_place
from runtime.tensor import Symbol, Tensor, TensorLike, is_staged, value_error
from runtime.union import Choice

F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""What stands for a NumPy function: a function of the same signature."""

OF_ONE_OP: set[Callable[..., Any]] = set()
"""Those of them that apply one op to their operands."""


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
    OF_ONE_OP.add(function)
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
    count = len(op.signature.inputs)
    if out is None and len(inputs) == count + 1:  # as NumPy takes it
        inputs, out = inputs[:count], inputs[count]
        if isinstance(out, list | tuple):
            raise TypeError("return arrays must be of ArrayType")
    if len(inputs) != count:
        names = ", ".join(op.signature.inputs)
        raise TypeError(f"{op.name}() takes {names} by position, and {len(inputs)} were given")
    operands = [lift(x) for x in inputs]
    if all(describe_operand(x) for x in operands):
        several = [x for x in operands if type(x) is Symbol and x.union is not None]
        if len(several) > 1:  # what one is decides whether the other one gives way
            return Choice.each(several[0].union, partial(_call_with, op, operands, out, attrs))
        operands[0] = apply(strong, (operands[0],))
    chosen, given = written_as(op, operands, out)
    return into(out, apply(chosen, of_ufunc(chosen, given), **attrs), f"ufunc '{op.name}'")


def written_as(op: OpDef, operands: Sequence[Any], out: Any) -> tuple[OpDef, Sequence[Any]]:
    """Return the op, and its operands, that an operator is which writes one of its operands."""
    is_square = op is square or (op is pow_ and type(operands[1]) is int and operands[1] == 2)
    factors = [operands[0]] * 2 if is_square else operands
    if not (is_square or op is multiply) or not any(x is out for x in factors):
        return op, operands
    spec = describe(out)
    is_alone = spec.dtype.kind == "c" and spec.shape is not None and total(spec.shape) == 1
    if not is_alone or any(describe(x).dtype != spec.dtype for x in factors):
        return op, operands
    return product_in_place, factors if factors[0] is out else factors[::-1]


def of_ufunc(op: OpDef, operands: Sequence[Any]) -> Sequence[Any]:
    """Return the operands of an operator, an array without axes among them where all are numbers.

    What NumPy's operators do to numbers is not what the ufunc does, which sees arrays only. Under
    other rules than NumPy's the two are one.
    """
    is_operator = op.python is not None and op.ufunc is not None and operate_now() is None
    if not is_operator or any(isinstance(x, SEQUENCES) for x in operands):
        return operands
    specs = [describe(x) for x in operands]
    first = next((k for k, spec in enumerate(specs) if not spec.weak), None)
    if first is None or any(spec.shape != () for spec in specs) or not _differs(op, specs):
        return operands
    return [apply(cell, (x,)) if k == first else x for k, x in enumerate(operands)]


def _differs(op: OpDef, specs: Sequence[TensorSpec]) -> bool:
    """Tell whether an operator and its ufunc may differ for numbers: warnings, and last digits."""
    kinds = {spec.dtype.kind for spec in specs}
    if len(specs) == 1:
        return not kinds <= {"b", "f"}
    return op.warns or "c" in kinds


def _call_with(
    op: OpDef, operands: Sequence[Any], out: Any, attrs: Mapping[str, Any], option: Any
) -> Any:
    first = next(k for k, x in enumerate(operands) if type(x) is Symbol and x.union is not None)
    return call_ufunc(op, [*operands[:first], option, *operands[first + 1 :]], out, **attrs)


def describe_operand(x: Any) -> bool:
    """Tell whether an operand is a Python scalar, staged or not, or may be one."""
    if isinstance(x, Symbol):
        options = x.union._options if x.union is not None else ()
        return x.spec.weak or any(spec_of_option(option).weak for option in options)
    return isinstance(x, bool | int | float | complex) and not isinstance(x, np.generic)


def _of_function(op: OpDef) -> Callable[..., Any]:
    signature = _signature(op)
    names = list(signature.parameters)
    inputs, attrs = names[: len(op.signature.inputs)], set(op.signature.attrs)

    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{op.name}() {error}") from None
        given = {k: v for k, v in bound.items() if not _is_default(signature, k, v)}
        operands = [given.pop(name) for name in inputs]
        out = given.pop("out", None)
        unknown = [name for name in given if name not in attrs]
        if unknown:
            return call_concretely(op.functions[0], args, kwargs)
        found = apply(op, operands, **{k: as_attribute(k, v) for k, v in given.items()})
        if out is not None and not is_like(out, found):  # how it is cast is NumPy's own
            return call_concretely(op.functions[0], args, kwargs)
        return into(out, found, op.name)

    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def is_like(out: Any, found: Any) -> bool:
    """Tell whether an array has the dtype and the shape of a result, for all that is known."""
    given, wanted = describe(out[0] if isinstance(out, tuple) else out), describe(found)
    is_known = given.is_static and wanted.is_static
    return given.dtype == wanted.dtype and (given.shape == wanted.shape or not is_known)


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
        return None if value is None else dtype_name(asked_dtype(value))
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
        raise MutationError(
            f"out= of {what} is an array from outside of the graph ({describe(out)}), and the "
            "result is staged; make the array inside of the function, or leave out= away "
            "(x = x * y for x *= y)"
        )
    array = out.array if isinstance(out, Tensor) else out
    np.copyto(array, concrete(result), casting="same_kind")
    return out


Dims = tuple[tuple[int | None, ...], list[Any]]


def as_dims(shape: Any) -> Dims:
    """Return a shape as known numbers with None for staged sizes, and the staged sizes."""
    sizes = shape if isinstance(shape, list | tuple) else _sizes(shape)
    staged = [n for n in sizes if is_staged(n)]
    return tuple(None if is_staged(n) else as_size(n) for n in sizes), staged


def as_size(size: Any) -> int:
    """Return a size as an integer; DtypeError when it is none."""
    try:
        return operator.index(size)
    except TypeError:
        raise DtypeError(
            f"a size is an integer, and a shape such as (2, 3); not {size!r}"
        ) from None


def _sizes(shape: Any) -> Sequence[Any]:
    """Return the sizes that a shape which is no tuple holds: one number, or a vector of them."""
    if is_staged(shape):
        if shape.spec.shape != ():
            raise value_error(shape, "a shape (an array of sizes)")
        return (shape,)
    array = np.asarray(concrete(shape))
    return array.tolist() if array.ndim else (shape,)


def call_concretely(function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> Any:
    """Call a NumPy function on known arrays, or when the graph runs if anything is staged."""
    if holds_staged((args, kwargs)):
        return stage_call(function, args, kwargs)
    found = function(*map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()})
    if RECORDERS.active and _holds_floats(found):
        note_leaving(list(_arrays((args, kwargs))), function=function.__name__)
    return _wrapped(found, isinstance(next(iter(args), None), Tensor))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        items = [_plain(x) for x in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return concrete(value)


def _holds_floats(found: Any) -> bool:
    if isinstance(found, list | tuple):
        return any(map(_holds_floats, found))
    return isinstance(found, np.ndarray | np.generic) and found.dtype.kind in "fc"


def _arrays(value: Any) -> Iterator[Any]:
    """Yield the arrays of the tensors in what a function is given."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list | tuple):
        for x in value:
            yield from _arrays(x)
    elif type(value) is Tensor:
        yield value.array


def _wrapped(found: Any, as_tensor: bool) -> Any:
    """Return the results of NumPy as known symbols or tensors."""
    if isinstance(found, list | tuple) and not hasattr(found, "_fields"):
        return type(found)(_wrapped(x, as_tensor) for x in found)
    if not isinstance(found, np.ndarray | np.generic):
        return found
    builder = default_graph.current()
    if builder is not None:
        return as_known(builder, found)
    return Tensor(found) if as_tensor else found


def stands_for_one(path: str) -> bool:
    """Tell whether there is an op, or a function made of ops, for a function of NumPy.

    >>> stands_for_one("numpy.linalg.norm"), stands_for_one("numpy.linalg.eig")
    (True, False)
    """
    try:
        function = resolve(path)
    except (AttributeError, GraphFormatError):
        return True
    is_hashable = getattr(function, "__hash__", None) is not None
    return isinstance(function, np.ufunc | type) or (is_hashable and function in FUNCTIONS)
