"""Dicts and sets whose keys are known, given a key that is staged.

A key is looked for among those that are there while tracing. What adds or removes one makes a
staged container of numbers; in another one a new key is refused by name.
"""

from __future__ import annotations

import operator
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from functools import partial, reduce, wraps
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.operators.builtins.texts import repr_text
from autograph.operators.containers.chosen_items import item_chosen
from autograph.operators.containers.code_equality import has_code
from autograph.operators.containers.columns import need
from autograph.operators.containers.item_values import kind_of
from autograph.operators.containers.promotion import staged_if_nested, staged_of
from autograph.operators.containers.staged_containers import (
    STAGED,
    StagedList,
    staged_list,
    what_is,
)
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.variable_names import variable_of
from autograph.operators.control_flow.conditionals import if_exp
from autograph.operators.heap.heap_objects import is_on_heap
from autograph.operators.iteration.known_columns import PLAIN
from autograph.operators.keyed import dict_methods, set_methods
from autograph.operators.objects.union_values import each
from autograph.staging.births import check_item
from autograph.staging.cond import stage_branches
from autograph.staging.region import NoState
from runtime import default_graph, trees
from runtime.dispatch import apply, as_known
from runtime.dtypes import STRING
from runtime.errors import MutationError, StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.ops import control
from runtime.tensor import is_staged
from runtime.text_methods import is_text, text_value
from runtime.texts import StagedText
from runtime.union import Choice, choices_in

NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)
WITH_KEYS = (dict, set, frozenset)
"""Classes of containers that have keys."""


def _of_each_option(use: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a container and a key, which may have one of several values inside."""

    @wraps(use)
    def used(container: Any, key: Any, *args: Any) -> Any:
        choice = next(choices_in(key), None)
        if choice is None:
            return use(container, key, *args)
        leaves, structure = trees.flatten_to(key, lambda x: type(x) is Choice)

        def use_option(option: Any) -> Any:
            known = [option if x is choice else x for x in leaves]
            return used(container, trees.unflatten(structure, known), *args)

        return each(choice, use_option)

    return used


@_of_each_option
def has_key(container: Any, key: Any) -> Any:
    """Return `key in container`, for a staged number."""
    staged = _if_object(container, key)
    if staged is not None:
        return dict_methods.METHODS["__contains__"](staged, key)
    _, matches = _matches(container, key)
    return apply(REGISTRY["truth"], [rnp.any(matches)])


def _if_object(container: Any, key: Any) -> StagedList | None:
    """Return a dict or set as a staged one where an object is looked for; None for other keys.

    A tuple of which only the graph knows how long it is counts as one.
    """
    if not any(map(_is_object, trees.flatten_to(key, is_on_heap)[0])):
        return None
    staged = _staged(container, *([(key, None)] if isinstance(container, dict) else [key]))
    if staged is None:
        raise _refused(container, f"is asked for an object of class {type(key).__name__}")
    return staged


def _is_object(x: Any) -> bool:
    return is_on_heap(x) or type(x) is StagedTuple


@_of_each_option
def item_of_key(container: dict[Any, Any], key: Any) -> Any:
    """Return `container[key]`; KeyError when the graph runs and there is none."""
    staged = staged_if_nested(container) or _if_object(container, key)
    if staged is not None:
        return dict_methods.METHODS["__getitem__"](staged, key)
    factory = getattr(container, "default_factory", None)
    if factory is not None:
        made = dict_methods.tried(factory)
        if not isinstance(made, dict_methods.Failed):
            return call_with_key(container.setdefault, (key, made), {})
        keys, matches = _matches(container, key)
        return if_exp(rnp.any(matches), lambda: _chosen(container, keys, matches), made)
    if type(container) is Counter:
        return item_or_default(container, key, 0)
    keys, matches = _matches(container, key)
    need(rnp.any(matches), KeyError, key)
    return _chosen(container, keys, matches)


@_of_each_option
def item_or_default(container: Mapping[Any, Any], key: Any, default: Any = None) -> Any:
    """Return `container.get(key, default)`."""
    staged = staged_if_nested(container) or _if_object(container, key)
    if staged is not None:
        return dict_methods.METHODS["get"](staged, key, default)
    keys, matches = _matches(container, key)
    if not keys:
        return default
    return if_exp(rnp.any(matches), lambda: _chosen(container, keys, matches), lambda: default)


@_of_each_option
def set_key(container: dict[Any, Any], key: Any, value: Any) -> None:
    """`container[key] = value`; of what is no dict of numbers, only items with known keys."""
    staged = _staged(container, (key, value))
    if staged is not None:
        dict_methods.METHODS["__setitem__"](staged, key, value)
        return
    keys, matches = _matches(container, key)
    missing = (
        f"is no key of the dict {variable_of(container)!r}, and a staged function adds none that "
        "is known only when the graph runs. Give the dict all of its keys before"
    )
    found = repr_text(key)
    text = StagedText(f"{found.form} {missing}", found.values)
    need(rnp.any(matches), StagedValueError, text)
    for position, known in enumerate(keys):
        old = partial(container.__getitem__, known)
        container[known] = if_exp(matches[position], lambda: value, old)


def del_key(container: dict[Any, Any], key: Any) -> None:
    """`del container[key]`."""
    staged = _staged(container)
    if staged is None:
        raise _refused(container, "loses an item with a staged key")
    dict_methods.METHODS["__delitem__"](staged, key)


def call_with_key(method: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call a method of a dict or set with a staged key."""
    container, name = method.__self__, method.__name__
    if name == "get":
        return item_or_default(container, *args, **kwargs)
    adds = {"add": args[:1], "setdefault": [(*args, None)[:2]]}
    staged = _staged(container, *adds.get(name, ()))
    methods = dict_methods.METHODS if isinstance(container, dict) else set_methods.METHODS
    found = (dict_methods.ORDERED if isinstance(container, OrderedDict) else methods).get(name)
    if staged is None or found is None:
        raise _refused(container, f".{name}() of a staged key changes it")
    return found(staged, *args, **kwargs)


def _staged(container: Any, *items: Any) -> StagedList | None:
    """Return a dict or set as a staged one that may hold further items; None if it cannot be."""
    if type(container) not in STAGED:
        return None
    staged = staged_list(container)
    if staged is None:
        with suppress(MutationError):
            what = what_is(container, variable_of(container))
            return staged_of(container, [kind_of(what, item) for item in items])
    return staged


def has_staged(key: Any) -> bool:
    """Tell whether a key, or a part of it, is known only when the graph runs.

    TryAgain for an object that the trace made, whose class says what it is equal to.
    """
    if is_staged(key) or type(key) is StagedText or _is_object(key):
        return True
    if type(key) is tuple:
        return any(map(has_staged, key))
    if is_dataclass(key) and type(key).__hash__ is not None:
        node = trees.node_of(key)
        return node is not None and any(map(has_staged, node.children))
    if has_code(key):
        check_item(key)
    return False


def _refused(container: Any, what: str) -> MutationError:
    kind, name = type(container).__name__, variable_of(container)
    return MutationError(
        f"the {kind} {name!r} {what}, and which keys it has is then known only when the graph "
        "runs. Use a list and look for items in it, or an array of truth values or counts that "
        f"the keys index: {name} = np.zeros(n, int)"
    )


def _matches(container: Any, key: Any) -> tuple[list[Any], Any]:
    """Return the keys of numbers that may be the one, and which of them is, as an array."""
    parts, structure = trees.flatten_to(key, lambda x: type(x) is StagedText)
    parts = tuple(map(text_value, parts))
    for part in parts:
        if is_staged(part) and part.spec.shape != ():
            raise TypeError(f"unhashable type: an array ({part.spec}) is no key")
    keys = [known for known in container if _may_be(trees.flatten(known), parts, structure)]
    builder = default_graph.current()
    assert builder is not None
    rows = [trees.flatten(known)[0] for known in keys]
    columns = zip(*rows, strict=True) if rows else [()] * len(parts)
    pairs = [(column, part) for column, part in zip(columns, parts, strict=True) if is_staged(part)]
    found = [as_known(builder, _array(column, part)) == part for column, part in pairs]
    return keys, reduce(operator.and_, found)


def _may_be(known: tuple[Sequence[Any], Any], parts: Sequence[Any], structure: Any) -> bool:
    """Tell whether a known key may be equal to one with staged parts."""
    if known[1] != structure:
        return False
    pairs = zip(known[0], parts, strict=True)
    return all(_is_like(x, part) if is_staged(part) else x == part for x, part in pairs)


def _array(column: Sequence[Any], part: Any) -> Any:
    """Return known keys as an array, of the dtype that they are looked for as."""
    return np.array(column, STRING if is_text(part) else part.spec.dtype)


def _is_like(known: Any, part: Any) -> bool:
    """Tell whether what is known may be equal to a staged part of a key, and have its hash."""
    if is_text(part) or not isinstance(known, NUMBERS):
        return isinstance(known, str if is_text(part) else NUMBERS)
    dtype = part.spec.dtype
    with suppress(OverflowError, ValueError), np.errstate(all="ignore"):  # it has other numbers
        return bool(hash(dtype.type(known)) == hash(known) and dtype.type(known) == known)
    return False


def _chosen(container: Mapping[Any, Any], keys: list[Any], matches: Any) -> Any:
    if not keys:
        raise KeyError("the dict has no keys that are numbers")
    position = apply(REGISTRY["to_int"], [rnp.argmax(matches)])
    values = [container[known] for known in keys]
    if PLAIN.issuperset(map(type, values)):
        return item_chosen(values, position)
    arms = [partial(container.__getitem__, known) for known in keys]
    return stage_branches(control.switch, position, arms, NoState())
