"""What a call of NumPy gives, found by trials on arrays of the same types.

Comes in: a function of arrays, and what is known of those. Goes out: the form of the result, the
specs of its parts, and which operands the function writes. Several trials with different values
tell what values decide.
"""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from runtime import default_graph
from runtime.dtypes import is_string
from runtime.numpy.held_arrays import arrays_of, copied, is_masked_like, is_same
from runtime.numpy.outcomes import Join, Outcome, Trial, UnforeseenError
from runtime.numpy.witnesses import AS_IT_IS, Witness
from runtime.opaque import Samples
from runtime.spec import UNKNOWN, Dim, TensorSpec

MOST_ELEMENTS = 4096
"""Operands with more elements together are tried with smaller ones; sizes are then left open."""

FEW = 4
"""So many trials at least tell that sizes are always the same."""

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

NOT_NEGATIVE = (*FILLS[:2], *FILLS[3:-1])
"""What other arrays hold, where some values may crash: distances and weights are not negative."""

PLACES: tuple[Callable[[np.random.Generator, int], Any], ...] = (
    lambda rng, n: np.zeros(n),
    lambda rng, n: np.minimum(np.arange(n), 1.0),
)
"""What arrays of integers hold, where others may crash: as indices these mostly are places."""


class Operand(NamedTuple):
    """What is known of an operand of a call.

    Args:
        spec: it.
        known: the array that it is, or `Samples` of an object; None for a staged one.
        witnesses: what a staged one may hold.
        is_grouped: whether it belongs together with others, as indices with what they are of.
        is_cell: whether it is an array without axes, and no number.
    """

    spec: TensorSpec
    known: Any = None
    witnesses: Sequence[Witness] = ()
    is_grouped: bool = False
    is_cell: bool = False

    def witnesses_of(self, sizes: tuple[int, ...]) -> Sequence[Any]:
        """Return the witnesses of trials with some sizes."""
        return [x.value for x in self.witnesses if x.sizes == sizes]


def foresee(
    function: Callable[..., Any],
    operands: Sequence[Operand],
    *,
    is_whole: bool = False,
    is_unchecked: bool = False,
    calls_back: bool = False,
    reads: bool = False,
) -> Outcome:
    """Return what a call gives.

    Args:
        function: a function of the operands; it may change any state that NumPy has.
        operands: what is known of them.
        is_whole: whether the result is one object, whatever it is.
        is_unchecked: whether the function may crash for what is no place in memory, or negative:
            this is tried only where the program has it.
        calls_back: whether it calls functions of the user's, which are tried with what the program
            has only, where that is known: they may not end for other values.
        reads: whether it reads a file, of which the sizes may be others when the graph runs.

    Raises:
        UnforeseenError: it takes none of the values that were tried, or changes a shape in place.
        Whatever NumPy raises for all values.
    """
    found: list[Trial] = []
    failed: list[Exception] = []
    before: tuple[int, ...] = AS_IT_IS
    plans = [*_plans(operands, is_unchecked)]
    as_in_program = [plan for plan in plans if set(plan[1]) == {None}]
    for number, (sizes, fills) in enumerate((calls_back and as_in_program) or plans):
        if found and sizes != before and before != LARGEST:
            break
        before = sizes
        one = _try(function, [*_values(number, fills, operands, sizes)], sizes)
        if isinstance(one, Trial):
            found.append(one)
        else:
            failed.append(one)
        if not operands:  # all trials are the same
            break
    if not found and reads:
        raise UnforeseenError(f"reads what cannot be read while tracing ({failed[0]})")
    if not found:
        raise _failure(failed, _is_of_program(plans[0], operands))
    is_open = reads or (len(found) < FEW and len(operands) > 0)
    if not is_unchecked:
        found += _laid_otherwise(function, found[0])
    return _joined(function, found, operands, is_whole, is_unchecked, is_open)


Fill: TypeAlias = "Callable[[np.random.Generator, int], Any]"
Fills: TypeAlias = "Sequence[Fill | None]"


def _plans(
    operands: Sequence[Operand], is_unchecked: bool
) -> Iterator[tuple[tuple[int, ...], Fills]]:
    """Yield the sizes and fills of the trials, None for a witness; all samples are tried."""
    steps = STEPS if len(operands) > 1 else STEPS[: len(FILLS)]
    plans: list[tuple[tuple[int, ...], Fills]] = []
    parts = [x for x in operands if is_unchecked and x.is_grouped and x.witnesses]
    for sizes in _sizes(operands):
        if not all(x.witnesses_of(sizes) for x in parts):
            continue
        count = max((len(x.witnesses_of(sizes)) for x in operands), default=0)
        plans += [(sizes, [None] * len(operands))] * count
        for shift, step in steps:
            numbers = (shift + step * k for k in range(len(operands)))
            pairs = zip(numbers, operands, strict=True)
            plans.append((sizes, [_fill(n, x, is_unchecked) for n, x in pairs]))
    most = max((len(x.known.values) for x in operands if isinstance(x.known, Samples)), default=0)
    yield from islice(cycle(plans), max(most, len(plans)))


def _fill(number: int, operand: Operand, is_unchecked: bool) -> Fill | None:
    fills = FILLS
    if is_unchecked:
        if operand.is_grouped and operand.witnesses:
            return None
        spec = operand.spec
        fills = PLACES if spec.shape != () and spec.dtype.kind in "iu" else NOT_NEGATIVE
    return fills[number % len(fills)]


STEPS = [*((k, 0) for k in range(len(FILLS))), *((k, 1) for k in range(len(FILLS)))]
"""Which operand of a trial gets which of the fills: all the same one, then each the next one."""


def _is_of_program(plan: tuple[tuple[int, ...], Fills], operands: Sequence[Operand]) -> bool:
    """Tell whether all that the first trial is given is what the program has."""
    sizes, fills = plan
    are_all = all(x.known is not None or x.witnesses_of(sizes) for x in operands)
    is_of_samples = all(isinstance(x.known, Samples) for x in operands)
    return are_all and sizes == AS_IT_IS and (is_of_samples or set(fills) == {None})


def _failure(failed: Sequence[Exception], is_of_program: bool) -> Exception:
    """Return what NumPy raises for all values; it may take others than those of the trials.

    Args:
        failed: what the trials raised.
        is_of_program: whether the first of these had the values that the program has.
    """
    first = failed[0]
    if is_of_program or all(type(x) is type(first) and str(x) == str(first) for x in failed):
        return first
    return UnforeseenError(f"fails for all values that were tried ({first})")


LARGEST = (5, 7, 11)
"""The sizes that are tried first, and others after them, which tell what sizes decide."""


def _are_small(operands: Sequence[Operand]) -> bool:
    specs = [x.spec for x in operands]
    return all(s.is_static for s in specs) and _elements(specs) <= MOST_ELEMENTS


def _elements(specs: Sequence[TensorSpec]) -> int:
    return sum(prod(n for n in spec.shape or () if isinstance(n, int)) for spec in specs)


def _sizes(operands: Sequence[Operand]) -> Iterator[tuple[int, ...]]:
    """Yield what sizes that are large or unknown are tried with, and the sizes as they are."""
    if _are_small(operands):
        yield AS_IT_IS
        return
    yield from (LARGEST, (3, 2, 4), (1, 1, 1))
    if all(x.spec.is_static or x.witnesses_of(AS_IT_IS) for x in operands):
        yield AS_IT_IS


def _values(
    number: int, fills: Fills, operands: Sequence[Operand], sizes: tuple[int, ...]
) -> Iterator[Any]:
    rng = np.random.default_rng(7)
    names: dict[int | Dim, int] = {}
    for fill, (spec, known, *_), operand in zip(fills, operands, operands, strict=True):
        witnesses = operand.witnesses_of(sizes)
        if isinstance(known, Samples):
            samples = known.of(sizes)
            yield samples[number % len(samples)]
        elif known is not None and (sizes == AS_IT_IS or not known.shape):
            yield known
        elif witnesses and (fill is None or not spec.is_static):
            found = witnesses[number % len(witnesses)]
            yield np.array(found) if operand.is_cell else found
        else:
            dims = (UNKNOWN,) if spec.shape is None else spec.shape
            shape = tuple(_size(n, names, sizes) for n in dims)
            flat = (fill or FILLS[number % len(FILLS)])(rng, prod(shape))
            found = _array(flat, spec, shape)
            yield np.array(found) if operand.is_cell else found


def _size(n: int | Dim, names: dict[int | Dim, int], sizes: tuple[int, ...]) -> int:
    """Return what a size is tried with, if it is unknown or large; equal ones stay equal."""
    if isinstance(n, int) and (sizes == AS_IT_IS or n <= SMALL):
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


def _laid_otherwise(function: Callable[..., Any], one: Trial) -> list[Trial]:
    """Return a trial with arrays that have gaps, are parts of others, and cannot be written.

    There is none where no operand comes out, as it may for other arrays only.
    """
    results = one.found if isinstance(one.found, list | tuple) else [one.found]
    arrays = [k for k, x in enumerate(one.given) if type(x) is np.ndarray and k not in one.writes]
    if not any(x is one.given[k] for x in results for k in arrays):
        return []
    operands = [*map(copied, one.given)]
    for k in arrays:
        operands[k] = np.stack([operands[k]] * 2, axis=-1)[..., 0]
        operands[k].flags.writeable = False
    try:
        with _without_effects(), default_graph.building(None):
            found = function(*operands)
    except Exception:  # it writes one of them, or takes no such array
        return []
    return [Trial(found, tuple(operands), one.writes, one.data, one.sizes)]


@contextmanager
def _without_effects() -> Iterator[None]:
    """Put the global states of NumPy and of `random` back, and show no warnings."""
    state, own = np.random.get_state(), random.getstate()
    try:
        with warnings.catch_warnings(), np.errstate(), np.printoptions():
            warnings.resetwarnings()  # those of tracing are none that a program could read
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(state)
        random.setstate(own)


def _try(
    function: Callable[..., Any], operands: list[Any], sizes: tuple[int, ...]
) -> Trial | Exception:
    """Return what a function gives for some operands, or the exception that it raises."""
    given = tuple(map(copied, operands))
    held = [[*arrays_of(x)] for x in given]
    before = [[*map(copied, arrays)] for arrays in held]
    try:
        with _without_effects(), default_graph.building(None):
            found = function(*given)
    except Exception as error:
        return error
    pairs = zip(held, before, strict=True)
    writes = tuple(k for k, (x, y) in enumerate(pairs) if not all(map(is_same, x, y)))
    for k in writes:
        if type(given[k]) is np.ndarray and given[k].shape != operands[k].shape:
            raise UnforeseenError("changes the shape of an array in place")
    data = frozenset(k for k in writes if not is_masked_like(given[k], operands[k]))
    return Trial(found, given, writes, data, sizes)


def _joined(
    function: Callable[..., Any],
    found: Sequence[Trial],
    operands: Sequence[Operand],
    is_whole: bool,
    is_unchecked: bool,
    is_open: bool,
) -> Outcome:
    """Return what holds for all trials.

    What is not checked may do another thing for arrays that it cannot write: SciPy does.
    """
    objects = [k for k, x in enumerate(operands) if isinstance(x.known, Samples)]
    is_open = is_open or not _are_small(operands)
    is_open = is_open or any(operands[k].known.is_open for k in objects)
    join = Join(found, frozenset(objects), is_open)
    values = [one.found for one in found]
    form = join.object(values) if is_whole else join.form(values)
    writes = {k for one in found for k in one.writes}
    arrays = {k for k, x in enumerate(found[0].given) if type(x) is np.ndarray} - {*objects}
    others = arrays - writes
    if not is_unchecked:
        writes |= _written_with_the_same(function, found[0].given, others)
    masks = frozenset(writes - {k for one in found for k in one.data})
    keeps = frozenset(others if is_unchecked else ())
    ordered = tuple(sorted(writes))
    return Outcome(form, tuple(join.parts), ordered, masks, keeps, tuple(found), is_open)


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
    operands = [*map(copied, given)]
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
    """Return an object that no spec describes, with others that a trace for it may be given."""
    found = [copy.deepcopy(value)]
    if not isinstance(value, np.ndarray | np.generic):
        return Samples(found, is_open=False)
    if isinstance(value, np.ma.MaskedArray):
        masks = (False, True, np.arange(value.size).reshape(value.shape) % 2 == 0)
        found += [np.ma.array(value.data, mask=mask, copy=True) for mask in masks]
    elif isinstance(value, np.ndarray) and value.ndim:
        found.append(copy.deepcopy(value[::-1]))
    return Samples(found, is_open=True)
