from __future__ import annotations

import threading

import pytest

from runtime import mode
from runtime.graph.builder import Builder


def test_nothing_is_built_at_first():
    assert mode.current() is None


def test_the_innermost_builder_is_the_current_one():
    outer, inner = Builder(), Builder()
    with mode.building(outer):
        with mode.building(inner):
            assert mode.current() is inner
        assert mode.current() is outer
    assert mode.current() is None


def test_building_can_be_suspended():
    with mode.building(Builder()), mode.building(None):
        assert mode.current() is None


def test_an_error_ends_the_building():
    with pytest.raises(KeyError), mode.building(Builder()):
        raise KeyError
    assert mode.current() is None


def test_every_thread_builds_for_itself():
    seen = []
    with mode.building(Builder()):
        thread = threading.Thread(target=lambda: seen.append(mode.current()))
        thread.start()
        thread.join()
    assert seen == [None]
