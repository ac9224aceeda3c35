"""Random functions of iterators: made, partly used, left by staged loops, and gone on with.

A program is a text with one function `f(x, n)`: `x` is an array of three numbers, `n` an integer of
NumPy. Two variables, an attribute, an item and a closure's variable hold iterators of all kinds
that Python makes; `next`, `in`, unpacking, loops with staged jumps, branches and calls take from
them, and in the end what is left is listed.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.writer import Draw, Lines, indented

PLACES = ("p", "q", "o.it", "held[0]", "held[1]")
PRELUDE = """\
import itertools

class Holder:
    def __init__(self, it):
        self.it = it

def numbers(stop):
    for k in range(stop):
        yield k

def doubled(items):
    for e in items:
        yield e * 2

def twice(e):
    return e * 2

def is_small(e):
    return e < 3

def first_above(items, limit):
    for e in items:
        if e > limit:
            return e
    return -1

def digest(items):
    found = 1
    for e in items:
        found = (found * 3 + e) % 97
    return found

def skip(items, count):
    for _ in range(count):
        next(items, None)
    return items

"""
SOURCES = (
    *("iter([3, 1, 4, 1, 5])", "iter((2, 7, 1))", "iter(range(1, 6))", "iter([2, 0.5, 1])"),
    *("iter({1: 2, 3: 4, 5: 6})", "iter({4: 1}.values())", "iter(x)", "iter([])", "iter(range(0))"),
    *("numbers(4)", "doubled([1, 2, 3])", "(e * 2 for e in range(4))", "(e for e in x)"),
    *("map(twice, [1, 2, 3])", "filter(is_small, [1, 5, 2, 0])", "reversed([1, 2, 3])"),
    *("map(twice, x)", "reversed(x)", "itertools.islice(itertools.count(2), 5)"),
    *("itertools.chain([1, 2], range(3))", "itertools.takewhile(is_small, [1, 2, 5, 1])"),
    *("itertools.dropwhile(is_small, [1, 5, 2])", "itertools.accumulate([1, 2, 3])"),
    *("itertools.repeat(2, 4)", "itertools.starmap(max, [(1, 2), (4, 3)])"),
    *(
        "itertools.compress([1, 2, 3, 4], [1, 0, 1, 1])",
        "itertools.filterfalse(is_small, [5, 1, 6])",
    ),
)
ENDLESS = ("itertools.count()", "itertools.count(2, 3)", "itertools.cycle([1, 2, 4])")
DERIVED = (
    *("map(twice, {0})", "filter(is_small, {0})", "doubled({0})", "(e + 1 for e in {0})"),
    *("itertools.islice({0}, 3)", "itertools.chain({0}, [7])", "skip({0}, 1)", "iter({0})"),
    *("itertools.takewhile(is_small, {0})", "itertools.accumulate({0})"),
)
PAIRS = (
    *("enumerate({0})", "enumerate({0}, 2)", "zip({0}, {0})", "zip({0}, [4, 5, 6])"),
    *("zip({0}, {1})", "zip({0}, x)", "zip(itertools.count(), {0})", "itertools.pairwise({0})"),
    *("itertools.zip_longest({0}, [1], fillvalue=0)", "zip(range(3), {0})"),
)
"""Iterators of pairs, which loops go over where they are made."""


class IteratorPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        self.loops = 0
        self.endless: set[str] = set()
        lines = ["s = 0", *(self._make(place) for place in ("p", "q"))]
        lines += [
            f"o = Holder({self.pick('p', self.pick(*SOURCES))})",
            f"held = [{self.pick('q', self.pick(*SOURCES))}, {self.pick(*SOURCES)}]",
        ]
        for _ in range(self.number(2, 4)):
            lines += self._statement(2)
        lines.append(f"return s, {', '.join(map(self._left, ('p', 'q', 'o.it', 'held[0]')))}")
        return PRELUDE + "\n".join(["def f(x, n):", *indented(lines)]) + "\n"

    def _make(self, place: str) -> str:
        is_endless = self.chance(0.12)
        if is_endless:
            self.endless.add(place)
        return f"{place} = {self.pick(*(ENDLESS if is_endless else SOURCES))}"

    def _left(self, place: str) -> str:
        """What is left of an iterator, some of them without an end."""
        return self.pick(
            f"digest(itertools.islice({place}, 4))",
            f"next({place}, -1)",
            f"digest(e for _, e in zip(range(3), {place}))",
            f"first_above({place}, 2)",
            *(
                []
                if self.endless
                else [f"digest(list({place}))", f"sum({place})", f"digest({place})"]
            ),
        )

    def _test(self) -> str:
        return self.pick("n > {0}", "x[0] > {0}", "s > {0}", "s > n + {0}", "x[1] < {0}").format(
            self.number(0, 5)
        )

    def _statement(self, depth: int) -> Lines:
        simple = [self._next, self._next, self._take, self._derive, self._call]
        compound = [self._loop, self._loop, self._loop, self._if, self._while, self._try]
        return self.pick(*(compound if depth and self.chance(0.6) else simple))(depth)

    def _place(self) -> str:
        return self.pick(*PLACES, "p", "q", "p")

    def _next(self, depth: int) -> Lines:
        place = self._place()
        return [self.pick(f"s = s + next({place}, 0)", f"s = s * 2 + next({place}, n)")]

    def _take(self, depth: int) -> Lines:
        place, key = self._place(), self.pick("None", "twice", "is_small", "lambda e: e > n")
        group = self.pick("sum(g)", "next(g)", "len(list(g)) + sum(g)", "0", "max(g) + next(g, 7)")
        return self.pick(
            [f"s = s + sum(itertools.islice({place}, 2))"],
            [f"for e, k in zip({place}, range(2)):", "    s = s + e * k"],
            [f"s = s + (1 if {self.number(0, 4)} in itertools.islice({place}, 3) else 0)"],
            [f"a, *b = itertools.islice({place}, 2), 1", "s = s + sum(a)"],
            [f"s = s + len(list(itertools.islice({place}, 2)))"],
            [f"for k, g in itertools.groupby({place}, {key}):", f"    s = s * 2 + k + {group}"],
        )

    def _derive(self, depth: int) -> Lines:
        place = self._place()
        source = self.pick(*DERIVED).format(self._place())
        return [f"{place} = {source}"]

    def _call(self, depth: int) -> Lines:
        place = self._place()
        return self.pick(
            [f"s = s + first_above({place}, {self.pick('n', 'x[0]', '2')})"],
            [f"g = lambda: next({place}, 0)", "s = s + g()"],
        )

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self._test()}:", *indented(self._statement(depth - 1))]
        if self.chance(0.4):
            lines += ["else:", *indented(self._statement(depth - 1))]
        return lines

    def _while(self, depth: int) -> Lines:
        self.loops += 1
        counter = f"w{self.loops}"
        body = [f"{counter} += 1", *self._statement(depth - 1)]
        if self.chance(0.3):  # the condition takes an item
            test = f"(a := next({self._place()}, 9)) < {self.pick('n', 'x[1]', 'x[0] + 2')}"
            body = [f"{counter} += 1", "s = s + a"]
            return [f"{counter} = 0", f"while {counter} < 4 and {test}:", *indented(body)]
        return [f"{counter} = 0", f"while {counter} < 2 and {self._test()}:", *indented(body)]

    def _loop(self, depth: int) -> Lines:
        self.loops += 1
        item, bound = f"e{self.loops}", f"c{self.loops}"
        place = self._place()
        header = f"for {item} in {place}:"
        body = [f"s = s + {item}"]
        if self.chance(0.35):
            header = f"for {item}, k in {self.pick(*PAIRS).format(place, self._place())}:"
            body = [f"s = s + {item} * k"]
        if self.chance(0.4):
            body += self._statement(depth - 1 if self.chance(0.4) else 0)
        body += [f"{bound} += 1", f"if {bound} > 6:", "    break"]
        jump = self.pick("break", "break", "break", "continue", "return s, 'left'", "")
        at = self.number(1, 2)
        at -= body[at].startswith((" ", "else", "except"))  # it would part a statement
        body[at:at] = [f"if {self._test()}:", f"    {jump}"] if jump else []
        lines = [f"{bound} = 0", header, *indented(body)]
        if self.chance(0.2):
            lines += ["else:", "    s = s + 10"]
        return lines

    def _try(self, depth: int) -> Lines:
        inner = [*self._loop(depth), f"if {self._test()}:", "    raise KeyError('left')"]
        if self.chance(0.5):
            inner = [*self._statement(0), f"s = s + next({self._place()})"]
        error = self.pick("KeyError", "StopIteration", "(KeyError, StopIteration)")
        return ["try:", *indented(inner), f"except {error}:", "    s = s + 100"]


ARGUMENTS = [
    (np.array(x), np.int64(n)) for x, n in (([2, 5, 1], 3), ([0, 0, 4], 0), ([9, -3, 2], 7))
]
"""Argument lists: items, and what conditions compare with."""
