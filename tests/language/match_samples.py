"""`match`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.language.rows import row

MATCH = "`match`"


@dataclass
class Circle:
    radius: Any


@dataclass
class Box:
    width: Any
    height: Any


class Level:
    low = 1.0


@row(
    MATCH,
    "literals, dotted names, `|`",
    (0.0,),
    (1.0,),
    (3.0,),
    (9.0,),
    staged="`cond`",
    reference="the conversion fails",
)
def literals(x):
    match x:
        case 0:
            return 10.0
        case Level.low | 2:
            return 20.0
        case -1 | 3:
            y = x
        case _:
            y = 30.0
    return y


@row(MATCH, "guards", (0.0,), (4.0,), (-4.0,), staged="`cond`", reference="the conversion fails")
def guards(x):
    match x:
        case y if y > 3:
            return y
        case 0 | 1 if x < 1:
            return 5.0
    return y - 1


@row(
    MATCH,
    "classes, by position and by keyword",
    (2.0, 3.0),
    (0.0, 3.0),
    (2.0, 0.0),
    staged="the class while tracing, values by `cond`",
    reference="the conversion fails",
)
def classes(w, h):
    total = 0.0
    for shape in (Circle(w), Box(w, h)):
        match shape:
            case Circle(radius=0) | Box(0, _) | Box(height=0):
                total += 100
            case Circle(r) if r > 1:
                total += r * r
            case Box(a, b) as box:
                total += a * b - box.width
    return total


@row(
    MATCH,
    "sequences and stars over tuples and lists",
    (0.0, 1.0),
    (1.0, 0.0),
    (1.0, 1.0),
    staged="lengths while tracing, values by `cond`",
    reference="the conversion fails",
)
def sequences(x, y):
    match (x, [y, 2.0, x]):
        case 0, [first, *rest]:
            return first + len(rest)
        case a, [0, *_, last]:
            return a - last
        case [_, [_, two, _]]:
            return two


@row(
    MATCH,
    "mappings",
    (0.0, 1.0),
    (1.0, 2.0),
    staged="keys while tracing, values by `cond`",
    reference="the conversion fails",
)
def mappings(x, y):
    match {"x": x, "y": y}:
        case {"z": z}:
            return z
        case {"x": 0, **others}:
            return others["y"]
        case {"y": z}:
            return z * 10


@row(
    MATCH,
    "captures that a failed guard leaves",
    (1.0,),
    (7.0,),
    staged="`cond`",
    reference="the conversion fails",
)
def captures(x):
    match (x, x + 1):
        case (a, b) if a > 5:
            a = b
        case _:
            pass
    return a, b


@row(
    MATCH,
    "an array as the subject",
    ([1.0, 2.0],),
    staged="a sequence from NumPy 2.5 on, as in Python",
    reference="the conversion fails",
)
def array_subject(x):
    match x:
        case [a, b]:
            return a + b
        case np.ndarray(shape=(n,)):
            return x[0] + n
    return x


@row(
    MATCH,
    "a staged number as the subject of a class",
    (1.0,),
    staged="by the class it will have",
    reference="the conversion fails",
)
def number_subject(x):
    match x:
        case int():
            return 1.0
        case float(y):
            return y + 1
    return x


@row(
    MATCH,
    "`break`, `continue`, `return` in arms",
    ([1.0, 0.0, 2.0],),
    ([1.0, 9.0, 2.0],),
    ([1.0, -3.0, 2.0],),
    staged="`while_loop`, `cond`",
    reference="the conversion fails",
)
def jumps(xs):
    total = 0.0
    for x in xs:
        match x:
            case 0:
                continue
            case 9:
                break
            case y if y < 0:
                return y
        total += x
    return total


@row(
    MATCH,
    "strings, structure and `None` only",
    (1.0,),
    kept=True,
    staged="decided while tracing",
    reference="the conversion fails",
)
def structure(x):
    match ("scale", {"by": x}):
        case ("shift", _):
            return x
        case ("scale", {"by": factor}):
            return factor * 2
