"""Variables outside of a function that change from call to call: they become its arguments.

    def f(x):               def lifted(self_n, x):
        self.n += x             self.n = self_n; self.n += x

What a trace finds in a global, a variable around the function or an attribute is a part of it, so
that a trace for `self.n == 3` does not serve the next call. When a call finds that its own traces
write such a variable, or that another array is there, it is lifted out: read when the function is
called, given to the trace as an argument, and assigned by each run.

Lifting: T. Johnsson, "Lambda lifting: transforming programs to recursive equations", 1985.
"""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CellType, MemberDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.function.argument_mutation import WeaklyHeld
from autograph.function.capture_sources import MISSING, Place, position
from autograph.function.leak_check import HOLDING
from autograph.function.shape_relaxation import AFTER_MANY
from autograph.function.value_snapshots import part_of
from autograph.operators.control_flow.variables import Attribute, CellVariable, GlobalVariable
from autograph.operators.lists.list_columns import LONG
from autograph.operators.mutation.reachable_objects import class_attribute
from autograph.staging.context import trace_now
from runtime import default_graph, trees
from runtime.dtypes import is_supported
from runtime.errors import MutationError, RuntimeGraphError

if TYPE_CHECKING:
    from autograph.function.concrete import ConcreteFunction
    from autograph.function.polymorphic import Function

Key = tuple[Any, ...]
_is_supported = functools.lru_cache(256)(is_supported)
AFTER_FEW = 2
"""In how many traces a list outside is found to be another one before it is lifted."""
LEAVES = (bool, int, float, complex, str, type(None))


class Lifted(Exception):  # noqa: N818 (no error: a call begins again)
    """More variables were lifted out of a function: the call begins again."""


class NotLifted(Exception):  # noqa: N818
    """A function cannot be traced with variables as arguments; its cause says why."""


def is_array(value: Any) -> bool:
    """Tell whether a value is an array or a number of NumPy's."""
    return type(value) is np.ndarray or isinstance(value, np.generic)


def is_leaf(value: Any) -> bool:
    """Tell whether a value may be an argument instead, being a number, a text or an array."""
    if not is_array(value):
        return type(value) in LEAVES
    return _is_supported(value.dtype) and value.dtype.isnative


def is_liftable(value: Any) -> bool:
    """Tell whether a value may be an argument instead; of lists the trace tells."""
    return type(value) is list or is_leaf(value)


def _is_flat(value: Any) -> bool:
    """Tell whether a value is no list with items that others may change: arrays, objects.

    Nor is a long one that is not given in columns: each item would be an argument.
    """
    if type(value) is not list:
        return True
    if len(value) >= LONG and len({*map(type, value)}) > 1:
        return False
    return all(type(x) in LEAVES or isinstance(x, np.generic) for x in value)


class Lifting:
    """The variables that are lifted out of a function, and its calls.

    Args:
        function: the staged function.
        is_off: whether nothing is lifted out of it.
        root: of the function that the user has, if variables are arguments of this one already.

    Attributes:
        written: the keys of variables that traces of the function assign.
        places: where the variables are that are lifted.
        function: the function of the variables and the arguments; None if there are none.
        root: the lifting of the function that the user has.
    """

    def __init__(self, function: Function, is_off: bool, root: Lifting | None = None) -> None:
        self._of = function
        self._is_off, self._takes_lists = is_off, True
        self.root = root or self
        self.written: set[Key] = self.root.written if root else set()
        self.places: tuple[Place, ...] = ()
        self.function: Function | None = None
        self._dropped = 0

    @property
    def trace_count(self) -> int:
        """How many times functions of the variables were traced."""
        return self._dropped + (0 if self.function is None else self.function.trace_count)

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The traces of the function of the variables."""
        return [] if self.function is None else self.function.concrete_functions

    @contextmanager
    def looking(
        self, earlier: Iterable[ConcreteFunction], types: Any, bound: Any, is_call: bool
    ) -> Iterator[None]:
        """Lift what earlier traces wrote before a function is traced, or what it may not write.

        Args:
            earlier: its traces.
            types: the trace types of the arguments.
            bound: the arguments.
            is_call: whether it is traced for a call.

        Raises:
            Lifted: that was done, so that this trace is not needed.
            NotLifted: the function of the variables is refused.
        """
        tracer, (args, kwargs) = self._of._tracer, bound
        if self._is_off or not is_call:
            yield
            return
        own = types[tracer.lifted_leaves(bound) :], (args[len(tracer.lifted) :], kwargs)
        told = [one.guards.changed() for one in earlier if one.types == types]
        changed = [pair for pairs in told for pair in pairs]
        given = self._of._signature.named(*bound)
        counts = Counter(key_at(place, given) for place, _ in changed)
        others = {key_at(x, given) for x, now in changed if is_array(now)}
        others |= {key for key, count in counts.items() if count >= AFTER_MANY}
        lists = Counter(key for x in told for key in {key_at(y, given) for y in lists_in(x)})
        others |= {key for key, count in lists.items() if count >= AFTER_FEW}
        if self.written or others:
            self.root._grow({*self.written, *others}, *own)
        if not all(map(_is_flat, args[: len(tracer.lifted)])):
            raise NotLifted
        try:
            yield
        except RuntimeGraphError as error:
            if isinstance(error, MutationError):
                self.root._grow(None, *own)
            if tracer.lifted:
                raise NotLifted from error
            raise

    def _grow(self, keys: set[Key | None] | None, types: Any, bound: Any) -> None:
        """Lift variables of some keys that were not, or all that hold arrays; raise if any."""
        signature = self._of._signature
        given = signature.named(*bound)
        written = [key[-1] for key in keys or () if key is not None and key[0] == "attribute"]
        names = signature.leaf_names(trees.flatten(bound)[1])
        places = self._of._tracer.places(names, types, given, written)
        held = {key_at(x, given): (x, read_at(x, given)) for x in places}
        held.pop(None, None)
        found = {key: pair for key, pair in held.items() if is_leaf(pair[1])}
        if keys is not None and self._takes_lists:
            lists = {key: pair for key, pair in held.items() if type(pair[1]) is list}
            found |= {key: pair for key, pair in lists.items() if _is_flat(pair[1])}
            keys |= {key for key, (_, x) in lists.items() if ("contents", id(x)) in keys}
        arrays = {key: x for key, (_, x) in found.items() if type(x) is np.ndarray}
        wanted = set(arrays) if keys is None else keys & found.keys()
        roots = [x for key, x in arrays.items() if key in wanted]
        wanted |= {k for k, x in arrays.items() if any(np.may_share_memory(x, y) for y in roots)}
        wanted -= {key_at(x, given) for x in self.places}
        if wanted:
            self.places += tuple(place for key, (place, _) in found.items() if key in wanted)
            self._make()
            raise Lifted

    def _make(self) -> None:
        function, places = self._of, self.places
        own = function._signature
        count = len(places)

        @functools.wraps(function.python_function)
        def lifted(*args: Any, **kwargs: Any) -> Any:
            trace, given = trace_now(), own.named(args[count:], kwargs)
            if trace is not None:
                trace.hold([variable_at(x, given) for x in places], args[:count])
            return function._converted_now(*args[count:], **kwargs)

        kind = inspect.Parameter.POSITIONAL_ONLY
        first = [inspect.Parameter(f"outside_{k}", kind) for k in range(count)]
        vars(lifted)["__signature__"] = inspect.Signature([*first, *own.python.parameters.values()])
        self._dropped = self.trace_count
        self.function = function._with_lifted(lifted, places)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function of the variables; the function itself where they cannot be given."""
        if default_graph.current() is not None or self.function is None:
            return self._of._call_slowly(*args, **kwargs)
        values = self._values(args, kwargs)
        if not all(map(is_liftable, values)):
            with HOLDING:  # another thread may be tracing
                values = self._values(args, kwargs)
        lists = [id(x) for x in (*values, *args, *kwargs.values()) if type(x) is list]
        if len(set(lists)) < len(lists) or not all(map(is_liftable, values)):
            return self._of._call_slowly(*args, **kwargs)
        try:
            return self.function(*values, *args, **kwargs)
        except Lifted:
            pass
        except NotLifted:
            self._give_up(values)
        return self.call(*args, **kwargs)

    def _give_up(self, values: Sequence[Any]) -> None:
        """Lift no lists any more, which may be what was refused, or nothing."""
        left = [x for x, value in zip(self.places, values, strict=True) if type(value) is not list]
        self._is_off = len(left) == len(self.places)
        self._takes_lists, self.places, self.function = False, tuple(left), None
        if left and not self._is_off:
            self._make()

    def _values(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        given = self._of._signature.named(args, kwargs)
        return [read_at(place, given) for place in self.places]


def lists_in(changed: Iterable[tuple[Place, Any]]) -> Iterator[Place]:
    """Yield the places of lists, and of what holds lists, of which something has changed."""
    for place, now in changed:
        root = place
        while root.kind in ("item", "part", "contents"):
            root = root.owner
        if root is not place or type(now) is list:
            yield root


def read_at(place: Place, given: Mapping[str, Any]) -> Any:
    """Return what is at a place of a call with arguments; MISSING if there is nothing."""
    try:
        if place.kind == "object" and place.key in given:
            return given[place.key]
        if place.kind == "attribute":
            return getattr(read_at(place.owner, given), place.key)
        if place.kind == "part":
            return part_of(read_at(place.owner, given), place.key)
        return read_at(place.owner, given)[place.key] if place.kind == "item" else place.read()
    except Exception:  # of a property of the user's, too
        return MISSING


def variable_at(place: Place, given: Mapping[str, Any]) -> Any:
    """Return the variable at a place, which can be assigned; None if there is none."""
    if place.kind == "global":
        return GlobalVariable(place.owner, place.key)
    if place.kind in ("cell", "free"):
        return CellVariable(_cell(place))
    root = place
    while root.kind in ("attribute", "item", "part"):
        root = root.owner
    is_part = root.kind == "object" and not root.key.isidentifier()  # of an argument
    if place.kind != "attribute" or is_part or root.kind == "default":
        return None
    owner = read_at(place.owner, given)
    if isinstance(owner, ModuleType):
        return GlobalVariable(vars(owner), place.key)
    is_slot = isinstance(class_attribute(type(owner), place.key), MemberDescriptorType)
    is_own = place.key in getattr(owner, "__dict__", {})
    return Attribute(WeaklyHeld(owner), place.key) if is_slot or is_own else None


def _cell(place: Place) -> CellType:
    if place.kind == "cell":
        return place.owner  # type: ignore[no-any-return]
    return place.owner().__closure__[position(place.owner, place.key)]  # type: ignore[no-any-return]


def key_at(place: Place, given: Mapping[str, Any]) -> Key | None:
    """Return the key of the variable at a place; None if there is none."""
    variable = variable_at(place, given)
    return None if variable is None else variable.key
