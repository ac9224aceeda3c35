"""Comparing programs of NumPy's users, plain and staged, in all that a caller can see.

Comes in: the text of a program. Goes out: "same", "refused: why", or how two calls differ: in
results, their classes and dtypes, what arguments hold (after an error, too), warnings, exceptions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import autograph as ag
from tests.numpy_surface.judging import same
from tests.random_programs.comparing import compiled, is_refusal
from tests.random_programs.limits import SAME, TOO_LONG, TimeLimitError, time_limit

Seen = tuple[Any, Any, list[Any], set[str]]


def compare_numpy(
    text: str, name: str, arguments: Callable[[int], Sequence[Any]], calls: Sequence[int]
) -> str:
    """Return the finding about a program that is called with some arguments, one after another."""
    plain = compiled(text, name)
    staged = ag.function(plain)
    found = SAME
    try:
        with time_limit(30.0):
            for call in calls:
                other = _difference(_seen(plain, arguments(call)), _seen(staged, arguments(call)))
                if other != SAME and not other.startswith("refused"):
                    return f"call {call}: {other}"
                found = found if other == SAME else other
    except TimeLimitError:
        return TOO_LONG
    return found


def _seen(function: Any, given: Sequence[Any]) -> Seen:
    """Return the result, the error, the arguments afterwards, and the warnings, each once."""
    found, error = None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("error", ag.FallbackWarning)  # it is refused
        try:
            found = function(*given)
        except Exception as raised:
            error = raised
    return found, error, list(given), {f"{w.category.__name__}: {w.message}" for w in caught}


def _difference(plain: Seen, staged: Seen) -> str:
    wanted, error = plain[1], staged[1]
    is_alike = wanted is not None and error is not None and _alike(wanted, error)
    if error is not None and is_refusal(error) and not is_alike:
        return f"refused: {error}"
    if (wanted is not None or error is not None) and not is_alike:
        return f"{error!r} for {wanted!r}"
    if wanted is None and not same(plain[0], staged[0]):
        return f"{staged[0]!r} for {plain[0]!r}"
    if not same(plain[2], staged[2]):
        if wanted is not None:  # known: a trace that raises has written nothing yet
            return f"refused: loses what was written before {error!r}"
        return f"arguments {staged[2]!r} for {plain[2]!r}"
    # Decision 52: values that nobody uses, as all are of a call that raises, need not warn.
    warns_alike = staged[3] <= plain[3] if wanted is not None else staged[3] == plain[3]
    return SAME if warns_alike else f"warnings {staged[3]} for {plain[3]}"


def _alike(wanted: Exception, error: Exception) -> bool:
    """Tell whether what catches one of Python's own exceptions catches both."""
    kinds = (x for x in type(wanted).__mro__[:-3] if x.__module__ == "builtins")
    return any(isinstance(error, kind) for kind in kinds)
