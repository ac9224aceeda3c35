"""What raises unless something is true, for a batch.

cond(all(test or not mask)) { } { check(False, the values of the first element that fails) }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.graph.builder import Builder
from runtime.ops.batch_rules import Operand
from runtime.ops.control import cond
from runtime.ops.elementwise import item
from runtime.ops.indexing import gather
from runtime.ops.reductions import all_, argmin
from runtime.ops.ufuncs import logical_not, logical_or

if TYPE_CHECKING:
    from runtime.batching.batch import Batch


def check_each(
    batch: Batch, test: Operand, values: Sequence[Operand], attrs: Mapping[str, Any]
) -> None:
    """Emit the check of a batch: the node is one that raises unless its first operand is true."""
    holds = batch.cast(batch.shaped(batch.spread(test), ()), np.dtype(bool))
    if batch.mask is not None:
        holds = batch.emit(logical_or, holds, batch.emit(logical_not, batch.mask))
    passed, failed = Builder(batch.builder), Builder(batch.builder)
    inner = batch.inside(failed)
    place = inner.emit(argmin, holds)
    given = []
    for x in values:
        value = inner.emit(gather, x.value, place, key="?") if x.is_batched else x.value
        given.append(inner.emit(item, value) if x.is_batched and x.spec.weak else value)
    inner.emit_all(batch.node.op, inner.constant(False), *given, **attrs)
    more = failed.captured()
    graphs = [passed.seal([], [], more), failed.seal([], [], more)]
    is_fine = batch.emit(all_, holds)
    location = batch.node.location
    batch.builder.emit(cond, (is_fine, *more), cond.attributes({}), graphs, location)
