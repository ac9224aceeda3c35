"""Effects keep the order of the program through all passes, and only those of one resource wait."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import autograph as ag

SIMPLE = ("print", "ask", "add", "double", "other", "draw", "check", "unused")


def random_plan(source: random.Random, depth: int) -> list[Any]:
    """Return effects one after the other, some in branches and loops."""
    plan: list[Any] = []
    for _ in range(source.randint(2, 5)):
        kind = source.choice(SIMPLE if depth == 0 else (*SIMPLE, "if", "loop", "while"))
        inner = random_plan(source, depth - 1) if kind in ("if", "loop", "while") else None
        plan.append((kind, inner))
    return plan


class World:
    """What effects change: variables, a generator, and what is written down."""

    def __init__(self):
        self.state = ag.Variable(1.0)
        self.other = ag.Variable(np.arange(3.0))
        self.generator = ag.random.Generator(7)
        self.log = []

    def happens(self, plan, x, n):
        for kind, inner in plan:
            if kind == "print":
                print("seen", self.state + x)
            elif kind == "ask":
                ag.numpy_function(self.write, [self.state, self.other])
            elif kind == "add":
                self.state.assign_add(x)
            elif kind == "double":
                self.state.assign(self.state * 2 - self.other[0])
            elif kind == "other":
                self.other[1] = self.other[0] + x
            elif kind == "draw":
                x = x + self.generator.uniform()
            elif kind == "check":
                ag.check(self.state < 60, "too large")
            elif kind == "unused":
                self.generator.uniform(size=2)
            elif kind == "if":
                if x > self.other[1]:
                    x = self.happens(inner, x, n)
            elif kind == "loop":
                for k in range(n):
                    x = self.happens(inner, x - k, n)
            else:
                k = 0
                while k < n and x < 9:
                    x = self.happens(inner, x + 1, n)
                    k += 1
        return x

    def write(self, *values):
        self.log.append([np.asarray(x).tolist() for x in values])


def seen_of(staged: bool, plan: list[Any], capsys: Any) -> tuple[Any, ...]:
    """Return all that two runs leave, and how they ended."""
    world = World()
    program = ag.function(world.happens, reduce_retracing=False) if staged else world.happens

    def end_of_run(x):
        try:
            return program(plan, x, np.int64(2))
        except AssertionError as error:
            return str(error).partition("\n")[0]

    results = [end_of_run(np.float64(x)) for x in (1.5, 0.25)]
    printed = capsys.readouterr().out
    return results, printed, world.log, world.state.numpy(), world.other.numpy().tolist()


@pytest.mark.parametrize("seed", range(16))
def test_effects_happen_as_in_the_program(seed: int, capsys: Any) -> None:
    plan = random_plan(random.Random(seed), 2)
    assert repr(seen_of(True, plan, capsys)) == repr(seen_of(False, plan, capsys))


def test_what_is_of_another_resource_does_not_wait() -> None:
    a, b = ag.Variable(1.0), ag.Variable(np.ones(3))

    @ag.function
    def f(x):
        before = np.sin(b * 2)
        a.assign_add(x)
        ag.print("between")
        ag.random.uniform()
        return before + np.sin(b * 2)

    text = f.graph(np.float64(1.0))
    assert text.count("sin(") == 1  # b is read once: nothing between touches it
    assert "print(" in text
