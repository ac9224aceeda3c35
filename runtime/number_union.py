"""Numbers that are of one of several classes: one number in the graph, and which class it has.

After `y = 0` and `if c: y = x` with an `np.int64` `x`, what `y` holds is a symbol of the dtype that
holds both, so whatever asks for its number only has it; `Symbol.union` keeps apart what plain
Python would have. Where an op gives the same for all of them it is computed once, else for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from runtime.dtypes import WEAK_DTYPES, is_lossless, is_string, promote
from runtime.graph.opdef import OpDef
from runtime.spec import TensorSpec, join_specs, make_spec
from runtime.tensor import Symbol, is_staged
from runtime.union import Choice, Option, is_cell, is_numeric, leaf_spec, option_of, values_of

NONE, _ = option_of(None)
"""What is no number: the class of None, of which there is one value."""

NONE_SPEC = make_spec(np.dtype("V"), (), True)
"""Stands for None where classes of numbers are told by their specs; no value has it."""


def union_that_matters(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Symbol | None:
    """Return the first operand of one of several classes, if an op asks which; else None."""
    for x in inputs:
        if type(x) is Symbol and x.union is not None:
            return None if _gives_the_same(op, inputs, attrs) else x
    return None


def _gives_the_same(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> bool:
    """Tell whether an op gives one result, whichever classes its operands are of.

    It does where the results have one spec, and what the operands are converted to has.
    """
    if op.effect is not None or not all(map(_has_it_all, inputs)):
        return False
    rows = [tuple(map(leaf_spec, inputs)), *product(*map(_specs, inputs))]
    try:
        found = [op.spec(*row, **attrs) for row in rows]
    except Exception:  # one of them is refused, when it is the one
        return False
    first = found[0]
    if any(spec != first for spec in found):
        return False
    if isinstance(first, TensorSpec) and is_string(first.dtype):  # it says which class it is
        return False
    operands = {promote(*(spec.promotable for spec in row)) for row in rows[1:]}
    return len(operands) == 1 or len(inputs) == 1


def _has_it_all(value: Any) -> bool:
    """Tell whether an operand is a number or an array, as exact as whatever it may be."""
    if type(value) is not Symbol or value.union is None:
        return is_numeric(value)
    dtype = value.spec.dtype
    pairs = zip(_specs(value), value.union._leaves, strict=True)
    return all(not is_staged(leaf) or is_lossless(spec.dtype, dtype) for spec, (leaf,) in pairs)


def _specs(value: Any) -> list[TensorSpec]:
    """Return the specs that an operand may have."""
    if type(value) is Symbol and value.union is not None:
        return [spec_of_option(option) for option in value.union._options]
    return [leaf_spec(value)]


def spec_of_option(option: Option) -> TensorSpec:
    """Return the spec of a number of one class, or what stands for that of None."""
    if option == NONE:
        return NONE_SPEC
    ((dtype, weak, _),) = option.kinds
    return make_spec(dtype, (), weak)


def is_optional(value: Any) -> bool:
    """Tell whether a value is None, a number, or one of these."""
    if type(value) is Choice:
        return all(map(is_optional, values_of(value)))
    if not is_numeric(value) or is_cell(value):
        return value is None
    return leaf_spec(value).shape == () and not is_string(leaf_spec(value).dtype)


def holds_numbers(leaves: Sequence[Any]) -> bool:
    """Tell whether the dtype that is joined of some leaves has the known numbers among them."""
    joined, *others = map(leaf_spec, leaves)
    for spec in others:
        wider = join_specs(joined, spec)
        if wider is None:
            return True
        joined = wider
    return all(_is_exact(x, joined) for x in leaves if type(x) in WEAK_DTYPES)


def _is_exact(number: complex, spec: TensorSpec) -> bool:
    """Tell whether a dtype has a value that equals a number, or is NaN like it."""
    if spec.weak and spec.dtype.kind != "c":
        return True
    try:
        with np.errstate(all="ignore"):
            found = spec.dtype.type(number).item()
    except OverflowError:
        return False
    return bool(found == number or (found != found and number != number))
