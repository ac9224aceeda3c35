"""Lists whose items are staged, added by `sum` and asked by code that is not converted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag


def joined(n):
    items = list(range(n))
    return sum([items, [7], items], []), items  # noqa: RUF017


def compared(n):
    items = [i * i for i in range(n)]
    whole = sum([items, [9]], [1])
    return set(whole) == {0, 1, 4, 9}, {0, 1, 9} == set(whole), max(whole), len(whole), whole[-1]


def boxes(n):
    rows = [[n, 3, 4, 6], [6, 7, 2, 1], [1, 9, 8, 3]]
    for k in range(3):
        if set(sum([row[k : k + 2] for row in rows], [])) == {3, 4, 7, 2, 9, 8}:  # noqa: RUF017
            return k
    return -1


@pytest.mark.parametrize("function", [joined, compared, boxes])
def test_sum_joins_lists_whose_length_is_staged(function: Any) -> None:
    staged = ag.function(function)
    for n in range(4):
        assert staged(np.int64(n)) == function(n)


class Holder:
    def __init__(self, items):
        self.items = items


@ag.do_not_convert
def differ(holder):
    return len({*holder.items})


def test_code_that_is_not_converted_cannot_hash_what_stands_for_items() -> None:
    def f(n):
        return differ(Holder([i % 2 for i in range(n)]))

    with pytest.raises(ag.StagedValueError, match="items of the list"):
        ag.function(f)(np.int64(3))
