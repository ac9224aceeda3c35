"""What Python's own functions make of single values, and of the order of arrays.

The results are those of the running Python, errors and their texts included: what `math.sqrt` or
`max` raise for a value, they raise when the graph runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.dtypes import promote, python_type, resolve_ufunc
from runtime.errors import DtypeError, ShapeError
from runtime.forks import Lock
from runtime.graph.opdef import MAKERS, REGISTRY, OpDef, Samples, op
from runtime.graph.traits import (
    NOT_DIFFERENTIABLE,
    UNWRITTEN,
    Derivative,
    NotThere,
    raises,
    raises_nothing,
    raises_of_shapes,
    raises_of_sizes,
)
from runtime.ops.batch_rules import elementwise
from runtime.ops.derivatives.constructors import linear, partials
from runtime.ops.derivatives.python_rules import (
    FIRST_OF_FREXP,
    FIRST_OF_MODF,
    MATH,
    SECOND_OF_DIVMOD,
    like,
)
from runtime.ops.families import FACTS, PYTHON
from runtime.ops.raising import divides
from runtime.ops.samples import calls
from runtime.ops.spec_rules import broadcast, need_scalar
from runtime.spec import WEAK_SPECS, TensorSpec, make_spec

_KINDS = dict.fromkeys(("isclose", "isfinite", "isinf", "isnan"), bool) | dict.fromkeys(
    ("ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "perm", "trunc"), int
)
"""What functions of `math` give that give no float."""
TAKE_ROWS = frozenset({"dist", "fsum"})
"""Functions of `math` whose arguments are sequences of numbers."""
_SAME = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atan2": "arctan2", "atanh": "arctanh", "pow": "power", "ulp": "spacing",
}  # fmt: skip
"""The ops that functions of `math` are which have another name there."""
_OTHER = frozenset({"remainder", "isclose"})
"""Functions of `math` that mean something else than the op of their name."""
_SAFE = frozenset({"isfinite", "isinf", "isnan", "copysign", "fabs", "degrees", "radians", "atan"})
"""Functions of `math` that raise nothing."""


def math_op(name: str) -> OpDef:
    """Return the op that a function of Python's module `math` is."""
    with _DEFINING:
        found = REGISTRY.get(f"math_{name}")
        return _define(name) if found is None else found


def _made_of(name: str) -> OpDef | None:
    prefix, _, own = name.partition("_")
    is_one = prefix == "math" and not own.startswith("_") and callable(getattr(math, own, None))
    return math_op(own) if is_one else None


MAKERS.append(_made_of)
_DEFINING = Lock()


def _define(name: str) -> OpDef:
    """Define the op of a function of `math`, which is that of NumPy but for errors."""
    function = getattr(math, name)
    same = None if name in _OTHER else REGISTRY.get(_SAME.get(name, name))

    def spec(*x: TensorSpec, keywords: str = "") -> TensorSpec:
        for one in x:
            if name not in TAKE_ROWS:
                need_scalar(one, f"an argument of math.{name}")
            elif one.rank not in (1, None):
                raise ShapeError(f"math.{name} takes sequences of numbers, not {one}")
            if one.dtype.kind == "c":
                raise DtypeError(f"math.{name} is not defined for complex numbers")
        return WEAK_SPECS[_KINDS.get(name, float)]

    def kernel(xp: Any, *x: Any, keywords: str = "") -> Any:
        names = keywords.split()
        first = len(x) - len(names)
        return function(*x[:first], **dict(zip(names, x[first:], strict=True)))

    def scalar(s: Any, *x: Any, keywords: str = "") -> Any:
        return s.of_math(name if not keywords else f"{name} by keywords", *x)

    return op(
        f"math_{name}(*x, keywords='')",
        doc=f"""`math.{name}` of Python's standard library.

        It computes in double precision whatever the dtypes are, may differ from NumPy in the last
        bit, and raises errors where NumPy gives nan or infinity. The last arguments are given by
        keyword, under the names in `keywords`.""",
        spec=spec,
        kernel=kernel,
        samples=Samples((np.dtype(np.float64),), lambda rng, dtype: []),
        scalar=None if name in TAKE_ROWS else scalar,
        family=PYTHON,
        raises=raises_nothing if name in _SAFE else raises("ValueError", "OverflowError"),
        derivative=_derivative(name, same),
        applies=same,
    )


def _derivative(name: str, same: OpDef | None) -> Derivative | NotThere:
    if _KINDS.get(name, float) is not float:
        return NOT_DIFFERENTIABLE
    own = MATH.get(name)
    if own is not None or same is None:
        return UNWRITTEN if own is None else own
    return like(same.name) if isinstance(same.derivative, Derivative) else same.derivative


def _kind(spec: TensorSpec) -> type:
    """Return the kind of Python number that a single value is."""
    return int if spec.dtype.kind in "biu" else python_type(spec.dtype)


def _joint_kind(*specs: TensorSpec) -> type:
    dtypes = [WEAK_SPECS[_kind(spec)].dtype for spec in specs]
    return python_type(promote(*dtypes))


def _of_numbers(
    signature: str,
    doc: str,
    function: Callable[..., Any],
    kinds: Callable[..., type | tuple[type, ...]],
    draw: Callable[[Any], list[Any]],
    *errors: str,
    derivative: Derivative | NotThere,
    multiple: bool = False,
    scalar: Callable[..., Any] | None = None,
) -> OpDef:
    """Define the op of one of Python's functions of numbers, by the kinds of what it gives."""
    name = signature.partition("(")[0].partition("_")[2]

    def spec(*x: TensorSpec) -> TensorSpec | tuple[TensorSpec, ...]:
        for one in x:
            need_scalar(one, f"an argument of {name}()")
        found = kinds(*x)
        if isinstance(found, tuple):
            return tuple(WEAK_SPECS[kind] for kind in found)
        return WEAK_SPECS[found]

    return op(
        signature,
        doc=doc,
        spec=spec,
        kernel=lambda xp, *x: function(*x),
        samples=calls("f", lambda some: [(x, {}) for x in draw(some)]),
        scalar=scalar,
        family=PYTHON,
        multiple=multiple,
        derivative=derivative,
        raises=raises(*errors),
    )


python_complex = _of_numbers(
    "python_complex(real, imag)",
    "What Python's `complex` gives for two numbers.",
    complex,
    lambda *x: complex,
    lambda some: [(1.5, some(1)[0])],
    "OverflowError",
    derivative=partials(1, lambda z, real, imag: 1j),
    scalar=lambda s, real, imag: s.complex(s.to_float(real), s.to_float(imag)),
)
python_pow = _of_numbers(
    "python_pow(base, exp, mod)",
    "What Python's `pow` gives for three integers.",
    pow,
    lambda *x: int,
    lambda some: [(3, 4, 5)],
    "ValueError",
    derivative=NOT_DIFFERENTIABLE,
)
python_round_to = _of_numbers(
    "python_round_to(x, digits)",
    "What Python's `round` gives for a number and how many digits are to stay.",
    round,
    lambda x, digits: _kind(x),
    lambda some: [(2.675, 2), (15, -1)],
    "ValueError",
    "OverflowError",
    derivative=NOT_DIFFERENTIABLE,
)
python_sum = _of_numbers(
    "python_sum(start, *x)",
    "What Python's `sum` gives for numbers, of which the first is the start.",
    lambda start, *x: sum(x, start),
    _joint_kind,
    lambda some: [(0, *[0.1] * 10), (0, True), (0.5, 2, -0.25)],
    "OverflowError",
    derivative=linear(lambda apply, g, *x: [g] * len(x), None),
)


def _divmod_spec(x: TensorSpec, y: TensorSpec) -> tuple[TensorSpec, ...]:
    if x.weak and y.weak:
        return (WEAK_SPECS[_joint_kind(x, y)],) * 2
    dtypes, shape = resolve_ufunc(np.divmod, x.promotable, y.promotable), broadcast(x, y)
    return tuple(make_spec(dtype, shape) for dtype in dtypes)


python_divmod = op(
    "python_divmod(x, y)",
    doc="What Python's `divmod` gives for numbers, of NumPy's, too, or arrays.",
    spec=_divmod_spec,
    kernel=lambda xp, x, y: divmod(x, y),
    samples=calls("iuf", lambda some: [((7, -2), {}), ((some(1)[0], 2), {}), ((7.5, -2), {})]),
    family=PYTHON,
    warns=True,
    batching=elementwise,
    raises=divides,
    derivative=SECOND_OF_DIVMOD,
    multiple=True,
)
math_frexp = _of_numbers(
    "math_frexp(x)",
    "The mantissa and the exponent that `math.frexp` gives.",
    math.frexp,
    lambda x: (float, int),
    lambda some: [(some(1)[0],)],
    "OverflowError",
    derivative=FIRST_OF_FREXP,
    multiple=True,
)
math_modf = _of_numbers(
    "math_modf(x)",
    "The fraction and the whole number that `math.modf` gives.",
    math.modf,
    lambda x: (float, float),
    lambda some: [(some(1)[0],)],
    "OverflowError",
    derivative=FIRST_OF_MODF,
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


def _best(name: str, function: Callable[..., Any]) -> OpDef:
    """Define the op of a function that chooses an item."""

    def spec(*keys: TensorSpec) -> TensorSpec:
        _rank_spec(*keys)
        return WEAK_SPECS[int]

    return op(
        f"{name}(*keys)",
        doc=f"""The position of the item that Python's `{function.__name__}` chooses, by its keys.

        Of equal items that is the first; NaN is neither smaller nor greater than anything. Raises
        the ValueError of Python when there are no items.""",
        spec=spec,
        kernel=lambda xp, *keys: function(range(len(keys[0])), key=_ranks(keys)),
        samples=calls("biufc", lambda some: [((some(4),), {}), ((some(4), some(4)), {})]),
        family=FACTS,
        raises=raises_of_sizes,
    )


python_max = _best("python_max", max)
python_min = _best("python_min", min)


def _is_in_order(key: Any) -> bool:
    """Tell whether NumPy has the order of Python for an array: it has one for NaN."""
    if not isinstance(key, np.ndarray) or key.dtype.kind not in "biuf":
        return False
    return key.dtype.kind != "f" or not np.isnan(key).any()


def _order_kernel(xp: Any, *keys: Any, reverse: bool) -> Any:
    if keys[0].ndim and all(map(_is_in_order, keys)):
        turned = [key[::-1] for key in keys] if reverse else keys
        found = np.lexsort(turned[::-1]) if len(keys) > 1 else np.argsort(turned[0], kind="stable")
        return len(found) - 1 - found[::-1] if reverse else found
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
    family=FACTS,
    raises=raises_of_shapes,
)
