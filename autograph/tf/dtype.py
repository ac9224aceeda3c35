"""`tf.float32` and the others: what NumPy's dtypes are, with TensorFlow's names and texts.

Each is a class, as NumPy's scalar types are, so that NumPy takes it where it takes a dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.dtypes import STRING, dtype_name
from runtime.dtypes import DType as Plain
from runtime.dtypes import as_dtype as plain_dtype

__all__ = ["DType", "as_dtype"]


class DType(type):
    """The class of dtypes; an attribute that TensorFlow's have not is that of NumPy's dtype.

    >>> float32 = as_dtype("float32")
    >>> float32, str(float32), float32.is_floating, float32.itemsize
    (tf.float32, "<dtype: 'float32'>", True, 4)
    >>> np.zeros(2, float32).dtype == float32
    True
    """

    dtype: Plain

    @property
    def name(cls) -> str:
        """The name."""
        return dtype_name(cls.dtype)

    @property
    def as_numpy_dtype(cls) -> Any:
        """The scalar type of NumPy's; `object` for texts."""
        return object if cls.dtype == STRING else cls.dtype.type

    @property
    def base_dtype(cls) -> DType:
        """The dtype itself."""
        return cls

    @property
    def is_floating(cls) -> bool:
        """Whether it is one of floats."""
        return cls.dtype.kind == "f"

    @property
    def is_integer(cls) -> bool:
        """Whether it is one of integers."""
        return cls.dtype.kind in "iu"

    @property
    def is_unsigned(cls) -> bool:
        """Whether it is one of integers without a sign."""
        return cls.dtype.kind == "u"

    @property
    def is_complex(cls) -> bool:
        """Whether it is one of complex numbers."""
        return cls.dtype.kind == "c"

    @property
    def is_bool(cls) -> bool:
        """Whether it is that of truth values."""
        return cls.dtype.kind == "b"

    @property
    def size(cls) -> int:
        """The number of bytes of an element."""
        return cls.dtype.itemsize

    @property
    def min(cls) -> Any:
        """The least number."""
        return _limits(cls.dtype).min

    @property
    def max(cls) -> Any:
        """The largest number."""
        return _limits(cls.dtype).max

    def is_compatible_with(cls, other: Any) -> bool:
        """Tell whether it is the same as another."""
        return bool(cls == as_dtype(other))

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(cls.dtype, name)

    def __call__(cls, *args: Any, **options: Any) -> Any:
        raise TypeError(f"{cls!r} is a dtype, and makes no tensors; write tf.cast(x, {cls!r})")

    def __eq__(cls, other: object) -> bool:
        try:
            return bool(cls.dtype == other)
        except TypeError:
            return False

    def __hash__(cls) -> int:
        return hash(cls.dtype)

    def __repr__(cls) -> str:
        return f"tf.{cls.name}"

    def __str__(cls) -> str:
        return f"<dtype: {cls.name!r}>"

    def __format__(cls, form: str) -> str:
        return format(str(cls), form)


def _limits(dtype: Plain) -> Any:
    return np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)


_MADE: dict[str, DType] = {}


def as_dtype(type_value: Any) -> DType:
    """Return the dtype that a name, a dtype of NumPy's or a Python type stands for.

    >>> as_dtype(np.int64)
    tf.int64
    """
    if isinstance(type_value, DType):
        return type_value
    plain = plain_dtype(type_value)
    name = dtype_name(plain)
    if name not in _MADE:
        _MADE[name] = DType(name, (), {"dtype": plain, "__module__": "autograph.tf"})
    return _MADE[name]
