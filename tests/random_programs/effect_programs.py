"""Random functions that write outside of the graph, and a comparison of several of their calls.

A program is a text with a function `f(x, o, s, it)` of a number, an object, a set and an iterator.
It changes these, globals, a class, and lists and dicts of the module, and prints, with what is
known and with what only the graph knows, in staged branches and loops, in generators, and in
methods that Python's own code calls; what it reads of them is part of its result. It is called
several times, and between two calls somebody else changes some of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.random_programs.comparing_worlds import compare_worlds
from tests.random_programs.writer import Draw, Lines, indented

HEAD = """
from collections import defaultdict, deque
import numpy as np

grid = np.zeros(4)
row = grid[1:3]
seen, table, marks = [], {}, set()
count, mode = 0, "a"

class Box:
    kind = 0

    def __init__(self):
        self.n, self.items, self.ready, self.best = 0, [], False, None
        self.w = np.zeros(3)
        self.v = self.w[1:]
        self.m = None

    def up(self):
        self.n += 2
        return self.n

    def __len__(self):
        self.n += 1
        return 2

    def __contains__(self, v):
        self.items.append(len(self.items))
        return v > 1

    def __repr__(self):
        Box.kind += 1
        return "box"

    def __enter__(self):
        self.n += 3

    def __exit__(self, *error):
        marks.add(len(marks))

    @property
    def twice(self):
        self.n += 1
        return 2 * self.n

class Node:
    def __init__(self, v):
        self.v = v

class Pair:
    def __iter__(self):
        seen.append(5)
        return iter((1, 2))

def bump():
    global count
    count += 2
    return count

def steps(n):
    global count
    for k in range(n):
        count += 1
        table["a"] = k
        print("step", k)
        yield k

def noted(v):
    seen.append(v)
    return v

made, pair = defaultdict(bump), Pair()
groups, window = defaultdict(list, a=[1]), deque([[1], Node([2])], 3)

def f(x, o, s, it):
    global count, mode, grid
    y = x
"""
XS = (1, 1, 3, 0, 1, 1)


class EffectPrograms(Draw):
    """A source of programs, the same for the same seed."""

    def program(self) -> str:
        """Return the text of a program."""
        lines: Lines = []
        staged = [self._staged, self._staged, self._use, self._branch, self._staged_rounds]
        known = [self._effect, self._effect, self._rounds, self._once]
        staged += [self._array, self._array] if self.chance(0.5) else []
        kinds = staged if self.chance(0.5) else [*staged, *known]
        for _ in range(self.number(2, 5)):
            lines += self.pick(*kinds)()
        kept = self.pick(
            "o.items", "o.items", "o.best", "seen", "[o.items, seen]", "s", "0", "o.w", "grid"
        )
        lines.append(f"return y, {self._read()}, {kept}")
        return f"{HEAD.lstrip()}{chr(10).join(indented(lines))}\n"

    def _read(self) -> str:
        return self.pick(
            *("o.n", "len(o.items)", "len(seen)", "table.get('a', 0)", "count", "Box.kind"),
            *(
                "len(s)",
                "(5 in s)",
                "next(it, 7)",
                "(mode == 'b')",
                "o.up()",
                "bump()",
                "len(marks)",
            ),
            *("grid.sum()", "row[0]", "o.w[1]", "o.v.sum()", "grid[x % 4]"),
            *("any(noted(k) > x for k in (0, 1, 2))", "all(map(noted, (x, y, 0)))"),
            *("sum(steps(2))", "next(steps(1))", "max(steps(x + 1), default=0)", "len(list(pair))"),
            *("len(groups['a'])", "window[0][-1]", "window[-1].v[0]"),
            *("len(o)", "(3 in o)", "len(f'{o} {[o]}')", "o.twice", "sorted((2, 1), key=noted)[0]"),
        )

    def _use(self) -> Lines:
        return [f"y = y {self.pick('+', '*', '-')} {self._read()}"]

    def _effect(self) -> Lines:
        return self.pick(
            *(["o.n += 1"], ["o.n = 3"], ["o.items.append(o.n)"], ["o.ready = True"], ["o.up()"]),
            *(["seen.append(len(seen))"], ["seen[:] = seen[-2:]"], ["table['a'] = len(table)"]),
            *(["table['a'] = table.get('a', 0) + 1"], ["table.clear()"], ["marks.add(len(marks))"]),
            *(["count += 1"], ["mode = 'b'"], ["Box.kind += 1"], ["s.add(5)"], ["s.add(len(s))"]),
            *(["s.discard(5)"], ["next(it, 0)"], ["print('at', o.n)"], ["print(y, count)"]),
            *(
                ["with o:", "    y += o.n"],
                ["a, b = pair", "y += b"],
                ["made['b']"],
                ["list(steps(1))"],
            ),
            *(["groups['a'].append(count)"], ["window.rotate()", "window.rotate()"]),
            *(["setattr(o, 'n', o.n + 2)"], ["bump()"], ["o.items = [o.n]"], ["del o.items[:]"]),
        )

    def _staged(self) -> Lines:
        """Write what only the graph knows."""
        return self.pick(
            *(["o.n += x"], ["o.n = y"], ["o.items.append(y)"], ["o.last = y + 1"], ["count += x"]),
            *(["seen.append(x)"], ["table['a'] = y"], ["table[x] = 1"], ["s.add(x)"]),
            *(["s.discard(x)"], ["Box.kind += x"], ["o.items = [y]"], ["o.best = Node(y)"]),
            *(["if o.best:", "    o.best.v += x"], ["seen[:] = [x, *seen[-2:]]"], ["marks.add(y)"]),
            *(["if o.items:", "    y += o.items.pop()"], ["o.pair = (o.n, [x])"]),
        )

    def _array(self) -> Lines:
        """Write arrays from outside, of which there are views, in place, or assign others."""
        return self.pick(
            *(["grid[1] += x"], ["grid[x % 4] = y"], ["row[0] -= x"], ["grid = grid * 2 + x"]),
            *(["o.w += x"], ["o.w[x % 3] = y"], ["o.v[0] = x"], ["o.w = o.w + y"]),
            *(["np.maximum(o.w, x, out=o.w)"], ["o.w[o.w < x] = x"], ["o.m = np.array([x, y])"]),
            *(["if o.m is not None:", "    o.m[0] += x"], ["o.v = o.w[:2]"], ["o.w.sort()"]),
            *(["seen.append(o.w)"], ["grid[2] = 7"], ["o.w = np.ones(3)"], ["row[:] = o.v"]),
        )

    def _branch(self) -> Lines:
        """A staged branch."""
        body = [self._use, self._staged, self._array, lambda: ["y += 1"]]
        lines = [f"if x > {self.number(0, 2)}:", *indented(self.pick(*body)())]
        return [*lines, "else:", *indented(self._staged())] if self.chance(0.3) else lines

    def _staged_rounds(self) -> Lines:
        header = self.pick("for k in range(x):", "for k in range(x + 1):", "while y > 3:")
        step = ["y -= 3"] if header[0] == "w" else ["y += k"]
        written = self._array() if self.chance(0.3) else self._staged()
        return [header, *indented([*step, *written])]

    def _once(self) -> Lines:
        """A branch of Python's."""
        test = self.pick("not o.ready", "count < 3", "len(seen) < 2", "mode == 'a'", "5 not in s")
        return [f"if {test}:", *indented([*self._effect(), *self._effect()])]

    def _rounds(self) -> Lines:
        return [f"for k in range({self.number(1, 3)}):", *indented(self._effect())]


def compare_effects(text: str, name: str) -> str:
    """Compare several calls of a program with those of its staged form."""
    return compare_worlds(text, name, _World, XS, falls_back=False)


class _World:
    """A module, an object, a set and an iterator, which somebody else changes between calls."""

    def __init__(self, space: dict[str, Any]) -> None:
        self.space = space
        self.arguments = [space["Box"](), {1}, iter(range(3, 30))]

    def given(self, call: int, number: int) -> list[Any]:
        o, s, _ = self.arguments
        if number in (3, 5):
            self.space.update(count=7, mode="q")
            o.n, o.ready = 0, False
            self.space["seen"].clear()
            self.space["grid"][0] = number
            self.space["groups"]["a"].append(number)
            self.space["window"][0].append(number)
            self.space["window"][-1].v = [number]
            o.w = np.arange(3.0)
            s.discard(5)
        return [np.int64(call), *self.arguments]

    def left(self, given: list[Any], found: Any) -> Any:
        _, o, s, _ = given
        seen = self.space["seen"]
        state = repr(
            [
                *map(self.space.get, ("seen", "table", "count", "mode", "grid", "row")),
                *(dict(self.space[x]) for x in ("made", "groups")),
                {**vars(o), "best": o.best and vars(o.best)},
                self.space["Box"].kind,
                sorted(s),
                sorted(self.space["marks"]),
            ]
        )
        if found is None:
            return state
        kept = [found[2] is x for x in (o.items, o.best, seen, s, o.w)]
        return *found[:2], getattr(found[2], "v", found[2]), kept, state
