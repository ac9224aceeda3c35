"""Guards: whether a trace still holds, or something outside that it read has changed since.

Comes in: the places that a function may read, with what they held before it was traced. Goes out:
a function that compares them with what they hold now, written for these places:

    def check():
        return NET is v0() and (o1 := NET.rate) is v1 and (o2 := scale) is v2

It runs in the namespace of the traced function and shares its cells, so that Python reads a global
or a variable as fast as the function itself. Numbers and texts are the same if they are equal,
lists, tuples and dicts if their items are, everything else if it is the very object. What is held
weakly elsewhere is held weakly here. Places that the function changes while it is traced are not
guarded: such a trace serves one call, but for TensorFlow's names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import count
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

from autograph.function.capture_sources import (
    Expected,
    Place,
    default_of,
    position,
    recording_place,
    same,
)
from autograph.function.used_names import MANY
from autograph.function.value_snapshots import contents, part_of
from autograph.lazy import lazy
from autograph.logs import LOGGER
from runtime.active_tapes import is_recording
from runtime.backends import is_foreign
from runtime.floating_errors import held_now
from runtime.tensor import Tensor

OWNED = ("attribute", "item", "part", "contents")
"""What is read of another place."""
MOST_BYTES = 1 << 26
"""How large an array may be that is compared before each call."""


class Guards:
    """The places that a trace relies on.

    Args:
        places: what the function may read, with what was there before it was traced.
        namespace: the globals of the function.

    Attributes:
        places: those of them that it did not change itself.
        check: tells whether all hold what they held.
    """

    def __init__(self, places: Sequence[Place], namespace: dict[str, Any]) -> None:
        self._read = places
        kept: dict[int, Place] = {}
        for place in places:
            follows = place.kind not in OWNED or _is_kept(place.owner, kept)
            if follows and place.before.holds(place.read()):
                kept[id(place)] = place
        self.places = list(kept.values())
        self.check = _Writer(self.places, namespace).compile()
        if not self.check():  # something is another one whenever it is read
            self.places = [x for x in self.places if _Writer(_path(x), namespace).compile()()]
            self.check = _Writer(self.places, namespace).compile()

    @lazy
    def containers(self) -> list[Place]:
        """The places of lists, dicts and objects that are taken apart where they are arguments."""
        return [x for x in self._read if x.before.may_be_mutable]

    @lazy
    def arrays(self) -> list[Callable[[], Any]]:
        """What returns the arrays of which it relies on what is in them."""
        owners = (x.owner.before for x in self.places if x.kind == "contents")
        held = [x.value for x in owners if x.kind == "reference"]
        return [x for x in held if isinstance(x(), np.ndarray)]

    def changed(self) -> list[tuple[Place, Any]]:
        """Return the places that hold something else, with what they hold now."""
        now = ((place, place.read()) for place in self.places)
        return [(place, value) for place, value in now if not place.before.holds(value)]


def outside_arrays(places: Sequence[Place], is_host: bool) -> dict[int, tuple[Any, str]]:
    """Return the arrays that places hold, by id, with what graphs call them.

    Tensors are constants, unless a tape may go back to them.

    Args:
        places: what a function may read.
        is_host: whether NumPy's arrays are among them; a graph that runs elsewhere has copies.
    """
    found = {}
    for place in places:
        value = place.read() if place.before.kind == "reference" else None
        is_input = is_recording() and _is_float(value)
        array: Any = value.array if type(value) is Tensor and is_input else value
        is_array = type(array) is np.ndarray and (array.ndim or is_input)
        if (is_array and is_host) or is_foreign(array):
            name = str(place.key)
            found[id(array)] = (array, name if name.isidentifier() else "outside")
    return found


def constant_tensors(places: Sequence[Place]) -> Iterator[Place]:
    """Yield a place that holds as long as no tape looks on, if tensors are constants of a graph."""
    if not is_recording() and any(_is_float(x.before.held()) for x in places):
        yield recording_place()


def _is_float(value: Any) -> bool:
    return type(value) is Tensor and value.array.dtype.kind in "fc"


def decided_by(places: Sequence[Place], used: Mapping[int, Set[Any]]) -> Iterator[Place]:
    """Yield places for what is in arrays from outside that were not only operands of the graph.

    Args:
        places: what the function may read.
        used: by id of an array, where it was an operand.
    """
    holding = [(x, x.read()) for x in places if x.before.kind == "reference"]
    arrays = [(place, array) for place, array in holding if isinstance(array, np.ndarray)]
    sites: dict[tuple[int, Any], set[Any]] = {}
    for place, array in arrays:
        sites.setdefault(_looked_at(place), set()).update(used.get(id(array), ()))
    for place, array in arrays:
        if place.loads < MANY and len(sites[_looked_at(place)]) >= place.loads:
            continue
        if array.nbytes > MOST_BYTES:
            LOGGER.warning(
                "%s, an array of %d bytes, is read while tracing. If it is written in place, that "
                "is not seen. Pass it as an argument.",
                *(place.text, array.nbytes),
            )
        else:
            text = f"what is in {place.text}"
            yield Place("contents", place, None, text, Expected("equal", contents(array)))


def _looked_at(place: Place) -> tuple[int, Any]:
    """Return what the code names to look at a place."""
    while place.kind in ("item", "part"):
        place = place.owner
    return id(place.owner) if place.kind == "global" else 0, place.key


def _is_kept(owner: Place, kept: dict[int, Place]) -> bool:
    return owner.kind == "object" or id(owner) in kept


def _path(place: Place) -> list[Place]:
    """Return a place with its owners, the outermost first, but for an object that is given."""
    owners = _path(place.owner) if place.kind in OWNED else []
    return owners if place.kind == "object" else [*owners, place]


class _Writer:
    """Writes the function that checks some places."""

    def __init__(self, places: Sequence[Place], namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._held: dict[str, CellType] = {}
        self._names: dict[int, str] = {}
        self._numbers = count()
        self._add("type", type)
        self._add("len", len)
        self._add("hasattr", hasattr)
        self._add("same", same)
        self._tests = [test for place in places for test in self._tests_of(place)]

    def _add(self, name: str, value: Any) -> str:
        return self._cell(name, CellType(value))

    def _cell(self, name: str, cell: CellType) -> str:
        unique = f"_guard_{name}"
        self._held[unique] = cell
        return unique

    def _tests_of(self, place: Place) -> Iterator[str]:
        number = next(self._numbers)
        if place.before.kind == "absent":
            yield f"not _guard_hasattr({self._owner(place, number)}, {place.key!r})"
            return
        local = self._names[id(place)] = f"_guard_o{number}"
        here = f"({local} := {self._source(place, number)})"
        kind, value = place.before
        if kind == "row":
            cls = self._add(f"v{number}", value[0])
            yield f"_guard_type{here} is {cls} and _guard_len({local}) == {value[1]}"
            return
        held = self._add(f"v{number}", value)
        if kind == "literal":
            yield f"({here} is {held} or _guard_same({local}, {held}))"
        elif kind == "equal":
            yield f"{here} == {held}"
        elif kind == "type":
            yield f"_guard_type{here} is {held}"
        else:
            yield f"{here} is {held}{'()' if kind == 'reference' else ''}"

    def _source(self, place: Place, number: int) -> str:
        """Return the expression that reads a place."""
        if place.kind == "global" and place.owner is self._namespace:
            return str(place.key)
        if place.kind == "global":
            return f"{self._add(f'p{number}', place.owner)}[{place.key!r}]"
        if place.kind == "cell":
            return self._cell(f"c{number}", place.owner)
        if place.kind == "free":
            function = self._add(f"p{number}", place.owner)
            index = position(place.owner, place.key)
            return f"{function}().__closure__[{index}].cell_contents"
        if place.kind == "default":
            function = self._add(f"p{number}", place.owner)
            return f"{self._add('default', default_of)}({function}(), {place.key!r})"
        if place.kind == "reports":
            return f"{self._add('held_now', held_now)}()"
        if place.kind == "tapes":
            return f"{self._add('is_recording', is_recording)}()"
        owner = self._owner(place, number)
        if place.kind == "attribute":
            return f"{owner}.{place.key}"
        if place.kind == "contents":
            is_array = type(place.before.value) is bytes
            return f"{owner}.tobytes()" if is_array else f"{self._add('in', contents)}({owner})"
        key = self._add(f"k{number}", place.key)
        if place.kind == "part":
            return f"{self._add('part', part_of)}({owner}, {key})"
        return f"{owner}[{key}]"

    def _owner(self, place: Place, number: int) -> str:
        """Return the expression of what has an attribute, an item or contents."""
        found = self._names.get(id(place.owner))
        return found or f"{self._add(f'p{number}', place.owner.owner)}()"  # an object that is given

    def compile(self) -> Callable[[], bool]:
        """Return the function."""
        test = "\n        and ".join(self._tests) or "True"
        source = (
            f"def make({', '.join(self._held)}):\n"
            f"  def _guard_check():\n    try:\n      return bool({test})\n"
            "    except Exception:\n      return False\n  return _guard_check\n"
        )
        module = compile(source, "<entry of guards>", "exec")
        make = next(x for x in module.co_consts if isinstance(x, CodeType))
        code = next(x for x in make.co_consts if isinstance(x, CodeType))
        closure = tuple(self._held[name] for name in code.co_freevars)
        return FunctionType(code, self._namespace, "check", None, closure)


NO_GUARDS = Guards((), {})
"""Guards of what relies on nothing."""
