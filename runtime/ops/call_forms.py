"""The form of what a call of NumPy gives: its containers and constants, with its parts left out.

    form = "x"                      an array, or a number
         | "cell"                   an array without axes
         | "text"                   a `str`
         | "any"                    an object that no spec describes: of a class, or a dtype, that
                                    values decide, or that arrays of a graph do not have
         | "_" number               that operand itself
         | "(" forms ")" | "[" forms "]" | name "(" forms ")"       a tuple, a list, a named tuple
         | constant                 None, a dtype, a slice, a number type, `...`

Comes in: such a text. Goes out: what takes results apart.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from runtime.errors import GraphFormatError

MARKS = frozenset(["x", "cell", "text", "any"])
"""Forms of what becomes a value of the graph."""

NUMBERS = frozenset([bool, int, float, complex])
Take = Callable[[Any, Sequence[Any], list[Any]], bool]


class Form(NamedTuple):
    """The form of a result.

    Args:
        mark: one of `MARKS`, an operand, `tuple`, `list`, the name of a named tuple, or the text of
            a constant.
        parts: of a container.
        cls: the class of a container, and None for others.
    """

    mark: str
    parts: tuple[Form, ...] = ()
    cls: type | None = None

    def __str__(self) -> str:
        if self.cls is None:
            return self.mark
        inner = ", ".join(map(str, self.parts))
        if self.cls is list:
            return f"[{inner}]"
        if self.cls is tuple:
            return f"({inner},)" if len(self.parts) == 1 else f"({inner})"
        return f"{self.mark}({inner})"

    def made(self, constant: Any, values: Iterator[Any], operands: Sequence[Any]) -> Any:
        """Return what has this form.

        Args:
            constant: a result of this form, of which the constants are taken.
            values: of the parts.
            operands: of the call.
        """
        if self.mark in MARKS:
            return next(values)
        if self.cls is None:
            return operands[int(self.mark[1:])] if is_operand(self.mark) else constant
        pairs = zip(self.parts, constant, strict=True)
        items = [part.made(item, values, operands) for part, item in pairs]
        return self.cls(*items) if hasattr(self.cls, "_fields") else self.cls(items)


def is_operand(name: str) -> bool:
    """Tell whether a name is that of an operand of a call.

    >>> is_operand("_0"), is_operand("_x")
    (True, False)
    """
    return name.startswith("_") and name[1:].isdigit()


def text_of_constant(value: Any) -> str | None:
    """Return the text of what is the same in all results; None for what is none of these.

    >>> text_of_constant(np.dtype("f8")), text_of_constant(slice(2)), text_of_constant({})
    ("dtype('float64')", 'slice(None, 2, None)', None)
    """
    if value is None or value is ... or isinstance(value, np.dtype):
        return repr(value)
    if isinstance(value, slice):
        bounds = (value.start, value.stop, value.step)
        return repr(value) if all(x is None or type(x) is int for x in bounds) else None
    return f"type('{value.__module__}.{value.__name__}')" if isinstance(value, type) else None


@lru_cache(maxsize=1024)
def taker(form: str) -> Take:
    """Return what takes a result apart: `(result, operands, leaves) -> whether it has the form`.

    Args:
        form: a text in the grammar of this module.

    >>> leaves = []
    >>> taker("(x, None)")((np.ones(2), None), [], leaves), leaves
    (True, [array([1., 1.])])
    """
    try:
        return _taker(ast.parse(form, mode="eval").body)
    except SyntaxError:
        raise GraphFormatError(f"{form} is no form of a result") from None


def _taker(node: ast.expr) -> Take:
    if isinstance(node, ast.Name) and node.id in _LEAVES:
        return _leaf(_LEAVES[node.id])
    if isinstance(node, ast.Name) and is_operand(node.id):
        number = int(node.id[1:])
        return lambda found, given, leaves: found is given[number]
    if isinstance(node, ast.Tuple | ast.List):
        return _container("tuple" if isinstance(node, ast.Tuple) else "list", node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name = node.func.id
        if name not in ("dtype", "slice", "type"):
            return _container(name, node.args)
    text = ast.unparse(node)
    return lambda found, given, leaves: text_of_constant(found) == text


def _is_array_or_number(found: Any) -> bool:
    return isinstance(found, np.generic) or type(found) is np.ndarray or type(found) in NUMBERS


_LEAVES: dict[str, Callable[[Any], bool]] = {
    "x": _is_array_or_number,
    "cell": lambda found: type(found) is np.ndarray and not found.ndim,
    "text": lambda found: type(found) is str,
    "any": lambda found: True,
}


def _leaf(test: Callable[[Any], bool]) -> Take:
    def take(found: Any, given: Sequence[Any], leaves: list[Any]) -> bool:
        leaves.append(found)
        return test(found)

    return take


def _container(name: str, items: Sequence[ast.expr]) -> Take:
    parts, count = [*map(_taker, items)], len(items)

    def take(found: Any, given: Sequence[Any], leaves: list[Any]) -> bool:
        if type(found).__name__ != name or len(found) != count:
            return False
        return all(part(x, given, leaves) for part, x in zip(parts, found, strict=True))

    return take
