"""What is older than a trace is not searched, and all is as it was when the trace has ended."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from autograph.staging import reachability
from autograph.staging.reachability import searching

pytestmark = pytest.mark.usefixtures("thawed")


@pytest.fixture
def frozen() -> Iterator[int]:
    """Freeze objects as a server does before it forks."""
    gc.freeze()
    yield gc.get_freeze_count()
    gc.unfreeze()


def test_only_what_is_newer_is_found() -> None:
    held: list[int] = [1]
    older = [held]
    with searching():
        newer = [held]
        with searching():
            assert gc.get_referrers(held) == [newer]
        assert gc.get_referrers(held) == [newer]
    assert {id(x) for x in gc.get_referrers(held)} >= {id(older), id(newer)}
    assert gc.get_freeze_count() == 0


def test_an_error_leaves_nothing_frozen() -> None:
    with pytest.raises(ValueError, match="of the trace"), searching():
        raise ValueError("of the trace")
    assert gc.get_freeze_count() == 0


class Ring:
    """What only a search for garbage finds."""

    def __init__(self) -> None:
        self.itself = self


def test_garbage_is_searched_for_once_the_heap_has_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reachability, "_GROWTH", 0)
    with searching():
        ring = weakref.ref(Ring())
        with searching():
            pass
        assert ring() is not None
    assert ring() is None


def test_what_others_have_frozen_stays_so(frozen: int) -> None:
    held: list[int] = [1]
    newer = [held]
    with searching():
        assert newer in gc.get_referrers(held)
    assert gc.get_freeze_count() > frozen // 2
