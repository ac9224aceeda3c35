"""Functions of the standard library are rewritten without failing, and compile."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from tools.rewrite_library import functions_of, problem_of

LIBRARY = Path(sysconfig.get_paths()["stdlib"])


@pytest.mark.parametrize("name", ["ast", "dataclasses", "fractions", "heapq", "statistics", "uuid"])
def test_a_module_of_the_library_is_rewritten(name: str) -> None:
    found = list(functions_of(LIBRARY / f"{name}.py"))
    assert found
    assert [problem_of(node, class_name) for node, class_name in found] == [None] * len(found)
