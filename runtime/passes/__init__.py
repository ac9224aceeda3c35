"""Passes: graph to graph, with the same meaning and less work."""

from typing import TYPE_CHECKING

from runtime.faces import submodules

if TYPE_CHECKING:
    from runtime.passes import log as log
    from runtime.passes import pipeline as pipeline

__getattr__ = submodules(__name__)
