"""Random numbers of the runtime: from a generator that all graphs share, or from keys.

`uniform`, `normal` and their like draw from the shared generator, in the order of the program, each
time that a graph runs; `seed` sets it. `key`, `split` and the functions whose names end in `_of`
have no state: one key gives one array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.dispatch import apply
from runtime.numpy.face import as_attribute, as_dims
from runtime.ops import random_ops as ops
from runtime.subscripts import describe
from runtime.tensor import value_now


def seed(value: int) -> None:
    """Set the shared generator."""
    apply(ops.random_seed, (value,))


def _real(kind: str, a: Any, b: Any, size: Any, dtype: Any) -> Any:
    dims, sizes = as_dims(_size(size, a, b))
    attrs = {"shape": dims, "kind": kind, "dtype": as_attribute("dtype", dtype)}
    return apply(ops.random_real, (a, b, *sizes), **attrs)


def _size(size: Any, *parameters: Any) -> Any:
    """Return a shape; when none is given, that of the parameters, which is known."""
    if size is not None:
        return size
    return next((describe(x).shape for x in parameters if describe(x).shape), ())


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = float) -> Any:
    """Return floats between two bounds, all equally likely.

    >>> uniform(size=(2, 3)).shape
    (2, 3)
    """
    return _real("uniform", low, high, size, dtype)


def random(size: Any = None, dtype: Any = float) -> Any:
    """Return floats between 0 and 1, all equally likely."""
    return uniform(0.0, 1.0, size, dtype)


def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = float) -> Any:
    """Return floats of the normal distribution with a mean and a standard deviation."""
    return _real("normal", loc, scale, size, dtype)


def truncated_normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = float) -> Any:
    """Return floats of the normal distribution, all within two deviations of the mean."""
    return _real("truncated", loc, scale, size, dtype)


def standard_normal(size: Any = None, dtype: Any = float) -> Any:
    """Return floats of the normal distribution with mean 0 and standard deviation 1."""
    return normal(0.0, 1.0, size, dtype)


def integers(low: Any, high: Any = None, size: Any = None, dtype: Any = "int64") -> Any:
    """Return integers from `low` up to but without `high` (below `low`, when it is alone)."""
    low, high = (0, low) if high is None else (low, high)
    dims, sizes = as_dims(_size(size, low, high))
    attrs = {"shape": dims, "dtype": as_attribute("dtype", dtype)}
    return apply(ops.random_integers, (low, high, *sizes), **attrs)


def permutation(x: Any) -> Any:
    """Return the rows of an array, or the numbers below `x`, in the order that chance gives."""
    return apply(ops.random_permutation, (x,))


def key(seed: Any) -> Any:
    """Return the key of a seed, `u64[2]`."""
    return apply(ops.random_key, (seed,))


def split(key: Any, num: int = 2) -> Any:
    """Return new keys made of a key, one in each row."""
    return apply(ops.random_split, (key,), num=as_attribute("num", num))


def _real_of(key: Any, kind: str, a: Any, b: Any, size: Any, dtype: Any) -> Any:
    dims, sizes = as_dims(_size(size, a, b))
    attrs = {"shape": dims, "kind": kind, "dtype": as_attribute("dtype", dtype)}
    return apply(ops.random_real_of_key, (key, a, b, *sizes), **attrs)


def uniform_of(
    key: Any, size: Any = None, low: Any = 0.0, high: Any = 1.0, dtype: Any = float
) -> Any:
    """Return the floats of a key between two bounds, all equally likely."""
    return _real_of(key, "uniform", low, high, size, dtype)


def normal_of(
    key: Any, size: Any = None, loc: Any = 0.0, scale: Any = 1.0, dtype: Any = float
) -> Any:
    """Return the floats of a key with the normal distribution."""
    return _real_of(key, "normal", loc, scale, size, dtype)


def truncated_normal_of(
    key: Any, size: Any = None, loc: Any = 0.0, scale: Any = 1.0, dtype: Any = float
) -> Any:
    """Return the floats of a key with the normal distribution, within two deviations."""
    return _real_of(key, "truncated", loc, scale, size, dtype)


def integers_of(key: Any, low: Any, high: Any, size: Any = None, dtype: Any = "int64") -> Any:
    """Return the integers of a key from `low` up to but without `high`."""
    dims, sizes = as_dims(_size(size, low, high))
    attrs = {"shape": dims, "dtype": as_attribute("dtype", dtype)}
    return apply(ops.random_integers_of_key, (key, low, high, *sizes), **attrs)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = "int64") -> Any:
    """Return what `integers` does: the name that NumPy has used for longer."""
    return integers(low, high, size, dtype)


def shuffle(x: Any) -> None:
    """Put the rows of an array into the order that chance gives, in place."""
    x[...] = permutation(x)


def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    """Return rows of an array, or numbers below `a`, as chance gives them.

    Args:
        a: an array, or an integer.
        size: the shape of what is drawn; one item when it is None.
        replace: whether an item may be drawn more than once.
        p: how likely each is; all equally when it is None.

    Raises:
        ValueError: items of different likelihoods are drawn without replacing them.
    """
    a = value_now(a)
    is_count = describe(a).shape == ()
    count = a if is_count else a.shape[0]
    if not replace:
        if p is not None:
            raise ValueError(
                "ag.random.choice with replace=False draws all items equally likely; leave p= away"
            )
        order = permutation(count)
        places = order[0] if size is None else order[: as_attribute("size", size)]
    elif p is None:
        places = integers(0, count, size)
    else:
        sums = np.cumsum(value_now(p))
        draws = uniform(size=() if size is None else size)
        places = np.searchsorted(sums / sums[-1], draws, side="right")
    return places if is_count else a[places]


def permutation_of(key: Any, x: Any) -> Any:
    """Return the rows of an array, or the numbers below `x`, in the order that a key gives."""
    x = value_now(x)
    is_count = describe(x).shape == ()
    order = np.argsort(uniform_of(key, (x if is_count else x.shape[0],)))
    return order if is_count else x[order]
