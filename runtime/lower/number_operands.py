"""The operands of an op on single numbers, in the dtypes that Python or NumPy computes in.

Comes in: a node, and its operands. Goes out: these in other dtypes, by instructions.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from runtime.dtypes import DType, loop_dtypes
from runtime.graph.node import Node
from runtime.kernels.kernel import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    Operand,
    Policy,
    UnsupportedError,
)
from runtime.kernels.scalar.scalars import Scalars
from runtime.spec import TensorSpec

_MIXES = sys.version_info < (3, 14)
"""Whether Python makes a real number complex that meets a complex one."""


def operands(s: Scalars, node: Node, given: Sequence[Operand]) -> list[Operand]:
    """Return the operands of a ufunc in the dtypes of its loop."""
    specs = [value.spec for value in node.inputs]
    _check_complex(specs)
    if node.result.spec.weak or all(spec.weak for spec in specs):
        kinds = _python_kinds(node, specs)
    else:
        kinds = _loop_kinds(node, specs)
    found = []
    for x, spec, kind in zip(given, specs, kinds, strict=True):
        if spec.weak and s.policy is Policy.SCALAR:
            found.append(s.fit(x, kind))
        elif node.result.spec.dtype == BOOL and spec.weak and spec.dtype == INT != kind:
            found.append(s.convert(s.exact_float(x), kind))
        else:
            found.append(s.convert(x, kind))
    return found


def _check_complex(specs: Sequence[TensorSpec]) -> None:
    """Refuse Python's complex numbers with real ones where these are not made complex."""
    if not any(spec.weak and spec.dtype == COMPLEX for spec in specs):
        return
    others = [spec for spec in specs if spec.dtype.kind != "c"]
    if not all(spec.weak for spec in others) or (others and not _MIXES):
        raise UnsupportedError("Python's complex numbers with real ones")


def _python_kinds(node: Node, specs: Sequence[TensorSpec]) -> list[DType]:
    """Return the kinds that Python's operator works on: the wider one; of bools, integers."""
    if not node.result.spec.weak:
        return _loop_kinds(node, specs)
    kind = max((spec.dtype for spec in specs), key=[BOOL, INT, FLOAT, COMPLEX].index)
    is_logic = node.op.scalar is not None and node.result.spec.dtype == BOOL
    return [INT if kind == BOOL and not is_logic else kind] * len(specs)


def _loop_kinds(node: Node, specs: Sequence[TensorSpec]) -> list[DType]:
    """Return the dtypes of the operands of the loop that NumPy chooses."""
    assert node.op.ufunc is not None
    found = loop_dtypes(node.op.ufunc, *(spec.promotable for spec in specs))
    return list(found[: len(specs)])
