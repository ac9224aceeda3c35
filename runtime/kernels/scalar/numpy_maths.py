"""NumPy's exponential of float32 in the instructions of kernels, with its bits.

Comes in: the body of a kernel over arrays. Goes out: one in which the calls of NumPy's inner loop
are instructions, so that numbers stay in registers, and several vectors are computed side by side.

The method and its numbers are those of NumPy's loop for AVX-512 (`loops_exponent_log`): the
nearest multiple of log(2) is subtracted, in two steps, and the rest goes into a rational function.
All 2**32 arguments give the same bits (`python -m tools.bench.exponentials`). Which loop NumPy has
taken here is its own choice, so some of its results are looked at once (`target`): where one bit
differs, it is called. Flags that NumPy sets are set, too; infinities set some more, which only
means that NumPy is asked again for those who want them reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from runtime.kernels.kernel import Block, Instruction, Literal, Operand, Policy
from runtime.kernels.scalar.scalars import Scalars
from runtime.kernels.target import Target

SINGLE = np.dtype(np.float32)
_HIGH, _LOW = 88.72283935546875, -103.97208404541015625
"""From here on exponentials are infinite; up to here they are zero."""
_ABOVE, _BELOW = 200.0, -300.0
"""What is computed instead of such numbers: an overflow, and an underflow."""
_WHOLE = 1.5 * 2.0**23
_LN2 = (-6.93145752e-1, -1.42860677e-6)
_NUMERATOR = (
    5.082762527590693718096e-04, 6.757896990527504603057e-03, 5.114512081637298353406e-02,
    2.473615434895520810817e-01, 7.257664613233124478488e-01, 9.999999999980870924916e-01,
)  # fmt: skip
_DENOMINATOR = (2.159509375685829852307e-02, -2.742335390411667452936e-01, 1.0)


def inlined(body: Block, target: Target) -> Block:
    """Return a body without calls of the loops that are known."""
    if not any(map(_is_exp, body.instructions)) or not target.exact_exp:
        return body
    found = list[Instruction]()
    for x in body.instructions:
        found += _written(x, target) if _is_exp(x) else [x]
    return replace(body, instructions=tuple(found))


def _written(x: Instruction, target: Target) -> list[Instruction]:
    """Return the instructions that stand for a call."""
    s = Scalars(target)
    s.policy = Policy.ELEMENT
    *others, last = s.block((), lambda: [exp(s, x.args[0])]).instructions
    return [*others, replace(last, results=x.results)]


def _is_exp(x: Instruction) -> bool:
    return x.op == "loop" and x.attrs["ufunc"] == "exp" and x.args[0].type == SINGLE


def exp(s: Scalars, x: Operand) -> Operand:
    """The exponential of a number of float32."""
    near = s.select(s.less_equal(_of(_HIGH), x), _of(_ABOVE), x)
    near = s.select(s.less_equal(x, _of(_LOW)), _of(_BELOW), near)
    k = s.multiply(near, _of(np.log2(np.e)))
    k = s.subtract(s.add(k, _of(_WHOLE)), _of(_WHOLE))
    for part in _LN2:
        near = s.emit("fma", [k, _of(part), near], SINGLE)
    ratio = s.divide(_polynomial(s, near, _NUMERATOR), _polynomial(s, near, _DENOMINATOR))
    found = s.emit("scale", [ratio, k], SINGLE)
    return s.select(s.equal(x, x), found, _of(np.nan))


def _polynomial(s: Scalars, x: Operand, coefficients: Sequence[float]) -> Operand:
    """Return a polynomial by Horner's rule; the coefficient of the highest power comes first."""
    found: Operand = _of(coefficients[0])
    for value in coefficients[1:]:
        found = s.emit("fma", [found, x, _of(value)], SINGLE)
    return found


def _of(value: float) -> Literal:
    return Literal(SINGLE, float(np.float32(value)))
