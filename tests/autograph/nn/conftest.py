"""Layers begin with the same numbers in each run."""

from __future__ import annotations

import pytest

import autograph as ag


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Seed what initialisers draw from."""
    ag.random.seed(0)
