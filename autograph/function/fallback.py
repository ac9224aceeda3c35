"""Calls that run as plain Python, because no trace serves them.

That is so where staging was refused, and where each call is traced for itself alone, as the
function changes a dict outside, say. Then to trace costs more than to run, unless the function runs
long: both are measured. Whether traces serve is tried again after 1, 2, 4, ... calls, as what a
program changes may settle.

And it is so where tracing takes long: no longer than a function has run as plain Python is spent on
that, but for some seconds. So both together take at most a few times what the better one takes.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from autograph.errors import FallbackWarning
from autograph.function.eager import SWITCH
from autograph.logs import LOGGER
from autograph.source.load import unwrap
from autograph.staging.deferred_errors import names_placeholders
from autograph.staging.inexact_errors import is_of_wrong_use, note_what_staging_says
from runtime import default_graph
from runtime.active_tapes import RECORDERS
from runtime.errors import MutationError, StagedValueError
from runtime.tensor import LOCKED

if TYPE_CHECKING:
    from autograph.function.polymorphic import Function
    from autograph.function.traced import Trace

ENOUGH = 16
"""So many calls in a row get a trace each before one runs as plain Python."""
FOR_ONE_CALL = 8
"""For how many of these a trace counts that can serve no other call."""
TRIED = 2
"""After how many such calls at a time plain Python may be found to be the slower way."""
TOLD_AT = 2
"""The how many-th of these is told of; the first one may be the last."""
PATIENCE = 5.0
"""So many seconds of the processor's are spent on tracing a function that has not run yet."""
IDLE = 0.1
"""The part of them for what has staged nothing by then."""

TRACED_FOR: ContextVar[Fallback | None] = ContextVar("TRACED_FOR", default=None)
"""What may make the call that is traced for."""


class Undone(Exception):  # noqa: N818 (no error: the call is made in another way)
    """A run raised, and what its trace had changed is undone.

    Args:
        tries: what that trace tried.
    """

    def __init__(self, tries: Set[Any] = frozenset()) -> None:
        super().__init__()
        self.tries = tries


class NotRun(Undone):
    """There is no run on these arguments, as on a read-only array that it would write."""


def check_serves(trace: Trace, arguments: Sequence[Any]) -> None:
    """Raise NotRun before a run that would write a read-only argument, Undone where it doubts."""
    if trace.signature.is_locked(arguments) and trace.gives_way():
        raise NotRun from ValueError(LOCKED)
    if trace.doubts():
        raise Undone(trace.tries) from trace.error


class Fallback:
    """When calls of a function run as plain Python.

    Args:
        function: the staged function.
        is_off: whether none does.

    Attributes:
        function: that function.
        is_off: likewise.
        patience: for how many seconds of the processor's a call is traced.
    """

    def __init__(self, function: Function, is_off: bool) -> None:
        self.function, self.is_off = function, is_off
        self._wasted, self._changed, self._enough = 0, 0, float(ENOUGH)
        self._at = self._left = self._pause = 0
        self._staged = self._plain = inf
        self.patience, self._ran, self._until = PATIENCE, 0.0, 0.0
        self._is_warned = False

    def traced(self, changed: Sequence[str]) -> None:
        """Note that a call was traced, for itself alone if the trace has changed something."""
        self._wasted += FOR_ONE_CALL if changed else 1
        self._changed += bool(changed)
        if changed and self._changed == TOLD_AT:
            LOGGER.warning(
                "%s changes %s, which no graph does: each call is traced anew, or runs as plain "
                "Python. Return what is new, keep it in an ag.Variable, or give it as an argument, "
                "in a list, dict or dataclass",
                *(self.function._signature.name, changed[0]),
            )

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function where no guard of a trace fits."""
        if self.is_off or RECORDERS.active or default_graph.current() is not None:
            return self.function._lifting.call(*args, **kwargs)
        calls, before = self.function._history.calls, self._at
        self._at = calls
        if self._left > 0 or self._ran < self._until:
            return self._run(args, kwargs)
        wasted = self._wasted = self._wasted if calls - before <= 1 else 0
        start = time.perf_counter()
        try:
            found = self.function._lifting.call(*args, **kwargs)
        except Exception as error:
            if not vars(error).pop("is_undone", False):
                raise
            if is_of_wrong_use(error) and not names_placeholders(error):
                return self._call_instead(self.function, error, *args, **kwargs)
            if not self._is_told(f"as it cannot be staged. {type(error).__name__}: {error}"):
                raise
        else:
            if self._wasted == wasted:
                self._wasted = self._pause = 0
            elif self._wasted >= self._enough:
                self._wait(time.perf_counter() - start)
            return found
        self._wait(inf)
        return self._run(args, kwargs)

    def take(self, function: Function, undone: Undone) -> Callable[..., Any]:
        """Return what makes a call whose run was undone; raise if that is another function.

        What a run refuses may be no matter in a trace that unrolls what this one has rolled.
        """
        refusal = undone.__cause__
        if isinstance(refusal, StagedValueError) and function._tracer.unrolls(undone.tries):
            function._cache.clear()
            return function._missed
        if self.function != function:
            raise undone
        if self.is_off and refusal is not None:
            raise refusal from None
        if isinstance(refusal, StagedValueError | MutationError) and not self._is_told_of(refusal):
            raise refusal from None
        if isinstance(undone, NotRun):
            return function._call_eagerly
        return partial(self._call_instead, function, refusal)

    def _is_told_of(self, error: BaseException) -> bool:
        return self._is_told(f"where {type(error).__name__} is raised: {error}")

    def _call_instead(self, function: Function, ours: Any, *args: Any, **kwargs: Any) -> Any:
        """Make a call by plain Python, which says better what is wrong, or finds it right."""
        try:
            found = function._call_eagerly(*args, **kwargs)
        except Exception as error:
            note_what_staging_says(error, ours)
            raise
        if not self._is_told_of(ours):
            raise ours
        return found

    def _wait(self, seconds: float) -> None:
        """Have the next calls run as plain Python; one that was traced took some seconds."""
        self._left = self._pause = 2 * self._pause or 1
        self._staged = seconds

    @contextmanager
    def tracing(self, is_call: bool) -> Iterator[None]:
        """Trace, for a call or for something else."""
        token = TRACED_FOR.set(self if is_call else None)
        try:
            yield
        finally:
            TRACED_FOR.reset(token)

    def gives_up(self, reason: str) -> bool:
        """Tell whether a call runs as plain Python, for the reason given; warn of it."""
        if self.is_off or RECORDERS.active or SWITCH.seen is not None:
            return False
        if not self._is_told(f"for now: {reason}"):
            return False
        self._until = 2 * self.patience
        return True

    def runs_first(self, reason: str) -> bool:
        """Tell whether calls run as plain Python until they have taken long; warn of it."""
        return not self._until and self.gives_up(reason)

    def _run(self, args: Any, kwargs: Any) -> Any:
        self._left -= 1
        start = time.perf_counter()
        found = self.function._call_eagerly(*args, **kwargs)
        seconds = time.perf_counter() - start
        self._plain = min(self._plain, seconds)
        self._ran += seconds
        self.patience = max(PATIENCE, self._ran)
        if self._plain > self._staged and self._pause > TRIED:
            self._left, self._enough = 0, inf
        return found

    def _is_told(self, reason: str) -> bool:
        """Warn that a function is not staged, and why; tell whether it may run as plain Python.

        Where warnings are errors it may not.
        """
        if self._is_warned:
            return True
        text = f"{self.function._signature.name} runs as plain Python, {reason}"
        code = getattr(unwrap(self.function.python_function), "__code__", None)
        place = ("<unknown>", 0) if code is None else (code.co_filename, code.co_firstlineno)
        try:
            warnings.warn_explicit(text, FallbackWarning, *place)
        except FallbackWarning:
            return False
        self._is_warned = True
        return True
