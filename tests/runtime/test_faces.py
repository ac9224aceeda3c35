"""Packages import on demand what few programs need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import autograph as ag
import runtime.kernels
from runtime.faces import names, submodules
from runtime.lower.exports import exported

LATE = (
    *("llvmlite", "pygments", "runtime.lower.compile", "runtime.passes.pipeline"),
    *("runtime.kernels.jit", "runtime.profiling.profile", "autograph.data", "autograph.tf"),
    "autograph.nn",
    *("autograph.lint", "autograph.comparing", "autograph.explaining", "autograph.cli"),
)


def test_importing_autograph_imports_nothing_that_is_needed_later() -> None:
    program = f"import sys, autograph; print([x for x in {LATE} if x in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=True,
    )
    assert found.stdout == "[]\n"


def test_all_public_names_are_found_and_listed() -> None:
    assert [name for name in ag.__all__ if not hasattr(ag, name)] == []
    assert set(ag.__all__) <= set(dir(ag))


def test_modules_of_a_face_are_found_and_nothing_else() -> None:
    assert submodules("runtime.kernels")("jit") is runtime.kernels.jit
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        submodules("runtime.kernels")("nothing")
    assert not hasattr(runtime.kernels, "__nothing__")


def test_names_of_a_face_come_from_their_homes() -> None:
    homes = {"data": "autograph.data", "explain": "autograph.explaining.explain"}
    find = names("autograph", homes, exported)
    assert find("data") is sys.modules["autograph.data"]
    assert find("explain") is ag.explain
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        find("nothing")
