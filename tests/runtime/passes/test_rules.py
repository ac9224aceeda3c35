from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph, Value
from runtime.graph.opdef import REGISTRY
from runtime.ops.creation import constant
from runtime.passes.pattern import Application, Expression, Rule, Scalar, Variable
from runtime.passes.rules import RULES
from runtime.passes.simplify import apply_rules
from runtime.spec import TensorSpec, spec_of
from tests.runtime.lower.same import all_same

DTYPES = (
    "bool", "int8", "uint8", "int32", "int64", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
FLOATS = [0.0, -0.0, 1.0, -1.0, 1.5, -2.75, 3e4, np.inf, -np.inf, np.nan, -np.nan, 6e-8]


def array_of(dtype: str) -> np.ndarray:
    """Return the awkward numbers of a dtype."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([True, False])
    if kind in "iu":
        info = np.iinfo(dtype)
        return np.array([0, 1, 2, 3, 7, info.max, info.min, info.max - 1], dtype)
    if kind == "f":
        return np.array(FLOATS).astype(dtype)
    return np.array([complex(a, b) for a in FLOATS for b in FLOATS]).astype(dtype)


def samples() -> list[list[Any]]:
    """Return groups of values of one spec: arrays, and Python scalars one by one."""
    arrays = [[array_of(dtype), array_of(dtype)[::-1].copy()] for dtype in DTYPES]
    return [*arrays, [True, False], [0, 1, -3, 7], FLOATS]


def values(one: Rule) -> Iterator[tuple[Any, ...]]:
    """Yield values for the variables of a rule, those of one call of one dtype."""
    for group in samples():
        yield from product(group, repeat=len(one.variables))
    if len(one.variables) == 3:
        numbers = array_of("float32")
        yield from product([numbers, numbers > 0, np.float32(2.5), 0, 1.5, True], repeat=3)


def left_side(one: Rule, given: tuple[Any, ...]) -> Graph:
    """Return the left side of a rule as a graph."""
    builder = Builder()
    params = {
        name: builder.param(spec_of(x), name) for name, x in zip(one.variables, given, strict=True)
    }

    def build(part: Expression) -> Value:
        if isinstance(part, Variable):
            return params[part.name]
        if isinstance(part, Scalar):
            return builder.emit(constant, (), {"value": part.value})[0]
        assert isinstance(part, Application)
        return builder.emit(part.op, [build(x) for x in part.operands], part.attrs)[0]

    return builder.seal(list(params.values()), [build(one.left)])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("one", RULES, ids=lambda one: one.name)
def test_rule_changes_no_bit(one: Rule) -> None:
    fired: Counter[str] = Counter()
    for given in values(one):
        try:
            graph = left_side(one, given)
            before = interpret(graph, given, np)
        except (TypeError, ValueError, IndexError, ZeroDivisionError):
            continue
        after = interpret(apply_rules(graph, [one], fired), given, np)
        assert all_same(before, after), given
    assert fired[one.name] > 0


def test_rules_have_different_names() -> None:
    assert len({one.name for one in RULES}) == len(RULES)


def test_rule_that_would_change_the_dtype_does_not_fire() -> None:
    builder = Builder()
    x = builder.param(TensorSpec([3], bool), "x")
    (one,) = builder.emit(constant, (), {"value": 1})
    rule = next(rule for rule in RULES if rule.name == "mul_one")
    assert isinstance(rule.left, Application)
    graph = builder.seal([x], builder.emit(rule.left.op, (x, one), {}))
    assert apply_rules(graph, RULES) is graph


def test_an_array_without_axes_times_one_is_a_number() -> None:
    function = lambda a: np.where(a > 2, a, 1.0) * 1.0  # noqa: E731
    a = np.float64(3.0)
    assert type(ag.function(function)(a)) is type(function(a)) is np.float64


def test_an_array_that_lies_otherwise_is_copied_where_a_product_sees_it() -> None:
    def function(x: Any) -> Any:
        return (x[::-1] - 0.0) @ x

    x = np.random.default_rng(1).standard_normal((5, 100))
    found = ag.function(function)
    assert all(np.array_equal(found(row), function(row)) for row in x)
    assert "copy" in str(found.graph(x[0]))
    assert "copy" not in str(ag.function(lambda x: (x[::-1] - 0.0) * x).graph(x[0]))


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_ones_of_a_dtype_stand_for_one(dtype: str) -> None:
    x = array_of(dtype)
    for ones in (np.ones(x.shape, dtype), np.dtype(dtype).type(1), np.ones(1, dtype)):
        builder = Builder()
        param = builder.param(spec_of(x))
        (one,) = builder.emit(constant, (), {"value": ones})
        (found,) = builder.emit(REGISTRY["multiply"], (one, param), {})
        (kept,) = builder.emit(REGISTRY["add"], (found, param), {})
        graph = builder.seal([param], [kept])
        simple = apply_rules(graph, RULES)
        assert "multiply" not in [node.op.name for node in simple.nodes]
        with np.errstate(all="ignore"):
            expected, actual = interpret(graph, [x], np), interpret(simple, [x], np)
        assert all_same(expected, actual)


def test_other_numbers_stand_for_themselves() -> None:
    builder = Builder()
    param = builder.param(TensorSpec([3]))
    values = (np.array([1.0, 1.0, 2.0]), np.ones((2, 3)), np.ones(3, np.float32) * 2)
    for value in values:
        (one,) = builder.emit(constant, (), {"value": value})
        builder.emit(REGISTRY["multiply"], (one, param), {})
    graph = builder.seal([param], [node.result for node in builder.nodes[1::2]])
    assert [x.op.name for x in apply_rules(graph, RULES).nodes].count("multiply") == 3
