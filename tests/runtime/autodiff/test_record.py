"""Eager ops whose rule says only how tangents go along them go back as they do in graphs."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime.dispatch import apply
from runtime.graph.opdef import OpDef
from runtime.graph.traits import Derivative
from runtime.tensor import Tensor
from tests.runtime.autodiff.derivatives import inexact, like, op_graph, reverse_graph, run
from tests.runtime.autodiff.test_rules import OPS, samples

ALONG = [x for x in OPS if isinstance(x.derivative, Derivative) and x.derivative.vjp is None]
GROUPS = [ALONG[k::6] for k in range(6)]


@pytest.mark.parametrize("ops", GROUPS, ids=lambda ops: ", ".join(x.name for x in ops))
def test_eager_ops_go_back_as_those_of_graphs(ops: list[OpDef]) -> None:
    rng = np.random.default_rng(3)
    for op in ops:
        calls = [x for x in samples(op) if not x[2].get("full_matrices")]
        _, operands, attrs = calls[0]
        wanted = inexact(operands)
        graph = op_graph(op, operands, attrs)
        results = [like(rng, y) for y in run(graph, *operands)]
        expected = run(reverse_graph(graph, wanted), *operands, *results)
        pairs = zip(operands, wanted, strict=True)
        given = [Tensor(np.asarray(x)) if is_wanted else x for x, is_wanted in pairs]
        sources = [x for x in given if isinstance(x, Tensor)]
        with np.errstate(all="ignore"), ag.GradientTape() as tape:
            tape.watch(sources)
            found = apply(op, given, **attrs)
            made = list(found) if op.multiple else [found]
            weights = [Tensor(np.asarray(g)) for g in results]
            total = sum(np.sum(y * g) for y, g in zip(made, weights, strict=True))
        gradients = tape.gradient(total, sources, unconnected_gradients="zero")
        for x, y in zip(gradients, expected, strict=True):
            np.testing.assert_allclose(np.asarray(x), y, rtol=1e-6, atol=1e-9)


def test_going_back_so_is_recorded_itself() -> None:
    x = ag.Tensor(np.array([[4.0, 1.0], [1.0, 3.0]]))
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(x)
            y = np.linalg.det(x) ** 2
        slope = np.sum(inner.gradient(y, x))
    second = ag.grad(lambda z: np.sum(ag.grad(lambda w: np.linalg.det(w) ** 2)(z)))(x.numpy())
    np.testing.assert_allclose(np.asarray(outer.gradient(slope, x)), second)
