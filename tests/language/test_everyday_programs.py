"""Everyday programs, staged: results, their classes and order, errors, and what arguments hold."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autograph as ag
from tests.language import (
    corpus_samples,
    everyday_samples,
    idiom_samples,
    list_recursion_samples,
    tuple_samples,
)

SAMPLES = (corpus_samples, everyday_samples, idiom_samples, list_recursion_samples, tuple_samples)
CALLS = {program: calls for one in SAMPLES for program, calls in one.CALLS.items()}


def outcome(program, arguments):
    given = copy.deepcopy(arguments)
    try:
        found = repr(program(*given))
    except Exception as error:
        found = repr(error)
    return found, repr(given)


@pytest.mark.parametrize("program", CALLS, ids=lambda x: x.__name__)
def test_it_means_what_python_means(program):
    staged = ag.function(program)
    for arguments in CALLS[program]:
        assert outcome(staged, arguments) == outcome(program, arguments)


def first_by_pattern(x):
    found = [e for e in x if e > 0]
    match found:
        case [a]:
            return a
    return 0


def value_by_pattern(x):
    found = {}
    for e in x:
        found[e] = e + 1
    match found:
        case {3: a}:
            return a
    return 0


@pytest.mark.parametrize("program", [first_by_pattern, value_by_pattern])
def test_patterns_of_containers_of_the_graph_are_refused(program):
    with pytest.raises(ag.MutationError, match="a pattern of the"):
        ag.function(program)(np.array([3, 1]))
