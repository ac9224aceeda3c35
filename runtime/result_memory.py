"""Where an array that a function returns lies in the memory of one that the caller has.

The graph computes what such an array holds, and plain Python returns the array itself, or a view of
it: an argument that one of several branches chose, a row that was taken and then written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from runtime.dispatch import apply
from runtime.graph.opdef import OpDef

if TYPE_CHECKING:
    from runtime.signature import Output

Data: TypeAlias = tuple[Any, ...]
"""What an attribute may hold that says where an array lies, in any process."""


@dataclass(frozen=True, slots=True)
class TakenView:
    """A view, and the results of the graph that are its operands.

    Args:
        op: how it is taken.
        attrs: the attributes of the op.
        first: the number of the first operand but the base.
        count: how many there are.
    """

    op: OpDef
    attrs: Mapping[str, Any]
    first: int
    count: int

    @property
    def data(self) -> Data:
        """How it is taken."""
        return self.op.name, tuple(self.attrs.items()), self.first, self.count


@dataclass(frozen=True, slots=True)
class InMemory:
    """An array of which the caller has the memory.

    Args:
        base: whose memory it is: an argument, or another result.
        views: how it is taken from that, one after another.
    """

    base: Output
    views: tuple[TakenView, ...]

    def array(self, results: Sequence[Any], arrays: Sequence[Any]) -> Any:
        """Return the array, given what the graph returned and the arguments, after all writes."""
        found = self.base.leaf(results, arrays, (), False)
        for view in self.views:
            operands = results[view.first : view.first + view.count]
            found = apply(view.op, (found, *operands), **view.attrs)
        return found

    @property
    def data(self) -> Data:
        """Where it is."""
        memory = None if self.base.memory is None else self.base.memory.data
        return self.base.kind, self.base.position, memory, tuple(x.data for x in self.views)


@dataclass(frozen=True, slots=True)
class OneInMemory:
    """One of several arrays.

    Args:
        value: the result that is a copy of it.
        which: the result that is its number.
        options: where each is; None for one that is not in the caller's memory.
    """

    value: int
    which: int
    options: tuple[InMemory | None, ...]

    def array(self, results: Sequence[Any], arrays: Sequence[Any]) -> Any:
        """Return the array; see `InMemory.array`."""
        option = self.options[int(results[self.which])]
        return results[self.value] if option is None else option.array(results, arrays)

    @property
    def data(self) -> Data:
        """Where it is."""
        return self.value, self.which, tuple(x and x.data for x in self.options)
