"""A staged function for one kind of arguments: its graph, optimised and compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from autograph.function.arguments import Arguments, written
from autograph.function.callers import Made, carry_out, objects_in
from autograph.function.guards import NO_GUARDS, Guards
from autograph.function.trace import Output, Trace, there
from autograph.function.tracetype import TensorType, TraceType
from autograph.source import stored
from runtime import mode, trees
from runtime.backends import get_backend
from runtime.backends.backend import Backend
from runtime.errors import MutationError
from runtime.graph.node import Graph
from runtime.graph.printer import print_graph
from runtime.kernels.load import load_now
from runtime.kernels.machine import keep_objects
from runtime.lower.compile import Executable, compile_graph
from runtime.lower.show import show_kernels
from runtime.lower.whole import Known, Whole
from runtime.lower.writing import writing_kernel
from runtime.passes.log import Log
from runtime.passes.pipeline import optimise
from runtime.profiling.profile import Profile, profile
from runtime.spec import TensorSpec
from runtime.tensor import Tensor

keep_objects(stored)


MOST_FAILURES = 16
"""After how many calls in a row in which it gave up a kernel is not called any more."""


class Text(str):
    """A text that an interactive shell shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def check_overlap(arrays: Sequence[Any], written: Sequence[int]) -> None:
    """Raise MutationError when an array that is written shares memory with another argument."""
    for k in written:
        for j, other in enumerate(arrays):
            if j != k and isinstance(other, np.ndarray) and np.may_share_memory(arrays[k], other):
                raise MutationError(
                    "two arguments share memory, and the staged function writes one of them; "
                    "pass a copy of the other"
                )


class _Shown:
    """A leaf of what is returned, in the text of a concrete function."""

    def __init__(self, leaf: Any) -> None:
        self._leaf = leaf

    def __repr__(self) -> str:
        return str(self._leaf) if isinstance(self._leaf, TensorSpec) else repr(self._leaf)


class ConcreteFunction:
    """One trace of a staged function. Called as the function is, with the arguments of the trace.

    What is no tensor is part of the trace, and may be left out.

    Args:
        name: of the function.
        types: the trace types of all leaves of the arguments.
        trace: what tracing found.
        backend: the backend that it runs on, or its name.
        guards: what it relies on that is outside of the function.
        arguments: for which it was traced; None if it is not to be called by itself.
        python: the Python function, for a call while another function is traced.
    """

    def __init__(
        self,
        name: str,
        types: Sequence[TraceType],
        trace: Trace,
        backend: str | Backend,
        guards: Guards = NO_GUARDS,
        arguments: Arguments | None = None,
        python: Callable[..., Any] | None = None,
    ) -> None:
        self.name = name
        self.types = tuple(types)
        self.trace = trace
        self.backend = backend
        self.guards = guards
        self.arguments = arguments
        self.python = python

    @property
    def is_current(self) -> bool:
        """Whether all that it relies on outside of the function is as it was."""
        return self.trace.is_alive and self.guards.check()

    @property
    def traced_graph(self) -> Graph:
        """The graph as it was traced."""
        return self.trace.graph

    @cached_property
    def executable(self) -> Executable:
        """The compiled program."""
        donated = () if self.arguments is None else self.arguments.donated
        return compile_graph(self.trace.graph, backend=self.backend, donated=donated)

    @property
    def graph(self) -> Text:
        """The text of the optimised graph."""
        return Text(print_graph(self.executable.plan.graph))

    @property
    def passes(self) -> Text:
        """The text of what each pass did to the graph, and of what it left as it is and why."""
        log = Log()
        optimise(self.trace.graph, log=log)
        return Text(str(log))

    @property
    def plan(self) -> Text:
        """The text of the program that runs: steps, buffers, and the emitted Python."""
        return Text(f"{self.executable.plan}\n{self.executable.source}")

    @property
    def kernels(self) -> Text:
        """The text of what is native, in three languages; and which loops are not, and why."""
        whole = [] if self.in_place is None else [self.in_place.kernel]
        return Text(show_kernels(self.executable.plan, whole))

    @cached_property
    def in_place(self) -> Whole | None:
        """The kernel that does all of it and writes arguments, or copies of them, if any."""
        trace = self.trace
        outside = (trace.changes, trace.reads, trace.arrays, trace.stores, trace.error)
        is_plain = all(x.kind in ("result", "argument") for x in trace.outputs)
        backend = get_backend(self.backend) if isinstance(self.backend, str) else self.backend
        if not backend.native or any(outside) or not is_plain or self.gives_tensors:
            return None
        graph = self.executable.plan.graph
        returned = [
            (graph.results if x.kind == "result" else graph.params)[x.position]
            for x in trace.outputs
        ]
        return writing_kernel(graph, trace.writes, returned)

    @cached_property
    def write(self) -> Callable[[Sequence[Any]], Sequence[Any] | None]:
        """Calls that kernel, and returns the leaves of the result; None where it gives up."""
        whole = self.in_place
        if whole is None:
            return lambda arrays: None
        function, given = load_now(whole.kernel), whole.given
        is_one = len(whole.kernel.outputs) == 1
        patience = [MOST_FAILURES]

        def write(arrays: Sequence[Any]) -> Sequence[Any] | None:
            if not patience[0]:
                return None
            found = function(*(x.value if isinstance(x, Known) else arrays[x] for x in given))
            patience[0] = patience[0] - 1 if found is None else MOST_FAILURES
            return [found] if is_one and found is not None else found

        return write

    @cached_property
    def gives_tensors(self) -> bool:
        """Whether results are `Tensor`s, because an argument is one, or a variable gives them."""
        if any(isinstance(t, TensorType) and t.holder is Tensor for t in self.types):
            return True
        return any(variable.gives_tensors for variable in there(self.trace.reads))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run on arguments that fit the trace, positional or by keyword.

        Raises:
            TypeError: an argument is missing, or another one than the trace holds.
            DtypeError: a tensor has another dtype.
            ShapeError: a tensor has another shape.
        """
        if self.arguments is None or self.python is None:
            raise TypeError(f"{self!r} knows no parameters: use run(arrays)")
        (some, named), arrays = self.arguments.bound(args, kwargs)
        if mode.current() is not None:
            return self.python(*some, **named)
        return self.run(arrays, (some, named))

    @property
    def pretty_printed_signature(self) -> Text:
        """The text of what it takes and returns."""
        if self.arguments is None:
            return Text(repr(self))
        lines = list(self.arguments.lines())
        head = [self.arguments.summary(), *(["  Args:", *lines] if lines else [])]
        return Text("\n".join([*head, "  Returns:", f"    {written(self.returned)}"]))

    @property
    def returned(self) -> Any:
        """What it returns, with specs in the place of tensors."""
        leaves = [self._spec(output) for output in self.trace.outputs]
        return trees.unflatten(self.trace.structure, leaves)

    def _spec(self, output: Output) -> Any:
        graph = self.traced_graph
        if output.kind == "result":
            return graph.results[output.position].spec
        if output.kind == "argument":
            return graph.params[output.position].spec
        return output.value() if output.kind == "variable" else output.value

    def run(self, arrays: Sequence[Any], arguments: Any = ()) -> Any:
        """Run on the tensor arguments and return what the function returns.

        Args:
            arrays: the tensors among the arguments.
            arguments: all arguments, of which lists, dicts and objects may be changed.
        """
        raw, others = self._given(arrays)
        leaves = self.write(raw)
        if leaves is not None:
            return trees.unflatten(self.trace.structure, leaves)
        if self.trace.writes:
            check_overlap([*raw, *there(self.trace.arrays)], self.trace.writes)
        stores = there(self.trace.stores)
        results = self.executable.run(*raw, *others)
        first_store = len(results) - len(stores)
        first_write = first_store - len(self.trace.writes)
        for position, new in zip(self.trace.writes, results[first_write:first_store], strict=True):
            raw[position][...] = new
        for variable, new in zip(stores, results[first_store:], strict=True):
            variable.store(new)
        objects = objects_in(arguments) if self._uses_objects else []

        def made(value: Made) -> Any:
            leaves = [self._leaf(x, results, arrays, objects) for x in value.outputs]
            return trees.unflatten(value.structure, leaves)

        found = made(Made(self.trace.structure, self.trace.outputs))
        carry_out(self.trace.changes, objects, made)
        self.checked()
        return found

    def checked(self) -> ConcreteFunction:
        """Return itself; raise what the function raises whatever the arguments hold."""
        if self.trace.error is not None:
            raise self.trace.error
        return self

    def profile(self, arrays: Sequence[Any]) -> Profile:
        """Run some times on the tensor arguments, which stay as they are; return what it cost."""
        raw, others = self._given(arrays)
        before = [(variable, variable._value) for variable in there(self.trace.stores)]
        try:
            return profile(self.executable, self.name, [*raw, *others])
        finally:
            for variable, value in before:
                variable._hold(value)

    def _given(self, arrays: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the arrays of tensor arguments, and what the graph is given besides."""
        raw = [x.array if type(x) is Tensor else x for x in arrays]
        held = [variable._value for variable in there(self.trace.reads)]
        return raw, [*held, *there(self.trace.arrays)]

    @cached_property
    def _uses_objects(self) -> bool:
        """Whether it changes or returns lists, dicts or objects among the arguments."""
        is_returned = any(output.kind == "object" for output in self.trace.outputs)
        return is_returned or bool(self.trace.changes)

    def _leaf(
        self, output: Any, results: Sequence[Any], arrays: Sequence[Any], objects: Sequence[Any]
    ) -> Any:
        if output.kind == "object":
            return objects[output.position]
        if output.kind == "static":
            return output.value
        if output.kind == "variable":
            return output.value()
        if output.kind == "argument":
            return arrays[output.position]
        if output.kind == "list":
            found = results[output.position : output.position + output.value.count]
            return output.value.make(found, self.gives_tensors)
        result = results[output.position]
        return Tensor(result) if self.gives_tensors else result

    def __repr__(self) -> str:
        specs = trees.map_tree(_Shown, self.returned)
        return f"<concrete function {self.name}({', '.join(map(str, self.types))}) -> {specs!r}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature}"
