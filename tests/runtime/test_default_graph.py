from __future__ import annotations

import threading

import pytest

from runtime import default_graph
from runtime.graph.builder import Builder


def test_nothing_is_built_at_first():
    assert default_graph.current() is None


def test_the_innermost_builder_is_the_current_one():
    outer, inner = Builder(), Builder()
    with default_graph.building(outer):
        with default_graph.building(inner):
            assert default_graph.current() is inner
        assert default_graph.current() is outer
    assert default_graph.current() is None


def test_building_can_be_suspended():
    with default_graph.building(Builder()), default_graph.building(None):
        assert default_graph.current() is None


def test_an_error_ends_the_building():
    with pytest.raises(KeyError), default_graph.building(Builder()):
        raise KeyError
    assert default_graph.current() is None


def test_every_thread_builds_for_itself():
    seen = []
    with default_graph.building(Builder()):
        thread = threading.Thread(target=lambda: seen.append(default_graph.current()))
        thread.start()
        thread.join()
    assert seen == [None]
