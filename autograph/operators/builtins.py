"""Python's builtin functions on staged values.

Each overload asks whether an operand is staged; if none is, it is the builtin itself.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.conditionals import if_exp
from autograph.operators.iterables import (
    StagedEnumerate,
    StagedRange,
    StagedReversed,
    StagedZip,
    iteration_of,
)
from autograph.operators.logic import and_, or_
from runtime.control.iteration import stage_for
from runtime.control.region import NoState
from runtime.dispatch import apply
from runtime.dtypes import SHORT_NAMES
from runtime.graph.opdef import REGISTRY
from runtime.tensor import Symbol, is_staged


def range_(*bounds: Any) -> Any:
    """`range(...)`."""
    if not any(map(is_staged, bounds)):
        return range(*bounds)
    start, stop, step = map(_index, (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3])
    return StagedRange(start, stop, step)


def _index(bound: Any) -> Any:
    """Return a bound of a range as a Python integer, staged or not; TypeError for other numbers."""
    if not is_staged(bound):
        return operator.index(bound)
    if bound.spec.dtype.kind not in "biu" or bound.spec.shape != ():
        raise TypeError(f"{bound.spec} cannot be interpreted as an integer; write int(...)")
    return int_(bound)


def len_(value: Any) -> Any:
    """`len(value)`: the size of the first axis, staged when it is known only at run time."""
    if is_staged(value):
        if value.ndim == 0:
            raise TypeError(f"len() of an array without dimensions ({value.spec})")
        return value.shape[0]
    return len(value)


def int_(value: Any = 0, *base: Any) -> Any:
    """`int(value)`."""
    return apply(REGISTRY["to_int"], [value]) if is_staged(value) else int(value, *base)


def float_(value: Any = 0.0) -> Any:
    """`float(value)`."""
    return apply(REGISTRY["to_float"], [value]) if is_staged(value) else float(value)


def bool_(value: Any = False) -> Any:
    """`bool(value)`."""
    return apply(REGISTRY["truth"], [value]) if is_staged(value) else bool(value)


def max_(*values: Any, **options: Any) -> Any:
    """`max(...)`."""
    return _extreme(max, lambda new, best: new > best, values, options)


def min_(*values: Any, **options: Any) -> Any:
    """`min(...)`."""
    return _extreme(min, lambda new, best: new < best, values, options)


def _extreme(
    builtin: Callable[..., Any],
    better: Callable[[Any, Any], Any],
    values: Sequence[Any],
    options: dict[str, Any],
) -> Any:
    candidates = values[0] if len(values) == 1 else values
    if isinstance(candidates, Symbol) and candidates.spec.rank == 1 and not options:
        return rnp.max(candidates) if builtin is max else rnp.min(candidates)
    if not isinstance(candidates, list | tuple) or not any(map(is_staged, candidates)):
        return builtin(*values, **options)
    if options:
        raise TypeError(f"{builtin.__name__}() of staged values takes no {', '.join(options)}")
    best, *others = candidates
    for new in others:
        best = _choose(better(new, best), new, best)
    return best


def _choose(test: Any, yes: Any, no: Any) -> Any:
    return if_exp(test, lambda: yes, lambda: no)


def sum_(values: Iterable[Any], start: Any = 0) -> Any:
    """`sum(values, start)`, from the left."""
    iteration = iteration_of(values)
    if iteration is None:
        return sum(values, start)
    total = _Total(start)
    stage_for(iteration, total.add, total)
    return total.value


class _Total(NoState):
    """The one variable of a sum."""

    names = ("the sum",)
    optional = (False,)

    def __init__(self, value: Any) -> None:
        self.value = value

    def add(self, item: Any) -> None:
        self.value = self.value + item

    def read(self) -> list[Any]:
        return [self.value]

    def write(self, values: Sequence[Any]) -> None:
        (self.value,) = values


def any_(values: Any) -> Any:
    """`any(values)`."""
    if _holds_staged(values):
        return bool_(reduce(lambda x, y: or_(x, lambda: y), values, False))
    return bool_(rnp.any(values)) if is_staged(values) else any(values)


def all_(values: Any) -> Any:
    """`all(values)`."""
    if _holds_staged(values):
        return bool_(reduce(lambda x, y: and_(x, lambda: y), values, True))
    return bool_(rnp.all(values)) if is_staged(values) else all(values)


def _holds_staged(values: Any) -> bool:
    """Tell whether a value is a list or a tuple with staged items."""
    return isinstance(values, list | tuple) and any(map(is_staged, values))


def enumerate_(values: Any, start: int = 0) -> Any:
    """`enumerate(values, start)`."""
    iteration = iteration_of(values)
    return enumerate(values, start) if iteration is None else StagedEnumerate(iteration, start)


def zip_(*iterables: Any, **options: Any) -> Any:
    """`zip(...)`: staged when every iterable is an array, a range or made of those."""
    iterations = [iteration_of(x) for x in iterables]
    if not any(iterations):
        return zip(*iterables, **options)  # noqa: B905  (as the user wrote it)
    return StagedZip(iterables)


def reversed_(values: Any) -> Any:
    """`reversed(values)`."""
    iteration = iteration_of(values)
    return reversed(values) if iteration is None else StagedReversed(iteration)


def sorted_(values: Any, **options: Any) -> Any:
    """`sorted(values)`: an array of one dimension, sorted."""
    if not is_staged(values):
        return sorted(values, **options)
    if options.get("key") is not None:
        raise TypeError("sorted() of a staged array takes no key; use x[np.argsort(key(x))]")
    found = rnp.sort(values)
    return found[::-1] if options.get("reverse") else found


def print_(*values: Any, **options: Any) -> None:
    """`print(...)`: printed when the graph runs if anything in it is staged."""
    if not any(map(is_staged, values)):
        print(*values, **options)  # noqa: T201  (it stands for print)
        return
    if options.get("file") is not None:
        raise TypeError("print() of staged values writes to sys.stdout; it takes no file=")
    separator, end = options.get("sep"), options.get("end")
    pieces = ["{}" if is_staged(x) else _literal(str(x)) for x in values]
    text = _literal(" " if separator is None else separator).join(pieces)
    text += _literal("\n" if end is None else end)
    apply(REGISTRY["print"], [x for x in values if is_staged(x)], format=text)


def _literal(text: str) -> str:
    """Return what a format writes as the given text."""
    return text.replace("{", "{{").replace("}", "}}")


def round_(value: Any, digits: Any = None) -> Any:
    """`round(value, digits)`."""
    if not is_staged(value):
        return round(value, digits)
    found = rnp.round(value, digits or 0)
    return int_(found) if digits is None and value.ndim == 0 else found


OVERLOADS: dict[Any, Callable[..., Any]] = {
    range: range_,
    len: len_,
    int: int_,
    float: float_,
    bool: bool_,
    max: max_,
    min: min_,
    sum: sum_,
    any: any_,
    all: all_,
    enumerate: enumerate_,
    zip: zip_,
    reversed: reversed_,
    sorted: sorted_,
    print: print_,
    round: round_,
}
"""Builtins, with what stands for them in converted code."""

MATH: dict[str, str] = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "copysign": "copysign",
    "cos": "cos",
    "cosh": "cosh",
    "degrees": "degrees",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "fabs": "fabs",
    "fmod": "fmod",
    "gcd": "gcd",
    "hypot": "hypot",
    "isfinite": "isfinite",
    "isinf": "isinf",
    "isnan": "isnan",
    "lcm": "lcm",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "pow": "power",
    "radians": "radians",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
}
"""Functions of `math`, with the function of arrays that is meant by whoever has arrays."""


def _math_overload(name: str) -> Callable[..., Any]:
    original = getattr(math, name)

    def overload(*values: Any) -> Any:
        if not any(map(is_staged, values)):
            return original(*values)
        if any(isinstance(x, Symbol) and x.spec.rank for x in values):
            raise TypeError(f"math.{name}() takes one number; for arrays use np.{MATH[name]}()")
        return apply(REGISTRY["python_math"], values, name=name)

    return overload


def _floor(name: str) -> Callable[..., Any]:
    original, staged = getattr(math, name), getattr(rnp, name)

    def overload(value: Any) -> Any:
        return int_(staged(value)) if is_staged(value) else original(value)

    return overload


OVERLOADS.update(
    {getattr(math, name): _math_overload(name) for name in MATH if hasattr(math, name)}
)
OVERLOADS.update({getattr(math, name): _floor(name) for name in ("floor", "ceil", "trunc")})

CREATION = (
    *("arange", "array", "asarray", "asanyarray", "ascontiguousarray", "copy"),
    *("empty", "empty_like", "eye", "full", "full_like", "geomspace", "identity", "indices"),
    *("linspace", "logspace", "meshgrid", "ones", "ones_like", "tri", "zeros", "zeros_like"),
)
"""NumPy functions that its protocols do not show us: they make arrays from Python values."""

OVERLOADS.update({getattr(np, name): getattr(rnp, name) for name in CREATION if hasattr(rnp, name)})


def _scalar_type(kind: Any) -> Callable[..., Any]:
    def overload(*values: Any) -> Any:
        if len(values) == 1 and is_staged(values[0]):
            return values[0].astype(kind)
        return kind(*values)

    return overload


OVERLOADS.update({np.dtype(name).type: _scalar_type(np.dtype(name).type) for name in SHORT_NAMES})
