"""What a call of NumPy gives, found by trials on arrays of the same types.

Comes in: a function of arrays, and what is known of those. Goes out: the form of the result, the
specs of its parts, and which operands the function writes. Several trials with different values
tell what values decide.
"""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from math import prod
from typing import Any

import numpy as np

from runtime.dtypes import is_string
from runtime.numpy.outcomes import WITHOUT_PARTS, Join, Outcome, Trial, UnforeseenError
from runtime.opaque import Samples
from runtime.spec import UNKNOWN, Dim, TensorSpec

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
    lambda rng, n: np.full(n, 2.0),
    lambda rng, n: 4.0 * (np.arange(n) % (int(n**0.5) + 1) == 0),
    lambda rng, n: np.subtract(*divmod(np.arange(float(n)), max(int(n**0.5), 1))),
)
"""What the arrays of trials hold: where that is square, a multiple of the identity, and a matrix
whose eigenvalues are complex."""


def foresee(
    function: Callable[..., Any],
    operands: Sequence[Any],
    specs: Sequence[TensorSpec],
    is_whole: bool = False,
) -> Outcome:
    """Return what a call gives.

    Args:
        function: a function of the operands; it may change any state that NumPy has.
        operands: arrays that are known, `Samples` for objects, and None for others.
        specs: of the operands.
        is_whole: whether the result is one object, whatever it is.

    Raises:
        UnforeseenError: it takes none of the values that were tried, or changes a shape in place.
        Whatever NumPy raises for all values.
    """
    found: list[Trial] = []
    failed: list[Exception] = []
    before: tuple[int, ...] = _FULL
    for number, (sizes, shift, step) in enumerate(_plans(operands, specs)):
        if found and sizes != before and before != LARGEST:
            break
        before = sizes
        fills = [FILLS[(shift + step * k) % len(FILLS)] for k in range(len(specs))]
        one = _try(function, [*_values(number, fills, operands, specs, sizes)])
        if isinstance(one, Trial):
            found.append(one)
        else:
            failed.append(one)
    if not found:
        raise _failure(failed)
    return _joined(function, found, operands, specs, is_whole)


def _plans(
    operands: Sequence[Any], specs: Sequence[TensorSpec]
) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Yield the sizes and fills of the trials: enough of them that all samples are tried."""
    steps = STEPS if len(specs) > 1 else STEPS[: len(FILLS)]
    plans = [(sizes, *step) for sizes in _sizes(specs) for step in steps]
    most = max((len(x.values) for x in operands if isinstance(x, Samples)), default=0)
    yield from islice(cycle(plans), max(most, len(plans)))


STEPS = [*((k, 0) for k in range(len(FILLS))), *((k, 1) for k in range(len(FILLS)))]
"""Which operand of a trial gets which of the fills: all the same one, then each the next one."""


def _failure(failed: Sequence[Exception]) -> Exception:
    """Return what NumPy raises for all values; it may take others than those of the trials."""
    first = failed[0]
    if all(type(error) is type(first) and str(error) == str(first) for error in failed):
        return first
    return UnforeseenError(f"fails for all values that were tried ({first})")


_FULL: tuple[int, ...] = ()
LARGEST = (5, 7, 11)
"""The sizes that are tried first, and others after them, which tell what sizes decide."""


def _are_small(specs: Sequence[TensorSpec]) -> bool:
    return all(s.is_static for s in specs) and _elements(specs) <= MOST_ELEMENTS


def _elements(specs: Sequence[TensorSpec]) -> int:
    return sum(prod(n for n in spec.shape or () if isinstance(n, int)) for spec in specs)


def _sizes(specs: Sequence[TensorSpec]) -> Iterator[tuple[int, ...]]:
    """Yield what sizes that are large or unknown are tried with, and the sizes as they are."""
    if _are_small(specs):
        yield _FULL
        return
    yield from (LARGEST, (3, 2, 4), (1, 1, 1))
    if all(s.is_static for s in specs):
        yield _FULL


def _values(
    number: int,
    fills: Sequence[Any],
    operands: Sequence[Any],
    specs: Sequence[TensorSpec],
    sizes: tuple[int, ...],
) -> Iterator[Any]:
    rng = np.random.default_rng(7)
    names: dict[int | Dim, int] = {}
    for fill, operand, spec in zip(fills, operands, specs, strict=True):
        dims = (UNKNOWN,) if spec.shape is None else spec.shape
        if isinstance(operand, Samples):
            yield operand.values[number % len(operand.values)]
            continue
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


def _try(function: Callable[..., Any], operands: list[Any]) -> Trial | Exception:
    """Return what a function gives for some operands, or the exception that it raises."""
    given = tuple(map(_copied, operands))
    try:
        with _without_effects():
            found = function(*given)
    except Exception as error:
        return error
    pairs = zip(given, operands, strict=True)
    writes = tuple(k for k, (x, y) in enumerate(pairs) if not _is_same(x, y))
    for k in writes:
        if type(given[k]) is np.ndarray and given[k].shape != operands[k].shape:
            raise UnforeseenError("changes the shape of an array in place")
    data = frozenset(k for k in writes if not _is_masked_like(given[k], operands[k]))
    return Trial(found, given, writes, data)


def _is_masked_like(x: Any, y: Any) -> bool:
    """Tell whether two masked arrays differ in their masks only."""
    are_masked = isinstance(x, np.ma.MaskedArray) and isinstance(y, np.ma.MaskedArray)
    return are_masked and _is_same(np.asarray(x), np.asarray(y))


def _copied(value: Any) -> Any:
    """Return a copy of what is tried, so that it is not changed, if there is one."""
    if type(value) is np.ndarray and value.dtype != object:
        return value.copy(order="K")
    try:
        return copy.deepcopy(value)
    except (TypeError, pickle.PicklingError):
        return value


def _is_same(x: Any, y: Any) -> bool:
    if isinstance(x, WITHOUT_PARTS):
        return True
    if not isinstance(x, np.ndarray):
        pairs = zip(_arrays_of(x), _arrays_of(y), strict=False)
        return all(_is_same(a, b) for a, b in pairs)
    is_like = x.shape == y.shape and x.dtype == y.dtype
    return is_like and all(a == b for a, b in zip(_contents(x), _contents(y), strict=True))


def _arrays_of(value: Any, depth: int = 3) -> Iterator[Any]:
    """Yield the arrays that an object holds, which are what others may hold, too."""
    if isinstance(value, np.ndarray):
        yield value
    elif depth:
        held = value if isinstance(value, list | tuple | dict) else getattr(value, "__dict__", ())
        for item in held.values() if isinstance(held, Mapping) else held:
            yield from _arrays_of(item, depth - 1)


def _contents(x: Any) -> Iterator[Any]:
    """Yield what tells whether an array was written: NaN is NaN, and masked elements count."""
    plain = np.asarray(x)
    yield plain.tobytes() if plain.dtype.kind in "biufcSUmM" else repr(plain.tolist())
    yield repr(getattr(x, "mask", None))


def _joined(
    function: Callable[..., Any],
    found: Sequence[Trial],
    operands: Sequence[Any],
    specs: Sequence[TensorSpec],
    is_whole: bool,
) -> Outcome:
    """Return what holds for all trials."""
    objects = [k for k, x in enumerate(operands) if isinstance(x, Samples)]
    is_open = not _are_small(specs) or any(operands[k].is_open for k in objects)
    join = Join(found, frozenset(objects), is_open)
    values = [one.found for one in found]
    form = join.object(values) if is_whole else join.form(values)
    writes = {k for one in found for k in one.writes}
    arrays = {k for k, x in enumerate(found[0].given) if type(x) is np.ndarray} - {*objects}
    writes |= _written_with_the_same(function, found[0].given, arrays - writes)
    masks = frozenset(writes - {k for one in found for k in one.data})
    return Outcome(form, tuple(join.parts), tuple(sorted(writes)), masks, tuple(found), is_open)


def _written_with_the_same(
    function: Callable[..., Any], given: Sequence[Any], numbers: Iterable[int]
) -> set[int]:
    """Return the numbers of the arrays that a function writes, though they hold the same after."""
    several = [*numbers]
    if not several or not _is_refused(function, given, several):
        return set()
    return {k for k in several if _is_refused(function, given, [k])}


def _is_refused(function: Callable[..., Any], given: Sequence[Any], numbers: Sequence[int]) -> bool:
    """Tell whether a function fails where some arrays cannot be written."""
    operands = [*map(_copied, given)]
    for k in numbers:
        operands[k].flags.writeable = False
    try:
        with _without_effects():
            function(*operands)
    except ValueError as error:
        return "read-only" in str(error)
    except Exception:
        return False
    return False


def samples_like(value: Any) -> Samples:
    """Return an array that no spec describes, with others that a trace for it may be given."""
    found = [copy.deepcopy(value)]
    if isinstance(value, np.ma.MaskedArray):
        masks = (False, True, np.arange(value.size).reshape(value.shape) % 2 == 0)
        found += [np.ma.array(value.data, mask=mask, copy=True) for mask in masks]
    elif isinstance(value, np.ndarray) and value.ndim:
        found.append(copy.deepcopy(value[::-1]))
    return Samples(found, is_open=True)
