"""The shortest path of a call: native code compares the arguments, and calls what runs.

Comes in: a trace that is used often. Goes out: a record for `runtime.kernels.calls`. What it calls
is the kernel that does all of the trace, where there is one, and else a Python function. Whatever
fits no record goes through `Function.__call__` as it is written, which is the definition.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.function.concrete import ConcreteFunction
from autograph.function.tracetype import LiteralType, ObjectType, TensorType, TraceType
from runtime import kernels, lower, trees
from runtime.dtypes import is_string
from runtime.spec import UNKNOWN, Dim, TensorSpec

if TYPE_CHECKING:
    from runtime.kernels.calls import Parameter
    from runtime.kernels.jit import Table
    from runtime.lower.whole_graph import Whole

OFTEN = 2000
"""After how many calls of some microseconds a record pays."""
SLOT = "_records"
"""Where functions hold the list of their records."""
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_NATIVE: set[type] = set()
"""The classes whose calls are native."""


class Quick:
    """The records of a function, and whether they are tried.

    Args:
        owner: the class of the function; its calls become native with the first record.

    Attributes:
        records: those that are tried.
    """

    def __init__(self, owner: type) -> None:
        self._owner = owner
        self._kept: list[Table] = []
        self._is_paused = self._is_held = False
        self.records: list[Table] = []

    def keep(self, found: Table) -> None:
        """Have calls try a record before the others."""
        if self._owner not in _NATIVE:
            _NATIVE.add(self._owner)
            call: Any = kernels.calls.native_call(self._owner, SLOT, self._owner.__call__)
            setattr(self._owner, "__call__", call)  # noqa: B010
        self._kept.insert(0, found)
        self._settle()

    def forget(self) -> None:
        """Forget all records."""
        self._kept.clear()
        self._settle()

    def pause(self, is_paused: bool) -> None:
        """Try no record while calls are counted, or try them again."""
        self._is_paused = is_paused
        self._settle()

    def hold(self, is_held: bool) -> None:
        """Try no record while the function runs eagerly, or try them again."""
        self._is_held = is_held
        self._settle()

    def _settle(self) -> None:
        self.records[:] = [] if self._is_paused or self._is_held else self._kept


def serves(concrete: ConcreteFunction) -> bool:
    """Tell whether calls of a trace may be native."""
    return concrete.executable.backend.target is not None and kernels.calls.can_call()


def record_of(
    parameters: Sequence[inspect.Parameter],
    kinds: Sequence[TraceType],
    concrete: ConcreteFunction,
    target: Callable[[], Callable[..., Any]],
) -> Table | None:
    """Return the record of a trace; None if native code cannot tell whether arguments fit.

    Args:
        parameters: of the function.
        kinds: the trace types of their arguments.
        concrete: the trace.
        target: returns a function that runs it, given all arguments.
    """
    calls = kernels.calls
    names = [x for kind in kinds if isinstance(kind, TensorType) for x in _names(kind.spec)]
    compared = [_parameter(*pair) for pair in zip(parameters, kinds, strict=True)]
    known = [x for x in compared if x is not None]
    if len(known) < len(compared) or len(names) > len(set(names)):
        return None
    check = concrete.guards.check if concrete.guards.places else None
    whole = _whole(concrete)
    if whole is None or not all(map(_enters, kinds)):
        return calls.record(known, target(), [calls.Given(k) for k in range(len(known))], check)
    tensors = [k for k, kind in enumerate(kinds) if isinstance(kind, TensorType)]
    passed = [calls.Given(k) for k in tensors]
    passed += [calls.Given(value=x.thing, is_weak=True) for x in concrete.trace.signature.arrays]
    given = [
        calls.Given(value=x.value) if isinstance(x, lower.whole_graph.Known) else passed[x]
        for x in whole.given
    ]
    returns = bool(concrete.trace.signature.outputs)
    return calls.record(
        known, kernels.load.load_now(whole.kernel), given, check, gives_up=True, returns=returns
    )


def _whole(concrete: ConcreteFunction) -> Whole | None:
    """Return the kernel that does all that a trace does."""
    if concrete.in_place is not None:
        return concrete.in_place if _returns_plainly(concrete) else None
    plan, backend = concrete.executable.plan, concrete.executable.backend
    if backend.target is None or not _is_plain(concrete):
        return None
    return lower.whole_graph.whole_kernel(plan, backend.target, backend.fast)


def _returns_plainly(concrete: ConcreteFunction) -> bool:
    """Tell whether a trace returns what its kernel does, or None."""
    signature = concrete.trace.signature
    outputs, structure = signature.outputs, signature.structure
    none = trees.flatten(None)[1]
    return bool(structure == _plain(len(outputs)) if outputs else structure == none)


def _plain(count: int) -> trees.Structure:
    """Return the structure of one result, or of a tuple of several."""
    return trees.flatten(0)[1] if count == 1 else trees.flatten((0,) * count)[1]


def _names(spec: TensorSpec) -> list[Dim]:
    """Return the named sizes of a shape."""
    return [x for x in spec.shape or () if isinstance(x, Dim) and x != UNKNOWN]


def _enters(kind: TraceType) -> bool:
    """Tell whether kernels read arguments of a kind; those of numbers take scalars only."""
    return (
        not isinstance(kind, TensorType) or kind.holder is not np.ndarray or kind.spec.shape != ()
    )


def _is_plain(concrete: ConcreteFunction) -> bool:
    """Tell whether a trace does no more than to return the results of its graph."""
    trace, known = concrete.trace, concrete.trace.signature
    outside = (
        known.alone,
        known.in_rows,
        known.reads,
        known.stores,
        trace.changes,
        trace.error,
    )
    if any(outside):
        return False
    are_plain = all(x.is_plain and x.kind == "result" for x in known.outputs)
    in_order = [x.position for x in known.outputs] == list(range(len(known.outputs)))
    if concrete.gives_tensors or not (are_plain and in_order):
        return False
    return bool(known.structure == _plain(len(known.outputs)))


def _parameter(parameter: inspect.Parameter, kind: TraceType) -> Parameter | None:
    """Return what native code compares an argument with."""
    calls = kernels.calls
    if parameter.kind not in POSITIONAL:
        return None
    default = () if parameter.default is parameter.empty else (parameter.default,)
    if isinstance(kind, TensorType):
        return _tensor(kind, default)
    if isinstance(kind, ObjectType):
        reference = kind.references[0]
        fits = len(kind.references) == 1 and isinstance(reference, weakref.ref)
        return (
            calls.Parameter(calls.Kind.REFERENCE, value=reference, default=default)
            if fits
            else None
        )
    if not isinstance(kind, LiteralType):
        return None
    if kind.kind in (bool, type(None), type(Ellipsis)):
        return calls.Parameter(calls.Kind.IS, value=kind.value, default=default)
    if kind.is_told_by_value:
        return calls.Parameter(calls.Kind.EQUAL, kind.kind, kind.restored, default=default)
    return None


def _tensor(kind: TensorType, default: tuple[Any, ...]) -> Parameter | None:
    shape, calls = kind.spec.shape, kernels.calls
    if shape is None or kind.inner is not None or kind.described:
        return None
    if not hasattr(kind.holder, "__setitem__"):
        return calls.Parameter(calls.Kind.TYPE, kind.holder, default=default)
    if kind.holder is not np.ndarray or is_string(kind.spec.dtype):
        return None
    extents = [size if isinstance(size, int) else calls.ANY for size in shape]
    return calls.Parameter(calls.Kind.ARRAY, np.ndarray, kind.spec.dtype, extents, default)
