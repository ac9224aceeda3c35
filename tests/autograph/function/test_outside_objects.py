"""Objects and containers from outside that a function gives what only the graph knows."""

from __future__ import annotations

import gc
import logging
import weakref
from collections import deque
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Node:
    def __init__(self, value):
        self.value = value


class Account:
    total = 0

    def __init__(self):
        self.count = 0
        self.items = []
        self.best = None
        self.weights = np.zeros(2)
        self.seen = {7}
        self.by_key = {}
        self.last = deque([1], maxlen=3)

    def add(self, x):
        self.count += x
        return self.count

    def in_a_branch(self, x):
        if x > 2:
            self.count += 1
            self.best = x
        return self.count

    def list_in_a_branch(self, x):
        if x > 2:
            self.items.append(x)
        return len(self.items)

    def returned_list(self, x):
        self.items.append(x)
        return self.items

    def new_list(self, x):
        self.items = [*self.items, x]
        return self.items

    def array(self, x):
        self.weights = self.weights + x
        return self.weights.sum()

    def error_of_python(self, x):
        self.count += x
        self.items.append(x)
        if x > 2:
            raise ValueError("large")
        return self.count

    def error_of_a_check(self, x):
        self.count += x
        self.by_key[x] = self.count
        self.items.append(x)
        return [1, 2, 3, 4][x - 1]

    def itself(self, x):
        self.count = self.count + x
        return self

    def new_object(self, x):
        self.best = Node(x)
        return self.best

    def object_of_an_object(self, x):
        if self.best is None:
            self.best = Node(x)
        else:
            self.best.value += x
        return self.best.value

    def in_a_loop(self, x):
        for k in range(x):
            if k % 2:
                self.seen.add(k)
                self.count += k
            self.last.append(k)
        return sorted(self.seen), self.last

    def dict_of_counts(self, x):
        self.by_key[x] = self.by_key.get(x, 0) + 1
        return len(self.by_key)

    def of_the_class(self, x):
        Account.total += x
        return Account.total

    def in_a_try(self, x):
        try:
            self.count += x
            if x > 3:
                raise KeyError(x)
            self.items.append(x)
        except KeyError:
            self.best = x
        return self.count


def shown(x: Any) -> Any:
    """Return something with the classes of all that it is made of."""
    if isinstance(x, list | tuple | deque | set):
        return type(x), list(map(shown, sorted(x) if isinstance(x, set) else x))
    if isinstance(x, dict):
        return [(shown(key), shown(value)) for key, value in x.items()]
    if isinstance(x, Account | Node):
        return type(x), shown(vars(x))
    return type(x), repr(x)


def told(function: Any, calls: list[Any]) -> list[Any]:
    """Return what calls give and leave in an object, and which of its attributes is returned."""
    Account.total = 0
    account, found = Account(), []
    for x in calls:
        try:
            result = function(account, x)
            attributes = account, account.items, account.best, account.last
            found.append((shown(result), [result is held for held in attributes]))
        except (ValueError, IndexError) as error:
            found.append((shown(None), [type(error).__name__, str(error)]))
        found.append((shown(account), [repr(Account.total)]))
    return found


METHODS = [x for name, x in vars(Account).items() if callable(x) and name[0] != "_"]


@pytest.mark.parametrize("method", METHODS, ids=lambda x: x.__name__)
def test_each_call_leaves_what_python_leaves(method, caplog):
    caplog.set_level(logging.CRITICAL)
    calls = [np.int64(x) for x in (1, 5, 3, 3, 2)]
    assert told(ag.function(method), calls) == told(method, calls)


def changed_set(s, x):
    if x > 0:
        s.add(x)
    for k in range(x):
        s.discard(k)
    return len(s)


def chosen_of_sets(rows, x):
    for row in rows:
        if x in row:
            row.remove(x)
            return row
    return None


def set_of_a_dict(d, x):
    for k in range(x):
        d["seen"].add(k)
    return d


def popped(s, x):
    return s.pop() if x in s else s


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (changed_set, {1, 2}),
        (chosen_of_sets, [{1, 2}, {2, 3}]),
        (set_of_a_dict, {"seen": {9}}),
        (popped, {3}),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_sets_that_are_arguments(function, given, caplog):
    caplog.set_level(logging.CRITICAL)
    staged, own, other = ag.function(function), deepcopy(given), deepcopy(given)
    for x in (3, -1, 2):
        assert repr(staged(own, np.int64(x))) == repr(function(other, np.int64(x)))
        assert repr(own) == repr(other)


def test_what_was_refused_leaves_all_as_it_was():
    account = Account()

    @ag.function
    def refused(x):
        account.count += x
        account.items.append(x)
        if x > 0:
            account.seen.add(x)
        account.__late__ = x

    with pytest.raises(ag.MutationError):
        refused(np.float64(1))
    assert shown(account) == shown(Account())


def test_of_much_that_was_written_an_error_leaves_nothing_and_says_so(caplog):
    nodes = [Node(k) for k in range(40)]

    @ag.function
    def f(x, places):
        for k in range(40):
            nodes[k].value = x + k
        return places[x]

    places = np.arange(3)
    assert f(np.int64(2), places) == 2
    assert [node.value for node in nodes] == list(range(2, 42))
    with pytest.raises(IndexError):
        f(np.int64(5), places)
    assert "f() raised IndexError after it had changed" in caplog.text
    assert [node.value for node in nodes] == list(range(2, 42))


@ag.function
def kept_in_an_argument(account, x):
    account.count = account.count + x
    return account


def test_no_trace_keeps_an_object_alive_that_it_assigns():
    account = Account()
    reference = weakref.ref(account)
    assert kept_in_an_argument(account, np.int64(2)) is account
    del account
    gc.collect()
    assert reference() is None


def in_one_branch(account, x):
    if x > 1:
        account.items = [x]
        account.best = (0, [x])
    return x


def test_what_a_branch_that_is_not_taken_leaves_is_the_same_list(caplog):
    caplog.set_level(logging.CRITICAL)
    account, staged = Account(), ag.function(in_one_branch)
    items, best = account.items, account.best = [1], (0, [1])
    for k in range(3):
        staged(account, np.int64(k - 1))
        assert account.items is items
        assert account.best is best
        items.append(k)
        best[1][0] = k
    staged(account, np.int64(2))
    assert (account.items, account.best, items) == ([2], (0, [2]), [1, 0, 1, 2])
