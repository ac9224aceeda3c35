"""Builtins that make one number of one or two: `int`, `float`, `round`, `divmod`, `pow`, ..."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from autograph.operators.builtins.overloads import MISSING, dispatched, given, of_value, of_values
from autograph.operators.builtins.type_queries import plain_type, type_name
from autograph.operators.objects.operands import by_numbers
from runtime.dispatch import apply
from runtime.dtypes import WEAK_DTYPES
from runtime.graph.opdef import REGISTRY
from runtime.tensor import Symbol, is_staged
from runtime.text_methods import call_text, is_text, placed
from runtime.texts import StagedText
from runtime.union import Choice


@lru_cache
def text_of_many() -> str:
    """Return what NumPy says when an array of several elements shall be one number."""
    try:
        return str(float(np.zeros(2)))
    except TypeError as error:
        return str(error)


@lru_cache
def takes_one() -> bool:
    """Tell whether NumPy takes an array with axes for a number, if it has one element."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(float(np.zeros(1)) == 0)
        except TypeError:
            return False


def need_number(value: Any, hint: str) -> None:
    """Raise the TypeError of NumPy for an array that is certainly not a single number."""
    sizes = (value.spec.shape or ()) if isinstance(value, Symbol) else ()
    if sizes and (not takes_one() or any(isinstance(n, int) and n != 1 for n in sizes)):
        raise TypeError(f"{text_of_many()}: this is {value.spec}; {hint}")


def is_python_number(value: Any) -> bool:
    """Tell whether a value is a number of Python's, not of NumPy's, when the graph runs."""
    return value.spec.weak if is_staged(value) else type(value) in WEAK_DTYPES


def _by_class(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is called with each class that a number may have."""

    def called(*values: Any, **named: Any) -> Any:
        unions = (k for k, x in enumerate(values) if type(x) is Symbol and x.union is not None)
        k = next(unions, None)
        if k is None:
            return function(*values, **named)
        before, after = values[:k], values[k + 1 :]
        return Choice.each(values[k].union, lambda x: called(*before, x, *after, **named))

    return called


def _converting(op: str, hint: str) -> Callable[..., Any]:
    def convert(value: Any) -> Any:
        if is_text(value):
            return call_text(op.removeprefix("to_"), value)
        need_number(value, hint)
        if op != "to_complex" and plain_type(value) is np.ndarray and value.dtype.kind == "c":
            (float if op == "to_float" else int)(np.zeros((), complex))  # raises
        return apply(REGISTRY[op], [value])

    return convert


def int_(value: Any = MISSING, /, base: Any = MISSING, *rest: Any) -> Any:
    """`int(value)`, `int(text, base)`."""
    if type(value) is StagedText:
        return call_text("int", value, *given(base, *rest))
    if type(value) is Symbol or base is not MISSING:
        return dispatched(int, _int, (value, base, *rest), {})
    return int(value)


def _int(value: Any, *base: Any) -> Any:
    if base and is_text(value):
        return call_text("int", value, *base)
    if base:
        raise TypeError("int() can't convert non-string with explicit base")
    return to_int(value)


def _complex(real: Any, imag: Any = None) -> Any:
    for part in (real, imag):
        need_number(part, "write x.astype(complex)")
    if imag is None:
        return apply(REGISTRY["to_complex"], [real])
    return apply(REGISTRY["python_complex"], [real, imag])


def _bool(value: Any) -> Any:
    size = value.spec.shape is not None and value.spec.is_static and np.prod(value.spec.shape)
    if size > 1:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. "
            "Use a.any() or a.all()"
        )
    return apply(REGISTRY["truth"], [value])


@_by_class
def _round(number: Any, ndigits: Any = None) -> Any:
    kind = plain_type(number)
    if not hasattr(kind, "__round__") or kind is np.bool_:
        raise TypeError(
            f"type {type_name(number)} doesn't define __round__ method; write np.round(x, digits)"
        )
    if ndigits is None:
        return apply(REGISTRY["python_round"], [number])
    if is_python_number(number):
        return apply(REGISTRY["python_round_to"], [number, ndigits])
    is_staged_integer = is_staged(ndigits) and ndigits.spec.dtype.kind in "iu"
    return np.round(number, ndigits if is_staged_integer else operator.index(ndigits))


def _divmod(x: Any, y: Any) -> Any:
    if any(type(z) is Choice or getattr(z, "union", None) is not None for z in (x, y)):
        return x // y, x % y
    return by_numbers(divmod, "divmod")(x, y)


@_by_class
def _pow(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return base**exp
    values = (base, exp, mod)
    if not all(map(is_python_number, values)):
        names = ", ".join(repr(type_name(x)) for x in values)
        raise TypeError(
            f"unsupported operand type(s) for ** or pow(): {names}; write pow(int(x), int(y), "
            "int(m)), or x**y % m"
        )
    return apply(REGISTRY["python_pow"], values)


def _digits(builtin: Callable[[Any], str], form: str) -> Callable[..., Any]:
    @_by_class
    def written(value: Any) -> Any:
        kind = plain_type(value)
        if kind is np.ndarray and (value.spec.rank or value.dtype.kind not in "iu"):
            builtin(np.zeros(1))  # raises
        elif kind is not np.ndarray:
            builtin(kind())  # raises where the number is no integer
        return placed(form, value)

    return of_value(builtin, written)


def of_text(name: str, overload: Callable[..., Any]) -> Callable[..., Any]:
    """Return the overload of a builtin that a text may be given, too."""

    def convert(value: Any = MISSING, /, *rest: Any) -> Any:
        is_symbol = type(value) is Symbol and value is not MISSING
        is_ours = type(value) is StagedText or (is_symbol and is_text(value))
        return call_text(name, value, *rest) if is_ours else overload(value, *rest)

    return convert


to_int = _converting("to_int", "write x.astype(int)")
float_ = of_text("float", of_value(float, _converting("to_float", "write x.astype(float)")))
complex_ = of_values(complex, _complex)
_bool_of = of_text("bool", of_value(bool, _bool))


def bool_(value: Any = MISSING, /, *rest: Any) -> Any:
    """`bool(value)`."""
    is_ours = hasattr(type(value), "__staged_truth__") and not rest
    return value.__staged_truth__() if is_ours else _bool_of(value, *rest)


round_ = of_values(round, _round)
divmod_ = of_values(divmod, _divmod)
pow_ = of_values(pow, _pow)
bin_ = _digits(bin, "{:#b}")
oct_ = _digits(oct, "{:#o}")
hex_ = _digits(hex, "{:#x}")
