"""Random graphs that are valid and can be run, for property tests.

`random_graph(seed)` gives the same graph for a seed on every run of one version of the registry;
`arguments_for(graph, seed)` gives arguments for it; `run(graph, arguments)` interprets it with
NumPy's warnings off. The graphs have parameters of several dtypes (weak ones and unknown sizes
among them), constants, elementwise ops that cannot fail, and nested `cond`, `switch`,
`while_loop` and `reduce` with captures. Ops are found by their traits, so that new ones are drawn
without a change here when their ufunc stands in `TOTAL_UFUNCS`.

Weak integers never grow: an op gets a strong operand always, except for the counters of loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph, Value
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.ops import control, creation, elementwise
from runtime.spec import WEAK_SPECS, Dim, TensorSpec, make_spec

FAMILIES = (control, creation, elementwise)
SEEDS = range(40)
SIZES: dict[str, int] = {"n": 3, "m": 3}
"""The sizes that unknown dimensions have at run time."""

TOTAL_UFUNCS: frozenset[np.ufunc] = frozenset(
    {
        np.absolute, np.add, np.cos, np.equal, np.floor, np.greater, np.less, np.less_equal,
        np.logical_and, np.logical_not, np.logical_or, np.maximum, np.minimum, np.multiply,
        np.negative, np.not_equal, np.sin, np.square, np.subtract, np.tanh,
    }
)  # fmt: skip
"""Ufuncs that are defined for all values and keep bounded values from growing without bounds."""

DTYPES = ("float64", "float32", "int64", "int32", "bool", "complex128")
SHAPES: tuple[tuple[int | str, ...], ...] = ((), (), (3,), ("n",), ("m",), (2, 3), (2, "n"), (1, 3))
INT = WEAK_SPECS[int]


def random_graph(seed: int, *, nodes: int = 12, depth: int = 2) -> Graph:
    """Return a graph of about `nodes` nodes, with regions nested at most `depth` deep."""
    rng = Random(seed)
    builder = Builder()
    params = [builder.param(spec, f"x{k}") for k, spec in enumerate(_param_specs(rng))]
    writer = _Writer(rng, builder, params, depth)
    writer.write(nodes)
    return builder.seal(params, writer.late(rng.randint(1, 3)))


def arguments_for(graph: Graph, seed: int) -> tuple[Any, ...]:
    """Return one argument for each parameter of a graph whose unknown sizes are those of SIZES."""
    rng = np.random.default_rng(seed)
    return tuple(random_value(rng, value.spec) for value in graph.params)


def run(graph: Graph, arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Interpret a graph with NumPy, overflow and invalid values allowed."""
    with np.errstate(all="ignore"):
        return interpret(graph, arguments, np)


def random_value(rng: np.random.Generator, spec: TensorSpec) -> Any:
    """Return a small array, NumPy scalar or Python scalar of a spec."""
    assert spec.shape is not None
    shape = tuple(n if isinstance(n, int) else SIZES[n.name] for n in spec.shape)
    numbers = rng.integers(0, 4, shape) if spec.weak else rng.integers(-3, 4, shape)
    fraction = 0.5 if spec.dtype.kind in "fc" else 0
    array = np.asarray(numbers + fraction).astype(spec.dtype)
    return array.item() if spec.weak else array[()]


def _param_specs(rng: Random) -> list[TensorSpec]:
    """Return the specs of the parameters: something of everything that ops need."""
    drawn = [TensorSpec(rng.choice(SHAPES), rng.choice(DTYPES)) for _ in range(rng.randint(1, 4))]
    always = [TensorSpec((), bool), TensorSpec((3,), "float64"), INT]
    return [*drawn, *always, WEAK_SPECS[float]] if rng.random() < 0.5 else [*always, *drawn]


class _Writer:
    """Appends random nodes to a builder; `pool` holds the values that they draw from."""

    def __init__(self, rng: Random, builder: Builder, pool: Sequence[Value], depth: int) -> None:
        self.rng = rng
        self.builder = builder
        self.pool = list(pool)
        self.depth = depth

    def write(self, nodes: int) -> None:
        """Append about `nodes` nodes."""
        plain = [self.constant, self.elementwise, self.elementwise, self.elementwise]
        nested = [self.cond, self.switch, self.while_loop, self.reduce] if self.depth else []
        for _ in range(nodes):
            choices = nested if nested and self.rng.random() < 0.2 else plain
            self.rng.choice(choices)()

    def late(self, number: int) -> list[Value]:
        """Return some values, rather those that were made last."""
        return [self.rng.choice(self.pool[-6:]) for _ in range(number)]

    def emit(self, op: OpDef, inputs: Sequence[Value], **attrs: Any) -> tuple[Value, ...]:
        """Append a node and put its results, but for weak ones, into the pool."""
        regions = attrs.pop("regions", ())
        results = self.builder.emit(op, inputs, op.attributes(attrs), regions)
        self.pool += [value for value in results if not value.spec.weak]
        return results

    def literal(self, value: Any) -> Value:
        """Append a constant that stays out of the pool."""
        (result,) = self.builder.emit(creation.constant, (), {"value": value})
        return result

    def constant(self) -> None:
        """Append a constant of any kind."""
        spec = TensorSpec(self.rng.choice(((), (3,), (2, 3))), self.rng.choice(DTYPES))
        array = random_value(np.random.default_rng(self.rng.randrange(1000)), spec)
        weak = [True, 2, 0.5, -1.5]
        self.pool.append(self.literal(self.rng.choice([array, array, *weak])))

    def elementwise(self) -> None:
        """Append an elementwise op; give up when none fits after some tries."""
        for _ in range(8):
            op = self.rng.choice(_total_ops())
            inputs = [self.rng.choice(self.pool) for _ in op.signature.inputs]
            if all(value.spec.weak for value in inputs):
                continue
            try:
                self.emit(op, inputs)
            except (TypeError, ValueError):
                continue
            return

    def cond(self) -> None:
        """Append a branch on a scalar."""
        self._branch(control.cond, self.scalar("b"), 2)

    def switch(self) -> None:
        """Append an n-way branch on an integer."""
        self._branch(control.switch, self.scalar("i"), self.rng.randint(1, 3))

    def scalar(self, kind: str) -> Value:
        """Return a scalar of a dtype kind."""
        found = [v for v in self.pool if v.spec.shape == () and v.spec.dtype.kind == kind]
        return self.rng.choice(found) if found else self.literal(1 if kind == "i" else True)

    def _branch(self, op: OpDef, test: Value, arms: int) -> None:
        wanted = [value.spec for value in self.some(2)]
        regions = [self.region([], lambda inner: inner.of_specs(wanted)) for _ in range(arms)]
        operands, graphs = _close(regions)
        self.emit(op, [test, *operands], regions=graphs)

    def some(self, most: int) -> list[Value]:
        """Return between one and `most` values."""
        return [self.rng.choice(self.pool) for _ in range(self.rng.randint(1, most))]

    def of_specs(self, specs: Sequence[TensorSpec]) -> list[Value]:
        """Return a value of each spec."""
        return [self.rng.choice([v for v in self.pool if v.spec == spec]) for spec in specs]

    def region(
        self, specs: Sequence[TensorSpec], finish: Callable[[_Writer], list[Value]]
    ) -> _Region:
        """Write a region with parameters of the given specs; `finish` picks its results."""
        builder = Builder(self.builder)
        params = [builder.param(spec) for spec in specs]
        inner = _Writer(self.rng, builder, [*self.pool, *params], self.depth - 1)
        inner.write(self.rng.randint(1, 5))
        return _Region(builder, params, finish(inner))

    def while_loop(self) -> None:
        """Append a loop that counts a Python integer down to zero."""
        carried = self.some(2)
        specs = [value.spec for value in carried]
        test = _still_counting(self.builder, [INT, *specs])
        body = self.region([INT, *specs], lambda inner: inner.of_specs(specs))
        _count_down(body)
        captures, graphs = _close([test, body])
        operands = [self.literal(self.rng.randint(0, 3)), *carried, *captures]
        self.emit(control.while_loop, operands, carry=1 + len(specs), regions=graphs)

    def reduce(self) -> None:
        """Append a loop with a carry, sequences and stacked outputs."""
        carried = self.some(2)
        rows = [v for v in self.pool if v.spec.shape and v.spec.shape[0] in (3, Dim("n"))]
        sequences = [self.rng.choice(rows) for _ in range(self.rng.randint(0, 2))]
        specs = [value.spec for value in carried]
        elements = [make_spec(v.spec.dtype, (v.spec.shape or ())[1:]) for v in sequences]
        outputs = self.rng.randint(0, 2)
        body = self.region(
            [INT, *specs, *elements], lambda inner: inner.of_specs(specs) + inner.late(outputs)
        )
        captures, graphs = _close([body])
        known = bool(sequences) or self.rng.random() < 0.5
        self.emit(
            control.reduce, [self.literal(3), *carried, *sequences, *captures],
            carry=len(specs), sequences=len(sequences), length=3 if known else None,
            reverse=self.rng.random() < 0.4, regions=graphs,
        )  # fmt: skip


@dataclass
class _Region:
    """A region that is not closed yet."""

    builder: Builder
    params: list[Value]
    results: list[Value]


def _still_counting(parent: Builder, specs: Sequence[TensorSpec]) -> _Region:
    """Write the test of a loop: its first parameter, whose truth ends the loop at zero."""
    builder = Builder(parent)
    params = [builder.param(spec) for spec in specs]
    return _Region(builder, params, params[:1])


def _count_down(region: _Region) -> None:
    """Make the first parameter less one the first result of a region."""
    builder = region.builder
    (less,) = builder.emit(creation.constant, (), {"value": -1})
    (counter,) = builder.emit(elementwise.add, (region.params[0], less), {})
    region.results.insert(0, counter)


def _close(regions: Sequence[_Region]) -> tuple[list[Value], list[Graph]]:
    """Seal regions that take the same captures; returns these and the graphs."""
    for region in regions:
        region.results = [region.builder.resolve(value) for value in region.results]
    used = [value for region in regions for value in region.builder.captured()]
    captures = list(dict.fromkeys(used))
    return captures, [r.builder.seal(r.params, r.results, captures) for r in regions]


def _total_ops() -> list[OpDef]:
    """Return the ops that are defined for all values, in a fixed order."""
    return [op for _, op in sorted(REGISTRY.items()) if op.ufunc in TOTAL_UFUNCS]
