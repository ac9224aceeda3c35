"""Which arrays nodes write, could write, and lend to functions that write them.

Comes in: a node. Goes out: the inputs into whose memory it could write its result, if nobody needs
them afterwards; those that a loop writes; and for each result of a call of a function that calls
itself which operand it is, if it is always the same one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.regions import INLINES, branch_of, loop_of
from runtime.graph.traits import Form, Subscript
from runtime.graph.walk import walk
from runtime.ops.creation import constant
from runtime.spec import TensorSpec

if TYPE_CHECKING:
    from runtime.lower.memory import Memory

LARGE = 1 << 14
"""From this number of elements on a result goes into the memory of a dead operand."""


def has_plain_key(node: Node, given: int) -> bool:
    """Tell whether the index of a node can be written as a subscript.

    Args:
        node: of an op whose attribute `key` is filled with
        given: the inputs from this number on.
    """
    return all(
        x.spec.dtype.kind in "iu" or (x.spec.dtype.kind == "b" and bool(x.spec.rank))
        for x in node.inputs[given:]
    )


def makes_arrays(node: Node) -> bool:
    """Tell whether the results of a node are new arrays."""
    if node.regions:
        return node.op.form in (*INLINES, Form.CALL)
    return node.op is not constant and node.op.view is None


def targets(node: Node) -> Sequence[Value]:
    """Return the inputs of a node that its op can write its result into."""
    if node.op.in_place is not None:
        plain = "key" not in node.attrs or has_plain_key(node, 2)
        return node.inputs[:1] if plain else ()
    if node.op.ufunc is None or node.attrs or not _is_large(node.results[0].spec):
        return ()
    if library_name(node.op) is None or "**" in (node.op.python or ""):
        return ()
    return [x for x in node.inputs if _takes_result(x, node)]


def lengthens(node: Node) -> bool:
    """Tell whether a node puts rows behind those of an array."""
    return node.op.extends and node.attrs["axis"] == 0 and bool(node.result.spec.rank)


def shortens(node: Node) -> bool:
    """Tell whether a node takes the first rows of an array, of a number that is known late."""
    if node.op.subscript is not Subscript.READ or str(node.attrs["key"]) not in (":?", "0:?"):
        return False
    return bool(node.result.spec.rank) and all(x.spec.shape == () for x in node.inputs[1:])


def is_moving(node: Node, makers: Mapping[Value, Node]) -> bool:
    """Tell whether a node assigns to a slice, as if it had read all of what it assigns before.

    NumPy does so but for rows of elements whose steps differ: these it assigns one by one.

    Args:
        node: which may be one of any op.
        makers: the nodes that made what there is.
    """
    if node.op.subscript is not Subscript.WRITE or any(x.spec.shape != () for x in node.inputs[2:]):
        return False
    base, value = node.inputs[:2]
    if value.spec.rank != 1:
        return value.spec.rank is not None
    part = makers.get(value)
    if part is None or part.op.view is None:
        return False
    return _is_run(node, base, makers) and _is_run(part, part.inputs[0], makers)


def _is_run(node: Node, base: Value, makers: Mapping[Value, Node]) -> bool:
    """Tell whether a node reads or writes elements one after another of an array with one axis."""
    is_view = base in makers and makers[base].op.view is not None
    return base.spec.rank == 1 and not is_view and str(node.attrs.get("key", "::")).count(":") == 1


def _is_large(spec: TensorSpec) -> bool:
    """Tell whether reusing memory of a spec pays."""
    if spec.weak or spec.shape is None:
        return False
    sizes = [n for n in spec.shape if isinstance(n, int)]
    return len(sizes) == len(spec.shape) and math.prod(sizes) >= LARGE


def _takes_result(value: Value, node: Node) -> bool:
    """Tell whether the array of an input is what NumPy would make for the result.

    Its layout has to be the same, too, since sums over it depend on that. It is when no other array
    with several axes takes part.
    """
    spec, wanted = value.spec, node.result.spec
    if spec.weak or (spec.dtype, spec.shape) != (wanted.dtype, wanted.shape):
        return False
    return spec.rank == 1 or all(x is value or x.spec.shape == () for x in node.inputs)


@lru_cache(maxsize=4096)
def library_name(op: OpDef) -> str | None:
    """Return the name under which the array module has an op that is a ufunc."""
    name = None if op.ufunc is None else op.ufunc.__name__
    return name if name is not None and getattr(np, name, None) is op.ufunc else None


LARGEST_COPY = 4096
"""The most elements of an array that is copied, so that a loop inside of another may write it."""


def is_large_copy(spec: TensorSpec) -> bool:
    """Tell whether an array is too large to be copied for each run of a loop inside of another."""
    assert spec.shape is not None
    sizes = [n if isinstance(n, int) else LARGEST_COPY for n in spec.shape]
    return math.prod(sizes) > LARGEST_COPY


def written_inputs(node: Node, memory: Memory) -> frozenset[int]:
    """Return the places of the inputs of a node that are written in it, or copies of them."""
    classes = memory.classes
    inner = [x for region in node.regions for x in walk(region)]
    updates = (x for x in inner if x.op.subscript is Subscript.WRITE)
    written = {classes.find(y) for x in updates for y in (x.inputs[0], x.result)}
    for x in inner:
        written |= {classes.find(x.inputs[k]) for k in memory.lent.get(x, ())}
    for found in filter(None, map(loop_of, reversed(inner))):  # inmost ones first
        copied = memory.copied.get(found.node, ())
        state = (x for k, x in enumerate(found.carried) if k not in copied)
        written |= {classes.find(x.initial) for x in state if classes.find(x.param) in written}
    loop = loop_of(node)
    seen, renewed = node.inputs, renewed_arrays(node)
    if loop is not None:  # it writes its state, and not what that begins with
        seen = tuple(replace(loop.operands, carried=loop.params.carried))
        renewed |= {loop.carried[k].param for k in memory.copied.get(node, ())}
    if node.op.form is Form.CALL:
        return frozenset(memory.functions.given(node))
    return frozenset(
        k
        for k, x in enumerate(seen)
        if x.spec.rank and (classes.find(x) in written or x in renewed)
    )


def renewed_arrays(node: Node) -> frozenset[Value]:
    """Return parameters of a loop for arrays of which its rounds may leave new ones."""
    loop = loop_of(node)
    if loop is None:
        return frozenset()
    state = (x for x in loop.carried if x.param.spec.rank and _is_new(loop.body, x.next))
    return frozenset(x.param for x in state)


def _is_new(region: Graph, value: Value) -> bool:
    """Tell whether a region makes an array anew: arms only choose, and updates write one."""
    node = next((x for x in region.nodes if value in x.results), None)
    loop = None if node is None else loop_of(node)
    if loop is not None:
        return any(x.final is value and _is_new(loop.body, x.next) for x in loop.carried)
    is_inline = node is not None and (not node.regions or node.op.form in INLINES)
    return node is not None and is_inline and node.op.subscript is not Subscript.WRITE


class Own(IntEnum):
    """What a result is that is no parameter."""

    UNKNOWN = -2
    MADE = -1


Kept = tuple[int | None, ...]
"""For each result the number of the parameter that it is; `Own`, or None for single numbers."""


def kept_params(node: Node, around: Mapping[str, Kept]) -> Kept:
    """Return which parameters the results of a call are.

    Args:
        node: the call, with the function as its region.
        around: what is known of functions in which it stands, by their names.
    """
    (region,), name = node.regions, node.attrs["function"]
    found: Kept = tuple(Own.UNKNOWN if x.spec.rank else None for x in region.results)
    before: Kept = ()
    while before != found:
        before, known = found, {**around, name: found}
        found = tuple(
            None if old is None else _one(old, _origins(x, region, known))
            for old, x in zip(before, region.results, strict=True)
        )
    twice = {k for k in found if found.count(k) > 1 and k is not None}
    return tuple(Own.MADE if k in twice or k == Own.UNKNOWN else k for k in found)


def _one(before: int, origins: set[int]) -> int:
    """Return the one thing that a result is; once that is something else, it is the function's."""
    if not origins:
        return before
    is_one = len(origins) == 1 and (before == Own.UNKNOWN or {before} == origins)
    return min(origins) if is_one else Own.MADE


def _origins(x: Value, region: Graph, known: Mapping[str, Kept]) -> set[int]:
    """Return the numbers of the parameters of a region whose array a value may be."""
    if x in region.params:
        return {region.params.index(x)}
    node = next((y for y in region.nodes if x in y.results), None)
    sources = None if node is None else _sources(node, node.results.index(x), known)
    if sources is None:
        return {Own.MADE}
    return set[int]().union(*(_origins(y, region, known) for y in sources))


def _sources(node: Node, k: int, known: Mapping[str, Kept]) -> list[Value] | None:
    """Return the inputs of a node whose array a result of it may be; None where it makes one."""
    branch, loop = branch_of(node), loop_of(node)
    if node.op.subscript is Subscript.WRITE or node.op.extends:
        return [node.inputs[0]]
    if branch is not None:
        ways = [_origins(arm.results[k], arm, known) for arm in branch.arms]
        found = set[int]().union(*ways)
        return None if Own.MADE in found else [branch.captured[n] for n in found]
    if loop is not None:
        if k >= len(loop.carried):
            return None
        own = loop.carried[k]
        stays = _origins(own.next, loop.body, known) <= {loop.body.params.index(own.param)}
        return [own.initial] if stays else None
    if node.op.form not in (Form.CALL, Form.CALL_AGAIN):
        return None
    name = node.attrs["function"]
    kept = kept_params(node, known) if node.op.form is Form.CALL else known.get(name)
    place = None if kept is None else kept[k]
    if place == Own.UNKNOWN:
        return []
    return None if place is None or place == Own.MADE else [node.inputs[place]]
