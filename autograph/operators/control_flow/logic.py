"""`and`, `or`, `not`, chained comparisons, `in`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph import conversion
from autograph.operators import table
from autograph.operators.builtins import decompositions
from autograph.operators.builtins.number_builtins import bool_
from autograph.operators.builtins.object_builtins import is_object
from autograph.operators.builtins.type_queries import type_name
from autograph.operators.containers.access import contains_item
from autograph.operators.containers.comparison import is_among, is_item
from autograph.operators.containers.staged_containers import is_staged_list, staged_list
from autograph.operators.control_flow.active_mask import is_split, negated, truth_of_each
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.control_flow.elementwise import stage_logic
from autograph.operators.control_flow.hints import Hinted
from autograph.operators.control_flow.state import State
from autograph.operators.control_flow.undefined import evaluate
from autograph.operators.iteration.special_iteration import is_gone_over
from autograph.operators.iteration.staged_range import StagedRange, has_element
from autograph.operators.keyed.known_keys import WITH_KEYS, has_key, has_staged
from autograph.operators.lists.list_truth import KNOWN, LISTS, ListTruth
from autograph.operators.mutation.callee_writes import with_assigned
from autograph.operators.mutation.journal import taken
from autograph.operators.mutation.mutation_guard import guard
from autograph.operators.objects.special_methods import has_methods, special
from autograph.operators.objects.union_values import (
    each,
    is_same,
    is_same_array,
    is_same_place,
    truth_of,
)
from autograph.staging.births import check_identity
from autograph.staging.copies import refuse_identity
from autograph.staging.union_operators import with_each
from runtime import default_graph, trees
from runtime.dispatch import SEQUENCES, apply
from runtime.graph.opdef import REGISTRY
from runtime.numpy.staged_call import stage_call
from runtime.opaque import Opaque
from runtime.spec import WEAK_SPECS
from runtime.tensor import Symbol, is_staged, value_now
from runtime.text_methods import call_text, is_text
from runtime.texts import StagedText
from runtime.union import Choice, is_numeric, leaf_spec


def and_(first: Any, *others: Callable[[], Any], is_value: bool = False) -> Any:
    """`first and others[0]() and ...`: each operand evaluated at most once, from the left.

    Of a staged list it gives the truth, unless it is said that the operand itself is wanted.
    """
    return _logic(and_, first, others, is_value)


def or_(first: Any, *others: Callable[[], Any], is_value: bool = False) -> Any:
    """`first or others[0]() or ...`: each operand evaluated at most once, from the left.

    Of a staged list it gives the truth, unless it is said that the operand itself is wanted.
    """
    return _logic(or_, first, others, is_value)


def _logic(
    operator: Callable[..., Any],
    value: Any,
    others: tuple[Callable[[], Any], ...],
    is_value: bool,
) -> Any:
    """Return what `and_` or `or_` gives: the first operand that decides, or the last one."""
    for position, other in enumerate(others):
        if is_split(value):
            return _split(value, others[position:], operator)
        truth = truth_of(value) if type(value) not in KNOWN else value
        if is_staged(truth):
            return _staged(operator, value, truth, others[position:], is_value)
        if bool(truth) is (operator is or_):
            return value
        value = evaluate(other)
    return value


def _split(value: Any, others: Sequence[Callable[[], Any]], operator: Callable[..., Any]) -> Any:
    """Return what `and_` or `or_` gives where each element decides for itself."""
    first, *rest = others
    places = (lambda: others,)
    state = State("", "", places)
    operands = guard(lambda: operator(first(), *rest), places, state)
    return with_assigned(state, lambda: stage_logic(value, operands, operator is and_, state))


def _need_one(value: Any, word: str, sign: str) -> None:
    """Raise NumPy's ValueError for the truth of an array that certainly has several elements."""
    if type(value) is Symbol and any(
        isinstance(size, int) and size > 1 for size in value.spec.shape or ()
    ):
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or "
            f"a.all(): `{word}` asks for one truth value, and this is {value.spec}; element by "
            f"element write (a) {sign} (b)"
        )


def _staged(
    operator: Callable[..., Any],
    value: Any,
    truth: Any,
    others: tuple[Callable[[], Any], ...],
    is_value: bool,
) -> Any:
    _need_one(truth, *(("and", "&") if operator is and_ else ("or", "|")))
    go_on = lambda: operator(others[0](), *others[1:], is_value=is_value)  # noqa: E731
    return _of_truths(truth if operator is and_ else not_(truth), go_on, value, is_value)


def _of_truths(test: Any, go_on: Callable[[], Any], value: Any, is_value: bool) -> Any:
    """Go on if `test` is true, else give `value`; in a test only the truth of a list."""
    if is_value:
        return if_exp(test, go_on, lambda: value)
    kept = _Kept(type(value) in LISTS)

    def others() -> Any:
        found = go_on()
        kept.is_list |= type(found) in LISTS and truth_of(found) is not found
        return bool_(truth_of(found)) if kept.is_list else found

    def stop() -> Any:
        return bool_(truth_of(value)) if kept.is_list else value

    found = if_exp(test, others, stop)
    return ListTruth(found) if kept.is_list else found


class _Kept:
    """What an arm found out while it was traced, which is no variable of the user's."""

    __slots__ = ("is_list",)

    def __init__(self, is_list: bool) -> None:
        self.is_list = is_list


def not_(value: Any) -> Any:
    """`not value`."""
    if type(value) not in KNOWN:
        value = truth_of(value)
    if is_split(value):
        return negated(truth_of_each(value))
    if is_staged(value):
        return apply(REGISTRY["not_"], [value])
    if type(value) is Hinted:
        return Hinted(not_(value.value), value.options)
    return not value


def is_(value: Any, other: Any) -> Any:
    """`value is other`; staged where one is a staged truth value of Python's and one True or False.

    Python has one object for each truth value, so that asking for it compares.
    """
    if type(value) is Choice or type(other) is Choice:
        return is_same(value, other)
    if type(value) is Opaque or type(other) is Opaque:
        return is_object(value, other)
    if default_graph.current() is not None and value is not None and other is not None:
        if (is_same_one := is_same_place(value, other)) is not None:
            return is_same_one
        refuse_identity(value)
        refuse_identity(other)
        check_identity(value, other)
        if is_staged(is_same_one := is_same_array(value, other)):
            return is_same_one
    if is_staged(other):
        value, other = other, value
    if not (is_staged(value) and value.spec == WEAK_SPECS[bool] and isinstance(other, bool)):
        return value is other
    return value if other else not_(value)


def is_not(value: Any, other: Any) -> Any:
    """`value is not other`; staged where `is_` is."""
    return not_(is_(value, other))


def compare(first: Any, *rest: Any) -> Any:
    """A chain of comparisons: `compare(a, "<", lambda: b, "<=", lambda: c)` is `a < b <= c`."""
    symbol, right, *others = rest
    value = evaluate(right)
    if symbol in _ASKED:
        found = _ASKED[symbol](first, value)
    else:
        found = table.operators.binary(symbol, first, value)
    if not others:
        return found
    return and_(found, lambda: compare(value, *others))


def in_(item: Any, container: Any) -> Any:
    """`item in container`; staged when either is."""
    if default_graph.current() is None:
        return item in container
    if type(item) is Choice or type(container) is Choice:
        return with_each(in_, (item, container), {}, each)
    if type(container) is Opaque or type(item) is Opaque:
        return stage_call(operator.contains, (container, item), {})
    if is_text(container) and not (type(container) is str and type(item) is str):
        return _in_text(item, container)
    item = item if type(item) is StagedText else value_now(item)
    container = value_now(container)
    if type(container) is StagedRange or (type(container) is range and is_staged(item)):
        return _in_range(item, container)
    if is_staged(container) or (_is_unknown(item) and isinstance(container, Symbol | np.ndarray)):
        return bool_(apply(REGISTRY["any"], [table.operators.binary("==", container, item)]))
    method = special(container, "__contains__")
    if method is not None:
        return table.operators.call(bool, table.operators.call(method, item))
    staged = staged_list(container)
    if staged is not None:
        return contains_item(staged, item)
    if isinstance(container, WITH_KEYS) and has_staged(item):
        return has_key(container, item)
    if not hasattr(type(container), "__contains__") and is_gone_over(container):
        recipe: Any = decompositions.contains
        return conversion.convert(recipe, table.operators)(container, item)
    if isinstance(container, SEQUENCES) and any(map(_holds_unknown, (item, *container))):
        return _in_sequence(item, list(container))
    return item in taken(container)


def _in_sequence(item: Any, items: list[Any]) -> Any:
    """Compare with one item after the other, or with all that are numbers at once."""
    if len(items) > 1 and (found := is_among(item, items)) is not None:
        return found
    if len(items) <= 1:
        return is_item(items[0], item) if items else False
    half = len(items) // 2
    return or_(_in_sequence(item, items[:half]), lambda: _in_sequence(item, items[half:]))


def _in_range(item: Any, container: Any) -> Any:
    """Return whether a range has an item; what is no integer is compared with each."""
    if is_numeric(item) and leaf_spec(item).shape == () and leaf_spec(item).dtype.kind in "biu":
        return apply(REGISTRY["truth"], [has_element(container, item)])
    recipe: Any = decompositions.contains
    return conversion.convert(recipe, table.operators)(container, item)


def _is_unknown(value: Any) -> bool:
    return is_staged(value) or type(value) is StagedText or has_methods(type(value))


def _holds_unknown(value: Any) -> bool:
    """Tell whether a value, or a part of one, is not known, or compared by code of the user's."""
    leaves = trees.flatten_to(value, is_staged_list)[0]
    return any(is_staged_list(x) or _is_unknown(x) for x in leaves)


def _in_text(item: Any, text: Any) -> Any:
    """Return whether a text is a part of another one."""
    if not is_text(item):
        kind = type_name(item)
        raise TypeError(f"'in <string>' requires string as left operand, not {kind}")
    return call_text("contains", text, item)


def not_in(item: Any, container: Any) -> Any:
    """`item not in container`; staged when either is."""
    return not_(in_(item, container))


_ASKED: dict[str, Callable[[Any, Any], Any]] = {
    "is": is_,
    "is not": is_not,
    "in": in_,
    "not in": not_in,
}
