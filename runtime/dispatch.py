"""Applying an op: eagerly to arrays, or as a node of the graph that is being built.

This is the one place that decides between the two, by value: an op is staged when a graph is being
built and an operand is staged, or when the op has an effect.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from runtime import default_graph, dtypes
from runtime.active_tapes import RECORDERS, tell
from runtime.aliasing import check_current, note_write, sources_of
from runtime.array_context import Checked, OutsideArrays, arrays_of
from runtime.backends import is_foreign
from runtime.constants import array_constant, scalar_constant
from runtime.dtypes import STRING, WEAK_DTYPES, as_dtype, is_string
from runtime.errors import DtypeError, MutationError, absence, exact, not_an_operand
from runtime.floating_errors import USUAL, Reporting, done_quietly
from runtime.graph.builder import Builder
from runtime.graph.location import Location
from runtime.graph.node import Value
from runtime.graph.opdef import OpDef
from runtime.number_union import union_that_matters
from runtime.opaque import Opaque
from runtime.operands import array_module, as_dense, beside
from runtime.ops.control import switch
from runtime.ops.effects import check
from runtime.ops.indexing import update
from runtime.ops.joining import stack
from runtime.rows import is_written_through
from runtime.selected import read_selected, roots_of, write_selected
from runtime.spec import TensorSpec, spec_of
from runtime.tensor import (
    LOCKED,
    UNUSUAL,
    Place,
    Readable,
    Symbol,
    Tensor,
    TensorLike,
    View,
    is_staged,
    root_of,
    unwritable_error,
    value_now,
    view_of_result,
)
from runtime.union import Choice, gives_cell, leaf_spec
from runtime.variable_writes import keep_assigned

SEQUENCES = (list, tuple, deque)  # what NumPy takes for an array


def apply(op: OpDef, inputs: Sequence[Any], **attrs: Any) -> Any:
    """Apply an op to tensors, arrays and Python scalars.

    Returns a symbol when it was staged; a `Tensor` when an operand is one; else an array.
    """
    builder = default_graph.current()
    attributes = op.attributes(attrs)
    if not UNUSUAL.isdisjoint(map(type, inputs)):
        choice = next((x for x in inputs if type(x) is Choice), None)
        if choice is not None:
            return Choice.each(choice, partial(_apply_with, op, inputs, attrs, choice))
        inputs = [lift(x) for x in inputs]
    if builder is None:
        return _run_eagerly(op, inputs, attributes)
    if op.effect is None and not any(map(is_staged, inputs)):
        return _run_known(builder, op, inputs, attributes)
    if (number := union_that_matters(op, inputs, attributes)) is not None:
        return Choice.each(number.union, partial(_apply_with, op, inputs, attrs, number))
    return emit(builder, op, inputs, attributes)


UNUSUAL.add(Choice)


def _apply_with(
    op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], choice: Any, option: Any
) -> Any:
    return apply(op, [option if x is choice else x for x in inputs], **attrs)


def emit(builder: Builder, op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """Append a node to the graph that is being built and return a symbol (or a tuple of them)."""
    values = [as_value(builder, x) for x in inputs]
    may_report = op.warns and not all(x.spec.weak for x in values)
    reporting = builder.reports.now(op.name) if may_report else USUAL
    if reporting == USUAL:
        results = builder.emit(op, values, attrs)
    else:
        results = _emit_reporting(builder, reporting, op, values, attrs)
    if op.multiple:
        return tuple(Symbol(builder, value) for value in results)
    view = view_of_result(op, inputs, attrs, results[0].spec)
    symbol = Symbol(builder, results[0], view=view)
    symbol.is_cell = symbol.spec.shape == () and (view is not None or gives_cell(op.cell, inputs))
    if view is not None:
        symbol._seen = (builder, values[0])
    return symbol


def _emit_reporting(
    builder: Builder,
    reporting: Reporting,
    op: OpDef,
    values: Sequence[Value],
    attrs: Mapping[str, Any],
) -> tuple[Value, ...]:
    """Append a node that reports floating point errors in its own way."""
    inner = Builder(builder)
    with default_graph.building(inner):
        results = inner.emit(op, values, attrs)
    captures = inner.captured()
    region = inner.seal((), results, captures)
    given = [as_value(builder, 0), *captures]
    return builder.emit(switch, given, reporting._asdict(), [region])


def _run_eagerly(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    arrays = [x.array if type(x) is Tensor else as_array(x) for x in inputs]
    if (other := next(filter(is_foreign, arrays), None)) is not None:
        arrays = [beside(other, x) if isinstance(x, np.ndarray) else x for x in arrays]
    found = op.kernel(array_module(arrays), *arrays, **attrs)
    tensor = next((x for x in inputs if type(x) is Tensor), None)
    if tensor is None:
        return found
    operate = tensor.operate
    made = [Tensor(x, operate) for x in found] if op.multiple else [Tensor(found, operate)]
    if RECORDERS.active:
        tell(op, attrs, arrays, made)
    return tuple(made) if op.multiple else made[0]


def _run_known(builder: Builder, op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    inputs = [lift(x) if isinstance(x, SEQUENCES) else x for x in inputs]
    outside = builder.root.context(OutsideArrays).names
    tensors = [x for x in inputs if type(x) is Tensor] if outside else ()
    if any(map(is_staged, inputs)) or any(id(x.array) in outside for x in tensors):
        return emit(builder, op, inputs, attrs)
    arrays = [x.known if type(x) is Symbol else as_array(x) for x in inputs]
    builder.progress.known += 1
    found, warned = done_quietly(partial(op.kernel, array_module(arrays), *arrays, **attrs))
    if warned:
        return emit(builder, op, inputs, attrs)
    if op.multiple:
        return tuple(as_known(builder, x) for x in found)
    return as_known(builder, found, _known_view(found, op, inputs, attrs))


def _known_view(found: Any, op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """Return how a known array is a view of its base; here NumPy itself has decided whether."""
    view = view_of_result(op, inputs, attrs, spec_of(found))
    if view is None or not np.may_share_memory(found, view.base.known):
        return None
    return view._replace(writable=True)


def as_known(builder: Builder, array: Any, view: View | None = None) -> Any:
    """Return a known symbol for an array; scalars, which cannot be written, stay as they are."""
    is_plain = isinstance(array, np.ndarray) and not isinstance(array, OTHER_ARRAYS)
    if is_plain and array.dtype.kind in "biufcT":
        return Symbol(builder, None, array, view)
    return array


def as_array(value: Any) -> Any:
    """Return an array or a scalar for an operand: lists and tuples become arrays."""
    if type(value) is Tensor:
        return value.array
    if type(value) is Symbol:
        value.builder_now()
        return value.known
    if isinstance(value, SEQUENCES):
        return as_dense(value)
    if isinstance(value, str):
        return np.array(value, STRING)
    if type(value) in WEAK_DTYPES or hasattr(value, "dtype"):
        return value
    if isinstance(value, dtypes.WEAK_TYPES):
        return dtypes.plain_number(value)
    raise not_an_operand(value)


OTHER_ARRAYS = (np.ma.MaskedArray, np.matrix)
"""Classes of arrays with rules of their own: what is done with one is a call of NumPy."""


def is_operand(value: Any) -> bool:
    """Tell whether a value may be an operand of an array's operator."""
    if isinstance(value, (TensorLike, int, float, complex, *SEQUENCES, Choice)):
        return True
    return hasattr(value, "dtype") and not isinstance(value, type | Opaque)


def goes_with(self: Any, other: Any) -> bool:
    """Tell whether a value may be an operand beside an array: texts go with texts."""
    return is_operand(other) or (isinstance(other, str) and is_string(self.spec.dtype))


def lift(value: Any) -> Any:
    """Return nested lists with staged values among them as one symbol; anything else as it is.

    What stands for an array is read.
    """
    if not isinstance(value, SEQUENCES):
        return value_now(value)
    parts = [lift(x) for x in value]
    if not any(is_staged(x) or type(x) is Choice for x in parts):
        return value
    ranks = [leaf_spec(x).rank if isinstance(x, TensorLike) else np.ndim(x) for x in parts]
    return apply(stack, parts, axis=0, rows=any(rank not in (0, 1) for rank in ranks))


def as_value(builder: Builder, operand: Any) -> Value:
    """Return the graph value of an operand, for a node of `builder`."""
    if type(operand) is Symbol:
        return value_of(operand)
    kind = type(operand)
    if kind in WEAK_DTYPES:
        return scalar_constant(builder, (kind, repr(operand)), operand)
    if isinstance(operand, str):
        return scalar_constant(builder, (str, operand), str(operand))
    if isinstance(operand, np.generic):
        as_dtype(operand.dtype)
        return scalar_constant(builder, (kind, operand.tobytes()), operand)
    if isinstance(operand, SEQUENCES) and is_staged(lifted := lift(operand)):
        return value_of(lifted)
    if isinstance(operand, Readable):
        return as_value(builder, operand.read())
    array = as_array(operand)
    is_number = type(array) in WEAK_DTYPES
    if is_number:
        return as_value(builder, array)
    if isinstance(array, OTHER_ARRAYS):
        raise DtypeError(f"no op takes a {type(array).__name__}, which has rules of its own")
    return array_constant(builder, array if is_foreign(array) else np.asarray(array))


def value_of(symbol: Symbol, checked: bool = True) -> Value:
    """Return the graph value that a symbol holds now.

    Args:
        symbol: it must be usable where the graph is being built.
        checked: whether a variable that may be undefined is checked when the graph runs.
    """
    builder = symbol.builder_now()
    if symbol.valid is not None and checked:
        check_defined(builder, *symbol.valid)
    if symbol.unreadable is not None:
        raise MutationError(symbol.unreadable)
    if symbol.selected is not None:
        return read_selected(builder, symbol, value_of)
    if symbol.view_of is None:
        check_current(builder, symbol)
    known = symbol.known
    if known is not None:
        return array_constant(symbol.builder, known)
    if symbol.view_of is not None:
        seen = (builder, value_of(symbol.view_of.base))
        if symbol._seen != seen or symbol._value in builder.gone:
            _take_view_again(builder, symbol, symbol.view_of, seen)
    assert symbol._value is not None
    return symbol._value


def check_defined(builder: Builder, name: str, flag: Symbol, at: Location | None = None) -> None:
    """Have the graph raise an error when a variable or attribute has no value; once is enough."""
    around: Builder | None = builder
    while around is not None:
        known = arrays_of(around).checked.get(id(flag))
        if known is not None and known.node in around.nodes[known.position : known.position + 1]:
            return
        around = around.parent
    error, message = absence(name)
    attrs = {"error": error, "message": message}
    builder.emit(check, [as_value(builder, flag)], attrs, location=at)
    last = len(builder.nodes) - 1
    arrays_of(builder).checked[id(flag)] = Checked(flag, last, builder.nodes[last])


def _take_view_again(
    builder: Builder, symbol: Symbol, view: View, seen: tuple[Builder, Value]
) -> None:
    """Compute a view anew, after its base was written or in a region that may write it."""
    if not is_written_through(builder, view):
        reason = (
            f"an array was written after {view.op.name} made a view of it; whether NumPy's view "
            "would change depends on its memory layout. Write .copy() to say what is meant"
        )
        if symbol._seen is not None and symbol._seen[1] is not seen[1]:
            raise MutationError(reason)
        for root in roots_of(symbol):
            _freeze(builder, root, reason)
    others = [as_value(builder, x) for x in view.others]
    (symbol._value,) = builder.emit(view.op, (seen[1], *others), view.attrs)
    symbol._seen = seen


def _freeze(builder: Builder, root: Symbol, reason: str) -> None:
    """Forbid writing an array in a region, and in those around it up to where it was made."""
    inner: Builder | None = builder
    while inner is not None and inner is not root.builder:
        arrays_of(inner).frozen[id(root)] = (root, reason)
        inner = inner.parent


def write(symbol: Symbol, new: Any) -> None:
    """Make a symbol hold a value of its own dtype and shape, as `x[...] = new` does."""
    builder = symbol.builder_now()
    if symbol.unwritable is not None:
        raise unwritable_error(symbol.unwritable)
    value = as_value(builder, new)
    if symbol.selected is not None:
        write_selected(builder, symbol, value, partial(_write_fitted, symbol.spec, new), value_of)
        return
    view = symbol.view_of
    if view is not None and not (view.op.write and is_written_through(builder, view)):
        _detach(builder, symbol, view)
    if symbol.view_of is not None:
        view = symbol.view_of
        assert view.op.write is not None
        is_all = view.base.spec == symbol.spec and symbol.spec.shape == ()
        if not is_all:
            new = view.op.write(apply, view.base, new, *view.others, **view.attrs)
        write(view.base, new)
        symbol._value, symbol._seen = value, (builder, value_of(view.base))
        symbol._known = None
        return
    check_current(builder, symbol)
    _stage_known_places(symbol)
    note_write(builder, symbol)
    write_back(symbol, value)


def _write_fitted(spec: TensorSpec, new: Any, array: Symbol) -> None:
    """Write an array of which more is known than of what it may be."""
    write(array, new if array.spec == spec else apply(update, (array, new), key="..."))


def write_back(symbol: Symbol, value: Value) -> None:
    """Make an array that is no view hold what it held at the end of a region that wrote it."""
    builder = symbol.builder_now()
    arrays = arrays_of(builder)
    if id(symbol) in arrays.frozen:
        raise MutationError(arrays.frozen[id(symbol)][1])
    if builder is not symbol.builder:
        arrays.mutations.setdefault(id(symbol), (symbol, symbol.held()))
    before, _ = symbol.held()
    symbol.restore((value, None))
    builder.progress.writes += 1
    if symbol.variable is not None and before is not None:
        keep_assigned(builder, symbol, before)


def _stage_known_places(symbol: Symbol) -> None:
    """Make known arrays staged that a joined symbol may be: what they hold is known no longer."""
    for place in sources_of(symbol.joined_places or ()):
        owner = place.owner if isinstance(place, Place) else None
        if owner is not None and owner is not symbol and owner.known is not None:
            forget(owner)


def forget(symbol: Symbol) -> None:
    """Make a known array staged, and note in all regions that may have relied on what it held."""
    builder = default_graph.current()
    while builder is not None and builder is not symbol.builder:
        arrays_of(builder).has_forgotten = True
        builder = builder.parent
    symbol.restore((array_constant(symbol.builder, symbol.known), None))


def _detach(builder: Builder, symbol: Symbol, view: View) -> None:
    """Make a view that may be a copy an array of its own; what it was taken from is lost.

    NumPy decides by the memory layout whether writing it changes the base, so nobody may look.
    """
    if view.op.view == "always":
        raise exact(ValueError(LOCKED))
    reason = (
        f"the result of {view.op.name} was written; whether NumPy would change the array that it "
        "was taken from depends on its memory layout. Write .copy() first"
    )
    root = root_of(symbol)
    is_seen = root.is_param or root.selected is not None
    if builder is not symbol.builder or is_seen:
        raise MutationError(reason)
    base = view.base
    base.unreadable = reason
    while base.view_of is not None:
        base = base.view_of.base
        base.unreadable = reason
    symbol.view_of = None
