"""Random functions of lists that grow and shrink, and of generators, under staged conditions.

A program is a text with one function `f(x, n)`: `x` is an array of numbers, `n` a NumPy integer.
Two variables and an attribute of an object hold lists of numbers of several classes, which are
changed in branches and loops, through methods and through other names; generators go over arrays,
lists and each other.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

LISTS = ("p", "q", "o.items")
RESULT = "return s, k, list(p), list(q), list(o.items), digest(p), o.count"
PRELUDE = """\
import itertools

def digest(items):
    found = 1.0
    for e in items:
        found = (found * 2 + e) % 97
    return found

def above(items, limit):
    for e in items:
        if e > limit:
            yield e

def halves(number):
    while number > 1:
        yield number * 1.0
        number = number // 2

def both(items, number):
    yield from above(items, number)
    for e in halves(number):
        if e < 3:
            return
        yield e

def endless(start):
    while True:
        yield start
        start = start * 2 + 1

def chosen(items, others, number):
    if number > 3:
        return items, number
    for e in others:
        if e > number:
            return others, e
    return [], 0.5

def maybe(items, number):
    if number < 1:
        return None
    found = [0.25]
    for e in items:
        if e > number:
            found.append(e)
    if len(found) > 2:
        return items
    return found

class Holder:
    def __init__(self):
        self.items = [0.5]
        self.count = 0

    def add(self, e):
        if e > self.count:
            self.items.append(e)
        self.count += 1

    def large(self, limit):
        for e in self.items:
            if e > limit:
                self.count += 1
                yield e * 0.5

"""


class ListPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        self.loops = 0
        self.counters = 0
        lines = [
            f"p = {self.pick('[]', '[1.0]', '[2.0, 1.0]')}",
            f"q = {self.pick('[]', '[3.0, 0.5]', 'p', '[x[0]]')}",
            "o = Holder()",
            "s = 0.0",
            "k = 0",
            *self._block(3, self.number(1, 2)),
            RESULT,
        ]
        return PRELUDE + "\n".join(["def f(x, n):", *indented(lines)]) + "\n"

    def _block(self, depth: int, count: int) -> Lines:
        return [line for _ in range(count) for line in self._statement(depth)]

    def _inner(self, depth: int) -> Lines:
        return indented(self._block(depth - 1, self.number(1, 2)))

    def _statement(self, depth: int) -> Lines:
        simple = [self._grow, self._grow, self._shrink, self._change, self._scalar, self._tool]
        simple += [self._places, *[self._jump] * bool(self.loops)]
        compound = [self._if, self._if, self._for, self._generated, self._generated, self._while]
        compound += [self._returned]
        return self.pick(*(compound if depth > 1 and self.chance(0.6) else simple))(depth)

    def _list(self) -> str:
        return self.pick("p", "p", "q", "o.items")

    def _number(self) -> str:
        one = self._list()
        return self.pick(
            f"{self.number(-2, 5)}.0", "s", "s", "x[0]", "x[n % 3]", f"len({one})", "n", "k",
            f"({one}[-1] if {one} else 0.0)",
        )  # fmt: skip

    def _value(self) -> str:
        one = f"({self._number()} {self.pick('+', '-', '*')} {self._number()}) % 97"
        return self.pick(f"float{one}", f"float{one}", one, one, self._number(), "True", "2")

    def _test(self) -> str:
        sign = self.pick("<", ">", "==", "!=")
        tests = f"{self._number()} {sign} {self._number()}", f"{self._number()} > 0"
        return self.pick(*tests, self._list(), f"not {self._list()}")

    def _grow(self, depth: int) -> Lines:
        one, value = self._list(), self._value()
        return [
            self.pick(
                f"{one}.append({value})", f"{one}.append({value})", f"o.add({value})",
                f"{one}.insert({self.pick('0', 'n % 2', '-1')}, {value})",
                f"{one}.extend([{value}, 1.0])",
                f"{one}.extend(above(x, {self._number()}))", f"{one}.extend({self._list()}[:2])",
            )
        ]  # fmt: skip

    def _places(self, depth: int) -> Lines:
        test = self.pick("e > s", "e > 0", "len(p) > i", "e == x[0]")
        lines = [f"at = [i for i, e in enumerate(x) if {test}]"]
        more = ["if s > 1:", f"    at.append({self.pick('0', '-1', 'k % 2')})"]
        lines += self.pick([], more, ["at.reverse()"], ["at.reverse()"])
        summed = ["for e in x[at]:", "    s = s * 0.5 + e"]
        used = self.pick(
            summed, summed, ["x[at] = x[at] * 0.5"], ["x[at] += 1"], ["k += len(x[at])"]
        )
        return [*lines, *used]

    def _shrink(self, depth: int) -> Lines:
        one = self._list()
        body = self.pick(
            f"s = {one}.pop()", f"{one}.pop()", f"s = {one}.pop(0)", f"del {one}[0]",
            f"{one}.clear()", f"del {one}[{self._stepped()}]",
        )  # fmt: skip
        return [f"if {one}:", f"    {body}"]

    def _change(self, depth: int) -> Lines:
        one, value, part = self._list(), self._value(), self._stepped()
        body = self.pick(
            f"{one}[0] = {value}", f"{one}[-1] += {value}", f"{one}[n % len({one})] = {value}",
            f"{one}.reverse()", f"{one}.sort()", f"s = sum({one}[1:])", f"s = max({one})",
            f"s = {one}[n % len({one})]", f"k = {one}.count({one}[0])",
            f"{one}[{part}] = [{value}] * len({one}[{part}])",
            f"{one}[{part}] = {one}[{part}][::-1]", f"{one}[{part}] = {self._list()}[:2]",
        )  # fmt: skip
        return [f"if {one}:", f"    {body}"]

    def _stepped(self) -> str:
        """Return a slice with a step."""
        start, step = self.pick("", "1", "-2", "n % 3"), self.pick("2", "-1", "-2", "n % 2 + 2")
        return f"{start}::{step}"

    def _scalar(self, depth: int) -> Lines:
        return [self.pick(f"s = {self._value()}", f"s = {self._value()}", "k += 1", "o.count += 1")]

    def _source(self) -> str:
        return self.pick(
            f"above(x, {self._number()})", f"above({self._list()}, {self._number()})",
            "halves(n)", f"both(x, {self.pick('n', '5')})", f"o.large({self._number()})",
            f"above(above(x, {self._number()}), 1)", "(e * 2 for e in x if e > 0)",
            f"filter(lambda e: e > {self.number(-1, 3)}, x)",
        )  # fmt: skip

    def _tool(self, depth: int) -> Lines:
        source = self._source()
        return [
            self.pick(
                f"s = sum({source}) % 97", f"s = max({source}, default=0.5)",
                f"s = next({source}, 0.25)", f"k = len(list({source}))",
                f"s = digest({source})", f"s = digest(itertools.accumulate({source}))",
                f"k = int(any(e > 2 for e in {source}))", f"p[:] = list({source})",
                f"s = digest([e + 1 for e in {source}])",
                f"s = digest(itertools.takewhile(lambda e: e < 4, {source}))",
            )
        ]  # fmt: skip

    def _jump(self, depth: int) -> Lines:
        others = f"return s, {self._list()}", "return [q, 'early'], k", "return {'p': p, 's': s}"
        jump = self.pick("break", "continue", "break", RESULT, self.pick(*others))
        return [f"if {self._test()}:", f"    {jump}"]

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self._test()}:", *self._inner(depth)]
        return [*lines, "else:", *self._inner(depth)] if self.chance(0.5) else lines

    def _returned(self, depth: int) -> Lines:
        """Lists that functions return, in tuples and beside None, which others hold, too."""
        one, number, value = self._list(), self._number(), self._value()
        change = self.pick("t.append(s)", f"t.append({value})", f"{one}.append({value})", "s += 1")
        if self.chance(0.5):
            first = f"t, s = chosen({one}, {self._list()}, {number})"
            return [first, change, "s = digest(t) + s % 7"]
        return [
            f"t = maybe({one}, {number})",
            f"if t {self.pick('is not None', '!= None')}:",
            *indented([change, "s = digest(t)"]),
        ]

    def _loop(self, header: str, first: Lines, depth: int) -> Lines:
        self.loops += 1
        lines = [header, *indented(first), *self._inner(depth)]
        self.loops -= 1
        return [*lines, "else:", *self._inner(depth)] if self.chance(0.1) else lines

    def _for(self, depth: int) -> Lines:
        over = self.pick("x", "range(n % 4)", "range(3)", "p[:2]", "list(q)", "x[1:]")
        return self._loop(f"for e in {over}:", ["s = (s + e) % 97"], depth)

    def _generated(self, depth: int) -> Lines:
        if self.chance(0.2):
            self.counters += 1
            header = f"for e in endless({self.pick('1', 'k', 's')}):"
            return self._loop(header, ["s = s + e % 5", "if e > n + 9:", "    break"], depth)
        source = self._source()
        header = self.pick(f"for e in {source}:", f"for i, e in enumerate({source}):")
        return self._loop(header, ["s = (s * 2 + e) % 97"], depth)

    def _while(self, depth: int) -> Lines:
        self.counters += 1
        counter = f"c{self.counters}"
        if self.chance(0.3):
            leave = [f"if {counter} > 3 or {self._test()}:", f"    return s, {self._list()}"]
            body = [f"{counter} += 1", *self._block(depth - 1, 1), *leave]
            return [f"{counter} = 0", "while True:", *indented(body)]
        header = f"while {counter} < 3 and {self._test()}:"
        return [f"{counter} = 0", *self._loop(header, [f"{counter} += 1"], depth)]


ARGUMENTS = [
    (np.array([1.0, 5.0, -4.0]), np.int64(6)),
    (np.array([2.0, -1.0, 0.0, 3.5]), np.int64(1)),
    (np.array([-3.0, -1.0, -2.0]), np.int64(0)),
]
"""Argument lists: two lengths, and numbers that no condition takes."""
