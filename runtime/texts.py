"""Texts that are made when the graph runs: a format, and the values that go into its places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from runtime import trees
from runtime.errors import StagedValueError
from runtime.ops.effects import literal


class StagedText:
    """A text that is made when the graph runs.

    Args:
        form: the text, with `{}`, `{!r}` or `{:.3f}` where a value goes, and braces doubled.
        values: what goes into the places.

    It can be printed, returned, the message of an error, and joined with `+`, `%`, `format()`,
    `join()` and f-strings; nothing else can be done with it.
    """

    __slots__ = ("form", "values")

    def __init__(self, form: str, values: Sequence[Any]) -> None:
        self.form = form
        self.values = tuple(values)

    def __add__(self, other: Any) -> Any:
        return joined([self, other]) if isinstance(other, str | StagedText) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return joined([other, self]) if isinstance(other, str) else NotImplemented

    def __repr__(self) -> str:
        return f"<staged text {self.form!r}>"

    def described(self) -> str:
        """Return the text with what stands for the values while tracing in their places.

        >>> StagedText("{:.1f} of {}", (1, 2)).described()
        '1 of 2'
        """
        return self.form.format(*map(_Described, self.values))

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


class _Described:
    """A value that is written as it is while tracing, however it is formatted."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        return repr(self._value)

    def __format__(self, form: str) -> str:
        return repr(self._value)


def joined(parts: Sequence[Any]) -> StagedText:
    """Return texts one after the other, of which some are staged."""
    forms = [x.form if type(x) is StagedText else literal(x) for x in parts]
    values = [value for x in parts if type(x) is StagedText for value in x.values]
    return StagedText("".join(forms), tuple(values))


trees.register_tree(StagedText, lambda text: (text.values, text.form), StagedText)
