"""Small graphs made by hand, one for each op with regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Value
from runtime.graph.opdef import REGISTRY, OpDef, SpecRule, parse_signature
from runtime.ops import control, creation, elementwise
from runtime.ops.families import ARRAYS
from runtime.spec import WEAK_SPECS, TensorSpec

FAMILIES = (control, creation, elementwise)
INT = WEAK_SPECS[int]
X = TensorSpec([3], name=None)


def emit(builder: Builder, name: str, *inputs: Value, **attrs: Any) -> Any:
    """Append a node for an op and return its result, or all of them for ops with regions."""
    regions = attrs.pop("regions", ())
    op = REGISTRY[name]
    results = builder.emit(op, inputs, op.attributes(attrs), regions)
    return results if op.multiple else results[0]


def unregistered(signature: str, spec: SpecRule, effect: str) -> OpDef:
    """Return an op with an effect that is in no registry."""
    return OpDef(
        signature=parse_signature(signature),
        doc="Do nothing.",
        spec=spec,
        kernel=lambda xp, *x: x,
        samples=None,
        **ARRAYS.with_own(effect=effect),
    )


def region(
    parent: Builder,
    specs: Sequence[TensorSpec],
    write: Callable[..., Sequence[Value]],
    captures: Sequence[Value] = (),
) -> Graph:
    """Return a region; `write` receives its builder and parameters and returns its results."""
    builder = Builder(parent)
    params = [builder.param(spec) for spec in specs]
    results = write(builder, *params)
    return builder.seal(params, results, captures)


def doubled() -> Graph:
    """The sum of a parameter with itself."""
    builder = Builder()
    x = builder.param(X, "x")
    return builder.seal([x], [emit(builder, "add", x, x)])


def branch() -> Graph:
    """x + x when the test is true, else x."""
    builder = Builder()
    test, x = builder.param(TensorSpec((), bool), "test"), builder.param(X, "x")
    then = region(builder, [], lambda inner: [emit(inner, "add", x, x)], [x])
    else_ = region(builder, [], lambda inner: [x], [x])
    results = emit(builder, "cond", test, x, regions=[then, else_])
    return builder.seal([test, x], results)


def choice() -> Graph:
    """x, x + 1 or x + 2."""
    builder = Builder()
    index, x = builder.param(INT, "index"), builder.param(X, "x")

    def plus(number: int) -> Graph:
        def write(inner: Builder) -> list[Value]:
            return [emit(inner, "add", x, emit(inner, "constant", value=number))]

        return region(builder, [], write, [x])

    results = emit(builder, "switch", index, x, regions=[plus(0), plus(1), plus(2)])
    return builder.seal([index, x], results)


def loop() -> Graph:
    """x doubled n times."""
    builder = Builder()
    n, x = builder.param(INT, "n"), builder.param(X, "x")

    def body(inner: Builder, count: Value, y: Value) -> list[Value]:
        less = emit(inner, "add", count, emit(inner, "constant", value=-1))
        return [less, emit(inner, "add", y, y)]

    regions = [
        region(builder, [INT, X], lambda inner, count, y: [count]),
        region(builder, [INT, X], body),
    ]
    results = emit(builder, "while_loop", n, x, carry=2, regions=regions)
    return builder.seal([n, x], results)


def running_sum(reverse: bool = False, is_known: bool = True) -> Graph:
    """The sum of x and its partial sums, from the last element on when `reverse`."""
    builder = Builder()
    x = builder.param(X, "x")
    scalar = TensorSpec(())

    def body(inner: Builder, index: Value, total: Value, item: Value) -> list[Value]:
        new = emit(inner, "add", total, item)
        return [new, new]

    zero = emit(builder, "constant", value=np.float64(0))
    count = emit(builder, "constant", value=3) if is_known else builder.param(INT, "n")
    regions = [region(builder, [INT, scalar, scalar], body)]
    attrs = {"carry": 1, "sequences": 1, "length": 3 if is_known else None, "reverse": reverse}
    results = emit(builder, "reduce", count, zero, x, regions=regions, **attrs)
    return builder.seal([x] if is_known else [x, count], results)


def chain() -> Graph:
    """x + x, as the chain of a kernel."""
    builder = Builder()
    x = builder.param(X, "x")
    chain = region(builder, [X], lambda inner, y: [emit(inner, "add", y, y)])
    return builder.seal([x], emit(builder, "fused", x, space=X, regions=[chain]))


ONES = np.array([1.0, 2.0, 3.0])
EXAMPLES: dict[str, tuple[Callable[[], Graph], tuple[Any, ...]]] = {
    "doubled": (doubled, (ONES,)),
    "branch": (branch, (np.True_, ONES)),
    "choice": (choice, (2, ONES)),
    "loop": (loop, (3, ONES)),
    "chain": (chain, (ONES,)),
    "running_sum": (running_sum, (ONES,)),
    "reversed": (lambda: running_sum(reverse=True), (ONES,)),
}
"""Functions that make the graphs, and arguments for them."""
