"""An array module that is not NumPy, to see that nothing but the array module is called.

`Box` holds a NumPy array and is no subclass of it. `xp` has NumPy's functions for boxes: it counts
calls and refuses raw arrays. As with CuPy, an element taken from an array is an array without
dimensions, and reductions give such arrays, too.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

SCALARS = (bool, int, float, complex, np.generic)


class Box:
    """An array of the stand-in library."""

    __slots__ = ("__weakref__", "held")
    __array_ufunc__ = None

    def __init__(self, held: Any) -> None:
        self.held = np.asarray(held)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("an array of the stand-in library was given to NumPy")

    def __array_namespace__(self) -> ModuleType:
        return xp

    @property
    def dtype(self) -> Any:
        return self.held.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.held.shape

    @property
    def real(self) -> Box:
        return wrap(self.held.real)

    @property
    def imag(self) -> Box:
        return wrap(self.held.imag)

    def copy(self, order: str = "C") -> Box:
        return Box(self.held.copy(order))

    def get(self) -> Any:
        return self.held

    def __bool__(self) -> bool:
        return bool(self.held)

    def __int__(self) -> int:
        return int(self.held)

    def __index__(self) -> int:
        return operator.index(self.held)

    def __getitem__(self, key: Any) -> Any:
        return wrap(self.held[_open_key(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.held[_open_key(key)] = unwrap(value)


def wrap(value: Any) -> Any:
    """Box arrays and NumPy scalars."""
    if isinstance(value, tuple):
        return tuple(map(wrap, value))
    return Box(value) if isinstance(value, np.ndarray | np.generic) else value


def unwrap(value: Any) -> Any:
    """Unbox; TypeError for a raw array."""
    if isinstance(value, Box):
        return value.held
    if isinstance(value, np.ndarray):
        raise TypeError("a NumPy array was given to the stand-in library")
    if isinstance(value, list | tuple):
        return type(value)(map(unwrap, value))
    return value


def _open_key(key: Any) -> Any:
    return tuple(map(unwrap, key)) if isinstance(key, tuple) else unwrap(key)


def _function(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        calls[name] += 1
        into = kwargs.get("out")
        found = function(*map(unwrap, args), **{k: unwrap(x) for k, x in kwargs.items()})
        return into if into is not None else wrap(found)

    return call


def _asarray(value: Any, dtype: Any = None) -> Box:
    calls["asarray"] += 1
    return value if isinstance(value, Box) else Box(value)


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(np, name)
        return _function(name, found) if callable(found) and not isinstance(found, type) else found


xp = _Module("stand_in")
xp.asarray = _asarray  # type: ignore[attr-defined]
calls: Counter[str] = Counter()


def _add_operators() -> None:
    names = [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "and",
        "or",
        "xor",
        "lshift",
        "rshift",
    ]
    for name in names:
        function = getattr(operator, f"{name}_" if name in ("and", "or") else name)
        setattr(Box, f"__{name}__", _operator(name, function))
        setattr(Box, f"__r{name}__", _operator(name, lambda x, y, f=function: f(y, x)))
    for name in ("eq", "ne", "lt", "le", "gt", "ge", "matmul", "neg", "pos", "abs", "invert"):
        setattr(Box, f"__{name}__", _operator(name, getattr(operator, name)))


def _operator(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: _function(name, function)(*args)


_add_operators()
