"""Datasets as items: how many there are is known by nobody, and each is drawn for a round.

A loop opens what it goes over, asks before each round whether there is another element, and gets
it; nothing is drawn that no round receives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.staging.for_loop import Items
from runtime import trees
from runtime.dispatch import apply
from runtime.ops.streams import stream_advance, stream_item, stream_open


class Elements(Items):
    """The elements of a dataset.

    Args:
        source: returns the dataset as a staged value.
        spec: of its elements.
        stream: what draws them, where a loop over them has begun.
    """

    is_in_order = True
    is_streamed = True

    def __init__(self, source: Callable[[], Any], spec: Any, stream: Any = None) -> None:
        self._source = source
        self._spec = spec
        self.stream = stream

    def opened(self) -> Elements:
        return Elements(self._source, self._spec, apply(stream_open, [self._source()]))

    def has(self, index: Any) -> Any:
        return apply(stream_advance, [self.stream])

    def item(self, index: Any) -> Any:
        specs, structure = trees.flatten(self._spec)
        texts = tuple(f"{x}" for x in specs)
        return trees.unflatten(structure, apply(stream_item, [self.stream], specs=texts))
