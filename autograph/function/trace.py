"""Tracing: running a function on symbols, once, to get its graph.

A trace whose program caught what staging raised went another way than plain Python: it goes.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any, TypeAlias

from autograph.errors import GivenUpError
from autograph.function.absence import check_returned
from autograph.function.argument_mutation import Callers, Contents
from autograph.function.fallback import IDLE, PATIENCE, TRACED_FOR, Fallback
from autograph.function.leak_check import Outside
from autograph.function.outputs import Results
from autograph.function.restart import GivenUp, Needs
from autograph.function.safepoints import Safepoints, apart
from autograph.function.traced import Trace, no_undo
from autograph.function.unconverted import explain_unconverted
from autograph.logs import LOGGER
from autograph.operators.calls.endless_calls import endless
from autograph.operators.calls.recursion import Recursions, called
from autograph.operators.containers.staged_containers import Lists
from autograph.operators.control_flow.errors import add_place
from autograph.operators.iteration.generators import need_or_refuse
from autograph.operators.lists.list_columns import as_lists, check_rows
from autograph.operators.mutation.callees import functions_of
from autograph.operators.mutation.reachable_objects import holds
from autograph.operators.mutation.trace_journal import TraceJournal
from autograph.staging.context import trace_now, trace_of
from autograph.staging.copies import Restart, check_copies
from autograph.staging.deferred_errors import (
    emit_failure,
    holds_staged,
    is_of_the_program,
    is_of_tracing,
    refuse_union,
)
from autograph.staging.inexact_errors import is_inexact
from autograph.staging.internal_errors import internal_error, is_internal
from autograph.staging.reachability import searching
from autograph.staging.strictness import is_strict
from runtime.array_context import OutsideArrays
from runtime.default_graph import building
from runtime.dispatch import value_of
from runtime.errors import (
    DtypeError,
    RuntimeGraphError,
    ShapeError,
    StagedBoolError,
    StagedValueError,
    noting,
)
from runtime.graph.builder import Builder, Progress
from runtime.graph.location import error_location, is_ours, location_in, user_location
from runtime.graph.node import Value
from runtime.graph.reference import Reference
from runtime.lower.tracebacks import place_warnings
from runtime.operator_mode import operate_now
from runtime.passes.dce import remove_unread, remove_unused
from runtime.passes.inline import write_steps
from runtime.passes.writes import writing_once
from runtime.signature import Signature, Slot
from runtime.spec import TensorSpec
from runtime.staged_warnings import staged_warnings
from runtime.state.boxes import Box, Boxes
from runtime.tensor import Symbol
from runtime.tree_classes import unchanging_classes
from runtime.tree_nodes import is_mutable

place_warnings()


UNROLLED_IN = 0.2
"""The part of the patience that a trace gets which unrolls what a run has refused as a loop."""
NOTHING_OUTSIDE: Mapping[int, tuple[Any, str]] = {}
Fill: TypeAlias = Callable[[Sequence[Any]], tuple[tuple[Any, ...], dict[str, Any]]]


def trace(
    to_trace: Callable[[], Callable[..., Any]],
    specs: Sequence[TensorSpec],
    names: Sequence[str],
    fill: Fill,
    owners: Iterable[tuple[str, Any]] = (),
    outside: Mapping[int, tuple[Any, str]] = NOTHING_OUTSIDE,
    tries: Set[Any] = frozenset(),
) -> Trace:
    """Trace a function.

    Args:
        to_trace: returns the converted function.
        specs: of the tensors among its arguments.
        names: of those tensors.
        fill: returns positional and keyword arguments that hold the given symbols.
        owners: objects that the function can reach, with their names.
        outside: arrays that it can reach, by id, with their names: they become parameters.
        tries: what earlier traces have found out that has to be known from the beginning.

    Raises:
        MutationError: the function assigned a staged value to something outside of itself.
        Whatever the function raises; no half-built state is left.
    """
    owners = list(owners)
    needs, fallback = Needs({*tries}), TRACED_FOR.get()
    patience = PATIENCE if fallback is None else fallback.patience
    patience *= UNROLLED_IN if tries else 1
    idle = patience if fallback is None or fallback.is_off else patience * IDLE
    progress = Progress(partial(_tell_of_time, fallback), patience, idle)
    while True:
        builder = Builder()
        builder.progress, builder.refused = progress, need_or_refuse
        builder.context(OutsideArrays).names.update(outside)
        known = trace_of(builder)
        known.tries = needs.tries
        known.generators.update(needs.generators)
        known.loops_tail_calls = needs.loops_tail_calls
        known.recursions = Recursions(dict(needs.recursions)) if needs.recursions else None
        known.calls = None if needs.may_inline else known.calls
        try:
            with searching(), staged_warnings():
                found = _trace_once(builder, to_trace(), specs, names, fill, owners, needs)
        except Exception as error:
            if isinstance(error, GivenUpError) or not needs.differently(error):
                is_refused = is_of_tracing(builder, error) or is_inexact(error)
                is_undone = is_refused and known.journal is not None and known.journal.undo()
                cause = error if is_internal(error) else None
                refusal = error if cause is None else internal_error(cause)
                vars(refusal)["is_undone"] = is_undone
                add_place(refusal, error_location(error))
                if cause is None:
                    raise
                raise refusal from cause
            found = None
        if found is not None:
            return replace(found, tries=frozenset(needs.tries))
        if known.journal is not None:
            known.journal.begin_again()


def _tell_of_time(fallback: Fallback | None, nodes: int, seconds: float) -> None:
    """Tell that tracing takes long; GivenUp where the call had better run as plain Python."""
    place, trace = user_location(), trace_now()
    journal = None if trace is None else trace.journal
    where = "  an unknown place" if place is None else place.describe()
    text = (
        f"Tracing has taken {seconds:.0f} seconds and made {nodes} operations so far. It is at\n"
        f"{where}\nCalls, and the rounds of loops over what is known, are traced one by one: let a "
        "loop go over an array (for x in array, while with a staged test), or put what need not be "
        "staged into a function with ag.do_not_convert"
    )
    may_be_undone = journal is not None and journal.may_be_undone()
    reason = f"tracing it costs more than its calls have. {text}"
    if fallback is not None and may_be_undone and fallback.gives_up(reason):
        raise GivenUp(text)
    LOGGER.warning("%s", text)


def _take(journal: TraceJournal, text: str) -> None:
    """Raise GivenUp before an item is taken for good, if the call can run as plain Python."""
    fallback = TRACED_FOR.get()
    if fallback is not None and journal.may_be_undone() and fallback.runs_first(text):
        raise GivenUp(text)


def _trace_once(
    builder: Builder,
    function: Callable[..., Any],
    specs: Sequence[TensorSpec],
    names: Sequence[str],
    fill: Fill,
    owners: Sequence[tuple[str, Any]],
    needs: Needs,
) -> Trace | None:
    """Trace a function with what is needed; add to that when more is."""
    known = trace_of(builder)
    functions, receivers = functions_of(function)
    owners = [*owners, *(("self", x) for x in receivers)]
    journal = known.journal = TraceJournal(function, functions, owners, needs.printed, _take)
    outside, is_done = Outside(journal), False
    known.outside, known.hold = outside.containers, outside.hold
    try:
        params = [builder.param(spec, name) for spec, name in zip(specs, names, strict=True)]
        symbols = [Symbol(builder, value) for value in params]
        for symbol in symbols:
            symbol.is_param = True
        builder.context(OutsideArrays).arguments.update(params)
        with building(builder), nothing_swallowed(), unchanging_classes():
            args, kwargs = as_lists(fill(symbols))
            callers = Callers((args, kwargs), outside)
            safepoints = Safepoints(builder, symbols, callers)
            returned = _result(builder, called(function), args, kwargs)
            check_returned(builder, function, returned[0])
            outside.check_alone()
            found = _finish(builder, symbols, callers, safepoints, *returned)
            if not is_strict():
                found.held.update(journal.assigned())
                undo = no_undo if found.created else journal.undo
                if changed := [*found.changed, *journal.changed_outside(callers.numbers)]:
                    found = replace(found, changed=changed, undo=undo)
        refused = outside.restore(is_done=True)
        if refused is not None:
            raise refused
        is_done = True
        return found
    except Restart as needed:
        needs.add(needed)
        return None
    except NameError as error:
        _explain_undefined(builder, error)
        raise
    except RecursionError as error:
        needs.end(endless(error), error)
        return None
    except StagedValueError as error:
        if needs.helps(error):
            return None
        if isinstance(error, StagedBoolError):
            explain_unconverted(error)
        raise
    finally:
        if not is_done:
            outside.restore()
        outside.let_go()
        builder.is_open = False


def _result(
    builder: Builder, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, BaseException | None]:
    """Return what the function returns, and what it raises.

    An error with staged values in it is raised by the graph.
    """
    try:
        return function(*args, **kwargs), None
    except BaseException as error:
        if not isinstance(error, Exception) and not is_of_the_program(builder, error):
            raise
        check_copies(builder)  # what was written may be only a copy
        refuse_union(builder, error)
        if not is_of_tracing(builder, error) and holds_staged(builder, error):
            emit_failure(error)
            return None, None
        if isinstance(error, RecursionError | MemoryError) or is_of_tracing(builder, error):
            raise
        return None, error


def _finish(
    builder: Builder,
    symbols: Sequence[Symbol],
    callers: Callers,
    safepoints: Safepoints,
    returned: Any,
    error: BaseException | None,
) -> Trace:
    check_copies(builder)
    builder.reports.check_end()
    known = trace_of(builder)
    builder.context(Lists).check()
    check_rows(builder.context(Lists))
    rules = operate_now()
    if rules is not None:
        returned = rules.returned(returned)
    results = Results(builder, symbols, callers)
    made, changes = results.changes(callers.changed(), returned)
    outside = callers.outside
    assigned, changed = outside.written, _given_back(outside, known.asked)
    writes = tuple(k for k, symbol in enumerate(symbols) if symbol.was_written)
    variables = builder.context(Boxes)
    boxes = list(variables.used.values())
    reads = [box for box in boxes if box.symbol.is_param]
    stores = [box for box in boxes if box.symbol.was_written or not box.symbol.is_param]
    written = [*(symbols[k] for k in writes), *(box.symbol for box in stores)]
    params = [symbol.first for symbol in (*symbols, *(box.symbol for box in reads))]
    arrays = builder.context(OutsideArrays)
    params += [value for _, value in arrays.params.values()]
    sealed = builder.seal(params, [*results.values, *map(value_of, written)])
    whole = write_steps(sealed, builder.new_dim)
    if rules is not None:
        whole = remove_unread(whole)
    graph, watched = apart(whole, safepoints.points)
    graph = writing_once(graph, range(len(results.values), len(results.values) + len(writes)))
    if error is not None and not (changes or written or remove_unused(graph).nodes):
        raise error
    slots = _slots(boxes, [array for array, _ in arrays.params.values()], params[len(symbols) :])
    signature = Signature(
        tuple(symbol.first.name or "" for symbol in symbols),
        tuple(slots[id(box.variable)] for box in reads),
        tuple(slots[id(array)] for array, _ in arrays.params.values()),
        made.structure,
        tuple(made.outputs),
        writes,
        tuple(slots[id(box.variable)] for box in stores),
        arrays.are_apart,
        tuple(k for k, symbol in enumerate(symbols) if symbol.first in arrays.in_rows),
    )
    created = tuple(variables.created)
    used, reports = arrays.places, builder.reports.relied_on
    asked, foreign = known.asked, arrays.foreign
    return Trace(
        *(graph, signature, changes, created, error, used, asked, watched, reports, foreign),
        changed=changed,
        assigned=assigned,
        tells_apart=known.tells_apart,
    )


def _given_back(outside: Outside, asked: set[str]) -> list[str]:
    """Give what a run of the graph assigns back what it held; return which of it calls do not see.

    Calls look at what variables hold, as an arm that is not taken leaves it; not into containers.
    What is lifted is given to them.
    """
    changed = []
    for slot in outside.assigned():
        slot.variable.write(slot.before)
        if slot.variable.key in outside.lifted:
            continue
        if type(slot.variable) is Contents or holds(slot.before, is_mutable):
            changed.append(slot.name)
        else:
            asked.add(slot.name.rpartition(".")[2])
    return changed


def _slots(boxes: Sequence[Box], arrays: Sequence[Any], params: Sequence[Value]) -> dict[int, Slot]:
    """Return the slots of variables and of arrays from outside, by id, each with its own name."""
    named: list[tuple[Any, str, Reference | None]] = [
        (box.variable, box.variable.name, box.variable.reference) for box in boxes
    ]
    own = params[len(params) - len(arrays) :]
    named += [(x, value.name or "array", None) for x, value in zip(arrays, own, strict=True)]
    taken: set[str] = set()
    found: dict[int, Slot] = {}
    for thing, name, reference in named:
        numbered = (f"{name}_{k}" for k in count(1))
        free = name if name not in taken else next(x for x in numbered if x not in taken)
        taken.add(free)
        found[id(thing)] = Slot(free, weakref.ref(thing), reference)
    return found


_VARIABLE = re.compile(r"variable '(\w+)'")


def _explain_undefined(builder: Builder, error: NameError) -> None:
    """Say why a variable has no value, when a staged branch or loop is the reason."""
    found = _VARIABLE.search(str(error))
    reason = trace_of(builder).undefined.get(found.group(1)) if found else None
    if found is not None and reason is not None:
        error.args = (
            f"{error}: {reason}, and which way the graph goes is known only when it runs. "
            f"Give {found.group(1)!r} a value before",
        )


@contextmanager
def nothing_swallowed() -> Iterator[None]:
    """Raise what was swallowed in a `with` block where it ends, whatever else it raises."""
    with noting(_is_swallowed) as notes:
        try:
            yield
        except BaseException as error:
            found = next((x for x in notes.swallowed() if x is not error), None)
            if found is not None:
                raise _told(found) from None
            raise
        for found in notes.swallowed():
            raise _told(found)


def _is_swallowed(error: BaseException) -> bool:
    """Tell whether code that is not ours caught an exception, or handles it.

    An exception knows the frames that it has left: the outermost is where it was caught. NumPy
    raises for dtypes and shapes itself, so the program may catch that.
    """
    step = error.__traceback__
    if step is None or isinstance(error, DtypeError | ShapeError):
        return False
    return not is_ours(step.tb_frame.f_code.co_filename)


def _told(error: BaseException) -> BaseException:
    """Say in a refusal where it was caught; what starts a trace again has no message."""
    step = error.__traceback__
    if isinstance(error, RuntimeGraphError) and step is not None:
        place = location_in(step.tb_frame.f_code, step.tb_lineno, step.tb_lasti)
        text = "Plain Python raises nothing here, but a handler around this line caught it:"
        error.args = (f"{error}\n{text}\n{place.describe()}", *error.args[1:])
    return error
