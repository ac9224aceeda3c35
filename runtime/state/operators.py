"""The methods that Python's operators and conversions call, for what holds an array: they read it.

In place (`v += 1`) they change it, as they change an array.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from runtime.operator_methods import BINARY, COMPARISONS, UNARY
from runtime.tensor import value_now


def _reads(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *others: Any) -> Any:
        return function(self.read(), *map(value_now, others))

    method.__name__ = name
    return method


def _reflected(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        return function(other, self.read())

    method.__name__ = name
    return method


def _in_place(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        self.change(function, other)
        return self

    method.__name__ = name
    return method


def operators() -> Iterator[Callable[..., Any]]:
    """Yield the methods that Python's operators and conversions call."""
    for name in BINARY.values():
        function = getattr(operator, {"and": "and_", "or": "or_"}.get(name, name))
        yield _reads(f"__{name}__", function)
        yield _reflected(f"__r{name}__", function)
        yield _in_place(f"__i{name}__", function)
    for name in COMPARISONS.values():
        yield _reads(f"__{name}__", getattr(operator, name))
    for name in UNARY.values():
        yield _reads(f"__{name}__", getattr(operator, name))
    yield _reflected("__rdivmod__", divmod)
    for name, function in _CONVERSIONS.items():
        yield _reads(f"__{name}__", function)


_CONVERSIONS: dict[str, Callable[..., Any]] = {
    "bool": bool, "int": int, "float": float, "complex": complex, "index": operator.index,
    "len": len, "iter": iter, "contains": operator.contains, "round": round, "divmod": divmod,
}  # fmt: skip
