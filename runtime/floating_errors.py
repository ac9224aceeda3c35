"""How NumPy reports floating point errors: `np.errstate`, and the filters of `warnings`.

Both are of the thread and of the time of a call. What a function sets around some of its operations
is a part of the graph: these stand in the region of a `switch` that says how they report, as

    errstate=(('divide', 'raise'),), filters=(('ignore', '', 'RuntimeWarning'),)

The kinds of errors that differ from what held when the trace began, and the filters that stand
before those of then. A trace that relies on what held then is guarded by it.
"""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, NamedTuple

import numpy as np

from runtime.errors import MutationError, StagedValueError

Settings = tuple[tuple[str, str], ...]
"""Kinds of errors, and what is done: `ignore`, `warn`, `raise`, `print`."""
Filters = tuple[tuple[str, str, str], ...]
"""Of warnings: what is done, a pattern of the message, the name of the class."""


class Reporting(NamedTuple):
    """How operations report, as attributes of the graph."""

    errstate: Settings = ()
    filters: Filters = ()

    def __str__(self) -> str:
        """Return what plans say: `quiet`, or the kinds of errors and the filters."""
        if self == QUIET:
            return "quiet"
        settings = [f"{kind}={x}" for kind, x in self.errstate]
        return f"reporting({', '.join([*settings, *map(repr, self.filters)])})"

    def active(self) -> AbstractContextManager[Any]:
        """Return a context in which it is so."""
        return _filtered(self) if self.filters else _errstate(self.errstate)

    @property
    def raises(self) -> bool:
        """Whether an operation may raise what else it warns of."""
        return any(x == "raise" for _, x in self.errstate) or any(
            action == "error" for action, *_ in self.filters
        )


QUIET = Reporting(tuple((kind, "ignore") for kind in ("divide", "over", "under", "invalid")))
USUAL = Reporting()


def _errstate(settings: Settings) -> AbstractContextManager[Any]:
    chosen: dict[str, Any] = dict(settings)
    return np.errstate(**chosen)


@contextmanager
def _filtered(reporting: Reporting) -> Iterator[None]:
    with _errstate(reporting.errstate), warnings.catch_warnings():
        for action, message, category in reversed(reporting.filters):
            chosen: Any = action
            warnings.filterwarnings(chosen, message, _class_of(category))
        yield


def _class_of(name: str) -> type[Warning]:
    found: type[Warning] = getattr(builtins, name, None) or getattr(np.exceptions, name)
    return found


def reporting_of(attrs: Mapping[str, Any]) -> Reporting:
    """Return how the regions of a node with some attributes report."""
    if attrs.get("quiet"):
        return QUIET
    return Reporting(attrs.get("errstate", ()), attrs.get("filters", ()))


def held_now() -> tuple[dict[str, str], list[Any]]:
    """Return what holds now: the settings of `np.errstate`, and the filters of warnings.

    Each call of a trace that relies on it asks, so the settings of the last object are kept.
    """
    now = _SETTINGS.get(None)
    known = _LAST[0]
    if known[0] is not now:
        known = (now, {str(kind): str(x) for kind, x in np.geterr().items()})
        _LAST[0] = known
    return known[1], _filters_now()


def _filters_now() -> list[Any]:
    """Return the filters but that which has all warnings of a trace shown: it has no pattern."""
    return [x for x in warnings.filters if x[1] is None or hasattr(x[1], "pattern")]


def _variable() -> ContextVar[Any]:
    with np.errstate():
        return next(x for x in copy_context() if x.name == "numpy.ufunc.extobj")


_SETTINGS = _variable()
"""What `np.errstate` sets: another object each time."""
_LAST: list[tuple[Any, dict[str, str]]] = [(_SETTINGS, {})]


def done_quietly(function: Callable[[], Any]) -> tuple[Any, bool]:
    """Return what a function gives, and whether it warned, which is shown to nobody.

    What warns while tracing is to warn whenever the graph runs.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function()
    return found, bool(caught)


def _shown() -> tuple[Any, Any]:
    """Return what is called to show or to record a warning."""
    return warnings.showwarning, vars(warnings)["_showwarnmsg_impl"]


class Reports:
    """What held when a graph was begun, and what has changed since.

    Attributes:
        held: what held then.
        is_relied_on: whether the graph means what it should only where that holds.
    """

    def __init__(self) -> None:
        self.held = held_now()
        self.is_relied_on = False
        self._begun = _SETTINGS.get(None)
        self._called = np.geterrcall()
        self._shown = _shown()
        self._printed = np.get_printoptions()

    def printing(self) -> dict[str, Any]:
        """Return the options of NumPy's texts of arrays that were set since, by their names."""
        now = np.get_printoptions()
        return {name: x for name, x in now.items() if x != self._printed.get(name)}

    @property
    def relied_on(self) -> Any:
        """What held at the beginning, if that is relied on; else None."""
        return self.held if self.is_relied_on else None

    @property
    def is_recorded(self) -> bool:
        """Whether the function itself has warnings recorded."""
        return _shown() != self._shown

    def now(self, name: str) -> Reporting:
        """Return how an operation of some name reports, if not as it was at the beginning.

        Raises:
            StagedValueError: it is told to Python code that was known while tracing only.
        """
        is_set = _SETTINGS.get(None) is not self._begun
        if not is_set and _filters_now() == self.held[1] and _shown() == self._shown:
            return USUAL
        self.is_relied_on = True
        return Reporting(self._settings(name), self._filters(name))

    def _settings(self, name: str) -> Settings:
        before, now = self.held[0], held_now()[0]
        changed = tuple((kind, x) for kind, x in now.items() if x != before[kind])
        is_other = np.geterrcall() is not self._called
        called = [
            k for k, x in now.items() if x in ("call", "log") and (is_other or (k, x) in changed)
        ]
        if called:
            settings = ", ".join(f"{kind}={now[kind]!r}" for kind in called)
            raise _refused(f"np.errstate({settings})", name)
        return changed

    def _filters(self, name: str) -> Filters:
        before, now = self.held[1], held_now()[1]
        if _shown() != self._shown:
            raise _refused("warnings.catch_warnings(record=True)", name)
        starts = (now[:k] for k in range(len(now) + 1))
        fitting = (x for x in starts if now[len(x) :] == [y for y in before if y not in x])
        first = next(fitting, None)
        if first is None or any(module is not None or line for *_, module, line in first):
            raise _refused("a filter of warnings that is not first, or asks for a line,", name)
        return tuple(
            (action, message.pattern if message is not None else "", kind.__name__)
            for action, message, kind, _, _ in first
            if _is_of_numpy(kind)
        )

    def errors(self) -> list[str]:
        """Return the names of the exceptions that are raised now for what is else warned of."""
        found = ["FloatingPointError"] if "raise" in held_now()[0].values() else []
        for action, message, kind, module, line in warnings.filters:
            if issubclass(RuntimeWarning, kind):
                found += ["RuntimeWarning"] * (action == "error")
                if message is module is None and not line:  # no filter behind it is asked
                    break
        return found

    def check_end(self) -> None:
        """Raise MutationError where the function leaves other settings than it found."""
        before: dict[str, Any] = self.held[0]
        if held_now()[0] != before:
            np.seterr(**before)
            raise MutationError(
                "np.seterr() was called while the function was traced, and its settings would not "
                "be those after later calls. Write `with np.errstate(...):` around what they are "
                "for, or call it outside of the staged function"
            )


def _is_of_numpy(kind: type[Warning]) -> bool:
    """Tell whether a filter for a class may concern what NumPy warns of."""
    return (
        vars(builtins).get(kind.__name__) is kind or vars(np.exceptions).get(kind.__name__) is kind
    )


def _refused(what: str, name: str) -> StagedValueError:
    return StagedValueError(
        f"{what} holds while the function is traced, and {name} computes later, when the graph "
        "runs. Put the `with` around the call of the staged function, or ask for what is wrong: "
        "if not np.isfinite(y).all(): raise ..."
    )
