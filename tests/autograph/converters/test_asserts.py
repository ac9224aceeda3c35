"""Under -O the test of an assert is not asked, converted or not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
import numpy as np
import autograph as ag

asked = []

def test(x):
    asked.append(x)
    return x > 0

@ag.function
def f(x):
    assert test(x), "negative"
    return x + 1

try:
    print(f(np.float64(-3)), len(asked))
except AssertionError as error:
    print("AssertionError:", error)
"""


@pytest.mark.parametrize(
    ("options", "said"), [([], "AssertionError: negative"), (["-O"], "-2.0 0")], ids=["", "-O"]
)
def test_optimised_python_drops_asserts(tmp_path: Path, options: list[str], said: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    command = [sys.executable, *options, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == said
