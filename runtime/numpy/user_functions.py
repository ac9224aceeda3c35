"""Functions of the user's that a call of NumPy or SciPy is given, and calls when the graph runs.

Comes in: a function. Goes out: what makes it when the graph runs, with the values that variables
around it have then; an error for one that may do more than to compute, since trials call it. What
it reads of its module is read when it is called, as in plain Python.
"""

from __future__ import annotations

import builtins
import dis
from collections.abc import Iterator, Sequence
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from runtime.numpy.outcomes import UnforeseenError
from runtime.ops.public_names import FILES, is_of_library, is_of_numpy

COMPUTE = frozenset(
    [
        "abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float",
        "int", "isinstance", "len", "list", "map", "max", "min", "pow", "range", "reversed",
        "round", "set", "slice", "sorted", "str", "sum", "tuple", "type", "zip",
    ]
)  # fmt: skip
"""Functions of Python's that do nothing but compute."""

MODULES = frozenset(
    [
        "autograph", "cmath", "functools", "itertools", "math", "numpy", "operator", "runtime",
        "scipy",
    ]
)  # fmt: skip
"""Packages whose functions compute, but for those named below."""

ACTIONS = FILES | {
    "append", "appendleft", "assign", "breakpoint", "clear", "discard", "extend", "fill", "insert",
    "itemset", "numpy_function", "partition", "pop", "popitem", "popleft", "print", "put",
    "py_function", "remove", "reverse", "setdefault", "sort", "update",
}  # fmt: skip
"""Names of what changes an object, or does more than to compute."""

_EFFECTS = ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME")
_ITEMS = ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
_NUMBERS = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype)


class Maker:
    """Makes a function of the user's anew, with other values in the variables around it.

    Args:
        function: it. Modules around it stay, and what is around it later is not looked at.
    """

    def __init__(self, function: FunctionType) -> None:
        self._code, self._globals = function.__code__, function.__globals__
        self._names = function.__name__, function.__qualname__
        self._cells = [None if _has_value(x) else x for x in function.__closure__ or ()]
        self._defaults = len(function.__defaults__ or ())
        self._named = [*(function.__kwdefaults__ or {})]

    def __call__(self, *values: Any) -> FunctionType:
        """Return the function, given what `parts_of` it are now."""
        given = iter(values)
        cells = tuple(CellType(next(given)) if x is None else x for x in self._cells)
        defaults = tuple(next(given) for _ in range(self._defaults))
        new = FunctionType(self._code, self._globals, self._names[0], defaults, cells or None)
        new.__kwdefaults__ = dict(zip(self._named, given, strict=True)) or None
        new.__qualname__ = self._names[1]
        return new

    def __deepcopy__(self, memo: Any) -> Maker:
        return self


def parts_of(function: FunctionType) -> Iterator[Any]:
    """Yield what the variables around a function hold, and its defaults."""
    yield from (x.cell_contents for x in function.__closure__ or () if _has_value(x))
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()


def _has_value(cell: CellType) -> bool:
    """Tell whether a variable has a value, which is no module."""
    try:
        return not isinstance(cell.cell_contents, ModuleType)
    except ValueError:
        return False


def check_function(function: FunctionType, seen: set[Any] | None = None) -> None:
    """Raise UnforeseenError for a function that may do more than to compute."""
    seen = set() if seen is None else seen
    if function.__code__ in seen:
        return
    seen.add(function.__code__)
    codes = [*_codes(function.__code__)]
    own = {name for code in codes for name in code.co_cellvars}
    outside = [*_globals_of(codes, function)]
    outside += [(name, x) for name, x in _free_of(function) if callable(x)]
    reads_items = any(not _is_constant(x) for _, x in outside)
    for code in codes:
        for step in dis.get_instructions(code):
            name = step.argval
            is_nonlocal = step.opname in ("STORE_DEREF", "DELETE_DEREF") and name not in own
            if step.opname in _EFFECTS or is_nonlocal:
                raise _refused(function, f"changes {name}")
            if step.opname in _ITEMS and reads_items:
                raise _refused(function, "may change what it reads from outside")
        action = next((name for name in code.co_names if name in ACTIONS), None)
        if action is not None:
            raise _refused(function, f"calls {action}")
    for name, value in outside:
        _check_value(function, name, value, seen)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _globals_of(codes: Sequence[CodeType], function: FunctionType) -> Iterator[tuple[str, Any]]:
    for code in codes:
        for step in dis.get_instructions(code):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                known = {**vars(builtins), **function.__globals__}
                yield step.argval, known.get(step.argval)


def _free_of(function: FunctionType) -> Iterator[tuple[str, Any]]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return ((name, cell.cell_contents) for name, cell in cells if _has_value(cell))


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return isinstance(value, _NUMBERS) or callable(value) or isinstance(value, ModuleType)


def _check_value(function: FunctionType, name: str, value: Any, seen: set[Any]) -> None:
    """Check something that a function reads."""
    if isinstance(value, ModuleType):
        if value.__name__.partition(".")[0] not in MODULES:
            raise _refused(function, f"uses the module {name}")
    elif isinstance(value, FunctionType) and not (is_of_numpy(value) or is_of_library(value)):
        if (value.__module__ or "").partition(".")[0] not in MODULES:
            check_function(value, seen)
    elif isinstance(value, type | BuiltinFunctionType) and value.__module__ == "builtins":
        is_error = isinstance(value, type) and issubclass(value, BaseException)
        if not is_error and value.__name__ not in COMPUTE:
            raise _refused(function, f"calls {name}")
    elif callable(value) and not _is_of_library(value):
        raise _refused(function, f"calls {name}, which may do anything")
    elif not (_is_constant(value) or type(value) in (list, dict, set, np.ndarray)):
        raise _refused(function, f"uses {name}, which may do anything")


def _is_of_library(value: Any) -> bool:
    module = getattr(value, "__module__", None) or type(value).__module__
    return str(module).partition(".")[0] in MODULES


def _refused(function: FunctionType, why: str) -> UnforeseenError:
    return UnforeseenError(f"is given {function.__qualname__}, which {why}")
