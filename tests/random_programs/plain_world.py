"""What plain random programs find in their module: managers, errors, classes, a log of events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial, reduce
from itertools import chain, islice
from types import SimpleNamespace
from typing import Any
from warnings import warn

MOST_EVENTS = 150
LARGEST = 10**6


class TooLongError(BaseException):
    """A program makes more events than anybody wants to compare."""


class Log:
    """The events of one run: programs call it as `t(key, value)`, which returns the value."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def __call__(self, key: object, value: Any = None) -> Any:
        if len(self.events) >= MOST_EVENTS:
            raise TooLongError
        self.events.append(f"{key}: {text(value)}")
        return value % 97 if isinstance(value, int) and abs(value) > LARGEST else value


def text(value: Any) -> str:
    """Return what a log or a result says of a value: nothing that differs between two runs."""
    if isinstance(value, bool | int | float | str | None):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(map(text, value))})"
    if isinstance(value, dict):
        return f"dict({', '.join(f'{text(k)}={text(v)}' for k, v in value.items())})"
    if isinstance(value, BaseException):
        return error_text(value)
    if isinstance(value, SimpleNamespace | Point):
        return f"{type(value).__name__}({text(vars(value))})"
    return type(value).__name__


def error_text(error: BaseException | None, depth: int = 0) -> str:
    """Return what an error says, with its cause and its context."""
    if error is None or depth > 6:
        return "-"
    cause = error_text(error.__cause__, depth + 1)
    context = "" if error.__suppress_context__ else error_text(error.__context__, depth + 1)
    notes = [text(note) for note in getattr(error, "__notes__", [])]
    inner = [error_text(one, depth + 1) for one in getattr(error, "exceptions", ())]
    arguments = ", ".join(map(text, error.args))
    return f"{type(error).__name__}({arguments}){notes or ''}{inner or ''}<{cause}|{context}>"


class Oops(Exception):
    """An error of the programs' own."""


class Point:
    """An object that patterns can take apart."""

    __match_args__ = ("x", "y")

    def __init__(self, x: Any, y: Any = 0) -> None:
        self.x = x
        self.y = y


class K:
    """Constants, for patterns with a dot."""

    ONE = 1
    TWO = 2


class Manager:
    """A context manager that logs, and swallows errors of one class."""

    def __init__(self, log: Log, key: int, swallows: Any = ()) -> None:
        self.log = log
        self.key = key
        self.swallows = swallows

    def __enter__(self) -> Manager:
        self.log(f"enter {self.key}")
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> bool:
        self.log(f"exit {self.key}", error)
        return kind is not None and issubclass(kind, self.swallows)


class Failing(Manager):
    """A context manager that raises on the way out, after every second event, or in."""

    def __enter__(self) -> Manager:
        self.log(f"try to enter {self.key}")
        if len(self.log.events) % 7 == 0:
            raise Oops("enter", self.key)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> bool:
        self.log(f"fail to exit {self.key}", error)
        if len(self.log.events) % 2:
            raise Oops("exit", self.key)
        return False


@contextmanager
def quiet(log: Log, key: int, value: Any = None) -> Iterator[Any]:
    """Log both ends; give a value."""
    log(f"in {key}")
    try:
        yield value
    finally:
        log(f"out {key}")


def apply(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Call a function."""
    return function(*arguments, **keywords)


def twice(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function: its result is doubled where that is small."""

    def doubled(*arguments: Any, **keywords: Any) -> Any:
        found = function(*arguments, **keywords)
        return found * 2 if isinstance(found, int) and abs(found) < LARGEST else found

    return doubled


def same(value: Any) -> Callable[[Any], Any]:
    """Return a decorator that changes nothing."""
    return lambda function: function


NAMES: dict[str, Any] = {
    "K": K,
    "Failing": Failing,
    "Manager": Manager,
    "Oops": Oops,
    "Point": Point,
    "SimpleNamespace": SimpleNamespace,
    "TooLongError": TooLongError,
    "apply": apply,
    "chain": chain,
    "contextmanager": contextmanager,
    "islice": islice,
    "partial": partial,
    "quiet": quiet,
    "reduce": reduce,
    "same": same,
    "suppress": suppress,
    "twice": twice,
    "warn": warn,
}
"""The variables of a program's module; `t`, the log, and `G`, an integer, come for each run."""
