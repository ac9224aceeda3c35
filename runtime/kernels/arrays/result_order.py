"""In which order NumPy lays out what it computes of arrays of several orders.

Comes in: a kernel, and whether the strides of each input fall from axis to axis. Goes out: lines
that leave the kernel unless NumPy makes each result in C order, and reduces in that order.

A result of a ufunc is in the order of its operands; where these disagree about two axes, C order
wins (`npyiter_find_best_axis_ordering` in NumPy's sources). An operand that is broadcast along one
of them does not matter. So the transpose of a matrix beside the matrix gives a result in C order.
But what was just computed may be overwritten with the result (`temp_elide.c`), in its own order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from runtime.kernels.entry import Entry
from runtime.kernels.kernel import ArrayType, Operand
from runtime.kernels.maps import MapKernel


@dataclass(frozen=True, slots=True)
class _Order:
    """Whether strides fall, along which axes a value is not broadcast, whether it was computed."""

    falls: str
    axes: frozenset[int]
    is_new: bool


def need_c_order(e: Entry, kernel: MapKernel, falling: Mapping[int, str]) -> None:
    """Write that the kernel is left unless its results are in C order.

    Args:
        e: writes the entry.
        kernel: whose it is.
        falling: for inputs that are arrays whether their strides fall, by their numbers.
    """
    if kernel.loop is not None:
        for falls in falling.values():
            e.need(falls)
        return
    known: dict[Operand, _Order] = {}
    for k, falls in falling.items():
        kind = kernel.inputs[k].type
        assert isinstance(kind, ArrayType)
        first = kernel.rank - len(kind.shape)
        axes = frozenset(first + axis for axis, n in enumerate(kind.shape) if n != 1)
        known[kernel.body.params[k]] = _Order(falls, axes, is_new=False)
    for x in kernel.body.instructions:
        given = x.args[1:] if x.op == "laid" else x.args
        found = _result_of(e, kernel.rank, [known[y] for y in given if y in known])
        if x.op == "reduce":
            e.need(found.falls)
        else:
            known.update(dict.fromkeys(x.results, found))
    for result in kernel.body.results:
        if result in known:
            e.need(known[result].falls)


def _result_of(e: Entry, rank: int, given: list[_Order]) -> _Order:
    """Return the order of what is made of some operands."""
    w, falls, of_new = e.writer, "true", "true"
    for x in given:
        falls = w.new(f"and i1 {falls}, {x.falls}")
        of_new = w.new(f"and i1 {of_new}, {x.falls}") if x.is_new else of_new
    for x in given:
        if len(x.axes) == rank:
            falls = w.new(f"or i1 {falls}, {x.falls}")
    falls = w.new(f"and i1 {falls}, {of_new}")
    return _Order(falls, frozenset().union(*(x.axes for x in given)), is_new=True)
