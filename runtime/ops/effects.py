"""Ops with effects: what they do besides their result keeps its order and is never dropped."""

from __future__ import annotations

import builtins
import re
import sys
from typing import Any

from runtime.errors import DtypeError
from runtime.graph.opdef import op
from runtime.ops.rules import need_scalar
from runtime.spec import TensorSpec

EXCEPTIONS = frozenset(
    [
        "ArithmeticError",
        "AssertionError",
        "AttributeError",
        "BufferError",
        "EOFError",
        "Exception",
        "FloatingPointError",
        "IndexError",
        "KeyError",
        "LookupError",
        "NameError",
        "NotImplementedError",
        "OSError",
        "OverflowError",
        "RuntimeError",
        "StopIteration",
        "TypeError",
        "UnboundLocalError",
        "UnicodeError",
        "ValueError",
        "ZeroDivisionError",
    ]
)
"""The names of the exceptions that a check may raise."""

_PLACES = re.compile(r"\{\{|\}\}|\{\}")


def fill_text(text: str, values: tuple[Any, ...]) -> str:
    """Return a text with the values, as Python prints them, in the places of `{}`.

    >>> fill_text("{{x}} = {}", (1.5,))
    '{x} = 1.5'
    """
    given = iter(values)
    return _PLACES.sub(
        lambda found: str(_on_host(next(given))) if found[0] == "{}" else found[0][0], text
    )


def _on_host(x: Any) -> Any:
    """Return a NumPy array of an array of any module."""
    return x.get() if hasattr(x, "get") else x


def _print_kernel(xp: Any, *values: Any, format: str) -> tuple[Any, ...]:
    sys.stdout.write(fill_text(format, values))
    return ()


print_ = op(
    "print(*values, format)",
    doc="Write a text to the standard output, with the values in the places of `{}`.",
    spec=lambda *values, format: (),
    kernel=_print_kernel,
    samples=None,
    effect="output",
    multiple=True,
)


def _check_spec(
    test: TensorSpec, *values: TensorSpec, error: str, message: str
) -> tuple[TensorSpec, ...]:
    need_scalar(test, "what is checked")
    if error not in EXCEPTIONS:
        names = ", ".join(sorted(EXCEPTIONS))
        raise DtypeError(f"a check cannot raise {error}; it can raise {names}")
    return ()


def _check_kernel(xp: Any, test: Any, *values: Any, error: str, message: str) -> tuple[Any, ...]:
    if not test:
        kind = getattr(builtins, error)
        raise kind(fill_text(message, values)) if message else kind()
    return ()


check = op(
    "check(test, *values, error='AssertionError', message='')",
    doc="Raise the named exception, with a text made of message and values, unless `test` is true.",
    spec=_check_spec,
    kernel=_check_kernel,
    samples=None,
    effect="check",
    multiple=True,
)
