"""Calls of NumPy that become nodes of the graph: what has no op of its own is called as it is.

Comes in: a function of NumPy's and its arguments, some of which are staged. Goes out: what it
returns, with symbols for its arrays, and the arguments that it writes in place hold what it wrote.
"""

from __future__ import annotations

import copy
import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from io import IOBase
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from runtime import default_graph, trees
from runtime.aliasing import (
    UNKNOWN_MEMORY,
    AliasError,
    are_apart,
    is_joined,
    note_write,
    places_of,
    share,
)
from runtime.dispatch import as_array, emit, write
from runtime.errors import MutationError, StagedValueError
from runtime.graph.builder import Builder
from runtime.numpy.call_refusals import kind_of, refused
from runtime.numpy.call_text import CallText, Member, path_of
from runtime.numpy.held_arrays import is_written
from runtime.numpy.outcomes import Outcome, Part, UnforeseenError, nothing
from runtime.numpy.trials import Operand, foresee
from runtime.numpy.user_functions import parts_of
from runtime.numpy.witnesses import MOST, Witness, note_witnesses, witnesses_of
from runtime.opaque import OPAQUE, Opaque, Samples, places_of_mask, samples_of, symbol_of
from runtime.ops.effects import Called
from runtime.ops.numpy_calls import (
    COPIED,
    DRAWN,
    KEPT,
    OBJECT,
    READ,
    WRITTEN,
    compile_call,
    numpy_call,
)
from runtime.ops.public_names import DOERS, FILES, READERS, is_of_library, is_of_numpy
from runtime.spec import TensorSpec, spec_of
from runtime.tensor import NO_PLACES, Places, Symbol, is_staged, value_now
from runtime.union import Choice


def stage_call(
    function: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    is_whole: bool = False,
    of_ours: Exception | None = None,
) -> Any:
    """Call a function of NumPy when the graph runs.

    Args:
        function: it is called once or more now, on arrays of the same types, for what it gives.
        args: its arguments, staged ones anywhere in them.
        kwargs: those by keyword.
        is_whole: whether what it gives is one object, whatever it is.
        of_ours: what our function of that name raises, which knows types only.

    Raises:
        StagedValueError: it takes none of the values that were tried, or does more than to compute.
        Whatever NumPy raises for arguments of these types.
    """
    builder = default_graph.current()
    assert builder is not None
    name = function.name if isinstance(function, Member) else getattr(function, "__name__", "")
    is_of_memory = name in ("shares_memory", "may_share_memory")
    if is_of_memory and not any(type(x) is Opaque for x in args):
        return share_memory(builder, *args, **kwargs)
    _check_name(function, name, args)
    inside = [x for x in (*args, *kwargs.values()) if isinstance(x, list | tuple | dict)]
    if any(map(_is_one_of, trees.flatten_to(inside, lambda x: type(x) is Choice)[0])):
        raise refused(function, "that holds what a staged branch chose among several classes")
    is_whole |= name == "getstate"  # of which a part is a number or None
    try:
        call = CallText(function, args, kwargs)
        _check_objects(function, call)
        operands = [*map(value_now, call.operands)]
        outcome = _foreseen(builder, function, call, operands, is_whole, name, of_ours)
    except UnforeseenError as error:
        raise refused(function, str(error)) from None
    _check_writes(function, operands, outcome)
    symbols = _symbols(operands)
    writes = [k for k in outcome.writes if type(operands[k]) is Symbol]
    specs = [as_spec(symbols[k]) for k in writes] + [part.spec for part in outcome.parts]
    found = emit(
        builder,
        numpy_call,
        symbols,
        {
            "call": _called(builder, call),
            "form": str(outcome.form),
            "results": tuple(map(str, specs)),
            "given": "".join(_how_given(function, outcome, operands)),
        },
    )
    for k, new in zip(writes, found, strict=False):
        write(operands[k], new)
    _note_objects(function, operands, outcome)
    parts = map(partial(_part, symbols, outcome), found[len(writes) :], outcome.parts)
    return outcome.form.made(outcome.trials[0].found, parts, operands)


def _note_objects(function: Any, operands: Sequence[Any], outcome: Outcome) -> None:
    """Note what a call may have done to objects."""
    for k, operand in enumerate(operands):
        if type(operand) is Opaque and k in outcome.writes:
            _write_object(function, operand, k in outcome.masks)
        if type(operand) is Opaque:  # the call may have changed more than arrays
            samples_of(operand).take([one.given[k] for one in outcome.trials], outcome.sizes)


def _fail_when_called(builder: Builder, call: CallText, operands: Sequence[Any]) -> None:
    """Have the graph make a call that fails in all trials, and raise what it raises then.

    Other values may be taken, which is an error that says so.
    """
    attrs = {
        "call": _called(builder, call),
        "form": "None",
        "results": (),
        "given": "".join(OBJECT if type(x) is Opaque else COPIED for x in operands),
    }
    emit(builder, numpy_call, _symbols(operands), attrs)


def _symbols(operands: Sequence[Any]) -> list[Any]:
    """Return operands as operands of a node; what is an array without axes is one there, too."""
    found = [symbol_of(x) if type(x) is Opaque else x for x in operands]
    return [as_cell(x) if is_staged(x) and x.is_cell and not x.is_param else x for x in found]


def _called(builder: Builder, call: CallText) -> Any:
    """Return a call as an attribute: its text, or a function where that does not say all."""
    options = builder.reports.printing()
    if not call.objects and not options:
        return call.text
    function = compile_call(call.text, call.objects)
    if options:
        function = partial(_printing, options, function)
    return Called(function, name=call.text)


def _printing(options: Mapping[str, Any], function: Callable[..., Any], *operands: Any) -> Any:
    with np.printoptions(**options):
        return function(*operands)


def _foreseen(
    builder: Builder,
    function: Any,
    call: CallText,
    operands: Sequence[Any],
    is_whole: bool,
    name: str,
    of_ours: Exception | None,
) -> Outcome:
    """Return what a call gives; what does more than to compute is not tried.

    Where all trials fail, the graph makes the call, too: unless types decide that, as they do where
    our own function raises the same class.
    """
    if name in DOERS:
        return nothing(operands)
    written: set[str] = set()
    try:
        found = foresee(
            _tried(call, written),
            [_described(builder, x, k in call.grouped) for k, x in enumerate(operands)],
            is_whole=is_whole,
            is_unchecked=is_of_one(function, operands),
            calls_back=call.calls_back,
            reads=name in READERS,
        )
        if written:
            raise UnforeseenError("writes an array of a class of its own that is known now")
        return found
    except UnforeseenError:
        raise
    except Exception as error:
        if of_ours is None or kind_of(of_ours) is not kind_of(error):
            _fail_when_called(builder, call, operands)
        raise


def _check_name(function: Any, name: str, args: Sequence[Any]) -> None:
    """Refuse functions that are no part of a graph."""
    if name in FILES and name not in READERS | DOERS:
        raise refused(function, "does more than to compute")
    if name == "shuffle" and any(type(x) is list for x in args):
        raise MutationError(
            "shuffle() of a list draws when the graph runs, and the list is known while tracing. "
            "Shuffle an array, or permute indices: rng.permutation(n)"
        )


def _write_object(function: Any, value: Opaque, is_of_mask: bool) -> None:
    """Note that an object was written, which may hold arrays of the graph."""
    symbol = symbol_of(value)
    places = symbol.joined_places or NO_PLACES
    if is_of_mask and places_of_mask(value) is not None:
        places = places_of_mask(value) or NO_PLACES
    if any(place.is_exposed for place in places):
        raise refused(
            function, "writes an object that may hold the memory of an argument; copy that first"
        )
    note_write(symbol.builder_now(), symbol, places)


def as_spec(value: Any) -> TensorSpec:
    """Return the spec of an operand of a call."""
    return value.spec if type(value) is Symbol else spec_of(as_array(value))


def _described(builder: Builder, operand: Any, is_grouped: bool) -> Operand:
    """Return what is known of an operand."""
    if type(operand) is Opaque:
        return Operand(OPAQUE, samples_of(operand))
    if is_staged(operand):
        witnesses = witnesses_of(builder, operand)
        return Operand(operand.spec, None, witnesses, is_grouped, operand.is_cell)
    array = as_array(operand)
    return Operand(operand.spec if type(operand) is Symbol else spec_of(array), array)


def is_of_one(function: Any, operands: Sequence[Any]) -> bool:
    """Tell whether a library does what is called, which does not check all places in memory."""
    objects = [x for one in operands if type(one) is Opaque for x in samples_of(one).values]
    owner = getattr(function, "__self__", None)
    return any(map(is_of_library, (function, owner, *objects)))


def _how_given(function: Any, outcome: Outcome, operands: Sequence[Any]) -> Iterator[str]:
    """Yield how each operand is given: what an object may hold is a copy, nobody else's array.

    Of the array itself is asked how it lies.
    """
    if function in (Member("flags", False), Member("base", False)):
        yield OBJECT
        return
    kept = {k for part in outcome.parts if part.spec == OPAQUE for k in part.shared}
    for k, operand in enumerate(operands):
        if type(operand) is Opaque:
            yield DRAWN if samples_of(operand).kinds == {np.random.Generator} else OBJECT
        elif k in outcome.writes:
            yield WRITTEN if type(operand) is Symbol else KEPT
        elif k in kept:
            yield COPIED
        else:
            yield KEPT if k in outcome.keeps else READ


def _part(symbols: Sequence[Any], outcome: Outcome, found: Symbol, part: Part) -> Any:
    """Return a part of a result: a symbol, or an object."""
    bases = [symbols[k] for k in part.shared if type(symbols[k]) is Symbol]
    if part.spec == OPAQUE:
        families = {id(x.family): x.family for x in bases if x.spec == OPAQUE}
        found.family = families.popitem()[1] if len(families) == 1 else found
        share(found, map(_places, bases))
        found.is_cell = False
        masks = [_places(symbols[k]) for k in part.masks if type(symbols[k]) is Symbol]
        of_mask = NO_PLACES.union(*masks)
        return Opaque(found, Samples(part.samples, outcome.is_open, outcome.sizes), of_mask)
    note_witnesses(found, tuple(map(Witness, outcome.sizes, part.samples))[:MOST])
    found.is_cell = isinstance(part.samples[0], np.ndarray) and not part.samples[0].ndim
    if bases and part.spec.shape != ():
        share(found, map(places_of, bases), found.places)
    return found


def _places(symbol: Symbol) -> Places:
    """Return where an array, or what an object holds, may be."""
    return symbol.joined_places or NO_PLACES if symbol.spec == OPAQUE else places_of(symbol)


def _tried(call: CallText, written: set[str]) -> Callable[..., Any]:
    """Return what is called in trials: objects are copied, so that they keep their state.

    It adds the names of arrays among them that it writes: a graph would write them in each run.
    """
    if not call.objects:
        return compile_call(call.text, {})
    stateless = [x for x in call.objects.values() if isinstance(x, random.SystemRandom)]

    def tried(*operands: Any) -> Any:
        objects = copy.deepcopy(call.objects, {id(x): x for x in stateless})
        found = compile_call(call.text, objects)(*operands)
        written.update(name for name, x in objects.items() if is_written(call.objects[name], x))
        return found

    return tried


def _check_objects(function: Any, call: CallText) -> None:
    """Refuse what may do anything when it is tried: the user's own functions."""
    for value in call.objects.values():
        if isinstance(value, IOBase):
            raise refused(function, "is given a file that was opened while tracing: give its name")
        inner = value.__func__ if isinstance(value, MethodType) else value
        is_python = isinstance(inner, FunctionType) and inner.__module__ not in OURS
        is_theirs = is_python and (is_of_numpy(inner) or is_of_library(inner))
        if ((is_python and not is_theirs) or isinstance(inner, np.ufunc)) and path_of(
            value
        ) is None:
            name = getattr(inner, "__qualname__", inner.__name__)
            raise refused(function, f"is given {name}, which it would call when the graph runs")


def _check_writes(function: Any, operands: Sequence[Any], outcome: Outcome) -> None:
    for k in {k for one in outcome.trials for k in one.writes}:
        if type(operands[k]) not in (Symbol, Opaque):
            raise refused(function, "writes an array that was made outside of the staged function")


OURS = frozenset(["runtime.numpy.iteration", "random"])
"""The modules with functions that are called when the graph runs: ours, and Python's draws."""


def as_cell(symbol: Symbol) -> Symbol:
    """Return a number as an array without axes, which is what a graph then returns."""
    attrs = {
        "call": "numpy.array(_0)",
        "form": "cell",
        "results": (str(symbol.spec),),
        "given": "r",
    }
    builder = symbol.builder_now()
    (found,) = emit(builder, numpy_call, [symbol], attrs)
    found.is_cell = True
    return found  # type: ignore[no-any-return]


def holds_staged(value: Any, is_one: Callable[[Any], bool] = is_staged) -> bool:
    """Tell whether anything in nested lists, tuples, dicts and slices is staged, or another one.

    >>> holds_staged([1, (2, {"k": slice(3)})])
    False
    """
    if isinstance(value, list | tuple | deque | set | frozenset):
        return any(holds_staged(x, is_one) for x in value)
    if isinstance(value, Mapping):
        return any(holds_staged(x, is_one) for x in value.values())
    if isinstance(value, slice):
        return any(map(is_one, (value.start, value.stop, value.step)))
    if isinstance(value, FunctionType) and value.__closure__:
        return _closes_over_staged(value, {value})
    return type(value) is Opaque or is_one(value_now(value))


def _is_one_of(value: Any) -> bool:
    return type(value) is Choice or (type(value) is Symbol and value.union is not None)


def _closes_over_staged(function: FunctionType, seen: set[Any]) -> bool:
    """Tell whether a function, or those that it calls, have a staged value around them."""
    parts = [*parts_of(function)]
    inner = [x for x in parts if isinstance(x, FunctionType) and x not in seen]
    seen.update(inner)
    others = [x for x in parts if not isinstance(x, FunctionType)]
    return holds_staged(others) or any(_closes_over_staged(x, seen) for x in inner)


def share_memory(builder: Builder, a: Any, b: Any, max_work: int | None = None) -> Any:
    """Return what NumPy's functions of this name do, where it is known while tracing.

    It is staged of an array that is one of several.
    """
    for one, other in ((a, b), (b, a)):
        if type(one) is Symbol and one.selected is not None and one is not other:
            return Choice.each(one.selected, partial(share_memory, builder, other))
    shape = a.spec.shape if a is b else None
    if shape is not None and all(isinstance(n, int) for n in shape):
        return 0 not in shape
    if are_apart(builder, a, b):
        return False
    kind = AliasError if is_joined(a) or is_joined(b) else StagedValueError
    raise kind(UNKNOWN_MEMORY)
