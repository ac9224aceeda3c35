"""Ops that tell what an op raises: `raises` before it is done, `attempt` as it is done.

Comes in: an op in a region, and names of exceptions. Goes out: which of them it raises, by number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from runtime.graph.node import Graph
from runtime.graph.opdef import op
from runtime.graph.traits import NOT_DIFFERENTIABLE, Form
from runtime.ops.control import check_params, check_regions
from runtime.ops.exceptions import exception_class
from runtime.ops.families import REGIONS
from runtime.ops.text_ops import TEXT
from runtime.spec import WEAK_SPECS, TensorSpec

Region = Callable[..., tuple[Any, ...]]


def _raises_spec(
    *operands: TensorSpec, errors: tuple[str, ...], regions: Sequence[Graph]
) -> tuple[TensorSpec, ...]:
    check_regions(regions, 1)
    check_params(regions[0], operands)
    return WEAK_SPECS[int], TEXT


def _raises_kernel(
    xp: Any, *operands: Any, errors: tuple[str, ...], regions: Sequence[Region]
) -> tuple[int, str]:
    tells = any(issubclass(exception_class(x), Warning | FloatingPointError) for x in errors)
    try:
        with nullcontext() if tells else np.errstate(all="ignore"):  # it is computed once more
            regions[0](*operands)
    except Exception as error:
        return _number_of(error, errors), str(error)
    return 0, ""


def _number_of(error: Exception, errors: tuple[str, ...]) -> int:
    """Return the number, from 1, of the first of the classes that an exception is of, or 0."""
    kinds = map(exception_class, errors)
    return next((k for k, kind in enumerate(kinds, 1) if isinstance(error, kind)), 0)


raises = op(
    "raises(*operands, errors)",
    doc="The number, from 1, of the named exception that the region raises, or 0; its text.",
    spec=_raises_spec,
    kernel=_raises_kernel,
    samples=None,
    family=REGIONS,
    form=Form.PROBE,
    warns=False,
    derivative=NOT_DIFFERENTIABLE,
)


def _attempt_spec(
    *operands: TensorSpec, errors: tuple[str, ...], count: int, regions: Sequence[Graph]
) -> tuple[TensorSpec, ...]:
    found = _raises_spec(*operands, errors=errors, regions=regions)
    return (*found, *(value.spec for value in regions[0].results))


def _attempt_kernel(
    xp: Any, *operands: Any, errors: tuple[str, ...], count: int, regions: Sequence[Region]
) -> tuple[Any, ...]:
    try:
        return 0, "", *regions[0](*operands)
    except Exception as error:
        number = _number_of(error, errors)
        if not number:
            raise
        return number, str(error), *[None] * count


attempt = op(
    "attempt(*operands, errors, count)",
    doc="""Run the region, which does more than to compute, once.

    Gives the number, from 1, of the named exception that it raises, or 0; its text; and the `count`
    results of the region, which nobody asks for where it raises.""",
    spec=_attempt_spec,
    kernel=_attempt_kernel,
    samples=None,
    family=REGIONS,
    form=Form.ATTEMPT,
    derivative=NOT_DIFFERENTIABLE,
)
