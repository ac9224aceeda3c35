"""The stored names and arguments of CuPy's functions are those of CuPy."""

from __future__ import annotations

import pytest

from tests.runtime.backends.cupy_signatures import FILE, now


def test_stored_signatures_are_those_of_cupy(update_golden: bool) -> None:
    pytest.importorskip("cupy")
    if update_golden:
        FILE.write_text(now(), encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == now()
