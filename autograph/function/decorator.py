"""`function`: a Python function, staged."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from autograph.errors import UnsupportedSyntaxError
from autograph.function.polymorphic import Function
from autograph.source.load import place_of, unwrap
from runtime.lower.tracebacks import pruned


@pruned
def function(
    func: Callable[..., Any] | None = None,
    *,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    backend: str | None = None,
    strict: bool = False,
    reduce_retracing: bool | None = None,
    fast: bool = False,
    donate: str | Sequence[str] = (),
) -> Any:
    """Stage a function: its loops and branches over arrays become a graph that runs without Python.

    Args:
        func: the function; without it, a decorator is returned.
        input_signature: one `TensorSpec` (or a structure of them) for each argument: arguments are
            converted to it, and there is a single trace.
        autograph: whether control flow is rewritten; if not, it is only traced.
        backend: `"native"`, `"numpy"` (no machine code) or `"cupy"`; by default what the arguments
            belong to, and `"native"` for NumPy's arrays.
        strict: whether what TensorFlow refuses is refused.
        reduce_retracing: whether a trace serves other sizes and numbers of Python, too: True from
            the second trace on that differs only in them, False never, by default from the fifth.
        fast: whether machine code may differ from NumPy in the last digits, for speed, and reports
            no floating point errors (docs/decisions/0028 has the bounds); if not, not in one bit.
        donate: names of arguments that callers give away: they may be written, and be results.

    Raises:
        ConversionError: the function cannot be staged: a generator, or one without source.
        SignatureError: `donate` names no parameter.

    >>> import numpy as np
    >>> @function
    ... def halve_until_small(x):
    ...     while np.sum(x) > 1.0:
    ...         x = x / 2
    ...     return x
    >>> halve_until_small(np.array([2.0, 2.0]))
    array([0.5, 0.5])
    """
    options: dict[str, Any] = {
        "input_signature": input_signature,
        "autograph": autograph,
        "backend": "fast" if fast and backend in (None, "native") else backend,
        "strict": strict,
        "reduce_retracing": reduce_retracing,
        "donate": donate,
    }
    if func is None:
        return partial(function, **options)
    if isinstance(func, classmethod | staticmethod):
        return type(func)(function(func.__func__, **options))
    if isinstance(func, Function):
        func = func.python_function
    if not callable(func):
        raise TypeError(f"autograph.function takes a function, not {func!r}")
    made = Function(func, **options)
    if autograph and (inspect.isgeneratorfunction(func) or _is_async(func)):
        raise _not_stageable(func)
    return made


def _is_async(func: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(func) or inspect.isasyncgenfunction(func)


def _not_stageable(func: Callable[..., Any]) -> UnsupportedSyntaxError:
    kind = "an async function" if _is_async(func) else "a generator"
    inner = unwrap(func)
    name = getattr(inner, "__qualname__", repr(inner))
    return UnsupportedSyntaxError(
        f"{name} is {kind}, which has no graph: its caller runs between its steps.",
        place=place_of(inner),
        hint="Stage the functions that it calls.",
    )
