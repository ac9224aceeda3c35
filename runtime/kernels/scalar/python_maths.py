"""Functions of Python's `math` for single numbers.

Comes in: a name, operands, and what writes instructions. Goes out: the result. Where Python raises,
for what is undefined or too large, the kernel is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from runtime.kernels.c_functions import is_of_python
from runtime.kernels.kernel import BOOL, FLOAT, INT, Operand, UnsupportedError, kind_of

if TYPE_CHECKING:
    from runtime.kernels.scalar.scalars import Scalars


def of_math(s: Scalars, name: str, *x: Operand) -> Operand:
    """Return what a function of `math` gives for numbers of any dtypes."""
    if name in ("ceil", "floor", "trunc"):
        is_whole = kind_of(x[0]).kind != "f"
        return s.convert(x[0], INT) if is_whole else s.to_int(s.rounded(name, s.to_float(x[0])))
    floats = [s.to_float(each) for each in x]
    own = _OWN.get((name, len(x)))
    if own is not None:
        return own(s, *floats)
    if not is_of_python(name):
        raise UnsupportedError(f"math.{name}")
    found = s.emit("c_call", floats, FLOAT, name=name)
    s.stop_if(s.emit("not", [s.is_finite(found)], BOOL))
    return found


def _sqrt(s: Scalars, x: Operand) -> Operand:
    s.stop_if(s.less(x, s.like(0.0, x)))
    return s.sqrt(x)


def _log_to_base(s: Scalars, x: Operand, base: Operand) -> Operand:
    dividend, divisor = (of_math(s, "log", each) for each in (x, base))
    s.stop_if(s.equal(divisor, s.like(0.0, divisor)))
    return s.emit("fdiv", [dividend, divisor], FLOAT)


_Function = Callable[..., Operand]
_OWN: dict[tuple[str, int], _Function] = {
    ("sqrt", 1): _sqrt,
    ("log", 2): _log_to_base,
    ("fabs", 1): lambda s, x: s.absolute(x),
    ("copysign", 2): lambda s, x, y: s.emit("copysign", [x, y], FLOAT),
    ("degrees", 1): lambda s, x: s.multiply(x, s.like(180 / math.pi, x)),
    ("radians", 1): lambda s, x: s.multiply(x, s.like(math.pi / 180, x)),
    ("isnan", 1): lambda s, x: s.is_nan(x),
    ("isfinite", 1): lambda s, x: s.is_finite(x),
    ("isinf", 1): lambda s, x: s.equal(s.absolute(x), s.like(math.inf, x)),
}
