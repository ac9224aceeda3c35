"""Branches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import autograph as ag
from tests.language.rows import row

BRANCHES = "Branches"


@row(
    BRANCHES, "`if`, `elif`, `else`", (2.0,), (0.0,), (-1.0,), staged="`cond`", reference="the same"
)
def if_elif_else(x):
    if x > 1:
        y = x * 2
    elif x > -0.5:
        y = x + 5
    else:
        y = -x
    return y


@row(BRANCHES, "`if` without `else`", (2.0,), (-1.0,), staged="`cond`", reference="the same")
def if_only(x):
    if x < 0:
        x = -x
    return x


@row(
    BRANCHES,
    "`if` on `is`, `isinstance`, `hasattr`",
    (2.0, None),
    (2.0, 3.0),
    kept=False,
    staged="decided while tracing: a staged value answers as NumPy's",
    reference="`is` is Python's, while tracing",
)
def static_tests(x, y):
    if y is None:
        return x
    if hasattr(y, "shape") and not isinstance(y, str):
        return x + y
    return -x


@row(
    BRANCHES,
    "functions, strings or structures that differ between the arms",
    (2.0,),
    (-2.0,),
    staged="`cond`: what is done with one of several is done with each, in a branch of its own",
    reference="refused: the structures are compared",
)
def chosen_function(x):
    shape, result = np.sin, ("positive", x)
    if x < 0:
        shape, result = abs, ("negative", [x, None])
    return shape(x), result


@row(
    BRANCHES,
    "a chain of forty `elif`",
    (3.0,),
    (38.0,),
    (99.0,),
    staged="`cond`",
    reference="the same",
)
def long_chain(x):
    if x == 0:
        return 100.0
    elif x == 1:
        return 101.0
    elif x == 2:
        return 102.0
    elif x == 3:
        return 103.0
    elif x == 4:
        return 104.0
    elif x == 5:
        return 105.0
    elif x == 6:
        return 106.0
    elif x == 7:
        return 107.0
    elif x == 8:
        return 108.0
    elif x == 9:
        return 109.0
    elif x == 10:
        return 110.0
    elif x == 11:
        return 111.0
    elif x == 12:
        return 112.0
    elif x == 13:
        return 113.0
    elif x == 14:
        return 114.0
    elif x == 15:
        return 115.0
    elif x == 16:
        return 116.0
    elif x == 17:
        return 117.0
    elif x == 18:
        return 118.0
    elif x == 19:
        return 119.0
    elif x == 20:
        return 120.0
    elif x == 21:
        return 121.0
    elif x == 22:
        return 122.0
    elif x == 23:
        return 123.0
    elif x == 24:
        return 124.0
    elif x == 25:
        return 125.0
    elif x == 26:
        return 126.0
    elif x == 27:
        return 127.0
    elif x == 28:
        return 128.0
    elif x == 29:
        return 129.0
    elif x == 30:
        return 130.0
    elif x == 31:
        return 131.0
    elif x == 32:
        return 132.0
    elif x == 33:
        return 133.0
    elif x == 34:
        return 134.0
    elif x == 35:
        return 135.0
    elif x == 36:
        return 136.0
    elif x == 37:
        return 137.0
    elif x == 38:
        return 138.0
    elif x == 39:
        return 139.0
    return -1.0


@row(
    BRANCHES,
    "a variable that one arm assigns",
    (2.0,),
    (-1.0,),
    staged="`cond`; reading it unassigned is an UnboundLocalError when the graph runs",
    reference="refused: ValueError, the other arm must assign it, too",
)
def one_arm_assigns(x):
    if x > 0:
        y = x
    return y


@row(BRANCHES, "attributes as state", (2.0,), (-1.0,), staged="`cond`", reference="the same")
def attributes(x):
    point = Point(x, x)
    if x > 0:
        point.x = x * 2
    return point.x + point.y


@dataclass
class Point:
    x: Any
    y: Any


@row(
    BRANCHES,
    "items of a list or dict as state",
    (2.0,),
    (-2.0,),
    staged="`cond`",
    reference="the same, for constant keys",
)
def items(x):
    found = {"x": x}
    if x > 0:
        found["x"] = x * 2
    return found["x"]


@row(
    BRANCHES,
    "`None` or a string in one arm, a number in the other",
    (2.0,),
    (-2.0,),
    staged="`cond`: it is one of several things, and any use of it is a branch",
    reference="refused: it is None at the end of the branch",
)
def none_in_one_arm(x):
    y = None
    if x > 0:
        y = x
    return y


@row(
    BRANCHES,
    "an array as a condition",
    ([1.0, 2.0],),
    refused=(ValueError, "use .any() or .all(), or np.where"),
    reference="refused: a condition is a scalar",
)
def array_condition(x):
    if x > 0:
        return 1.0
    return 2.0


@row(
    BRANCHES,
    "`raise` in an arm",
    (2.0,),
    (-1.0,),
    staged="`check`",
    reference="raised while tracing, whichever arm runs",
)
def raise_in_an_arm(x):
    if x < 0:
        raise ValueError("negative")
    return x


@row(
    BRANCHES,
    "an index out of range in the arm that is not taken",
    (2.0,),
    (0.0,),
    staged="`check`",
    reference="raised while tracing",
)
def unreachable_error(x):
    values = np.zeros(3)
    if x < 1:
        return values[4]
    return values[2] + x


@row(
    BRANCHES,
    '`if ag.hint(..., mode="elementwise")`',
    (5.0,),
    (-5.0,),
    staged="`cond`; for each element of an array by `where`, in what it calls and encloses, too",
    reference="no such hint",
)
def elementwise(x):
    y = 0.0
    if ag.hint(x > 0 and x < 9, mode="elementwise"):
        y = x
    return y


@row(
    BRANCHES,
    '`if ag.hint(..., mode="python")` of a staged value',
    (5.0,),
    refused=(ag.StagedBoolError, "this branch has hint(mode='python'), and it depends on bool[]"),
    reference="no such hint",
)
def not_decided(x):
    return 1 if ag.hint(x > 0, mode="python") else 2
