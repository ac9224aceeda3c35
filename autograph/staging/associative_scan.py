"""`associative_scan`: all prefixes of a sequence, in logarithmically many steps.

The algorithm is that of JAX's function of this name (G. Blelloch, "Prefix sums and their
applications", 1990): neighbours are combined, the prefixes of the pairs are found by the same way,
and those of the other elements from these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import runtime.numpy as rnp
from autograph.staging.functional import length_of
from runtime import trees
from runtime.errors import ShapeError

Combine = Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]]


def associative_scan(function: Callable[[Any, Any], Any], xs: Any, *, reverse: bool = False) -> Any:
    """Return all prefixes `x0`, `f(x0, x1)`, `f(f(x0, x1), x2)`, ... of an associative function.

    Args:
        function: combines two structures of arrays of any one length, element by element along
            their first axis; `f(f(a, b), c)` must be `f(a, f(b, c))`, up to rounding.
        xs: an array, or a structure of arrays, gone over along the first axis.
        reverse: whether to go from the last element to the first.

    Raises:
        ShapeError: the length is known only when the graph runs, or the function changes it.

    >>> associative_scan(lambda a, b: a * b, np.array([1, 2, 3, 4, 5]))
    array([  1,   2,   6,  24, 120])
    """
    leaves, structure = trees.flatten(xs)
    count = length_of(leaves)
    if not isinstance(count, int):
        raise ShapeError(
            "associative_scan needs a length that is known while tracing, and that of xs is known "
            "only when the graph runs; ag.scan goes over arrays of any length, one by one"
        )

    def combine(first: Sequence[Any], second: Sequence[Any]) -> Sequence[Any]:
        a, b = trees.unflatten(structure, first), trees.unflatten(structure, second)
        found, kept = trees.flatten(function(b, a) if reverse else function(a, b))
        if kept != structure:
            raise ShapeError(
                f"the function of associative_scan was given {structure} and returned {kept}; it "
                "must return the structure that it is given"
            )
        return found

    arrays = [rnp.asarray(x) for x in leaves]
    ordered = [rnp.flip(x, axis=0) for x in arrays] if reverse else arrays
    found = _prefixes(combine, ordered, count)
    if reverse:
        found = [rnp.flip(x, axis=0) for x in found]
    return trees.unflatten(structure, found)


def _prefixes(combine: Combine, xs: Sequence[Any], count: int) -> Sequence[Any]:
    if count < 2:
        return xs
    pairs = combine([x[: count - 1 : 2] for x in xs], [x[1::2] for x in xs])
    odd = _prefixes(combine, pairs, count // 2)
    even = combine([x[: (count - 1) // 2] for x in odd], [x[2::2] for x in xs]) if count > 2 else []
    firsts = [x[:1] for x in xs]
    evens = [rnp.concatenate([a, b]) for a, b in zip(firsts, even, strict=True)] if even else firsts
    return [_interleaved(a, b) for a, b in zip(evens, odd, strict=True)]


def _interleaved(even: Any, odd: Any) -> Any:
    """Return the rows of two arrays in turn; the first has as many, or one more."""
    count = odd.shape[0]
    both = rnp.stack([even[:count], odd], axis=1)
    rows = rnp.reshape(both, (2 * count, *even.shape[1:]))
    return rnp.concatenate([rows, even[count:]]) if even.shape[0] > count else rows
