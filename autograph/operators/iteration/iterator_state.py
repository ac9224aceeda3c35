"""How far Python's own iterators have come, which few can be set back.

A staged branch or loop is traced once, however often it runs. So an iterator that was there before,
and that is asked for an item in it, would give one item for all rounds. Comes in: an iterator. Goes
out: a value that is another one after an item was taken, by whatever means.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Set
from gc import get_referents
from types import CodeType, FrameType, FunctionType, GeneratorType
from typing import Any, NamedTuple

from autograph.operators.iteration.protocol import StagedIterator
from autograph.staging.context import trace_now
from runtime.graph.location import is_ours

_SEQUENCES: tuple[Any, ...] = (
    *([], (), "", "\u00e4", b"", bytearray()),
    *(range(1), range(2**70), reversed([])),
)
_WITH_INDEX = frozenset(type(iter(x)) for x in _SEQUENCES)
"""Iterators that tell by `__reduce__` at which index they are, and copy nothing for it."""

_CLOSED = ("autograph.", "runtime.")
_DEEPEST = 8


def is_iterator(value: Any) -> bool:
    """Tell whether a value is an iterator that is neither of this library nor written in Python."""
    kind = type(value)
    step = getattr(kind, "__next__", None)
    is_code = step is None or isinstance(step, FunctionType)
    return not is_code and not kind.__module__.startswith(_CLOSED)


GeneratorKey = tuple[str, int, str]
"""Which generator a code object is of, in whatever form it was compiled."""


class Left(NamedTuple):
    """A generator that is left in a staged branch or loop, and gone on with."""

    place: GeneratorKey


def place_of(code: CodeType) -> GeneratorKey:
    """Return which generator a code object is of."""
    return code.co_filename, code.co_firstlineno, code.co_name


def generators_now() -> Set[Any]:
    """Return what identifies the generators that are staged in the trace that is made."""
    trace = trace_now()
    return frozenset() if trace is None else trace.generators


def needed_of(iterator: Any) -> list[Any]:
    """Return what has a generator of the user's gone on with where it was left, if nothing has."""
    if not isinstance(iterator, GeneratorType) or is_ours(iterator.gi_code.co_filename):
        return []
    place = place_of(iterator.gi_code)
    return [] if place in generators_now() else [place, Left(place)]


def position(iterator: Any, depth: int = 0) -> Any:
    """Return how far an iterator has come, and those that it draws from.

    >>> numbers = zip([1, 2], iter("ab"))
    >>> before = position(numbers)
    >>> before == position(numbers), next(numbers), before == position(numbers)
    (True, (1, 'a'), False)
    """
    if depth > _DEEPEST:
        return None
    if type(iterator) is StagedIterator:
        return [
            x.position if type(x.position) is int else id(x.position) for x in iterator.places()
        ]
    own = _own(iterator)
    kind = type(iterator)
    if kind in _WITH_INDEX or kind.__module__ not in ("builtins", "itertools"):
        return own
    return own, tuple(position(x, depth + 1) for x in _inner(iterator))


def set_back(iterator: Any, before: Any) -> bool:
    """Set an iterator back to an earlier position; tell whether it is there now.

    Only those that count an index can be, as long as they have not ended.

    >>> numbers = iter([1, 2, 3])
    >>> before = position(numbers)
    >>> next(numbers), set_back(numbers, before), next(numbers)
    (1, True, 1)
    """
    if position(iterator) == before:
        return True
    if type(iterator) not in _WITH_INDEX or not before[1] or position(iterator)[0] != before[0]:
        return False
    iterator.__setstate__(before[1][0])
    return True


def was_taken_from(iterator: Any, before: Any) -> bool:
    """Tell whether an iterator has given an item in a region, or when that was traced before."""
    trace = trace_now()
    drained = {} if trace is None else trace.drained
    if position(iterator) != before:
        drained[id(iterator)] = iterator
    return id(iterator) in drained


def put_back(iterator: Any, before: Any) -> None:
    """Set an iterator back that a region took items from, or have the trace know nobody can."""
    journal = None if (trace := trace_now()) is None else trace.journal
    is_back = set_back(iterator, before)
    if journal is not None and not is_back and id(iterator) in journal.snapshot.owners:
        journal.hidden.append(f"next() of a {type(iterator).__name__}")


def sources_of(iterator: Any, depth: int = 0) -> Iterator[Any]:
    """Yield an iterator of Python's, and those that it draws from.

    >>> letters = iter("ab")
    >>> [type(x).__name__ for x in sources_of(enumerate(letters))]
    ['enumerate', 'str_ascii_iterator']
    """
    yield iterator
    for inner in _inner(iterator) if depth < _DEEPEST else ():
        if is_iterator(inner):
            yield from sources_of(inner, depth + 1)


def _inner(iterator: Any) -> Iterator[Any]:
    """Yield the iterators that one holds, some of them in a tuple or a frame.

    Such tuples may lack items, so that nobody may go over them.
    """
    for held in get_referents(iterator):
        is_outer = type(held) in (tuple, FrameType)
        for one in get_referents(held) if is_outer else (held,):
            if is_iterator(one) or type(one) is StagedIterator:
                yield one


def _own(iterator: Any) -> Any:
    if isinstance(iterator, GeneratorType):
        frame = iterator.gi_frame
        return frame and (frame.f_lasti, tuple(map(id, get_referents(iterator))))
    if type(iterator) in _WITH_INDEX:
        _, arguments, *index = iterator.__reduce__()
        if not index:  # it has ended, and shows a new empty sequence each time
            return None, index
        return [repr(x) if type(x) is range else id(x) for x in arguments], index
    if type(iterator).__module__ == "itertools":
        return _of_tool(iterator)
    for name in ("__length_hint__", "tell"):
        method = getattr(iterator, name, None)
        if method is not None:
            try:
                return method()
            except (OSError, TypeError, ValueError):
                return None
    return getattr(iterator, "line_num", None)


def _of_tool(iterator: Any) -> Any:
    """Return the state of an iterator of `itertools`; some cannot tell from Python 3.14 on."""
    shown = repr(iterator)
    if " object at " not in shown:
        return shown
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            _, *state = iterator.__reduce__()
        except TypeError:
            return None
    return repr([x for x in state if not any(map(is_iterator, x if type(x) is tuple else (x,)))])
