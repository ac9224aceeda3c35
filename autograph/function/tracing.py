"""How one function is traced: with which arguments, and with what is outside of it.

Comes in: the trace types of a call's arguments. Goes out: a concrete function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import partial
from typing import Any

import numpy as np

from autograph.function.arguments import Arguments
from autograph.function.capture_sources import Place, path_of, reports_place
from autograph.function.captures import reads_of, still_read, with_before
from autograph.function.concrete import ConcreteFunction
from autograph.function.guards import Guards, constant_tensors, decided_by, outside_arrays
from autograph.function.lambda_lifting import key_at
from autograph.function.leak_check import check_apart
from autograph.function.parameters import Parameters
from autograph.function.shape_relaxation import as_parameter
from autograph.function.trace import trace
from autograph.function.traced import Trace
from autograph.function.tracetype import ObjectType, TensorType, TraceType
from autograph.logs import log
from autograph.operators.calls.host_callback import CALLED_LATER
from autograph.operators.control_flow.rolling import unroll_all
from autograph.source.load import unwrap
from autograph.staging.strictness import Strictness, strictly, strictness
from runtime import trees
from runtime.backends import chosen, is_foreign
from runtime.backends.backend import Backend
from runtime.numpy.trials import samples_like
from runtime.numpy.witnesses import note_argument
from runtime.opaque import Opaque
from runtime.signature import there
from runtime.tensor import Tensor


class Tracer:
    """Traces one function.

    Args:
        signature: its parameters.
        python_function: as the user wrote it.
        to_trace: returns it converted.
        inline: calls it as a part of another trace.
        receiver: returns the object that it is a method of, or None.
        backend: the name of the backend; None for the one that the arguments belong to.
        strict: whether what the reference refuses is refused.

    Attributes:
        lifted: where the variables are that the first arguments stand for.
    """

    def __init__(
        self,
        signature: Parameters,
        python_function: Callable[..., Any],
        to_trace: Callable[[], Callable[..., Any]],
        inline: Callable[..., Any],
        receiver: Callable[[], Any],
        backend: str | None,
        strict: Strictness,
    ) -> None:
        self._signature = signature
        self._python_function = python_function
        self._to_trace = to_trace
        self._inline = inline
        self._receiver = receiver
        self._backend = backend
        self._strict = strict
        self.lifted: Sequence[Place] = ()
        self._tries: set[Any] = set()

    def concrete(
        self, structure: Any, types: tuple[Any, ...], leaves: Sequence[Any], bound: Any
    ) -> ConcreteFunction:
        """Return the trace for arguments.

        Args:
            structure: of the bound arguments.
            types: the trace types of their leaves.
            leaves: of a call with such arguments.
            bound: the arguments of that call.
        """
        names = self._signature.leaf_names(structure)
        held = [x.array if type(x) is Tensor else x for x in leaves]
        named = [(x, f"the argument {n}") for n, x in zip(names, held, strict=True)]
        named = [(x, n) for x, n in named if isinstance(x, np.ndarray) or is_foreign(x)]
        backend = self._chosen(named)
        given = self._signature.named(*bound)
        places = self.places(names, types, given)
        known = len(CALLED_LATER)
        tensor_names = [n for n, t in zip(names, types, strict=True) if isinstance(t, TensorType)]
        owners = [*zip(names, leaves, strict=True), ("self", self._receiver())]
        log(1, lambda: f"{self._signature.name} is traced with ({', '.join(map(str, types))})")
        with strictly(self._strict or strictness()):
            found = trace(
                self._to_trace,
                [t.spec for t in types if isinstance(t, TensorType)],
                tensor_names,
                self._fill(structure, types, leaves),
                owners,
                outside_arrays(places, backend.xp is np),
                self._tries,
            )
        if len(CALLED_LATER) > known:
            places = still_read(places, self.places(names, types, given))
        arrays = [x for x, t in zip(held, types, strict=True) if isinstance(t, TensorType)]
        count = sum(isinstance(t, TensorType) for t in types[: self.lifted_leaves(bound)])
        written = [arrays[k] for k in found.signature.writes if k < count]
        places = self._relied_on(found, places, partial(self.places, names, types, given), written)
        if found.reports is not None:
            places.append(reports_place(found.reports))
        for x in there(found.signature.reads):
            named += [(x._value, f"the variable {x.name}")] if x.has_value else []
        for slot in found.signature.arrays:
            named.append((slot.thing(), f"the array {slot.name}"))
        named += [(x, "an array that the function makes") for x in found.foreign]
        return ConcreteFunction(
            self._signature.name,
            types,
            found,
            self._chosen(named),
            Guards(places, getattr(unwrap(self._python_function), "__globals__", {})),
            Arguments(self._signature, structure, types, tuple(names)),
            self._inline,
        )

    def _relied_on(
        self,
        found: Trace,
        places: list[Place],
        again: Callable[[Set[str]], list[Place]],
        written: Sequence[Any],
    ) -> list[Place]:
        """Return the places that a trace relies on, and places for what is in arrays.

        Args:
            found: the trace.
            places: what its code reads.
            again: returns these and what has one of some names.
            written: the arrays that are lifted, and that it writes.

        Raises:
            MutationError: one of those shares memory with an array that is not lifted.
        """
        if found.asked:
            places = with_before(again(found.asked), places)
        read = {path_of(place) for place in places}
        if found.held:
            places = with_before(again({*found.asked, *found.held}), places)
        looked_at = [place for place in places if path_of(place) in read]
        for place in looked_at if written else ():
            if place.kind == "attribute" and type(array := place.read()) is np.ndarray:
                check_apart(array, place.text, written, found.undo)
        return [*places, *decided_by(looked_at, found.used), *constant_tensors(looked_at)]

    def unrolls(self, tries: Set[Any]) -> bool:
        """Have loops unrolled from now on that a trace has rolled; tell whether there are any."""
        found = {*tries}
        is_new = unroll_all(found)
        self._tries |= found
        return is_new

    def lifted_leaves(self, bound: Any) -> int:
        """Return how many of the leaves of arguments are of variables that are lifted."""
        return len(trees.flatten(bound[0][: len(self.lifted)])[0])

    def opened(self, types: tuple[TraceType, ...], bound: Any) -> tuple[TraceType, ...] | None:
        """Return types with numbers of Python that are lifted as parameters; None without any."""
        count = self.lifted_leaves(bound)
        found = (*map(as_parameter, types[:count]), *types[count:])
        return None if found == types else found

    def _chosen(self, named: Sequence[tuple[Any, str]]) -> Backend:
        """Return the backend for arrays, each with what messages call it."""
        return chosen(self._backend, [x for x, _ in named], [name for _, name in named])

    def _fill(
        self, structure: Any, types: Sequence[Any], leaves: Sequence[Any]
    ) -> Callable[[Sequence[Any]], Any]:
        """Return what puts symbols in the place of the tensors among the arguments."""

        def fill(symbols: Sequence[Any]) -> Any:
            tensor_types = [t for t in types if isinstance(t, TensorType)]
            given = [x for x, t in zip(leaves, types, strict=True) if isinstance(t, TensorType)]
            for symbol, kind, leaf in zip(symbols, tensor_types, given, strict=True):
                is_array = kind.holder is np.ndarray and self._signature.specs is None
                symbol.is_cell = is_array and kind.spec.shape == ()
                note_argument(symbol, leaf)
            remaining = iter(symbols)
            filled = [
                _filled(kind, leaf, next(remaining)) if isinstance(kind, TensorType) else leaf
                for kind, leaf in zip(types, leaves, strict=True)
            ]
            return trees.unflatten(structure, filled)

        return fill

    def places(
        self,
        names: Sequence[str],
        types: Sequence[Any],
        given: Mapping[str, Any],
        asked: Iterable[str] = (),
    ) -> list[Place]:
        """Return what the function may read outside of itself and its arguments.

        Args:
            names: of the leaves of the arguments.
            types: their trace types.
            given: the arguments, by name.
            asked: the names of attributes that it computes.
        """
        objects = [
            (name, kind.references[0])
            for name, kind in zip(names, types, strict=True)
            if isinstance(kind, ObjectType)
        ]
        entries = trees.flatten(dict(given))[1].entries
        classes = dict.fromkeys(x[0] for x in entries if x is not None)  # of what is taken apart
        objects += [
            (x.__name__, partial(_itself, x)) for x in classes if x.__module__ not in _PLAIN
        ]
        found = reads_of(self._python_function, [("self", self._receiver), *objects], asked)
        lifted = {key_at(x, given) for x in self.lifted}
        return [x for x in found if key_at(x, given) not in lifted] if lifted else found


_PLAIN = frozenset({"builtins", "collections"})


def _itself(x: Any) -> Any:
    return x


def _filled(kind: TensorType, leaf: Any, symbol: Any) -> Any:
    """Return what stands for an argument while tracing."""
    return Opaque(symbol, samples_like(leaf)) if kind.described else symbol
