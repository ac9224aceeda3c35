"""What a function is given and finds outside of itself, so that each run has its own.

In: a function and its arguments. Out: deep copies of the arguments and of the variables that it and
the functions that it calls can reach: globals, and variables of functions around them. While a run
lasts, the copies stand in the place of the originals, and the random numbers begin where they did.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from autograph.operators.mutation.callee_writes import slots_of
from autograph.operators.mutation.journal import Slot
from autograph.operators.mutation.reachable_objects import Reached
from autograph.source.load import unwrap
from autograph.staging.region import UNDEFINED


@dataclass
class World:
    """What one side of a comparison sees.

    Attributes:
        receiver: the object that a method is bound to, or None.
        args, kwargs: the arguments.
        outside: the values of the variables outside.
    """

    receiver: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outside: list[Any]


class Outside:
    """The variables outside of a function that it can reach, and the state of random numbers."""

    def __init__(self, function: FunctionType) -> None:
        slots: dict[Any, Slot] = {}
        functions = [function]
        for one in functions:  # it grows
            found = slots_of([Reached("", one)])
            slots.update((slot.variable.key, slot) for slot in found)
            values = (unwrap(slot.before) for slot in found if callable(slot.before))
            functions += [x for x in values if isinstance(x, FunctionType) and x not in functions]
        chosen = [slot for slot in slots.values() if not _is_fixed(slot.before)]
        self.names = [slot.name for slot in chosen]
        self._variables = [slot.variable for slot in chosen]
        self._before = [slot.before for slot in chosen]
        self._random = _random_state()

    def world(self, receiver: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> World:
        """Return a world of copies; what is one object in several places stays one."""
        memo: dict[int, Any] = {}
        parts = [receiver, *args, *kwargs.values(), *self._before]
        made = [_deep_copy(part, memo) for part in parts]
        count = 1 + len(args)
        named = dict(zip(kwargs, made[count:], strict=False))
        return World(made[0], tuple(made[1:count]), named, made[count + len(kwargs) :])

    @contextmanager
    def inhabited(self, world: World) -> Iterator[None]:
        """Let the variables hold what they hold in a world, for a `with` block."""
        state = _random_state()
        self._write(world.outside)
        _set_random_state(self._random)
        try:
            yield
        finally:
            world.outside = [variable.read() for variable in self._variables]
            self._write(self._before)
            _set_random_state(state)

    def _write(self, values: Sequence[Any]) -> None:
        for variable, value in zip(self._variables, values, strict=True):
            variable.write(value)


def _is_fixed(value: Any) -> bool:
    """Tell whether a variable holds code, which is one for both sides."""
    return isinstance(value, ModuleType | type | FunctionType) or callable(value)


def _deep_copy(value: Any, memo: dict[int, Any]) -> Any:
    """Return a deep copy; the value itself where there is none, of a lock, say."""
    if value is UNDEFINED:
        return value
    if isinstance(value, np.ndarray) and value.dtype != object:
        return _array_copy(value, memo)
    try:
        return copy.deepcopy(value, memo)
    except Exception:  # whatever the class of the user's says
        return value


def _array_copy(array: Any, memo: dict[int, Any]) -> Any:
    """Return a copy of an array that shares memory with the copies of the same memory."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    if base is array or type(base) is not np.ndarray or not base.flags.c_contiguous:
        return copy.deepcopy(array, memo)
    offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    whole = copy.deepcopy(base, memo)
    return np.ndarray(array.shape, array.dtype, whole, offset, array.strides)


def _random_state() -> tuple[Any, Any]:
    return random.getstate(), np.random.get_state()


def _set_random_state(state: tuple[Any, Any]) -> None:
    random.setstate(state[0])
    np.random.set_state(state[1])
