"""Operators of staged arrays and of objects with rules of their own that are known."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sparse

import autograph as ag
from runtime.errors import RuntimeGraphError

SPARSE = sparse.csr_matrix(np.eye(3) * 2)
MASKED = np.ma.array([1.0, 2, 3], mask=[0, 1, 0])
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    MATRIX = np.matrix(np.arange(9.0).reshape(3, 3))
LINE, OTHER = np.poly1d([1, 2.0]), np.polynomial.Polynomial([1, 2.0])


def _power(x: Any, count: Any) -> Any:
    v = x[0]
    for _ in range(count):
        v = SPARSE @ v
        v = v / np.linalg.norm(v)
    return v


def _in_place(x: Any) -> Any:
    y, z = x[0] * 1, SPARSE
    y += SPARSE @ x[1]
    y -= MASKED
    z *= x[0, 1]
    return y, z.toarray()


CALLS = (
    lambda x: (SPARSE @ x, x @ SPARSE, SPARSE.T @ x[0], -SPARSE @ x, np.float64(3) * SPARSE @ x),
    lambda x: ((SPARSE + sparse.csr_matrix(x)).toarray(), (SPARSE / x[0, 1]).toarray()),
    lambda x: (MASKED + x[0], x[0] * MASKED, x[0] >= MASKED, x[0] - MASKED.mean()),
    lambda x: (np.add(x[0], MASKED), np.where(x[0] > 1, x[0], MASKED), np.dot(MASKED, x[0])),
    lambda x: (MATRIX * x, x @ MATRIX, x + MATRIX, x[0, 1] * MATRIX),
    lambda x: (LINE(x), OTHER * x[0, 1], x[0, 1] * OTHER, LINE + x[0, 1], (LINE + x[0, 1])(2.0)),
    _in_place,
    lambda x: _power(x, 3),
)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("function", CALLS)
def test_operators_are_those_of_the_object(function: Any) -> None:
    staged = ag.function(function)
    for x in (np.arange(9.0).reshape(3, 3), np.eye(3) + 1):
        expected, found = function(x.copy()), staged(x.copy())
        assert repr(expected) == repr(found)
        assert repr(list(map(type, expected))) == repr(list(map(type, found)))


def _changed(x: Any) -> Any:
    y = MASKED.copy()
    y += x[0]
    return y


def _put(x: Any) -> Any:
    y = MASKED.copy()
    y.put([0], x[:1])
    return y


def _out(x: Any) -> Any:
    y = MASKED.copy()
    np.add(y, x[0], out=y)
    return y


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_changed, r"of class MaskedArray .* by \+=; write x = x \+ y"),
        (_put, r"MaskedArray\.put .* writes an array of a class of its own"),
        (_out, r"MaskedArray"),
    ],
)
def test_what_is_known_is_not_written(function: Any, message: str) -> None:
    with pytest.raises(RuntimeGraphError, match=message):
        ag.function(function)(np.eye(3))


def test_a_sparse_matrix_is_applied_in_a_staged_loop() -> None:
    x = np.arange(9.0).reshape(3, 3)
    assert repr(ag.function(_power)(x, np.int64(3))) == repr(_power(x, 3))
