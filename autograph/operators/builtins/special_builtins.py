"""Builtins that ask a method of an object of the user's: `abs`, `float`, `str`, `len`, `round`, ...

Comes in: a builtin, and what its first argument may be asked. Goes out: what the method gives, of
the class that Python makes sure of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from autograph import conversion
from autograph.operators import table
from autograph.operators.builtins import decompositions
from autograph.operators.builtins.type_queries import plain_type
from autograph.operators.containers.columns import need
from autograph.operators.objects import operands
from autograph.operators.objects.special_methods import method_of, special
from autograph.operators.objects.union_values import each
from runtime.errors import StagedValueError
from runtime.tensor import is_staged
from runtime.union import Choice

NOT_OURS = object()
_CLASSES = {
    "__bool__": bool,
    "__complex__": complex,
    "__float__": float,
    "__format__": str,
    "__hash__": int,
    "__index__": int,
    "__int__": int,
    "__len__": int,
    "__repr__": str,
    "__str__": str,
}
"""The class of what a method gives, where Python makes sure of it."""
_SIGNS = {divmod: "divmod()", pow: "**"}


FORMAT = ("__format__", "__str__", "__repr__")
STR = ("__str__", "__repr__")
REPR = ("__repr__",)


def asked(
    function: Any,
    methods: Sequence[str],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """Return what a builtin gives that asks its first argument.

    Args:
        function: the builtin.
        methods: the names of the methods that it asks for, the first that there is.
        args: its positional arguments.
        kwargs: its keyword arguments.
    """
    found = answered(function, methods, args, kwargs)
    return function(*args, **kwargs) if found is NOT_OURS else found


def answered(
    function: Any, methods: Sequence[str], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    """Return the same, or `NOT_OURS` where no method of the user's is asked."""
    if function in _SIGNS and len(args) == 2:
        is_known = operands.knows(_SIGNS[function], *args)
        return operands.binary(_SIGNS[function], *args) if is_known else NOT_OURS
    kind = type(args[0])
    name = _name_of(kind, methods)
    rest = [x for x in (*args[1:], *kwargs.values()) if x is not None]
    if function is format:
        if name != "__format__" and any(rest):
            return NOT_OURS  # it is Python's TypeError
        rest = (rest or [""]) if name == "__format__" else []
    if name is None or (function is str and rest):
        return NOT_OURS
    if function is next and rest:
        recipe: Any = decompositions.item_or
        return conversion.convert(recipe, table.operators)(*args)
    return _checked(function, kind, name, table.operators.call(special(args[0], name), *rest))


def _name_of(kind: type, methods: Sequence[str]) -> str | None:
    """Return the name of the method that Python asks, if that is one of the user's."""
    for name in methods:
        if method_of(kind, name) is not None:
            return name
        found = getattr(kind, name, None)
        if found is not None and found is not getattr(object, name, None):
            return None
    return None


def _checked(function: Any, kind: type, name: str, found: Any) -> Any:
    """Return what a method gave, as the builtin gives it; Python's TypeError for another class."""
    if type(found) is Choice:
        return each(found, lambda option: _checked(function, kind, name, option))
    wanted = _CLASSES.get(name)
    if wanted is None:
        return found
    if name == "__hash__" and is_staged(found):
        raise StagedValueError(
            f"hash() of an object of class {kind.__name__}, which is known only when the graph "
            "runs; as a key use a number or a text that is known"
        )
    given = plain_type(found)
    if given is not wanted:
        _try(function, kind, name, _example(found, given))
    if function is len:
        need(found >= 0, ValueError, "__len__() should return >= 0")
    made = int if function in (len, hash) else function
    return found if given is made or wanted is str else table.operators.call(made, found)


def _try(function: Any, kind: type, name: str, example: Any) -> None:
    """Have Python say what it thinks of what a method gives."""
    stand_in = type(kind.__name__, (), {name: lambda self, *given: example})
    function(stand_in())


def _example(found: Any, kind: type) -> Any:
    if not is_staged(found):
        return found
    return np.zeros(found.spec.shape or ()) if kind is np.ndarray else kind(0)
