"""What a staged call of NumPy is against the plain one: equal, refused, or a mistake of ours.

Comes in: the text of a call. Goes out: "equal", "refused: why", or "wrong", "frozen" or "poor"
with what was found. The staged function is called twice, with other values of the same types; an
answer of the first call that comes again, though plain NumPy gives another, is frozen.
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import autograph as ag
from runtime.errors import LeakedSymbolError, RuntimeGraphError
from tests.numpy_surface.surface import values

EQUAL = "equal"


@dataclass
class Outcome:
    """What a call did.

    Attributes:
        result: what it returned.
        error: what it raised.
        arguments: what those hold afterwards.
        warned: its warnings, each once: equal computations may be made once.
    """

    result: Any = None
    error: Exception | None = None
    arguments: Any = None
    warned: list[str] = field(default_factory=list)


def judge(text: str, form: str = "{call}") -> str:
    """Return the verdict about a call in one of the forms."""
    plain = compiled(form.format(call=text), f"{text} in {form}")
    staged = ag.function(plain)
    found = []
    for shift in (0, 1):
        expected, actual = _outcome(plain, shift), _outcome(staged, shift)
        verdict = _verdict(expected, actual)
        if verdict.startswith("wrong") and found and same(found[0][1].result, actual.result):
            verdict = verdict.replace("wrong", "frozen", 1)
        if verdict != EQUAL:
            return verdict
        found.append((expected, actual))
    return EQUAL


def compiled(text: str, name: str) -> Any:
    """Return the function of the values whose result an expression is."""
    file = f"<call of NumPy: {name}>"
    source = f"def f({', '.join(values(0))}, out):\n    return {text}\n"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space: dict[str, Any] = {"np": np, "__name__": "numpy_calls"}
    exec(compile(source, file, "exec"), space)
    return space["f"]


def _outcome(function: Any, shift: int) -> Outcome:
    np.random.seed(shift)
    arguments = {**values(shift), "out": np.zeros(5)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = Outcome(result=function(**arguments))
        except Exception as error:
            found = Outcome(error=error)
    found.arguments = arguments
    found.warned = sorted({f"{w.category.__name__}: {w.message}" for w in caught})
    return found


def _verdict(expected: Outcome, actual: Outcome) -> str:
    error, wanted = actual.error, expected.error
    if error is not None and wanted is None:
        if not isinstance(error, RuntimeGraphError) or isinstance(error, LeakedSymbolError):
            return f"poor: {type(error).__name__}: {error}"
        is_named = "line 2" in str(error) or "<call of NumPy" in str(_places(error))
        return f"{'refused' if is_named else 'poor'}: {error}"
    if wanted is not None:
        if error is None:
            return f"wrong: does not raise {wanted!r}"
        is_same = isinstance(error, type(wanted)) or isinstance(wanted, type(error))
        return EQUAL if is_same else f"wrong: raises {error!r} for {wanted!r}"
    if not same(expected.result, actual.result):
        return f"wrong: {actual.result!r} for {expected.result!r}"
    if not same(expected.arguments, actual.arguments):
        return f"wrong: writes {actual.arguments!r} for {expected.arguments!r}"
    if expected.warned != actual.warned:
        return f"wrong: warns {actual.warned} for {expected.warned}"
    return EQUAL


def _places(error: BaseException) -> list[str]:
    found, trace = [], error.__traceback__
    while trace is not None:
        found.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    return found


def same(x: Any, y: Any) -> bool:
    """Tell whether two results are equal: classes, dtypes, shapes, and all bits but NaN's."""
    if type(x) is not type(y):
        return False
    if isinstance(x, dict):
        return x.keys() == y.keys() and all(same(x[k], y[k]) for k in x)
    if isinstance(x, Iterator):
        return same(list(x), list(y))
    if isinstance(x, list | tuple):
        return len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, np.ndarray | np.generic | float | complex):
        a, b = np.asarray(x), np.asarray(y)
        return (
            a.dtype == b.dtype
            and a.shape == b.shape
            and a.tolist().__repr__() == b.tolist().__repr__()
        )
    return bool(x == y)
