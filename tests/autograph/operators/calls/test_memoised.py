"""Cached functions keep what they gave in the graph; groups of neighbours are staged."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import autograph as ag
from tests.autograph.operators.calls import cache_samples as samples


@pytest.mark.parametrize(
    ("function", "calls"), samples.CACHED, ids=lambda x: getattr(x, "__name__", "")
)
def test_cached_functions_give_what_they_do_in_python(function, calls):
    staged = ag.function(function)
    for arguments in calls:
        samples.fibonacci.cache_clear()
        wanted = function(*arguments)
        assert [repr(staged(*arguments)) for _ in range(2)] == [repr(wanted)] * 2


def test_a_cached_function_that_calls_itself_takes_time_by_the_number_of_its_arguments():
    a, b = np.arange(40) % 7, np.arange(40) % 5
    assert ag.function(samples.common_subsequence)(a, b) == samples.common_subsequence(a, b)


RATES = [2.0]


@functools.cache
def rated(x):
    return x * RATES[0]


@functools.lru_cache(typed=True)
def typed(x):
    return x + 1


def test_a_cached_function_that_lasts_and_uses_what_changes_is_refused():
    staged = ag.function(lambda x: rated(x))
    with pytest.raises(ag.StagedValueError, match=r"rated is cached, lasts longer .* 'RATES'"):
        staged(np.float64(2.0))


@pytest.mark.parametrize("made", [lambda x: [x], lambda x: (1, {x: x}), lambda x: {1: x}])
def test_arguments_that_no_cache_takes_are_a_type_error(made):
    def of_a_container(x):
        @functools.cache
        def held(value):
            return len(value)

        return held(made(x))

    for function in (of_a_container, ag.function(of_a_container)):
        with pytest.raises(TypeError, match=r"unhashable type: '(list|dict)'"):
            function(2.0 if function is of_a_container else np.float64(2.0))


def test_caches_that_tell_classes_apart_are_refused():
    with pytest.raises(ag.StagedValueError, match="typed is cached with typed=True"):
        ag.function(lambda x: typed(x))(np.float64(2.0))


def test_known_arguments_are_looked_up_in_the_cache_itself():
    samples.fibonacci.cache_clear()
    assert ag.function(lambda x: x * samples.fibonacci(20))(np.float64(2.0)) == 2.0 * 6765
    assert samples.fibonacci.cache_info().currsize == 21


@pytest.mark.parametrize("function", samples.GROUPED, ids=lambda x: x.__name__)
def test_groups_of_neighbours(function):
    staged = ag.function(function)
    for x in ([1, 1, 2, -3, -3, -3, 5], [4], []):
        given = np.array(x, np.int64)
        assert repr(staged(given)) == repr(function(given))


def forgets(a, b):
    @functools.cache
    def power(k):
        return base if k <= 0 else power(k - 1) + base

    base = a
    first = power(b)
    power.cache_clear()
    base = a * 2
    return first, power(b), power(b)


def test_a_cache_that_is_cleared_forgets():
    for a in (3, 0, -2):
        assert ag.function(forgets)(np.int64(a), np.int64(4)) == forgets(a, 4)


def test_a_cache_that_may_be_cleared_is_refused():
    def f(n):
        kept = functools.cache(lambda k: k + n)
        found = kept(n)
        if n > 2:
            kept.cache_clear()
        return found

    with pytest.raises(ag.StagedValueError, match=r"cache_clear\(\) in a staged branch"):
        ag.function(f)(np.int64(4))


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
def test_what_a_cache_tells_of_itself_is_what_python_tells():
    def f(n):
        @functools.cache
        def fibonacci(k):
            return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)

        return fibonacci(n), fibonacci.cache_info().misses

    assert ag.function(f)(np.int64(5)) == f(5)
