"""Derivatives of functions of many results: `jacobian`, `hessian`, `hvp`, `linearize`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.function.polymorphic import Function
from autograph.operators.heap.heap import with_own_heaps
from autograph.transforms.gradients import (
    Argnums,
    as_function,
    grad,
    jvp,
    kept,
    staged_like,
    vjp,
)
from autograph.transforms.region import with_single_kinds
from autograph.transforms.vmap import vmap
from runtime import default_graph, trees
from runtime.errors import DerivativeError
from runtime.union import leaf_spec


def jacobian(
    func: Callable[..., Any], argnums: Argnums = 0, *, holomorphic: bool = False
) -> Callable[..., Any]:
    """Return the function that gives all partial derivatives of a function's results.

    It goes forward for functions of fewer numbers than they give, and backwards for others, for
    all rows or columns at once (`ag.vmap`).

    Args:
        func: a Python function, staged or not, whose result is a structure of arrays of floats.
        argnums: which positional arguments are differentiated by, as for `ag.grad`.
        holomorphic: whether it is the derivative of a holomorphic function, of complex arguments
            with complex results.

    Returns:
        A staged function of the same parameters. For each array of the result, of shape `[*m]`, it
        gives the structure of the arguments that are differentiated by, with an array of shape
        `[*m, *n]` for one of shape `[*n]`.

    Raises:
        DerivativeError: see `ag.grad`.

    >>> import autograph as ag
    >>> ag.jacobian(lambda x: x * x[0])(np.array([2.0, 3.0]))
    array([[4., 0.],
           [3., 2.]])
    """
    inner = as_function(func)

    def derived(*args: Any, **kwargs: Any) -> Any:
        numbers = [argnums] if isinstance(argnums, int) else list(argnums)
        if any(not -len(args) <= k < len(args) for k in numbers):
            raise DerivativeError(
                f"the jacobian of {inner._signature.name} by its arguments {numbers} was asked "
                f"for, and it was given {len(args)} by position; argnums says which, from 0"
            )

        def of_chosen(*chosen: Any) -> Any:
            given = list(args)
            for number, value in zip(numbers, chosen, strict=True):
                given[number] = value
            return with_single_kinds(inner(*given, **kwargs))

        of_chosen.__qualname__ = inner._signature.name
        chosen = tuple(args[k] for k in numbers)
        is_one = isinstance(argnums, int)
        return _all_derivatives(of_chosen, inner, chosen, is_one, holomorphic)

    return staged_like(func, derived)


def _all_derivatives(
    func: Callable[..., Any],
    inner: Function,
    primals: tuple[Any, ...],
    is_one: bool,
    holomorphic: bool,
) -> Any:
    leaves, structure = trees.flatten(primals)
    value = with_own_heaps(lambda: vjp(func, *primals)[0])()
    results, outer = trees.flatten(value)
    given, found = ([leaf_spec(rnp.asarray(x)) for x in row] for row in (leaves, results))
    is_complex = any(x.dtype.kind == "c" for x in found)
    if is_complex and not holomorphic and any(x.dtype.kind == "c" for x in given):
        raise DerivativeError(
            f"{inner._signature.name} has complex results of complex arguments; say "
            "holomorphic=True if it is holomorphic, or take the jacobians of its real and its "
            "imaginary part"
        )
    is_small = all(x.is_static for x in (*given, *found)) and sum(map(_size, leaves)) < sum(
        map(_size, results)
    )
    # What goes back to a real argument is real: the imaginary part of a result is found forward.
    if is_small or (is_complex and any(x.dtype.kind == "f" for x in given)):
        columns = [_columns(func, primals, k) for k in range(len(leaves))]
        rows = [list(row) for row in zip(*columns, strict=True)]
    else:
        rows = [_rows(func, primals, value, k) for k in range(len(results))]
    made = [trees.unflatten(structure, row) for row in rows]
    return trees.unflatten(outer, [x[0] if is_one else x for x in made])


def _size(x: Any) -> Any:
    return prod(np.shape(x))


def _basis(like: Any) -> Any:
    """Return all arrays of a shape and dtype that have a single one, the others zero."""
    shape = np.shape(like)
    size = prod(shape)
    return rnp.reshape(rnp.eye(size, dtype=rnp.asarray(like).dtype), (size, *shape))


def _columns(func: Callable[..., Any], primals: tuple[Any, ...], place: int) -> list[Any]:
    """Return the derivatives of all results by one leaf of the arguments."""
    leaves, structure = trees.flatten(primals)
    size = len(np.shape(leaves[place]))

    def column(direction: Any) -> list[Any]:
        zero = [rnp.zeros_like(x) for x in leaves]
        zero[place] = direction
        tangents = jvp(func, primals, trees.unflatten(structure, zero))[1]
        return list(trees.flatten(tangents)[0])

    found = _at_once(column, func)(_basis(leaves[place]))
    shape = np.shape(leaves[place])
    return [
        rnp.reshape(rnp.moveaxis(x, 0, -1), (*np.shape(x)[1:], *shape))
        if size != 1
        else rnp.moveaxis(x, 0, -1)
        for x in found
    ]


def _rows(func: Callable[..., Any], primals: tuple[Any, ...], result: Any, place: int) -> list[Any]:
    """Return the derivatives of one leaf of the result by all leaves of the arguments."""
    results, outer = trees.flatten(result)
    shape = np.shape(results[place])

    def row(cotangent: Any) -> list[Any]:
        value, back = vjp(func, *primals)
        zero = [rnp.zeros_like(x) for x in trees.flatten(value)[0]]
        zero[place] = cotangent
        return list(trees.flatten(back(trees.unflatten(outer, zero)))[0])

    found = _at_once(row, func)(_basis(results[place]))
    return [rnp.reshape(x, (*shape, *np.shape(x)[1:])) for x in found]


def _at_once(part: Callable[..., Any], func: Callable[..., Any]) -> Callable[..., Any]:
    """Return what computes parts of a jacobian for all directions, with the function's name."""
    part.__qualname__ = f"the jacobian of {func.__qualname__}"
    return vmap(part)


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return the function that gives all second partial derivatives of a function of one result.

    >>> import autograph as ag
    >>> ag.hessian(lambda x: x[0] * x[1] ** 2)(np.array([2.0, 3.0]))
    array([[0., 6.],
           [6., 4.]])
    """
    return jacobian(grad(func, argnums), argnums)


def hvp(func: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Return the product of the second derivative of a function and a vector.

    It costs a small multiple of the function, without the matrix.

    Args:
        func: a Python function, staged or not, whose result is one float.
        primals: its arguments, structures of arrays of floats.
        tangents: the vector: for each argument one of the same structure, shapes and dtypes.

    Returns:
        The product, of the structure of the argument, or a tuple for several.

    >>> import autograph as ag
    >>> ag.hvp(lambda x: np.sum(x**3), (np.array([1.0, 2.0]),), (np.array([1.0, 1.0]),))
    array([ 6., 12.])
    """
    inner = as_function(func)
    if default_graph.current() is None:
        derived = kept(inner, "hvp", lambda of: lambda x, t: hvp(of, x, t))
        return derived(tuple(primals), tuple(tangents))
    argnums = 0 if len(primals) == 1 else range(len(primals))
    return jvp(grad(inner, argnums), primals, tangents)[1]


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the value of a function, and the linear function that is its derivative there.

    Args:
        func: a Python function, staged or not.
        primals: its arguments, structures of arrays of floats or complex numbers.

    Returns:
        The value, and a function of tangents, one for each argument, to the tangent of the value.

    >>> import autograph as ag
    >>> value, along = ag.linearize(lambda x: x * x, np.float64(3.0))
    >>> value, along(np.float64(1.0)), along(np.float64(2.0))
    (np.float64(9.0), np.float64(6.0), np.float64(12.0))
    """
    inner = as_function(func)
    return inner(*primals), lambda *tangents: jvp(inner, primals, tangents)[1]
