"""Modules of the standard library are converted without failing, compile, and stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.convert_library import checked, files_of

MODULES = ["ast", "fractions", "heapq", "statistics", "tokenize", "contextlib"]


@pytest.mark.parametrize("name", MODULES)
def test_a_module_of_the_library_is_converted(name: str) -> None:
    (path,) = files_of(name)
    assert checked(path.read_bytes(), path) == (True, "")


def test_what_goes_wrong_is_said() -> None:
    changed, problem = checked(b"def f(:\n", Path("bad.py"))
    assert (changed, problem.partition(":")[0]) == (True, "InvalidSourceError")
