"""Variables that an arm or a body assigns through what it calls.

Converted code names the variables that it assigns itself. A method that it calls may assign
attributes of its object, and an inner function variables of the function around it: the journal
of the arm or body says so, and they become part of the state.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dis import opmap
from functools import cached_property
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from autograph.operators.containers.item_kinds import ItemKind
from autograph.operators.containers.staged_containers import StagedList, lists_now
from autograph.operators.containers.storage import admit, promote
from autograph.operators.containers.stores import Store
from autograph.operators.control_flow.state import State, is_gone
from autograph.operators.control_flow.variables import Attribute, CellVariable, GlobalVariable, Held
from autograph.operators.heap.stored_objects import content_key, content_of
from autograph.operators.mutation.journal import Slot
from autograph.operators.mutation.reachable_objects import (
    Reached,
    attributes_of,
    cells_of,
    global_names,
    is_open,
)
from autograph.staging.births import check_item
from autograph.staging.context import region_of, trace_of
from autograph.staging.copies import holds_for_tracing, refuse_identity
from runtime import default_graph, trees
from runtime.errors import BranchMismatchError, LoopStateError, MutationError, Noted
from runtime.graph.builder import Builder
from runtime.graph.location import Location
from runtime.tensor import Symbol

if TYPE_CHECKING:
    from autograph.operators.mutation.region_changes import Region

T = TypeVar("T")
MOST_ATTEMPTS = 16
MOST_EARLY = 6
"""So often a statement begins anew before all that it assigns is found."""


@holds_for_tracing
class Grown(NamedTuple):
    """A list whose length was changed, what messages call it, and the kinds of its new items.

    If it has become an item of another one, there is its store, too.
    """

    name: str
    python: Any
    kinds: Sequence[ItemKind]
    store: Store | None = None


@holds_for_tracing
class Doubt(NamedTuple):
    """An object that was written, and may have been made by the arm or body itself.

    Args:
        number: which write of which code it is.
        owner: the object.
    """

    number: Any
    owner: Any


class AssignedElsewhere(Noted):
    """Variables were assigned, or lists changed, that are not part of the state.

    Args:
        slots: variables, the ones that were written last first.
        grown: lists.
        doubts: objects of which it is not known whether they were made in there.
        place: where an object was written first.
    """

    def __init__(
        self,
        slots: Sequence[Slot],
        grown: Sequence[Grown] = (),
        doubts: Sequence[Doubt] = (),
        place: Location | None = None,
    ) -> None:
        self.slots = slots
        self.grown = grown
        self.doubts = doubts
        self.place = place


def with_assigned(state: State, stage: Callable[[], T]) -> T:
    """Stage a statement; again with more state, as long as what it calls assigns more variables.

    What is found is remembered for the code of the statement: when that is traced again, as one
    around it begins anew, it begins with what it has assigned before, and what statements in it
    have. Else each of several statements inside of each other would double how often the innermost
    one is traced.
    """
    builder = default_graph.current()
    if builder is None:
        return stage()
    known = trace_of(builder).assigned.setdefault(state.site, {})
    around = [x for region in _regions_around(builder) for x in region.state.expected()]
    around += [(x.name, content_of(x)) for x in lists_now() if _is_here(builder, x)]
    there = {x.key: (name, x) for name, x in around if not is_gone(x)}
    state.add([there[key] for key in _foreseen(builder, state) if key in there])
    try:
        for _ in range(MOST_ATTEMPTS + MOST_EARLY):
            state.grow(None)
            state.remove_gone()
            try:
                return stage()
            except AssignedElsewhere as error:
                found = error
            for one in found.grown:
                refuse_identity(one.python)  # of a copy, what is written is to change
            known.update((slot.variable.key, slot.variable) for slot in found.slots)
            known.update((content_key(one.python), one.python) for one in found.grown)
            if _is_for_the_statement_around(builder, found):
                raise found
            _learn(state, found)
            _expect(builder, found.slots)
        name, *_ = (*found.slots, *found.grown, ("an object",))[0]
        raise MutationError(
            f"{name!r} is changed in a staged branch or loop that also makes the object "
            "anew: which object has it is known only when the graph runs. Make the object "
            "before, and assign its attributes"
        )
    except (BranchMismatchError, LoopStateError):
        for owner in state.owners():  # an attribute holds what no number or array does
            check_item(owner)
        raise


def _foreseen(builder: Builder, state: State) -> list[Any]:
    """Return the keys of what a statement or one in it was found to assign before."""
    inside = {code for own in state.site for code in _codes(own)}
    assigned = [(map(id, site), keys) for site, keys in trace_of(builder).assigned.items() if keys]
    found = {key: None for site, keys in assigned if not inside.isdisjoint(site) for key in keys}
    return [key for key in found if key not in state.keys]


def _is_here(builder: Builder, staged: StagedList) -> bool:
    """Tell whether a container is none of what was given up, as it was traced again."""
    leaves = [x for x in trees.flatten(staged.kept)[0] if type(x) is Symbol]
    return bool(leaves) and all(x.builder.encloses(builder) for x in leaves)


def _codes(code: CodeType) -> frozenset[int]:
    """Return the ids of code and of all code inside of it; code itself is hashed by all it has."""
    known = _KNOWN.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    inner = (_codes(value) for value in code.co_consts if isinstance(value, CodeType))
    found, key = frozenset({id(code)}).union(*inner), id(code)
    _KNOWN[key] = weakref.ref(code, lambda _: _KNOWN.pop(key, None)), found
    return found


_KNOWN: dict[int, tuple[weakref.ref[CodeType], frozenset[int]]] = {}


def adopt(state: State, region: Region) -> None:
    """Add to a state what containers hold that an arm or body has changed, where that can be.

    An arm need not be traced again for that, and a body is with all that a round was found to do.
    """
    builder = default_graph.current()
    if builder is None or not state.may_grow:
        return
    slots = [x for x in region.changed_contents() if x.variable.key not in state.taken]
    if state.repeats and _is_new(next(_regions_around(builder, 1), None), slots):
        return
    state.adopt(slots)
    known = trace_of(builder).assigned.setdefault(state.site, {})
    known.update((slot.variable.key, slot.variable) for slot in slots)
    _expect(builder, slots)


def _is_for_the_statement_around(builder: Builder, found: AssignedElsewhere) -> bool:
    """Tell whether a statement around assigns all that was found, too, and begins anew at once.

    Else each of several statements inside of each other would find it when it ends. But where much
    is assigned, it is cheaper to find all of it first.
    """
    region = next(_regions_around(builder), None)
    if region is None or found.doubts or any(x.store for x in found.grown):
        return False
    is_new = _is_new(region, found.slots) and all(region.was_there(x.python) for x in found.grown)
    region.state.early += is_new
    return is_new


def _is_new(region: Region | None, slots: Sequence[Slot]) -> bool:
    """Tell whether all of some variables are those of an arm or body, which is to learn of it."""
    if region is None or region.state.early >= MOST_EARLY:
        return False
    keys = region.state.keys
    return all(_is_there(region, x.variable) and x.variable.key not in keys for x in slots)


def _expect(builder: Builder, slots: Sequence[Slot]) -> None:
    """Tell the statements around what they assign, too, for others in them."""
    for region in _regions_around(builder):
        slots = [slot for slot in slots if _is_there(region, slot.variable)]
        region.state.expect([(slot.name, slot.variable) for slot in slots])


def _regions_around(builder: Builder, skipped: int = 0) -> Iterator[Region]:
    """Yield the arms and bodies that a builder builds."""
    journal = region_of(builder).journal
    for _ in range(skipped):
        journal = journal and journal.around
    while journal is not None:
        if journal.region is not None:
            yield journal.region
        journal = journal.around


def _is_there(region: Region, variable: Any) -> bool:
    """Tell whether a variable is what a container holds that an arm or body began with."""
    return region.begins_with(getattr(variable, "owner", None))


def _learn(state: State, found: AssignedElsewhere) -> None:
    """Make variables that were assigned elsewhere part of a state, and lists that grew staged."""
    for doubt in found.doubts:
        settle(state, doubt)
    if found.slots or found.grown:
        state.renumber()
    grown = {("item", id(one.python)) for one in found.grown}
    slots = [slot for slot in found.slots if slot.variable.key[:2] not in grown]
    state.add([(slot.name, slot.variable) for slot in slots])
    for one in found.grown:
        state.remove_items(one.python)
        if lists_now().find(one.python) is None:
            promote(lists_now(), one.python, one.name, one.kinds)
        if one.store is not None:
            admit(one.python, one.store)
        staged = lists_now().find(one.python)
        if staged is not None and staged.home is None and content_key(one.python) not in state.keys:
            state.add([(one.name, content_of(staged))])


def settle(state: State, doubt: Doubt) -> None:
    """Tell objects of a region from those that were there: traced again, it makes its own anew."""
    builder = default_graph.current()
    before = state.doubts.setdefault(doubt.number, doubt)
    if before.owner is not doubt.owner:
        state.inner.add(doubt.number)
    elif doubt.number in state.asked and builder is not None:
        trace_of(builder).keep(doubt.owner, builder.depth + 1)
    state.asked.add(doubt.number)


def slots_of(objects: Sequence[Reached]) -> list[Slot]:
    """Return the variables that objects hold: attributes, cells of functions, globals they name."""
    return [slot for path, x in objects for slot in _slots(path, x)]


def _slots(path: str, x: Any) -> Iterator[Slot]:
    if isinstance(x, FunctionType):
        for name, cell in cells_of(x):
            variable: Any = CellVariable(cell)
            yield Slot(name, variable, variable.read())
        for name in global_names(x):
            variable = GlobalVariable(x.__globals__, name)
            yield Slot(name, variable, variable.read())
    elif is_open(x):
        for name, value in attributes_of(x):
            if not isinstance(getattr(type(x), name, None), cached_property):
                yield Slot(f"{path}.{name}", Attribute(Held(x), name), value)


_STORES = frozenset({opmap["STORE_DEREF"], opmap["STORE_GLOBAL"]})


def assigns(test: Callable[[], Any]) -> bool:
    """Tell whether a condition assigns variables around it, by `:=`, perhaps in an operand."""
    return isinstance(test, FunctionType) and _stores(test.__code__)


def _stores(code: CodeType) -> bool:
    inner = (value for value in code.co_consts if isinstance(value, CodeType))
    return not _STORES.isdisjoint(code.co_code[::2]) or any(map(_stores, inner))
