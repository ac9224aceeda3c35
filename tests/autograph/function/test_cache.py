"""Which trace serves a call, and which traces are kept."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import Any

import numpy as np

import autograph as ag
from autograph.function.cache import FEWEST, MOST, Cache
from autograph.function.tracetype import trace_type


class Thing:
    pass


class Slotted:
    __slots__ = ()


def concrete(*values: Any) -> Any:
    return SimpleNamespace(is_current=True, types=tuple(map(trace_type, values)))


def cache_of(*many: Any, structure: Any = "one") -> Cache:
    cache = Cache()
    for one in many:
        cache.add(structure, one)
    return cache


def find(cache: Cache, *values: Any, structure: Any = "one") -> Any:
    return cache.find(structure, tuple(map(trace_type, values)))


def test_the_trace_for_exactly_the_types_is_found():
    two, three = concrete(np.ones(2)), concrete(np.ones(3))
    cache = cache_of(two, three)
    assert find(cache, np.zeros(3)) is three
    assert find(cache, np.zeros(2)) is two
    assert find(cache, np.zeros(4)) is None


def test_another_structure_is_another_call():
    cache = cache_of(concrete(np.ones(2)))
    assert find(cache, np.ones(2), structure="other") is None


def test_a_general_trace_serves_what_no_other_does():
    exact, general = concrete(np.ones(2)), concrete(ag.TensorSpec([None]))
    cache = cache_of(general, exact)
    assert find(cache, np.ones(2)) is exact
    assert find(cache, np.ones(5)) is general


def test_the_most_specific_of_general_traces_is_taken():
    anything = concrete(ag.TensorSpec(None))
    matrix = concrete(ag.TensorSpec([None, None]))
    columns = concrete(ag.TensorSpec([None, 2]))
    cache = cache_of(anything, matrix, columns)
    assert find(cache, np.ones((3, 2))) is columns
    assert find(cache, np.ones((3, 3))) is matrix
    assert find(cache, np.ones(3)) is anything


def test_sizes_of_one_name_are_one_size_in_all_arguments():
    pair = concrete(ag.TensorSpec(["n"]), ag.TensorSpec(["n"]))
    any_sizes = concrete(ag.TensorSpec(["n"]), ag.TensorSpec(["m"]))
    cache = cache_of(any_sizes, pair)
    assert find(cache, np.ones(2), np.ones(3)) is any_sizes
    assert find(cache_of(pair), np.ones(2), np.ones(3)) is None
    assert find(cache_of(pair), np.ones(2), np.ones(2)) is pair


def test_traces_are_counted_and_listed_in_their_order():
    many = [concrete(np.ones(n)) for n in range(3)]
    cache = cache_of(*many)
    assert (len(cache), cache.added, list(cache)) == (3, 3, many)
    assert list(cache.items()) == [("one", one) for one in many]


def test_traces_for_objects_that_are_gone_are_dropped():
    keep = [Thing() for _ in range(3)]
    cache = cache_of(*map(concrete, keep))
    dropped = 0
    for _ in range(10 * FEWEST):
        dropped += cache.add("one", concrete(Thing()))
        gc.collect(0)
    assert dropped > 5
    assert len(cache) <= FEWEST
    assert cache.added == 10 * FEWEST + 3
    assert all(find(cache, thing) is not None for thing in keep)


def test_of_objects_that_cannot_be_watched_the_last_are_kept():
    objects = [Slotted() for _ in range(2 * MOST)]
    cache = cache_of(*map(concrete, objects))
    assert len(cache) <= MOST
    assert find(cache, objects[-1]) is not None
    assert find(cache, objects[0]) is None


def test_some_hundred_kinds_of_arguments_are_kept():
    cache = cache_of(*(concrete(np.ones(n)) for n in range(3 * FEWEST)))
    assert len(cache) == 3 * FEWEST


def test_of_texts_without_end_those_that_are_asked_for_are_kept():
    cache, often = Cache(), concrete("often")
    cache.add("one", often)
    for n in range(2000):
        cache.add("one", concrete(f"text {n}"))
        assert find(cache, "often") is often
    assert len(cache) <= MOST
    assert find(cache, "text 1999") is not None
    assert find(cache, "text 0") is None


def test_a_general_trace_that_serves_calls_is_kept():
    cache, general = Cache(), concrete(ag.TensorSpec([None]))
    cache.add("one", general)
    for n in range(2 * MOST):
        cache.add("one", concrete(n))
        assert find(cache, np.ones(n % 7)) is general
