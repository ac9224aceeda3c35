"""Functions and classes."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import autograph as ag
from tests.language.rows import row

FUNCTIONS = "Functions"
CLASSES = "Classes"


def absolute(x):
    if x < 0:
        return -x
    return x


@row(
    FUNCTIONS,
    "calls of functions of yours",
    (2.0,),
    (-1.0,),
    staged="converted, too: `cond`",
    reference="the same",
)
def calls(x):
    return absolute(x) + absolute(-x)


@row(
    FUNCTIONS,
    "positional-only, keyword-only, `*args`, `**kwargs`, defaults",
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="the same",
)
def parameters(x):
    def inner(a, /, b=1.0, *args, c, d=x, **kwargs):
        if a > 0:
            return a + b + sum(args) + c + d + kwargs["e"]
        return d

    return inner(x, 2.0, 3.0, c=x, e=5.0)


@row(
    FUNCTIONS,
    "inner functions and closures",
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="the same",
)
def closures(x):
    def scaled(by):
        if x > 0:
            return x * by
        return offset

    offset = 7.0
    return scaled(2.0)


@row(
    FUNCTIONS,
    "recursion that a static value ends",
    (2.0, 3),
    staged="unrolled",
    reference="the same",
)
def recursion(x, n):
    if n == 0:
        return x
    return recursion(x * 2, n - 1)


def is_even(x, n):
    return x if n == 0 else is_odd(x + 1, n - 1)


def is_odd(x, n):
    return -x if n == 0 else is_even(x + 2, n - 1)


@row(
    FUNCTIONS,
    "recursion that a staged condition ends, where the call comes last",
    (48.0, 18.0),
    (7.0, 0.0),
    staged="`while_loop`",
    reference="tracing never ends",
)
def tail_recursion(a, b):
    if b == 0:
        return a
    return tail_recursion(b, a % b)


@row(FUNCTIONS, "mutual recursion", (2.0, 3), (2.0, 4), staged="unrolled", reference="the same")
def mutual_recursion(x, n):
    return is_even(x, n)


@row(
    FUNCTIONS,
    "other recursion that a staged condition ends, also of functions in turn",
    (3.0,),
    (0.0,),
    staged="`call` of a function of the graph, in it `call_again`",
    reference="tracing never ends",
)
def staged_recursion(x):
    if x <= 0:
        return 0.0
    return x + staged_recursion(x - 1) * other_recursion(x)


def other_recursion(x):
    return 1.0 if x < 2 else staged_recursion(x - 2)


@row(
    FUNCTIONS,
    "recursion under a staged condition, inside a `try` of the function itself",
    (3.0,),
    refused=(ag.CallMismatchError, "Put the `try` around the call"),
    reference="tracing never ends",
)
def recursion_in_try(x):
    try:
        return 0.0 if x <= 0 else x + recursion_in_try(x - 1)
    except ValueError:
        return 1.0


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return 2 * function(*args, **kwargs)

    return wrapper


def plus(n):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(x):
            return function(x) + n

        return wrapper

    return decorate


@doubled
@plus(1)
def decorated(x):
    if x > 0:
        return x
    return -x


@row(
    FUNCTIONS,
    "decorators, `functools.wraps`, in any order",
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="dropped at the function itself, kept inside of it",
)
def decorators(x):
    @plus(3)
    @doubled
    def inner(x):
        if x > 0:
            return x
        return 5.0

    return decorated(x) + inner(x)


@row(FUNCTIONS, "`functools.partial`", (2.0,), (-1.0,), staged="`cond`", reference="the same")
def partial(x):
    def inner(a, b, c=0.0):
        if a > b:
            return c
        return a

    return functools.partial(inner, b=1.0)(x, c=7.0) + functools.partial(absolute, x)()


@functools.singledispatch
def measured(value):
    return value * 3


@measured.register
def _(value: str):
    return 100.0


@row(
    FUNCTIONS,
    "`functools.singledispatch`",
    (2.0,),
    staged="dispatched while tracing",
    reference="not documented",
)
def single_dispatch(x):
    return x + measured("a")


@functools.lru_cache
def table(n):
    if n < 0:
        return n * 3.0
    return n * 2.0


@row(
    FUNCTIONS,
    "`functools.lru_cache` of static arguments",
    (2.0,),
    staged="while tracing",
    reference="called as it is",
)
def cached(x):
    return x * table(3)


@row(
    FUNCTIONS,
    "`functools.cache`, `lru_cache` of staged arguments",
    (2.0,),
    staged="a dict of the graph keeps what it gave",
    reference="called as it is",
)
def cached_by_staged(x):
    return table(x)


@contextlib.contextmanager
def scope():
    yield 3.0


@row(
    FUNCTIONS,
    "`contextlib.contextmanager` inside and outside",
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="refused inside: it is a generator",
)
def context_managers(x):
    @contextlib.contextmanager
    def inner():
        yield 4.0

    with scope() as a, inner() as b:
        if x > 0:
            return x + a
        return x + b


def steps(x):
    yield x
    yield x + 1


@row(
    FUNCTIONS,
    "generators that are called",
    (2.0,),
    staged="run while tracing, as Python",
    reference="refused",
)
def generators(x):
    def inner():
        yield from steps(x)

    return sum(steps(x)) + sum(inner())


def positive(xs):
    for x in xs:
        if x > 0:
            yield x


@row(
    FUNCTIONS,
    "a staged condition in a generator that a `for` goes over",
    ([1.0, -2.0, 3.0],),
    ([-1.0, -2.0],),
    staged="`reduce`, `cond`: the body of the loop stands where the generator yields",
    reference="refused",
)
def generator_in_a_loop(xs):
    total = 0.0
    for x in positive(xs):
        total = total * 2 + x
    return total


def counting():
    number = 0
    while True:
        yield number
        number += 1


@row(
    FUNCTIONS,
    "a generator without end, in a loop that a staged `break` ends",
    (50.0,),
    (-1.0,),
    staged="`while_loop`",
    reference="refused",
)
def endless_generator(limit):
    for number in counting():
        if number * number > limit:
            break
    return number


@row(
    FUNCTIONS,
    "generators of generators, `yield from`, `list`, `sum`, `next`, `enumerate`, `zip` of them",
    ([1.0, -2.0, 3.0],),
    staged="`reduce`, `cond`",
    reference="refused",
)
def generator_of_a_generator(xs):
    def numbered():
        for place, x in enumerate(positive(xs)):
            yield place * x
        yield from positive(-xs)

    return sum(numbered()), next(positive(xs), 0.5)


@row(
    FUNCTIONS,
    "`x = yield`, `send`, and `yield` inside of `with` or of `try` with `except`, where staged",
    ([1.0, -2.0],),
    refused=(ag.StagedBoolError, "Write `yield x` as a statement of its own"),
    reference="refused",
)
def generator_that_is_sent_to(xs):
    def echo():
        for x in xs:
            if x > 0:
                y = yield x
                print(y)

    return sum(echo())


@row(
    FUNCTIONS,
    "async functions, `async for`, `async with`",
    (2.0,),
    staged="run while tracing",
    reference="refused: ValueError",
)
def coroutines(x):
    async def items():
        yield x
        yield x + 1

    async def work():
        total = 0.0
        async for item in items():
            total = total + item
        return total

    return asyncio.run(work())


@row(
    FUNCTIONS,
    "a staged condition in an async function",
    (2.0,),
    refused=(ag.StagedBoolError, "work was left as Python because it is an async function"),
    reference="refused: ValueError",
)
def condition_in_a_coroutine(x):
    async def work():
        return x if x > 0 else -x

    return asyncio.run(work())


@row(
    FUNCTIONS,
    "`sorted`, `map`, `min` with a function of yours",
    (2.0,),
    (-1.0,),
    staged="static keys only; the function is converted",
    reference="`map` of datasets; `sorted` and `min` of one dimension",
)
def functions_as_arguments(x):
    order = sorted([3, 1, 2], key=lambda k: -k)
    return list(map(absolute, [x, x + 1])), order


class Link:
    def __init__(self, value, behind):
        self.value = value
        self.behind = behind


class Counter:
    """A class with methods of all kinds."""

    start = 5.0

    def __init__(self, x):
        if x > 0:
            self.x = x
        else:
            self.x = x - 1
        self.__hidden = x

    def method(self, y):
        if y > self.x:
            return y
        return self.__hidden

    @classmethod
    def of_class(cls, x):
        return cls(x).method(cls.start) if x > 0 else cls.start

    @staticmethod
    def static(x):
        return x if x > 0 else -x

    @property
    def negated(self):
        if self.x > 0:
            return -self.x
        return 0.5

    @negated.setter
    def negated(self, value):
        if value > 1:
            self.x = -value

    @functools.cached_property
    def twice(self):
        return self.x * 2

    def __call__(self, y):
        return y if y > 3 else self.x


class Money:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        y = other.x if isinstance(other, Money) else other
        return self.x + y if self.x > 0 else y

    __radd__ = __add__

    def __iadd__(self, other):
        if self.x > 0:
            self.x += other
        return self

    def __lt__(self, other):
        return self.x < other.x if self.x > 0 else NotImplemented

    def __gt__(self, other):
        return "by the other one"

    def __eq__(self, other):
        return self.x == other.x if self.x > 0 else False

    __hash__ = None

    def __neg__(self):
        return -self.x if self.x > 0 else 0.5

    def __str__(self):
        return "rich" if self.x > 0 else "poor"

    def __iter__(self):
        if self.x > 0:
            yield self.x
        yield 4.0


class Heir(Counter):
    def __init__(self, x):
        super().__init__(x)
        self.more = x

    def method(self, y):
        if y > 1:
            return super().method(y)
        return super().method(self.more)


@row(
    CLASSES,
    "methods, `__init__`, private names",
    (2.0,),
    (-1.0,),
    (9.0,),
    staged="`cond`",
    reference="the same; private names are refused",
)
def methods(x):
    return Counter(x).method(3.0)


@row(
    CLASSES, "`classmethod`, `staticmethod`", (2.0,), (-1.0,), staged="`cond`", reference="the same"
)
def class_methods(x):
    return Counter.of_class(x) + Counter(x).static(x)


@row(
    CLASSES,
    "properties, `cached_property`, descriptors, `__getattr__`, `__setattr__`",
    (2.0,),
    (-1.0,),
    staged="getters, setters and deleters are calls: `cond`",
    reference="not documented",
)
def attributes_by_code(x):
    counter = Counter(x)
    counter.negated = x * 2
    return counter.negated, counter.twice, hasattr(counter, "negated"), counter.x


@row(
    CLASSES,
    "operators, comparisons, `in`, items, builtins (`abs`, `str`, `sum`, ...) of objects",
    (2.0,),
    (-1.0,),
    staged="their methods are calls, in Python's order and with NotImplemented: `cond`",
    reference="not documented",
)
def special_methods(x):
    a, b = Money(x), Money(1.0)
    a += 3.0
    return a + b, 2.0 + a, a < b, a != b, -a, sum([a, b], 0.5), str(a), f"{a}"


@row(
    CLASSES,
    "objects with `__iter__`, `__next__` or `__getitem__` in loops, `list`, `*x` and the like",
    (2.0,),
    (-1.0,),
    staged="generators are parts of the loop, and items of other iterators are calls: `cond`",
    reference="not documented",
)
def objects_with_items(x):
    total = 0.0
    for value in Money(x):
        total += value
    return total, list(Money(x)), [*Money(x), 1.0], x in Money(x)


@row(CLASSES, "`super()`", (2.0,), (-1.0,), (9.0,), staged="`cond`", reference="the same")
def super_(x):
    return Heir(x).method(x)


@row(
    CLASSES,
    "objects made in staged branches and loops",
    (2.0,),
    (-1.0,),
    (9.0,),
    staged="rows of a table, held by their numbers",
    reference="an error: a loop variable must be a tensor",
)
def made_objects(x):
    first = None
    while x > 1:
        first = Link(x, first)
        x = x / 2
    total = 0.0
    while first is not None:
        total = total * 0.5 + first.value
        first = first.behind
    return total


@row(CLASSES, "objects that are called", (2.0,), (9.0,), staged="`cond`", reference="the same")
def callable_objects(x):
    return Counter(np.float64(1.0))(x)


@row(
    CLASSES,
    "classes inside a function",
    (2.0,),
    (-1.0,),
    staged="methods are converted: `cond`",
    reference="methods are not converted",
)
def inner_class(x):
    class Inner:
        size = 3.0

        class Deeper:
            def twice(self, y):
                return y * 2 if y > 0 else y

        def method(self, y):
            if y > 0:
                return y * self.size
            return self.Deeper().twice(y)

    return Inner().method(x)


@row(
    CLASSES,
    "a staged condition in a class body",
    (2.0,),
    kept=True,
    refused=(ag.StagedBoolError, "the body of the class Sign runs as Python"),
    reference="not converted",
)
def class_body(x):
    class Sign:
        if x > 0:
            value = 1.0

    return Sign.value


@dataclass
class Pair:
    a: Any
    b: Any


class Named(NamedTuple):
    a: Any
    b: Any


@row(
    CLASSES,
    "dataclasses and named tuples of arrays",
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="in loops tuples, lists and dicts only",
)
def structures(x):
    pair = Pair(x, 1.0)
    if x > 0:
        pair = Pair(x * 2, 2.0)
    named = Named(pair.a, pair.b)
    return named.a + named[1]
