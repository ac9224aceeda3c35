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
Take = Callable[[Any, Sequence[Any]], tuple[Any, ...] | None]


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
    """Return what takes a result apart: its parts, or None where it has not the form.

    Args:
        form: a text in the grammar of this module.

    >>> taker("(x, None)")((1.5, None), [])
    (1.5,)
    """
    tests: list[str] = []
    leaves: list[str] = []
    try:
        _read(ast.parse(form, mode="eval").body, "found", tests, leaves)
    except SyntaxError:
        raise GraphFormatError(f"{form} is no form of a result") from None
    parts = "".join(f"{leaf}, " for leaf in leaves)
    # nothing of a form is in this text but numbers and literals: it may come from a file
    text = f"lambda found, given: ({parts}) if {' and '.join(tests) or True} else None"
    return eval(text, {"is_cell": _is_cell, "text_of": text_of_constant})  # type: ignore[no-any-return]


def _read(node: ast.expr, at: str, tests: list[str], leaves: list[str]) -> None:
    """Add what a form asks of a part of a result, and where the parts of that are.

    Args:
        node: the form.
        at: an expression that gives the part.
        tests, leaves: expressions, which are added to.
    """
    if isinstance(node, ast.Name) and node.id in MARKS:
        leaves.append(at)
        tests += [test.format(at) for test in _TESTS.get(node.id, ())]
    elif isinstance(node, ast.Name) and is_operand(node.id):
        tests.append(f"{at} is given[{int(node.id[1:])}]")
    elif isinstance(node, ast.Tuple | ast.List):
        name = "tuple" if isinstance(node, ast.Tuple) else "list"
        _read_container(f"type({at}) is {name}", node.elts, at, tests, leaves)
    elif isinstance(node, ast.Call) and (name := ast.unparse(node.func)) not in _CONSTANTS:
        _read_container(f"type({at}).__name__ == {name!r}", node.args, at, tests, leaves)
    else:
        tests.append(f"text_of({at}) == {ast.unparse(node)!r}")


def _read_container(
    test: str, items: Sequence[ast.expr], at: str, tests: list[str], leaves: list[str]
) -> None:
    tests.append(f"{test} and len({at}) == {len(items)}")
    for k, item in enumerate(items):
        _read(item, f"{at}[{k}]", tests, leaves)


def _is_cell(found: Any) -> bool:
    return type(found) is np.ndarray and not found.ndim


_CONSTANTS = ("dtype", "slice", "type")
_TESTS = {"cell": ("is_cell({})",), "text": ("type({}) is str",)}
"""What is asked of parts; what an array or a number is, its spec tells."""
