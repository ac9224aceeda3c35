from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import runtime.numpy as rnp
from runtime import default_graph
from runtime.graph.builder import Builder
from runtime.protocols import UFUNCS
from runtime.spec import TensorSpec
from runtime.tensor import Symbol, Tensor
from tests.runtime.staging import ops_of, staged, trace

MATRIX = np.arange(1.0, 13.0).reshape(3, 4)
UFUNCS_OF_NUMPY = sorted(
    {f for f in vars(np).values() if isinstance(f, np.ufunc)}, key=lambda f: f.__name__
)
KINDS = "dlfLi?"


@pytest.fixture
def x():
    builder = Builder()
    with default_graph.building(builder):
        yield Symbol(builder, builder.param(TensorSpec([3, 4]), "x"))


def operands_for(ufunc):
    """Return operands that a ufunc has a loop for, or None."""
    for kind in KINDS:
        for second in (kind, "i"):
            kinds = [kind, second][: ufunc.nin]
            if any(t.startswith("".join(kinds) + "->") for t in ufunc.types):
                shapes = {"matvec": [(4, 4), (4,)], "vecmat": [(4,), (4, 4)]}
                sizes = shapes.get(ufunc.__name__, [(4, 4)] * ufunc.nin)
                pairs = zip(sizes, kinds, strict=True)
                return [np.ones(size, kind) for size, kind in pairs]
    return None


@pytest.mark.parametrize("ufunc", UFUNCS_OF_NUMPY, ids=lambda f: f.__name__)
def test_every_ufunc_of_numpy_is_staged(ufunc):
    operands = operands_for(ufunc)
    if operands is None:
        assert ufunc.__name__ in ("isnat",)
        return
    with np.errstate(all="ignore"):
        wanted, found = ufunc(*operands), staged(ufunc, *operands)
    results = zip(found, wanted, strict=True) if ufunc.nout > 1 else [(found, wanted)]
    for one, other in results:
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


@pytest.mark.parametrize("name", ["erf", "gammaln", "expit", "logit", "ndtr", "xlogy", "jv"])
def test_ufuncs_of_scipy_are_staged(name):
    ufunc = getattr(scipy.special, name)
    operands = [MATRIX / 13] * ufunc.nin
    graph = trace(ufunc, [TensorSpec([3, 4])] * ufunc.nin)
    assert ops_of(graph) == [f"scipy_special_{name}"]
    assert np.array_equal(staged(ufunc, *operands), ufunc(*operands))


def test_a_ufunc_from_elsewhere_is_refused(x):
    mine = np.frompyfunc(lambda a: a, 1, 1)
    with pytest.raises(TypeError, match=r"of tensors has no op; those of numpy and scipy.special"):
        mine(x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.add.reduce(x),
        lambda x: np.multiply.reduce(x, axis=1, keepdims=True),
        lambda x: np.hypot.reduce(x, axis=1),
        lambda x: np.maximum.accumulate(x, axis=1),
        lambda x: np.add.accumulate(x),
        lambda x: np.subtract.outer(x[0], x),
        lambda x: np.multiply(x, 2, dtype=np.float64),
        lambda x: np.add(x, x.astype(np.float32)),
        lambda x: np.divmod(x, 2)[0],
        lambda x: np.linalg.norm(x, axis=1),
        lambda x: np.average(x, axis=1, weights=np.arange(4.0)),
        lambda x: np.einsum("ij,ij->i", x, x),
        lambda x: np.where(x > 2, x, 0),
        lambda x: np.where(x > 2)[0],
        lambda x: np.concatenate([x, np.zeros((1, 4))]),
        lambda x: np.vstack([x[0], x]),
        lambda x: np.diff(x, prepend=0),
        lambda x: np.clip(x, 2, None),
        lambda x: np.sum(x, axis=0),
        lambda x: np.max(x, axis=(0, 1)),
        lambda x: np.interp(x, np.arange(5.0), np.arange(5.0) ** 2),
        lambda x: np.pad(x, 1),
        lambda x: np.tile(x, 2),
        lambda x: np.select([x > 5, x > 2], [x, -x], 9),
        lambda x: np.cov(x),
        lambda x: np.kron(x, np.ones((2, 1))),
        lambda x: np.meshgrid(x[0], x[:, 0])[0],
        lambda x: np.zeros_like(x) + np.full_like(x, 2),
        lambda x: np.linalg.solve(x[:, :3] + 9 * np.eye(3), x[:, 0]),
        lambda x: np.polyval(np.array([1, 2]), x),
        lambda x: np.median(x, axis=0),
        lambda x: np.abs(x) + np.conj(x),
    ],
)
def test_functions_of_numpy_are_staged(function):
    wanted = function(MATRIX)
    for open_sizes in (False, True):
        found = staged(function, MATRIX, open_sizes=open_sizes)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


def test_at_adds_once_for_each_index():
    def function(x):
        x = x.copy()
        np.add.at(x, ([0, 0], [1, 1]), 1.0)
        return x

    assert staged(function, MATRIX)[0, 1] == MATRIX[0, 1] + 2


@pytest.mark.parametrize(
    "function",
    [
        lambda x, out: np.add(x, 1, out=out),
        lambda x, out: np.sum(x[None], axis=0, out=out),
        lambda x, out: np.copyto(out, x, where=x > 2),
        lambda x, out: np.clip(x, 2, 3, out=out),
        lambda x, out: np.put(out, [0, 5], -1.0),
    ],
)
def test_out_is_written(function):
    def with_out(x):
        out = x * 0
        view = out[1:]
        function(x, out)
        return view

    assert staged(with_out, MATRIX).tolist() == with_out(MATRIX).tolist()


def test_out_of_another_kind_is_refused(x):
    with pytest.raises(TypeError, match=r"Cannot cast ufunc 'add' output from dtype\('float64'\)"):
        np.add(x, 1, out=x.astype(int))


def test_out_from_outside_of_the_graph_is_refused(x):
    with pytest.raises(TypeError, match="out= of ufunc 'add' is an array from outside"):
        np.add(x, 1, out=np.zeros((3, 4)))


def called(function, x):
    """Return the only call of NumPy in the graph of a function."""
    found = [n for n in trace(function, [x.spec]).nodes if n.op.name == "numpy_call"]
    (node,) = found
    return node.attrs["call"]


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (lambda x: np.add(x, 1, where=x > 1), "numpy.add(_0, 1, where=_1)"),
        (lambda x: np.sum(x, where=x > 1), "numpy.sum(_0, where=_1)"),
        (lambda x: np.lexsort((x[0], x[1])), "numpy.lexsort((_0, _1, ))"),
        (lambda x: np.sum(x, axis=x[0, 0].astype(int)), "numpy.sum(_0, axis=_1)"),
        (lambda x: x.sum(where=x > 1), "numpy.sum(_0, where=_1)"),
        (lambda x: np.add.reduceat(x, [0, 1]), "numpy.add.reduceat(_0, [0, 1, ])"),
    ],
)
def test_what_has_no_op_is_a_call_of_numpy(x, function, call):
    assert called(function, x) == call


def test_a_function_without_op_is_computed_when_all_is_known():
    with default_graph.building(Builder()):
        found = np.lexsort((rnp.asarray([3, 1, 2]),))
        assert isinstance(found, Symbol)
        assert found.tolist() == [1, 2, 0]
    assert type(np.lexsort((Tensor(np.array([3, 1])),))) is not Symbol


def test_ufuncs_make_numpy_scalars_of_python_numbers():
    def function(x):
        return np.add(x.shape[0], 1)

    graph = trace(function, [TensorSpec([None])])
    assert str(graph.results[0].spec) == "i64[]"
    assert type(staged(function, np.ones(3), open_sizes=True)) is np.int64


def test_operators_keep_python_numbers():
    graph = trace(lambda x: x.shape[0] + 1, [TensorSpec([None])])
    assert str(graph.results[0].spec) == "int"


def test_power_and_its_operator_are_two_ops(x):
    assert UFUNCS[np.power].name == "power"
    graph = trace(lambda x: x**2, [TensorSpec([3])])
    assert ops_of(graph) == ["pow"]


def test_the_namespace_of_an_array_is_that_of_the_runtime(x):
    assert x.__array_namespace__() is rnp
    assert Tensor(MATRIX).__array_namespace__() is rnp
