"""What Python's own functions make of single values, and of the order of arrays.

The results are those of the running Python, errors and their texts included: what `math.sqrt` or
`max` raise for a value, they raise when the graph runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.dtypes import promote, python_type
from runtime.errors import DtypeError, ShapeError
from runtime.graph.opdef import OpDef, op
from runtime.ops.rules import need_scalar
from runtime.ops.samples import calls
from runtime.spec import WEAK_SPECS, TensorSpec, make_spec

_MATH_KINDS = dict.fromkeys(("isclose", "isfinite", "isinf", "isnan"), bool) | dict.fromkeys(
    ("ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "perm", "trunc"), int
)
TAKE_ROWS = frozenset({"dist", "fsum"})
"""Functions of `math` whose arguments are sequences of numbers."""


def _math_spec(*x: TensorSpec, name: str, keywords: str) -> TensorSpec:
    for spec in x:
        if name not in TAKE_ROWS:
            need_scalar(spec, f"an argument of math.{name}")
        elif spec.rank not in (1, None):
            raise ShapeError(f"math.{name} takes sequences of numbers, not {spec}")
        if spec.dtype.kind == "c":
            raise DtypeError(f"math.{name} is not defined for complex numbers")
    return WEAK_SPECS[_MATH_KINDS.get(name, float)]


def _math_kernel(xp: Any, *x: Any, name: str, keywords: str) -> Any:
    names = keywords.split()
    first = len(x) - len(names)
    return getattr(math, name)(*x[:first], **dict(zip(names, x[first:], strict=True)))


python_math = op(
    "python_math(*x, name, keywords='')",
    doc="""What the function of Python's module `math` gives for single values.

    It computes in double precision whatever the dtypes are, may differ from NumPy in the last bit,
    and raises errors where NumPy gives nan or infinity. The last arguments are given by keyword,
    under the names in `keywords`.""",
    spec=_math_spec,
    kernel=_math_kernel,
    samples=calls(
        "f",
        lambda some: [
            ((some(1)[0],), {"name": "sin"}),
            ((some(1)[0], 2.5), {"name": "copysign"}),
            ((some(1)[0],), {"name": "isnan"}),
            ((some(1)[0], 1.0, 0.5), {"name": "isclose", "keywords": "rel_tol"}),
            ((some(3),), {"name": "fsum"}),
            ((some(3), some(3)), {"name": "dist"}),
            ((12, 18), {"name": "gcd"}),
        ],
    ),
)


def _kind(spec: TensorSpec) -> type:
    """Return the kind of Python number that a single value is."""
    return int if spec.dtype.kind in "biu" else python_type(spec.dtype)


def _joint_kind(*specs: TensorSpec) -> type:
    dtypes = [WEAK_SPECS[_kind(spec)].dtype for spec in specs]
    return python_type(promote(*dtypes))


_NUMBERS: dict[str, tuple[Callable[..., Any], Callable[..., type]]] = {
    "complex": (complex, lambda *x: complex),
    "pow": (pow, lambda *x: int),
    "round": (round, lambda x, digits: _kind(x)),
    "sum": (lambda start, *x: sum(x, start), _joint_kind),
}
"""By name, a function of Python numbers, and the kind of number that it gives."""


def _number_spec(*x: TensorSpec, name: str) -> TensorSpec:
    for spec in x:
        need_scalar(spec, f"an argument of {name}()")
    return WEAK_SPECS[_NUMBERS[name][1](*x)]


python_number = op(
    "python_number(*x, name)",
    doc="""What Python's `complex`, `pow`, `round` or `sum` gives for Python numbers.

    For `sum`, the first number is the start.""",
    spec=_number_spec,
    kernel=lambda xp, *x, name: _NUMBERS[name][0](*x),
    samples=calls(
        "f",
        lambda some: [
            ((1.5, some(1)[0]), {"name": "complex"}),
            ((3, 4, 5), {"name": "pow"}),
            ((2.675, 2), {"name": "round"}),
            ((15, -1), {"name": "round"}),
            ((0, 0.1, 0.2, 1e16), {"name": "sum"}),
            ((0, True), {"name": "sum"}),
        ],
    ),
)

_PAIRS: dict[str, tuple[Callable[..., Any], Callable[..., tuple[type, type]]]] = {
    "divmod": (divmod, lambda a, b: (_joint_kind(a, b),) * 2),
    "frexp": (math.frexp, lambda x: (float, int)),
    "modf": (math.modf, lambda x: (float, float)),
}
"""By name, a function of numbers that gives two, and their kinds."""


def _pair_spec(*x: TensorSpec, name: str) -> tuple[TensorSpec, ...]:
    for spec in x:
        need_scalar(spec, f"an argument of {name}()")
    return tuple(WEAK_SPECS[kind] for kind in _PAIRS[name][1](*x))


python_pair = op(
    "python_pair(*x, name)",
    doc="The two numbers that one of Python's functions (`divmod`, `frexp`, `modf`) gives.",
    spec=_pair_spec,
    kernel=lambda xp, *x, name: _PAIRS[name][0](*x),
    samples=calls(
        "f",
        lambda some: [
            ((7, -2), {"name": "divmod"}),
            ((7.5, -2), {"name": "divmod"}),
            ((some(1)[0],), {"name": "frexp"}),
            ((some(1)[0],), {"name": "modf"}),
        ],
    ),
    multiple=True,
)


def _rank_spec(*keys: TensorSpec) -> TensorSpec:
    for key in keys:
        if key.rank not in (1, None):
            raise ShapeError(f"Python's order is one of numbers, and the items of {key} are arrays")
    return keys[0]


def _ranks(keys: Sequence[Any]) -> Callable[[int], Any]:
    """Return what Python compares at each position: a number, or a tuple of numbers."""
    columns = [list(key) if key.dtype.kind == "c" else key.tolist() for key in keys]
    return columns[0].__getitem__ if len(columns) == 1 else list(zip(*columns)).__getitem__  # noqa: B905


def _best_kernel(xp: Any, *keys: Any, name: str) -> Any:
    best = {"max": max, "min": min}[name]
    return best(range(len(keys[0])), key=_ranks(keys))


def _best_spec(*keys: TensorSpec, name: str) -> TensorSpec:
    _rank_spec(*keys)
    return WEAK_SPECS[int]


python_best: OpDef = op(
    "python_best(*keys, name)",
    doc="""The position of the item that Python's `max` or `min` chooses, by the given keys.

    Of equal items that is the first; NaN is neither smaller nor greater than anything. Raises the
    ValueError of Python when there are no items.""",
    spec=_best_spec,
    kernel=_best_kernel,
    samples=calls(
        "biufc",
        lambda some: [((some(4),), {"name": "max"}), ((some(4), some(4)), {"name": "min"})],
    ),
)


def _order_kernel(xp: Any, *keys: Any, reverse: bool) -> Any:
    order = sorted(range(len(keys[0])), key=_ranks(keys), reverse=reverse)
    return xp.asarray(order, dtype=np.int64)


def _order_spec(*keys: TensorSpec, reverse: bool) -> TensorSpec:
    return make_spec(np.dtype(np.int64), _rank_spec(*keys).shape)


python_order: OpDef = op(
    "python_order(*keys, reverse)",
    doc="The positions of the items in the order of Python's `sorted`, by the given keys.",
    spec=_order_spec,
    kernel=_order_kernel,
    samples=calls(
        "biufc",
        lambda some: [
            ((some(5),), {"reverse": False}),
            ((some(5), some(5)), {"reverse": True}),
            ((some(0),), {"reverse": False}),
        ],
    ),
)
