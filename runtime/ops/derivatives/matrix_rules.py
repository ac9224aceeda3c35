"""Rules of linear algebra.

Most say how tangents go along the op, in products of matrices: see Giles, "Collected matrix
derivative results for forward and reverse mode" (2008), Golub and Pereyra (1973) for `pinv`, and
Walter and Lehmann (2010) for `qr`. Functions of symmetric matrices follow the half of the
matrix that they read, and not the other one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from runtime.graph.traits import Application, Derivative
from runtime.ops.derivatives.constructors import (
    NoDerivativeError,
    bilinear,
    conjugated,
    is_complex,
    multilinear,
    of_one,
    times,
    total,
)
from runtime.ops.derivatives.indexing_rules import numbers, op_of
from runtime.ops.derivatives.product_rules import (
    are_matrices,
    has_one,
    product_left,
    product_right,
)
from runtime.ops.einsum_subscripts import read_subscripts

UNDETERMINED = "of complex matrices are not determined but for factors"


def _turned(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _adjoint(x: Any) -> Any:
    return conjugated(_turned(x))


def _symmetric(x: Any, uplo: str = "L") -> Any:
    """Return the matrix that functions of symmetric ones read: one half, and the diagonal."""
    half = _below(x) if uplo == "L" else _turned(_below(_turned(x)))
    return half + _adjoint(half) + np.real(_unit(x) * x)


def _unit(x: Any) -> Any:
    """Return ones on the diagonal of a square matrix, and zeros beside it."""
    count = np.shape(x)[-1]
    if isinstance(count, int):
        return np.eye(count, dtype=np.real(x).dtype)
    ones = np.ones_like(np.real(x))
    return np.tril(ones) * np.triu(ones)


def _below(x: Any) -> Any:
    """Return the elements of a square matrix below its diagonal, and zeros elsewhere."""
    count = np.shape(x)[-1]
    if not isinstance(count, int):
        return np.tril(x, -1)
    return np.where(np.tri(count, k=-1, dtype=bool), x, 0)


def _diagonal(x: Any) -> Any:
    return np.diagonal(x, axis1=-2, axis2=-1)


def _contracted(x: Any, y: Any, axes: Any = 2) -> Any:
    """Return the sum of products over pairs of axes, as one product of matrices."""
    if isinstance(axes, int):
        axes = tuple(range(-axes, 0)), tuple(range(axes))
    taken = [(k,) if isinstance(k, int) else tuple(k) for k in axes]
    first, second = (
        tuple(k % len(np.shape(v)) for k in own) for own, v in zip(taken, (x, y), strict=True)
    )
    n, m = np.shape(x), np.shape(y)
    left = [k for k in range(len(n)) if k not in first]
    right = [k for k in range(len(m)) if k not in second]
    rows, columns, inner = [n[k] for k in left], [m[k] for k in right], [n[k] for k in first]
    wide, high = np.transpose(x, (*left, *first)), np.transpose(y, (*second, *right))
    if not (len(left) == len(first) == len(right) == 1):
        wide = np.reshape(wide, (prod(rows), prod(inner)))
        high = np.reshape(high, (prod(inner), prod(columns)))
    return np.reshape(wide @ high, (*rows, *columns))


def dot_left(apply: Any, g: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of the first operand of `dot`."""
    first, second = len(np.shape(x)), len(np.shape(y))
    if not first or not second:
        return np.sum(g * y) if not first else g * y
    if second < 3:
        return product_left(apply, g, x, y)
    own = [k for k in range(second) if k != second - 2]
    return _contracted(g, y, (range(first - 1, first + second - 2), own))


def dot_right(apply: Any, g: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of the second operand of `dot`."""
    first, second = len(np.shape(x)), len(np.shape(y))
    if not first or not second:
        return np.sum(g * x) if not second else g * x
    if second < 3:
        return product_right(apply, g, x, y)
    return np.moveaxis(_contracted(g, x, (range(first - 1), range(first - 1))), -1, -2)


def inner_left(apply: Any, g: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of the first operand of an inner product."""
    if not np.shape(x) or not np.shape(y):
        return np.sum(g * y) if not np.shape(x) else g * y
    if _are_two((x, y), 2) and has_one(g, -1):
        return times(g, np.expand_dims(np.sum(y, 0), 0))
    return _contracted(g, y, len(np.shape(y)) - 1)


def inner_right(apply: Any, g: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of the second operand of an inner product."""
    if not np.shape(x) or not np.shape(y):
        return np.sum(g * x) if not np.shape(y) else g * x
    if _are_two((x, y), 2) and has_one(g, -2):
        return times(_turned(g) if np.shape(g) else g, np.expand_dims(np.sum(x, 0), 0))
    own = range(len(np.shape(x)) - 1)
    return _contracted(g, x, (own, own))


def outer_left(apply: Any, g: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of the first operand of an outer product."""
    if _are_two((x, y), 1) and has_one(g, -1):
        return times(np.squeeze(g, -1) if np.shape(g) else g, np.sum(y))
    found = g @ np.reshape(y, (-1,))
    return found if len(np.shape(x)) == 1 else np.reshape(found, np.shape(x))


def outer_right(apply: Any, g: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of the second operand of an outer product."""
    if _are_two((x, y), 1) and has_one(g, -2):
        return times(np.squeeze(g, -2) if np.shape(g) else g, np.sum(x))
    found = np.reshape(x, (-1,)) @ g
    return found if len(np.shape(y)) == 1 else np.reshape(found, np.shape(y))


def _are_two(operands: Sequence[Any], rank: int) -> bool:
    """Tell whether both operands have so many axes."""
    return all(len(np.shape(x)) == rank for x in operands)


def _vdot(x: Any, y: Any) -> Any:
    return np.sum(conjugated(np.reshape(x, (-1,))) * np.reshape(y, (-1,)))


def _trace(x: Any, offset: int, axis1: int, axis2: int, dtype: Any = None) -> Any:
    return np.sum(np.diagonal(x, offset, axis1, axis2), -1)


def _einsum_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    parts = [
        call.apply(call.op, [*call.operands[:k], t, *call.operands[k + 1 :]], **call.attrs)
        for k, t in enumerate(tangents)
        if t is not None
    ]
    return [total(parts)]


def _einsum_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    shapes = [np.shape(x) for x in call.operands]
    terms, out = read_subscripts(call.attrs["subscripts"], tuple(map(len, shapes)))

    def back(k: int) -> Any:
        term, letters = terms[k], "".join(dict.fromkeys(terms[k]))
        others = [*terms[:k], *terms[k + 1 :]]
        kept = "".join(c for c in letters if c in out + "".join(others))
        rest = [*call.operands[:k], *call.operands[k + 1 :]]
        if out or not others:
            found = contracted(call, [cotangents[0], *rest], [out, *others], kept)
        else:
            found = contracted(call, rest, others, kept) * cotangents[0]
        missing = tuple(i for i, c in enumerate(letters) if c not in kept)
        found = np.expand_dims(found, missing) if missing else found
        if letters == term:
            return found
        empty = np.zeros_like(call.operands[k])
        return on_letters(call.apply, "scatter", empty, found, term, letters)

    return [back(k) if wanted else None for k, wanted in enumerate(call.wanted)]


def contracted(call: Application, given: Sequence[Any], terms: Sequence[str], kept: str) -> Any:
    """Return what `einsum` does: as one product of matrices, where two operands are that."""
    if len(given) == 2 and not set(terms[0]) & set(terms[1]) & set(kept):
        first, second = terms
        shared = [c for c in first if c in second]
        left = [*first, *(c for c in second if c not in shared)]
        order = [c for c in left if c not in shared]
        if sorted(order) == sorted(kept) and all(len(set(x)) == len(x) for x in terms):
            axes = [first.index(c) for c in shared], [second.index(c) for c in shared]
            found = _contracted(given[0], given[1], axes)
            turned = [*map(order.index, kept)]
            return found if turned == sorted(turned) else np.transpose(found, turned)
    subscripts = f"{','.join(terms)}->{kept}"
    optimize = call.attrs["optimize"]
    return call.apply(call.op, given, subscripts=subscripts, optimize=optimize)


def on_letters(apply: Any, name: str, x: Any, value: Any, term: str, letters: str) -> Any:
    """Return an array with other elements where the indices are equal that have one letter.

    Args:
        apply: applies ops.
        name: of the op that writes them.
        x: the array, of whose axes `term` has the letters.
        value: the elements, of whose axes `letters` has the letters.
    """
    places = [
        np.reshape(numbers(apply, n), [-1 if c == letter else 1 for letter in letters])
        for c, n in zip(term, np.shape(x), strict=True)
    ]
    return apply(op_of(name), (x, value, *places), key=", ".join("?" for _ in term))


def cross_left(apply: Any, g: Any, x: Any, y: Any, axis: int) -> Any:
    """Return the cotangent of the first operand of a vector product."""
    return np.cross(y, g, axis=axis)


def cross_right(apply: Any, g: Any, x: Any, y: Any, axis: int) -> Any:
    """Return the cotangent of the second operand of a vector product."""
    return np.cross(g, x, axis=axis)


def _solution_jvp(call: Application, tangents: Sequence[Any]) -> list[Any]:
    (x, _), (z,), (s, t) = call.operands, call.results, tangents
    moved = None if s is None else -(s @ z)
    return [np.linalg.solve(x, total([t, moved]))]


def _solution_vjp(call: Application, cotangents: Sequence[Any]) -> list[Any]:
    (x, y), (z,) = call.operands, call.results
    is_vector = len(np.shape(y)) == 1
    g = np.linalg.solve(_turned(x), cotangents[0])
    if is_vector:
        return [-(np.expand_dims(g, -1) * np.expand_dims(z, -2)), g]
    return [-(g @ _turned(z)) if call.wanted[0] else None, g if call.wanted[1] else None]


def _determinant(t: Any, y: Any, x: Any) -> Any:
    inverse = np.expand_dims(y, (-1, -2)) * np.linalg.inv(x)
    return np.sum(_turned(inverse) * t, (-1, -2))


def _sign_and_logarithm(t: Any, y: Any, x: Any) -> Any:
    found = np.sum(_turned(np.linalg.inv(x)) * t, (-1, -2))
    if not is_complex(x):
        return None, found
    return y[0] * (found - np.real(found)), np.real(found)


def _cholesky(t: Any, y: Any, x: Any) -> Any:
    inverse = np.linalg.inv(y)
    both = inverse @ _symmetric(t) @ _adjoint(inverse)
    return y @ (_below(both) + both * (_unit(both) / 2))


def _symmetric_eigen(t: Any, y: Any, x: Any, uplo: str) -> Any:
    if is_complex(x):
        raise NoDerivativeError(f"vectors {UNDETERMINED}; np.linalg.eigvalsh has one")
    w, v = y
    moved = _adjoint(v) @ _symmetric(t, uplo) @ v
    distance = w[..., None, :] - w[..., :, None]
    return np.real(_diagonal(moved)), v @ (_inverse(distance) * moved)


def _inverse(x: Any) -> Any:
    """Return one divided by the numbers, and zero for zero: on the diagonal of differences."""
    is_zero = _unit(x) == 1
    return np.where(is_zero, 0, 1 / np.where(is_zero, 1, x))


def _symmetric_values(t: Any, y: Any, x: Any, uplo: str) -> Any:
    _, v = np.linalg.eigh(x, "U" if uplo == "U" else "L")
    return np.real(_diagonal(_adjoint(v) @ _symmetric(t, uplo) @ v))


def _singular(t: Any, y: Any, x: Any, full_matrices: bool) -> Any:
    u, s, vh = y
    rows, columns = np.shape(x)[-2:]
    if full_matrices and not (isinstance(rows, int) and rows == columns):
        raise NoDerivativeError(
            "vectors beyond the singular values are not determined; ask for full_matrices=False"
        )
    if is_complex(x):
        raise NoDerivativeError(f"vectors {UNDETERMINED}; ask for compute_uv=False")
    v, least = _adjoint(vh), np.shape(s)[-1]
    moved = _adjoint(u) @ t @ v
    across, down = s[..., None, :], s[..., :, None]
    f = _inverse((across - down) * (across + down))
    wide, high = across * moved, down * moved
    spin = (moved - _adjoint(moved)) * (_unit(moved) / (2 * down))
    of_u = u @ (f * (wide + _adjoint(wide)) + spin)
    of_v = v @ (f * (high + _adjoint(high)))
    if not (isinstance(rows, int) and rows == least):
        of_u = of_u + (t @ v - u @ (_adjoint(u) @ (t @ v))) / across
    if not (isinstance(columns, int) and columns == least):
        back = _adjoint(t) @ u
        of_v = of_v + (back - v @ (_adjoint(v) @ back)) / across
    return of_u, np.real(_diagonal(moved)), _adjoint(of_v)


def _of_singular_values(t: Any, x: Any) -> tuple[Any, Any]:
    """Return the tangents of singular values, and these."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return np.real(np.sum(conjugated(u) * (t @ _adjoint(vh)), -2)), s


def _condition(t: Any, y: Any, x: Any) -> Any:
    moved, s = _of_singular_values(t, x)
    return (moved[..., 0] - y * moved[..., -1]) / s[..., -1]


def _triangular(t: Any, y: Any, x: Any, complete: bool) -> Any:
    q, r = y
    rows, columns = np.shape(x)[-2:]
    inner = np.shape(q)[-1]
    if not all(isinstance(n, int) for n in (rows, columns)) or (complete and rows > columns):
        raise NoDerivativeError(
            "the sizes must be known, and columns beyond those of the matrix are not determined; "
            "ask for mode='reduced'"
        )
    square = r[..., :inner]
    right = _turned(np.linalg.solve(_turned(square), _turned(t[..., :inner])))
    moved = _adjoint(q) @ right
    below = _below(moved)
    spin = below - _adjoint(below)
    if is_complex(x):
        of_diagonal = _diagonal(moved)
        spin = spin + (of_diagonal - np.real(of_diagonal))[..., None] * _unit(square)
    of_q = q @ (spin - moved) + right
    of_r = (moved - spin) @ square
    if inner < columns:
        more = _adjoint(of_q) @ x[..., inner:] + _adjoint(q) @ t[..., inner:]
        of_r = np.concatenate([of_r, more], -1)
    return of_q, of_r


def _pseudo_inverse(t: Any, y: Any, x: Any) -> Any:
    back = _adjoint(t)
    first = y @ (_adjoint(y) @ (back - back @ x @ y))
    second = (back - y @ x @ back) @ _adjoint(y) @ y
    return first + second - y @ t @ y


DOT = bilinear(dot_left, dot_right, broadcasts=False, takes_small=are_matrices)
INNER = bilinear(
    inner_left,
    inner_right,
    broadcasts=False,
    takes_small=lambda x, y: x.rank == y.rank == 2,
)
OUTER = bilinear(
    outer_left,
    outer_right,
    broadcasts=False,
    takes_small=lambda x, y: x.rank == y.rank == 1,
)
VDOT = multilinear(_vdot)
TENSORDOT = multilinear(_contracted)
TRACE = multilinear(_trace)
EINSUM = Derivative(_einsum_jvp, _einsum_vjp)
SOLUTION = Derivative(_solution_jvp, _solution_vjp)
INVERSE = of_one(lambda t, y, x: -(y @ t @ y))
DETERMINANT = of_one(_determinant)
SIGN_AND_LOGARITHM = of_one(_sign_and_logarithm)
CHOLESKY = of_one(_cholesky)
SYMMETRIC_EIGEN = of_one(_symmetric_eigen)
SYMMETRIC_VALUES = of_one(_symmetric_values)
SINGULAR = of_one(_singular)
SINGULAR_VALUES = of_one(lambda t, y, x: _of_singular_values(t, x)[0])
CONDITION = of_one(_condition)
TRIANGULAR = of_one(_triangular)
PSEUDO_INVERSE = of_one(_pseudo_inverse)
