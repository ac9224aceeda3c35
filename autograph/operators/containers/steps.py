"""Steps of staged containers that are traced once for all containers of a kind.

Comes in: a function that changes what a container holds, and perhaps stores. Goes out: the same
changes, as a copy of what was traced for the first container of that kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.operators.containers.item_kinds import ItemKind, holds_handles
from autograph.operators.containers.staged_containers import StagedList
from autograph.operators.containers.stores import Store
from autograph.staging.region import Field
from autograph.staging.traced_once import traced_once
from runtime.tensor import is_staged


def once(
    step: Callable[..., Any], staged: StagedList, *args: Any, stores: Sequence[Store] = ()
) -> Any:
    """Return what a function gives that changes a container.

    Args:
        step: is called with the container and the arguments. It uses nothing else but what the
            container and the stores hold, writes nothing else, and raises nothing.
        staged: the container.
        args: structures of numbers.
        stores: what else the step writes, beside the store that the container is in.
    """
    own = [] if staged.home is None else [staged.home.store]
    fields = [Field(staged, "kept")] if staged.home is None else []
    for store in dict.fromkeys([*own, *stores]):
        tables = [] if store.tables is None else [store.tables]
        fields += [Field(x, "stored") for x in (store, *tables)]
    if not _is_copied(staged, [*own, *stores]):
        return step(staged, *args)

    def run(before: Sequence[Any], number: Any, given: Sequence[Any]) -> tuple[Any, list[Any]]:
        kept, held = staged.kept, [x.read() for x in fields]
        for field, value in zip(fields, before, strict=True):
            field.write(value)
        if staged.home is not None:
            staged.home = type(staged.home)(staged.home.store, number)
        try:
            return step(staged, *given), [x.read() for x in fields]
        finally:
            for field, value in zip(fields, held, strict=True):
                field.write(value)
            staged.kept = kept

    number = None if staged.home is None else staged.home.number
    key = step, type(staged.python), *own, *stores
    before = [x.read() for x in fields]
    of_trace = bool(own or stores or holds_handles(staged.kind))
    result, after = traced_once(run, before, number, args, key=key, of_trace=of_trace)
    for field, value in zip(fields, after, strict=True):
        field.write(value)
    return result


def _is_copied(staged: StagedList, stores: Sequence[Store]) -> bool:
    """Tell whether a step of a container is worth a copy, and loses nothing that is known by it.

    Arrays that are items are known by the places that they share.
    """
    lengths = [x.stored.count for x in stores] if stores else [staged.held.length]
    kinds = staged.kind, *(x.kind for x in stores)
    return all(map(is_staged, lengths)) and all(map(_is_of_numbers, kinds))


def _is_of_numbers(kind: ItemKind) -> bool:
    return all(spec.shape == () for spec in kind.specs)
