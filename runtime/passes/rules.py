"""The rules of algebra that hold exactly: bit for bit, with NaN, -0.0 and integers that wrap.

Not here, because they do not hold: x + 0 (for -0.0), x * 0, x - x, x / x (for NaN and infinity),
x + (-y) as x - y (for the sign of NaN), changing the order of additions, division as product.
Conditions name the kinds of dtypes for which a rule holds: b bool, i and u integers, f float,
c complex.
"""

from __future__ import annotations

from operator import neg

from runtime.ops.elementwise import not_, truth, where
from runtime.ops.indexing import index, scatter
from runtime.ops.linear import outer
from runtime.ops.movement import assigned, copy, stop_gradient
from runtime.ops.strides import in_order_of
from runtime.ops.ufuncs import square
from runtime.passes.pattern import Application, Condition, Expression, Rule, call, rule
from runtime.spec import TensorSpec


def kinds(wanted: str) -> Condition:
    """Return the condition that all variables are of the given kinds."""

    def condition(*specs: TensorSpec) -> bool:
        return all(spec.dtype.kind in wanted for spec in specs)

    return condition


def arrays(wanted: str) -> Condition:
    """Return the condition that all variables are arrays, not scalars, of the given kinds."""

    def condition(*specs: TensorSpec) -> bool:
        return all(spec.rank and spec.dtype.kind in wanted for spec in specs)

    return condition


def weak(wanted: str) -> Condition:
    """Return the condition that all variables are Python scalars of the given kinds."""

    def condition(*specs: TensorSpec) -> bool:
        return all(spec.weak and spec.dtype.kind in wanted for spec in specs)

    return condition


def vectors(*specs: TensorSpec) -> bool:
    """Tell whether all variables are arrays of real numbers with one axis.

    Products of complex numbers that overflow depend on how NumPy's loop goes over them.
    """
    return all(spec.rank == 1 and spec.dtype.kind in "iuf" for spec in specs)


def copied(x: Expression) -> Application:
    """Return what arithmetic makes that changes no number: an array that lies as its results do."""
    return call(copy, x)


def masked(x: TensorSpec, value: TensorSpec, mask: TensorSpec) -> bool:
    """Tell whether a number goes where a mask of all of an array is true, and converts exactly."""
    is_whole = bool(x.rank) and mask.dtype.kind == "b" and mask.shape == x.shape
    is_same = value.dtype == x.dtype or (value.weak and x.dtype.kind == "f")
    return is_whole and value.shape == () and value.dtype.kind != "c" and is_same


# fmt: off
RULES: tuple[Rule, ...] = (
    rule("derived", lambda x: call(stop_gradient, x), lambda x: x),
    rule("assigned", lambda x, y: call(assigned, x, y), lambda x, y: x, kinds("fc")),
    rule("assigned_end", lambda x, y: call(assigned, x, y, ends=True), lambda x, y: x, kinds("fc")),
    rule("neg_neg", lambda x: neg(neg(x)), lambda x: x),
    rule("invert_invert", lambda x: ~(~x), lambda x: x),
    rule("abs_abs", lambda x: abs(abs(x)), abs),
    rule("abs_neg", lambda x: abs(-x), abs, kinds("ifc")),
    rule("mul_one", lambda x: x * 1, lambda x: x, kinds("iuf")),
    rule("one_mul", lambda x: 1 * x, lambda x: x, kinds("iuf")),
    rule("mul_one_float", lambda x: x * 1.0, lambda x: x, kinds("f")),
    rule("one_float_mul", lambda x: 1.0 * x, lambda x: x, kinds("f")),
    rule("div_one", lambda x: x / 1, lambda x: x, kinds("f")),
    rule("div_one_float", lambda x: x / 1.0, lambda x: x, kinds("f")),
    rule("floordiv_one", lambda x: x // 1, lambda x: x, kinds("iu")),
    rule("sub_zero", lambda x: x - 0, lambda x: x, kinds("iuf")),
    rule("sub_zero_float", lambda x: x - 0.0, lambda x: x, kinds("f")),
    rule("add_zero", lambda x: x + 0, lambda x: x, kinds("iu")),
    rule("zero_add", lambda x: 0 + x, lambda x: x, kinds("iu")),
    rule("add_neg", lambda x, y: x + (-y), lambda x, y: x - y, kinds("iu")),
    rule("sub_neg", lambda x, y: x - (-y), lambda x, y: x + y, kinds("iu")),
    rule("neg_mul_neg", lambda x, y: (-x) * (-y), lambda x, y: x * y, kinds("iu")),
    rule("pow_two", lambda x: x**2, lambda x: call(square, x), arrays("iufc")),
    rule("pow_two_float", lambda x: x**2.0, lambda x: call(square, x), arrays("f")),
    rule("and_same", lambda x: x & x, lambda x: x, kinds("biu")),
    rule("or_same", lambda x: x | x, lambda x: x, kinds("biu")),
    rule("outer", lambda x, y: call(outer, x, y), lambda x, y: call(index, x, key=":, None") * y,
         vectors),
    rule("masked", lambda x, y, m: call(scatter, x, y, m, key="?"),
         lambda x, y, m: call(where, m, y, x), lambda x, y, m: x.rank == 1 and masked(x, y, m)),
    rule("masked_in_order", lambda x, y, m: call(scatter, x, y, m, key="?"),
         lambda x, y, m: call(in_order_of, call(where, m, y, x), x), masked),
    rule("not_not", lambda x: call(not_, call(not_, x)), lambda x: call(truth, x)),
    rule("not_truth", lambda x: call(not_, call(truth, x)), lambda x: call(not_, x)),
    rule("truth_of_bool", lambda x: call(truth, x), lambda x: x, weak("b")),
    rule("not_lt", lambda x, y: call(not_, x < y), lambda x, y: x >= y, weak("bi")),
    rule("not_le", lambda x, y: call(not_, x <= y), lambda x, y: x > y, weak("bi")),
    rule("not_gt", lambda x, y: call(not_, x > y), lambda x, y: x <= y, weak("bi")),
    rule("not_ge", lambda x, y: call(not_, x >= y), lambda x, y: x < y, weak("bi")),
)
# fmt: on
