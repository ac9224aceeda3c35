"""Each name of `autograph.tf`: its value, its dtype, eagerly and staged."""

from __future__ import annotations

import numpy as np
import pytest

from autograph import tf

X = np.array([[1.0, -2.0, 3.5], [0.5, 4.0, -1.5]], np.float32)
N = np.array([[3, 1, 2], [6, 5, 4]], np.int32)
P = np.abs(X) + np.float32(0.25)
M = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
T = np.array([True, False, True])
SIGMOID = 1 / (1 + np.exp(-X))
SOFTMAX = np.exp(X) / np.exp(X).sum(-1, keepdims=True)
ROW = np.log(SOFTMAX)

CASES = {
    "abs": (lambda: tf.abs(X), np.abs(X)),
    "negative": (lambda: tf.math.negative(N), -N),
    "round": (lambda: tf.round(X), np.rint(X)),
    "rsqrt": (lambda: tf.math.rsqrt(P), 1 / np.sqrt(P)),
    "sigmoid": (lambda: tf.sigmoid(X), SIGMOID),
    "softplus": (lambda: tf.math.softplus(X), np.log1p(np.exp(X))),
    "add": (lambda: tf.add(X, 1), X + 1),
    "floordiv": (lambda: tf.math.floordiv(N, 2), N // 2),
    "mod": (lambda: tf.math.floormod(N, 4), N % 4),
    "pow": (lambda: tf.pow(N, 2), N**2),
    "squared_difference": (lambda: tf.math.squared_difference(X, 1.0), (X - 1) ** 2),
    "divide_no_nan": (lambda: tf.math.divide_no_nan([1.0, 2.0], [0.0, 4.0]), np.float32([0, 0.5])),
    "add_n": (lambda: tf.add_n([X, X, X]), X * 3),
    "clip_by_value": (lambda: tf.clip_by_value(X, -1, 2), X.clip(-1, 2)),
    "clip_by_global_norm": (
        lambda: tf.clip_by_global_norm([np.float32([3.0]), None, np.float32([4.0])], 1.0)[0][2],
        np.float32([0.8]),
    ),
    "global_norm": (lambda: tf.linalg.global_norm([[3.0], [4.0]]), np.float32(5.0)),
    "norm that is infinite": (
        lambda: tf.math.is_nan(tf.clip_by_global_norm([np.float32([np.inf, 1.0])], 1.0)[0][0]),
        np.array([True, True]),
    ),
    "identity_n": (lambda: tf.identity_n([N, X])[1], X),
    "reciprocal_no_nan": (
        lambda: tf.math.reciprocal_no_nan([0.0, 4.0]),
        np.float32([0.0, 0.25]),
    ),
    "set_diag": (
        lambda: tf.linalg.set_diag(X, np.float32([7.0, 8.0])),
        np.float32([[7.0, -2.0, 3.5], [0.5, 8.0, -1.5]]),
    ),
    "set_diag of high ones": (
        lambda: tf.linalg.set_diag(X.T, np.float32([7.0, 8.0])),
        np.float32([[7.0, 0.5], [-2.0, 8.0], [3.5, -1.5]]),
    ),
    "tensor_diag": (lambda: tf.linalg.tensor_diag([1.0, 2.0]), np.diag(np.float32([1.0, 2.0]))),
    "triangular_solve": (
        lambda: tf.linalg.triangular_solve(M, np.float32([[4.0], [7.0]])),
        np.float32([[1.0], [2.0]]),
    ),
    "crelu": (lambda: tf.nn.crelu([[1.0, -2.0]]), np.float32([[1.0, 0.0, 0.0, 2.0]])),
    "weighted_cross_entropy": (
        lambda: tf.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.5, -40.0], 3.0),
        np.float32([3 * np.log1p(np.exp(-0.5)), 0.0]),
    ),
    "depth_to_space": (
        lambda: tf.nn.depth_to_space(np.arange(8.0, dtype=np.float32).reshape(1, 1, 2, 4), 2),
        np.float32([[[[0.0], [1.0], [4.0], [5.0]], [[2.0], [3.0], [6.0], [7.0]]]]),
    ),
    "space_to_depth": (
        lambda: tf.nn.space_to_depth(np.arange(4.0, dtype=np.float32).reshape(1, 2, 2, 1), 2),
        np.float32([[[[0.0, 1.0, 2.0, 3.0]]]]),
    ),
    "clip_by_norm": (lambda: tf.clip_by_norm(np.float32([3, 4]), 1.0), np.float32([0.6, 0.8])),
    "erf": (lambda: tf.math.erf([0.5, -1.0]), np.float32([0.5204999, -0.8427008])),
    "erfc": (lambda: tf.math.erfc([0.5]), np.float32([0.4795001])),
    "lgamma": (lambda: tf.math.lgamma([5.0, 0.0]), np.float32([3.1780539, np.inf])),
    "erfinv": (
        lambda: tf.math.erfinv([0.5, -0.25, 1.0]),
        np.float32([0.47693628, -0.22531205, np.inf]),
    ),
    "erfcinv": (
        lambda: tf.math.erfcinv([0.5, 1.25, 0.0]),
        np.float32([0.47693628, -0.22531205, np.inf]),
    ),
    "ndtri": (
        lambda: tf.math.ndtri([0.5, 0.975, 1.0]),
        np.float32([0.0, 1.959964, np.inf]),
    ),
    "digamma": (lambda: tf.math.digamma([5.0, 0.5]), np.float32([1.5061177, -1.9635100])),
    "log_sigmoid": (lambda: tf.math.log_sigmoid(X), np.log(SIGMOID)),
    "multiply_no_nan": (
        lambda: tf.math.multiply_no_nan([np.inf, 2.0], [0.0, 3.0]),
        np.float32([0, 6]),
    ),
    "xlogy": (lambda: tf.math.xlogy([0.0, 2.0], [0.0, 3.0]), np.float32([0, 2 * np.log(3)])),
    "scalar_mul": (lambda: tf.scalar_mul(2.0, X), X * 2),
    "complex": (lambda: tf.complex([1.0], [2.0]), np.complex64([1 + 2j])),
    "saturate_cast": (lambda: tf.saturate_cast([300.0, -1.5], tf.uint8), np.uint8([255, 0])),
    "gelu exactly": (lambda: tf.nn.gelu([1.0, -1.0]), np.float32([0.8413447, -0.15865526])),
    "gelu nearly": (
        lambda: tf.nn.gelu([1.0], approximate=True),
        np.float32([0.841192]),
    ),
    "segment_sum": (
        lambda: tf.math.segment_sum(N.T, [0, 0, 2]),
        np.int32([[4, 11], [0, 0], [2, 4]]),
    ),
    "segment_mean": (
        lambda: tf.math.segment_mean([1.0, 2.0, 3.0], [0, 0, 2]),
        np.float32([1.5, 0, 3]),
    ),
    "segment_max": (lambda: tf.math.segment_max([1, 2, -3], [0, 0, 2]), np.int32([2, 0, -3])),
    "segment_min": (lambda: tf.math.segment_min([1, 2, -3], [0, 0, 2]), np.int32([1, 0, -3])),
    "unsorted_segment_sum": (
        lambda: tf.math.unsorted_segment_sum([1, 2, 3], [2, 0, 2], 3),
        np.int32([2, 0, 4]),
    ),
    "bincount": (lambda: tf.math.bincount([1, 1, 3]), np.int32([0, 2, 0, 1])),
    "bincount weighted": (
        lambda: tf.math.bincount([1, 1], weights=[0.5, 1.5], minlength=3),
        np.float32([0, 2, 0]),
    ),
    "confusion_matrix": (
        lambda: tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]),
        np.int32([[1, 0], [1, 1]]),
    ),
    "tensor_scatter_nd_add": (
        lambda: tf.tensor_scatter_nd_add([1, 2], [[0], [0]], [5, 7]),
        np.int32([13, 2]),
    ),
    "tensor_scatter_nd_sub": (
        lambda: tf.tensor_scatter_nd_sub([1, 2], [[1], [1]], [5, 7]),
        np.int32([1, -10]),
    ),
    "tensor_scatter_nd_max": (
        lambda: tf.tensor_scatter_nd_max([[1, 2]], [[0, 0], [0, 1]], [0, 9]),
        np.int32([[1, 9]]),
    ),
    "tensor_scatter_nd_min": (
        lambda: tf.tensor_scatter_nd_min([1, 2], [[0], [1]], [0, 9]),
        np.int32([0, 2]),
    ),
    "unique_with_counts": (lambda: tf.unique_with_counts([5, 3, 5])[2], np.int32([2, 1])),
    "strided_slice": (lambda: tf.strided_slice(N, [0, 2], [2, 0], [1, -1]), N[0:2, 2:0:-1]),
    "vectorized_map": (lambda: tf.vectorized_map(lambda x: x * 2, N), N * 2),
    "cast": (lambda: tf.cast(X, tf.int32), X.astype(np.int32)),
    "identity": (lambda: tf.identity([1, 2]), np.int32([1, 2])),
    "stop_gradient": (lambda: tf.stop_gradient(X), X),
    "where": (lambda: tf.where(X > 0, X, 0.0), np.where(X > 0, X, np.float32(0))),
    "where alone": (lambda: tf.where(T), np.array([[0], [2]])),
    "logical_and": (lambda: tf.logical_and(T, True), T),
    "equal": (lambda: tf.equal(N, 3), N == 3),
    "is_nan": (lambda: tf.math.is_nan(X), np.isnan(X)),
    "reduce_sum": (lambda: tf.reduce_sum(N), np.int32(21)),
    "reduce_sum axis": (lambda: tf.reduce_sum(X, axis=1, keepdims=True), X.sum(1, keepdims=True)),
    "reduce_prod": (lambda: tf.reduce_prod(N, axis=0), np.int32([18, 5, 8])),
    "reduce_mean": (lambda: tf.reduce_mean(X, [0, 1]), X.mean()),
    "reduce_mean of integers": (lambda: tf.reduce_mean(N), np.int32(3)),
    "reduce_max": (lambda: tf.reduce_max(X, 0), X.max(0)),
    "reduce_min": (lambda: tf.reduce_min(X), X.min()),
    "reduce_all": (lambda: tf.reduce_all(T), np.False_),
    "reduce_any": (lambda: tf.reduce_any(T), np.True_),
    "reduce_std": (lambda: tf.math.reduce_std(X), X.std()),
    "reduce_variance": (lambda: tf.math.reduce_variance(X, 0), X.var(0)),
    "reduce_logsumexp": (lambda: tf.reduce_logsumexp(X, 1), np.log(np.exp(X).sum(1))),
    "reduce_logsumexp kept": (
        lambda: tf.reduce_logsumexp(X, keepdims=True),
        np.log(np.exp(X).sum(keepdims=True)),
    ),
    "reduce_euclidean_norm": (
        lambda: tf.math.reduce_euclidean_norm(X),
        np.sqrt((X * X).sum()),
    ),
    "count_nonzero": (lambda: tf.math.count_nonzero(T), np.int64(2)),
    "argmax": (lambda: tf.argmax(X, 1), X.argmax(1)),
    "argmin": (lambda: tf.argmin(X, output_type=tf.int32), X.argmin(0).astype(np.int32)),
    "cumsum": (lambda: tf.cumsum(N, 1), np.cumsum(N, 1, dtype=np.int32)),
    "cumsum exclusive": (lambda: tf.cumsum([1, 2, 3], exclusive=True), np.int32([0, 1, 3])),
    "cumsum reverse": (lambda: tf.cumsum([1, 2, 3], reverse=True), np.int32([6, 5, 3])),
    "cumprod": (lambda: tf.math.cumprod([1, 2, 3]), np.int32([1, 2, 6])),
    "constant": (lambda: tf.constant(2.0, shape=[2, 2]), np.full((2, 2), 2, np.float32)),
    "constant reshaped": (
        lambda: tf.constant([1, 2, 3, 4], shape=(2, 2)),
        np.int32([[1, 2], [3, 4]]),
    ),
    "constant dtype": (lambda: tf.constant([1, 2], tf.float64), np.array([1.0, 2.0])),
    "zeros": (lambda: tf.zeros([2, 1], tf.int32), np.zeros((2, 1), np.int32)),
    "ones": (lambda: tf.ones(2), np.ones(2, np.float32)),
    "fill": (lambda: tf.fill([2], 7), np.int32([7, 7])),
    "eye": (lambda: tf.eye(2, 3), np.eye(2, 3, dtype=np.float32)),
    "zeros_like": (lambda: tf.zeros_like(N), np.zeros_like(N)),
    "ones_like": (lambda: tf.ones_like(N, tf.float32), np.ones_like(N, np.float32)),
    "range": (lambda: tf.range(1, 7, 2), np.int32([1, 3, 5])),
    "range of floats": (lambda: tf.range(0.0, 1.0, 0.5), np.float32([0, 0.5])),
    "linspace": (lambda: tf.linspace(0.0, 1.0, 3), np.float32([0, 0.5, 1])),
    "one_hot": (lambda: tf.one_hot([0, 2], 3), np.float32([[1, 0, 0], [0, 0, 1]])),
    "shape": (lambda: tf.shape(X), np.int32([2, 3])),
    "size": (lambda: tf.size(X), np.int32(6)),
    "rank": (lambda: tf.rank(X), np.int32(2)),
    "reshape": (lambda: tf.reshape(X, [3, -1]), X.reshape(3, 2)),
    "transpose": (lambda: tf.transpose(X), X.T),
    "transpose perm": (lambda: tf.transpose(X[None], [1, 2, 0]), X[None].transpose(1, 2, 0)),
    "expand_dims": (lambda: tf.expand_dims(X, -1), X[..., None]),
    "squeeze": (lambda: tf.squeeze(X[None], [0]), X),
    "broadcast_to": (lambda: tf.broadcast_to([1, 2], [2, 2]), np.int32([[1, 2], [1, 2]])),
    "tile": (lambda: tf.tile([1, 2], [2]), np.int32([1, 2, 1, 2])),
    "repeat": (lambda: tf.repeat([1, 2], 2), np.int32([1, 1, 2, 2])),
    "concat": (lambda: tf.concat([X, X], 1), np.concatenate([X, X], 1)),
    "concat of numbers": (lambda: tf.concat([[1], [2, 3]], 0), np.int32([1, 2, 3])),
    "stack": (lambda: tf.stack([1.0, tf.constant(2.0)]), np.float32([1, 2])),
    "unstack": (lambda: tf.unstack(N)[1], N[1]),
    "split": (lambda: tf.split(N, 3, axis=1)[2], N[:, 2:]),
    "split sizes": (lambda: tf.split(N, [1, 2], axis=1)[1], N[:, 1:]),
    "slice": (lambda: tf.slice(N, [0, 1], [2, -1]), N[:, 1:]),
    "pad": (lambda: tf.pad([1, 2], [[1, 2]]), np.int32([0, 1, 2, 0, 0])),
    "pad reflected": (lambda: tf.pad([1, 2, 3], [[1, 0]], "REFLECT"), np.int32([2, 1, 2, 3])),
    "reverse": (lambda: tf.reverse(N, [1]), N[:, ::-1]),
    "roll": (lambda: tf.roll(N, 1, 1), np.roll(N, 1, 1)),
    "gather": (lambda: tf.gather(X, [1, 0], axis=1), X[:, [1, 0]]),
    "gather_nd": (lambda: tf.gather_nd(X, [[0, 1], [1, 2]]), X[[0, 1], [1, 2]]),
    "scatter_nd": (
        lambda: tf.scatter_nd([[1], [3], [1]], [5, 6, 7], [5]),
        np.int32([0, 12, 0, 6, 0]),
    ),
    "tensor_scatter_nd_update": (
        lambda: tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [7, 9]),
        np.int32([7, 2, 9]),
    ),
    "boolean_mask": (lambda: tf.boolean_mask([1, 2, 3], T), np.int32([1, 3])),
    "unique": (lambda: tf.unique([5, 3, 5])[0], np.int32([5, 3])),
    "unique places": (lambda: tf.unique([5, 3, 5])[1], np.int32([0, 1, 0])),
    "sort": (lambda: tf.sort(N, direction="DESCENDING"), -np.sort(-N)),
    "argsort": (lambda: tf.argsort([3, 1, 2]), np.int32([1, 2, 0])),
    "searchsorted": (lambda: tf.searchsorted([1, 3, 5], [2, 5]), np.int32([1, 2])),
    "meshgrid": (lambda: tf.meshgrid([1, 2], [3])[0], np.int32([[1, 2]])),
    "sequence_mask": (lambda: tf.sequence_mask([1, 2], 3), np.array([[1, 0, 0], [1, 1, 0]]) > 0),
    "ensure_shape": (lambda: tf.ensure_shape(X, [None, 3]), X),
    "top_k": (lambda: tf.math.top_k(N, 2).indices, np.int32([[0, 2], [0, 1]])),
    "in_top_k": (lambda: tf.nn.in_top_k([2, 0], X, 1), np.array([True, False])),
    "matmul": (lambda: tf.matmul(X, X, transpose_b=True), X @ X.T),
    "matvec": (lambda: tf.linalg.matvec(M, [1.0, 2.0]), M @ np.float32([1, 2])),
    "tensordot": (lambda: tf.tensordot(X, X, [[1], [1]]), np.tensordot(X, X, [[1], [1]])),
    "einsum": (lambda: tf.einsum("ij,kj->ik", X, X), X @ X.T),
    "norm": (lambda: tf.norm(X), np.sqrt((X * X).sum())),
    "norm axis": (lambda: tf.norm(X, axis=1), np.linalg.norm(X, axis=1)),
    "det": (lambda: tf.linalg.det(M), np.float32(11)),
    "inv": (lambda: tf.linalg.inv(M), np.linalg.inv(M)),
    "solve": (lambda: tf.linalg.solve(M, M), np.eye(2, dtype=np.float32)),
    "cholesky": (lambda: tf.linalg.cholesky(M), np.linalg.cholesky(M)),
    "trace": (lambda: tf.linalg.trace(M), np.float32(7)),
    "svd": (lambda: tf.linalg.svd(M)[0], np.linalg.svd(M)[1]),
    "eigh": (lambda: tf.linalg.eigh(M)[0], np.linalg.eigh(M)[0]),
    "diag": (lambda: tf.linalg.diag([1, 2]), np.diag(np.int32([1, 2]))),
    "diag_part": (lambda: tf.linalg.diag_part(M), np.diagonal(M)),
    "band_part": (lambda: tf.linalg.band_part(M, -1, 0), np.tril(M)),
    "relu": (lambda: tf.nn.relu(X), np.maximum(X, 0)),
    "relu6": (lambda: tf.nn.relu6(X * 3), np.clip(X * 3, 0, 6)),
    "elu": (lambda: tf.nn.elu(X), np.where(X < 0, np.expm1(X), X)),
    "leaky_relu": (lambda: tf.nn.leaky_relu(X), np.where(X < 0, np.float32(0.2) * X, X)),
    "silu": (lambda: tf.nn.silu(X), X * SIGMOID),
    "softmax": (lambda: tf.nn.softmax(X), SOFTMAX),
    "log_softmax": (lambda: tf.nn.log_softmax(X), ROW),
    "softmax_cross_entropy_with_logits": (
        lambda: tf.nn.softmax_cross_entropy_with_logits(SOFTMAX, X),
        -(SOFTMAX * ROW).sum(-1),
    ),
    "sparse_softmax_cross_entropy_with_logits": (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([2, 0], X),
        -ROW[[0, 1], [2, 0]],
    ),
    "sigmoid_cross_entropy_with_logits": (
        lambda: tf.nn.sigmoid_cross_entropy_with_logits(np.ones_like(X), X),
        -np.log(SIGMOID),
    ),
    "l2_loss": (lambda: tf.nn.l2_loss(X), (X * X).sum() / 2),
    "l2_normalize": (lambda: tf.nn.l2_normalize([3.0, 4.0]), np.float32([0.6, 0.8])),
    "moments": (lambda: tf.nn.moments(X, [0])[1], X.var(0)),
    "bias_add": (lambda: tf.nn.bias_add(X, [1.0, 2.0, 3.0]), X + np.float32([1, 2, 3])),
    "embedding_lookup": (lambda: tf.nn.embedding_lookup(X, [1]), X[[1]]),
    "strings.length": (lambda: tf.strings.length(["a", "grün"]), np.int32([1, 5])),
    "strings.to_number": (lambda: tf.strings.to_number("1.5"), np.float32(1.5)),
    "strings.to_number integer": (lambda: tf.strings.to_number(["7"], tf.int32), np.int32([7])),
    "convert_to_tensor": (lambda: tf.convert_to_tensor([1, 2.5]), np.float32([1, 2.5])),
}


@pytest.mark.parametrize("name", CASES)
def test_gives_the_value_and_the_dtype(name):
    call, expected = CASES[name]
    for found in (call(), tf.function(call)()):
        assert isinstance(found, tf.Tensor)
        array = np.asarray(found.numpy())
        assert array.shape == np.shape(expected)
        assert array.dtype == np.asarray(expected).dtype
        assert np.allclose(array, expected, rtol=1e-5, atol=1e-6)


N_STAGED = {
    "tile": (lambda n: tf.tile([[1, 2]], [n, 2]), [[1, 2, 1, 2], [1, 2, 1, 2]]),
    "broadcast_to": (lambda n: tf.broadcast_to([1.0], [n]), [1.0, 1.0]),
    "one_hot": (lambda n: tf.one_hot([1, 0], n), [[0.0, 1.0], [1.0, 0.0]]),
    "eye": (lambda n: tf.eye(n), [[1.0, 0.0], [0.0, 1.0]]),
    "linspace": (lambda n: tf.linspace(0.0, 1.0, n + 1), [0.0, 0.5, 1.0]),
    "zeros": (lambda n: tf.zeros([n, 1]), [[0.0], [0.0]]),
    "fill": (lambda n: tf.fill([n], 3), [3, 3]),
    "range": (lambda n: tf.range(0, n * 3, n), [0, 2, 4]),
    "slice": (lambda n: tf.slice([1, 2, 3], [n - 1], [n]), [2, 3]),
    "pad": (lambda n: tf.pad([1], [[n, 0]]), [0, 0, 1]),
    "repeat": (lambda n: tf.repeat([1, 2], n), [1, 1, 2, 2]),
    "roll": (lambda n: tf.roll([1, 2, 3], n, 0), [2, 3, 1]),
    "gather": (lambda n: tf.gather([1, 2, 3], [n, 0]), [3, 1]),
    "top_k": (lambda n: tf.math.top_k([1, 3, 2], n).values, [3, 2]),
    "sequence_mask": (lambda n: tf.sequence_mask([1, 2], n), [[True, False], [True, True]]),
    "scatter_nd": (lambda n: tf.scatter_nd([[0], [1]], [5, 6], [n]), [5, 6]),
    "random": (lambda n: tf.zeros_like(tf.random.uniform([n])), [0.0, 0.0]),
    "reshape": (lambda n: tf.reshape([1, 2, 3, 4], [n, -1]), [[1, 2], [3, 4]]),
}


@pytest.mark.parametrize("name", N_STAGED)
def test_sizes_may_be_tensors(name):
    call, expected = N_STAGED[name]
    n = tf.constant(2)
    assert call(n).numpy().tolist() == tf.function(call)(n).numpy().tolist() == expected


TEXTS = {
    "join": (lambda: tf.strings.join(["a", "b"], "-"), b"a-b"),
    "lower": (lambda: tf.strings.lower("Ab"), b"ab"),
    "upper": (lambda: tf.strings.upper("Ab"), b"AB"),
    "strip": (lambda: tf.strings.strip(tf.constant(" a ")), b"a"),
    "substr": (lambda: tf.strings.substr("hello", 1, 3), b"ell"),
    "reduce_join": (lambda: tf.strings.reduce_join(["a", "b"]), b"ab"),
    "as_string": (lambda: tf.strings.as_string(3), b"3"),
    "as_string precision": (lambda: tf.strings.as_string(2.5, precision=2), b"2.50"),
    "regex_replace": (lambda: tf.strings.regex_replace("a1", r"\d", "#"), b"a#"),
    "split": (lambda: tf.strings.split("a b")[1], b"b"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name):
    call, expected = TEXTS[name]
    assert call().numpy() == expected
    assert tf.function(call)().numpy() == expected


@pytest.mark.parametrize("draw", [tf.random.uniform, tf.random.normal, tf.random.truncated_normal])
def test_random_numbers(draw):
    assert draw([2, 3]).dtype == tf.float32
    staged = tf.function(lambda: draw([1000]))
    assert not np.array_equal(staged().numpy(), staged().numpy())
    assert abs(np.mean(staged().numpy())) < 1


def test_random_integers_and_orders():
    drawn = tf.random.uniform([100], 2, 5, tf.int32)
    assert set(np.unique(drawn.numpy())) == {2, 3, 4}
    shuffled = tf.random.shuffle(tf.range(20))
    assert sorted(shuffled.numpy().tolist()) == list(range(20))


CHECKS = [
    (tf.debugging.assert_equal, (1, 1), (1, 2)),
    (tf.debugging.assert_less, (1, 2), (2, 1)),
    (tf.debugging.assert_greater_equal, (2, 2), (1, 2)),
    (tf.debugging.assert_positive, (1.0,), (-1.0,)),
    (tf.debugging.assert_non_negative, ([0, 1],), ([-1, 1],)),
    (tf.debugging.check_numerics, (1.0, "x"), (np.inf, "x")),
    (tf.debugging.Assert, (True, ["x"]), (False, ["x"])),
]


@pytest.mark.parametrize(("check", "good", "bad"), CHECKS)
def test_checks(check, good, bad):
    check(*good)
    with pytest.raises(tf.errors.InvalidArgumentError):
        check(*bad)

    @tf.function
    def staged(x):
        check(x, *bad[1:])

    with pytest.raises(tf.errors.InvalidArgumentError):
        staged(tf.constant(bad[0]))


def test_a_shape_that_is_ensured_is_not_made():
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def ensured(x):
        return tf.ensure_shape(x, [3, None])

    assert ensured(tf.ones((3, 4))).shape == (3, 4)
    for ensure in (ensured, lambda x: tf.ensure_shape(x, [3, None])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="the shape of the tensor is not"):
            ensure(tf.ones((2, 6)))


def test_shapes_are_checked():
    tf.debugging.assert_rank([1], 1)
    tf.debugging.assert_shapes([(X, ("n", 3)), (N, ("n", "m"))])
    with pytest.raises(ValueError, match="has 1 dimensions, and 2 are needed"):
        tf.debugging.assert_rank([1], 2)
    with pytest.raises(ValueError, match="is needed"):
        tf.debugging.assert_shapes([(X, ("n", "n"))])
    with pytest.raises(TypeError, match="float32, and int32 is needed"):
        tf.debugging.assert_type(1.0, tf.int32)


ABSENT = [
    (lambda: tf.reduce_sun, "tf.reduce_sun is not there; the nearest is tf.reduce_sum"),
    (lambda: tf.nn.relo, "tf.nn.relo is not there; the nearest is tf.nn.relu"),
    (
        lambda: tf.keras.applications,
        "tf.keras.applications is not there: there are no trained models",
    ),
    (lambda: tf.math.zzz, "tf.math.zzz is not there"),
]


@pytest.mark.parametrize(("ask", "message"), ABSENT)
def test_an_absent_name_says_what_is_near(ask, message):
    with pytest.raises(AttributeError, match=message):
        ask()


def test_what_cannot_be_a_tensor_is_refused():
    with pytest.raises(TypeError, match="no tensor can be made of it"):
        tf.constant(object())
    with pytest.raises(TypeError, match=r"write tf.cast\(x, tf.int32\)"):
        tf.convert_to_tensor(tf.constant(1.0), tf.int32)
    with pytest.raises(TypeError, match="does not fit into int32"):
        tf.constant(2**40)
    with pytest.raises(ValueError, match="different lengths"):
        tf.constant([[1], [1, 2]])


def test_vectorized_map_is_a_batch_in_a_graph():
    def settle(x):
        while tf.reduce_sum(x) > 1:
            x = x / 2
        return x

    rows = np.float32([[1, 2], [0, 0.5]])
    graph = tf.function(lambda x: tf.vectorized_map(settle, x))
    np.testing.assert_array_equal(graph(rows).numpy(), tf.map_fn(settle, rows).numpy())
    assert "quiet=True" in str(graph.graph(rows))
