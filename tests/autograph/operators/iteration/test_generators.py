"""Generators whose steps depend on staged values, and what goes over them."""

from __future__ import annotations

import itertools
import re
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import conversion, operators

XS = np.array([1.0, -2.0, 3.0, 4.0, -5.0])
NONE = np.array([-1.0, -2.0])


def positive(xs):
    for x in xs:
        if x > 0:
            yield x


def naturals():
    n = 0
    while True:
        yield n
        n += 1


def halves(n):
    while n > 1:
        yield n
        n = n // 2


def evens(numbers):
    for number in numbers:
        if number % 2 == 0:
            yield number


def at_most(numbers, most):
    taken = 0
    for number in numbers:
        if taken >= most:
            return
        yield number
        taken += 1  # noqa: SIM113


def total(xs):
    found = 0.0
    for x in positive(xs):
        found += x
    return found


def with_else_and_continue(xs):
    found = 0.0
    for x in positive(xs):
        if x > 3:
            continue
        found = found * 2 + x
    else:
        found = -found
    return found


def first_square_above(limit):
    for number in naturals():
        if number * number > limit:
            break
    return number


def returned_from_within(xs, limit):
    for x in positive(xs):
        if x > limit:
            return x
    return limit


def pipeline(n):
    found = 0
    for number in at_most(evens(halves(n)), 2):
        found = found * 100 + int(number)
    return found


def through_a_function(xs):
    return weighted(positive(xs))


def weighted(items):
    found = 0.0
    for item in items:
        found = found * 2 + item
    return found


def delegating(xs):
    def doubled():
        yield from positive(xs)
        yield from [7.0, 8.0]
        return 9.0

    return weighted(doubled())


def walk(depth, x):
    if depth == 0:
        return
    yield from walk(depth - 1, x)
    if x > depth:
        yield x * depth
    yield from walk(depth - 1, x + 1)


def recursive(x):
    return weighted(walk(3, x))


class Samples:
    def __init__(self, xs):
        self.xs = xs
        self.seen = 0

    def above(self, limit):
        for place, x in enumerate(self.xs):
            if x > limit:
                self.seen += 1
                yield place, x


def method(xs, limit):
    samples = Samples(xs)
    last = -1.0
    for place, x in samples.above(limit):
        last = place * x
    return last, samples.seen


def closure(xs, limit):
    taken = 0

    def scaled():
        nonlocal taken
        for x in xs:
            if x > limit:
                taken += 1
                yield x * limit

    found = 0.0
    for x in scaled():
        found += x
        limit = limit + 1
    return found, taken


def in_a_staged_branch_and_loop(xs):
    found = 0.0
    for x in xs:
        if x > 0:
            for y in positive(xs * x):
                if y > 5:
                    break
                found = found * 2 + y
    return found


def nested_loops(xs):
    def pairs():
        for k, a in enumerate(xs):
            for b in xs[k + 1 :]:
                if a < b:
                    yield a, b

    best = 0.0
    for a, b in pairs():
        if b - a > best:
            best = b - a
    return best


def with_finally(xs, limit):
    seen = 1.0

    def counted():
        nonlocal seen
        try:
            for x in xs:
                if x > 0:
                    seen = seen * 2 + x
                    yield x * 10
        finally:
            seen = -seen

    for x in counted():
        seen = seen * 2 + x
        if x > limit:
            break
    return seen


def raising(xs):
    try:
        for x in positive(xs):
            if x > 2:
                raise ValueError("too large")
    except ValueError as error:
        return str(error)
    return "small"


def last_item(xs):
    for x in positive(xs):
        last = x
    return last


def appended(xs):
    found = []
    for x in positive(xs):
        found.append(x)
        found.append(x * 2)
    return np.array(found)


def in_a_dict(xs):
    found = {"count": 0, "sum": 0.0}
    for x in positive(xs):
        found["count"] += 1
        found["sum"] += x
    return found


def partly_bound(xs):
    return weighted(partial(positive, xs)())


def used_up_twice(xs):
    items = positive(xs)
    return weighted(items), weighted(items)


def expression(xs):
    doubled = (x * 2 for x in xs if x > 0)
    found = 0.0
    for x in doubled:
        found = found * 2 + x
    return found


def expression_of_a_generator(xs):
    return any(x > 3 for x in positive(xs)), sum(x * 2 for x in positive(xs))


def listed(xs):
    return np.array([x * 2 for x in positive(xs)]), len(list(positive(xs)))


def unpacked(xs):
    first, second, third = positive(xs + 2)
    return first + second * 2 + third * 3


def extended(xs):
    found = [0.5]
    found.extend(positive(xs))
    return np.array(found)


def of_builtins(xs):
    return (
        sum(positive(xs), 0.5),
        max(positive(xs), default=-1.0),
        np.array(sorted(positive(xs), reverse=True)),
        any(positive(xs)),
        all(x > 2 for x in positive(xs)),
        next(positive(xs), 0.25),
    )


def numbered(xs):
    found = 0.0
    for place, x in enumerate(positive(xs), 1):
        found += place * x
    return found


def side_by_side(xs):
    found = 0.0
    for a, x, b in zip(xs, positive(xs), range(4), strict=False):
        found = found * 2 + a * x + b
    return found


def first_of_zip(xs):
    found = 0.0
    for x, a in zip(positive(xs), xs, strict=False):
        found = found * 2 + a * x
    return found


def mapped_and_filtered(xs):
    return weighted(map(lambda x: x * 2 if x > 1 else x, filter(lambda x: x > 0, xs)))  # noqa: C417


def mapped_together(xs):
    return weighted(map(lambda x, a: x * a, positive(xs), xs))


def counted(x):
    found = 0
    for place, number in enumerate(itertools.count(2, 3)):
        if number > x:
            break
        found += place * number
    return found


def tools(xs):
    return (
        weighted(itertools.accumulate(positive(xs))),
        weighted(itertools.chain(positive(xs), [0.5], positive(-xs))),
        weighted(itertools.islice(positive(xs), 1, None)),
        weighted(a * b for a, b in itertools.pairwise(positive(xs))),
        weighted(itertools.takewhile(lambda x: x < 4, positive(xs))),
    )


CASES: list[tuple[Any, ...]] = [
    (total, XS), (total, NONE), (with_else_and_continue, XS), (with_else_and_continue, NONE),
    (first_square_above, np.int64(50)), (first_square_above, np.int64(-1)),
    (returned_from_within, XS, np.float64(2)), (returned_from_within, XS, np.float64(9)),
    (pipeline, np.int64(20)), (pipeline, np.int64(96)), (pipeline, np.int64(1)),
    (through_a_function, XS), (delegating, XS), (delegating, NONE),
    (recursive, np.float64(2)), (recursive, np.float64(0)), (recursive, np.float64(5)),
    (method, XS, np.float64(2)), (method, NONE, np.float64(0)),
    (closure, XS, np.float64(1)), (closure, NONE, np.float64(0)),
    (in_a_staged_branch_and_loop, XS), (in_a_staged_branch_and_loop, NONE),
    (nested_loops, XS), (nested_loops, NONE), (with_finally, XS, np.float64(20)),
    (with_finally, XS, np.float64(99)), (with_finally, NONE, np.float64(0)),
    (raising, XS), (raising, XS[:2]), (last_item, XS), (last_item, NONE), (appended, XS),
    (appended, NONE), (in_a_dict, XS), (partly_bound, XS), (used_up_twice, XS), (expression, XS),
    (expression, NONE), (expression_of_a_generator, XS), (expression_of_a_generator, NONE),
    (listed, XS), (listed, NONE), (unpacked, XS[:4]), (unpacked, XS[:2]), (extended, XS),
    (of_builtins, XS), (of_builtins, NONE), (numbered, XS), (side_by_side, XS),
    (side_by_side, NONE), (first_of_zip, XS), (mapped_and_filtered, XS),
    (mapped_together, XS), (counted, np.float64(9)), (counted, np.float64(0)), (tools, XS),
    (tools, NONE),
]  # fmt: skip


def outcome(function: Any, arguments: Any) -> Any:
    try:
        return "returned", function(*arguments)
    except (ValueError, UnboundLocalError) as error:
        return type(error), str(error).partition(" (expected")[0]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [pytest.param(f, tuple(args), id=f"{f.__name__}-{k}") for k, (f, *args) in enumerate(CASES)],
)
def test_a_program_does_the_same_plain_converted_and_staged(function, arguments):
    expected = outcome(function, arguments)
    np.testing.assert_equal(outcome(conversion.convert(function, operators), arguments), expected)
    staged = ag.function(function)
    for _ in range(2):
        np.testing.assert_equal(outcome(staged, arguments), expected)
    assert staged.trace_count == (expected[0] == "returned" or expected[0] is not TypeError)


def test_a_generator_is_part_of_the_loops_of_the_graph():
    assert "reduce(" in str(ag.function(total).graph(XS))
    assert "while_loop(" in str(ag.function(first_square_above).graph(np.int64(5)))


def test_a_generator_with_nothing_staged_is_pythons_own():
    log = []

    def steps():
        for k in range(3):
            log.append(f"made {k}")
            yield k

    def f(x):
        items = steps()
        kind = type(items).__name__
        for k in items:
            log.append(f"took {k}")
            x = x + k
            if k == 1:
                break
        rest = list(items)
        return x, kind, rest

    assert ag.function(f)(np.float64(1)) == (2.0, "generator", [2])
    assert log == ["made 0", "took 0", "made 1", "took 1", "made 2"]


def test_steps_and_rounds_are_interleaved(capsys):
    def told(xs):
        for x in xs:
            if x > 0:
                print("made", x)
                yield x

    def f(xs):
        for x in told(xs):
            print("took", x)

    f(XS)
    expected = capsys.readouterr().out
    ag.function(f)(XS)
    assert capsys.readouterr().out == expected
    assert expected.startswith("made 1.0\ntook 1.0\nmade 3.0\n")


def uses_send(xs):
    def echo():
        got = yield 1.0
        for x in xs:
            if x > 0:
                yield x

    return weighted(echo())


def catches(xs):
    def caught():
        try:
            for x in xs:
                if x > 0:
                    yield x
        except ValueError:
            yield 3.0

    return weighted(caught())


def within_a_context(xs):
    @contextmanager
    def nothing():
        yield

    def entered():
        with nothing():
            for x in xs:
                if x > 0:
                    yield x

    return weighted(entered())


def two_in_zip(xs):
    return weighted(a * b for a, b in zip(positive(xs), positive(-xs), strict=False))


def made_outside(xs):
    items = positive(xs)
    found = 0.0
    for x in xs:
        for item in items:
            found += x * item
    return found


def taken_one_by_one(xs):
    items = positive(xs)
    first = next(items)
    return first + weighted(items)


def two_filtered_in_zip(xs):
    above, below = (x for x in positive(xs) if x), (x for x in positive(-xs) if x)
    return weighted(a * b for a, b in zip(above, below, strict=False))


def filtered_again(xs):
    items = (x for x in xs if x > 0)
    return next(items) + weighted(items)


def rows(xs):
    for x in xs:
        for k in range(3) if x > 0 else range(2):
            yield x + k


def begun_inside(xs):
    items = rows(xs)
    return next(items) + weighted(items)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (uses_send, "The generator echo uses what is sent to it.*Write `yield x` as a statement"),
        (catches, "The generator caught yields inside of .*yield it after the statement"),
        (within_a_context, "The generator entered yields inside of `with`"),
        (
            two_filtered_in_zip,
            r"zip\(\) of the generators <genexpr>\(\) and <genexpr>\(\).*Make a list of one",
        ),
        (filtered_again, r"<genexpr>\(\) is used a second time.*Call it anew"),
        (begun_inside, r"rows\(\) begins a loop in a staged branch.*items = list\(rows"),
    ],
)
def test_what_cannot_be_staged_says_so(function, message):
    with pytest.raises(TypeError) as found:
        ag.function(function)(XS)
    assert re.search(message, str(found.value), re.DOTALL)
