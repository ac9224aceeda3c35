"""What the two packages promise about each other and about what importing them costs."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata, resources
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OPTIONAL = {"cupy", "cupyx", "dask", "onnx", "scipy", "sklearn", "tensorboard"}


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter has loaded after a statement."""
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    command = [sys.executable, "-c", code]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return {name.partition(".")[0] for name in answer.stdout.split()}


def test_import_of_autograph_loads_no_optional_library() -> None:
    assert modules_after("import autograph") & OPTIONAL == set()


def test_import_of_runtime_does_not_load_autograph() -> None:
    assert modules_after("import runtime") & {"autograph", "gast", "astor", *OPTIONAL} == set()


@pytest.mark.parametrize("package", ["autograph", "runtime"])
def test_package_says_that_it_is_typed(package: str) -> None:
    assert resources.files(package).joinpath("py.typed").is_file()


def test_distribution_has_the_command_and_the_extras() -> None:
    distribution = metadata.distribution("autograph-runtime")
    commands = {entry.name: entry.value for entry in distribution.entry_points}
    assert commands == {"autograph": "autograph.cli:main"}
    assert set(distribution.metadata.get_all("Provides-Extra") or []) == {
        "dev",
        "export",
        "gpu",
        "gpu12",
        "hdf5",
    }
