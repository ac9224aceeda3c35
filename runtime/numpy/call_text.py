"""The text of a call of NumPy, and its operands: `numpy.pad(_0, 2, 'wrap')`.

Comes in: a function and its arguments, arrays and staged values anywhere in them. Goes out: the
call as a text in the grammar of `runtime.ops.numpy_calls`, the operands, and the objects that no
text stands for.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache, partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from runtime.dtypes import is_supported
from runtime.numpy.outcomes import UnforeseenError
from runtime.numpy.user_functions import Maker, check_function, parts_of
from runtime.opaque import Opaque
from runtime.ops.numpy_calls import NAMES
from runtime.ops.public_names import (
    FILES,
    NUMPY,
    OPERATORS,
    SCIPY,
    is_of_library,
    is_of_numpy,
    module_of,
)
from runtime.tensor import Readable, Tensor, TensorLike
from runtime.union import Choice


def public_modules() -> dict[str, ModuleType]:
    """Return NumPy's public modules by their paths."""
    found = {f"numpy.{name}".rstrip("."): module_of("numpy", name) for name in NUMPY}
    return {path: module for path, module in found.items() if module is not None}


@cache
def _paths() -> dict[Any, str]:
    """Return the paths of NumPy's public functions, types and objects."""
    found: dict[Any, str] = {}
    for path, module in public_modules().items():
        for name, value in sorted(vars(module).items()):
            is_public = not name.startswith("_") and not isinstance(value, ModuleType)
            if is_public and name not in FILES and is_of_numpy(value):
                key = value if getattr(value, "__hash__", None) is not None else id(value)
                found.setdefault(key, f"{path}.{name}")
    return found


@cache
def _names_in_scipy(path: str) -> dict[int, str]:
    """Return the names of what stands in a public module of SciPy's, by id."""
    members = vars(sys.modules[path])
    return {id(x): name for name, x in members.items() if not name.startswith("_")}


def _path_in_scipy(value: Any) -> str | None:
    """Return the path of what stands in one of SciPy's public modules, if that is loaded."""
    own = getattr(value, "__name__", "")
    owner, _, method = getattr(value, "__qualname__", "").partition(".")
    for path in (f"scipy.{name}" for name in SCIPY if f"scipy.{name}" in sys.modules):
        found = _names_in_scipy(path).get(id(value))
        if found is not None:
            return f"{path}.{found}"
        of_class = getattr(sys.modules[path], owner, None) if method == own and method else None
        if of_class is not None and getattr(of_class, own, None) is value:
            return f"{path}.{owner}.{own}"
    return None


def path_of(function: Any) -> str | None:
    """Return the path of a public function, or of a method of a public class or object.

    >>> path_of(np.add.reduceat), path_of(np.r_.__getitem__), path_of(np.random.normal)
    ('numpy.add.reduceat', 'numpy.r_.__getitem__', 'numpy.random.normal')
    """
    if isinstance(function, BuiltinFunctionType) and function.__module__ == "_operator":
        return f"operator.{function.__name__}" if function.__name__ in OPERATORS else None
    try:
        found = _paths().get(function)
    except TypeError:  # an object that cannot be hashed
        found = _paths().get(id(function))
    if found is not None:
        return found
    owner = getattr(function, "__self__", getattr(function, "__objclass__", None))
    name = getattr(function, "__name__", "")
    found = _path_in_scipy(function) if is_of_library(function) else None
    if found is not None:
        return found
    if owner is not None and is_of_library(owner) and not isinstance(owner, ModuleType):
        base = _path_in_scipy(owner)
        return f"{base}.{name}" if base is not None and not name.startswith("_") else None
    if owner is None or isinstance(owner, np.ndarray | ModuleType) or name in FILES:
        return None
    base = _paths().get(owner if getattr(owner, "__hash__", None) is not None else id(owner))
    is_named = not name.startswith("_") or name == "__getitem__"
    return f"{base}.{name}" if base is not None and is_named else None


def name_of(value: Any) -> str | None:
    """Return the name that a call has for something that is not NumPy's.

    >>> name_of(slice), name_of(open)
    ('slice', None)
    """
    return next((name for name, known in NAMES.items() if known is value), None)


class Member(NamedTuple):
    """An attribute of an array or an object, or a method, as a function of it.

    Args:
        name: its name.
        is_method: whether it is called.
    """

    name: str
    is_method: bool


class CallText:
    """A call as a text, with what the text speaks of.

    Args:
        function: what is called.
        args: positional arguments.
        kwargs: arguments by keyword.

    Attributes:
        text: the call.
        operands: its arrays, numbers of NumPy and staged values, each once.
        objects: what it names that has no path, by name; a call with such is not portable.
        grouped: the numbers of the operands that are in tuples: such belong together.
        calls_back: whether functions of the user's are among the arguments.

    Raises:
        UnforeseenError: a function of the user's among them may do more than to compute.
    """

    def __init__(self, function: Any, args: Any, kwargs: Mapping[str, Any]) -> None:
        self.operands: list[Any] = []
        self.objects: dict[str, Any] = {}
        self.grouped: set[int] = set()
        self.calls_back = False
        self._open: list[FunctionType] = []
        name = path_of(function) or name_of(function)
        if isinstance(function, Member):
            name, args = f"{self._write(args[0])}.{function.name}", args[1:]
        parts = [self._write(x) for x in args]
        parts += [f"{k}={self._write(x)}" for k, x in kwargs.items() if x is not np._NoValue]
        is_call = not isinstance(function, Member) or function.is_method
        self.text = (name or self._of_object(function)) + f"({', '.join(parts)})" * is_call

    def _write(self, value: Any) -> str:
        kind = type(value)
        if isinstance(value, TensorLike | Readable | Choice | Opaque):
            return self._operand(value)
        if (kind is np.ndarray or isinstance(value, np.generic)) and is_supported(value.dtype):
            return self._operand(value)
        if kind in (float, complex):
            return _number(value)
        if value is None or value is ... or kind in (bool, int, str, bytes):
            return repr(value)
        if kind in (tuple, list):
            items = "".join(f"{self._write(x)}, " for x in value)
            if kind is tuple:
                self.grouped |= {
                    k for k, x in enumerate(self.operands) if any(x is y for y in value)
                }
            return f"({items})" if kind is tuple else f"[{items}]"
        if kind is dict:
            items = ", ".join(f"{self._write(k)}: {self._write(x)}" for k, x in value.items())
            return f"{{{items}}}"
        if kind is slice:
            bounds = map(self._write, (value.start, value.stop, value.step))
            return f"slice({', '.join(bounds)})"
        if isinstance(value, np.dtype) and value.kind in "biufcSUMm":
            return f"dtype({value.str!r})"
        if isinstance(value, partial):
            given = [*map(self._write, (value.func, *value.args))]
            given += [f"{k}={self._write(x)}" for k, x in value.keywords.items()]
            return f"{self._object(partial)}({', '.join(given)})"
        return name_of(value) or path_of(value) or self._other(value)

    def _other(self, value: Any) -> str:
        """Return the text of what has no path."""
        if not isinstance(value, FunctionType) or value.__module__ == "random":
            return self._object(value)
        if value in self._open:
            raise UnforeseenError(f"is given {value.__qualname__}, which calls itself")
        check_function(value)
        self.calls_back = True
        self._open.append(value)
        given = [self._write(x) for x in parts_of(value)]
        self._open.pop()
        return f"{self._object(Maker(value))}({', '.join(given)})"

    def _operand(self, value: Any) -> str:
        if isinstance(value, Tensor):
            value = value.array
        for number, known in enumerate(self.operands):
            if known is value:
                return f"_{number}"
        self.operands.append(value)
        return f"_{len(self.operands) - 1}"

    def _of_object(self, function: Any) -> str:
        """Return the text of a function without a path: a method belongs to its object."""
        owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
        is_method = owner is not None and getattr(type(owner), name, None) is not None
        if isinstance(owner, ModuleType | type) or not is_method:
            return self._object(function)
        if function != getattr(owner, name):  # of a class that the object's own goes beyond
            classes = (vars(x) for x in type(owner).__mro__ if name in vars(x))
            found = next(x[name] for x in classes if x[name].__get__(owner) == function)
            return f"{self._object(partial)}({self._object(found)}, {self._object(owner)})"
        return f"{self._object(owner)}.{name}"

    def _object(self, value: Any) -> str:
        own = getattr(value, "__name__", "")
        is_told = own.isidentifier() and own not in self.objects and own not in NAMES
        name = own if is_told and is_of_library(value) else f"object_{len(self.objects)}"
        self.objects[name] = value
        return name


def _number(value: Any) -> str:
    """Return the text of a number that reads as that very number.

    >>> _number(float("-inf")), _number(1 - 2j)
    ('-inf', 'complex(1.0, -2.0)')
    """
    if isinstance(value, complex):
        return f"complex({_number(value.real)}, {_number(value.imag)})"
    return repr(value)
