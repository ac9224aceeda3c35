"""What a call of NumPy gives, found by trials on arrays of the same types.

Comes in: a function of arrays, and what is known of those. Goes out: the form of the result, the
specs of its arrays, and which operands the function writes. Several trials with different values
tell what values decide: sizes that differ are left open.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from runtime.dtypes import is_string
from runtime.errors import StagedValueError
from runtime.ops.numpy_calls import form_of
from runtime.spec import UNKNOWN, Dim, TensorSpec, make_spec, spec_of

MOST_ELEMENTS = 4096
"""Operands with more elements together are tried with smaller ones; sizes are then left open."""

SMALL = 8
"""Sizes up to this are tried as they are."""

FILLS: tuple[Callable[[np.random.Generator, int], Any], ...] = (
    lambda rng, n: rng.uniform(0.5, 9.5, n),
    lambda rng, n: np.arange(n) + 1.0,
    lambda rng, n: rng.normal(0.0, 3.0, n),
    lambda rng, n: np.ones(n),
    lambda rng, n: np.zeros(n),
    lambda rng, n: 4.0 * (np.arange(n) % (int(n**0.5) + 1) == 0),
)
"""What the arrays of trials hold: the last a multiple of the identity, where that is square."""


@dataclass(frozen=True)
class Outcome:
    """What is known of the result of a call.

    Args:
        form: its form, in the grammar of `form_of`.
        specs: of the operands that are written, then of the arrays of the result.
        writes: the numbers of the operands that are written.
        shared: the numbers of the operands with which a part of the result shares memory.
        sample: the result of one trial.
        operands: those of that trial.
    """

    form: str
    specs: tuple[TensorSpec, ...]
    writes: tuple[int, ...]
    shared: frozenset[int]
    sample: Any
    operands: tuple[Any, ...]


class UnforeseenError(StagedValueError):
    """What a call gives cannot be told before it is made, or no graph can hold it."""


def foresee(
    function: Callable[..., Any], operands: Sequence[Any], specs: Sequence[TensorSpec]
) -> Outcome:
    """Return what a call gives.

    Args:
        function: a function of the operands; it may change any state that NumPy has.
        operands: arrays that are known, and None for others.
        specs: of the operands.

    Raises:
        UnforeseenError: it gives no arrays, numbers or constants, or other ones for other values.
        Whatever NumPy raises for all values.
    """
    found: list[Outcome] = []
    failed: list[Exception] = []
    for sizes in _sizes(specs):
        for shift, step in STEPS if len(specs) > 1 else STEPS[: len(FILLS)]:
            fills = [FILLS[(shift + step * k) % len(FILLS)] for k in range(len(specs))]
            one = _try(function, [*_values(fills, operands, specs, sizes)])
            if isinstance(one, Outcome):
                found.append(one)
            else:
                failed.append(one)
        if found and sizes != _FULL and sizes[0] < 5:
            break
    if not found:
        raise _failure(failed)
    return _joined(found, _are_small(specs))


STEPS = [*((k, 0) for k in range(len(FILLS))), *((k, 1) for k in range(len(FILLS)))]
"""Which operand of a trial gets which of the fills: all the same one, then each the next one."""


def _failure(failed: Sequence[Exception]) -> Exception:
    """Return what NumPy raises for all values; it may take others than those of the trials."""
    first = failed[0]
    if all(type(error) is type(first) and str(error) == str(first) for error in failed):
        return first
    return UnforeseenError(f"fails for all values that were tried ({first})")


_FULL: tuple[int, ...] = ()


def _are_small(specs: Sequence[TensorSpec]) -> bool:
    return all(s.is_static for s in specs) and _elements(specs) <= MOST_ELEMENTS


def _elements(specs: Sequence[TensorSpec]) -> int:
    return sum(prod(n for n in spec.shape or () if isinstance(n, int)) for spec in specs)


def _sizes(specs: Sequence[TensorSpec]) -> Iterator[tuple[int, ...]]:
    """Yield what sizes that are large or unknown are tried with, and the sizes as they are."""
    if _are_small(specs):
        yield _FULL
        return
    yield from ((5, 7, 11), (3, 2, 4), (1, 1, 1))
    if all(s.is_static for s in specs):
        yield _FULL


def _values(
    fills: Sequence[Any],
    operands: Sequence[Any],
    specs: Sequence[TensorSpec],
    sizes: tuple[int, ...],
) -> Iterator[Any]:
    rng = np.random.default_rng(7)
    names: dict[int | Dim, int] = {}
    for fill, operand, spec in zip(fills, operands, specs, strict=True):
        dims = (UNKNOWN,) if spec.shape is None else spec.shape
        if operand is not None and (sizes == _FULL or not operand.shape):
            yield operand
            continue
        shape = tuple(_size(n, names, sizes) for n in dims)
        yield _array(fill(rng, prod(shape)), spec, shape)


def _size(n: int | Dim, names: dict[int | Dim, int], sizes: tuple[int, ...]) -> int:
    """Return what a size is tried with, if it is unknown or large; equal ones stay equal."""
    if isinstance(n, int) and (sizes == _FULL or n <= SMALL):
        return n
    if n == UNKNOWN:
        return sizes[0]
    return names.setdefault(n, sizes[len(names) % len(sizes)])


def _array(flat: Any, spec: TensorSpec, shape: tuple[int, ...]) -> Any:
    """Return an array, or a number, of a spec."""
    kind = spec.dtype.kind
    if is_string(spec.dtype):
        flat = np.array([str(int(x)) for x in flat], spec.dtype)
    elif kind == "b":
        flat = np.floor(flat) % 2 == 1
    elif kind == "c":
        flat = flat + 1j * flat[::-1]
    elif kind == "u":
        flat = np.abs(flat)
    array = flat.astype(spec.dtype).reshape(shape)
    if spec.weak:
        return array.item()
    return array if shape else array[()]


@contextmanager
def _without_effects() -> Iterator[None]:
    """Put the global states of NumPy and of `random` back, and show no warnings."""
    state, own, errors = np.random.get_state(), random.getstate(), np.geterr()
    options = np.get_printoptions()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(state)
        random.setstate(own)
        np.seterr(**errors)
        np.set_printoptions(**options)


def _try(function: Callable[..., Any], operands: list[Any]) -> Outcome | Exception:
    """Return what a function gives for some operands, or the exception that it raises."""
    given = tuple(x.copy(order="K") if isinstance(x, np.ndarray) else x for x in operands)
    try:
        with _without_effects():
            found = function(*given)
    except Exception as error:
        return error
    writes = tuple(k for k, x in enumerate(given) if not _is_same(x, operands[k]))
    if any(given[k].shape != operands[k].shape for k in writes):
        raise UnforeseenError("changes the shape of an array in place")
    leaves: list[Any] = []
    form = form_of(found, given, leaves)
    _check_constants(found)
    shared = frozenset(k for k, x in enumerate(given) if any(_share(x, y) for y in leaves))
    specs = tuple(map(_spec, (*(given[k] for k in writes), *leaves)))
    return Outcome(form, specs, writes, shared, found, given)


def _is_same(x: Any, y: Any) -> bool:
    return not isinstance(x, np.ndarray) or (
        x.shape == y.shape and x.dtype == y.dtype and x.tolist().__repr__() == y.tolist().__repr__()
    )


def _share(x: Any, y: Any) -> bool:
    return isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and np.may_share_memory(x, y)


def _check_constants(found: Any) -> None:
    """Raise UnforeseenError for a part of a result that is neither an array nor a constant."""
    if isinstance(found, tuple | list):
        for item in found:
            _check_constants(item)
    elif not (
        found is None
        or type(found) in (np.ndarray, bool, int, float, complex, str, bytes)
        or isinstance(found, np.generic | np.dtype | slice | type)
    ):
        raise UnforeseenError(f"gives a {type(found).__name__}, which a graph cannot hold")


def _spec(found: Any) -> TensorSpec:
    try:
        return spec_of(found)
    except TypeError:
        dtype = getattr(found, "dtype", type(found).__name__)
        raise UnforeseenError(
            f"gives an array of dtype {dtype}, which a graph cannot hold"
        ) from None


def _joined(found: Sequence[Outcome], sizes_are_known: bool) -> Outcome:
    """Return what holds for all trials."""
    first = found[0]
    for other in found[1:]:
        if other.form != first.form:
            raise UnforeseenError(f"gives {first.form} or {other.form}, depending on the values")
    writes = tuple(sorted({k for one in found for k in one.writes}))
    specs = [_spec(first.operands[k]) for k in writes]
    rows = zip(*(one.specs[len(one.writes) :] for one in found), strict=True)
    specs += [_join(row) for row in rows]
    if not sizes_are_known:
        specs = [*map(_open, specs)]
    shared = frozenset[int]().union(*(one.shared for one in found))
    return Outcome(first.form, tuple(specs), writes, shared, first.sample, first.operands)


def _join(specs: Sequence[TensorSpec]) -> TensorSpec:
    """Return the spec of all results; their dtypes agree."""
    first = specs[0]
    for other in specs[1:]:
        if (other.dtype, other.weak) != (first.dtype, first.weak):
            raise UnforeseenError(f"gives {first} or {other}, depending on the values")
    shapes = [spec.shape or () for spec in specs]
    if len(set(map(len, shapes))) > 1:
        return make_spec(first.dtype, None)
    sizes = (row[0] if len(set(row)) == 1 else UNKNOWN for row in zip(*shapes, strict=True))
    return make_spec(first.dtype, tuple(sizes), first.weak)


def _open(spec: TensorSpec) -> TensorSpec:
    return make_spec(spec.dtype, spec.shape and (UNKNOWN,) * len(spec.shape), spec.weak)
