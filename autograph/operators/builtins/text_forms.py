"""Texts made by a form (`%`, `format`, `join`), and methods of texts that take staged values."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any

from autograph.operators.builtins.overloads import MISSING
from autograph.operators.builtins.texts import (
    field,
    holds_staged,
    is_asked,
    repr_text,
    str_of,
    text,
)
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.ops.text_ops import METHODS as METHODS_OF_TEXTS
from runtime.text_methods import OTHERS, call_text


def percent(form: Any, values: Any) -> Any:
    """Return `form % values`: a text, or a StagedText where a value is staged.

    >>> percent("%.1f of %s", (1.25, "it"))
    '1.2 of it'
    """
    if not isinstance(form, str) or not is_asked(values):
        return form % values
    names = _names_in(form) if isinstance(values, Mapping) else []
    if names:  # of each item, then one after another
        form = _NAMED.sub(lambda found: found[0] if found[1] is None else "%", form)
        values = tuple(values[name] for name in names)
    given = iter(values if isinstance(values, tuple) else (values,))
    parts: list[Any] = []
    end = 0
    for found in _PERCENT.finditer(form):
        parts += [form[end : found.start()], _percent_part(found, given)]
        end = found.end()
    rest = next(given, None)
    if rest is not None:
        raise TypeError("not all arguments converted during string formatting")
    return text(*parts, form[end:])


_NAMED = re.compile(r"%%|%\(([^()]*)\)")
_PERCENT = re.compile(r"%([-+ 0#]*)(\d*)(?:\.(\d+))?([a-zA-Z%])")


def _names_in(form: str) -> list[str]:
    """Return the keys that a form has in parentheses."""
    return [found[1] for found in _NAMED.finditer(form) if found[1] is not None]


def _percent_part(found: re.Match[str], given: Iterator[Any]) -> Any:
    flags, width, precision, kind = found.groups()
    if kind == "%":
        return "%"
    value = next(given, MISSING)
    if value is MISSING:
        raise TypeError("not enough arguments for format string")
    if not (is_asked if kind in "sr" else holds_staged)(value):
        return found[0] % (value,)
    if kind in "sr" and not (flags or width or precision):
        return repr_text(value) if kind == "r" else str_of(value)
    if kind not in "dieEfFgG" or set(flags) - {"0", "+", " "}:
        raise StagedValueError(
            f"{found[0]!r} of a staged value is not supported; write an f-string, or one of "
            "%s, %r, %d, %f, %e, %g"
        )
    number = apply(REGISTRY["to_int"], [value]) if kind in "di" else value
    fraction = f".{precision}" if precision and kind not in "di" else ""
    return field(number, f"{flags}{width}{fraction}{'d' if kind in 'di' else kind}")


def format_text(form: str, *values: Any, **named: Any) -> Any:
    """Return `form.format(...)`: a text, or a StagedText where a value is staged.

    >>> format_text("{:.1f} of {name}", 1.25, name="it")
    '1.2 of it'
    """
    if not any(map(is_asked, (*values, *named.values()))):
        return form.format(*values, **named)
    formatter, numbers = string.Formatter(), count()
    parts: list[Any] = []
    for literal_text, name, spec, conversion in formatter.parse(form):
        parts.append(literal_text)
        if name is None:
            continue
        numbered = str(next(numbers)) + name if name[:1] in ("", ".", "[") else name
        value, _ = formatter.get_field(numbered, values, named)
        parts.append(field(value, spec or "", conversion or ""))
    return text(*parts)


def _of_text(name: str, text: str, *values: Any, **options: Any) -> Any:
    """Call a method of a `str` that is known, with values of which some may be staged."""
    if options or not any(map(holds_staged, values)):
        return getattr(text, name)(*values, **options)
    return call_text(name, text, *values)


METHODS: dict[str, Callable[..., Any]] = {
    **{name: partial(_of_text, name) for name in (*METHODS_OF_TEXTS, *OTHERS)},
    "format": format_text,
}
"""The methods of texts that take staged values, as functions of the text."""
