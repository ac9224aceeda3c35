"""Warnings of tensors that left a tape, as numbers of NumPy's or Python's, and were computed with.

`np.array([x[0], x[1]])` and `float(x)` give plain numbers, of which no tape can tell where they
came from; a gradient misses what is computed from them.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable

from autograph.errors import InvalidSourceError
from autograph.source.parse import parse
from autograph.transforms.cotangents import warn
from runtime.graph.location import Location
from runtime.scalar_conversion import Departure

HEADERS = ast.If | ast.While | ast.Assert
"""Statements that only look at a number, as do those that throw their value away.

What a function of a module makes of it, as in `rows.append(np.array([x, y]))`, is computed with.
"""


IN_A_FUNCTION = "it in a function under ag.function, which knows more derivatives"


def warn_of_missed(departures: Iterable[Departure]) -> None:
    """Warn, in the user's lines, of tensors that left a tape before it took other numbers."""
    for one in departures:
        if one.place is None or is_only_looked_at(one.place):
            continue
        what, instead = (
            ("becomes a number of Python's", "the tensor itself")
            if one.is_number
            else (f"is given to np.{one.function}, which no tape records,", IN_A_FUNCTION)
            if one.function
            else (
                "becomes a plain array",
                "np.stack([a, b]) for np.array([a, b]), which is recorded",
            )
        )
        warn(
            f"a tensor that a GradientTape follows {what} here, and the gradient has no "
            f"part by what is computed from that. Write {instead}; where its value is only to be "
            "looked at, x.numpy()",
            one.place,
        )


def is_only_looked_at(place: Location) -> bool:
    """Tell whether a statement prints, keeps or tests a number; False if it cannot be read."""
    try:
        tree = parse("".join(linecache.getlines(place.file)), place.file)
    except InvalidSourceError:
        return False
    at = place.line, place.span.column if place.span else 0
    inner: ast.stmt | None = None
    maker: ast.Call | None = None
    for node in ast.walk(tree):  # from the outermost one on
        if isinstance(node, ast.stmt) and (node.lineno, node.col_offset) <= at:
            inner = node if at[0] <= (node.end_lineno or 0) else inner
        if isinstance(node, ast.Call) and (node.lineno, node.col_offset) == at:
            maker = node
    is_printed = isinstance(inner, ast.Expr) and ast.unparse(inner).startswith("print(")
    makes_array = maker is not None and isinstance(maker.func, ast.Attribute)
    return is_printed or (isinstance(inner, ast.Expr | HEADERS) and not makes_array)
