"""Random programs mean the same plain, converted and staged, or are refused by name.

More programs, each family from seed 0: RANDOM_PROGRAMS=5000 pytest tests/random_programs
A failure prints the seed and the program; `minimise.py` shrinks it.
"""

from __future__ import annotations

import os
from collections import Counter
from math import sqrt

import pytest

from runtime.kernels.jit import is_available
from tests.random_programs.families import FAMILIES, check_seed, kind_of
from tests.random_programs.valid_graphs import valid_graphs
from tests.random_programs.whole_kernels import FAMILIES as ONE_KERNEL
from tests.random_programs.whole_kernels import whole_kernels

COUNTS = {
    name: int(os.environ.get("RANDOM_PROGRAMS", family.everyday))
    for name, family in FAMILIES.items()
}
PROGRAMS_PER_TEST = 10
CHUNKS = [
    (name, first) for name, count in COUNTS.items() for first in range(0, count, PROGRAMS_PER_TEST)
]


@pytest.mark.parametrize(("name", "first"), CHUNKS)
def test_random_programs_mean_the_same_in_all_forms(name: str, first: int) -> None:
    family, kinds = FAMILIES[name], Counter[str]()
    compared = 0
    count = min(PROGRAMS_PER_TEST, COUNTS[name] - first)
    for seed in range(first, first + count):
        with valid_graphs() as invalid, whole_kernels(name) as by_kernels:
            found = check_seed(name, seed)
        assert invalid == [], f"{name} {seed}"
        assert all(by_kernels), f"{name} {seed}: its kernel gives something else than its steps"
        compared += len(by_kernels)
        kinds[kind_of(found)] += 1
        assert kind_of(found) != "wrong", f"{name} {seed}:\n{family.write(seed)}\n{found}"
    assert compared >= count or name not in ONE_KERNEL or not is_available(), compared
    share = family.refused
    assert kinds["refused"] <= share * count + 4 * sqrt(share * count), kinds
    assert kinds["too long"] <= max(1, 0.1 * count), kinds  # a busy machine may be slow
