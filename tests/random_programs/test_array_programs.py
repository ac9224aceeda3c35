"""Random programs with views and aliases: the same plain and staged, or refused by name.

A refusal is right where NumPy's result depends on which of two arrays a name stands for. More
programs, and how many are refused: RANDOM_PROGRAMS=5000 pytest tests/random_programs
"""

from __future__ import annotations

import os

import pytest

from tests.random_programs.array_programs import ARGUMENTS, ArrayPrograms
from tests.random_programs.comparing import SAME, compare

COUNT = int(os.environ.get("RANDOM_PROGRAMS", "100"))
REFUSALS = (
    "written that may be this array",
    "an argument of the function, or a new array",
    "depends on its memory layout",
    "(Holder)",
    "was used after the staged function or region",
    "Give it one dtype",
)


@pytest.mark.parametrize("seed", range(COUNT))
def test_random_array_programs_mean_the_same_plain_and_staged(seed):
    text = ArrayPrograms(seed).program()
    found = compare(text, f"array {seed}", ARGUMENTS)
    if found.startswith("refused") and any(reason in found for reason in REFUSALS):
        pytest.skip("refused")
    assert found == SAME, text
