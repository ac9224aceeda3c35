"""Sample functions with `match`, each with the arguments to compare it on."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from tests.autograph.converters.sampling import calls


class Color(Enum):
    RED = 1
    GREEN = 2


@dataclass
class Circle:
    radius: float


class Corner(NamedTuple):
    x: float
    y: float


class Loud:
    """An object that notes what is asked of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> int:
        if name.startswith("__"):
            raise AttributeError(name)
        self.asked.append(name)
        return 3

    def __eq__(self, other: object) -> bool:
        self.asked.append(f"== {other}")
        return other == 2

    __hash__ = None


@calls((0,), (1,), (2,), (-1,), (1.0,), (True,), ("a",), (b"b",), (2 + 3j,), (None,), (Color.RED,))
def literals(x):
    match x:
        case 0:
            return "zero"
        case True:
            return "true"
        case 1 | 2:
            return "one or two"
        case -1 | "a":
            return "minus one"
        case b"b" | 2 + 3j:
            return "bytes"
        case None:
            return "nothing"
        case Color.RED | Color.GREEN:
            return "color"
    return "other"


@calls((Circle(0),), (Circle(2),), (Circle(-2),), (Corner(0, 1),), (Corner(1, 1),), (Corner(3, 1),))
def classes(shape):
    match shape:
        case Circle(radius=0):
            result = "point"
        case Circle(r) if r > 0:
            result = r
        case Corner(0, y) | Corner(y=0, x=y):
            result = y
        case Corner(x, y) as corner if x == y:
            result = corner
        case (a, b):
            result = (r if "r" in "r" and a > 5 else a, b)
        case other:
            result = (r, other)
    return result


@calls(([],), ([1],), ([1, 0],), ((1, 2, 3),), (deque([1, 2, 0]),), ("ab",), (range(3),), ({1},))
def sequences(x):
    match x:
        case []:
            return "empty"
        case [1]:
            return "one"
        case [first, 0]:
            return first
        case [first, *_, 0]:
            return first, "zero"
        case [_, *middle, last] if last > 1:
            return middle, last
        case [*everything]:
            return everything
    return None


@calls(({},), ({"a": 0},), ({"a": 1, "b": 2},), ({1: 5, "c": 6},), (OrderedDict(a=2),), ([],))
def mappings(x):
    match x:
        case {"a": 0}:
            return "zero"
        case {"a": 1, **rest}:
            return rest
        case {Color.RED: _}:
            return "color"
        case {"c": c, 1: one}:
            return c, one
        case {"a": a} if a > 2:
            return a
        case {}:
            return "mapping"
    return "no mapping"


@calls((3,), (30,), (0,))
def captures_stay_bound(x):
    log = []
    match [x, x + 1]:
        case [a, b] if log.append(a) or a > 10:
            log.append("first")
        case [3, c]:
            log.append(c)
        case a:
            log.append("last")
    return log, a, b


@calls((1,), (2,), (5,))
def the_subject_is_evaluated_once(x):
    log = []

    def subject():
        log.append("subject")
        return x

    match subject():
        case 1:
            log.append("one")
        case 2 if log.append("guard"):
            log.append("never")
        case x if x > 4:
            log.append("large")
    return log, x


@calls((1,), (2,))
def a_guard_that_rebinds_the_subject(x):
    def rebind():
        nonlocal x
        x = 0
        return False

    match x:
        case 1 if rebind():
            return "never"
        case 0:
            return "rebound"
        case 1 | 2:
            return "kept"


@calls((1,), (2,), (3,))
def a_walrus_in_a_guard(x):
    match x:
        case 1 if (y := x + 1) > 5:
            return "never"
        case 2 | 1 if (y := x + 5) > 5:
            pass
        case _:
            y = 0
    return y


@calls((1,), (2,))
def order_of_questions(n):
    loud = Loud()
    match loud:
        case Loud(a=1, b=2):
            found = "a and b"
        case Loud(c=3, d=x) if x == n:
            found = x
        case 1 | 2 | 3:
            found = "equal"
        case _:
            found = None
    return found, loud.asked


@calls(([0, 1, 2, 3, 4],), ([1, 2, 9, 4],), ([],), ([7, 5],))
def jumps_in_arms(xs):
    log = []
    for x in xs:
        match x:
            case 0:
                continue
            case 3:
                break
            case 9:
                return "nine", log
            case y if y > 5:
                if y > 6:
                    continue
                log.append(-y)
            case 1 | 2 as z:
                while z:
                    z -= 1
                log.append(z)
        log.append(x)
    else:
        log.append("else")
    return log


@calls((0,), (1,), ("1",))
def errors_of_patterns(x):
    match x:
        case int(a, b):
            return a, b
        case Circle(1, 2):
            return "circle"
    return "none"


@calls((0,))
def a_class_that_is_none(x):
    kind = 3
    match x:
        case kind():
            return "never"


@calls((1,), (2,))
def a_name_that_is_never_read(x):
    match x:
        case 1:
            return "one"
        case nothing.here:  # noqa: F821
            return "never"


@calls((Corner(1, Circle([2, {"k": 3}])),), (Corner(1, Circle([2, {"k": 4}])),), (Corner(1, 2),))
def nested_patterns(x):
    match x:
        case Corner(1, Circle([2, {"k": 3 | 5 as k}])):
            return k
        case Corner(y=Circle(radius=[_, {"k": int() | float() as k}])):
            return -k
        case Corner(x=int(n)):
            return n


@calls((1,), (7,), ("x",))
def a_match_in_try_and_with_a_jump_in_finally(x):
    while True:
        try:
            match x:
                case 1:
                    return "one"
                case "x":
                    raise ValueError
                case n if n > 5:
                    x = 1
                    continue
        except ValueError:
            break
        finally:
            match x:
                case 1:
                    break
    return x


@calls((0,), (3,))
def unbound_without_a_match(x):
    match x:
        case 3:
            y = 1
    return y


class Private:
    def __init__(self, value: Any) -> None:
        self.__value = value

    def captured(self) -> Any:
        match self.__value:
            case 0:
                return "zero"
            case [__first, *_] if __first:
                return __first
            case __other:
                return (__other,)


@calls((0,), ([1, 2],), ([0],), (4,))
def private_names(x):
    return Private(x).captured()


@calls((0,), (1,), (2,), (9,))
def jumps_out_of_a_plain_loop(n):
    found = []
    for x in (1, 2, 3, 4):
        match x + n:
            case 3:
                break
            case 2:
                continue
        found.append(x)
    return found
