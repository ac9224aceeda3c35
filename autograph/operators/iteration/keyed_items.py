"""The items of a dict or a set of Python's, which a loop's body may have staged.

Comes in: the container, or a view of a dict. Goes out: its `Items`: Python's own, in the order that
they have when the loop begins, until the container is staged; from there on those of the graph.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from autograph.operators.containers.access import items_over
from autograph.operators.containers.staged_containers import staged_list
from autograph.operators.iteration.protocol import Sequenced, same
from autograph.operators.keyed.key_codes import KEYS, VALUES
from autograph.staging.for_loop import Items
from runtime.tensor import is_staged

VIEWS: dict[type, int | None] = {
    type({}.keys()): KEYS,
    type({}.values()): VALUES,
    type({}.items()): None,
    type(OrderedDict().keys()): KEYS,
    type(OrderedDict().values()): VALUES,
    type(OrderedDict().items()): None,
}
"""Which part of its items a view of a dict shows; None for both."""


class Keyed(Sequenced):
    """The items of a dict or a set.

    Args:
        container: it.
        part: the part of the items of a dict, as in `VIEWS`.
        in_graph: returns a sequence as a part of the graph, or None.
    """

    def __init__(
        self, container: Any, part: int | None, in_graph: Callable[[Any], Items | None]
    ) -> None:
        super().__init__(container, in_graph)
        self._part = part
        self._keys = list(container)

    def has(self, index: Any) -> Any:
        if self.is_staged or is_staged(index):
            return self._all().has(index)
        if len(self.sequence) != len(self._keys):
            what = "dictionary" if isinstance(self.sequence, dict) else "Set"
            raise RuntimeError(f"{what} changed size during iteration")
        return index < len(self._keys)

    def item(self, index: Any) -> Any:
        if self.is_staged or is_staged(index):
            return self._all().item(index)
        return self._item(self._keys[index])

    def in_graph(self) -> Items | None:
        return self._all().in_graph()

    def known(self) -> list[Any] | None:
        """The items; None once there are others."""
        if self.is_staged or not same(self._keys, list(self.sequence)):
            return None
        return [[self._item(key) for key in self._keys]]

    def _all(self) -> Items:
        """Return all of them at once."""
        staged = staged_list(self.sequence)
        if staged is not None:
            return items_over(staged, self._part, len(self._keys))
        return Sequenced([self._item(key) for key in self._keys], self._in_graph)

    def _item(self, key: Any) -> Any:
        if self._part == KEYS:
            return key
        value = dict.__getitem__(self.sequence, key)
        return value if self._part == VALUES else (key, value)


class _Shown:
    """A right operand of `|` that gives the left one."""

    def __ror__(self, other: Any) -> Any:
        return other


def is_keyed(value: Any) -> bool:
    """Tell whether a value is a dict, a set or a view of a dict, with Python's own iteration."""
    return type(value) in VIEWS or getattr(type(value), "__iter__", None) in _OWN


def keyed_items(value: Any, in_graph: Callable[[Any], Items | None]) -> Keyed:
    """Return the items of what `is_keyed`."""
    part = VIEWS.get(type(value), KEYS)
    if type(value) in VIEWS:
        value = value.mapping | _Shown()  # a proxy of a dict gives that to what it is joined with
    return Keyed(value, part, in_graph)


_OWN = (dict.__iter__, OrderedDict.__iter__, set.__iter__)
