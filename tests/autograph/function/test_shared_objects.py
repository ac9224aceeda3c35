"""Lists, dicts, objects and arrays that are given in two places, or that are outside, too."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import autograph as ag
from autograph.function.guards import Guards
from autograph.staging import births
from tests.random_programs.families import check_seed

ITEMS, ARRAY, GIVEN = [1, 2], np.ones(3), (1, 2.0)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def grown(x: Any, y: Any, v: Any) -> Any:
    if v > 0:
        x.append(v)
    return len(y), sum(y), x is y


@pytest.mark.filterwarnings("error")
def test_a_list_that_is_given_twice_is_one() -> None:
    staged = ag.function(grown)
    for length in (2, 40):
        for are_one in (False, True, False, True, True):
            found = []
            for function in (grown, staged):
                x = [*range(length)]
                y = x if are_one else [*range(length)]
                found.append((function(x, y, np.int64(3)), x, y))
            assert found[0] == found[1]


@pytest.mark.filterwarnings("error")
def test_arrays_and_lists_that_several_containers_hold_are_one() -> None:
    def f(x: Any, y: Any) -> Any:
        x["a"][0] += 1
        x["b"].append(x["a"][0])
        return y[0][0], y[1], x["b"] is y[1]

    staged, found = ag.function(f), []
    for function in (f, f, staged, staged):
        array, items = np.ones(2), [1.0]
        found.append(repr((function({"a": array, "b": items}, (array, items)), array, items)))
    assert len({*found}) == 1


def test_what_is_given_and_is_outside_is_one() -> None:
    def of_list(x: Any) -> Any:
        x.append(len(ITEMS))
        return x is ITEMS, ITEMS[-1]

    def of_array(x: Any) -> Any:
        x += 1
        return float(ARRAY[0]), [*ARRAY]

    def of_attribute(x: Any, o: Any) -> Any:
        o.items.append(9)
        return len(x)

    o = SimpleNamespace(items=[1])
    for function, inside, *others in (
        (of_list, lambda: ITEMS),
        (of_array, lambda: ARRAY),
        (of_attribute, lambda: o.items, o),
    ):
        found = []
        for called in (function, ag.function(function)):
            ITEMS[:], ARRAY[:], o.items = [1, 2], 1.0, [1]
            other = inside().copy()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                calls = [repr(called(x, *others)) for x in (other, inside(), other, inside())]
            found.append((calls, repr((ITEMS, ARRAY, o))))
        assert found[0] == found[1]


@pytest.mark.parametrize(
    "function", [lambda x, y: x is y, lambda x, y: id(x) == id(y), lambda x, y: x is GIVEN]
)
def test_which_tuples_are_one_and_what_an_object_is_numbered_is_not_known(function: Any) -> None:
    with pytest.raises(ag.StagedValueError, match="a tuple that is given"):
        ag.function(function, strict=True)(GIVEN, GIVEN)
    with pytest.warns(ag.FallbackWarning):
        assert ag.function(function)(GIVEN, GIVEN) == function(GIVEN, GIVEN)


def test_a_class_that_an_object_contains_itself_of_is_no_tree_for_earlier_traces() -> None:
    @dataclass
    class Link:
        value: Any
        next: Any = None

    def f(x: Any, y: Any) -> Any:
        x.next = y
        return x.value

    staged, a, b = ag.function(f), Link(1.0), Link(2.0)
    for pair in ((a, None), (a, b), (b, b), (a, None), (b, a)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert staged(*pair) == pair[0].value
        assert pair[0].next is pair[1]


@pytest.mark.parametrize(
    ("owner", "name", "planted", "seed"),
    [
        (Guards, "containers", [], 4),
        (Guards, "arrays", [], 36),
        (births, "_ask", lambda value, other: None, 17),
    ],
)
def test_random_programs_find_what_is_taken_for_several(
    owner: Any, name: str, planted: Any, seed: int
) -> None:
    assert check_seed("identity", seed) == "same"
    with patch.object(owner, name, planted):
        assert check_seed("identity", seed).startswith("call")


def replaced_in_a_branch(o: Any, x: Any) -> Any:
    if x < 1:
        o.items.append(x)
    if x > 3:
        o.items = [x]
    return o.items


def replaced_in_a_loop(o: Any, x: Any) -> Any:
    if x < 1:
        o.items.append(x)
    while x > 3:
        x -= 3
        o.items = [x]
    return o.items


@pytest.mark.parametrize("function", [replaced_in_a_branch, replaced_in_a_loop])
def test_a_list_of_the_callers_that_may_be_replaced_stays_the_callers(function: Any) -> None:
    staged = ag.function(function)
    for x in (0.5, 2.0, 9.0):
        box = SimpleNamespace(items=[])
        before = box.items
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ag.FallbackWarning)
            found = staged(box, np.float64(x))
        assert found is box.items
        assert (found is before) == (x <= 3)
