"""The functions of Python's module `math` on staged numbers.

They give the very numbers that `math` gives, and raise its errors when the graph runs. Arrays are
refused, as `math` refuses them, with the function of NumPy that is meant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from autograph.operators.builtins.number_builtins import text_of_many
from autograph.operators.builtins.overloads import of_values
from autograph.operators.builtins.reductions import Folded, sum_
from autograph.operators.builtins.texts import holds_staged
from autograph.operators.control_flow.conditionals import check
from autograph.operators.iteration.staged_iterables import is_staged_iterable, iteration_of
from autograph.operators.objects.union_values import each
from autograph.staging.for_loop import stage_for
from autograph.staging.number_join import union_of
from autograph.staging.union_operators import with_each
from runtime import default_graph
from runtime.dispatch import apply
from runtime.ops.python import math_op
from runtime.tensor import Symbol, is_staged
from runtime.union import Choice

FOR_ARRAYS: dict[str, str] = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atan2": "arctan2", "atanh": "arctanh", "cbrt": "cbrt", "ceil": "ceil", "comb": "",
    "copysign": "copysign", "cos": "cos", "cosh": "cosh", "degrees": "degrees", "erf": "",
    "erfc": "", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "fabs": "fabs", "factorial": "",
    "floor": "floor", "fma": "", "fmax": "fmax", "fmin": "fmin", "fmod": "fmod", "gamma": "",
    "gcd": "gcd", "hypot": "hypot", "isclose": "isclose", "isfinite": "isfinite", "isinf": "isinf",
    "isnan": "isnan", "isqrt": "", "lcm": "lcm", "ldexp": "ldexp", "lgamma": "", "log": "log",
    "log10": "log10", "log1p": "log1p", "log2": "log2", "nextafter": "nextafter", "perm": "",
    "pow": "power", "radians": "radians", "remainder": "", "sin": "sin", "sinh": "sinh",
    "sqrt": "sqrt", "tan": "tan", "tanh": "tanh", "trunc": "trunc", "ulp": "spacing",
}  # fmt: skip
"""Functions of single numbers, with the function that is meant by whoever has arrays, if any."""

OF_INTEGERS = frozenset({"comb", "factorial", "gcd", "isqrt", "lcm", "ldexp", "perm"})
"""Those that raise TypeError for floats: which a number is decides when the graph runs."""

PAIRS = {"frexp": "frexp", "modf": "modf"}
"""Functions of one number that give two."""


def _need_numbers(name: str, values: Any, function: str) -> None:
    for x in values:
        if isinstance(x, Symbol) and x.spec.rank:
            instead = f"for arrays use np.{function}()" if function else "index the array"
            raise TypeError(f"{text_of_many()}: math.{name}() takes one number; {instead}")


def number(name: str) -> Callable[..., Any]:
    """Return the overload of a function of single numbers."""

    def staged(*values: Any, **options: Any) -> Any:
        operands = (*values, *options.values())
        if name in OF_INTEGERS and any(type(union_of(x)) is Choice for x in operands):
            return with_each(staged, tuple(map(union_of, values)), options, each)
        _need_numbers(name, operands, FOR_ARRAYS[name])
        return apply(math_op(name), operands, keywords=" ".join(options))

    return of_values(getattr(math, name), staged)


def pair(name: str) -> Callable[..., Any]:
    """Return the overload of a function of one number that gives two."""

    def staged(value: Any) -> Any:
        _need_numbers(name, [value], PAIRS[name])
        return apply(math_op(name), [value])

    return of_values(getattr(math, name), staged)


def rows(name: str) -> Callable[..., Any]:
    """Return the overload of a function of sequences of numbers that is one op: `fsum`, `dist`."""
    original = getattr(math, name)

    def overload(*values: Any, **options: Any) -> Any:
        if default_graph.current() is not None:
            values = tuple(tuple(x) if isinstance(x, Iterator) else x for x in values)
        if options or not any(map(holds_staged, values)):
            return original(*values, **options)
        return apply(math_op(name), values)

    return overload


def prod(*values: Any, **options: Any) -> Any:
    """`math.prod(iterable, start=1)`, from the left."""
    if len(values) != 1 or options.keys() - {"start"}:
        return math.prod(*values, **options)
    (iterable,) = values
    product = Folded(options.get("start", 1))
    if is_staged_iterable(iterable):
        iteration = iteration_of(iterable)
        if type(iterable) is Symbol and iterable.spec.rank != 1:
            raise TypeError(f"math.prod() of the rows of {iterable.spec}; write np.prod(x, axis=0)")
        stage_for(iteration, product.multiply, product)
        return product.value
    items = iterable if type(iterable) in (list, tuple) else list(iterable)
    if not any(map(is_staged, (product.value, *items))):
        return math.prod(items, **options)
    for item in items:
        product.multiply(item)
    return product.value


def sumprod(*values: Any) -> Any:
    """`math.sumprod(p, q)` of arrays, from the left."""
    if not any(map(holds_staged, values)) or len(values) != 2:
        return math.sumprod(*values)  # type: ignore[attr-defined,unused-ignore]
    if any(type(x) is not Symbol or x.spec.rank != 1 for x in values):
        raise TypeError("math.sumprod() of staged values takes two arrays of one dimension")
    p, q = values
    check(p.shape[0] == q.shape[0], "Inputs are not the same length", ValueError)
    return sum_(p * q)
