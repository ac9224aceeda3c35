"""The forms of results, which may come from a file: they are read, and nothing in them is run."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.errors import GraphFormatError
from runtime.ops import call_forms

RAN: list[str] = []


@pytest.mark.parametrize(
    "form",
    [
        "RAN.append('x')",
        "[RAN.append('x')]",
        "(x, RAN.append('x'))",
        "RAN.append('x')(x)",
        "dtype(RAN.append('x'))",
        "(lambda: RAN.append('x'))()",
        "f\"{RAN.append('x')}\"",
        "' or RAN.append(1) or '",
    ],
)
def test_nothing_in_a_form_is_run(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.RAN", RAN, raising=False)
    assert call_forms.taker(form)(np.float64(1), []) is None
    assert call_forms.taker(form)((1.0, None), []) is None
    assert not RAN


def test_what_is_no_form_is_refused() -> None:
    with pytest.raises(GraphFormatError, match="is no form of a result"):
        call_forms.taker("(x,")
