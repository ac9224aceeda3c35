"""`GradientTape`: derivatives of what happens in a `with` block, by TensorFlow's rules.

Outside of graphs a tape is a record of what eager ops and staged functions do to tensors; in a
staged function it is a stretch of the graph. What goes back is the same in both
(`runtime.autodiff`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.function.eager import SWITCH
from autograph.transforms.cotangents import (
    AS_FLOATS,
    NONE,
    asks_for_zeros,
    check_source,
    conjugate,
    in_kind,
    seed_of,
    seeds_of,
    sizes_of,
    source_of,
    stacked_rows,
    warn,
    zeros_of,
)
from autograph.transforms.departures import warn_of_missed
from runtime import default_graph, trees
from runtime.active_tapes import RECORDERS
from runtime.autodiff.dependence import is_inexact
from runtime.autodiff.record import Record
from runtime.autodiff.stretch import Stretch
from runtime.errors import DerivativeError
from runtime.state.variable import Variable


class GradientTape:  # Long: the methods that users have, each with its sentences and an example.
    """Records what is done to watched tensors in a `with` block, for gradients afterwards.

    What is recorded are operations on `Tensor`s and on what variables hold, and calls of staged
    functions; in a staged function, operations on staged values, loops and branches included.

    Args:
        persistent: whether several gradients may be asked for; else the first one is the last.
        watch_accessed_variables: whether trainable variables are watched as soon as they are read.

    Complex gradients are TensorFlow's: the conjugates of those of `grad`.

    >>> import autograph as ag
    >>> x = ag.Tensor(np.array([1.0, 2.0]))
    >>> with ag.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = np.sum(x**3)
    >>> tape.gradient(y, x)
    Tensor(array([ 3., 12.]))
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._is_persistent = persistent
        self._watches_accessed = watch_accessed_variables
        self._variables: dict[int, Variable] = {}
        self._record: Record | Stretch | None = None
        self._is_recording = self._is_used_up = False

    def __enter__(self) -> GradientTape:
        if self._is_recording:
            raise RuntimeError("the tape records already; make another one for an inner block")
        if self._record is None:
            self._begin()
        elif isinstance(self._record, Stretch) or default_graph.current() is not None:
            raise DerivativeError(
                "a tape that was used before is entered again in a staged function; make a new "
                "GradientTape for each `with` block"
            )
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._is_recording:
            self._stop()

    def _begin(self) -> None:
        builder = default_graph.current()
        self._record = (
            Record(self._accessed) if builder is None else Stretch(builder, self._accessed)
        )

    @classmethod
    def of_graph(cls, sources: Any) -> GradientTape:
        """Return a tape of all that the graph which is being built has, from sources on.

        Args:
            sources: staged values and variables.

        Raises:
            RuntimeError: no graph is being built.
        """
        builder = default_graph.current()
        if builder is None:
            raise RuntimeError(
                "outside of staged functions there is no graph to go back through; use a "
                "GradientTape, or call this in a function of tf.function"
            )
        made = cls(persistent=True, watch_accessed_variables=False)
        made._record = Stretch(builder, made._accessed, from_start=True)
        for leaf in trees.flatten(sources)[0]:
            made._record.watch_from_start(source_of(leaf, "source"))
        return made

    def _start(self) -> None:
        assert self._record is not None
        RECORDERS.active = (*RECORDERS.active, self._record)
        self._is_recording = True
        SWITCH.tape(1)

    def _stop(self) -> None:
        RECORDERS.active = tuple(x for x in RECORDERS.active if x is not self._record)
        self._is_recording = False
        SWITCH.tape(-1)

    def _accessed(self, variable: Variable) -> bool:
        """Tell whether a variable that is read is to be watched."""
        if self._watches_accessed and variable.trainable:
            self._variables[id(variable)] = variable
        return id(variable) in self._variables

    def watch(self, tensor: Any) -> None:
        """Record what is done to tensors from now on.

        Args:
            tensor: a `Tensor`, a staged value, a variable, or a structure of them, of floats.

        Raises:
            TypeError: it is a number or an array of NumPy's, which nothing can be recorded of.
            RuntimeError: outside of the `with` block.
        """
        if not self._is_recording or self._record is None:
            raise RuntimeError("tape.watch is called in the `with` block of the tape")
        for leaf in trees.flatten(tensor)[0]:
            source = source_of(leaf, "watch")
            if not is_inexact(source.spec):
                warn(f"tape.watch was given {source.spec}, and gradients are by floats; the "
                      f"gradient by it is None. {AS_FLOATS}")  # fmt: skip
            elif isinstance(source, Variable):
                self._variables[id(source)] = source
                self._record.watch(source)
            else:
                self._record.watch(source)

    def follows(self, tensor: Any) -> bool:
        """Tell whether a tensor follows something that is watched."""
        return self._record is not None and self._record.has(source_of(tensor, "target"))

    def watched_variables(self) -> tuple[Variable, ...]:
        """Return the variables that are watched, in the order in which they were first."""
        return tuple(self._variables.values())

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Record nothing in a `with` block within that of the tape."""
        if not self._is_recording:
            raise RuntimeError("the tape does not record, so that there is nothing to stop")
        record = self._record
        self._stop()
        if isinstance(record, Stretch):
            record.pause()
        try:
            yield
        finally:
            if isinstance(record, Stretch):
                record.resume()
            self._start()

    def reset(self) -> None:
        """Forget all that was recorded and watched."""
        is_recording = self._is_recording
        if is_recording:
            self._stop()
        self._variables.clear()
        self._begin()
        if is_recording:
            self._start()

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: str = NONE,
    ) -> Any:
        """Return the gradient of the sum of a target's elements by sources.

        Args:
            target: a tensor or variable, or a structure of them: what was computed.
            sources: a tensor or variable that was watched, or a structure of them.
            output_gradients: what each element of the target is weighted with; of its structure.
            unconnected_gradients: `"none"` or `"zero"`: what the gradient by a source is that the
                target does not depend on.

        Returns:
            Tensors of the structure, shapes and dtypes of the sources.

        Raises:
            RuntimeError: a second gradient of a tape that is not persistent.
            DerivativeError: an op has no derivative.

        >>> import autograph as ag
        >>> v = ag.Variable(3.0)
        >>> with ag.GradientTape() as tape:
        ...     y = v * v
        >>> tape.gradient(y, {"v": v})
        {'v': Tensor(array(6.))}
        """
        record = self._used()
        seeds = seeds_of(trees.map_tree(self._target, target), output_gradients)
        self._explain(record, [x for x, _ in seeds], unconnected_gradients)
        (found,) = self._back(record, [seeds], sources, unconnected_gradients)
        return trees.unflatten(trees.flatten(sources)[1], found)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: str = NONE,
        parallel_iterations: Any = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Return the derivative of each element of a target by each element of sources.

        Args:
            target: a tensor of a known shape.
            sources: a tensor or variable that was watched, or a structure of them.
            unconnected_gradients: as for `gradient`.
            parallel_iterations, experimental_use_pfor: are for TensorFlow's programs, not used.

        Returns:
            For each source a tensor of the shape `[*target, *source]`.
        """
        record, y = self._used(), source_of(self._target(target), "target")
        self._explain(record, [y], unconnected_gradients)
        sizes = sizes_of(y)
        count = int(np.prod(sizes))
        units = [np.reshape(row, sizes) for row in np.eye(count, dtype=y.spec.dtype)]
        rows = self._back(record, [[seed_of(y, x)] for x in units], sources, unconnected_gradients)
        found = [stacked_rows(parts, sizes) for parts in zip(*rows, strict=True)]
        return trees.unflatten(trees.flatten(sources)[1], found)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: str = NONE,
        parallel_iterations: Any = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Return the derivative of each row of a target by the same row of a source.

        Args:
            target: `[batch, ...]`; each row follows only that row of the source.
            source: a tensor `[batch, ...]` that was watched.
            unconnected_gradients: as for `gradient`.
            parallel_iterations, experimental_use_pfor: are for TensorFlow's programs, not used.

        Returns:
            A tensor of the shape `[batch, *row of the target, *row of the source]`.
        """
        record, y = self._used(), source_of(self._target(target), "target")
        self._explain(record, [y], unconnected_gradients)
        batch, *rest = sizes_of(y)
        if not sizes_of(source_of(source, "source"))[:1] == (batch,):
            raise DerivativeError(
                f"batch_jacobian is of a target and a source with as many rows, and these are "
                f"{y.spec} and {source.spec}"
            )
        count = int(np.prod(rest))
        units = [
            np.broadcast_to(np.reshape(row, rest), (batch, *rest))
            for row in np.eye(count, dtype=y.spec.dtype)
        ]
        rows = self._back(record, [[seed_of(y, x)] for x in units], source, unconnected_gradients)
        parts = [row[0] for row in rows]
        if parts[0] is None:
            return None
        stacked = rnp.stack(parts, axis=1)
        return rnp.reshape(stacked, (batch, *rest, *sizes_of(stacked)[2:]))

    def _used(self) -> Record | Stretch:
        """Return the record, for the gradient that is asked for."""
        if self._record is None:
            raise RuntimeError("the tape has recorded nothing; compute the target in its block")
        if self._is_used_up:
            raise RuntimeError(
                "a tape that is not persistent gives one gradient, and this is a second one. Ask "
                "for all at once (tape.gradient(y, [a, b])), or write GradientTape(persistent=True)"
            )
        if not self._is_persistent:
            self._is_used_up = True
            if self._is_recording:
                self._stop()
        return self._record

    def _target(self, leaf: Any) -> Any:
        """Return what a variable holds, which is read as in the block of the tape."""
        if not isinstance(leaf, Variable):
            return leaf
        if self._is_recording or self._record is None:
            return leaf.read()
        self._start()
        try:
            return leaf.read()
        finally:
            self._stop()

    def _explain(self, record: Record | Stretch, targets: Sequence[Any], unconnected: str) -> None:
        if not asks_for_zeros(unconnected) and not any(record.has(x) for x in targets):
            warn(
                "the target does not follow anything that the tape watches, so that the gradient "
                "is None: it is to be computed in the `with` block, of tensors that tape.watch was "
                "given before, or of trainable variables, and not by way of .numpy() or float(x)"
            )

    def _back(
        self,
        record: Record | Stretch,
        rows: Sequence[Sequence[tuple[Any, Any]]],
        sources: Any,
        unconnected: str,
    ) -> list[list[Any]]:
        """Return the gradients of each row of seeds by the leaves of the sources."""
        is_zero = asks_for_zeros(unconnected)
        given = [source_of(x, "source") for x in trees.flatten(sources)[0]]
        for x in () if is_zero else given:
            check_source(record, x)
        known = [x for x in given if record.has(x)]
        rows = [[(x, conjugate(g)) for x, g in seeds if record.has(x)] for seeds in rows]
        made = []
        for row in record.back(rows, known) if known else [[] for _ in rows]:
            found = iter(row)
            parts = [next(found) if record.has(x) else None for x in given]
            made.append(
                [
                    (zeros_of(x) if is_zero else None) if g is None else in_kind(x, conjugate(g))
                    for x, g in zip(given, parts, strict=True)
                ]
            )
        warn_of_missed(() if isinstance(record, Stretch) else record.missed)
        return made
