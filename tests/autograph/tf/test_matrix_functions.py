"""Functions of whole matrices: SciPy's values, and derivatives by differences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from autograph import tf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4, 3, 3)) * np.array([0.1, 1.0, 3.0, 10.0])[:, None, None]
SYMMETRIC = X @ np.swapaxes(X, 1, 2) + np.eye(3)


def of_each(function, stack):
    return np.array([function(x) for x in stack])


def test_exponentials_roots_and_logarithms_are_scipys() -> None:
    expected = of_each(scipy.linalg.expm, X)
    for dtype, bits in ((np.float32, 2e-6), (np.float64, 2e-14)):
        found = tf.function(tf.linalg.expm)(tf.constant(X.astype(dtype))).numpy()
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=bits, atol=bits * np.max(expected))
    turn = tf.linalg.expm(tf.constant([[0.0, -np.pi / 2], [np.pi / 2, 0.0]]))
    np.testing.assert_allclose(turn.numpy(), [[0, -1], [1, 0]], atol=1e-6)
    root = tf.linalg.sqrtm(tf.constant(SYMMETRIC)).numpy()
    np.testing.assert_allclose(root @ root, SYMMETRIC, rtol=1e-10, atol=1e-10)
    found = tf.linalg.logm(tf.constant(SYMMETRIC)).numpy()
    np.testing.assert_allclose(found, of_each(scipy.linalg.logm, SYMMETRIC), rtol=1e-9, atol=1e-9)
    with pytest.raises(tf.errors.InvalidArgumentError, match="sqrtm of this matrix is complex"):
        tf.linalg.sqrtm(tf.constant([[-1.0, 0.0], [0.0, 1.0]]))
    values, vectors = (part.numpy() for part in tf.linalg.eig(tf.constant(X)))
    np.testing.assert_allclose(X @ vectors, vectors * values[:, None], rtol=1e-8, atol=1e-12)
    assert tf.linalg.eigvals(tf.constant(X.astype(np.float32))).dtype == tf.complex64


def test_triangular_factors_solve_equations_and_give_the_matrix_again() -> None:
    right = RNG.normal(size=(4, 3, 2))
    factors, rows = tf.linalg.lu(tf.constant(X))
    assert rows.dtype == tf.int32
    low, high = np.tril(factors, -1) + np.eye(3), np.triu(factors)
    np.testing.assert_allclose(np.take_along_axis(X, rows.numpy()[..., None], 1), low @ high)
    np.testing.assert_allclose(tf.linalg.lu_reconstruct(factors, rows).numpy(), X)
    found = tf.linalg.lu_solve(factors, rows, tf.constant(right)).numpy()
    np.testing.assert_allclose(found, np.linalg.solve(X, right))


def test_matrices_with_three_diagonals_are_those_matrices() -> None:
    (above, main, below), right = RNG.normal(size=(3, 2, 4)), RNG.normal(size=(2, 4, 3))
    rows = zip(above[:, :-1], main, below[:, 1:], strict=True)
    whole = np.array([np.diag(a, 1) + np.diag(b) + np.diag(c, -1) for a, b, c in rows])
    expected = np.linalg.solve(whole, right)
    for form, given in {
        "compact": np.stack([above, main, below], 1),
        "sequence": (above[:, :-1], main, below[:, 1:]),
        "matrix": whole,
    }.items():
        solve = tf.function(lambda x, y, form=form: tf.linalg.tridiagonal_solve(x, y, form))
        np.testing.assert_allclose(solve(given, right), expected, rtol=1e-9)
        product = tf.linalg.tridiagonal_matmul(given, expected, form)
        np.testing.assert_allclose(product, right, rtol=1e-9)
    row = tf.linalg.tridiagonal_solve(whole, right[..., 0], "matrix")
    np.testing.assert_allclose(row, expected[..., 0], rtol=1e-9)
    turned = tf.linalg.tridiagonal_solve(
        whole + 0j, 1j * np.swapaxes(right, 1, 2), "matrix", transpose_rhs=True, conjugate_rhs=True
    )
    np.testing.assert_allclose(turned, -1j * expected, rtol=1e-9)
    with pytest.raises(ValueError, match="'compact', 'sequence' or 'matrix', not 'rows'"):
        tf.linalg.tridiagonal_solve(whole, right, "rows")


def of_eigenvalues(x):
    values, vectors = tf.linalg.eig(x)
    return tf.abs(vectors) * (tf.abs(values) + 2 * tf.math.real(values))[..., None, :]


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (tf.linalg.expm, X / 3),
        (tf.linalg.sqrtm, SYMMETRIC),
        (tf.linalg.logm, SYMMETRIC + 0.1 * X),
        (of_eigenvalues, X),
        (lambda x: tf.linalg.lu(x)[0], X),
        (lambda x: tf.linalg.tridiagonal_solve(x, x), X),
    ],
    ids=["expm", "sqrtm", "logm", "eig", "lu", "tridiagonal"],
)
def test_their_derivatives_are_those_of_differences(function, x) -> None:
    weights, step = RNG.normal(size=x.shape), 1e-6 * RNG.normal(size=x.shape)

    def loss(x):
        return tf.reduce_sum(function(x) * weights)

    @tf.function
    def staged(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        return tape.gradient(y, x)

    given = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = loss(given)
    change = (loss(tf.constant(x + step)) - loss(tf.constant(x - step))).numpy() / 2
    for found in (tape.gradient(y, given), staged(given)):
        np.testing.assert_allclose(np.sum(found.numpy() * step), change, rtol=1e-5)
