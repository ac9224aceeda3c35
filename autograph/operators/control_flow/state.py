"""The variables that a branch or a loop assigns.

Comes in: their names, as converted code gives them, and the closures that assign them. A `State`
finds each variable where it lives (a cell of the closures, a global, an attribute), and reads and
writes it there, so that plain Python code between operators sees its variables as usual.

    state    = name ("," name)*
    name     = identifier ("." identifier)* ["?" | "~"]   "?": every read of it is guarded by a flag
                                                          "~": it is needed only where a `with`
                                                          swallows what its block raises
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from autograph.operators.containers.staged_containers import (
    STAGED,
    StagedList,
    lists_now,
)
from autograph.operators.containers.state_values import JoinedLists
from autograph.operators.control_flow.variables import (
    Attribute,
    CellVariable,
    GlobalVariable,
    Held,
    Item,
    called,
)
from autograph.operators.heap.heap_objects import is_on_heap
from autograph.operators.iteration.protocol import StagedIterator
from autograph.operators.lists.list_values import list_of_value
from autograph.operators.mutation.journal import touch
from autograph.operators.objects.special_methods import accessors_of
from autograph.staging.context import innermost_journal_now, trace_now
from autograph.staging.copies import Values
from autograph.staging.region import UNDEFINED, Field
from runtime.union import Choice

if TYPE_CHECKING:
    from autograph.operators.mutation.journal import Slot


class Name(NamedTuple):
    """A name of a state: a variable, or an attribute of one."""

    text: str
    root: str
    attributes: tuple[str, ...]
    mark: str


@cache
def parse_names(text: str) -> tuple[Name, ...]:
    """Read a list of state names.

    >>> [name.text for name in parse_names("x, self.count, result?")]
    ['x', 'self.count', 'result']
    """
    return tuple(_parse_name(part.strip()) for part in text.split(",") if part.strip())


def _parse_name(text: str) -> Name:
    path = text.rstrip("?~")
    root, *attributes = path.split(".")
    return Name(path, root, tuple(attributes), text[len(path) :])


def record(variable: Any) -> None:
    """Record what a statement may write, for the arm or body that it stands in.

    What a cell or a global holds was recorded when that began, or when a function was called.
    """
    journal, owner = innermost_journal_now(), getattr(variable, "owner", None)
    if isinstance(variable, Attribute | Item):
        holder = variable.container if isinstance(variable, Item) else variable.owner.read()
        touch(holder)  # rounds may begin with what earlier ones wrote
        if journal is not None:
            journal.record(holder)
    elif journal is not None and isinstance(owner, StagedIterator):
        journal.record_place(owner, variable)  # before the statement's own parts have moved it


class State:
    """The state of one staged branch or loop.

    Args:
        names: the variables that are live afterwards.
        discard: variables that are assigned, and dead afterwards.
        functions: the closures that assign them.
        repeats: whether it is a loop.
        is_left: whether it may be left midway, as a `try`.

    Attributes:
        site: the code of the closures, which tells statements apart.
        taken: the keys of what a loop goes over, if it holds for all rounds what that is.
        early: how often its statement began anew before all that it assigns was found.
    """

    def __init__(
        self,
        names: str,
        discard: str,
        functions: Sequence[Callable[..., Any] | None],
        repeats: bool = False,
        is_left: bool = False,
    ) -> None:
        closures = [f for f in functions if isinstance(f, FunctionType)]
        self.site = tuple(f.__code__ for f in closures)
        place = _places(closures)
        found = [(name, _find(name, place)) for name in parse_names(names)]
        live = [(name, variable) for name, variable in found if variable is not None]
        self.names = [called(name.text, variable) for name, variable in live]
        self.marks = [name.mark for name, _ in live]
        self._variables = [variable for _, variable in live]
        for variable in self._variables:
            record(variable)
        self._before = Values(variable.read() for variable in self._variables)
        dead = [x for name in parse_names(discard) if (x := _find(name, place)) is not None]
        self._discarded = dead
        self._discarded_before = Values(variable.read() for variable in dead)
        self.repeats = repeats
        self._lists = JoinedLists(repeats, is_left)
        self._grows: Values | None = None
        self._has_grown = False
        self.taken: set[Any] = set()
        self.early = 0
        self._expected: dict[Any, tuple[str, Any]] = {}
        self.doubts: dict[Any, Any] = {}
        self.asked: set[Any] = set()
        self.inner: set[Any] = set()

    @property
    def keys(self) -> set[tuple[Any, ...]]:
        """The keys of all variables that may be assigned."""
        return {variable.key for variable in (*self._variables, *self._discarded)}

    @property
    def optional(self) -> list[bool]:
        """Whether every read of a variable is guarded."""
        return [mark == "?" for mark in self.marks]

    def variables(self) -> list[tuple[str, Any]]:
        """Return the live variables, with what messages call them."""
        return list(zip(self.names, self._variables, strict=True))

    def expect(self, variables: Sequence[tuple[str, Any]]) -> None:
        """Note variables that were found to be assigned in it, before it knows that itself."""
        self._expected.update({x.key: (name, x) for name, x in variables})

    def expected(self) -> list[tuple[str, Any]]:
        """Return the live variables and those that were noted, with what messages call them."""
        return [*self.variables(), *self._expected.values()]

    def grow(self, before: Values | None) -> None:
        """Let arms add what they are found to assign, and to a list what that held before."""
        if before is None and self._has_grown:
            self.renumber()
            self._has_grown = False
        self._grows = before

    def renumber(self) -> None:
        """Forget what is known by number: the next trace writes other things."""
        for numbers in (self.doubts, self.inner, self.asked):
            numbers.clear()

    def adopt(self, slots: Sequence[Slot]) -> None:
        """Add variables that an arm was found to assign, where it may grow."""
        assert self._grows is not None
        self.add([(slot.name, slot.variable) for slot in slots])
        self._grows += [slot.before for slot in slots]
        self._has_grown |= bool(slots)

    @property
    def may_grow(self) -> bool:
        """Whether variables may be added while an arm is traced."""
        return self._grows is not None

    def owners(self) -> list[Any]:
        """Return the objects whose attributes may be assigned."""
        return [x.owner.read() for x in self._variables if isinstance(x, Attribute)]

    def add(self, variables: Sequence[tuple[str, Any]]) -> None:
        """Add variables that were found to be assigned, with what messages call them.

        A function that calls itself at several places may have told of one at each of them.
        """
        found = {variable.key: (name, variable) for name, variable in variables}
        for name, variable in found.values():
            self.names.append(called(name, variable))
            self.marks.append("")
            self._variables.append(variable)
            record(variable)
            self._before.append(variable.read())

    def remove_items(self, container: Any) -> None:
        """Remove the items of a list, which from here on is part of the state as a whole."""
        self._keep(lambda variable: variable.key[:2] != ("item", id(container)))

    def remove_gone(self) -> None:
        """Remove what lists hold that are staged no more, or are items: their stores say that."""
        self.admit()
        self._keep(lambda x: not is_gone(x))

    def _keep(self, is_kept: Callable[[Any], bool]) -> None:
        found = zip(self._variables, self.names, self.marks, self._before, strict=True)
        kept = [one for one in found if is_kept(one[0])]
        self._variables = [one[0] for one in kept]
        self.names = [one[1] for one in kept]
        self.marks = [one[2] for one in kept]
        self._before = Values(one[3] for one in kept)

    def read(self) -> Values:
        """Return the values of the variables, `UNDEFINED` for those that have none."""
        self.admit()
        found = Values(variable.read() for variable in self._variables)
        for k, kind in enumerate(map(type, found)):
            if self.marks[k] == "?":
                found[k] = self._lists.returned(self.names[k], Values([found[k]]))
            elif kind is tuple:
                found[k] = self._lists.hold_tuple(self.names[k], found[k])
            elif kind in STAGED:
                self._lists.hold(self.names[k], self._before, found, k)
        return found

    def admit(self) -> None:
        """Make lists in variables items of a store, where a variable may hold several of one."""
        for k, (name, variable) in enumerate(self.variables()):
            value = variable.read()
            if self.marks[k] == "?":
                self._lists.admit_returned(name, value)
            else:
                self._lists.admit(name, value)

    def write(self, values: Sequence[Any]) -> None:
        """Assign all variables; `UNDEFINED` leaves one without a value.

        The discarded ones get back what they held in the beginning.
        """
        named = list(zip(self.names, self._variables, values, strict=True))
        for name, variable, value in named:
            record(variable)
            variable.write(list_of_value(value, name))
        for name, variable, _ in named:
            self._lists.note(name, variable)
        for variable, value in zip(self._discarded, self._discarded_before, strict=True):
            variable.write(value)

    def explain(self, name: str, reason: str) -> None:
        """Remember why a variable is undefined, for the message when it is read."""
        trace = trace_now()
        if trace is not None:
            trace.undefined[name] = reason


def is_gone(variable: Any) -> bool:
    """Tell whether a variable is what a container holds that is staged no more, or in a store."""
    staged = variable.owner if isinstance(variable, Field) else None
    if not isinstance(staged, StagedList):
        return False
    return staged.home is not None or lists_now().find(staged.python) is not staged


def _places(functions: Sequence[FunctionType]) -> Callable[[str], Any]:
    cells: dict[str, CellType] = {}
    for function in functions:
        cells.update(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    namespace = functions[0].__globals__ if functions else {}

    def place(name: str) -> Any:
        if name in cells:
            return CellVariable(cells[name])
        return GlobalVariable(namespace, name)

    return place


def _find(name: Name, place: Callable[[str], Any]) -> Any:
    """Return the variable that a name means now, before the statement may assign what it is of.

    Returns None for an attribute of one of several objects, or of one on the heap, and for one that
    code of the user's assigns: what that writes is found where it is written.
    """
    variable = place(name.root)
    for attribute in name.attributes:
        owner = variable.read()
        if type(owner) is Choice or is_on_heap(owner):
            return None
        if not {attribute, "__setattr__"}.isdisjoint(accessors_of(type(owner)).writing):
            return None
        variable = Attribute(variable if owner is UNDEFINED else Held(owner), attribute)
    return variable
