"""Packages import on demand what few programs need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import autograph as ag
import runtime.kernels
from runtime.faces import names, submodules
from runtime.lower.tracebacks import exported

LATE = (
    *("llvmlite", "pygments", "runtime.lower.compile", "runtime.passes.pipeline"),
    *("runtime.kernels.jit", "runtime.profiling.profile", "autograph.data", "autograph.tf"),
    "autograph.nn",
    *("autograph.lint", "autograph.comparing", "autograph.explaining", "autograph.cli"),
    *(
        "autograph.function.trace",
        "autograph.operators",
        "autograph.staging",
        "autograph.transforms",
    ),
    *("autograph.conversion", "autograph.numpy", "gast", "logging", "pdb"),
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


def test_what_is_imported_for_one_name_gives_all_names_that_are_there_then() -> None:
    program = (
        "import autograph as ag, autograph.function.decorator\n"
        "print(callable(ag.function), 'ConcreteFunction' in vars(ag))"
    )
    found = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=True,
    )
    assert found.stdout == "True True\n"


def test_all_public_names_are_found_and_listed() -> None:
    assert [name for name in ag.__all__ if not hasattr(ag, name)] == []
    assert set(ag.__all__) <= set(dir(ag))


def test_modules_of_a_face_are_found_and_nothing_else() -> None:
    assert submodules("runtime.kernels")("jit") is runtime.kernels.jit
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        submodules("runtime.kernels")("nothing")
    assert not hasattr(runtime.kernels, "__nothing__")


def test_names_of_a_face_come_from_their_homes() -> None:
    homes = {"autograph": "data", "autograph.explaining.explain": "explain again=explain"}
    find = names("autograph", homes, exported, "again")
    assert find("data") is sys.modules["autograph.data"]
    assert find("explain") is ag.explain
    assert find("again") is sys.modules["autograph.explaining.explain"].explain
    del ag.again
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        find("nothing")
