"""Dtypes, and how they combine.

Dtypes are NumPy's own objects and promotion is NumPy's own (NEP 50): there is no second table. A
*weak* dtype is that of a Python scalar, which gives way to any array dtype of the same kind.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from runtime.errors import DtypeError, UnsupportedDtypeError

DType = np.dtype[Any]

SHORT_NAMES: dict[str, str] = {
    "bool": "bool",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
}
STRING: DType = np.dtypes.StringDType()
"""The dtype of texts: NumPy's strings of any length."""
OBJECT: DType = np.dtype(object)
"""The dtype of what is no array: datasets, places in them, objects that no spec describes."""

WEAK_TYPES = (bool, int, float, complex)
"""What Python's numbers are instances of, those of enums and of the user's classes too."""

SUPPORTED: tuple[DType, ...] = tuple(np.dtype(name) for name in SHORT_NAMES)
_NATIVE: dict[type, DType] = {
    dtype.type: dtype for dtype in map(np.dtype, np.typecodes["All"]) if dtype.name in SHORT_NAMES
}
"""NumPy's one object for each class of numbers: quick to find and to compare, as a name is not."""
_SHORT = {kind: SHORT_NAMES[dtype.name] for kind, dtype in _NATIVE.items()}
_SHORT.update({STRING.type: "string", OBJECT.type: "object"})
BY_SHORT_NAME: dict[str, DType] = {short: np.dtype(name) for name, short in SHORT_NAMES.items()}
BY_SHORT_NAME.update(string=STRING, object=OBJECT)

PYTHON_TYPES: dict[str, type] = {"b": bool, "i": int, "f": float, "c": complex}
"""The Python scalar type whose values a weak dtype of a kind stands for."""

WEAK_DTYPES: dict[type, DType] = {
    bool: np.dtype(bool),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}


def as_dtype(dtype: Any) -> DType:
    """Return the NumPy dtype that `dtype` names; DtypeError when arrays of it are not supported.

    >>> as_dtype("float32")
    dtype('float32')
    """
    native = _NATIVE.get(dtype.type) if isinstance(dtype, np.dtype) else None
    if native is not None:
        return native
    if dtype is str or (isinstance(dtype, str) and dtype == "string"):
        return STRING
    if hasattr(dtype, "__array_function__"):
        raise DtypeError("Cannot construct a dtype from an array")
    try:
        result = np.dtype(dtype)
    except TypeError as error:
        raise DtypeError(f"{dtype!r} is not a dtype; write, for example, np.float32") from error
    if result == STRING:
        return STRING
    if result.kind in "US":
        raise UnsupportedDtypeError(
            f"arrays of dtype {result} are not supported, since their items have a fixed length; "
            "texts of any length are: write x.astype(np.dtypes.StringDType())"
        )
    native = _NATIVE.get(result.type)
    if native is None:
        lists = "; nor are lists of objects that grow in a staged loop" if result == OBJECT else ""
        raise UnsupportedDtypeError(
            f"arrays of dtype {result} are not supported; supported are {', '.join(SHORT_NAMES)}"
            f"{lists}"
        )
    return native


def asked_dtype(dtype: Any) -> DType:
    """Return the dtype that an op is asked for; DtypeError for one of another byte order, too."""
    found = as_dtype(dtype)
    if not is_string(found) and not np.dtype(dtype).isnative:
        raise DtypeError(f"no op makes arrays of another byte order, as {dtype!r} has it")
    return found


def is_supported(dtype: DType) -> bool:
    """Tell whether graphs have arrays of a dtype.

    >>> is_supported(np.dtype("f4")), is_supported(np.dtype("M8[D]"))
    (True, False)
    """
    return is_string(dtype) or dtype.type in _NATIVE


def short_name(dtype: DType) -> str:
    """Return the name of a dtype in printed graphs, such as `f32`."""
    return _SHORT[dtype.type]


def dtype_name(dtype: DType) -> str:
    """Return the name of a dtype, by which `as_dtype` finds it.

    >>> dtype_name(np.dtype("f4")), dtype_name(STRING)
    ('float32', 'string')
    """
    return "string" if is_string(dtype) else dtype.name


def conversion(dtype: DType) -> str:
    """Return the method call that converts an array to a dtype, as it is written in messages.

    >>> conversion(np.dtype("f4")), conversion(STRING)
    (".astype('float32')", '.astype(np.dtypes.StringDType())')
    """
    return f".astype({'np.dtypes.StringDType()' if is_string(dtype) else repr(dtype.name)})"


def as_texts(value: Any) -> Any:
    """Return the array of texts that a user gives; by way of `U` those would lose NULs at the end.

    >>> as_texts(["a", "b" + chr(0)]).tolist() == ["a", "b" + chr(0)]
    True
    """
    return np.array(value, STRING)


def is_string(dtype: DType) -> bool:
    """Tell whether a dtype is that of texts.

    >>> is_string(STRING), is_string(np.dtype("f8"))
    (True, False)
    """
    return dtype.kind == "T"


def python_type(dtype: DType) -> type:
    """Return the Python scalar type of a weak dtype."""
    return PYTHON_TYPES[dtype.kind]


def plain_number(value: Any) -> Any:
    """Return a number of a class derived from Python's, such as an `IntEnum`, as one of Python's.

    >>> import enum
    >>> plain_number(enum.IntEnum("Side", "LEFT RIGHT").RIGHT)
    2
    """
    kind = next(kind for kind in WEAK_TYPES if isinstance(value, kind))
    return kind(value)


@lru_cache(maxsize=4096)
def promote(*operands: DType | type) -> DType:
    """Return the dtype that holds all operands: dtypes, or Python types for weak ones (NEP 50).

    >>> promote(np.dtype("float32"), float)
    dtype('float32')
    """
    return np.result_type(*(x(0) if isinstance(x, type) else x for x in operands))


@lru_cache(maxsize=4096)
def loop_dtypes(ufunc: np.ufunc, *operands: DType | type) -> tuple[DType, ...]:
    """Return the dtypes of a ufunc's loop: of its operands, then of its results.

    Raises:
        DtypeError: it has no loop for the operands.
    """
    if all(isinstance(x, type) for x in operands):
        operands = tuple(WEAK_DTYPES[x] if isinstance(x, type) else x for x in operands)
    # A Python bool is not weak: NumPy gives it the dtype bool.
    asked = tuple(np.dtype(bool) if x is bool else x for x in operands)
    try:
        return ufunc.resolve_dtypes((*asked, *(None,) * ufunc.nout))
    except TypeError as error:
        names = ", ".join(x.__name__ if isinstance(x, type) else str(x) for x in operands)
        raise DtypeError(f"{ufunc.__name__} is not defined for {names}") from error


def resolve_ufunc(ufunc: np.ufunc, *operands: DType | type) -> tuple[DType, ...]:
    """Return the dtypes of a ufunc's results; DtypeError when it has no loop for the operands."""
    return loop_dtypes(ufunc, *operands)[ufunc.nin :]


def is_lossless(source: DType, target: DType) -> bool:
    """Tell whether every value of one dtype is a value of the other."""
    return is_string(source) == is_string(target) and bool(np.can_cast(source, target, "safe"))
