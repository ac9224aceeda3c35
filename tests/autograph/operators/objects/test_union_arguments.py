"""Calls and operators that are given one of several things, or containers that hold such."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right


def note(best, node, target):
    if node is None:
        return
    far = abs(node.value - target)
    if far < best[1]:
        best[0], best[1] = node.value, far
    note(best, node.left if target < node.value else node.right, target)


def nearest(n):
    best: list[Any] = [None, 100]
    note(best, Node(5, Node(n), Node(n + 4)), n + 3)
    return best


def written_by_keyword(n):
    best = [None, 1]
    if n > 2:
        best[0] = n
    found = {"item": best[0]}

    def write(key, *, into):
        into.append(key)
        found[key] = into
        return into

    return write("many" if n > 2 else None, into=best) is best, best, found


def extended(n):
    items = [None, 1]
    if n > 2:
        items[0] = n
    same = items
    items += [1] if n > 3 else [2, 3]
    items.extend((4,) if n > 3 else [5, n])
    return items, same, items is same


def changed_sets(n):
    items = {1, 2}
    items |= {3} if n > 3 else {2, 4}
    found = {"a": 1}
    found |= {"b": n} if n > 3 else {"a": 2}
    return sorted(items), found


def fizz(n):
    words = ["Fizz" if i % 3 == n % 3 else "Buzz" if i == n else str(i) for i in range(7)]
    lengths = {k: "a" if n > k else "bc" for k in range(4)}
    reversed_ = " ".join(w[::-1] if len(w) > n else w for w in ["ab", "abcd"])
    return ",".join(words), "".join(lengths.values()), reversed_


def no_text(n):
    return "".join(["a", "b" if n > 3 else None, str(n)])


def a_number_as_text(n):
    return "".join(["a", n if n > 3 else "c", str(n)])


def never_a_text(n):
    return "".join([str(n), 3])


def copied(n):
    items = [None, [1]]
    if n > 2:
        items[0] = n
    other, whole = copy.copy(items), copy.deepcopy(items)
    items[1].append(3)
    return items, other, whole


FUNCTIONS = (nearest, written_by_keyword, extended, changed_sets, fizz)
FUNCTIONS += (no_text, a_number_as_text, never_a_text, copied)


def ended(function: Any, n: Any) -> Any:
    try:
        return repr(function(n))
    except TypeError as error:
        return repr(error)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_it_is_what_plain_python_makes_of_it(function: Any) -> None:
    staged = ag.function(function)
    for n in map(np.int64, (1, 3, 5)):
        assert ended(staged, n) == ended(function, n)
