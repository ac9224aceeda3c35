"""Texts that are made when the graph runs: a format, and the values that go into its places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from runtime.errors import StagedValueError
from runtime.ops.effects import literal
from runtime.spec import TensorSpec
from runtime.tensor import Readable, Symbol
from runtime.tree_classes import register_tree
from runtime.union import is_numeric, leaf_spec


class StagedText(Readable):
    """A text that is made when the graph runs.

    Args:
        form: the text, with `{}`, `{!r}` or `{:.3f}` where a value goes, and braces doubled.
        values: what goes into the places.

    `runtime.text_methods` gives it the operators and methods of `str`.
    """

    __slots__ = ("form", "values")
    __array_ufunc__ = None

    def __init__(self, form: str, values: Sequence[Any]) -> None:
        self.form = form
        self.values = tuple(values)
        arrays = [x for x in self.values if type(x) is Symbol and x.spec.shape != ()]
        if arrays and arrays[0].builder.reports.printing():
            raise StagedValueError(
                "a text of a staged array is made with the print options of the call; write "
                "np.array2string(x, precision=2), or np.array_str(x), which knows those set here"
            )

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
            "runs, and code that was not converted asks for its characters. Compute with it in the "
            "staged function, by operators and the methods of str"
        )

    __str__ = __bool__ = __len__ = __iter__ = __hash__ = __int__ = __float__ = __index__ = _refuse

    def __format__(self, form: str) -> str:
        self._refuse()


class _Described:
    """A value that is written as it is while tracing, however it is formatted."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        return repr(self._value)

    def __format__(self, form: str) -> str:
        return str(self._value)


def joined(parts: Sequence[Any]) -> StagedText:
    """Return texts one after the other, of which some are staged."""
    forms = [x.form if type(x) is StagedText else literal(x) for x in parts]
    values = [value for x in parts if type(x) is StagedText for value in x.values]
    return StagedText("".join(forms), tuple(values))


def _take(text: StagedText) -> tuple[Sequence[Any], Any]:
    """Return the values, and all else that a text depends on: a float is written otherwise."""
    return text.values, (text.form, tuple(map(_kind, text.values)))


def _kind(value: Any) -> Any:
    is_single = is_numeric(value) or isinstance(value, str)
    if not is_single and not isinstance(value, TensorSpec):
        return type(value)
    spec = leaf_spec(value) if is_single else value
    return spec.dtype, spec.weak


register_tree(StagedText, _take, lambda data, values: StagedText(data[0], values))
