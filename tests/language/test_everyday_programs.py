"""Everyday programs, staged: results, their classes and order, errors, and what arguments hold."""

from __future__ import annotations

import copy

import pytest

import autograph as ag
from tests.language import everyday_samples, list_recursion_samples

CALLS = {**everyday_samples.CALLS, **list_recursion_samples.CALLS}


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
