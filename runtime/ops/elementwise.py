"""Operators, comparisons, logic and choices, element by element.

What `x + y` emits is the op of that NumPy name. Python scalars stay Python scalars: of two Python
ints, `add` makes a Python int, by Python's rules.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.dtypes import as_dtype, promote
from runtime.errors import DtypeError
from runtime.graph.node import Value
from runtime.graph.opdef import OpDef, op
from runtime.graph.traits import (
    NOT_DIFFERENTIABLE,
    NOT_MEASURED,
    Traits,
    has_axes,
    raises_if,
    raises_of_sizes,
)
from runtime.ops.batch_rules import Batch, Operand, Result, choice, one_number, to_dtype
from runtime.ops.derivatives.constructors import conjugated, partials
from runtime.ops.derivatives.numbers import CHOICE, CLIPPED, POWER, QUOTIENT
from runtime.ops.families import BITS, DISCRETE, ELEMENTWISE, MOVED, PYTHON, VIEW
from runtime.ops.raising import (
    cast_raises,
    divides,
    is_float,
    pow_raises,
    power_raises,
    shift_raises,
    to_int_raises,
)
from runtime.ops.samples import binary, calls, each, unary
from runtime.ops.spec_rules import (
    LibraryKernel,
    broadcast,
    numpys,
    operator_of,
    operator_spec,
    promoted,
    same,
    trial,
    ufunc_op,
    ufunc_spec,
    weak,
)
from runtime.spec import TensorSpec, make_spec


def _operator(
    ufunc: np.ufunc,
    symbol: str,
    python: Callable[..., Any],
    doc: str,
    kinds: str,
    *,
    family: Traits = ELEMENTWISE,
    **own: Any,
) -> OpDef:
    """Define the op of a Python operator; it has the name of the NumPy ufunc."""
    inputs = "x, y" if ufunc.nin == 2 else "x"
    return op(
        f"{ufunc.__name__}({inputs})",
        doc=doc,
        spec=operator_spec(ufunc, python),
        kernel=lambda xp, *inputs: operator_of(xp, ufunc.__name__, python)(*inputs),
        samples=binary(kinds) if ufunc.nin == 2 else unary(kinds),
        python=f"{{0}} {symbol} {{1}}" if ufunc.nin == 2 else f"{symbol}{{0}}",
        ufunc=ufunc,
        functions=(ufunc,),
        family=family,
        **own,
    )


def _invert(x: Any) -> Any:
    """Return `~x`; Python's `~True` is that of the number one, without the warning for it."""
    return ~int(x) if type(x) is bool else ~x


# fmt: off
add = _operator(
    np.add, "+", operator.add, "Sum, element by element.", "biufc", commutative=True,
    scalar=lambda s, x, y: s.add(x, y), derivative=partials(1, 1))
subtract = _operator(
    np.subtract, "-", operator.sub, "Difference, element by element.", "iufc",
    scalar=lambda s, x, y: s.subtract(x, y), derivative=partials(1, -1))
multiply = _operator(
    np.multiply, "*", operator.mul, "Product, element by element.", "biufc", commutative=True,
    scalar=lambda s, x, y: s.multiply(x, y),
    derivative=partials(lambda z, x, y: y, lambda z, x, y: x))
divide = _operator(
    np.divide, "/", operator.truediv, "Quotient, element by element.", "biufc",
    scalar=lambda s, x, y: s.divide(x, y), raises=divides,
    derivative=QUOTIENT)
floor_divide = _operator(
    np.floor_divide, "//", operator.floordiv, "Quotient rounded down, element by element.", "biuf",
    scalar=lambda s, x, y: s.floor_divide(x, y), cost=24, raises=divides,
    derivative=NOT_DIFFERENTIABLE)
remainder = _operator(
    np.remainder, "%", operator.mod,
    "Remainder of division with the sign of the divisor, element by element.", "biuf",
    scalar=lambda s, x, y: s.remainder(x, y), cost=22, raises=divides,
    derivative=partials(1, lambda z, x, y: -(x // y)))
negative = _operator(
    np.negative, "-", operator.neg, "The number with the other sign, element by element.", "iufc",
    scalar=lambda s, x: s.negative(x), derivative=partials(-1))
positive = _operator(
    np.positive, "+", operator.pos, "The number as it is, element by element.", "iufc",
    scalar=lambda s, x: x, warns=False, derivative=partials(1))
bitwise_and = _operator(
    np.bitwise_and, "&", operator.and_, "Bits that both numbers have, element by element.",
    "biu", commutative=True,
    scalar=lambda s, x, y: s.bitwise("and", x, y), family=BITS)
bitwise_or = _operator(
    np.bitwise_or, "|", operator.or_, "Bits that either number has, element by element.",
    "biu", commutative=True,
    scalar=lambda s, x, y: s.bitwise("or", x, y), family=BITS)
bitwise_xor = _operator(
    np.bitwise_xor, "^", operator.xor, "Bits that one of the numbers has, element by element.",
    "biu", commutative=True,
    scalar=lambda s, x, y: s.bitwise("xor", x, y), family=BITS)
left_shift = _operator(
    np.left_shift, "<<", operator.lshift, "Bits moved to the left, element by element.", "u",
    scalar=lambda s, x, y: s.left_shift(x, y),
    raises=shift_raises, family=BITS)
right_shift = _operator(
    np.right_shift, ">>", operator.rshift, "Bits moved to the right, element by element.", "u",
    scalar=lambda s, x, y: s.right_shift(x, y),
    raises=shift_raises, family=BITS)
equal = _operator(
    np.equal, "==", operator.eq, "Whether numbers are equal, element by element.",
    "biufc", commutative=True,
    scalar=lambda s, x, y: s.equal(x, y), family=DISCRETE)
not_equal = _operator(
    np.not_equal, "!=", operator.ne, "Whether numbers differ, element by element.",
    "biufc", commutative=True,
    scalar=lambda s, x, y: s.not_equal(x, y), family=DISCRETE)
less = _operator(
    np.less, "<", operator.lt, "Whether the first number is smaller, element by element.", "biuf",
    scalar=lambda s, x, y: s.less(x, y), family=DISCRETE)
less_equal = _operator(
    np.less_equal, "<=", operator.le,
    "Whether the first number is smaller or equal, element by element.", "biuf",
    scalar=lambda s, x, y: s.less_equal(x, y), family=DISCRETE)
greater = _operator(
    np.greater, ">", operator.gt,
    "Whether the first number is greater, element by element.", "biuf",
    scalar=lambda s, x, y: s.greater(x, y), family=DISCRETE)
greater_equal = _operator(
    np.greater_equal, ">=", operator.ge,
    "Whether the first number is greater or equal, element by element.", "biuf",
    scalar=lambda s, x, y: s.greater_equal(x, y), family=DISCRETE)
# fmt: on

absolute = op(
    "absolute(x)",
    doc="Absolute value, element by element.",
    spec=operator_spec(np.absolute, abs),
    kernel=lambda xp, x: abs(x),
    samples=unary(),
    python="abs({0})",
    ufunc=np.absolute,
    functions=(np.absolute,),
    scalar=lambda s, x: s.absolute(x),
    family=ELEMENTWISE,
    warns=False,
    derivative=partials(lambda y, x: conjugated(np.sign(x))),
)

invert = op(
    "invert(x)",
    doc="Every bit turned round, element by element.",
    spec=operator_spec(np.invert, _invert),
    kernel=lambda xp, x: _invert(x),
    samples=unary("biu"),
    python="~{0}",
    ufunc=np.invert,
    functions=(np.invert,),
    scalar=lambda s, x: s.invert(x),
    family=BITS,
)


def _pow_kernel(xp: Any, x: Any, y: Any) -> Any:
    found = operator_of(xp, "pow", operator.pow)(x, y)
    if type(found) in (float, complex) and type(found) not in (type(x), type(y)):
        raise ValueError(f"{x!r} ** {y!r} is a {type(found).__name__}; staged, it must not be one")
    return found


pow_ = op(
    "pow(x, y)",
    doc="What the operator `**` gives; unlike `power`, it has short cuts for some exponents.",
    spec=operator_spec(np.power, operator.pow),
    kernel=_pow_kernel,
    samples=calls(
        "iufc",
        lambda some: [
            *(((some(3), exponent), {}) for exponent in (0, 1, 2, 3)),
            ((abs(some(3)), some(3) * 0 + 2), {}),
            ((3, 2), {}),
        ],
    ),
    python="{0} ** {1}",
    ufunc=np.power,
    scalar=lambda s, x, y: s.power(x, y),
    family=ELEMENTWISE,
    cost=6,
    raises=pow_raises,
    derivative=POWER,
)

power = ufunc_op(
    "power(x, y)",
    doc="The first number raised to the second, element by element.",
    samples=binary("iufc", 0, 3),
    # The loop of integers raises.
    scalar=lambda s, x, y: s.loop(np.power, x, y, kinds="f"),
    cost=6,
    raises=power_raises,
    derivative=POWER,
)


def _not_of_each(b: Batch, x: Value) -> Value:
    return b.emit(equal, b.cast(x, np.dtype(bool)), b.constant(False))


def _to_int_of_each(b: Batch, x: Operand) -> Result:
    found: Result = to_dtype()(b, x) if x.spec.dtype.kind in "bi" else None
    return found


def _strong_of_each(b: Batch, x: Operand) -> Result:
    return x.value


truth = op(
    "truth(x)",
    doc="The truth of a single value, as a Python bool.",
    spec=weak(bool),
    kernel=lambda xp, x: bool(x),
    samples=calls("biufc", lambda some: [((some(),), {}), ((some(1, 1),), {}), ((0,), {})]),
    python="bool({0})",
    scalar=lambda s, x: s.truth(x),
    family=DISCRETE,
    batching=to_dtype("bool"),
    raises=raises_of_sizes,
)

not_ = op(
    "not_(x)",
    doc="What `not` makes of a single value: a Python bool.",
    spec=weak(bool),
    kernel=lambda xp, x: not x,
    samples=calls("biufc", lambda some: [((some(),), {}), ((some(1, 1),), {}), ((0,), {})]),
    python="not {0}",
    scalar=lambda s, x: s.not_(x),
    family=DISCRETE,
    batching=one_number(_not_of_each),
    raises=raises_of_sizes,
)

to_int = op(
    "to_int(x)",
    doc="A single value as a Python int, rounded towards zero.",
    spec=weak(int),
    kernel=lambda xp, x: int(x),
    samples=calls("biuf", lambda some: [((some(1)[0],), {}), ((2.7,), {})]),
    python="int({0})",
    scalar=lambda s, x: s.to_int(x),
    family=PYTHON,
    batching=_to_int_of_each,
    raises=to_int_raises,
    derivative=NOT_DIFFERENTIABLE,
)

to_float = op(
    "to_float(x)",
    doc="A single value as a Python float.",
    spec=weak(float),
    kernel=lambda xp, x: float(x),
    samples=calls("biuf", lambda some: [((some(1)[0],), {}), ((2,), {})]),
    python="float({0})",
    scalar=lambda s, x: s.to_float(x),
    family=PYTHON,
    derivative=partials(1),
    batching=to_dtype(),
    raises=raises_if(has_axes, "TypeError"),
)

to_complex = op(
    "to_complex(x)",
    doc="A single value as a Python complex number.",
    spec=weak(complex),
    kernel=lambda xp, x: complex(x),
    samples=calls("biufc", lambda some: [((some(1)[0],), {}), ((2,), {})]),
    python="complex({0})",
    scalar=lambda s, x: s.to_complex(x),
    family=PYTHON,
    derivative=partials(1),
    batching=to_dtype(),
    raises=raises_if(has_axes, "TypeError"),
)


def _item_spec(x: TensorSpec) -> TensorSpec:
    kind = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[x.dtype.kind]
    found = weak(kind)(x)
    assert isinstance(found, TensorSpec)
    return found


item = op(
    "item(x)",
    doc="A single value as the Python scalar of its kind.",
    spec=_item_spec,
    kernel=lambda xp, x: x.item() if hasattr(x, "item") else x,
    samples=calls("biufc", lambda some: [((some(1, 1),), {}), ((some(1)[0],), {})]),
    scalar=lambda s, x: s.item(x),
    family=MOVED,
    derivative=partials(1),
    batching=to_dtype(),
    raises=raises_of_sizes,
)


def _strong_kernel(xp: Any, x: Any) -> Any:
    return np.asarray(x)[()] if isinstance(x, bool | int | float | complex) else x


strong = op(
    "strong(x)",
    doc="A Python scalar as the NumPy scalar of its kind; anything else as it is.",
    spec=same,
    kernel=_strong_kernel,
    samples=unary(),
    write=lambda apply, base, new: new,
    scalar=lambda s, x: x,
    family=VIEW,
    derivative=partials(1),
    batching=_strong_of_each,
)


def _cast_spec(x: TensorSpec, *, dtype: str) -> TensorSpec:
    return make_spec(as_dtype(dtype), x.shape)


def _cast_kernel(xp: Any, x: Any, *, dtype: str) -> Any:
    return x.astype(dtype) if hasattr(x, "astype") else np.dtype(dtype).type(x)


cast = op(
    "cast(x, /, dtype)",
    doc="The numbers in another dtype, as `astype` converts them.",
    spec=_cast_spec,
    kernel=_cast_kernel,
    samples=calls(
        "biuf",
        lambda some: [
            ((x,), {"dtype": name})
            for x in (some(3), some(1)[0], some(0, 2), some(2, 3).T)
            for name in ("bool", "int16", "float32", "float64", "complex128")
        ],
    ),
    scalar=lambda s, x, dtype: s.cast(x, as_dtype(dtype)),
    family=ELEMENTWISE,
    cell="kept",
    raises=cast_raises,
    derivative=partials(1),
)


def _where_spec(condition: TensorSpec, x: TensorSpec, y: TensorSpec) -> TensorSpec:
    return make_spec(promote(x.promotable, y.promotable), broadcast(condition, x, y))


where = op(
    "where(condition, x, y)",
    doc="Elements of `x` where the condition is true, elements of `y` elsewhere.",
    spec=_where_spec,
    kernel=LibraryKernel("where"),
    samples=calls(
        "biufc",
        lambda some: [
            ((some(3) > 0, some(3), some(3)), {}),
            ((some(2, 1) > 0, some(3), 1.5), {}),
            ((some(3), 1, 0), {}),
            ((True, some(3), some(1)), {}),
            ((some() > 0, some(), 2), {}),
        ],
    ),
    scalar=lambda s, condition, x, y: s.where(condition, x, y),
    family=ELEMENTWISE,
    batching=choice,
    warns=False,
    derivative=CHOICE,
)


def _clip_spec(x: TensorSpec, low: TensorSpec, high: TensorSpec) -> TensorSpec:
    found = promoted(x, low, high)
    if found.dtype.kind == "b":
        raise DtypeError("clip is not defined for bool")
    return found


clip = op(
    "clip(x, low, high)",
    doc="Numbers not smaller than `low` and not greater than `high`, element by element.",
    spec=_clip_spec,
    kernel=LibraryKernel("clip"),
    samples=calls(
        "iuf",
        lambda some: [
            ((some(3, 4), 1, 2), {}),
            ((some(3), some(2, 1), some(3)), {}),
            ((some(3), some(1)[0], 2), {}),
            ((some(0), 0.5, 2), {}),
        ],
    ),
    scalar=lambda s, x, low, high: s.clip(x, low, high),
    family=ELEMENTWISE,
    derivative=CLIPPED,
    cost=NOT_MEASURED,
)


nan_to_num = op(
    "nan_to_num(x, /, nan=0.0, posinf=None, neginf=None)",
    doc="Numbers with NaN and infinities replaced by finite numbers.",
    spec=same,
    kernel=lambda xp, x, **attrs: xp.nan_to_num(x, **attrs),
    samples=each("biuf", {}, {"nan": 1.0, "posinf": 2.0}),
    family=ELEMENTWISE,
    derivative=partials(lambda y, x, **attrs: np.where(np.isfinite(x), 1, 0)),
    cost=NOT_MEASURED,
)


def _round_kernel(xp: Any, x: Any, decimals: int) -> Any:
    found = xp.round(x, decimals)
    # NumPy before 2.3 returns an array of integers itself.
    return found.copy() if found is x else found


round_ = op(
    "round(x, /, decimals=0)",
    doc="Numbers rounded to so many decimals, halves to even.",
    spec=trial(np.round, lambda x, **attrs: x.shape),
    kernel=_round_kernel,
    samples=each("iufc", {}, {"decimals": 1}, {"decimals": -1}),
    functions=(np.round,),
    family=ELEMENTWISE,
    derivative=NOT_DIFFERENTIABLE,
    cost=NOT_MEASURED,
)


def _python_round_spec(x: TensorSpec) -> TensorSpec:
    if x.dtype.kind == "c":
        raise DtypeError("a complex number cannot be rounded")
    return weak(int)(x)  # type: ignore[return-value]


python_round = op(
    "python_round(x)",
    doc="What Python's `round` makes of a single value: a Python int, halves to even.",
    spec=_python_round_spec,
    kernel=lambda xp, x: round(x.item() if hasattr(x, "item") else x),
    samples=calls("biuf", lambda some: [((some(1)[0],), {}), ((2.5,), {}), ((3,), {})]),
    family=PYTHON,
    raises=raises_if(is_float, "ValueError", "OverflowError"),
    derivative=NOT_DIFFERENTIABLE,
)

isclose = op(
    "isclose(x, y, /, rtol=1e-05, atol=1e-08, equal_nan=False)",
    doc="Whether numbers are equal within tolerances, element by element.",
    **numpys(np.isclose, spec=lambda x, y, **attrs: ufunc_spec(np.equal)(x, y)),
    samples=calls(
        "biufc",
        lambda some: [((some(3), some(3)), {}), ((some(2, 1), some(3)), {"atol": 2.0})],
    ),
    family=DISCRETE,
    warns=True,
    cost=NOT_MEASURED,
)
