"""Parts of items that are of one of several kinds: a number and a text, a Circle and a Square.

    variant = which, column...      the columns of each kind, one kind after another

`which` is the number of the kind that an item is of; what stands in the columns of the others is
nobody's. A value that no column holds, such as a function, is known, and is a kind by itself. To
what moves items a variant is a node of their structure, as a `ClassedNumber` is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from autograph.operators.containers.handles import is_inner
from autograph.staging.context import trace_of
from autograph.staging.copies import holds_for_tracing
from autograph.staging.number_join import union_of
from autograph.staging.text_join import renumbered
from runtime import default_graph, trees
from runtime.dispatch import apply
from runtime.graph.opdef import REGISTRY
from runtime.spec import WEAK_SPECS, TensorSpec
from runtime.tree_classes import register_tree
from runtime.union import Choice, Known, Option, Reference, option_of

if TYPE_CHECKING:
    from autograph.operators.containers.item_kinds import ItemKind

Kind: TypeAlias = "ItemKind | Known"
"""Values that columns hold, or one that is known."""


class VariantKind(NamedTuple):
    """What is known of a `Variant`.

    Args:
        kinds: those that it may be of.
    """

    kinds: tuple[Kind, ...]

    @property
    def specs(self) -> tuple[TensorSpec, ...]:
        """The specs of its columns."""
        return WEAK_SPECS[int], *(spec for kind in self.kinds for spec in column_specs(kind))

    def by_kind(self, leaves: Sequence[Any]) -> list[list[Any]]:
        """Return its leaves or columns for each kind."""
        rest = iter(leaves[1:])
        return [list(islice(rest, len(column_specs(kind)))) for kind in self.kinds]


def column_specs(kind: Kind) -> tuple[TensorSpec, ...]:
    """Return the specs of the columns of one kind of values."""
    return () if isinstance(kind, Known) else kind.specs


@holds_for_tracing
class Variant:
    """A part of an item that is of one of several kinds.

    Args:
        kind: what is known of it.
        leaves: which kind it is of, and what it has in the columns of each.
    """

    __slots__ = ("kind", "leaves")

    def __init__(self, kind: VariantKind, leaves: Sequence[Any]) -> None:
        self.kind, self.leaves = kind, tuple(leaves)

    def by_kind(self) -> list[list[Any]]:
        """Return its leaves for each kind."""
        return self.kind.by_kind(self.leaves)


register_tree(
    Variant,
    lambda x: (x.leaves, x.kind),
    Variant,
    lambda kind: [""] * len(kind.specs),
)


def is_variant(value: Any) -> bool:
    """Tell whether a value is of one of several kinds, as a part of an item."""
    return type(value) is Variant


def one_of(which: Any, values: Sequence[Any]) -> Any:
    """Return a choice between values, of which a column has the number; the only one itself."""
    builder = default_graph.current()
    assert builder is not None
    options, rows, places = list[Option](), list[Any](), list[tuple[int, Any]]()
    for value in values:
        places.append((len(options), _which(value)))
        for option, leaves in _options(value):
            options.append(option)
            rows.append(leaves)
    if len(options) == 1:
        return values[0]
    number = renumbered(which, [first for first, _ in places], builder)
    for k, (first, inner) in enumerate(places):
        if inner is not None:
            taken = apply(REGISTRY["add"], [inner, first])
            test = apply(REGISTRY["equal"], [which, k])
            number = apply(REGISTRY["where"], [test, taken, number])
    trace_of(builder).choices.append(tuple(options))
    return Choice(number, options, rows)


def _union(value: Any) -> Any:
    return value if type(value) is Choice else union_of(value)


def _which(value: Any) -> Any:
    union = _union(value)
    return union._which if type(union) is Choice else None


def _options(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what a value may be, taken apart; containers in it stand for themselves."""
    union = _union(value)
    if type(union) is Choice:
        yield from zip(union._options, union._leaves, strict=True)
    else:
        yield option_of(trees.map_tree(_referred, value, is_inner))


def _referred(value: Any) -> Any:
    return Reference(value) if is_inner(value) else value
