"""Python containers that a staged branch or loop would change are left alone, loudly."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag


def adds(xs):
    found = set()
    for x in xs:
        found.add(1)
    return found


def sets_a_key(x):
    seen = {}
    if x > 0:
        seen["positive"] = True
    return seen


def appends_to_an_attribute(log, n):
    while n > 0:
        log.lines.append("again")
        n -= 1
    return n


class Log:
    def __init__(self):
        self.lines = ["start"]


def test_adding_to_a_set_in_a_staged_loop_is_refused_by_name():
    with pytest.raises(ag.MutationError, match=r"the set 'found' is changed(.|\n)*for x in xs"):
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
