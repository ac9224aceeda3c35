"""Tests that are made of the registry: a batch of every op against a loop over the elements."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import runtime.ops.special  # noqa: F401  (its ops are to be tested, too)
from runtime.batching.batch import batch_graph
from runtime.dtypes import is_string
from runtime.graph.builder import Builder
from runtime.graph.interpret import interpret
from runtime.graph.node import Graph
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.graph.verify import verify
from runtime.spec import Dim, make_spec, spec_of

ERRORS = (TypeError, ValueError, IndexError, ArithmeticError, np.linalg.LinAlgError)
pytestmark = pytest.mark.filterwarnings("ignore")
SAMPLED = [x for x in REGISTRY.values() if x.samples is not None and x.samples.dtypes]


def kinds_of(op: OpDef) -> list[Any]:
    """Return a dtype of each kind that an op has samples of; floats come first."""
    assert op.samples is not None
    found = {x.kind: x for x in reversed(op.samples.dtypes)}
    return sorted(found.values(), key=lambda x: x.kind != "f")


def graph_of(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> Graph:
    """Return the graph of one element: Python numbers come in as NumPy's, and become Python's."""
    builder = Builder()
    params, given = [], []
    for x in inputs:
        spec = spec_of(x)
        value = builder.param(make_spec(spec.dtype, spec.shape))
        params.append(value)
        given.append(builder.emit(REGISTRY["item"], (value,), {})[0] if spec.weak else value)
    return builder.seal(params, builder.emit(op, given, attrs))


def varied(x: Any, size: int) -> Any:
    """Return a batch: an array, the same turned round, and the same again."""
    array = np.asarray(x)
    rows = [array if k % 2 == 0 else array[::-1] if array.ndim else array for k in range(size)]
    return np.stack(rows) if rows else np.empty((0, *array.shape), array.dtype)


def is_defined(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> bool:
    """Tell whether an op is defined for its operands when they are NumPy's numbers, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            interpret(graph_of(op, inputs, attrs), [np.asarray(x)[()] for x in inputs], np)
        except ERRORS:
            return False
    return True


def draws(op: OpDef, dtype: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    assert op.samples is not None
    rng = np.random.default_rng(zlib.crc32(op.name.encode()))
    for inputs, attrs in op.samples.draw(rng, dtype):
        if inputs and is_defined(op, inputs, op.attributes(attrs)):
            yield tuple(inputs), op.attributes(attrs)


def wanted_of(graph: Graph, given: Sequence[Any], flags: Sequence[bool], size: int) -> Any:
    """Return the stacked results of a loop over the elements, or the error that it raises."""
    rows = []
    for k in range(size):
        element = [np.asarray(x[k])[()] if f else x for x, f in zip(given, flags, strict=True)]
        try:
            rows.append(interpret(graph, element, np))
        except ERRORS as error:
            return error
    try:
        dtypes = [x.spec.dtype if is_string(x.spec.dtype) else None for x in graph.results]
        pairs = zip(zip(*rows, strict=True), dtypes, strict=False)
        return [np.stack([np.asarray(x, dtype) for x in column]) for column, dtype in pairs]
    except ValueError as error:  # each element has another shape
        return error


def check(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], flags: Any, size: int) -> None:
    graph = graph_of(op, inputs, attrs)
    strong = [np.asarray(x)[()] for x in inputs]
    given = [varied(x, size) if f else x for x, f in zip(strong, flags, strict=True)]
    wanted = wanted_of(graph, given, flags, size)
    batch = batch_graph(graph, flags, size)
    verify(batch)
    where = (op, inputs, attrs, flags, size)
    if isinstance(wanted, Exception):
        with pytest.raises(ERRORS):
            interpret(batch, given, np)
        return
    found = interpret(batch, given, np)
    for value, expected, result in zip(found, wanted or found, graph.results, strict=True):
        assert value.dtype == result.spec.dtype, where
        assert value.shape[0] == size, where
        is_like(value, expected, where)


@pytest.mark.parametrize("op", SAMPLED, ids=str)
def test_batch_of_an_op_is_a_loop_over_the_elements(op: OpDef) -> None:
    """In all ways for one dtype; for the others with two choices of what is batched."""
    first, *others = kinds_of(op)
    for inputs, attrs in draws(op, first):
        choices = list(product((True, False), repeat=len(inputs)))[:-1]
        for flags in choices[:7]:
            check(op, inputs, attrs, flags, 3)
        check(op, inputs, attrs, choices[0], 1)
        if all(x.is_static for x in map(spec_of, inputs)):
            check(op, inputs, attrs, choices[0], 0)
    for dtype in others:
        for inputs, attrs in draws(op, dtype):
            choices = list(product((True, False), repeat=len(inputs)))[:-1]
            for flags in (choices[0], choices[-1])[: len(choices)]:
                check(op, inputs, attrs, flags, 2)


def is_like(found: Any, expected: Any, where: Any) -> None:
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), where
    if found.dtype.kind in "fc":
        exact = 1e-5 if found.dtype.itemsize < 8 or found.dtype == np.complex64 else 1e-11
        np.testing.assert_allclose(found, expected, exact, 1e-12, err_msg=str(where))
    else:
        np.testing.assert_array_equal(found, expected, err_msg=str(where))


@pytest.mark.parametrize("op", SAMPLED, ids=str)
def test_batch_may_be_of_batches_and_of_any_size(op: OpDef) -> None:
    assert op.samples is not None
    kinds = [d for d in op.samples.dtypes if d.kind in "fTu"] or op.samples.dtypes
    for inputs, attrs in draws(op, kinds[-1]):
        graph = graph_of(op, inputs, attrs)
        strong = [np.asarray(x)[()] for x in inputs]
        for flags in list(product((True, False), repeat=len(inputs)))[:-1][:3]:
            given = [varied(x, 3) if f else x for x, f in zip(strong, flags, strict=True)]
            wanted = wanted_of(graph, given, flags, 3)
            if isinstance(wanted, Exception):
                continue
            where = (op, inputs, attrs, flags)
            any_size = batch_graph(graph, flags, Dim("n"))
            verify(any_size)
            for found, expected in zip(interpret(any_size, given, np), wanted, strict=True):
                is_like(found, expected, where)
            twice = batch_graph(batch_graph(graph, flags, 3), flags, 2)
            verify(twice)
            rows = [np.stack([x, x[::-1]]) if f else x for x, f in zip(given, flags, strict=True)]
            for found, expected in zip(interpret(twice, rows, np), wanted, strict=True):
                is_like(found, np.stack([expected, expected[::-1]]), where)
