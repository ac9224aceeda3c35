"""Freed memory is kept, unless the user has a say in it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = "from runtime.kernels.allocation import keep_memory; print(keep_memory(), keep_memory())"


def kept(**variables: str) -> str:
    """Return what a new process says."""
    plain = {k: x for k, x in os.environ.items() if not k.startswith("MALLOC_")}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**plain, **variables},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no glibc here")
def test_memory_is_kept_unless_glibc_was_told_otherwise() -> None:
    assert kept() in ("True True", "False False")
    assert kept(MALLOC_TRIM_THRESHOLD_="1000000") == "False False"
    assert kept(GLIBC_TUNABLES="glibc.malloc.trim_threshold=1000000") == "False False"
