"""What is known of the result of a call of NumPy: what holds for the results of all trials.

Comes in: what trials gave. Goes out: the form of the result, and of each part the spec; sizes that
differ are left open, and what differs otherwise, or is nothing that a spec describes, is an object
that is known when the graph runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.dtypes import STRING
from runtime.errors import DtypeError, StagedValueError
from runtime.opaque import OPAQUE
from runtime.ops.call_forms import NUMBERS, Form, text_of_constant
from runtime.spec import UNKNOWN, TensorSpec, make_spec, spec_of


@dataclass(frozen=True)
class Trial:
    """What a call did with some operands.

    Args:
        found: what it gave.
        given: the operands afterwards.
        writes: the numbers of those that it wrote.
        data: the numbers of those of them of which it wrote more than a mask.
        sizes: those that large and unknown sizes had; () for the program's own.
    """

    found: Any
    given: tuple[Any, ...]
    writes: tuple[int, ...]
    data: frozenset[int]
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """What is known of the result of a call.

    Args:
        form: its form.
        parts: the parts of its result.
        writes: the numbers of the operands that are written.
        masks: the numbers of the masked arrays among them of which only the mask is written.
        keeps: the numbers of those that are given such that they could be written.
        trials: what it did.
        is_open: whether those had other sizes than the program.
    """

    form: Form
    parts: tuple[Part, ...]
    writes: tuple[int, ...]
    masks: frozenset[int]
    keeps: frozenset[int]
    trials: tuple[Trial, ...]
    is_open: bool

    @property
    def sizes(self) -> list[tuple[int, ...]]:
        """The sizes of each trial."""
        return [one.sizes for one in self.trials]


def nothing(operands: Sequence[Any]) -> Outcome:
    """Return what is known of a call that only reads its operands, and gives None."""
    trial = Trial(None, tuple(operands), (), frozenset(), ())
    return Outcome(Form("None"), (), (), frozenset(), frozenset(), (trial,), False)


@dataclass(frozen=True)
class Part:
    """A part of a result.

    Args:
        spec: what it is.
        samples: what it was in the trials.
        shared: the numbers of the operands with which it shares memory, or may hold.
        masks: the numbers of those with which its mask does.
    """

    spec: TensorSpec
    samples: tuple[Any, ...]
    shared: frozenset[int]
    masks: frozenset[int]


class UnforeseenError(StagedValueError):
    """What a call gives cannot be told before it is made, or no graph can hold it."""


def shares(x: Any, y: Any) -> bool:
    """Tell whether a result shares memory with an operand, or may hold it."""
    if not isinstance(x, np.ndarray):
        return False
    if not isinstance(y, np.ndarray):
        return not isinstance(y, WITHOUT_PARTS)
    return any(np.may_share_memory(a, b) for a in _memory(x) for b in _memory(y))


def _memory(x: Any) -> list[Any]:
    return [np.asarray(x), x.mask] if isinstance(x, np.ma.MaskedArray) else [x]


WITHOUT_PARTS = (np.generic, int, float, complex, str, bytes, type(None), np.dtype, type)
"""Classes whose objects hold no arrays."""


class Join:
    """What holds for the results of all trials.

    Args:
        trials: what the function did.
        objects: the numbers of the operands that are objects.
        is_open: whether sizes are those of the trials only.

    Attributes:
        parts: the parts of the form.
    """

    def __init__(self, trials: Sequence[Trial], objects: frozenset[int], is_open: bool) -> None:
        self._trials = trials
        self._objects = objects
        self._is_open = is_open
        self.parts: list[Part] = []

    def form(self, values: Sequence[Any]) -> Form:
        """Return the form of a part of the results, one value for each trial."""
        first = values[0]
        for k, operand in enumerate(self._trials[0].given):
            is_same = (x is one.given[k] for x, one in zip(values, self._trials, strict=True))
            if first is operand and isinstance(first, np.ndarray) and all(is_same):
                return Form(f"_{k}")
        if self._is_container(values):
            parts = tuple(self.form(items) for items in zip(*values, strict=True))
            cls = type(first)
            return Form(cls.__name__, parts, cls)
        constant = text_of_constant(first)
        if constant is not None and all(text_of_constant(x) == constant for x in values):
            return Form(constant)
        return self.object(values, *self._described(values))

    def object(self, values: Sequence[Any], mark: str = "any", spec: TensorSpec = OPAQUE) -> Form:
        """Return the form of a part that is one value; an object if it may hold others."""
        shared = self._sharing(values)
        if shared & self._objects:
            mark, spec = "any", OPAQUE
        elif spec == OPAQUE and shared and isinstance(values[0], _WINDOWS):
            kind = type(values[0]).__name__
            raise UnforeseenError(f"gives a {kind}, by which its argument may be written")
        masks = [x.mask if isinstance(x, np.ma.MaskedArray) else None for x in values]
        self.parts.append(Part(spec, tuple(values), shared, self._sharing(masks)))
        return Form(mark)

    def _sharing(self, values: Sequence[Any]) -> frozenset[int]:
        """Return the numbers of the operands with which values share memory, or may hold."""
        rows = zip(values, self._trials, strict=True)
        return frozenset(
            k for value, one in rows for k, x in enumerate(one.given) if shares(x, value)
        )

    def _is_container(self, values: Sequence[Any]) -> bool:
        first = values[0]
        is_named = hasattr(first, "_fields") and type(first).__init__ is object.__init__
        if not (type(first) in (tuple, list) or is_named):
            return False
        is_like = all(type(x) is type(first) and len(x) == len(first) for x in values)
        is_fixed = not self._is_open or type(first) is not list
        return is_like and is_fixed and len(first) <= MOST_PARTS

    def _described(self, values: Sequence[Any]) -> tuple[str, TensorSpec]:
        """Return the mark and the spec of what all values are; those of an object, if none is."""
        if all(type(x) is str for x in values):
            return "text", make_spec(STRING, ())
        are_cells = {isinstance(x, np.ndarray) and not x.ndim for x in values}
        if not all(map(_is_array_or_number, values)) or len(are_cells) > 1:
            return "any", OPAQUE
        try:
            specs = [*map(spec_of, values)]
        except DtypeError:
            return "any", OPAQUE
        if len({(spec.dtype, spec.weak) for spec in specs}) > 1:
            return "any", OPAQUE
        joined = _join([*map(_open, specs)] if self._is_open else specs)
        return "cell" if are_cells == {True} else "x", joined


def _is_array_or_number(value: Any) -> bool:
    return type(value) is np.ndarray or type(value) in NUMBERS or isinstance(value, np.generic)


_WINDOWS = (np.nditer, np.flatiter, memoryview)
"""Classes of what writes the memory of other arrays, and is not seen to do so."""

MOST_PARTS = 16
"""A result that is a longer list is an object."""


def _join(specs: Sequence[TensorSpec]) -> TensorSpec:
    """Return the spec of all results, whose dtypes agree."""
    first = specs[0]
    shapes = [spec.shape or () for spec in specs]
    if len(set(map(len, shapes))) > 1:
        return make_spec(first.dtype, None)
    sizes = (row[0] if len(set(row)) == 1 else UNKNOWN for row in zip(*shapes, strict=True))
    return make_spec(first.dtype, tuple(sizes), first.weak)


def _open(spec: TensorSpec) -> TensorSpec:
    return make_spec(spec.dtype, spec.shape and (UNKNOWN,) * len(spec.shape), spec.weak)
