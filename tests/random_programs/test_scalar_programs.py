"""Random programs of numbers of all kinds mean the same plain and staged.

More programs: RANDOM_PROGRAMS=5000 pytest tests/random_programs
"""

from __future__ import annotations

import os

import pytest

from tests.random_programs.comparing import SAME, compare
from tests.random_programs.scalar_programs import ARGUMENTS, ScalarPrograms

COUNT = int(os.environ.get("RANDOM_PROGRAMS", "40"))


@pytest.mark.parametrize("seed", range(COUNT))
def test_random_scalar_programs_mean_the_same_plain_and_staged(seed):
    text = ScalarPrograms(seed).program()
    assert compare(text, f"scalar {seed}", ARGUMENTS) == SAME, text
