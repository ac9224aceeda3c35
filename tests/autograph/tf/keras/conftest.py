"""Layers begin with the same numbers in each run."""

from __future__ import annotations

from tests.autograph.nn.conftest import seeded

__all__ = ["seeded"]
