"""What the items of a staged container have in common: a structure, and a column for each leaf.

    item   = any tree of numbers, texts and arrays
    slot   = spec                                   a number of one class, or an array
           | classes, number, which, beside...      a number of several classes, or None
           | kinds, which, column...                of several kinds: a number or a text

A number that is an `int` in one item and an `np.float64` in another is a `ClassedNumber`, as in the
state of a loop: a column of a dtype for all of them, one that says which class each has, and one
for each class whose numbers that dtype does not hold. None is such a class, which has no number.
What is a number in one item and a text in another is a `Variant`. So whatever moves items moves
columns, and knows nothing of classes and kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

import runtime.numpy as rnp
from autograph.operators.containers.handles import Handle
from autograph.operators.containers.makers import maker
from autograph.operators.containers.variants import Kind, Variant, VariantKind, is_variant
from autograph.staging.classed_number import ClassedNumber, NumberKind, is_classed
from autograph.staging.context import trace_now
from autograph.staging.join import placeholder
from autograph.staging.strictness import is_strict
from autograph.staging.text_join import renumbered
from runtime import default_graph, trees
from runtime.dispatch import as_known
from runtime.dtypes import as_dtype, dtype_name, is_string
from runtime.number_union import NONE, NONE_SPEC, spec_of_option
from runtime.spec import WEAK_SPECS, TensorSpec, join_specs, make_spec
from runtime.texts import StagedText
from runtime.tree_classes import is_reference
from runtime.union import Known, Option

Slot = TensorSpec | NumberKind | VariantKind


class ItemKind(NamedTuple):
    """What the items of a list have in common: their structure, and the specs of their leaves.

    Args:
        structure: the tree that an item is.
        specs: of its leaves.
    """

    structure: Any
    specs: tuple[TensorSpec, ...]

    def __str__(self) -> str:
        if self.structure is None:
            return "nothing"
        slots, structure = slots_of(self)
        return trees.fold(structure, list(map(_described, slots)), _shown)


def _described(slot: Slot) -> str:
    if isinstance(slot, VariantKind):
        return " or ".join(repr(x.value) if isinstance(x, Known) else str(x) for x in slot.kinds)
    return " or ".join("None" if x == NONE_SPEC else str(x) for x in classes_of(slot))


def _shown(cls: type, data: Any, texts: Sequence[str]) -> str:
    if cls is StagedText:
        return "str"
    if cls is Handle:
        return repr(Handle(data, None))
    return cls.__name__ if is_reference(cls) else trees.show_node(cls, data, texts)


NOTHING = ItemKind(None, ())
"""What the items of a list are that never had any."""


def is_mixed(kind: ItemKind) -> bool:
    """Tell whether items are of several classes or kinds in one place."""
    entries = () if kind == NOTHING else kind.structure.entries
    return any(entry is not None and entry[0] in (ClassedNumber, Variant) for entry in entries)


def variant_of(kind: ItemKind) -> VariantKind | None:
    """Return what items may be of which all are of one of several kinds; None for others."""
    first = None if kind == NOTHING else kind.structure.entries[0]
    return first[1] if first is not None and first[0] is Variant else None


def holds_handles(kind: ItemKind) -> bool:
    """Tell whether there are containers among the parts of items."""
    return any(True for _ in handles_in(kind))


def handles_in(kind: ItemKind) -> Iterator[Any]:
    """Yield the stores of the containers among the parts of items."""
    for entry in () if kind == NOTHING else kind.structure.entries:
        if entry is not None and entry[0] is Handle:
            yield entry[1]
        elif entry is not None and entry[0] is Variant:
            for one in entry[1].kinds:
                yield from handles_in(one) if isinstance(one, ItemKind) else ()


def store_in(kind: ItemKind, make: Any) -> Any:
    """Return the store of the containers among the parts of items that something makes."""
    return next(store for store in handles_in(kind) if maker(store) == make)


def with_handles_of(kind: ItemKind, store_of: Callable[[Any], Any]) -> ItemKind:
    """Return a kind of items whose containers are in other stores."""

    def settled(entry: trees.Entry) -> trees.Entry:
        if entry is not None and entry[0] is Handle:
            return Handle, store_of(entry[1]), entry[2]
        if entry is None or entry[0] is not Variant:
            return entry
        kinds = (
            with_handles_of(x, store_of) if isinstance(x, ItemKind) else x for x in entry[1].kinds
        )
        return Variant, VariantKind(tuple(kinds)), entry[2]

    return ItemKind(trees.Structure(tuple(map(settled, kind.structure.entries))), kind.specs)


def is_of_numbers(kind: ItemKind) -> bool:
    """Tell whether items are numbers of one class."""
    is_leaf = kind.structure == trees.LEAF and kind.specs[0].shape == ()
    return is_leaf and kind.specs[0].dtype.kind in "biufc"


def slots_of(kind: ItemKind) -> tuple[list[Slot], trees.Structure]:
    """Return what stands at each place of an item, and the structure that has these places."""
    item = trees.unflatten(kind.structure, kind.specs)
    leaves, structure = trees.flatten_to(item, _is_slot)
    return [x.kind if _is_slot(x) else x for x in leaves], structure


def _is_slot(x: Any) -> bool:
    return is_classed(x) or is_variant(x)


def parts_of_kind(kind: ItemKind) -> list[ItemKind]:
    """Return the kinds of the children of items that are nodes."""
    node = trees.node_of(trees.unflatten(kind.structure, kind.specs))
    assert node is not None
    return list(map(kind_of_specs, node.children))


def kind_of_specs(item: Any) -> ItemKind:
    """Return the kind of an item with specs in the places of its leaves."""
    specs, structure = trees.flatten(item)
    return ItemKind(structure, specs)


def kind_of_slots(slots: Sequence[Slot], structure: trees.Structure) -> ItemKind:
    """Return the kind of items that have these slots."""
    return kind_of_specs(trees.unflatten(structure, map(_with_specs, slots)))


def _with_specs(slot: Slot) -> Any:
    if isinstance(slot, TensorSpec):
        return slot
    parts = specs_of(slot)
    if isinstance(slot, VariantKind):
        return Variant(slot, parts)
    return ClassedNumber(slot, parts[0], parts[1], parts[2:])


def specs_of(slot: Slot) -> tuple[TensorSpec, ...]:
    """Return the specs of the leaves of a slot."""
    if isinstance(slot, TensorSpec):
        return (slot,)
    if isinstance(slot, VariantKind):
        return slot.specs
    number = make_spec(as_dtype(slot.dtype), (), slot.weak)
    return number, WEAK_SPECS[int], *_apart(slot)


def _apart(kind: NumberKind) -> list[TensorSpec]:
    """Return the classes whose numbers stand in columns of their own."""
    pairs = zip(classes_of(kind), kind.is_beside, strict=True)
    return [spec for spec, is_beside in pairs if is_beside]


def classes_of(slot: TensorSpec | NumberKind) -> list[TensorSpec]:
    """Return what a number or an array may be."""
    return [slot] if isinstance(slot, TensorSpec) else list(map(spec_of_option, slot.options))


def by_class(slot: TensorSpec | NumberKind, parts: Sequence[Any]) -> dict[TensorSpec, Any]:
    """Return for each class where its numbers stand, among the columns or leaves of a slot."""
    if isinstance(slot, TensorSpec):
        return {slot: parts[0]}
    beside = dict(zip(_apart(slot), parts[2:], strict=True))
    return {spec: beside.get(spec, parts[0]) for spec in classes_of(slot)}


def joined_slot(a: Slot, b: Slot) -> Slot | None:
    """Return what holds what either slot does, or None: arrays and texts are of one spec."""
    if a == b:
        return a
    if isinstance(a, VariantKind) or isinstance(b, VariantKind):
        return None
    if is_strict() and isinstance(a, TensorSpec) and isinstance(b, TensorSpec):
        return _joined_spec(a, b)
    if isinstance(a, TensorSpec) and isinstance(b, TensorSpec) and a.shape and b.shape:
        return _open_spec(a, b)
    classes = {*classes_of(a), *classes_of(b)}
    return number_kind(classes) if all(map(_is_number, classes)) else None


def _open_spec(a: TensorSpec, b: TensorSpec) -> TensorSpec | None:
    """Return what arrays are of which a size is known later, or None: known ones are the same."""
    joined = join_specs(a, b)
    return joined if joined is not None and a.dtype == b.dtype and _may_agree(a, b) else None


def _may_agree(a: TensorSpec, b: TensorSpec) -> bool:
    """Tell whether arrays may have one shape: as many axes, and no two sizes known to differ."""
    if len(a.shape or ()) != len(b.shape or ()):
        return False
    sizes = zip(a.shape or (), b.shape or (), strict=True)
    return all(m == n or not (isinstance(m, int) and isinstance(n, int)) for m, n in sizes)


def is_open(sizes: Sequence[Any] | None) -> bool:
    """Tell whether a size is known only when the graph runs."""
    return any(not isinstance(n, int) for n in sizes or ())


def _joined_spec(a: TensorSpec, b: TensorSpec) -> TensorSpec | None:
    joined = join_specs(a, b)
    if joined is None or not _may_agree(a, b):
        return None
    fits = all(np.can_cast(spec.dtype, joined.dtype) for spec in (a, b))
    return joined if fits else None


def may_be_none(slot: Slot) -> bool:
    """Tell whether None is among what a number may be."""
    return not isinstance(slot, VariantKind) and NONE_SPEC in classes_of(slot)


def _is_number(spec: TensorSpec) -> bool:
    return spec.shape == () and not is_string(spec.dtype)


def number_kind(classes: Iterable[TensorSpec]) -> NumberKind:
    """Return a number of several classes of which nothing else is known."""
    specs = sorted(classes, key=lambda spec: (not spec.weak, spec.dtype.num))
    dtypes = [spec.dtype for spec in specs if spec != NONE_SPEC]
    dtype = np.result_type(*dtypes or [np.dtype(bool)])
    options = tuple(_option(spec) for spec in specs)
    known = tuple(Known(None) if spec == NONE_SPEC else None for spec in specs)
    weak = all(spec.weak for spec in specs)
    trace = trace_now()
    assert trace is not None
    trace.choices.append(options)
    return NumberKind(dtype_name(dtype), weak, options, known)


def _option(spec: TensorSpec) -> Option:
    if spec == NONE_SPEC:
        return NONE
    return Option(trees.LEAF, (), (0,), ((spec.dtype, spec.weak, False),))


def recast_leaves(leaves: Sequence[Any], source: ItemKind, target: ItemKind) -> Sequence[Any]:
    """Return the leaves of an item as those of a kind that holds it; an array casts them."""
    return _recast(leaves, source, target, None)


def recast_columns(
    columns: Sequence[Any], length: Any, source: ItemKind, target: ItemKind
) -> Sequence[Any]:
    """Return columns of so many rows as those of a kind that holds their items."""
    return _recast(columns, source, target, length)


def _recast(parts: Sequence[Any], source: ItemKind, target: ItemKind, length: Any) -> Sequence[Any]:
    if source == target:
        return parts
    if source == NOTHING:
        return [_blank(spec, length) for spec in target.specs]
    variant = variant_of(target)
    if variant is not None:
        return _as_variant(parts, source, variant, length)
    (old, structure), (new, other) = slots_of(source), slots_of(target)
    rest, found = iter(parts), list[Any]()
    if _classes_in(structure) == _classes_in(other):
        for a, b in zip(old, new, strict=True):
            row = list(islice(rest, len(specs_of(a))))
            found += row if a == b else _recast_slot(row, a, b, length)
        return found
    for mine, theirs in zip(parts_of_kind(source), parts_of_kind(target), strict=True):
        found += _recast(list(islice(rest, len(mine.specs))), mine, theirs, length)
    return found


def _classes_in(structure: trees.Structure) -> list[Any]:
    return [entry and entry[0] for entry in structure.entries]


def _as_variant(
    parts: Sequence[Any], source: ItemKind, target: VariantKind, length: Any
) -> Sequence[Any]:
    """Return the leaves or columns of items as those of a variant that holds them, too."""
    before = variant_of(source)
    kinds = before.kinds if before is not None else (source,)
    rows = before.by_kind(parts) if before is not None else [parts]
    places = [kind_index(target, kind) for kind in kinds]
    held = dict(zip(places, zip(kinds, rows, strict=True), strict=True))
    if before is not None:
        found = [_renumbered(parts[0], places, length)]
    else:
        found = [_same(places[0], length)]
    for k, kind in enumerate(target.kinds):
        if isinstance(kind, Known):
            continue
        old, row = held.get(k, (None, ()))
        if isinstance(old, ItemKind):
            found += _recast(row, old, kind, length)
        else:
            found += [_blank(spec, length) for spec in kind.specs]
    return found


def _blank(spec: TensorSpec, length: Any) -> Any:
    """Return what stands where items are of another kind: a leaf, or a column of it."""
    if length is None:
        return placeholder(spec)
    return rnp.zeros((length, *(spec.shape or ())), spec.dtype)


def kind_index(variant: VariantKind, kind: Kind) -> int:
    """Return which of the kinds of a variant holds items of a kind."""
    return next(k for k, one in enumerate(variant.kinds) if is_alike(one, kind))


def is_alike(a: Kind, b: Kind) -> bool:
    """Tell whether values of two kinds are one kind of a variant: of one form, as far as one sees.

    Numbers are of one form, whatever their classes are, and so are tuples of one length.
    """
    if isinstance(a, Known) or isinstance(b, Known):
        return a == b
    return bool(_form(a) == _form(b))


def _form(kind: ItemKind) -> Any:
    first = kind.structure.entries[0]
    if first is None:
        spec = kind.specs[0]
        return spec.rank, is_string(spec.dtype)
    cls, data, count = first
    if cls is ClassedNumber:
        return 0, False
    if cls is Handle:
        return Handle, maker(data)
    return cls, data, count


def _recast_slot(row: Sequence[Any], old: Slot, new: Slot, length: Any) -> Sequence[Any]:
    if isinstance(old, VariantKind) or isinstance(new, VariantKind):
        mine, theirs = (kind_of_slots([x], trees.LEAF) for x in (old, new))
        return _recast(row, mine, theirs, length)
    number = row[0] if length is None else row[0].astype(specs_of(new)[0].dtype)
    if isinstance(new, TensorSpec):
        return [number]
    held, classes = by_class(old, row), classes_of(new)
    numbers = [classes.index(spec) for spec in classes_of(old)]
    which = _renumbered(row[1], numbers, length) if len(row) > 1 else _same(numbers[0], length)
    beside = [held[x] if x in held else _same(x.dtype.type(0), length) for x in _apart(new)]
    return [number, which, *beside]


def _same(value: Any, length: Any) -> Any:
    """Return a number, or a column of it."""
    return value if length is None else rnp.full(length, value)


def _renumbered(which: Any, numbers: Sequence[int], length: Any) -> Any:
    builder = default_graph.current()
    assert builder is not None
    if length is None or numbers == list(range(len(numbers))):
        return renumbered(which, numbers, builder)
    return as_known(builder, np.array(numbers))[which]
