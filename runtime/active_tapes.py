"""Who looks on while a program runs: the tapes of this thread.

Comes in: what eager ops did to arrays, and which variables are read and assigned. Goes out: that,
to each of the recorders. What they do with it is theirs (`runtime.autodiff.record`).
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


class Recorder(ABC):
    """Is told what happens to arrays and variables."""

    @abstractmethod
    def ran(
        self, op: Any, attrs: Mapping[str, Any], operands: Sequence[Any], results: Sequence[Any]
    ) -> None:
        """Take note of an op that ran on arrays."""

    @abstractmethod
    def follows(self, array: Any) -> bool:
        """Tell whether an array is watched, or follows one that is."""

    @abstractmethod
    def called(self, inputs: Sequence[Any], results: Sequence[Any], pull: Any) -> None:
        """Take note of what was done to arrays by something else than an op.

        Where there are no results nothing came of it that is recorded.
        """

    @abstractmethod
    def read(self, variable: Any, value: Any) -> bool:
        """Take note of a variable that is read as a tensor or symbol; tell whether it matters."""

    @abstractmethod
    def assigned(self, variable: Any, value: Any) -> Any:
        """Return what a variable holds that is assigned a symbol."""

    @abstractmethod
    def writes(self, array: Any) -> None:
        """Take note that an array will be written in place; MutationError if it is still needed."""


class _Recorders(threading.local):
    active: tuple[Recorder, ...] = ()


RECORDERS = _Recorders()
"""Those of this thread; the outermost is the first."""


def tell(
    op: Any, attrs: Mapping[str, Any], operands: Sequence[Any], results: Sequence[Any]
) -> None:
    """Tell all recorders of an op that ran on arrays.

    Args:
        op: which one, with its attributes.
        attrs: those.
        operands: arrays, which are known by identity: none of them may be the array of a result.
        results: tensors.
    """
    for one in results:
        if any(one.array is x for x in operands):
            one.array = np.array(one.array)
    for recorder in RECORDERS.active:
        recorder.ran(op, attrs, operands, [x.array for x in results])


def is_recording() -> bool:
    """Tell whether a tape looks on."""
    return bool(RECORDERS.active)
