"""A decorator for sample functions: which calls of it are compared with plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
SAMPLES: list[Callable[..., Any]] = []


def calls(*arguments: tuple[Any, ...]) -> Callable[[F], F]:
    """Note a sample function with the tuples of arguments to call it with."""

    def note(function: F) -> F:
        function.calls = arguments  # type: ignore[attr-defined]  # read by the test only
        SAMPLES.append(function)
        return function

    return note
