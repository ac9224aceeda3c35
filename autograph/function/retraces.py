"""Why a function was traced again: what differed from the nearest earlier trace, and what to write.

Comes in: the traces that there are, and what a new one is for. Goes out: a text for people, and a
warning in the log when five of the last ten calls were traced.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograph.function.capture_sources import short
from autograph.function.concrete import ConcreteFunction
from autograph.function.traced import Trace
from autograph.function.tracetype import LiteralType, ObjectType, TensorType, TraceType
from autograph.logs import LOGGER
from runtime import trees
from runtime.dtypes import conversion, dtype_name

OFTEN = 5
OF_LAST = 10
"""How many traces in how many calls are worth a warning."""
MOST_REASONS = 3
MOST_WARNINGS = 2
MOST_TOLD = 64
MOST_COMPARED = 32

_OUTSIDE = "Pass it as an argument, or keep it in an ag.Variable"
_FORM = ("Pass structures of one form; make arrays of lists of numbers", 100)
_NUMBER = (
    "A number of Python is part of the trace: pass an array or a NumPy scalar, as np.{kind}({text})"
)
_SHAPE = "Leave its sizes open: {option}an input_signature with ag.TensorSpec({shape}, {dtype!r})"
_OPTION = "@ag.function(reduce_retracing=True), or "


@dataclass(frozen=True)
class Difference:
    """What differs between two traces.

    Args:
        name: of the argument, or of what is outside of the function.
        before: what it was in the earlier trace.
        now: what it is.
        advice: what to write, so that one trace serves both.
        weight: how far apart it sets them.
    """

    name: str
    before: str
    now: str
    advice: str
    weight: int = 1

    def __str__(self) -> str:
        return f"{self.name} is {self.now}, not {self.before}. {self.advice}."


@dataclass(frozen=True)
class Retrace:
    """One trace of a function.

    Args:
        number: from 1, in the order of tracing.
        arguments: for which it was made.
        nearest: the number of the trace that comes nearest; None for the first.
        differences: from that one.
    """

    number: int
    arguments: str
    nearest: int | None = None
    differences: tuple[Difference, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.number}  {self.arguments}"]
        lines += [f"     unlike {self.nearest}: {x}" for x in self.differences]
        return "\n".join(lines)


@dataclass(frozen=True)
class Retraces:
    """All traces of a function, the first one first; its text is for people.

    Args:
        name: of the function.
        count: how often it was traced; of more than 64 traces the last ones are told.
        traces: what is known of each.
    """

    name: str
    count: int
    traces: tuple[Retrace, ...]

    def __repr__(self) -> str:
        times = {0: "was never traced", 1: "was traced once"}
        head = f"{self.name} {times.get(self.count, f'was traced {self.count} times')}"
        return "\n".join([head, *map(str, self.traces)])


class History:
    """What a function was traced for, and how often of late.

    Args:
        name: of the function.

    Attributes:
        calls: how many calls there were, as far as they were counted.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.calls = self._last = 0
        self._count = 0
        self._at: deque[int] = deque(maxlen=OFTEN)
        self._warnings = 0
        self._traces: deque[Retrace] = deque(maxlen=MOST_TOLD)
        self._numbers: deque[tuple[int, ConcreteFunction]] = deque(maxlen=MOST_COMPARED)

    @property
    def told(self) -> Retraces:
        """What is known of all traces."""
        return Retraces(self._name, self._count, tuple(self._traces))

    def called(self) -> bool:
        """Count a call; tell whether the next ones have to be counted, too."""
        self.calls += 1
        return self.calls - self._last <= OF_LAST

    def reasons(self, new: ConcreteFunction) -> tuple[int | None, tuple[Difference, ...]]:
        """Return the number of the trace that comes nearest to a new one, and what differs."""
        found = [(number, tuple(differences(old, new))) for number, old in self._numbers]
        if not found:
            return None, ()
        return min(reversed(found), key=lambda pair: sum(x.weight for x in pair[1]))

    def traced(self, new: ConcreteFunction) -> None:
        """Note a new trace, before it can serve a call."""
        nearest, reasons = self.reasons(new)
        self._count += 1
        arguments = new.arguments.summary() if new.arguments is not None else repr(new)
        text = f"{arguments} with {', '.join(_tensors(new))}" if _tensors(new) else arguments
        self._traces.append(Retrace(self._count, text, nearest, reasons))
        self._numbers.append((self._count, new))
        self._last = self.calls
        self._at.append(self.calls)
        self._warn(reasons)

    def _warn(self, reasons: Sequence[Difference]) -> None:
        calls = self.calls - self._at[0] + 1
        if len(self._at) < OFTEN or calls > OF_LAST or self._warnings >= MOST_WARNINGS:
            return
        self._warnings += 1
        self._at.clear()
        LOGGER.warning(
            "%s was traced in %d of its last %d calls. Tracing takes much longer than a call. "
            "The last time %s %s.explain_retraces() tells of all.",
            *(self._name, OFTEN, calls, _first(reasons), self._name),
        )


def _first(reasons: Sequence[Difference]) -> str:
    """Return the texts of the first differences, and how many there are besides."""
    texts = [str(x) for x in reasons[:MOST_REASONS]]
    more = [f"So it is with {len(reasons) - MOST_REASONS} more."]
    return " ".join(texts + (more if len(reasons) > MOST_REASONS else []))


def _tensors(concrete: ConcreteFunction) -> list[str]:
    if concrete.arguments is None:
        return []
    pairs = zip(concrete.arguments.names, concrete.types, strict=True)
    return [f"{name}: {kind}" for name, kind in pairs if isinstance(kind, TensorType)]


def differences(old: ConcreteFunction, new: ConcreteFunction) -> Iterator[Difference]:
    """Yield what differs between two traces: of the arguments, or else of what is outside."""
    before, now = old.arguments, new.arguments
    if before is None or now is None:
        return
    if before.structure != now.structure:
        text = trees.difference(before.structure, now.structure, "the arguments")
        yield Difference("the form of the arguments", "as before", f"another ({text})", *_FORM)
        return
    rows = zip(now.names, before.types, now.types, strict=True)
    changed = [row for row in rows if row[1] != row[2]]
    for name, was, is_now in changed:
        yield Difference(
            name, _show(was), _show(is_now), _advice(was, is_now), _weight(was, is_now)
        )
    for place, value in () if changed else old.guards.changed():
        yield Difference(place.text, str(place.before), short(value), _OUTSIDE, 0)


def _weight(was: TraceType, now: TraceType) -> int:
    if not (isinstance(was, TensorType) and isinstance(now, TensorType)):
        return 2
    a, b = was.spec, now.spec
    return 1 + sum((a.dtype != b.dtype, a.rank != b.rank, was.holder is not now.holder))


def _show(kind: TraceType) -> str:
    if isinstance(kind, TensorType):
        return f"{kind} ({kind.holder.__name__})"
    return (
        f"the {type(kind.restored).__name__} {kind}" if isinstance(kind, LiteralType) else str(kind)
    )


def _advice(was: TraceType, now: TraceType) -> str:
    if isinstance(now, TensorType) and (now.spec.weak or not now.spec.is_static):
        return "This trace serves all that differ only in this"
    if isinstance(was, TensorType) and isinstance(now, TensorType):
        return _tensor_advice(was, now)
    if isinstance(was, LiteralType) and isinstance(now, LiteralType):
        if {was.kind, now.kind} <= {int, float, complex}:
            return _NUMBER.format(kind=_DTYPES[now.kind], text=now.text)
        return "Each value has a trace of its own: decide by it outside of the function"
    if isinstance(was, ObjectType) and isinstance(now, ObjectType):
        return "Each object has a trace of its own: pass its arrays, or make its class a dataclass"
    return "Pass the same kind of value always"


_DTYPES = {int: "int64", float: "float64", complex: "complex128"}


def _tensor_advice(was: TensorType, now: TensorType) -> str:
    if was.spec.dtype != now.spec.dtype:
        return f"Convert it to one dtype before the call: {conversion(was.spec.dtype)}"
    if was.spec.shape == now.spec.shape:
        return f"Pass a {was.holder.__name__} always"
    ranks_differ = was.spec.rank != now.spec.rank
    shape = None if ranks_differ else [None] * (now.spec.rank or 0)
    option = "" if ranks_differ else _OPTION
    return _SHAPE.format(option=option, shape=shape, dtype=dtype_name(now.spec.dtype))


def created_again(name: str, first: Trace, later: Trace) -> ValueError:
    """Return the error of a function that creates variables each time it is traced."""
    made = (("first created", first.created[0]), ("and again", later.created[0]))
    places = [f"{what}:\n{x.created.describe()}" for what, x in made if x.created is not None]
    return ValueError(
        f"{name}() tried to create variables on a non-first call: a staged function creates its "
        "variables once, on the first call (singleton variables), and this one created "
        f"{later.created[0].name!r} when it was traced again. Create it outside of the function, "
        "or once, where it is kept: `if self.v is None: self.v = ag.Variable(...)`\n"
        + "\n".join(places)
    )


__all__ = ["Difference", "History", "Retrace", "Retraces", "created_again", "differences"]
