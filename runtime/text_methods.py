"""What Python's `str` does, done with texts that are known only when the graph runs.

A text stays a form with values in its places as long as it is only joined and written; anything
else makes it one value of the graph, of dtype `string`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial, reduce
from typing import Any, NoReturn

import numpy as np

from runtime.dispatch import apply
from runtime.dtypes import is_string, python_type
from runtime.errors import StagedKeyError, StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.ops.text_ops import METHODS, op_of_texts
from runtime.ops.text_ops import text as text_op
from runtime.subscripts import copied
from runtime.tensor import Symbol, TensorLike
from runtime.texts import StagedText, joined

ONE = "{}"
"""The form of a text that is one value of the graph."""


def is_text(value: Any) -> bool:
    """Tell whether a value is a `str` in plain Python."""
    if type(value) is Symbol:
        return is_string(value.spec.dtype) and value.spec.shape == ()
    return isinstance(value, str | StagedText)


def text_value(value: Any) -> Any:
    """Return a text as an operand: one value of the graph, or a `str`; all else as it is."""
    if type(value) is not StagedText:
        return value
    if value.form == ONE and is_text(value.values[0]):
        return value.values[0]
    return apply(text_op, value.values, format=value.form)


def as_text(value: Any) -> Any:
    """Return a value of dtype `string` as a text; all else as it is."""
    return StagedText(ONE, (value,)) if type(value) is Symbol and is_text(value) else value


def placed(form: str, value: Symbol) -> StagedText:
    """Return the text of a value as it is now: an array may be written later."""
    return StagedText(form, (value if value.spec.shape == () else copied(value),))


def call_text(name: str, *values: Any) -> Any:
    """Return what a method of `str`, an operator or a function gives for texts and numbers."""
    if name in ("startswith", "endswith") and type(values[1]) is tuple:
        text, ends, *bounds = values
        found = [call_text(name, text, end, *bounds) for end in ends]
        return apply(REGISTRY["truth"], [reduce(_or, found, False)])
    left_out = tuple(k for k, value in enumerate(values) if value is None)
    operands = [text_value(value) for value in values if value is not None]
    return as_text(apply(op_of_texts(name), operands, left_out=left_out))


def _or(a: Any, b: Any) -> Any:
    return apply(REGISTRY["logical_or"], [a, b])


def _method(self: StagedText, name: str) -> Any:
    """Return a method of `str`, as an attribute of a text."""
    if name in METHODS:
        return partial(call_text, name, self)
    if name in OTHERS:
        return partial(OTHERS[name], self)
    if name.startswith("__") or not hasattr(str, name):
        raise AttributeError(f"'str' object has no attribute {name!r}")
    refuse_method(name)


def _parts(name: str, text: Any, separator: Any) -> tuple[Any, ...]:
    return tuple(call_text(f"{name}_{number}", text, separator) for number in range(3))


OTHERS: dict[str, Callable[..., Any]] = {
    name: partial(_parts, name) for name in ("partition", "rpartition")
}
"""Methods of `str` that give something else than one text or number."""


def refuse_method(name: str) -> NoReturn:
    """Raise StagedValueError for a method of `str` that a graph does not call."""
    raise StagedValueError(
        f"str.{name}() of a text that is known only when the graph runs is not supported; staged "
        f"are {', '.join(sorted({*METHODS, *OTHERS}))}. Return the text, and call .{name}() on "
        "what is returned"
    )


def _joined_with(reflected: bool) -> Callable[[Any, Any], Any]:
    def method(self: StagedText, other: Any) -> Any:
        if not is_text(other):
            return NotImplemented
        other = as_text(other)
        return joined([other, self] if reflected else [self, other])

    return method


def _repeated(self: StagedText, number: Any) -> Any:
    if type(number) is Symbol and (number.spec.shape != () or number.is_cell):
        np.multiply(np.zeros((1,) * (number.spec.rank or 0), number.spec.dtype), "")  # raises
    if type(number) is Symbol:
        need_count(number)
    is_number = isinstance(number, int | np.integer) or type(number) is Symbol
    return call_text("repeat", self, number) if is_number else NotImplemented


def need_count(number: Any) -> None:
    """Raise Python's TypeError for a staged number that does not say how often, as it is none."""
    spec = number.spec
    if spec.dtype.kind not in ("iub" if spec.weak else "iu"):
        own = python_type(spec.dtype).__name__
        kind = own if spec.weak else f"numpy.{spec.dtype.type.__name__}"
        raise TypeError(f"can't multiply sequence by non-int of type {kind!r}")


def _compared(name: str) -> Callable[[Any, Any], Any]:
    def method(self: StagedText, other: Any) -> Any:
        if is_text(other):
            return call_text(name, self, other)
        if isinstance(other, TensorLike | np.ndarray):
            return getattr(text_value(self), f"__{name}__")(other)
        return NotImplemented

    return method


def _item(self: StagedText, index: Any) -> Any:
    if isinstance(index, slice):
        return call_text("slice", self, index.start, index.stop, index.step)
    return call_text("item", self, index)


def _percent(self: StagedText, values: Any) -> NoReturn:
    refuse_method("__mod__")


def _contains(self: StagedText, other: Any) -> NoReturn:
    self._refuse()


def _hash(self: StagedText) -> NoReturn:
    raise StagedKeyError(
        f"the text {self.form!r} is known only when the graph runs, and a key of this dict or set "
        "has to be known while tracing. Compare it with ==, or count by numbers: a list or an "
        "array that a number indexes"
    )


def install() -> None:
    """Give `StagedText` the operators and methods of `str`."""
    methods: dict[str, Any] = {
        "__add__": _joined_with(False),
        "__radd__": _joined_with(True),
        "__mul__": _repeated,
        "__rmul__": _repeated,
        "__mod__": _percent,
        "__getitem__": _item,
        "__contains__": _contains,
        "__getattr__": _method,
        "__hash__": _hash,
        "read": text_value,
    }
    names: Iterable[str] = ("eq", "ne", "lt", "le", "gt", "ge")
    methods.update((f"__{name}__", _compared(name)) for name in names)
    for name, method in methods.items():
        setattr(StagedText, name, method)


install()
