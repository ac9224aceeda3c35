"""What is older than a trace is not searched, and all is as it was when the trace has ended."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from autograph.staging.context import trace_of
from autograph.staging.copies import HELD, Join
from autograph.staging.reachability import searching
from runtime.graph.builder import Builder

pytestmark = pytest.mark.usefixtures("thawed")


@pytest.fixture
def builder() -> Builder:
    made = Builder()
    trace_of(made).tries.add(Join(HELD, "x", ()))
    return made


@pytest.fixture
def frozen() -> Iterator[int]:
    """Freeze objects as a server does before it forks."""
    gc.freeze()
    yield gc.get_freeze_count()
    gc.unfreeze()


def test_only_what_is_newer_is_found(builder: Builder) -> None:
    held: list[int] = [1]
    older = [held]
    with searching(builder):
        newer = [held]
        with searching(builder):
            assert gc.get_referrers(held) == [newer]
        assert gc.get_referrers(held) == [newer]
    assert {id(x) for x in gc.get_referrers(held)} >= {id(older), id(newer)}
    assert gc.get_freeze_count() == 0


def test_an_error_leaves_nothing_frozen(builder: Builder) -> None:
    with pytest.raises(ValueError, match="of the trace"), searching(builder):
        raise ValueError("of the trace")
    assert gc.get_freeze_count() == 0


def test_without_joins_nothing_is_frozen() -> None:
    with searching(Builder()):
        assert gc.get_freeze_count() < 1000


def test_what_others_have_frozen_stays_so(builder: Builder, frozen: int) -> None:
    newer = [builder]
    with searching(builder):
        assert newer in gc.get_referrers(builder)
    assert gc.get_freeze_count() > frozen // 2
