"""What goes into the functions of `autograph.tf`, and what comes out: tensors, with its defaults.

Python's floats and lists of them become `float32`, integers `int32`; arrays keep their dtypes.
Outside of staged functions results are `Tensor`s; inside they are values of the graph, also those
that are made of constants, so that a loop or branch on one is part of the graph.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

import runtime.numpy as rnp
from autograph.tf.composite import composite_in, implemented
from autograph.tf.errors import translating
from runtime import default_graph, trees
from runtime.active_tapes import RECORDERS
from runtime.dispatch import apply, as_value, lift
from runtime.dtypes import STRING, DType, as_dtype, dtype_name, is_string
from runtime.errors import DtypeError
from runtime.operands import as_dense
from runtime.ops.creation import constant
from runtime.spec import TensorSpec
from runtime.subscripts import describe
from runtime.tensor import Symbol, Tensor, TensorLike, value_now
from runtime.union import Choice

F = TypeVar("F", bound=Callable[..., Any])
DEFAULTS = {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.int64): np.dtype(np.int32)}
"""The dtypes of Python's numbers here."""


_NO_TENSOR = (
    "no tensor can be made of it; tensors are made of numbers, texts, arrays, and lists of these"
)


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: Any = None
) -> Any:
    """Return a value as a tensor.

    Args:
        value: a tensor, a variable, an array, a number, a text, or lists of these.
        dtype: of the tensor; by default that of arrays, `float32` and `int32` for Python's numbers.
        dtype_hint, name: are for TensorFlow's programs, and not used.

    Raises:
        DtypeError: a tensor has another dtype, or the value cannot be a tensor.
    """
    if type(value) is Tensor and dtype is None:
        return value
    kind = None if dtype is None else as_dtype(dtype)
    value = value_now(value)
    if isinstance(value, TensorLike):
        return _strong(value, kind)
    if isinstance(value, list | tuple):
        value = _without_tensors(value)
    if isinstance(value, TensorLike):
        return _strong(value, kind)
    array = _array(value, kind)
    return wrap(array)


def _strong(value: Any, kind: DType | None) -> Any:
    spec = value.spec
    if spec.weak:
        return value.astype(kind or DEFAULTS.get(spec.dtype, spec.dtype))
    if kind is not None and spec.dtype != kind:
        raise DtypeError(
            f"a tensor of {spec.dtype} was given where {kind} is needed; write "
            f"tf.cast(x, tf.{kind.name})"
        )
    return value


def _without_tensors(value: Any) -> Any:
    """Return lists with tensors among them as one tensor, other lists as they are."""
    leaves = _leaves(value)
    if any(isinstance(x, Symbol) for x in leaves):
        strong = next(x.spec.dtype for x in leaves if isinstance(x, Symbol))
        return lift(trees.map_tree(lambda x: _like(x, strong), value))
    if any(isinstance(x, Tensor) for x in leaves):
        if RECORDERS.active:  # a tape follows each of them
            return _stacked(value, next(x.spec.dtype for x in leaves if isinstance(x, Tensor)))
        return trees.map_tree(lambda x: x.array if isinstance(x, Tensor) else x, value)
    return value


def _stacked(value: Any, dtype: DType) -> Any:
    """Return nested lists with tensors among them as one tensor, by ops."""
    if isinstance(value, list | tuple):
        return rnp.stack([_stacked(x, dtype) for x in value])
    leaf = value_now(value)
    return leaf if hasattr(leaf, "dtype") else Tensor(np.asarray(leaf, dtype), operate)


def _like(leaf: Any, dtype: DType) -> Any:
    leaf = leaf.array if isinstance(leaf, Tensor) else leaf
    return leaf if hasattr(leaf, "dtype") else dtype.type(leaf)


def _leaves(value: Any) -> list[Any]:
    return [value_now(x) for x in trees.flatten(value)[0]]


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise DtypeError(
            f"{value!r} is no text in UTF-8, as strings are here; keep such bytes as numbers: "
            "np.frombuffer(x, np.uint8)"
        ) from None


def _array(value: Any, kind: DType | None) -> Any:
    if isinstance(value, bytes):
        value = _text(value)
    if isinstance(value, str):
        _refuse_other_kind(value, STRING, kind)
        return np.array(value, STRING)
    if not isinstance(value, np.ndarray) and hasattr(value, "__array__"):  # of pandas, for one
        value = np.asarray(value)
    if isinstance(value, np.ndarray | np.generic):
        found = value.astype(STRING) if value.dtype.kind == "U" else _texts(value)
        _refuse_other_kind(value, found.dtype, kind)
        return found if kind is None else np.asarray(found).astype(kind)[()]
    leaves = _leaves(value)
    if len({isinstance(x, str | bytes) for x in leaves}) > 1:
        raise DtypeError(f"{value!r} holds texts and numbers, and a tensor is of one dtype")
    found = np.asarray(as_dense(value) if isinstance(value, list | tuple) else value)
    if found.dtype == object:
        raise DtypeError(f"{value!r} is a {type(value).__name__}: {_NO_TENSOR}")
    if any(hasattr(x, "dtype") for x in leaves):
        return found.astype(kind or found.dtype)[()]
    return _of_python(value, found, kind)


def _texts(array: Any) -> Any:
    """Return an array of objects that are texts as one of texts, any other as it is."""
    if array.dtype != object:
        return array
    if not all(isinstance(x, str | bytes) for x in array.flat):
        raise DtypeError(f"an array of objects: {_NO_TENSOR}")
    texts = [_text(x) if isinstance(x, bytes) else x for x in array.flat]
    return np.array(texts, STRING).reshape(array.shape)


def _refuse_other_kind(value: Any, found: DType, kind: DType | None) -> None:
    if kind is not None and is_string(found) != is_string(kind):
        to = "tf.as_string(x)" if is_string(kind) else "tf.strings.to_number(x)"
        raise DtypeError(f"{value!r} is no {dtype_name(kind)}; write {to} to make one of it")


def _of_python(value: Any, found: Any, kind: DType | None) -> Any:
    """Return an array of Python's numbers or texts as one of a dtype that holds them."""
    dtype = kind or DEFAULTS.get(found.dtype, found.dtype)
    if not found.size:
        return found.astype(dtype)
    _refuse_other_kind(value, found.dtype, kind)
    if not (np.can_cast(found.dtype, dtype, "same_kind") or found.dtype.kind + dtype.kind == "iu"):
        raise DtypeError(
            f"{value!r} is no {dtype_name(dtype)}; write tf.cast(x, dtype) to make it one"
        )
    made = found.astype(dtype)
    if dtype.kind in "iu" and not np.all(made == found):
        raise DtypeError(
            f"{value!r} does not fit into {dtype.name}; write tf.constant(x, tf.int64)"
        )
    return made[()]


def wrap(array: Any) -> Any:
    """Return an array as a tensor, or as a constant of the graph that is being built."""
    builder = default_graph.current()
    if builder is None:
        return Tensor(array, operate)
    if isinstance(array, np.generic):  # a node for each, as there
        return Symbol(builder, builder.emit(constant, (), {"value": array})[0])
    return Symbol(builder, as_value(builder, array))


class Rules:
    """What operators do, and what graphs give.

    Attributes:
        mixes: whether dtypes are mixed, as NumPy mixes them.
    """

    mixes = False

    def __call__(self, op: Any, x: Any, y: Any) -> Any:
        """Return what an operator gives: dtypes are not mixed, and nothing is written in place."""
        if Choice in (type(x), type(y)):
            return apply(op, (x, y))
        with translating():
            found = apply(op, (x, y) if self.mixes else pair(x, y))
        if type(found) is Tensor:
            found.operate = operate
        return found

    def returned(self, value: Any) -> Any:
        """Return what a graph gives: for Python's numbers tensors, of the dtypes that are here."""
        leaves, structure = trees.flatten(value)
        if not any(map(_is_number, leaves)):
            return value
        return trees.unflatten(
            structure, [_strong(x, None) if _is_number(x) else x for x in leaves]
        )


operate = Rules()


def _is_number(value: Any) -> bool:
    return _is_weak(value) and value.known is None


def as_result(found: Any) -> Any:
    """Return what a function gives with its numbers and arrays as tensors."""
    if type(found) is Tensor:
        found.operate = operate
        return found
    return trees.map_tree(_as_tensor, found)


def _as_tensor(leaf: Any) -> Any:
    if type(leaf) is Tensor:
        leaf.operate = operate
    if isinstance(leaf, Symbol):
        if leaf.known is not None and default_graph.current() is not None:
            return wrap(leaf.known)
        return _strong(leaf, None) if leaf.spec.weak else leaf
    is_value = isinstance(leaf, bool | int | float | complex | str | np.ndarray | np.generic)
    return convert_to_tensor(leaf) if is_value else leaf


def takes(count: int) -> Callable[[F], F]:
    """Return a decorator for functions whose first `count` parameters are tensors.

    They are converted, what is returned is converted, too, and errors are those of TensorFlow.
    The parameter `name`, which TensorFlow's functions have, is taken and not used.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        tensors = list(signature.parameters.values())[:count]
        optional = {x.name: x.default is not inspect.Parameter.empty for x in tensors}
        can_be_none = list(optional.values())

        @functools.wraps(function)
        def public(*args: Any, **kwargs: Any) -> Any:
            found = composite_in((*args[:count], *kwargs.values()))
            if found is not None:
                return implemented(found, public, args, kwargs)
            kwargs.pop("name", None)
            given = [_operand(x, *can_be_none[k : k + 1]) for k, x in enumerate(args[:count])]
            for key in optional.keys() & kwargs.keys():
                kwargs[key] = _operand(kwargs[key], optional[key])
            with translating():
                return as_result(function(*given, *args[count:], **kwargs))

        made: Any = public
        return made  # type: ignore[no-any-return]

    return decorate


def _operand(value: Any, optional: bool = True) -> Any:
    return value if value is None and optional else convert_to_tensor(value)


def pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Return two operands of one dtype: that of the tensor among them, else the first one's.

    Numbers and lists of Python, and arrays, take the dtype of a tensor that holds their kind.

    Raises:
        DtypeError: both are tensors, of two dtypes, or one cannot take the other's.
    """
    if not (type(x) is Tensor and type(y) is Tensor):
        x, y = _matched(value_now(x), value_now(y))
    a, b = describe(x), describe(y)
    if a.dtype != b.dtype and not (_goes(a, b) or _goes(b, a)):
        names = dtype_name(a.dtype), dtype_name(b.dtype)
        write = "tf.as_string(x)" if "string" in names else f"tf.cast(x, tf.{names[1]})"
        raise DtypeError(
            f"a tensor of {names[0]} and one of {names[1]} are operands of one operation, and "
            f"dtypes are not mixed here; write {write}, say"
        )
    return x, y


def _matched(x: Any, y: Any) -> tuple[Any, Any]:
    """Return two operands as tensors, with the dtype of one where the other can take it."""
    if _is_weak(x) or _is_weak(y):
        return (x, y) if _is_bare(x) and _is_bare(y) else (_typed(x), _typed(y))
    if _is_tensor(x):
        return convert_to_tensor(x), _of_dtype(y, x)
    if _is_tensor(y):
        return _of_dtype(x, y), convert_to_tensor(y)
    if _is_bare(x) and not _is_bare(y):
        return _of_dtype(x, y), convert_to_tensor(y)
    if not _is_bare(y):
        return convert_to_tensor(x), _of_dtype(y, x)
    a, b = _array(x, None), _array(y, None)
    if (a.dtype.kind, b.dtype.kind) == ("i", "f"):
        return convert_to_tensor(x, b.dtype), wrap(b)
    return wrap(a), _of_dtype(y, a)


def _is_weak(value: Any) -> bool:
    """Tell whether a value is a staged number of Python's."""
    return type(value) is Symbol and value.spec.weak


def _goes(weak: TensorSpec, other: TensorSpec) -> bool:
    """Tell whether a number of Python's takes the dtype of a tensor."""
    return weak.weak and _holds(other.dtype, weak.dtype)


def _holds(dtype: Any, found: Any) -> bool:
    """Tell whether a dtype is of the kind of another one, or one without a sign for integers."""
    return bool(np.can_cast(found, dtype, "same_kind")) or (found.kind, dtype.kind) == ("i", "u")


def _typed(value: Any) -> Any:
    return value if _is_bare(value) else convert_to_tensor(value)


def _is_tensor(value: Any) -> bool:
    """Tell whether a value has a dtype that it keeps: no array, and no number."""
    return type(value) is Tensor or (type(value) is Symbol and value.known is None)


def _is_bare(value: Any) -> bool:
    if isinstance(value, TensorLike | np.ndarray | np.generic):
        return _is_weak(value)
    return not any(hasattr(x, "dtype") for x in _leaves(value))


def _of_dtype(value: Any, other: Any) -> Any:
    """Return an operand with the dtype of another one, where its kind goes into that."""
    dtype = describe(other).dtype
    if _is_tensor(value):
        return value
    if isinstance(value, list | tuple) and any(map(_is_tensor, _leaves(value))):
        return convert_to_tensor(value)
    if type(value) is Symbol:
        value = value.known
    found = np.asarray(as_dense(value) if isinstance(value, list | tuple) else value)
    fits = _holds(dtype, found.dtype) and found.dtype.kind != "b"
    fits = fits and not is_string(dtype)
    return convert_to_tensor(value, dtype if fits or found.dtype == dtype else None)
