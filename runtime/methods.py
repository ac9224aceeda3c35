"""Operators, methods and conversions of tensors and symbols, as those of `numpy.ndarray`.

`install` puts them on `TensorLike`. Operators are those of `runtime.operator_methods`, methods
follow from the public functions that have the name of a method of NumPy's arrays; what NumPy's
methods do differently from its functions is written out in `ArrayMethods`.
"""

from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

import runtime.numpy as rnp
from runtime.array_exchange import ArrayExchange
from runtime.complex_parts import conjugate, imag, real
from runtime.dispatch import apply, goes_with, lift
from runtime.dtypes import asked_dtype
from runtime.errors import MutationError, StagedKeyError, TracingWarning
from runtime.numpy.call_text import Member
from runtime.numpy.flat import Flat
from runtime.numpy.members import call_member, other_member
from runtime.numpy.op_or_call import or_call
from runtime.operator_methods import operators
from runtime.operator_mode import operate_now
from runtime.ops import elementwise, movement, ufuncs
from runtime.ops.python import python_divmod
from runtime.scalar_conversion import answer, array_of, raise_as_numpy
from runtime.set_shapes import set_shape
from runtime.subscripts import concrete, copied, describe, example, get_item, set_item
from runtime.tensor import (
    INTEGER,
    Symbol,
    Tensor,
    TensorLike,
    bool_error,
    is_staged,
    value_error,
)
from runtime.union import Choice, is_cell

CHANGES_IN_PLACE = frozenset({"sort", "partition"})
NOT_OF_THE_FUNCTION = frozenset({"clip", "compress", "conjugate", "resize"})
"""Methods of NumPy's arrays that are not the function of the same name."""


def functions_as_methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the methods of NumPy's arrays that are public functions of the array."""
    for name in rnp.FUNCTION_NAMES:
        method = getattr(np.ndarray, name, None)
        if callable(method) and name not in NOT_OF_THE_FUNCTION:
            yield name, _method(name, name in CHANGES_IN_PLACE)


def _method(name: str, changes: bool) -> Callable[..., Any]:
    function = getattr(rnp, name)

    def ours(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = function(self, *args, **kwargs)
        if changes:
            return set_item(self, ..., found)
        is_number = type(self) is Symbol and self.spec.shape == () and not self.is_cell
        return found[()] if is_number and kwargs.get("out") is not None else found

    ours.__doc__ = function.__doc__
    return _or_numpys(name, ours)


def _or_numpys(name: str, ours: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of ours that calls NumPy's where it cannot do what is asked for."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(self, Tensor):
            return ours(self, *args, **kwargs)
        return or_call(Member(name, True), ours, (self, *args), kwargs)

    method.__name__ = ours.__qualname__ = name
    method.__doc__ = ours.__doc__
    method.__signature__ = inspect.signature(ours)  # type: ignore[attr-defined]
    return method


def _sizes(self: Any) -> Any:
    """Return the shape; a size that is unknown is a staged Python int."""
    shape = self.spec.shape
    if shape is None:
        raise value_error(self, "the number of axes")
    return tuple(
        n if isinstance(n, int) else apply(movement.dim, (self,), axis=axis)
        for axis, n in enumerate(shape)
    )


def dtype_of(self: Any) -> Any:
    """Return the dtype of the elements; of a number of several classes that of the one it is."""
    union = self.union if type(self) is Symbol else None
    return self.spec.dtype if union is None else Choice.each(union, lambda x: x.dtype)


class ArrayMethods:
    """What tensors and symbols have of NumPy's arrays; see `install`."""

    @property
    def shape(self: Any) -> Any:
        """The sizes, one for each axis: ints, or staged ints where they are unknown."""
        return _sizes(self)

    @shape.setter
    def shape(self: Any, value: Any) -> None:
        set_shape(self, value)

    @property
    def ndim(self: Any) -> Any:
        """The number of axes."""
        rank = self.spec.rank
        return apply(movement.rank, (self,)) if rank is None else rank

    @property
    def size(self: Any) -> Any:
        """The number of elements."""
        spec = self.spec
        return prod(spec.shape) if spec.is_static else apply(movement.size, (self,))

    @property
    def dtype(self: Any) -> Any:
        """The dtype of the elements."""
        return dtype_of(self)

    @dtype.setter
    def dtype(self: Any, value: Any) -> None:
        raise MutationError("x.dtype = d changes an array in place; write x = x.view(d)")

    @property
    def itemsize(self: Any) -> int:
        """The number of bytes of an element."""
        return int(self.spec.dtype.itemsize)

    @property
    def flat(self: Any) -> Any:
        """The elements in order, as a sequence that can be written."""
        return self.array.flat if isinstance(self, Tensor) else Flat(self)

    @flat.setter
    def flat(self: Any, value: Any) -> None:
        self.flat[:] = concrete(value) if isinstance(self, Tensor) else value

    @property
    def T(self: Any) -> Any:  # noqa: N802  (NumPy's name)
        """A view with the axes in the opposite order."""
        return apply(movement.transpose, (self,))

    @property
    def mT(self: Any) -> Any:  # noqa: N802  (NumPy's name)
        """A view with the last two axes exchanged."""
        if self.spec.rank is not None and self.spec.rank < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return apply(movement.swapaxes, (self,), axis1=-1, axis2=-2)

    @property
    def real(self: Any) -> Any:
        """A view of the real parts; of a number of Python's a number of Python's."""
        return real(self)

    @real.setter
    def real(self: Any, value: Any) -> None:
        set_item(apply(ufuncs.real, (self,)), ..., value)

    @property
    def imag(self: Any) -> Any:
        """A view of the imaginary parts; of a number of Python's a number of Python's."""
        return imag(self)

    @imag.setter
    def imag(self: Any, value: Any) -> None:
        set_item(apply(ufuncs.imag, (self,)), ..., value)

    def conjugate(self: Any, *out: Any, **options: Any) -> Any:
        """Return the conjugates; what is real is returned as it is."""
        return conjugate(self, *out, **options)

    conj = conjugate

    def reshape(self: Any, *shape: Any, order: str = "C") -> Any:
        """Return the elements in another shape."""
        return rnp.reshape(self, shape[0] if len(shape) == 1 else shape, order)

    def transpose(self: Any, *axes: Any) -> Any:
        """Return a view with the axes in another order."""
        given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return rnp.transpose(self, given or None)

    def astype(
        self: Any,
        dtype: Any,
        order: str = "K",
        casting: Any = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Any:
        """Return the elements converted to another dtype."""
        target = asked_dtype(dtype)
        if not np.can_cast(self.spec.dtype, target, casting):
            raise TypeError(
                f"Cannot cast array data from {self.spec.dtype!r} to {target!r} according to the "
                f"rule {casting!r}"
            )
        if target == self.spec.dtype and not self.spec.weak:
            return copied(self, order) if copy else self
        found = apply(elementwise.cast, (self,), dtype=target.name)
        is_ordered = order in ("C", "F") and self.spec.rank != 1 and self.spec.shape != ()
        return copied(found, order) if is_ordered else found

    def copy(self: Any, order: Any = "C") -> Any:
        """Return an array of its own with the same elements."""
        if order not in ("K", "C") and is_staged(self):
            return call_member(self, "copy", order)
        return copied(self, order)

    def flatten(self: Any, order: str = "C") -> Any:
        """Return the elements as one row, always a copy."""
        if order not in ("C", "F") and is_staged(self):
            return call_member(self, "flatten", order)
        return apply(movement.flatten, (self.T if order == "F" else self,))

    def fill(self: Any, value: Any) -> None:
        """Write one value into every element; a number stays what it is, as NumPy has it."""
        if isinstance(value, list | tuple) or describe(lift(value)).rank:
            np.zeros((), self.spec.dtype).fill(example(value))  # raises
        if self.spec.shape != () or getattr(self, "is_cell", True):
            set_item(self, ..., value)

    def clip(self: Any, min: Any = None, max: Any = None, out: Any = None, **options: Any) -> Any:
        """Return numbers not smaller than one bound and not greater than another."""
        return rnp.clip(self, min, max, out, **options)

    def compress(self: Any, condition: Any, axis: Any = None) -> Any:
        """Return the slices along an axis whose condition is true."""
        return rnp.compress(condition, self, axis)

    def item(self: Any, *place: Any) -> Any:
        """Return the only element, or that at a place, as a Python scalar."""
        if not place:
            return apply(elementwise.item, (self,))
        index: Any = place[0] if len(place) == 1 else place
        one = self[index] if isinstance(index, tuple) else self.reshape(-1)[index]
        return apply(elementwise.item, (one,))

    def tolist(self: Any) -> Any:
        """Return the elements as nested lists."""
        return call_member(self, "tolist") if is_staged(self) else concrete(self).tolist()

    def __getitem__(self: Any, index: Any) -> Any:
        return get_item(self, index)

    def __setitem__(self: Any, index: Any, value: Any) -> None:
        set_item(self, index, value)

    def __len__(self: Any) -> int:
        shape = self.spec.shape
        if shape == ():
            raise TypeError("len() of unsized object")
        if shape is None or not isinstance(shape[0], int):
            raise value_error(self, "the length")
        return shape[0]

    def __iter__(self: Any) -> Iterator[Any]:
        shape = self.spec.shape
        if shape == ():
            raise TypeError("iteration over a 0-d array")
        if shape is None or not isinstance(shape[0], int):
            raise value_error(self, "the number of rows to iterate over")
        return (self[k] for k in range(shape[0]))

    def __contains__(self: Any, value: Any) -> bool:
        if is_staged(self) or is_staged(value):
            raise bool_error(self if is_staged(self) else value, "truth of `in`, the membership,")
        return concrete(value) in concrete(self)

    def __bool__(self: Any) -> bool:
        if is_staged(self):
            raise_as_numpy(self, bool)
            raise bool_error(self)
        return bool(concrete(self))

    def __int__(self: Any) -> int:
        return answer(self, int, "a Python int")

    def __float__(self: Any) -> float:
        return answer(self, float, "a Python float")

    def __complex__(self: Any) -> complex:
        return answer(self, complex, "a Python complex number")

    def __index__(self: Any) -> int:
        return answer(self, operator.index, INTEGER)

    def __round__(self: Any, digits: Any = None) -> Any:
        if type(self) is Symbol and (self.is_cell or self.spec.rank):
            raise TypeError("type numpy.ndarray doesn't define __round__ method")
        whole = digits is None
        return apply(elementwise.python_round, (self,)) if whole else rnp.round(self, digits)

    def __divmod__(self: Any, other: Any) -> Any:
        return _divmod(self, other) if goes_with(self, other) else NotImplemented

    def __rdivmod__(self: Any, other: Any) -> Any:
        return _divmod(other, self) if goes_with(self, other) else NotImplemented

    def __hash__(self: Any) -> int:
        text = f"unhashable type: a {type(self).__name__} cannot be a key or in a set, as its "
        text += "elements may change; use a number that is known"
        is_number = is_staged(self) and self.spec.shape in ((), None) and not self.is_cell
        raise StagedKeyError(text) if is_number else TypeError(text)

    def __copy__(self: Any) -> Any:
        is_number = is_staged(self) and self.spec.shape == () and not self.is_cell
        return self if is_number else copied(self)

    def __deepcopy__(self: Any, memo: Any) -> Any:
        return self.__copy__()

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        if isinstance(self, Tensor):
            return Tensor, (self.array,)
        raise value_error(self, "a value that can be pickled")

    def __format__(self: Any, form: str) -> str:
        if isinstance(self, Tensor):
            return format(self.array, form)
        if form:
            return format(array_of(self, f"a number to format as {form!r}"), form)
        if is_staged(self):
            warnings.warn(
                f"a text was made of a staged value while tracing: it has {str(self)!r} in it, not "
                'the value. print("x =", x) writes the value when the graph runs',
                TracingWarning,
                stacklevel=2,
            )
        return str(self)


def _divmod(x: Any, y: Any) -> Any:
    operands = (x, y)
    if Choice in map(type, operands) or operate_now() is not None:
        return x // y, x % y
    is_array = any(describe(lift(z)).shape != () or is_cell(z) for z in operands)
    return np.divmod(x, y) if is_array else apply(python_divmod, operands)


def install() -> None:
    """Put operators, methods and conversions on `TensorLike`."""
    own = {**vars(ArrayMethods), **vars(ArrayExchange)}.items()
    written = {
        k: value if k.startswith("_") or isinstance(value, property) else _or_numpys(k, value)
        for k, value in own
        if callable(value) or isinstance(value, property)
    }
    setattr(TensorLike, "__getattr__", other_member)  # noqa: B010
    for name, method in {**dict(functions_as_methods()), **dict(operators()), **written}.items():
        setattr(TensorLike, name, method)


install()
