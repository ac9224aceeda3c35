"""Positions in lists that the graph knows, of all classes that Python takes as an index."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag


def grown(x):
    found = [7]
    for v in x:
        found.append(v * 2)
    return found


def item(x, k):
    return grown(x)[k]


def written(x, k):
    found = grown(x)
    found[k] = 0
    return found


def popped(x, k):
    found = grown(x)
    return found.pop(k), found


def of_two_classes(x, k):
    found, j = grown(x), 1
    total = 0
    for _ in range(len(x)):
        total = total + found[j]
        j = k
    return total


def outcome(f, x, k):
    try:
        return f(x, k)
    except IndexError as error:
        return str(error)


@pytest.mark.parametrize("f", [item, written, popped, of_two_classes])
@pytest.mark.parametrize("kind", [int, np.int8, np.uint64, np.int64])
def test_any_class_of_index_has_pythons_item_or_error(f, kind):
    staged, x = ag.function(f), np.arange(3)
    for k in (
        0,
        3,
        4,
        200 if kind is not np.int8 else 100,
        *((-1, -4, -5) if kind is not np.uint64 else ()),
    ):
        assert outcome(staged, x, kind(k)) == outcome(f, x, kind(k)), k


def test_a_test_is_an_index():
    def first_or_second(x):
        return grown(x)[not x[0]], grown(x)[-(not x[1])]

    assert ag.function(first_or_second)(np.arange(3)) == first_or_second(np.arange(3))
