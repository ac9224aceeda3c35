"""The methods that Python's operators call on tensors and symbols, one for each op that has one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import runtime.numpy as rnp
from runtime.complex_parts import with_float
from runtime.dispatch import apply, goes_with
from runtime.dtypes import is_string
from runtime.errors import ShapeError, StagedIndexError, StagedValueError
from runtime.graph.opdef import REGISTRY, OpDef
from runtime.numpy.face import of_ufunc, written_as
from runtime.operator_mode import Operate, operate_now
from runtime.scalar_conversion import refuse_cell
from runtime.subscripts import concrete, example, set_item, update_in_place, writable
from runtime.tensor import Symbol, Tensor, is_staged
from runtime.text_methods import call_text, need_count
from runtime.union import Choice, is_cell

BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
    "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
UNARY = {"-{0}": "neg", "+{0}": "pos", "~{0}": "invert", "abs({0})": "abs"}
"""Python's operators and the names of the methods that stand for them."""


def operate_of(value: Any) -> Operate | None:
    """Return what the operators of a tensor or symbol do; None for what NumPy's do."""
    return value.operate if type(value) is Tensor else operate_now()


def _refuse_repetition(op: OpDef, symbol: Any, other: Any) -> None:
    """Raise an error for `[x] * n`, which is a list of `n` items where `n` is an integer."""
    if type(other) not in (list, tuple) or op.python != "{0} * {1}":
        return
    if not is_staged(symbol) or symbol.spec.shape != () or symbol.is_cell:
        return
    need_count(symbol)
    raise StagedIndexError(
        f"a {type(other).__name__} times a staged number ({symbol.spec}) has a length that is "
        "known only when the graph runs. Write np.full(n, x) for an array"
    )


def _operator(op: OpDef, is_reflected: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        _refuse_repetition(op, self, other)
        if type(other) is Choice:
            return NotImplemented  # it does what Python does with each that it may be
        if type(other) in _NO_NUMBERS and _is_of_python(self):
            return NotImplemented
        if op.name in ("equal", "not_equal") and _is_unlike(self, other):
            is_other = np.bool_(op.name == "not_equal")
            return rnp.full(self.shape, is_other) if self.spec.shape != () else is_other
        if type(other) is str and not is_string(self.spec.dtype):
            return _with_text(op, self, other)
        if not goes_with(self, other):
            return _unanswered(op, self, other)
        operands = with_float(op, *((other, self) if is_reflected else (self, other)))
        operate = operate_of(self)
        return _applied(op, operands) if operate is None else operate(op, *operands)

    return method


def _unanswered(op: OpDef, self: Any, other: Any) -> Any:
    """Return NotImplemented for an object that no op takes: Python asks that one.

    Python takes two that do not know each other for different ones, but NumPy compares each element
    with what it makes of the object: of ranges and bytes it makes arrays. Fractions equal numbers.
    """
    kind: Any = type(other)
    is_compared = op.name in ("equal", "not_equal")
    if self.spec.weak:
        is_left = not is_compared or kind.__eq__(other, example(self)) is NotImplemented
    else:
        is_repeated = op.python == "{0} * {1}" and hasattr(kind, "__getitem__")
        is_left = not (is_compared or is_repeated)
    is_left |= getattr(kind, "__array_ufunc__", op) is None  # NumPy leaves it to that class
    if is_left or type(self) is not Symbol:
        return NotImplemented
    raise StagedValueError(
        f"an operator of {self.spec} and an object of class {kind.__name__}, whose elements or "
        "values no graph knows. Take an array: np.asarray(y)"
    )


_NO_NUMBERS = frozenset({list, tuple, dict, set, frozenset, type(None)})
"""Classes of Python that know no number; NumPy takes some of them for arrays."""


def _is_of_python(value: Any) -> bool:
    """Tell whether a value is a number of Python's, of which NumPy is not asked."""
    return type(value) is Symbol and value.spec.weak and operate_of(value) is None


def _with_text(op: OpDef, self: Any, text: str) -> Any:
    """Return what an operator makes of a text and a number; beside an array it raises."""
    is_number = self.spec.shape == () and not getattr(self, "is_cell", False)
    if is_number and op.python == "{0} * {1}":
        need_count(self)
        return call_text("repeat", text, self)
    if self.spec.weak or op.ufunc is None or isinstance(self, Tensor):
        return NotImplemented
    return op.ufunc(example(self), text)


def _is_unlike(x: Any, other: Any) -> bool:
    """Tell whether NumPy compares something that equals no element with each of them."""
    if isinstance(other, str):
        return not (is_string(x.spec.dtype) or x.spec.weak)
    return other is None and (x.spec.shape != () or (type(x) is Symbol and x.is_cell))


def _in_place(op: OpDef, name: str) -> Callable[[Any, Any], Any]:
    """Return the method of `x += y`: arrays are written, single values are replaced."""
    python = getattr(operator, f"i{name}")

    def method(self: Any, other: Any) -> Any:
        if type(other) in _NO_NUMBERS and _is_of_python(self):
            return NotImplemented
        is_number = self.spec.shape == () and not getattr(self, "is_cell", False)
        if not goes_with(self, other) or (is_number and type(other) is Choice):
            return NotImplemented
        operate = operate_of(self)
        if operate is not None:
            return operate(op, self, other)
        _refuse_repetition(op, self, other)
        other = with_float(op, self, other)[1]
        is_varying = type(self) is Symbol and self.is_varying
        if not is_varying:
            refuse_cell(self)
        if is_varying or is_number:
            return _applied(op, (self, other))
        if isinstance(self, Tensor) and not is_staged(other):
            python(writable(self.array), concrete(other))
            return self
        if isinstance(self, Tensor):
            set_item(self, ..., other)
        try:
            new = _applied(*written_as(op, (self, other), self))
        except ShapeError:
            python(example(self), example(other))  # NumPy looks at the dtypes first
            raise
        return update_in_place(self, new, f"ufunc '{op.name}'")

    return method


def _unary(op: OpDef) -> Callable[[Any], Any]:
    return lambda self: _applied(op, (self,))


def _applied(op: OpDef, operands: Sequence[Any]) -> Any:
    """Apply the op of an operator, which is the ufunc where an operand is an array without axes."""
    return apply(op, of_ufunc(op, operands) if any(map(is_cell, operands)) else operands)


def operators() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the names and functions of the methods that operators call."""
    for op in REGISTRY.values():
        text = op.python or ""
        symbol = text.removeprefix("{0} ").removesuffix(" {1}")
        if symbol in BINARY:
            name = BINARY[symbol]
            yield f"__{name}__", _operator(op)
            yield f"__r{name}__", _operator(op, True)
            yield f"__i{name}__", _in_place(op, name)
        elif symbol in COMPARISONS:
            yield f"__{COMPARISONS[symbol]}__", _operator(op)
        elif text in UNARY:
            yield f"__{UNARY[text]}__", _unary(op)
