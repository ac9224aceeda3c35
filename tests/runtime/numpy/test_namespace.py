from __future__ import annotations

import inspect

import numpy as np
import pytest

import autograph as ag
import runtime.numpy as rnp
from runtime import default_graph
from runtime.errors import DtypeError, ShapeError, StagedValueError
from runtime.graph.builder import Builder
from runtime.spec import TensorSpec
from runtime.tensor import Symbol, Tensor, is_staged
from tests.runtime.staging import ops_of, staged, trace

MATRIX = np.arange(12.0).reshape(3, 4)[:, ::-1]

CASES = {
    "append": lambda np, x: np.append(x, 1.0),
    "append_rows": lambda np, x: np.append(x, x, axis=0),
    "array_split": lambda np, x: np.array_split(x, [1], axis=1)[1],
    "atleast_3d": lambda np, x: np.atleast_3d(x[0]),
    "average": lambda np, x: np.average(x, weights=x, axis=1),
    "block": lambda np, x: np.block([[x, x], [x[0], x[1]]]),
    "broadcast_arrays": lambda np, x: np.broadcast_arrays(x, x[0])[1],
    "column_stack": lambda np, x: np.column_stack([x[:, 0], x]),
    "compress": lambda np, x: np.compress([True, False, True], x, axis=0),
    "corrcoef": lambda np, x: np.corrcoef(x**2),
    "cov": lambda np, x: np.cov(x, rowvar=False),
    "cross": lambda np, x: np.cross(x[:, :3], x[:, 1:]),
    "cumsum": lambda np, x: np.cumsum(x, axis=1),
    "delete": lambda np, x: np.delete(x, 1, axis=0),
    "diagflat": lambda np, x: np.diagflat(x[0], 1),
    "diff": lambda np, x: np.diff(x, axis=0, append=x[:1]),
    "digitize": lambda np, x: np.digitize(x, np.asarray([1.0, 5.0])),
    "dsplit": lambda np, x: np.dsplit(x[:, :, None], [1])[0],
    "dstack": lambda np, x: np.dstack([x, x]),
    "ediff1d": lambda np, x: np.ediff1d(x),
    "extract": lambda np, x: np.extract(x > 2, x),
    "flatnonzero": lambda np, x: np.flatnonzero(x > 2),
    "flipud": lambda np, x: np.flipud(np.fliplr(x)),
    "full_like": lambda np, x: np.full_like(x, 3, dtype=int),
    "gradient": lambda np, x: np.gradient(x**2, 2.0, axis=1),
    "histogram": lambda np, x: np.histogram(x, 5)[0],
    "hsplit": lambda np, x: np.hsplit(x, [2])[0],
    "hstack": lambda np, x: np.hstack([x, x]),
    "insert": lambda np, x: np.insert(x, 1, 7.0, axis=1),
    "interp": lambda np, x: np.interp(x, np.asarray([0.0, 5.0]), np.asarray([1.0, 2.0]), left=-1),
    "intersect1d": lambda np, x: np.intersect1d(x, x[1] + 1),
    "isclose": lambda np, x: np.isclose(x, x + 1e-9),
    "iscomplex": lambda np, x: np.iscomplex(x + 1j),
    "isin": lambda np, x: np.isin(x, [1, 2]),
    "isneginf": lambda np, x: np.isneginf(-1 / (x * 0 + 1)),
    "ix_": lambda np, x: x[np.ix_([0, 2], [1, 3])],
    "kron": lambda np, x: np.kron(x, x[:2, :2]),
    "linspace": lambda np, x: np.linspace(x[0], x[1], 5, axis=1),
    "logspace": lambda np, x: np.logspace(x[0, 0], x[0, 1], 3),
    "meshgrid": lambda np, x: np.meshgrid(x[0], x[:, 0], indexing="ij")[0],
    "moveaxis": lambda np, x: np.moveaxis(x[None], 0, -1),
    "nan_to_num": lambda np, x: np.nan_to_num(np.where(x > 5, float("inf"), x)),
    "nanargmax": lambda np, x: np.nanargmax(x, axis=0),
    "nanpercentile": lambda np, x: np.nanpercentile(x, 20),
    "pad": lambda np, x: np.pad(x, ((1, 0), (2, 2)), constant_values=5),
    "percentile": lambda np, x: np.percentile(x, [20, 50], axis=1),
    "polyval": lambda np, x: np.polyval([1.0, 2, 3], x),
    "real": lambda np, x: np.real(x + 2j) + np.imag(x * 1j) + np.angle(x + 1j),
    "repeat": lambda np, x: np.repeat(x, [1, 0, 2], axis=0),
    "rollaxis": lambda np, x: np.rollaxis(x[None], 2),
    "rot90": lambda np, x: np.rot90(x, -1),
    "select": lambda np, x: np.select([x > 5, x > 2], [x, 1], 9.5),
    "setdiff1d": lambda np, x: np.setdiff1d(x, x[1]),
    "sort": lambda np, x: np.sort(x, axis=0)[np.argsort(x[:, 0])],
    "split": lambda np, x: np.split(x, 2, axis=1)[1],
    "take_along_axis": lambda np, x: np.take_along_axis(x, np.argmax(x, 1, keepdims=True), 1),
    "tensordot": lambda np, x: np.tensordot(x, x, axes=([0, 1], [0, 1])),
    "tile": lambda np, x: np.tile(x, (2, 1, 2)),
    "trapezoid": lambda np, x: np.trapezoid(x, np.asarray([0.0, 1, 3, 7]), axis=1),
    "tri": lambda np, x: np.tri(3) @ x,
    "tril": lambda np, x: np.tril(x) + np.triu(x, 1),
    "union1d": lambda np, x: np.union1d(x, x + 0.5),
    "unique": lambda np, x: np.unique(x % 3),
    "unravel_index": lambda np, x: np.unravel_index(np.argmax(x), (3, 4))[1],
    "vander": lambda np, x: np.vander(x[0], 3),
    "vsplit": lambda np, x: np.vsplit(x, [2])[1],
    "vstack": lambda np, x: np.vstack([x[0], x]),
    "eigh": lambda np, x: np.linalg.eigh(x @ x.T)[0],
    "svd": lambda np, x: np.linalg.svd(x, compute_uv=False),
    "qr": lambda np, x: np.linalg.qr(x)[1],
    "slogdet": lambda np, x: np.linalg.slogdet(x @ x.T + np.eye(3))[1],
    "pinv": lambda np, x: np.linalg.pinv(x),
    "matrix_power": lambda np, x: np.linalg.matrix_power(x @ x.T, 3),
    "multi_dot": lambda np, x: np.linalg.multi_dot([x.T, x, x.T]),
    "multi_dot of five": lambda np, x: np.linalg.multi_dot([x[0], x.T, x, x.T[:, :1], x[:1, 0]]),
    "matrix_norm": lambda np, x: np.linalg.matrix_norm(x),
    "vector_norm": lambda np, x: np.linalg.vector_norm(x, axis=1),
    "lin_trace": lambda np, x: np.linalg.trace(x),
    "lin_cross": lambda np, x: np.linalg.cross(x[:, :3], x[:, 1:]),
}
NEEDS_SIZES = {"split", "cross", "lin_cross", "slogdet", "tri", "vander", "matrix_power"}


@pytest.mark.parametrize("name", CASES)
def test_function_does_what_numpy_does(name):
    function = CASES[name]
    wanted = function(np, MATRIX)
    results = [
        function(rnp, MATRIX),
        staged(lambda x: function(rnp, x), MATRIX),
        staged(lambda x: function(np, x), MATRIX),
        function(rnp, Tensor(MATRIX)).array,
    ]
    if name not in NEEDS_SIZES:
        results.append(staged(lambda x: function(rnp, x), MATRIX, open_sizes=True))
    for found in results:
        assert np.asarray(found).dtype == np.asarray(wanted).dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "function",
    [
        lambda np, n: np.zeros((n, 2)),
        lambda np, n: np.ones(n, dtype=np.int32),
        lambda np, n: np.full((n, n), 2.5),
        lambda np, n: np.arange(n),
        lambda np, n: np.arange(1, n, 2),
        lambda np, n: np.arange(0.0, n, 0.5),
        lambda np, n: np.eye(n),
        lambda np, n: np.identity(n),
        lambda np, n: np.linspace(0, n, 4),
        lambda np, n: np.array([n, 2, [3][0]]),
        lambda np, n: np.asarray([[n, 1], [2, n]], dtype=np.float32),
        lambda np, n: np.reshape(np.arange(6), (n, -1)),
        lambda np, n: np.broadcast_to(np.arange(3), (n, 3)),
        lambda np, n: np.indices((n, 2))[0],
        lambda np, n: np.tri(n),
    ],
)
def test_sizes_and_bounds_may_be_staged(function):
    wanted = function(np, 3)
    for given in (np.int64(3), 3):
        found = staged(lambda n: function(rnp, n), given)
        assert found.dtype == wanted.dtype
        assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
def test_creation_while_tracing_gives_known_arrays(name):
    with default_graph.building(Builder()):
        found = getattr(rnp, name)((2, 3))
        assert isinstance(found, Symbol)
        assert not is_staged(found)


def test_creation_outside_of_tracing_gives_numpy_arrays():
    assert type(rnp.zeros(3)) is np.ndarray
    assert type(rnp.array([1, 2])) is np.ndarray


def test_large_uniform_arrays_are_no_constants_of_the_graph():
    graph = trace(lambda x: x + rnp.zeros((1000, 1000)), [TensorSpec([1000])])
    assert ops_of(graph) == ["filled", "add"]
    assert ops_of(trace(lambda x: x + rnp.zeros(3), [TensorSpec([3])])) == ["add"]


def test_uniform_arrays_keep_the_sign_of_zero():
    found = staged(lambda x: x * rnp.full(100, -0.0), np.ones(100))
    assert np.signbit(found).all()


def test_arrays_of_staged_values_are_stacked():
    graph = trace(lambda x: rnp.array([[x[0], 1], [2, x[1]]]), [TensorSpec([2])])
    assert str(graph.results[0].spec) == "f64[2, 2]"


def test_array_copies_and_asarray_does_not():
    def function(x):
        y, z = rnp.asarray(x), rnp.array(x)
        x[0] = 9
        return y + z

    assert staged(function, np.ones(2)).tolist() == [10.0, 2.0]


def test_static_arguments_may_not_be_staged():
    with pytest.raises(StagedValueError, match="the argument 'num' was needed while tracing"):
        staged(lambda n: rnp.linspace(0, 1, n), np.int64(3))


def test_ragged_lists_are_refused():
    with pytest.raises(ShapeError, match="nested lists of different lengths"):
        rnp.array([[1], [2, 3]])


def test_texts_are_of_numpys_string_dtype_and_objects_are_refused():
    assert rnp.asarray(["a"]).dtype == np.dtypes.StringDType()
    with pytest.raises(DtypeError, match="are not supported"):
        rnp.asarray([object()])


def test_allclose_and_array_equal_give_python_bools():
    def function(x):
        return rnp.allclose(x, x), rnp.array_equal(x, x), rnp.array_equal(x, x[1:])

    found = staged(function, MATRIX)
    assert found == (True, True, False)
    assert {type(x) for x in found} == {bool}
    found = staged(lambda x: rnp.array_equal(x, x + 0), MATRIX, open_sizes=True)
    assert found is True


def test_constants_and_dtypes_are_those_of_numpy():
    assert (rnp.pi, rnp.e, rnp.inf, rnp.newaxis) == (np.pi, np.e, np.inf, None)
    assert rnp.float32 is np.float32
    assert rnp.dtype is np.dtype


def test_aliases_of_numpy_are_aliases_here():
    assert rnp.abs is rnp.absolute
    assert rnp.concat is rnp.concatenate
    assert rnp.acos is rnp.arccos


def test_every_public_name_is_there_and_documented():
    for name in rnp.__all__:
        assert hasattr(rnp, name)
    for name in rnp.FUNCTION_NAMES:
        assert getattr(rnp, name).__doc__.strip()
    for name in rnp.linalg.__all__:
        assert callable(getattr(rnp.linalg, name))
    assert len(rnp.FUNCTION_NAMES) > 260


def parameters(function):
    try:
        return [name for name in inspect.signature(function).parameters if name != "like"]
    except ValueError:
        return None


IN_NUMPY_ONLY = {
    "out", "order", "subok", "dtype", "casting", "copy", "device", "like", "where", "initial",
    "assume_unique", "mean", "correction", "sorter", "kwargs", "equal_nan", "sorted", "fweights",
    "aweights", "density", "weights", "hermitian", "tol", "rtol", "args", "max_rows", "axis",
    "period", "bias", "ddof", "to_end", "wrap", "start_or_stop", "ndmax", "return_indices", "beta",
    "kind", "newshape",
}  # fmt: skip


@pytest.mark.parametrize("name", rnp.FUNCTION_NAMES)
def test_parameters_have_the_names_and_order_of_numpy(name):
    theirs, ours = parameters(getattr(np, name)), parameters(getattr(rnp, name))
    if theirs is None or isinstance(getattr(np, name), np.ufunc) or name.startswith("einsum"):
        return
    kept = [p for p in theirs if p in ours]
    assert [p for p in ours if p in theirs] == kept
    assert set(theirs) - set(ours) <= IN_NUMPY_ONLY, set(theirs) - set(ours)


def test_the_array_that_a_ufunc_writes_may_be_given_by_position():
    function, z = ag.function(lambda z: np.multiply(z, z, z)), np.array([2.0, 3.0])
    assert "numpy_call" not in str(function.graph(z))
    assert function(z) is z
    assert z.tolist() == [4.0, 9.0]
