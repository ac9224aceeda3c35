"""Ops on a stand-in for CuPy, which is as loose as CuPy is: what they give is what NumPy gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from runtime.backends.backend import DIFFERENCES, ON_HOST
from runtime.errors import BackendError
from runtime.graph.opdef import REGISTRY, OpDef, find_op
from runtime.lower.compile import compile_graph
from runtime.spec import spec_of
from tests.runtime.backends.like_cupy import BACKEND, MENDED, Array, unwrap
from tests.runtime.ops.test_ops import agree, draws, graph_of, plain

pytestmark = pytest.mark.filterwarnings("ignore")
OTHER_ORDER = ("argsort", "partition", "argpartition")
OWN_DIGITS = (
    "erf",
    "erfc",
    "erfinv",
    "erfcinv",
    "ndtri",
    "lgamma",
    "digamma",
)  # each library has functions of its own
OWN_SUMS = ("nanquantile", "nanpercentile", "product_in_place")  # which the library does not have
LACKING = ("vecdot", "matvec", "vecmat")  # and there is no other way
DTYPES = ("bool", "int64", "uint8", "uint64", "float16", "float32", "complex128")
SAMPLED = [
    op
    for op in REGISTRY.values()
    if op.samples is not None and op.name not in (*OTHER_ORDER, *OWN_DIGITS)
]


def boxed(values: Any) -> list[Any]:
    return [Array(x) if isinstance(x, np.ndarray) else x for x in values]


def is_close(op: OpDef, x: Any, y: Any) -> bool:
    """Tell whether results are the same, or close where the op has arithmetic of its own."""
    if op.name not in OWN_SUMS:
        return agree(x, y)
    epsilon = np.finfo(y.dtype).eps
    return spec_of(x) == spec_of(y) and bool(np.allclose(x, y, 4 * epsilon, epsilon))


def as_given(found: Any, wanted: Any) -> Any:
    """Return a result with arrays without axes as the numbers that NumPy gives."""
    found = unwrap(found)
    return found[()] if isinstance(found, np.ndarray) and isinstance(wanted, np.generic) else found


@pytest.mark.parametrize("op", SAMPLED, ids=str)
def test_an_op_gives_what_numpy_gives(op: OpDef) -> None:
    for inputs, attrs in draws(op, DTYPES):
        wanted = plain(op, inputs, attrs)
        if isinstance(wanted, Exception):
            with pytest.raises(type(wanted)):
                op.kernel(MENDED, *boxed(inputs), **attrs)
            continue
        if op.name in LACKING:
            with pytest.raises(BackendError, match=f"^cupy has no {op.name}"):
                op.kernel(MENDED, *boxed(inputs), **attrs)
            continue
        found = op.kernel(MENDED, *boxed(inputs), **attrs)
        results = [found if op.multiple else (found,)]
        if op.name in BACKEND.operators:
            graph = graph_of(op, [*map(spec_of, inputs)], attrs)
            driven = compile_graph(graph, backend=BACKEND, optimised=False)
            results.append(driven.run(*boxed(inputs)))
        for result in results:
            for x, y in zip(result, wanted, strict=True):
                assert is_close(op, as_given(x, y), y), (inputs, attrs, x, y)


X, MINUS = np.arange(5.0), np.array([2, -1])
SINGULAR = np.zeros((2, 2))


@pytest.mark.parametrize(
    ("name", "inputs", "attrs"),
    [
        ("gather", (X, np.array([0, 7])), {"key": "?"}),
        ("gather", (X, np.array([-6])), {"key": "?"}),
        ("gather", (np.ones((2, 3)), np.array([3])), {"key": "..., 1, ?"}),
        ("index", (X, np.array(9)), {"key": "?"}),
        ("scatter", (X, X[:2], np.array([5, 1])), {"key": "?"}),
        ("update", (X, 1.0, np.array(5)), {"key": "?"}),
        ("take", (X, np.array([5])), {}),
        ("take_along_axis", (X, np.array([5])), {"axis": 0}),
        ("add_at", (X, 1.0, np.array([5])), {"key": "?"}),
        ("pow", (np.arange(3), MINUS[1:]), {}),
        ("power", (np.arange(3), MINUS[1:]), {}),
        ("pow", (np.arange(3), -1), {}),
        ("inv", (SINGULAR,), {}),
        ("solve", (SINGULAR, np.ones(2)), {}),
        ("cholesky", (-np.eye(2),), {}),
        ("nanargmax", (np.full((2, 2), np.nan),), {"axis": 0}),
        ("nanargmin", (np.full(2, np.nan),), {}),
    ],
)
def test_what_numpy_raises_is_raised(name: str, inputs: Any, attrs: Any) -> None:
    op = find_op(name)
    assert op is not None
    attrs = op.attributes(attrs)
    wanted = plain(op, inputs, attrs)
    assert isinstance(wanted, Exception)
    with pytest.raises(type(wanted)) as found:
        op.kernel(MENDED, *boxed(inputs), **attrs)
    if isinstance(wanted, IndexError):
        assert str(found.value) == str(wanted)
    graph = graph_of(op, [*map(spec_of, inputs)], attrs)
    with pytest.raises(type(wanted)):
        compile_graph(graph, backend=BACKEND).run(*boxed(inputs))


EDGES = np.array([0.0, -0.0, 1, -1, 3.7, -3.7, np.inf, -np.inf, np.nan, 3e4, 6e-8, 0.1])
SHIFTS = np.array([0, 1, 7, 8, 63, 64, 100, -1])


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        *((name, EDGES.astype(t)[:, None], EDGES.astype(t))
          for name in ("floor_divide", "remainder") for t in ("float16", "float32", "float64")),
        *((name, np.array([5, -5, 127]).astype(t)[:, None], SHIFTS.astype(t))
          for name in ("left_shift", "right_shift") for t in ("int8", "int64")),
        ("left_shift", np.arange(4, dtype="uint8"), 9),
        ("right_shift", -5, SHIFTS),
        ("pow", EDGES, 2), ("pow", EDGES, 0.5), ("pow", EDGES, -1), ("pow", 2, SHIFTS[:4]),
        ("floor_divide", 7, EDGES), ("remainder", EDGES, np.float32(0.3)),
    ],
)  # fmt: skip
def test_operators_give_numpys_bits_at_the_edges(name: str, x: Any, y: Any) -> None:
    op, inputs = REGISTRY[name], (x, y)
    (wanted,) = plain(op, inputs, {})
    graph = graph_of(op, [*map(spec_of, inputs)], {})
    for found in (
        op.kernel(MENDED, *boxed(inputs)),
        *compile_graph(graph, backend=BACKEND).run(*boxed(inputs)),
    ):
        assert np.array_equal(found.held, wanted, equal_nan=wanted.dtype.kind == "f")
        assert np.array_equal(np.signbit(found.held), np.signbit(wanted)) or name == "pow"


@pytest.mark.parametrize("seed", range(40))
def test_of_several_values_for_one_place_the_last_stays(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 5, rng.integers(1, 4)))
    together = tuple(rng.integers(1, 4, rng.integers(1, 3)))
    key: list[Any] = []
    for n in shape:
        some = tuple(1 if rng.random() < 0.3 else m for m in together)
        parts = [slice(None), slice(0, 1), int(rng.integers(n)), *(rng.integers(-n, n, some),) * 3]
        key.append(parts[rng.integers(len(parts))])
    x = rng.integers(0, 9, shape)
    selected = x[tuple(key)].shape
    value = rng.integers(100, 999, tuple(1 if rng.random() < 0.2 else n for n in selected))
    given = Array(x.copy())
    x[tuple(key)] = value
    MENDED.operators["scatter"](
        given, tuple(Array(k) if isinstance(k, np.ndarray) else k for k in key), Array(value)
    )
    assert np.array_equal(given.held, x)


def test_what_the_library_has_not_is_an_error_that_names_it() -> None:
    with pytest.raises(BackendError, match=r"cupy has no heaviest\. Compute it of NumPy's arrays"):
        MENDED.heaviest  # noqa: B018
    with pytest.raises(BackendError, match=r"nanquantile of cupy's arrays has no method 'lower'"):
        MENDED.nanquantile(Array(X), 0.5, method="lower")


def test_a_method_of_a_ufunc_that_the_library_has_not_is_an_error_that_names_it() -> None:
    op = find_op("floor_divide_reduce")
    assert op is not None
    with pytest.raises(BackendError, match=r"cupy has no floor_divide\.reduce\. Write it with"):
        op.kernel(MENDED, Array(X), axis=0, keepdims=False)


def test_names_of_differences_are_those_of_ops() -> None:
    named = [name for names in DIFFERENCES.values() for name in names.split()]
    assert len(named) == len({*named})
    assert {*named, *ON_HOST.split()} <= {*REGISTRY}
