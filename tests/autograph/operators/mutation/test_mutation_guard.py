"""Python containers that a staged branch or loop would change are left alone, loudly."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import autograph as ag


def adds(xs):
    found = set()
    for x in xs:
        found.add(object())
    return found


def sets_a_key(x):
    seen = {}
    if x > 0:
        seen["positive"] = object()
    return seen


def appends_to_an_attribute(log, n):
    while n > 0:
        log.lines.append(object())
        n -= 1
    return n


class Log:
    def __init__(self):
        self.lines = ["start"]


def test_adding_a_function_to_a_set_in_a_staged_loop_is_refused_by_name():
    with pytest.raises(
        ag.MutationError,
        match=r"the set 'found' is changed(.|\n)*may have numbers, texts and(.|\n)*for x in xs",
    ):
        ag.function(adds)(np.ones(3))


def test_setting_a_key_in_a_staged_branch_is_refused_by_name():
    with pytest.raises(ag.MutationError, match="the dict 'seen' is changed"):
        ag.function(sets_a_key)(np.float64(1))


def test_a_refused_change_of_an_attribute_is_undone():
    log = Log()
    with pytest.raises(ag.MutationError, match=r"an item of the list 'log.lines'"):
        ag.function(appends_to_an_attribute)(log, np.int64(3))
    assert log.lines == ["start"]


def test_a_list_that_is_changed_where_nothing_is_staged_is_a_python_list():
    def collect(x):
        found = []
        for k in range(3):
            found.append(x * k)
        return found

    for k, result in enumerate(ag.function(collect)(np.ones(2))):
        np.testing.assert_array_equal(result, [k, k])


def adds_a_default(n):
    counts = defaultdict(int)
    while n > 0:
        counts[object()] += 1
        n -= 1
    return n


class Kept(list):
    pass


def appends_to_a_kind_of_list(n):
    kept = Kept()
    while n > 0:
        kept.append(1)
        n -= 1
    return n


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            adds_a_default,
            "the defaultdict 'counts' is changed(.|\n)*Give it all of its keys before",
        ),
        (appends_to_a_kind_of_list, "the Kept 'kept' is changed"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_other_containers_are_refused_by_name(function, message):
    with pytest.raises(ag.MutationError, match=message):
        ag.function(function)(np.int64(3))


def counts_words(codes):
    counts = {"even": 0, "odd": 0}
    for code in codes:
        if code % 2 == 0:
            counts["even"] += 1
        else:
            counts["odd"] += 1
    return counts


def swaps_items(x):
    pair = [x, 2 * x]
    if x > 0:
        pair[0], pair[1] = pair[1], pair[0]
    return pair


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (counts_words, np.array([1, 2, 3])),
        (counts_words, np.zeros(0, int)),
        (swaps_items, np.float64(2)),
        (swaps_items, np.float64(-2)),
    ],
)
def test_items_that_are_known_by_their_keys_are_state(function, argument):
    assert ag.function(function)(argument) == function(argument)
