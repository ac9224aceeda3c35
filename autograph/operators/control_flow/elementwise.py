"""Branches and loops that run for each element of their condition.

An arm, or a round of a loop, is traced once and computes all elements, with variables of its own;
where the mask is true what it leaves in a variable replaces what was there. It runs only if the
mask is true anywhere, and quietly: NumPy's warnings may be about elements that do not take part.

Comes in: closures and their state, as for the other operators. Goes out: nodes, and the state
assigned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph.operators.containers.staged_containers import Content
from autograph.operators.control_flow.active_mask import (
    both,
    chosen,
    current,
    masked,
    negated,
    truth_of_each,
    vary,
)
from autograph.operators.control_flow.extra_carry import Extended
from autograph.operators.control_flow.hints import Options
from autograph.staging.cond import stage_cond
from autograph.staging.join import describe
from autograph.staging.region import UNDEFINED, State, trace_region
from autograph.staging.while_loop import stage_while
from runtime import default_graph, trees
from runtime.array_context import arrays_of
from runtime.dispatch import apply, as_value, value_of
from runtime.dtypes import WEAK_DTYPES, python_type
from runtime.errors import BranchMismatchError, MutationError, ShapeError, exact
from runtime.graph.opdef import REGISTRY
from runtime.spec import TensorSpec
from runtime.tensor import Symbol
from runtime.union import is_numeric, leaf_spec, same_static

Arm = Callable[[], Any]
MOST_ATTEMPTS = 8


def stage_choice(
    test: Any, then: Arm, else_: Arm | None, state: State, label: str | None = None
) -> Any:
    """Run one of two arms for each element.

    Args:
        test: an array of conditions.
        then: the first arm.
        else_: the second arm.
        state: the variables that they assign.
        label: the user's name of the branch.

    Returns:
        what the arms return, for each element.
    """
    truth, outer, before = truth_of_each(test), _outer(), state.read()
    with _undone(state, before):
        first = run_for(both(outer, truth), then, state, label)
        after = state.read()
        state.write([b if b is UNDEFINED else a for a, b in zip(after, before, strict=True)])
        others = both(outer, negated(truth))
        second = None if else_ is None else run_for(others, else_, state, label)
    merged = [
        _defined(state, k, truth, a, c) if b is UNDEFINED else c
        for k, (a, b, c) in enumerate(zip(after, before, state.read(), strict=True))
    ]
    state.write([c if c is b else vary(c) for b, c in zip(before, merged, strict=True)])
    return _returned(truth, first, second)


@contextmanager
def _undone(state: State, before: Sequence[Any]) -> Iterator[None]:
    """Give variables back what they held when the block raises: it may be staged once more."""
    try:
        yield
    except BaseException:
        state.write(before)
        raise


def _outer() -> Any:
    """Return the mask of what is around a statement."""
    return True if current() is None else current()


def _defined(state: State, position: int, truth: Any, first: Any, second: Any) -> Any:
    """Return what the arms leave in a variable that has no value before them."""
    if first is UNDEFINED and second is UNDEFINED:
        return UNDEFINED
    name = state.names[position]
    if first is not UNDEFINED and second is not UNDEFINED:
        return _merged(name, truth, first, second)
    if state.optional[position]:
        return second if first is UNDEFINED else first
    state.explain(name, f"only one branch of an elementwise `if` assigns {name!r}")
    return UNDEFINED


def _returned(truth: Any, first: Any, second: Any) -> Any:
    if first is None and second is None:
        return None
    return _merged("the value returned", truth, first, second)


def stage_logic(value: Any, rest: Callable[[], Any], if_true: bool, state: State) -> Any:
    """Evaluate `value and rest()`, or `value or rest()`, for each element.

    Args:
        value: the first operand.
        rest: gives the others.
        if_true: whether they are asked where the first is true.
        state: the variables that they assign.
    """
    truth = truth_of_each(value)
    truth = truth if if_true else negated(truth)
    return vary(_merged("the value", truth, run_for(both(_outer(), truth), rest, state), value))


def run_for(mask: Any, function: Arm, state: State, label: str | None = None) -> Any:
    """Run a function for the elements of a mask, if there are any; return what it returns."""
    returned = Extended(state, "the value returned", UNDEFINED)
    before = state.read()
    seen: list[Any] = []

    def run() -> None:
        returned.grow(None)  # it has variables of its own
        value = _run(mask, function, state, before, seen)
        returned.extra = UNDEFINED if value is None else value

    def skip() -> None:
        if seen:
            state.write([_stand_in(mask, *pair) for pair in zip(seen, before, strict=True)])

    stage_cond(_any(mask), run, skip, returned, label, quiet=_outer() is True)
    for value in (returned.extra, *state.read()):
        for leaf in trees.flatten(value)[0]:
            if type(leaf) is Symbol and leaf.builder is default_graph.current() and leaf.valid:
                leaf.valid = None
    return None if returned.extra is UNDEFINED else returned.extra


def _any(mask: Any) -> Any:
    return True if mask is True else apply(REGISTRY["any"], [mask])


def _run(mask: Any, function: Arm, state: State, before: Sequence[Any], seen: list[Any]) -> Any:
    """Run a function with variables of its own, and merge what it leaves in them."""
    builder = default_graph.current()
    assert builder is not None
    mutations = arrays_of(builder).mutations
    written = set(mutations)
    own = [_fresh(value) for value in before]
    state.write(own)
    with masked(mask):
        value = function()
    if set(mutations) - written:
        raise MutationError(
            "an array is written in an elementwise statement, in which each element has variables "
            "of its own. Assign variables in it, and write the array after it"
        )
    after = state.read()
    unwritten = [
        old if new is mine and not _was_written(mine) else new
        for new, mine, old in zip(after, own, before, strict=True)
    ]
    seen[:] = unwritten
    rows = zip(state.names, unwritten, before, strict=True)
    state.write([_merged(name, mask, new, old) for name, new, old in rows])
    return value


def _fresh(value: Any) -> Any:
    """Return a value with arrays of its own, so that `x += 1` writes no other variable's."""
    leaves, structure = trees.flatten(value)
    if not any(type(leaf) is Symbol for leaf in leaves):
        return value
    return trees.unflatten(structure, list(map(_own, leaves)))


def _own(leaf: Any) -> Any:
    builder = default_graph.current()
    if type(leaf) is not Symbol or builder is None:
        return leaf
    if leaf.known is not None:
        return Symbol(builder, None, leaf.known.copy())
    return Symbol(builder, builder.resolve(value_of(leaf)))


def _was_written(value: Any) -> bool:
    leaves = trees.flatten(value)[0]
    return any(type(leaf) is Symbol and leaf.was_written for leaf in leaves)


def _merged(name: str, mask: Any, new: Any, old: Any) -> Any:
    """Return a variable's value: `new` where the mask is true, `old` elsewhere."""
    if new is old or old is UNDEFINED or new is UNDEFINED:
        return new
    if type(new) is Content:
        raise MutationError(
            f"the list {name!r} is changed in an elementwise statement, in which each element has "
            "variables of its own. Compute an array there, and take items of it after the "
            "statement: items.extend(x[x > 0])"
        )
    (leaves, structure), (others, other) = trees.flatten(new), trees.flatten(old)
    if structure != other:
        raise _different(name, new, old)
    return trees.unflatten(
        structure, [_leaf(name, mask, *pair) for pair in zip(leaves, others, strict=True)]
    )


def _leaf(name: str, mask: Any, new: Any, old: Any) -> Any:
    if not (is_numeric(new) and is_numeric(old)):
        if same_static([new, old]):
            return new
        raise _different(name, new, old)
    if type(new) is not Symbol and same_static([new, old]):
        return new
    found = chosen(mask, new, old)
    if type(mask) is Symbol and mask.spec.shape != () and not _is_shape_of(found, mask):
        text = (
            f"{name} is {describe(new)} in an elementwise statement with a condition of "
            f"{mask.spec}. Give the condition all elements, for example by np.broadcast_arrays"
        )
        raise exact(ShapeError(text))
    return found


def _is_shape_of(value: Any, mask: Symbol) -> bool:
    """Tell whether a value has one number for each element, as far as sizes are known."""
    shape, sizes = leaf_spec(value).shape, mask.spec.shape
    if shape is None or sizes is None:
        return True
    pairs = zip(shape, sizes, strict=False)
    known = ((a, b) for a, b in pairs if isinstance(a, int) and isinstance(b, int))
    return len(shape) == len(sizes) and all(a == b for a, b in known)


def _different(name: str, new: Any, old: Any) -> BranchMismatchError:
    return BranchMismatchError(
        f"{name} is {describe(new)} for some elements and {describe(old)} for others: what differs "
        "from element to element has to be a number"
    )


def _stand_in(mask: Any, new: Any, old: Any) -> Any:
    """Return `old` with the dtype and shape that it has where `new` replaces some of it."""
    if new is old or new is UNDEFINED or old is UNDEFINED:
        return old
    leaves, structure = trees.flatten(old)
    found = trees.flatten(new)[0]
    if len(leaves) != len(found) or not all(map(is_numeric, (*leaves, *found))):
        return old
    pairs = zip(found, leaves, strict=True)
    return trees.unflatten(structure, [_widened(mask, *pair) for pair in pairs])


def _widened(mask: Any, new: Any, old: Any) -> Any:
    same = new is old or (type(new) is not Symbol and same_static([new, old]))
    return old if same or mask is True else apply(REGISTRY["where"], [mask, _zero(new), old])


def stage_rounds_of_each(
    go_on: Any,
    test: Callable[[Any], Any],
    body: Callable[[Any], Any],
    until: Callable[[], Any] | None,
    state: State,
    options: Options,
) -> None:
    """Run a loop in which each element has its own number of rounds.

    Args:
        go_on: the condition of the first round.
        test: the condition, given the number of the round.
        body: one round, given its number.
        until: asked after each round; true ends the loop.
        state: the variables that they assign.
        options: what is said of the loop.
    """
    start = state.read()
    active = Extended(state, "the active elements", both(_outer(), truth_of_each(go_on)))
    counted = Extended(active, "the number of rounds", 0)

    def one_round() -> None:
        mask, number, before = active.extra, counted.extra, state.read()
        options.check_round(number)
        _run(mask, lambda: body(number), state, before, [])
        rows = zip(state.read(), before, state.optional, strict=True)
        state.write([b if b is UNDEFINED and not kept else a for a, b, kept in rows])
        if until is not None:
            mask = both(mask, negated(truth_of_each(until())))
        counted.extra = number + 1
        with masked(mask):
            again = run_for(mask, lambda: truth_of_each(test(number + 1)), state)
        active.extra = both(mask, again)

    is_quiet = _outer() is True
    with _undone(state, start):
        _settle(counted, active, one_round)
        stage_while(lambda: _any(active.extra), one_round, counted, options.label, quiet=is_quiet)
    for before, after in zip(start, state.read(), strict=True):
        if after is not before:
            vary(after)


def _settle(state: Extended, active: Extended, one_round: Callable[[], None]) -> None:
    """Give the variables of a loop the shapes and dtypes that they have after a round."""
    builder = default_graph.current()
    assert builder is not None

    def run() -> list[Any]:
        state.write(list(map(_staged, before)))  # numbers that Python knows now will change
        one_round()
        return state.read()

    for _ in range(MOST_ATTEMPTS):
        before = state.read()
        try:
            after = trace_region(builder, run, ()).result
        finally:
            state.write(before)
        wider = [_start(active.extra, *pair) for pair in zip(after, before, strict=True)]
        if all(x is y for x, y in zip(wider, before, strict=True)):
            return
        state.write(wider)


def _staged(value: Any) -> Any:
    leaves, structure = trees.flatten(value)
    builder = default_graph.current()
    assert builder is not None
    return trees.unflatten(
        structure,
        [Symbol(builder, as_value(builder, x)) if type(x) in WEAK_DTYPES else x for x in leaves],
    )


def _start(mask: Any, after: Any, before: Any) -> Any:
    """Return what a variable begins with: what it holds, as it is after a round."""
    if after is UNDEFINED or _specs(after) == _specs(before):
        return before
    leaves, structure = trees.flatten(after)
    if not all(map(is_numeric, leaves)):
        return before
    olds = map(_zero, leaves) if before is UNDEFINED else trees.flatten(before)[0]
    pairs = zip(leaves, olds, strict=True)
    return trees.unflatten(structure, [_broadcast(mask, *pair) for pair in pairs])


def _broadcast(mask: Any, after: Any, before: Any) -> Any:
    """Return a number as an array of the shape and dtype that it has after a round."""
    spec = leaf_spec(after)
    if spec.shape == () or spec == leaf_spec(before):
        return before
    return apply(REGISTRY["where"], [_nowhere(mask, spec), _zero(after), before])


def _nowhere(mask: Any, spec: TensorSpec) -> Any:
    """Return an array of a shape that is false everywhere."""
    if type(mask) is Symbol and mask.spec.shape != ():
        return both(mask, np.False_)
    builder = default_graph.current()
    if builder is None or not spec.is_static:
        raise ShapeError(
            f"a variable of an elementwise loop is {spec} after a round, which gives each element "
            "a number of its own. Give it this shape before the loop"
        )
    return Symbol(builder, None, np.zeros(spec.shape, bool))


def _zero(leaf: Any) -> Any:
    spec = leaf_spec(leaf)
    return python_type(spec.dtype)(0) if spec.weak else spec.dtype.type(0)


def _specs(value: Any) -> list[Any]:
    return [leaf_spec(leaf) if is_numeric(leaf) else None for leaf in trees.flatten(value)[0]]
