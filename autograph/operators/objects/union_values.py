"""Choices, values that are one of several: what operators and calls do with them.

What is used is used for each option, in a branch of its own, as in an `if` of the user's.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from autograph.operators.containers.staged_containers import STAGED
from autograph.operators.control_flow.state import State
from autograph.operators.heap.heap_objects import is_same_object
from autograph.operators.heap.stored_objects import is_same_list
from autograph.operators.lists.list_truth import truth_of as list_truth
from autograph.operators.lists.list_values import list_of_value, refer_to_lists
from autograph.operators.mutation.callee_writes import with_assigned
from autograph.operators.mutation.journal import written
from autograph.operators.mutation.mutation_guard import guard
from autograph.staging.births import check_identity
from autograph.staging.context import trace_now
from autograph.staging.copies import STORED, TryAgain
from autograph.staging.options import uses
from autograph.staging.union_operators import stage_options
from runtime import default_graph
from runtime.aliasing import UNKNOWN_MEMORY, AliasError, are_apart, is_joined
from runtime.dispatch import apply
from runtime.errors import MutationError
from runtime.graph.opdef import REGISTRY
from runtime.numpy.opaque_calls import truth_of_opaque
from runtime.opaque import Opaque
from runtime.tensor import Symbol, is_staged
from runtime.text_methods import call_text
from runtime.texts import StagedText
from runtime.tree_nodes import is_frozen
from runtime.union import Choice, values_of

KEEPERS = frozenset({"append", "insert"})
"""Methods of lists that keep what they are given."""


def each(
    choice: Choice,
    use: Callable[[Any], Any],
    state: str = "",
    discard: str = "",
    places: Sequence[Any] = (),
) -> Any:
    """Return what `use` gives for the option that a choice is; what it changes is carried on.

    Args:
        choice: one of several values.
        use: what is done with it.
        state, discard, places: the variables that `use` assigns, as for `if_`.
    """
    arms = uses(choice, lambda option: refer_to_lists(use(option)))
    variables = State(state, discard, places)
    guarded = [guard(arm, places or (arm,), variables) for arm in arms]
    found = with_assigned(variables, lambda: stage_options(choice, guarded, variables))
    return list_of_value(found)


def _change(choice: Choice, use: Callable[[Any], Any]) -> None:
    """Do to the object that a choice is what changes it."""

    def change(option: Any) -> None:
        use(written(option))

    each(choice, change)


Choice.change = _change


def _copied(choice: Choice) -> Any:
    return each(choice, copy.copy)


def _copied_deeply(choice: Choice, memo: dict[int, Any]) -> Any:
    return each(choice, partial(copy.deepcopy, memo=memo))


Choice.__copy__ = _copied  # type: ignore[attr-defined]
Choice.__deepcopy__ = _copied_deeply  # type: ignore[attr-defined]


def truth_of(value: Any) -> Any:
    """Return the staged truth of a staged list or of a choice; other values as they are."""
    if type(value) is Choice:
        return each(value, _truth)
    if type(value) is StagedText:
        return call_text("bool", value)
    if type(value) is Opaque:
        return truth_of_opaque(value)
    return list_truth(value)


def _truth(value: Any) -> Any:
    if type(value) is StagedText:
        return call_text("bool", value)
    value = list_truth(value)
    return apply(REGISTRY["truth"], [value]) if is_staged(value) else bool(value)


def keeps_arguments(function: Any) -> bool:
    """Tell whether a function is a method of a list that keeps what it is given."""
    owner = getattr(function, "__self__", None)
    return isinstance(owner, list) and function.__name__ in KEEPERS


def is_same(value: Any, other: Any) -> Any:
    """Return `value is other` where one of them is a choice, staged."""
    if type(value) is not Choice:
        value, other = other, value
    if value is other:
        return True
    _follow_identity(value)
    return each(value, partial(_is, other))


def _follow_identity(choice: Choice) -> None:
    """Have lists joined by their numbers where it is asked which one of them a choice is."""
    pairs = zip(values_of(choice), values_of(choice), strict=True)
    if not any(type(a) in STAGED and a is not b for a, b in pairs):
        return
    trace, join = trace_now(), choice._join
    key = None if join is None else join._replace(how=STORED)
    if trace is not None and key is not None and key not in trace.tries:
        raise TryAgain(key)
    raise MutationError(
        "it is asked whether one of several lists is another one, and branches left what they "
        "hold only. Compare them with ==, or keep a number that tells them apart"
    )


def _is(other: Any, value: Any) -> Any:
    if type(other) is Choice:
        return is_same(other, value)
    found = is_same_place(value, other)
    if found is None:
        check_identity(value, other, is_followed=not is_frozen(value))
        found = is_same_array(value, other)
    return found


def is_same_place(value: Any, other: Any) -> Any:
    """Return `value is other` of containers in stores and objects on the heap; else None."""
    found = is_same_list(value, other)
    return is_same_object(value, other) if found is None else found


def is_same_array(value: Any, other: Any) -> Any:
    """Return `value is other`, staged where an array is one of several that a branch chose.

    Raises:
        AliasError: a branch or a loop has joined what they hold.
    """
    for one, another in ((value, other), (other, value)):
        if type(one) is Symbol and one.selected is not None and one is not another:
            return each(one.selected, partial(is_same_array, another))
    builder = default_graph.current()
    are_known = value is other or builder is None or are_apart(builder, value, other)
    if not are_known and (is_joined(value) or is_joined(other)):
        raise AliasError(UNKNOWN_MEMORY)
    return value is other
