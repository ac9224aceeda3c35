"""Hash tables of keys, as they are written and in native loops."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from autograph.operators.keyed import hash_tables
from autograph.operators.keyed.hash_tables import FREE


def changed(table, keys, step, key):
    """Put a key in, or take it out, as containers do; returns the table and the keys."""
    code = lambda position: keys[position] * 5  # noqa: E731
    slot = hash_tables.slot_of(table, key * 5, lambda position: keys[position] == key)
    if step == "remove" and table[slot] != FREE:
        position = table[slot]
        table = hash_tables.removed(table, slot, code)
        del keys[position]
    elif step == "put" and table[slot] == FREE:
        keys.append(key)
        table = hash_tables.put(table, slot, len(keys) - 1, code)
    return table


def check(spread):
    """Put keys in and take them out at random; all that are there have to be found."""
    rng = np.random.default_rng(spread)
    keys, table = [], hash_tables.made(0, None)
    for number in rng.integers(0, 180, 400):
        step, key = ("put", "put", "remove")[number % 3], number // 3
        table = changed(table, keys, step, int(key) * spread)
        assert 2 * len(keys) <= len(table)
        assert sorted(x for x in table if x != FREE) == list(range(len(keys)))
        for position, key in enumerate(keys):
            slot = hash_tables.slot_of(table, key * 5, lambda x, own=key: keys[x] == own)
            assert table[slot] == position


@pytest.mark.parametrize("spread", [1, 16, 1024])
def test_a_table_finds_what_is_in_it_whatever_was_done_before(spread):
    check(spread)


def test_a_removal_that_leaves_a_gap_before_others_is_noticed(monkeypatch):
    def careless(table, slot, code):
        position = table[slot]
        table[slot] = FREE
        table -= table > position
        return table

    monkeypatch.setattr(hash_tables, "removed", careless)
    with pytest.raises((AssertionError, IndexError)):
        check(16)


def counts(xs):
    found = {}
    for x in xs:
        found[x] = found.get(x, 0) + 1
        if found[x] == 3:
            del found[x]
    return found


def walk(turns):
    x = y = 0
    seen = set()
    for turn in turns:
        if turn % 2:
            x += turn - 2
        else:
            y += turn - 1
        seen.add((x, y))
    return len(seen), (x, y) in seen, (99, y) in seen


@pytest.mark.parametrize("function", [counts, walk])
def test_loops_that_look_for_keys_are_native(function):
    staged = ag.function(function)
    xs = np.random.default_rng(1).integers(0, 4, 100) * (1 if function is walk else 3)
    assert staged(xs) == function(xs)
    assert "not native" not in str(staged.kernels(xs))


def test_a_key_that_was_looked_for_is_not_looked_for_again():
    @ag.function
    def count(xs):
        found = {}
        for x in xs:
            if x not in found:
                found[x] = 0
            found[x] = found[x] + 1
        return found

    xs = np.arange(5)
    text = str(count.graph(xs))
    assert text.count("while_loop") == 4  # two look-ups, and a table that grows in both places


def test_a_while_asks_for_a_key_in_each_round():
    @ag.function
    def first_free(xs, k):
        taken = set()
        for x in xs:
            taken.add(x)
        if k in taken:
            while k in taken:
                k += 1
        return k

    assert first_free(np.array([3, 4, 5, 9]), np.int64(3)) == 6
