"""Random numbers: from keys, which are values, or from one generator, which is a resource.

A key is two words of 64 bits, `u64[2]`: the key of a Philox generator, a function of key and
counter (J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011). One key gives one
array; `random_split` makes new ones. Ops with the effect `random` draw from a generator that all
graphs share, in the order of the program; `random_seed` sets it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runtime.backends import on_host
from runtime.dtypes import as_dtype
from runtime.errors import DtypeError, ShapeError
from runtime.graph.opdef import Samples, op
from runtime.graph.traits import Error, NotThere, RaiseRule, raises
from runtime.ops.derivatives.impure_rules import drawn
from runtime.ops.families import ARRAYS, EFFECTS, FACTS, MOVED
from runtime.ops.movement import Dims, fill_sizes, sizes_spec
from runtime.ops.samples import calls
from runtime.ops.spec_rules import as_size, need_integer, need_scalar
from runtime.spec import Shape, TensorSpec, broadcast_shapes, make_spec

KEY = make_spec(np.dtype(np.uint64), (2,))


class _Shared:
    """The generator that the ops with the effect `random` draw from."""

    generator = np.random.default_rng()


def seed_shared(seed: int | None) -> None:
    """Set the shared generator; None takes a seed from the system."""
    _Shared.generator = np.random.default_rng(seed)


def _of_key(key: Any) -> np.random.Generator:
    """Return the generator of a key."""
    words = np.asarray(on_host(key), np.uint64)
    return np.random.Generator(np.random.Philox(key=words))


def _with_key(*calls_: tuple[tuple[Any, ...], dict[str, Any]]) -> Any:
    key = np.array([3, 4], np.uint64)
    drawn = [((key, *inputs), attrs) for inputs, attrs in calls_]
    return Samples((KEY.dtype,), lambda rng, dtype: drawn)


def _has_two(shape: Shape | None) -> bool:
    return not shape or not isinstance(shape[0], int) or shape[0] == 2


def _check_key(key: TensorSpec) -> None:
    if key.dtype != KEY.dtype or key.rank not in (None, 1) or not _has_two(key.shape):
        raise DtypeError(f"a key is u64[2], as random_key makes it, not {key}")


def _key_spec(seed: TensorSpec) -> TensorSpec:
    need_integer(seed, "a seed")
    need_scalar(seed, "a seed")
    return KEY


random_key = op(
    "random_key(seed)",
    doc="The key of a seed.",
    spec=_key_spec,
    kernel=lambda xp, seed: xp.asarray(
        np.random.SeedSequence(abs(int(seed))).generate_state(2, np.uint64)
    ),
    samples=calls("iu", lambda some: [((some(1)[0],), {}), ((7,), {})]),
    family=FACTS,
)


def _split_spec(key: TensorSpec, *, num: int) -> TensorSpec:
    _check_key(key)
    if num < 0:
        raise ShapeError(f"a key cannot be split into {num} keys")
    return make_spec(KEY.dtype, (num, 2))


def _split(xp: Any, key: Any, *, num: int) -> Any:
    source: Any = _of_key(key).bit_generator
    source = source.jumped()
    return xp.asarray(source.random_raw(2 * num).reshape(num, 2))


random_split = op(
    "random_split(key, /, num=2)",
    doc="New keys made of a key, one in each row.",
    spec=_split_spec,
    kernel=_split,
    samples=_with_key(((), {"num": 3})),
    family=FACTS,
)


def _real_raises(first: int) -> RaiseRule:
    """Return what parameters of distributions raise, which stand from an operand on."""

    def rule(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
        found: tuple[Error, ...] = ()
        if attrs["kind"] == "uniform":
            names = ("ValueError", "OverflowError")
            found = tuple(Error(name, (first, first + 1), _are_bounds) for name in names)
        elif attrs["kind"] == "normal":
            found = (Error("ValueError", (first + 1,), _is_deviation),)
        return (*found, Error("ValueError")) if len(specs) > first + 2 else found

    return rule


def _are_bounds(low: Any, high: Any) -> bool:
    width = np.asarray(high - low)
    return bool(np.all(np.isfinite(width)) and not np.any(np.signbit(width)))


def _is_deviation(deviation: Any) -> bool:
    return bool(np.all(deviation >= 0))


def _integers_raise(first: int) -> RaiseRule:
    """Return what the bounds of integers raise, which stand from an operand on."""

    def rule(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
        found = Error("ValueError", (first, first + 1), lambda low, high: bool(np.all(low < high)))
        return (found, Error("ValueError")) if len(specs) > first + 2 else (found,)

    return rule


def draw_real(
    generator: np.random.Generator, shape: tuple[int, ...], low: Any, high: Any, kind: str
) -> Any:
    """Return random floats: between two bounds, or of a mean and a standard deviation.

    Those that are truncated are drawn again until they are within two deviations.
    """
    low, high = on_host(low), on_host(high)
    if kind == "uniform":
        return generator.uniform(low, high, shape)
    if kind == "normal":
        return generator.normal(low, high, shape)
    found = np.asarray(generator.normal(size=shape))
    while (beyond := np.abs(found) > 2).any():
        found[beyond] = generator.normal(size=np.count_nonzero(beyond))
    return low + found * high


def _integers(
    generator: np.random.Generator, shape: tuple[int, ...], low: Any, high: Any, dtype: str
) -> Any:
    """Return random integers from one bound up to but without another."""
    return generator.integers(on_host(low), on_host(high), shape, dtype)


def _real_spec(dims: Shape, a: TensorSpec, b: TensorSpec, kind: str, dtype: str) -> TensorSpec:
    if kind not in ("uniform", "normal", "truncated"):
        raise ShapeError(f"a distribution is 'uniform', 'normal' or 'truncated', not {kind!r}")
    for spec in (a, b):
        if spec.dtype.kind == "c":
            raise DtypeError(f"the parameters of a distribution are real, not {spec}")
    broadcast_shapes([a.shape, b.shape, dims])
    found = as_dtype(dtype)
    if found.kind != "f":
        raise DtypeError(f"{kind} numbers are floats, not {found}")
    return make_spec(found, dims)


def _real_of_key_spec(
    key: TensorSpec,
    a: TensorSpec,
    b: TensorSpec,
    *sizes: TensorSpec,
    shape: Dims,
    kind: str,
    dtype: str,
) -> TensorSpec:
    _check_key(key)
    return _real_spec(sizes_spec(shape, sizes), a, b, kind, dtype)


def _real_of_key(
    xp: Any, key: Any, a: Any, b: Any, *sizes: Any, shape: Dims, kind: str, dtype: str
) -> Any:
    found = draw_real(_of_key(key), fill_sizes(shape, sizes), a, b, kind)
    return _typed(xp, found, dtype)


def _typed(xp: Any, found: Any, dtype: str) -> Any:
    return xp.asarray(np.asarray(found).astype(dtype))[()]


random_real_of_key = op(
    "random_real_of_key(key, a, b, *sizes, shape, kind='uniform', dtype='float64')",
    doc="Floats of a key: uniform between `a` and `b`, or normal with mean `a` and deviation `b`.",
    spec=_real_of_key_spec,
    kernel=_real_of_key,
    samples=_with_key(
        ((0.0, 1.0), {"shape": (2, 3)}),
        ((0, np.ones(3), 2), {"shape": (None, 3), "kind": "normal", "dtype": "float32"}),
        ((0.0, 1.0), {"shape": ()}),
        ((1.0, 3.0), {"shape": (50,), "kind": "truncated"}),
    ),
    family=ARRAYS,
    derivative=drawn(1),
    raises=_real_raises(1),
)


def _integer_spec(dims: Shape, a: TensorSpec, b: TensorSpec, dtype: str) -> TensorSpec:
    need_integer(a, "a bound of random integers")
    need_integer(b, "a bound of random integers")
    broadcast_shapes([a.shape, b.shape, dims])
    return make_spec(as_dtype(dtype), dims)


def _integers_of_key_spec(
    key: TensorSpec, a: TensorSpec, b: TensorSpec, *sizes: TensorSpec, shape: Dims, dtype: str
) -> TensorSpec:
    _check_key(key)
    return _integer_spec(sizes_spec(shape, sizes), a, b, dtype)


def _integers_of_key(
    xp: Any, key: Any, a: Any, b: Any, *sizes: Any, shape: Dims, dtype: str
) -> Any:
    found = _integers(_of_key(key), fill_sizes(shape, sizes), a, b, dtype)
    return _typed(xp, found, dtype)


random_integers_of_key = op(
    "random_integers_of_key(key, a, b, *sizes, shape, dtype='int64')",
    doc="Integers of a key, from `a` up to but without `b`, all equally likely.",
    spec=_integers_of_key_spec,
    kernel=_integers_of_key,
    samples=_with_key(
        ((0, 10), {"shape": (2, 3)}), ((0, 10, 2), {"shape": (None,), "dtype": "int32"})
    ),
    family=FACTS,
    raises=_integers_raise(1),
)


def _permutation_spec(x: TensorSpec) -> TensorSpec:
    if x.shape == () and x.dtype.kind in "iu":
        return make_spec(np.dtype(np.int64), (as_size(None),))
    if x.shape == ():
        raise ShapeError(f"{x} cannot be put into another order")
    return make_spec(x.dtype, x.shape)


def _seed_spec(seed: TensorSpec) -> tuple[TensorSpec, ...]:
    need_integer(seed, "a seed")
    need_scalar(seed, "a seed")
    return ()


def _seed_kernel(xp: Any, seed: Any) -> tuple[Any, ...]:
    seed_shared(int(seed))
    return ()


random_seed = op(
    "random_seed(seed)",
    doc="Set the generator that all graphs share.",
    spec=_seed_spec,
    kernel=_seed_kernel,
    samples=None,
    effect="random",
    family=EFFECTS,
    raises=raises("ValueError"),
)

random_real = op(
    "random_real(a, b, *sizes, shape, kind='uniform', dtype='float64')",
    doc="Floats of the shared generator: uniform between `a` and `b`, or normal.",
    spec=lambda a, b, *sizes, shape, kind, dtype: _real_spec(
        sizes_spec(shape, sizes), a, b, kind, dtype
    ),
    kernel=lambda xp, a, b, *sizes, shape, kind, dtype: _typed(
        xp, draw_real(_Shared.generator, fill_sizes(shape, sizes), a, b, kind), dtype
    ),
    samples=None,
    effect="random",
    family=ARRAYS,
    derivative=drawn(0),
    raises=_real_raises(0),
)

random_integers = op(
    "random_integers(a, b, *sizes, shape, dtype='int64')",
    doc="Integers of the shared generator, from `a` up to but without `b`.",
    spec=lambda a, b, *sizes, shape, dtype: _integer_spec(sizes_spec(shape, sizes), a, b, dtype),
    kernel=lambda xp, a, b, *sizes, shape, dtype: _typed(
        xp, _integers(_Shared.generator, fill_sizes(shape, sizes), a, b, dtype), dtype
    ),
    samples=None,
    effect="random",
    family=FACTS,
    raises=_integers_raise(0),
)

random_permutation = op(
    "random_permutation(x)",
    doc="The rows of an array, or the numbers below an integer, in the order that chance gives.",
    spec=_permutation_spec,
    kernel=lambda xp, x: xp.asarray(_Shared.generator.permutation(on_host(x))),
    samples=None,
    effect="random",
    family=MOVED,
    derivative=NotThere(
        "which order chance gave is not kept: permute np.arange(len(x)), and index x with that"
    ),
)
