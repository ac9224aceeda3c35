"""Texts with staged values in them: `print`, `str`, `repr`, `format`, and the parts of f-strings.

A text that depends on staged values is a `StagedText`: a format, and the values that go into its
places when the graph runs. `print` writes it then, as Python writes the values.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from autograph.operators.choices import each
from autograph.operators.overloads import MISSING, given, of_symbol
from runtime.choice import Choice
from runtime.control.choosing import with_each
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.ops.effects import literal
from runtime.tensor import Symbol


class StagedText:
    """A text that is made when the graph runs.

    Args:
        form: the text, with `{}`, `{!r}` or `{:.3f}` where a value goes, and braces doubled.
        values: what goes into the places.

    It can be printed and joined with `+` and f-strings; nothing else can be done with it.
    """

    __slots__ = ("form", "values")

    def __init__(self, form: str, values: tuple[Any, ...]) -> None:
        self.form = form
        self.values = values

    def __add__(self, other: Any) -> Any:
        return _joined([self, other]) if isinstance(other, str | StagedText) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return _joined([other, self]) if isinstance(other, str) else NotImplemented

    def __repr__(self) -> str:
        return f"<staged text {self.form!r}>"

    def _refuse(self, *others: Any) -> NoReturn:
        raise StagedValueError(
            f"the text {self.form!r} has staged values in it, so it is known only when the graph "
            "runs. print() can write it; to compute with a text, do it outside of the staged "
            "function"
        )

    __str__ = __bool__ = __len__ = __iter__ = __getitem__ = __contains__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _refuse
    __mul__ = __rmul__ = __mod__ = _refuse

    def __format__(self, form: str) -> str:
        self._refuse()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()


def holds_staged(value: Any) -> bool:
    """Tell whether the text of a value is known only when the graph runs."""
    kind = type(value)
    if kind is list or kind is tuple:
        return any(map(holds_staged, value))
    if kind is dict:
        return any(map(holds_staged, value.values()))
    return kind is Symbol or kind is StagedText


def _joined(parts: list[Any]) -> StagedText:
    forms = [x.form if type(x) is StagedText else literal(x) for x in parts]
    values = [value for x in parts if type(x) is StagedText for value in x.values]
    return StagedText("".join(forms), tuple(values))


def _separated(parts: list[Any], separator: str) -> list[Any]:
    spread = [piece for part in parts for piece in (separator, part)]
    return spread[1:]


def _repr(value: Any) -> Any:
    """Return the text that `repr` makes of a value: a str, or a StagedText."""
    if not holds_staged(value):
        return repr(value)
    if type(value) is Symbol:
        return StagedText("{!r}", (value,))
    if type(value) is dict:
        items = [_joined([repr(key), ": ", _repr(x)]) for key, x in value.items()]
        return _joined(["{", *_separated(items, ", "), "}"])
    if type(value) is StagedText:
        value._refuse()
    items = _separated([_repr(x) for x in value], ", ")
    if type(value) is list:
        return _joined(["[", *items, "]"])
    return _joined(["(", *items, ",)" if len(value) == 1 else ")"])


def _str(value: Any) -> Any:
    if type(value) is Symbol:
        return StagedText("{}", (value,))
    if type(value) is StagedText:
        return value
    return _repr(value) if holds_staged(value) else str(value)


def field(value: Any, form: Any = "", conversion: str = "") -> Any:
    """Return what `{value!conversion:form}` writes in an f-string: a str, or a StagedText.

    >>> field(1.5, ".2f")
    '1.50'
    """
    if type(value) is Choice or type(form) is Choice:
        return with_each(field, (value, form, conversion), {}, each)
    if not holds_staged(value) and type(form) is str:
        made = {"": value, "s": str, "r": repr, "a": ascii}[conversion]
        return format(made(value) if conversion else value, form)
    if type(form) is not str or "{" in form or "}" in form:
        raise StagedValueError(
            "the format of a staged value is itself staged; write the width and the "
            "precision as numbers"
        )
    if type(value) is Symbol:
        mark = f"!{conversion}" if conversion else ""
        return StagedText(f"{{{mark}{':' if form else ''}{form}}}", (value,))
    if form:
        raise TypeError(f"unsupported format string passed to {type(value).__name__}.__format__")
    return _repr(value) if conversion == "r" else _str(value)


def text(*parts: Any) -> Any:
    """Return an f-string: its constant parts and its fields, joined.

    >>> text("x = ", field(1.5), "!")
    'x = 1.5!'
    """
    if Choice in map(type, parts):
        return with_each(text, parts, {}, each)
    return _joined(list(parts)) if StagedText in map(type, parts) else "".join(parts)


def print_(*values: Any, **options: Any) -> None:
    """`print(...)`: printed when the graph runs if anything in it is staged."""
    if not any(map(holds_staged, values)):
        print(*values, **options)  # noqa: T201  (it stands for print)
        return
    stream = _stream(options.get("file"))
    print(**{**options, "file": io.StringIO()})  # noqa: T201  (for Python's own errors)
    separator, end = options.get("sep"), options.get("end")
    parts = _separated([_str(x) for x in values], " " if separator is None else separator)
    whole = _joined([*parts, "\n" if end is None else end])
    flush = bool(options.get("flush", False))
    apply(REGISTRY["print"], whole.values, format=whole.form, stream=stream, flush=flush)


def _stream(file: Any) -> str:
    """Return the name in `sys` of a file that a graph can print to."""
    if file is None or file is sys.stdout:
        return "stdout"
    if file is sys.stderr:
        return "stderr"
    raise TypeError(
        "print() of staged values writes to sys.stdout or sys.stderr; it takes no other file=. "
        "Return the values, and print them outside of the staged function"
    )


def _overload(builtin: Callable[..., Any], staged: Callable[..., Any]) -> Callable[..., Any]:
    def overload(value: Any = MISSING, /, *rest: Any, **options: Any) -> Any:
        if value is MISSING or rest or options:
            return builtin(*given(value), *rest, **options)
        return staged(value) if holds_staged(value) else builtin(value)

    return overload


str_ = _overload(str, _str)
repr_ = _overload(repr, _repr)
format_ = of_symbol(format, field)
