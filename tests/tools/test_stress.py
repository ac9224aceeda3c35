"""An interruption anywhere in a first call leaves everything sound; the tool tries all places."""

from __future__ import annotations

from itertools import takewhile
from types import SimpleNamespace

import pytest

from tools import stress


@pytest.mark.parametrize("number", [*takewhile(lambda k: k < 4000, stress.points(2.2))])
def test_a_first_call_may_be_interrupted_anywhere(number: int) -> None:
    assert stress.is_sound_at(number)


def test_the_tool_ends_where_the_call_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert not stress.is_sound_at(10**9)
    assert stress.main(["40"]) == 0
    assert "sound after each" in capsys.readouterr().out


def test_what_is_not_sound_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stress, "default_graph", SimpleNamespace(current=lambda: "a trace"))
    with pytest.raises(AssertionError, match="the trace is still open"):
        stress.is_sound_at(1)
