"""What an op says about itself, besides what it computes.

    family = Traits(..., raises=raises_nothing, cost=1, ...)    # what several ops have in common
    op("divide(x, y)", ..., family=family, raises=divides)      # and what one has of its own

Passes, lowering, derivatives and batching ask for these, and know no op by its name.
Nothing is left out: what an op does not have is written as not there, in its family or by itself.

Not told are the errors that only integers of more than 64 bits meet, and those of memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum, auto
from functools import partial
from itertools import zip_longest
from typing import Any, TypeAlias

import numpy as np

from runtime.dtypes import DType
from runtime.spec import UNKNOWN, TensorSpec


@dataclass(frozen=True, slots=True)
class NotThere:
    """What stands where an op does not have something, and why."""

    why: str


UNWRITTEN = NotThere("nobody has written it yet")
NOT_MEASURED = NotThere("it was not measured")
ONE_BY_ONE = NotThere("a batch of it is a loop over the elements")
NOT_DIFFERENTIABLE = NotThere("its results do not follow its operands continuously")
NOTHING_GIVEN = NotThere("it has no operands")
OF_REGIONS = NotThere("only what its regions compute has one")
OF_HOST = NotThere("what it computes is not known as a graph")

Rule: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Application:
    """One application of an op, as the rules of derivatives see it.

    Args:
        apply: `(op, inputs, **attrs)` applies another op.
        op: which op it was.
        operands: what it was given: symbols of a graph that is being built, or arrays.
        attrs: its attributes.
        results: what it gave.
        wanted: which operands the derivative is asked for.
    """

    apply: Callable[..., Any]
    op: Any
    operands: Sequence[Any]
    attrs: Mapping[str, Any]
    results: Sequence[Any]
    wanted: Sequence[bool]


@dataclass(frozen=True, slots=True)
class Derivative:
    """How the results of an op follow its operands; `runtime.ops.derivatives` makes them.

    None stands for zero, in what is given and in what is returned. What is returned may be
    broadcast, or of another dtype: whoever asks makes it what the operand or result is.

    Args:
        jvp: `(application, tangents of the operands) -> tangents of the results`.
        vjp: `(application, cotangents of the results) -> cotangents of the operands`; one may be
            an `Addend`. None: what goes back is found by going back through `jvp`, which is linear.
        is_elementwise: whether the rules take cotangents and tangents that are to be broadcast, or
            are numbers that are known.
        broadcasts: whether operands may be broadcast, so that their cotangents are to be added up.
        takes_small: whether `vjp` takes such cotangents though the op is not elementwise; or what
            tells that by the specs of the operands.
    """

    jvp: Callable[[Application, Sequence[Any]], Sequence[Any]]
    vjp: Callable[[Application, Sequence[Any]], Sequence[Any]] | None
    is_elementwise: bool = False
    broadcasts: bool = True
    takes_small: bool | Callable[..., bool] = False


@dataclass(frozen=True, slots=True)
class Addend:
    """A cotangent that has few elements that are not zero.

    Args:
        alone: returns the whole of it, with all its zeros.
        onto: returns the sum of another cotangent and this one.
        into: returns another one, which is zero there, with these elements.
        places: where they are along each of the first axes, if that is known.
        at: what tells places apart: as they were read, in that order, numbers for axes that are
            left out; or what was read that is known late, and by which values.
        part: the elements.
        of: returns one of other elements at the same places, if these are known.
        filled: for one that has all elements but those at these places: returns its sum with others
            that are there.
    """

    alone: Callable[[], Any]
    onto: Callable[[Any], Any]
    into: Callable[[Any], Any] | None = None
    places: tuple[range, ...] | None = None
    at: tuple[Any, ...] | None = None
    part: Any = None
    of: Callable[[Any], Addend] | None = None
    filled: Callable[[Any], Any] | None = None

    def is_apart(self, others: Iterable[Addend]) -> bool:
        """Tell whether it is known that none of some others has elements where this one has."""
        return all(
            self.places is not None
            and other.places is not None
            and any(map(_are_apart, self.places, other.places))
            for other in others
        )


def _are_apart(a: range, b: range) -> bool:
    return a.stop <= b.start or b.stop <= a.start


@dataclass(frozen=True, slots=True)
class Error:
    """An exception that an op may raise when the graph runs.

    Args:
        name: of its class.
        operands: those that decide, if it is not raised when
        is_safe: is true of their values.
        example: operands that raise it with the text that all others have; None where texts differ.
    """

    name: str
    operands: tuple[int, ...] = ()
    is_safe: Callable[..., bool] | None = None
    example: tuple[Any, ...] | None = None

    def is_possible(self, known: Mapping[int, Any]) -> bool:
        """Tell whether it may be raised for all that is known of the operands, by their places."""
        if self.is_safe is None or not all(k in known for k in self.operands):
            return True
        return not self.is_safe(*(known[k] for k in self.operands))


RaiseRule: TypeAlias = Callable[[Sequence[TensorSpec], Mapping[str, Any]], tuple[Error, ...]]


@dataclass(frozen=True, slots=True)
class Reduction:
    """How an op makes one number of many.

    Args:
        kind: `sum`, `product`, `max`, `min`, `any`, `all`, `count`, `place`, `mean`, `spread`
            (variance and the like) or `order` (median, quantiles).
        ufunc: the one whose `reduce` it is; None where there is none.
    """

    kind: str
    ufunc: np.ufunc | None


class Form(Enum):
    """What an op does with its regions."""

    COND = auto()
    SWITCH = auto()
    WHILE = auto()
    REDUCE = auto()
    TRY = auto()
    STEP = auto()
    """Runs its region as it stands; it is one step of a trace."""
    CHECKPOINT = auto()
    """Runs its region as it stands; derivatives keep little of it."""
    CHAIN = auto()
    """Runs its region as it stands, which one kernel computes."""
    CALL = auto()
    """Its region is a function, which may call itself."""
    CALL_AGAIN = auto()
    """Has no region: it calls the function of that name in which it stands."""
    CUSTOM = auto()
    """Runs its first region; the second one says its derivative."""
    PROBE = auto()
    """Runs its region to see what it raises."""
    ATTEMPT = auto()
    """Runs its region, and gives what it raises."""


class Subscript(Enum):
    """What an op does with the part of an array that its attribute `key` selects."""

    READ = auto()
    """Gives the part, which numbers and slices select."""
    WRITE = auto()
    """Gives the array with another value in such a part."""
    GATHER = auto()
    """Gives the elements that arrays of numbers or truth values select."""
    SCATTER = auto()
    """Gives the array with other values in such elements."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Traits:
    """What ops say about themselves; there are no defaults.

    Args:
        python: the op as a Python expression, with the inputs as `{0}`, `{1}`, for operators, and
            for methods of arrays with attributes as `{axis}`, as NumPy's functions take longer; for
            subscripts `{key}` is the attribute `key`, its `?` replaced by the other inputs.
        in_place: the op as a Python statement that writes its result into the first input, in the
            same language.
        ufunc: the NumPy ufunc that the op is, which makes it elementwise, fusable and able to write
            into a given buffer.
        scalar: what the op does to single numbers, in the kernel language: `(s, *numbers, **attrs)
            -> number`, where `s` is a `Scalars` (`runtime.kernels.scalar.scalars`). The numbers of
            a ufunc have the dtypes of its loop.
        functions: the NumPy functions that the op stands for.
        effect: the resource that it reads or writes besides its inputs (`"output"`, `"random"`,
            `"check"`), or None: calls with the same effect keep their order and are never dropped.
        raises: which exceptions it may raise when the graph runs, by the specs of its operands and
            its attributes.
        warns: whether NumPy may warn of what it computes of arrays, or of numbers that fit them.
        view: whether NumPy's result shares memory with the first input: `"always"`, or only when
            that is `"contiguous"`, or None for never.
        write: for a view, `(apply, base, new, *other inputs, **attrs) -> base`: the base after the
            view was given the value `new`; `apply(op, inputs, **attrs)` applies an op.
        subscript: what it does with a part of its first input.
        copies: whether it gives its first input, in memory of its own.
        extends: whether its result begins with all of its first input.
        prepared: gives for an array module and attributes what the kernel does with the rest, where
            much can be done once for all calls.
        cell: whether a result without axes that is no view is an array: `"always"`, or where the
            first input is one (`"kept"`), or None for never, as most functions give numbers.
        form: what it does with its regions; None for ops without regions or functions.
        multiple: whether the result is a tuple.
        commutative: whether the first two inputs may be exchanged without changing the result.
        reduction: how it makes one number of many, over the axes that its attributes say.
        accumulation: the ufunc whose `accumulate` it is.
        applies: the op that it applies to numbers: over axes, at places, or by another policy on
            errors; it has that one's derivative.
        product: `"matrix"` for the product of (stacks of) matrices, `"sum"` for other sums of
            products.
        cost: how long an element takes, in additions of float64, as NumPy computes both.
        derivative: how its results follow its operands.
        batching: the rule by which it works on many at once.
    """

    python: str | None
    in_place: str | None
    ufunc: np.ufunc | None
    scalar: Callable[..., Any] | None
    functions: tuple[Callable[..., Any], ...]
    effect: str | None
    raises: RaiseRule
    warns: bool
    view: str | None
    write: Callable[..., Any] | None
    subscript: Subscript | None
    copies: bool
    extends: bool
    prepared: Callable[..., Callable[..., Any]] | None
    cell: str | None
    form: Form | None
    multiple: bool
    commutative: bool
    reduction: Reduction | None
    accumulation: np.ufunc | None
    applies: Traits | None
    product: str | None
    cost: int | NotThere
    derivative: Derivative | NotThere
    batching: Rule | NotThere

    @property
    def is_pure(self) -> bool:
        """Whether it does nothing but give results, which depend on nothing but its operands."""
        return self.effect is None

    def with_own(self, **own: Any) -> dict[str, Any]:
        """Return all traits by name, some of them exchanged."""
        return {trait.name: getattr(self, trait.name) for trait in fields(Traits)} | own


def raises_nothing(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    """The rule of ops that never raise anything."""
    return ()


def raises(*names: str) -> RaiseRule:
    """Return the rule of ops that may raise named exceptions, whatever they are given."""
    errors = tuple(map(Error, names))
    return lambda specs, attrs: errors


def raises_if(asked: Callable[[Sequence[TensorSpec]], bool], *names: str) -> RaiseRule:
    """Return the rule of ops that may raise named exceptions when the operands are of a kind."""
    errors = tuple(map(Error, names))
    return lambda specs, attrs: errors if asked(specs) else ()


def has_unknown(specs: Sequence[TensorSpec]) -> bool:
    """Tell whether a size is not known."""
    return not all(spec.is_static for spec in specs)


def has_axes(specs: Sequence[TensorSpec]) -> bool:
    """Tell whether an operand may not be a number: NumPy before 2.4 warns of what it makes one."""
    return any(spec.shape != () for spec in specs)


def possible_errors(
    op: Traits, specs: Sequence[TensorSpec], attrs: Mapping[str, Any], known: Mapping[int, Any]
) -> list[Error]:
    """Return what an op may raise, for all that is known of some operands, by their places."""
    return [x for x in op.raises(specs, attrs) if x.is_possible(known)]


raises_of_sizes = raises_if(has_unknown, "ValueError")
"""The rule of ops that need operands of certain sizes."""


def may_differ(specs: Sequence[TensorSpec]) -> bool:
    """Tell whether shapes may not go together, for all that is known of them."""
    shapes = [spec.shape for spec in specs]
    known = [shape[::-1] for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return len(shapes) > 1
    columns = ([n for n in column if n != 1] for column in zip_longest(*known, fillvalue=1))
    return any(
        len(column) > 1 and (UNKNOWN in column or len(set(column)) > 1) for column in columns
    )


raises_of_shapes = raises_if(may_differ, "ValueError")
"""The rule of ops whose operands have to go together."""


def raises_of_operands(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    """The rule of ops whose operands have to go together, in one dtype."""
    return (*raises_of_shapes(specs, attrs), *raises_of_ranges(specs, attrs))


def raises_of_ranges(specs: Sequence[TensorSpec], attrs: Mapping[str, Any]) -> tuple[Error, ...]:
    """The rule of ops that refuse Python's integers that the integers of arrays do not hold."""
    weak = [k for k, x in enumerate(specs) if x.weak and x.dtype.kind == "i"]
    kinds = [x.dtype for x in specs if not x.weak and x.dtype.kind != "b"] if weak else []
    if not kinds or any(kind.kind not in "iu" for kind in kinds):
        return ()
    dtype = np.result_type(*kinds)
    if dtype.kind != "u" and (dtype.kind == "f" or dtype.itemsize == 8):
        return ()
    fits = partial(is_between, *limits_of(dtype))
    return tuple(Error("OverflowError", (k,), fits) for k in weak)


def limits_of(dtype: DType) -> tuple[int, int]:
    """Return the least and the greatest number of a dtype of integers."""
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def is_between(low: int, high: int, x: float) -> bool:
    """Tell whether a number is one of a range; NaN is not."""
    return low <= x <= high
