"""Every op on CuPy's own arrays, whose kernels are NumPy's here: no device is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SETTERS = ("op set_real", "op set_imag")  # which write by an attribute, and so by a kernel
CHECK = """
from runtime.backends import get_backend
from tests.runtime.backends.host_cupy import computing
from tools import gpu

with computing():
    for row in gpu.ops(get_backend("cupy")):
        print(row.is_wrong, row.what, row.found, sep="|")
"""


def test_every_op_gives_what_numpy_gives_and_asks_only_for_what_cupy_has() -> None:
    pytest.importorskip("cupy")
    command = [sys.executable, "-W", "ignore", "-c", CHECK]  # without what other tests define
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    rows = [line.split("|", 2) for line in done.stdout.splitlines()]
    assert [row for row in rows if row[0] == "True" and row[1] not in SETTERS] == []
    assert int(rows[-1][2].split()[0]) > 200
