"""Classes with the special methods, properties and descriptors that a program may have.

Each method decides by a number of its object, which is staged where the object is made of one.
"""

from __future__ import annotations

import enum
import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


class Number:
    """Has all operators; what they give is a number, and in-place ones change the object."""

    def __init__(self, x: Any) -> None:
        self.x = x
        self.asked = 0

    def _of(self, other: Any, sign: float) -> Any:
        self.asked += 1
        y = other.x if isinstance(other, Number) else other
        if self.x > 0:
            return self.x + sign * y
        return sign * self.x - y

    def __add__(self, other):
        return self._of(other, 1)

    def __radd__(self, other):
        return self._of(other, 2)

    def __sub__(self, other):
        return self._of(other, 3)

    def __rsub__(self, other):
        return self._of(other, 4)

    def __mul__(self, other):
        return self._of(other, 5)

    def __rmul__(self, other):
        return self._of(other, 6)

    def __truediv__(self, other):
        return self._of(other, 7)

    def __rtruediv__(self, other):
        return self._of(other, 8)

    def __floordiv__(self, other):
        return self._of(other, 9)

    def __mod__(self, other):
        return self._of(other, 10)

    def __pow__(self, other, modulus=None):
        return self._of(other, 11 if modulus is None else modulus)

    def __matmul__(self, other):
        return self._of(other, 12)

    def __rmatmul__(self, other):
        return self._of(other, 13)

    def __divmod__(self, other):
        return self._of(other, 14), other

    def __and__(self, other):
        return self._of(other, 15)

    def __or__(self, other):
        return self._of(other, 16)

    def __xor__(self, other):
        return self._of(other, 17)

    def __lshift__(self, other):
        return self._of(other, 18)

    def __rshift__(self, other):
        return self._of(other, 19)

    def __iadd__(self, other):
        if self.x > 0:
            self.x += other
        else:
            self.x -= other
        return self

    def __lt__(self, other):
        return self._of(other, -1) < 0

    def __ge__(self, other):
        return self._of(other, -1) >= 0

    def __eq__(self, other):
        if self.x > 5:
            return True
        return self._of(other, -1) == 0

    __hash__ = None

    def __neg__(self):
        return -self.x if self.x > 0 else 100.0

    def __pos__(self):
        return self.x if self.x > 0 else 200.0

    def __invert__(self):
        return self.x if self.x > 0 else 300.0

    def __abs__(self):
        return self.x if self.x > 0 else 400.0

    def __round__(self, digits=None):
        if self.x > 0:
            return self.x if digits is None else digits
        return -1

    def __float__(self):
        if self.x > 0:
            return float(self.x)
        return 0.5

    def __int__(self):
        if self.x > 0:
            return int(self.x)
        return -7

    def __complex__(self):
        if self.x > 0:
            return complex(self.x)
        return 1j

    def __bool__(self):
        if self.x > 0:
            return True
        return False

    def __str__(self):
        if self.x > 0:
            return "above"
        return "below"

    def __repr__(self):
        if self.x > 0:
            return f"Number({self.x})"
        return "Number(-)"

    def __format__(self, form):
        if self.x > 0:
            return "+" + form
        return "-" + form


class Box:
    """Has items, by any index."""

    def __init__(self, x: Any) -> None:
        self.x = x
        self.log = 0.0

    def __len__(self):
        if self.x > 0:
            return 3
        return 0

    def __getitem__(self, index):
        if self.x > 0:
            return self.x * index
        return index + 0.5

    def __setitem__(self, index, value):
        if value > 0:
            self.log += index
        else:
            self.x = value

    def __delitem__(self, index):
        if self.x > 0:
            self.log -= index

    def __contains__(self, value):
        if self.x > 0:
            return value == self.x
        return 3.0

    def __iter__(self):
        if self.x > 0:
            yield self.x
        yield 1.0
        yield 2.0

    def __reversed__(self):
        yield 2.0
        if self.x > 0:
            yield self.x


class Countdown:
    """An iterator."""

    def __init__(self, n: Any) -> None:
        self.n = n

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


class Indexed:
    """Has items by number, and no `__iter__`."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __getitem__(self, index: int) -> Any:
        if index >= 3:
            raise IndexError(index)
        if self.x > 0:
            return self.x + index
        return -1.0


class Clamped:
    """A descriptor whose values are 5 at most."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, kind=None):
        if owner is None:
            return self
        value = getattr(owner, self.name)
        if value > 0:
            return value
        return -value

    def __set__(self, owner, value):
        if value > 5:
            value = 5.0
        setattr(owner, self.name, value)

    def __delete__(self, owner):
        if getattr(owner, self.name) > 0:
            setattr(owner, self.name, 0.0)


class Doubled:
    """A descriptor that what an object has of its own comes before."""

    def __get__(self, owner, kind=None):
        return owner.x * 2 if owner.x > 0 else 7.0


class Model:
    """Has attributes that code reads and writes."""

    clamped = Clamped()
    doubled = Doubled()

    def __init__(self, x: Any) -> None:
        self.x = x
        self.__hidden = x
        self.clamped = x

    @property
    def size(self):
        if self.x > 0:
            return self.x
        return -self.x

    @size.setter
    def size(self, value):
        if value > 1:
            self.x = value
        else:
            self.x = 1.0

    @size.deleter
    def size(self):
        if self.x > 0:
            self.x = 0.0

    @property
    def hidden(self):
        if self.__hidden > 0:
            return self.__hidden
        return 9.0

    @property
    def failing(self):
        if self.x > 0:
            raise AttributeError("none")
        return self.x

    @functools.cached_property
    def cached(self):
        if self.x > 0:
            return self.x * 10
        return self.x - 10


class Heir(Model):
    """Goes on with what its parent has."""

    @property
    def size(self):
        if self.x > 2:
            return super().size + 100
        return super().size


class Open:
    """Makes up attributes that it does not have, and keeps them in its own way."""

    def __init__(self, x: Any) -> None:
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "count", 0)

    def __getattr__(self, name):
        if name == "unknown":
            raise AttributeError(name)
        if self.x > 0:
            return self.x
        return 5.0

    def __setattr__(self, name, value):
        if value > 0:
            object.__setattr__(self, name, value)
        object.__setattr__(self, "count", self.count + 1)

    def __delattr__(self, name):
        if self.x > 0:
            object.__setattr__(self, "count", -1)


class First:
    """Does not know others where its number is positive."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __add__(self, other):
        if self.x > 0:
            return NotImplemented
        return "first"

    def __lt__(self, other):
        return NotImplemented


class Second:
    """The other one."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __radd__(self, other):
        if self.x > 2:
            return NotImplemented
        return "second"

    def __gt__(self, other):
        return self.x > 1


class Base:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __add__(self, other):
        return "base" if self.x > 0 else "negative base"

    def __radd__(self, other):
        return "reflected base" if self.x > 0 else "negative reflected base"

    def __lt__(self, other):
        return "base is less" if self.x > 0 else "no"

    def __gt__(self, other):
        return "base is greater" if self.x > 0 else "no"


class Overriding(Base):
    def __radd__(self, other):
        found = super().__radd__(other)
        return found + ", by its child" if self.x > 0 else found


class Inheriting(Base):
    """Overrides nothing, so that its reflected method does not come first."""


@functools.total_ordering
class Ordered:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __eq__(self, other):
        if self.x > 100:
            return False
        return self.x == other.x

    def __lt__(self, other):
        if self.x > 0:
            return self.x < other.x
        return True

    __hash__ = None


class Below:
    """Has an order, but for NaN."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __lt__(self, other):
        return self.x < other.x if self.x < 100 else False


class Nothing:
    """Has no special methods."""


class Option(enum.Flag):
    ONE = 1
    TWO = 2


def _deleted(one, x):
    del one[x]


def _assigned(one, x):
    one[x] = 1.0


REFUSED_BY_PYTHON = (
    lambda one, x: one + x,
    lambda one, x: x - one,
    lambda one, x: one < x,
    lambda one, x: x < one,
    lambda one, x: -one,
    lambda one, x: one[x],
    lambda one, x: x in one,
    lambda one, x: divmod(one, x),
    lambda one, x: abs(one) + x,
    lambda one, x: float(one) + x,
    lambda one, x: list(one) + x,
    _assigned,
    _deleted,
)


@dataclass(order=True)
class Point:
    x: Any
    y: Any

    @property
    def norm(self):
        return math.hypot(self.x, self.y) if self.x > 0 else -1.0


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3
    AZURE = 3


def operators(x):
    v, w = Number(x), Number(2.0)
    return (
        v + w,
        v - 1,
        v * 2,
        v / w,
        v // w,
        v % 3,
        v**2,
        v @ w,
        v & 1,
        v | w,
        v ^ 2,
        v << 1,
        v >> w,
    )


def reflected(x):
    v = Number(x)
    return 1 + v, 2.0 - v, 3 * v, 4.0 / v, 5 @ v


def beside_numbers_of_numpy(x):
    v = Number(3.0)
    return x + v, x - v, x * v, x @ v, v + x


def comparisons(x):
    v, w = Number(x), Number(1.0)
    return v < w, v >= w, v == w, v != w, 2 > v, 1.0 != v, 0 < v < w


def signs(x):
    v = Number(x)
    return -v, +v, ~v, abs(v), not v


def conversions(x):
    v = Number(x)
    return float(v), int(v), complex(v), bool(v), round(v), round(v, 2), divmod(v, 3), pow(v, 2, 5)


def texts(x):
    v = Number(x)
    return str(v), repr(v), f"{v} {v!r} {v!s} {v:>5}", format(v), format(v, "x")


def texts_of_containers(x):
    v = Number(x)
    return str([v, 1]), f"{(v,)}", "%s %r" % (v, v), "{} {!r}".format(v, v), repr({"k": v})


def in_place(x):
    v = kept = Number(x)
    v += 1.0
    v += x
    return v.x, kept is v


def in_place_by_the_binary_one(x):
    v = Number(x)
    v -= 1.0
    w = 3.0
    w += Number(x)
    return v, w


class Holder:
    def __init__(self, part: Any) -> None:
        self.part = part
        self.calls = 0

    def get(self) -> Any:
        self.calls += 1
        return self.part


def in_place_of_attributes_and_items(x):
    held = Holder(Holder(Number(x)))
    held.get().part += 1.0
    held.part.part += 2.0
    items = [Number(x), 0.0]
    items[0] += 1.0
    items[1] += Number(x)
    return held.part.part.x, held.calls, items[0].x, items[1]


def items(x):
    box = Box(x)
    box[2] = x
    box[1] = 4.0
    del box[3]
    box[0] += 1.0
    return box[2], box.x, box.log, len(Box(x)), 2.0 in box, 9.0 not in Box(x)


def iteration(x):
    total = 0.0
    for value in Box(x):
        total += value
    return total, list(Box(x)), sum(Box(x)), [v + 1 for v in Box(x)], max(Box(x))


def iteration_that_ends(x):
    total = 0.0
    for value in Box(x):
        total += value
        if total > 1.5:
            break
    else:
        total += 100.0
    for value in reversed(Box(x)):
        total += value
    return total


def unpacking(x):
    first, *rest = Box(x)
    return first, rest, [*Box(x), 5.0]


def unpacking_by_count(x):
    a, b, c = Indexed(x)
    return a, b, c


def members_by_iteration(x):
    return 3.0 in Indexed(x), -1.0 in Indexed(x), 1 in Countdown(x)


def indexed(x):
    total = 0.0
    for value in Indexed(x):
        total += value
    return total, list(Indexed(x)), list(enumerate(Indexed(x)))


def iterators(x):
    total = 0
    for n in Countdown(x):
        total += n
    return total, list(Countdown(x)), sum(Countdown(x))


def iterators_that_are_left(x):
    down = Countdown(6)
    total = 0
    for n in down:
        total += n
        if total > x:
            break
    return total, down.n


def next_items(x):
    down = Countdown(3)
    first = next(down)
    if x > 2:
        first += next(down)
    return first, down.n, next(Countdown(x), "none")


def properties(x):
    model = Model(x)
    size = model.size
    model.size = size + x
    return size, model.x, model.hidden, model.clamped, model.doubled


def deleted_properties(x):
    model = Model(x)
    del model.size
    del model.clamped
    return model.x, model.clamped


def properties_by_name(x):
    model = Model(x)
    setattr(model, "size", 3 * x)
    found = getattr(model, "size"), hasattr(model, "size"), getattr(model, "none", 4.0)
    delattr(model, "size")
    return found, model.x, hasattr(model, "failing"), getattr(model, "failing", "default")


def properties_in_place(x):
    model = Model(x)
    model.size += 2.0
    model.clamped *= 3
    return model.x, model.clamped


def targets_with_properties(x):
    model = Model(x)
    model.size, model.clamped = model.clamped, x * 2
    for model.size in (x, 3.0):
        pass
    return model.size, model.clamped


def properties_in_branches(x):
    model = Model(2.0)
    if x > 1:
        model.size = x
        found = model.size
    else:
        model.clamped = x
        found = model.hidden
    return found, model.x, model.clamped


def properties_in_loops(x):
    model, n = Model(1.0), 0
    while model.size < x:
        model.size = model.size * 2
        n += 1
        if model.clamped > 3:
            break
        model.clamped += 1.5
    return model.x, model.clamped, n


def properties_in_tries(x):
    model = Model(x)
    try:
        found = model.failing
    except AttributeError as error:
        found = str(error)
    else:
        model.size = 8.0
    finally:
        model.clamped = 2.0
    return found, model.x, model.clamped


def shadowed_descriptors(x):
    model = Model(x)
    before = model.doubled
    if x > 1:
        model.doubled = 40.0
    return before, model.doubled


def cached(x):
    model = Model(x)
    if x > 1:
        found = model.cached
        model.x = 0.0
    else:
        found = 3.0
    return found, model.cached, model.cached


def inherited(x):
    heir = Heir(x)
    return heir.size, heir.hidden, heir.cached


def made_up(x):
    one = Open(x)
    one.y = x
    one.z = 3.0
    del one.x
    return one.y, one.z, one.count, one.other, hasattr(one, "unknown"), getattr(one, "unknown", 1)


def made_up_in_branches(x):
    one = Open(x)
    if x > 1:
        one.y = 2 * x
    return one.y, one.count


def not_implemented(x):
    try:
        return First(x) + Second(x)
    except TypeError as error:
        return str(error)


def not_implemented_by_numbers(x):
    try:
        return First(x) + 1.0
    except TypeError as error:
        return str(error)


def comparisons_not_implemented(x):
    try:
        return First(x) < Second(x), First(x) < First(x)
    except TypeError as error:
        return str(error)


def identity_where_nothing_is_known(x):
    a, b = First(x), First(x)
    return a == b, a != b, a == a, a != a  # noqa: PLR0124  (what objects are without `__eq__`)


def children_come_first(x):
    base, child = Base(x), Overriding(x)
    return base + child, base + Inheriting(x), base < child, base < Inheriting(x), child + base


def sequences_beside_objects(x):
    try:
        return [1] + Number(x), (1,) * Number(x), [1] + First(x)
    except TypeError as error:
        return str(error)


def ordered(x):
    a, b = Ordered(x), Ordered(2)
    return a > b, a <= b, a >= b, a != b, max(a, b).x, min([b, a, Ordered(1)]).x


def sorted_objects(x):
    found = sorted([Ordered(x), Ordered(3), Ordered(1)])
    return [one.x for one in found], [v.x for v in sorted([Ordered(x), Ordered(2)], reverse=True)]


def points(x):
    a, b = Point(x, 1.0), Point(2, x)
    return a == b, a < b, a >= b, a != Point(x, 1.0), repr(a), a.norm


def rows_of_objects(x):
    return (
        (Ordered(x), 1) == (Ordered(2), 1),
        [Ordered(x)] != [Ordered(1)],
        Ordered(x) in [Ordered(1)],
    )


def sums(x):
    return sum([Number(x), 2.0]), sum([1.0, Number(x)], 5.0)


def chosen_objects(x):
    v = Number(1.0) if x > 2 else Number(-2.0)
    v += 1.0
    return v + 1, -v, v < 3, v.x, float(v)


def operators_in_branches(x):
    v = Number(x)
    y = v + 1 if v > 0 else 2 - v
    if v:
        v += y
    return y, v.x, v.asked


def operators_in_loops(x):
    v, n = Number(1.0), 0
    while True:
        if v >= x:
            break
        v += 1.0
        n += 1
        if v + 1 > 8:
            break
    return v.x, n, v.asked


def operators_in_tries(x):
    v = Number(x)
    try:
        if v > 1:
            raise ValueError(str(v))
        y = v + 1
    except ValueError as error:
        y = str(error)
    finally:
        v += 1.0
    return y, v.x


def colors(x):
    try:
        color = Color(int(x))
    except ValueError as error:
        return str(error)
    return color.name, color.value, color is Color.RED


ALL = (
    operators, reflected, beside_numbers_of_numpy, comparisons, signs, conversions, texts,
    texts_of_containers, in_place, in_place_by_the_binary_one, in_place_of_attributes_and_items,
    items, iteration, iteration_that_ends, unpacking, unpacking_by_count, members_by_iteration,
    indexed, iterators, iterators_that_are_left, next_items, properties, deleted_properties,
    properties_by_name, properties_in_place, targets_with_properties, properties_in_branches,
    properties_in_loops, properties_in_tries, shadowed_descriptors, cached, inherited, made_up,
    made_up_in_branches, not_implemented, not_implemented_by_numbers, comparisons_not_implemented,
    identity_where_nothing_is_known, children_come_first, sequences_beside_objects, ordered,
    sorted_objects, points, rows_of_objects, sums, chosen_objects, operators_in_branches,
    operators_in_loops, operators_in_tries, colors,
)  # fmt: skip
