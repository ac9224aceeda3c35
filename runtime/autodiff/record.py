"""What eager ops leave behind as they run, and going back through it.

An op that runs on an array which is watched, or follows a watched one, is kept with how one goes
back through it: the rule of the op, as in graphs (`runtime.ops.derivatives`), on arrays. Going back
runs ops as well, so that another record keeps those: derivatives have derivatives.

Arrays are told apart by identity. A variable is one more source: to read it is the first op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from runtime.active_tapes import Recorder
from runtime.autodiff.dependence import is_inexact
from runtime.autodiff.reverse import back_region
from runtime.autodiff.transpose import back_by_transpose
from runtime.autodiff.values import rule_of, summed
from runtime.default_graph import building
from runtime.dispatch import apply, as_value
from runtime.errors import MutationError
from runtime.graph.builder import Builder
from runtime.graph.location import user_location
from runtime.graph.node import Graph, Node, Value
from runtime.graph.opdef import OpDef
from runtime.graph.traits import NOT_DIFFERENTIABLE, Addend, Application
from runtime.ops.creation import constant
from runtime.ops.elementwise import cast
from runtime.ops.ufuncs import real
from runtime.passes.dce import remove_unused
from runtime.scalar_conversion import Departure
from runtime.spec import spec_of
from runtime.tensor import Tensor

Pull: TypeAlias = Callable[[Sequence[Tensor | None], Sequence[bool]], Sequence[Any]]
"""From the cotangents of results, and which operands are wanted, to parts of theirs."""


@dataclass(frozen=True, slots=True)
class Done:
    """Something that was done to arrays.

    Args:
        inputs: arrays and numbers, or a variable that was read.
        results: arrays.
        pull: how one goes back through it; a `Departure` where nothing came of it.
    """

    inputs: Sequence[Any]
    results: Sequence[Any]
    pull: Pull | Departure


Step: TypeAlias = tuple[Done, list[bool]]
Seeds: TypeAlias = Sequence[tuple[Any, Any]]


class Record(Recorder):
    """What was done so far to arrays that are watched, and to what follows them.

    Args:
        accessed: is asked whether a variable that is read is to be watched.
    """

    def __init__(self, accessed: Callable[[Any], bool]) -> None:
        self._accessed = accessed
        self._done: list[Done] = []
        self._known: dict[int, Any] = {}  # it keeps them, so that their ids stay theirs
        self.missed: dict[Departure, None] = {}

    def watch(self, source: Any) -> None:
        """Follow a tensor or a variable from now on."""
        key = _key(source)
        self._known[id(key)] = key

    def has(self, source: Any) -> bool:
        """Tell whether a tensor or variable is watched, or a tensor follows one that is."""
        return self.follows(_key(source))

    def follows(self, array: Any) -> bool:
        """Tell whether an array or variable is watched, or an array follows one that is."""
        return id(array) in self._known

    def called(self, inputs: Sequence[Any], results: Sequence[Any], pull: Pull) -> None:
        """Keep something that was done, if one of the inputs is followed."""
        if any(id(x) in self._known for x in inputs):
            self._done.append(Done(inputs, results, pull))
            self._known.update((id(x), x) for x in results if is_inexact(spec_of(x)))

    def read(self, variable: Any, value: Any) -> bool:
        """Follow what a variable holds, if that is watched."""
        if not isinstance(value, Tensor) or not is_inexact(variable.spec):
            return False
        if self._accessed(variable):
            self.watch(variable)
        self.called([variable], [value.array], lambda cotangents, wanted: cotangents)
        return self.follows(variable)

    def assigned(self, variable: Any, value: Any) -> Any:
        """Return the value: what a variable holds is a copy, which follows nothing."""
        return value

    def ran(
        self, op: OpDef, attrs: Mapping[str, Any], operands: Sequence[Any], results: Sequence[Any]
    ) -> None:
        """Keep an op that ran."""
        if op.derivative is NOT_DIFFERENTIABLE or not any(id(x) in self._known for x in operands):
            return
        node = Node(op, (), attrs, (), (), user_location())
        self.called(operands, results, partial(_pull, node, operands, results))

    def writes(self, array: Any) -> None:
        """Raise MutationError if an array shares memory with one that going back may need."""
        kept = (x for x in self._known.values() if isinstance(x, np.ndarray))
        if isinstance(array, np.ndarray) and any(np.may_share_memory(x, array) for x in kept):
            raise MutationError(
                "an array is written in place that a GradientTape has recorded, and may need as it "
                "was. Write x = x + y for x += y, or write into x.copy()"
            )

    def back(self, rows: Sequence[Seeds], sources: Sequence[Any]) -> list[list[Any]]:
        """Go back once for each row; return the cotangents of the sources, None for none.

        Args:
            rows: of each tensors, and their cotangents.
            sources: tensors and variables.
        """
        keys = [_key(x) for x in sources]
        path = self._path(keys)
        return [self._back(path, seeds, keys) for seeds in rows]

    def _back(self, path: Sequence[Step], seeds: Seeds, sources: Sequence[Any]) -> list[Any]:
        """Go back through what was done; return the cotangents of arrays and variables."""
        sums = _Sums()
        final: dict[int, Tensor | None] = {id(x): None for x in sources}
        takes_others = False
        for tensor, cotangent in seeds:
            sums.add(tensor.array, cotangent)
        for done, wanted in reversed(path):
            cotangents = [sums.take(x) for x in done.results]
            pairs = zip(done.results, cotangents, strict=True)
            final.update((id(x), g) for x, g in pairs if id(x) in final)
            if isinstance(done.pull, Departure):
                self.missed.update({done.pull: None} if takes_others else {})
            elif any(g is not None for g in cotangents):
                takes_others = takes_others or any(map(self._is_other, done.inputs))
                parts = done.pull(cotangents, wanted)
                for x, part, is_wanted in zip(done.inputs, parts, wanted, strict=True):
                    if is_wanted:
                        sums.add(x, part)
        rest = [sums.take(x) for x in sources]
        return [final[id(x)] if g is None else g for x, g in zip(sources, rest, strict=True)]

    def _is_other(self, operand: Any) -> bool:
        """Tell whether an operand is made of floats that follow nothing, as far as is known."""
        return not self.follows(operand) and is_inexact(spec_of(operand))

    def _path(self, sources: Sequence[Any]) -> list[Step]:
        """Return what was done to sources and what follows them, and which inputs were such."""
        reached, path = {id(x) for x in sources}, []
        for done in self._done:
            wanted = [id(x) in reached for x in done.inputs]
            if any(wanted):
                path.append((done, wanted))
                reached.update(id(x) for x in done.results if self.follows(x))
        return path


def _key(source: Any) -> Any:
    """Return what stands for a source: the array of a tensor, a variable itself."""
    return source.array if isinstance(source, Tensor) else source


class _Sums:
    """What cotangents have been found so far."""

    def __init__(self) -> None:
        self._found: dict[int, Tensor] = {}

    def add(self, like: Any, part: Any) -> None:
        """Add a part of the cotangent of an array, as a rule gives it; None adds nothing."""
        if part is None:
            return
        before = self._found.get(id(like))
        if isinstance(part, Addend):
            part, before = part.alone() if before is None else part.onto(before), None
        part = fitted(part, like)
        self._found[id(like)] = part if before is None else before + part

    def take(self, like: Any) -> Tensor | None:
        """Return the cotangent of an array; None when it is zero."""
        return self._found.pop(id(like), None)


def _pull(
    node: Node,
    operands: Sequence[Any],
    results: Sequence[Any],
    cotangents: Sequence[Tensor | None],
    wanted: Sequence[bool],
) -> Sequence[Any]:
    """Go back through an op."""
    given = [Tensor(x) if hasattr(x, "dtype") else x for x in operands]
    made = [Tensor(x) for x in results]
    rule = rule_of(node)
    if rule.vjp is None:
        return _transposed(node, [*given, *made], len(given), cotangents, wanted)
    return rule.vjp(Application(apply, node.op, given, node.attrs, made, wanted), cotangents)


def _transposed(
    node: Node,
    values: Sequence[Any],
    count: int,
    cotangents: Sequence[Tensor | None],
    wanted: Sequence[bool],
) -> Sequence[Any]:
    """Go back through an op that says only how tangents go along it: by the graph of that.

    Args:
        node: says the op.
        values: its operands, and its results.
        count: how many of them are operands.
        cotangents: of the results; None for zero.
        wanted: which operands are asked for.
    """
    builder = Builder()
    params = [builder.param(spec_of(x)) for x in values]
    given = [None if g is None else builder.param(g.spec) for g in cotangents]
    operands, results = params[:count], params[count:]
    known = {x: n for x, n in zip(params, values, strict=True) if not isinstance(n, Tensor)}
    one = replace(node, inputs=tuple(operands), results=tuple(results))
    with building(builder):
        both = operands, results
        parts = back_by_transpose(builder, one, both, given, wanted, known, back_region)
        outputs = [as_value(builder, x) for x in parts if x is not None]
    graph = builder.seal([*params, *(g for g in given if g is not None)], outputs)
    made = iter(_run(graph, [*values, *(g for g in cotangents if g is not None)]))
    return [None if x is None else next(made) for x in parts]


def _run(graph: Graph, given: Sequence[Any]) -> list[Any]:
    """Run a graph op by op, so that other records see what is done; return the results."""
    env: dict[Value, Any] = dict(zip(graph.params, given, strict=True))
    for node in remove_unused(graph).nodes:
        if node.op is constant:
            env[node.result] = node.attrs["value"]
            continue
        found = apply(node.op, [env[x] for x in node.inputs], **node.attrs)
        env.update(zip(node.results, found if node.op.multiple else (found,), strict=True))
    return [env[x] for x in graph.results]


def fitted(found: Any, like: Any) -> Tensor:
    """Return what a rule gave for an array, in the shape and dtype of it.

    Where the array was broadcast, the sum is taken; a real one takes the real part.
    """
    like = getattr(like, "held", like)  # of a variable
    spec = spec_of(like)
    part: Any = found if isinstance(found, Tensor) else Tensor(np.asarray(found))
    shape: Any = spec.shape
    if part.spec.shape != spec.shape:
        part = np.broadcast_to(summed(part, Tensor(like), shape), shape)
    if part.spec.dtype.kind == "c" and spec.dtype.kind == "f":
        part = apply(real, (part,))
    made: Tensor = part
    if part.spec.dtype != spec.dtype:
        made = apply(cast, (part,), dtype=spec.dtype.name)
    return made
