"""Random graphs full of views and updates, in branches and loops, for tests of in-place writing.

`random_updates(seed)` gives the same graph for a seed. All arrays are float64 vectors of `SIZE`
elements or slices of them; what is compared is whether writing in place can be noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np

from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Value
from runtime.ops.control import cond, reduce, while_loop
from runtime.ops.creation import constant
from runtime.ops.elementwise import add, less
from runtime.ops.indexing import gather, index, scatter, update
from runtime.spec import WEAK_SPECS, TensorSpec

SIZE = 6
VECTOR = TensorSpec([SIZE])
INT = WEAK_SPECS[int]
PLACES = np.array([0, 2, 2, 5])


def random_updates(seed: int, nodes: int = 8, depth: int = 2) -> Graph:
    """Return a graph of two vectors and a Python integer."""
    builder = Builder()
    params = [builder.param(VECTOR, "x"), builder.param(VECTOR, "y"), builder.param(INT, "n")]
    writer = _Writer(Random(seed), builder, params[:2], params[2], depth)
    writer.write(nodes)
    return builder.seal(params, writer.some(writer.rng.randint(1, 3)))


def arguments(seed: int) -> tuple[Any, ...]:
    """Return fresh arguments."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal(SIZE), rng.standard_normal(SIZE), seed % 4


class _Writer:
    """Appends random nodes; `pool` holds vectors."""

    def __init__(
        self, rng: Random, builder: Builder, pool: Sequence[Value], number: Value, depth: int
    ) -> None:
        self.rng = rng
        self.builder = builder
        self.pool = list(pool)
        self.number = number
        self.depth = depth

    def write(self, nodes: int) -> None:
        """Append nodes."""
        plain = [self.update, self.update, self.scatter, self.view, self.sum, self.constant]
        nested = [self.cond, self.loop, self.loop, self.rounds] if self.depth else []
        for _ in range(nodes):
            choices = nested if nested and self.rng.random() < 0.35 else plain
            self.rng.choice(choices)()

    def emit(self, op: Any, inputs: Sequence[Value], **attrs: Any) -> Value:
        """Append a node with one result."""
        return self.builder.emit(op, inputs, attrs)[0]

    def one(self) -> Value:
        """Return a vector, rather a late one."""
        return self.rng.choice(self.pool[-4:])

    def some(self, count: int) -> list[Value]:
        """Return vectors."""
        return [self.one() for _ in range(count)]

    def element(self) -> Value:
        """Return an element or a slice that can be assigned to one of two elements."""
        key = self.rng.choice(["0", "-1", "3:5", "1:3"])
        return self.emit(index, [self.one()], key=key)

    def update(self) -> None:
        key = self.rng.choice(["0:2", "1:5:2", "-2:", "2:4"])
        self.pool.append(self.emit(update, [self.one(), self.element()], key=key))

    def scatter(self) -> None:
        places = self.emit(constant, [], value=PLACES)
        value = self.emit(gather, [self.one(), places], key="?")
        self.pool.append(self.emit(scatter, [self.one(), value, places], key="?"))

    def view(self) -> None:
        self.pool.append(self.emit(index, [self.one()], key=self.rng.choice([":", "::-1", "..."])))

    def sum(self) -> None:
        self.pool.append(self.emit(add, self.some(2)))

    def constant(self) -> None:
        self.pool.append(self.emit(constant, [], value=np.arange(SIZE) / 2))

    def inner(
        self, params: Sequence[Value], builder: Builder, number: Value, least: int = 1
    ) -> _Writer:
        """Return a writer of a region, after it has written."""
        writer = _Writer(self.rng, builder, [*self.pool, *params], number, self.depth - 1)
        writer.write(self.rng.randint(least, 4))
        return writer

    def cond(self) -> None:
        test = self.emit(less, [self.number, self.emit(constant, [], value=2)])
        count = self.rng.randint(1, 2)
        builders = [Builder(self.builder), Builder(self.builder)]
        results = [self.inner([], b, self.number, 0).some(count) for b in builders]
        captures, graphs = _close(builders, [[], []], results)
        self.pool += self.builder.emit(cond, [test, *captures], cond.attributes({}), graphs)

    def loop(self) -> None:
        count = self.rng.randint(1, 3)
        test, body = Builder(self.builder), Builder(self.builder)
        asked = [test.param(INT), *(test.param(VECTOR) for _ in range(count))]
        state = [body.param(INT), *(body.param(VECTOR) for _ in range(count))]
        (going,) = test.emit(less, [asked[0], self.number], {})
        writer = self.inner(state[1:], body, state[0])
        (following,) = body.emit(add, [state[0], body.emit(constant, (), {"value": 1})[0]], {})
        results = [[going], [following, *writer.some(count)]]
        captures, graphs = _close([test, body], [asked, state], results)
        inputs = [self.emit(constant, [], value=0), *self.some(count)]
        attrs = while_loop.attributes({"carry": 1 + count})
        self.pool += self.builder.emit(while_loop, [*inputs, *captures], attrs, graphs)[1:]

    def rounds(self) -> None:
        carry, sequences = self.rng.randint(1, 2), self.rng.randint(0, 1)
        body = Builder(self.builder)
        params = [body.param(INT), *(body.param(VECTOR) for _ in range(carry))]
        params += [body.param(TensorSpec([])) for _ in range(sequences)]
        writer = self.inner(params[1 : 1 + carry], body, params[0])
        captures, graphs = _close([body], [params], [writer.some(carry + 1)])
        rounds = self.emit(constant, [], value=SIZE)
        inputs = [rounds, *self.some(carry), *self.some(sequences), *captures]
        attrs = reduce.attributes({"carry": carry, "sequences": sequences, "length": SIZE})
        *state, rows = self.builder.emit(reduce, inputs, attrs, graphs)
        self.pool += [*state, self.emit(index, [rows], key="1")]


def _close(
    builders: Sequence[Builder], params: Sequence[Sequence[Value]], results: Sequence[list[Value]]
) -> tuple[list[Value], list[Graph]]:
    """Seal regions that take the same captures; returns these and the graphs."""
    resolved = [
        [builder.resolve(x) for x in values]
        for builder, values in zip(builders, results, strict=True)
    ]
    used = dict.fromkeys(value for builder in builders for value in builder.captured())
    seals: list[Callable[..., Graph]] = [builder.seal for builder in builders]
    graphs = [seal(p, r, list(used)) for seal, p, r in zip(seals, params, resolved, strict=True)]
    return list(used), graphs
