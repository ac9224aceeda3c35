"""A staged function for one kind of arguments: its graph, optimised and compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from autograph.function.argument_mutation import Change, Made, carry_out, objects_in
from autograph.function.arguments import Arguments, Text, written
from autograph.function.eager import SWITCH
from autograph.function.fallback import Undone, check_serves
from autograph.function.guards import NO_GUARDS, Guards
from autograph.function.outputs import uses_objects
from autograph.function.recorded_call import Differentiable, followed, with_ends
from autograph.function.safepoints import UNTOLD, own, passed_again
from autograph.function.standalone import program_of
from autograph.function.traced import Trace
from autograph.function.tracetype import TensorType, TraceType
from autograph.lazy import lazy
from autograph.logs import LOGGER
from autograph.operators.containers.results import Found
from autograph.source import code_cache
from runtime import default_graph, kernels, lower, passes, profiling, trees
from runtime.active_tapes import RECORDERS
from runtime.backends import get_backend
from runtime.backends.backend import Backend
from runtime.graph.node import Graph, Value
from runtime.graph.printer import print_graph
from runtime.kernels.disk_cache import keep_objects
from runtime.numpy.lent_operands import lent
from runtime.ops.safepoints import passed
from runtime.signature import Output, there
from runtime.spec import TensorSpec
from runtime.tensor import Tensor

if TYPE_CHECKING:
    from runtime.io.program import Program
    from runtime.lower.compile import Executable
    from runtime.lower.whole_graph import Whole
    from runtime.profiling.profile import Profile

keep_objects(code_cache)

MOST_FAILURES = 16
"""After how many calls in a row in which it gave up a kernel is not called any more."""


class _Shown:
    """A leaf of what is returned, in the text of a concrete function."""

    def __init__(self, leaf: Any) -> None:
        self._leaf = leaf

    def __repr__(self) -> str:
        return str(self._leaf) if isinstance(self._leaf, TensorSpec) else repr(self._leaf)


class ConcreteFunction:  # Long: what users may ask of a trace, each with its sentences.
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
        return self.trace.signature.is_alive and self.guards.check()

    @property
    def traced_graph(self) -> Graph:
        """The graph as it was traced."""
        return self.trace.graph

    @property
    def returned_values(self) -> list[Value]:
        """The values of the traced graph that it returns."""
        return self._returned_of(self.traced_graph)

    def _returned_of(self, graph: Graph) -> list[Value]:
        values = {"result": graph.results, "argument": graph.params}
        outputs = self.trace.signature.outputs
        return [values[x.kind][x.position] for x in outputs if x.kind in values]

    @lazy
    def executable(self) -> Executable:
        """The compiled program."""
        donated = () if self.arguments is None else self.arguments.donated
        watched = self.trace.watched
        graph = self.trace.graph if watched is None or watched.may_repeat else watched.graph
        graph = lent(graph, self.trace.signature, donated)
        return lower.compile.compile_graph(graph, backend=self.backend, donated=donated)

    @property
    def graph(self) -> Text:
        """The text of the optimised graph."""
        return Text(print_graph(self.executable.plan.graph))

    @property
    def passes(self) -> Text:
        """The text of what each pass did to the graph, and of what it left as it is and why."""
        log = passes.log.Log()
        passes.pipeline.optimise(self.trace.graph, log=log)
        return Text(str(log))

    @property
    def plan(self) -> Text:
        """The text of the program that runs: steps, buffers, and the emitted Python."""
        return Text(f"{self.executable.plan}\n{self.executable.source}")

    @property
    def kernels(self) -> Text:
        """The text of what is native, in three languages; and which loops are not, and why."""
        whole = [] if self.in_place is None else [self.in_place.kernel]
        return Text(lower.show.show_kernels(self.executable.plan, self.executable.backend, whole))

    @lazy
    def in_place(self) -> Whole | None:
        """The kernel that does all of it and writes arguments, or copies of them, if any."""
        trace, signature = self.trace, self.trace.signature
        is_read = bool(signature.writes and self.guards.arrays)
        relied_on = (signature.are_apart, signature.in_rows, is_read)
        outside = (*signature.reads, *signature.stores, trace.changes, trace.error, *relied_on)
        is_plain = all(x.is_plain for x in signature.outputs)
        backend = get_backend(self.backend) if isinstance(self.backend, str) else self.backend
        target = backend.target
        if target is None or any(outside) or not is_plain or self.gives_tensors:
            return None
        graph = self.executable.plan.graph
        returned = self._returned_of(graph)
        return lower.whole_graph.writing_kernel(graph, signature.writes, returned, target)

    @lazy
    def write(self) -> Callable[[Sequence[Any]], Sequence[Any] | None]:
        """Calls that kernel on what the graph is given, and returns the leaves of the result.

        None where it gives up.
        """
        whole = self.in_place
        if whole is None:
            return lambda arrays: None
        function, given = kernels.load.load_now(whole.kernel), whole.given
        is_one = len(whole.kernel.outputs) == 1
        patience = [MOST_FAILURES]

        def write(arrays: Sequence[Any]) -> Sequence[Any] | None:
            if not patience[0]:
                return None
            found = function(*(arrays[x] if isinstance(x, int) else x.value for x in given))
            patience[0] = patience[0] - 1 if found is None else MOST_FAILURES
            return [found] if is_one and found is not None else found

        return write

    @lazy
    def gives_tensors(self) -> bool:
        """Whether results are `Tensor`s, because an argument is one, or a variable gives them."""
        if any(isinstance(t, TensorType) and t.holder is Tensor for t in self.types):
            return True
        return any(variable.gives_tensors for variable in there(self.trace.signature.reads))

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
        if default_graph.current() is not None:
            return self.python(*some, **named)
        try:
            return self.run(arrays, (some, named))
        except Undone as undone:
            raise undone.__cause__ or undone from None

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
        leaves = [self._spec(output) for output in self.trace.signature.outputs]
        return trees.unflatten(self.trace.signature.structure, leaves)

    def _spec(self, output: Output) -> Any:
        graph = self.traced_graph
        if output.kind == "result":
            return graph.results[output.position].spec
        if output.kind == "argument":
            return graph.params[output.position].spec
        return output.value() if output.kind == "variable" else output.value

    @property
    def program(self) -> Program:
        """The function as a program that stands alone; see `runtime.io`.

        GraphFormatError for what it does that a program cannot, by its name.
        """
        return program_of(self)

    def run(self, arrays: Sequence[Any], arguments: Any = ()) -> Any:
        """Run on the tensor arguments and return what the function returns.

        Args:
            arrays: the tensors among the arguments.
            arguments: all arguments, of which lists, dicts and objects may be changed.
        """
        if SWITCH.seen is not None:
            SWITCH.seen(self)
        raw = [x.array if type(x) is Tensor else x for x in arrays]
        signature = self.trace.signature
        leaves = None if RECORDERS.active else self.write(signature.given(raw))
        if leaves is not None:
            return trees.unflatten(signature.structure, leaves)
        signature.check(raw, [array() for array in self.guards.arrays])
        are_looked_at = self.uses_objects or self.trace.relies_on_identity
        objects = self._objects(arguments) if are_looked_at else []
        check_serves(self.trace, raw)
        try:
            results, are_recorded = self._results(raw)
        except BaseException as error:
            self.recover(error, raw, arguments)
            raise
        results = signature.store(results, raw)
        made = self._maker(results, arrays, objects, self.gives_tensors or are_recorded)
        found = made(Made(signature.structure, signature.outputs))
        carry_out(self.trace.changes, objects, made)
        self.checked()
        return found

    def recover(self, error: BaseException, raw: Sequence[Any], arguments: Any = ()) -> None:
        """Do to the arguments what the function had done to them when it raised; Undone if nothing.

        Args:
            error: what its program raises.
            raw: the arrays of the tensor arguments.
            arguments: all arguments, as for `run`.
        """
        if isinstance(error, Exception) and self.trace.undone(error):
            raise Undone(self.trace.tries) from error
        watched = self.trace.watched
        if watched is None:
            return
        found = passed(error)
        if found is None and watched.may_repeat and isinstance(error, Exception):
            backend = get_backend(self.backend) if isinstance(self.backend, str) else self.backend
            found = passed_again(watched, self.trace.signature.given(raw), backend, type(error))
        if found is None:
            return
        changes = () if found.point is None else watched.points[found.point]
        if changes is None:
            LOGGER.warning(UNTOLD, self.name, type(error).__name__)
            return
        values, arrays = own(found.values), own(found.arrays.values())
        for position, new in zip(found.arrays, arrays, strict=True):
            raw[position][...] = new
        are_needed = self.uses_objects or any(type(x) is Change for x in changes)
        objects = self._objects(arguments) if are_needed else []
        carry_out(changes, objects, self._maker(values, raw, objects, self.gives_tensors))

    def _maker(
        self,
        results: Sequence[Any],
        arrays: Sequence[Any],
        objects: Sequence[Any],
        tensors: bool,
    ) -> Callable[[Made], Any]:
        """Return what makes values of the results of a graph."""
        found = Found(results, objects, tensors, arrays)

        def made(value: Made) -> Any:
            leaves = (x.leaf(results, arrays, objects, tensors, found) for x in value.outputs)
            return trees.unflatten(value.structure, leaves)

        return made

    def _results(self, raw: Sequence[Any]) -> tuple[Sequence[Any], bool]:
        """Run; return the results of the graph, and whether a tape has recorded them."""
        signature = self.trace.signature
        if not RECORDERS.active:
            return self.executable.run(*signature.given(raw)), False
        names = followed(signature, raw)
        if names is None:
            return self.executable.run(*signature.given(raw)), False
        return self._differentiable.run(signature.given(raw), names), True

    @lazy
    def _differentiable(self) -> Differentiable:
        """Its graph, for calls that tapes record."""
        return Differentiable(with_ends(self.trace.graph), self.backend)

    def checked(self) -> ConcreteFunction:
        """Return itself; raise what the function raises whatever the arguments hold."""
        if self.trace.error is not None:
            raise self.trace.error
        return self

    def profile(self, arrays: Sequence[Any]) -> Profile:
        """Run some times on the tensor arguments, which stay as they are; return what it cost."""
        raw = [x.array if type(x) is Tensor else x for x in arrays]
        signature = self.trace.signature
        before = [(variable, variable._value) for variable in there(signature.stores)]
        try:
            return profiling.profile.profile(self.executable, self.name, signature.given(raw))
        finally:
            for variable, value in before:
                variable._hold(value)

    def _objects(self, arguments: Any) -> Sequence[Any]:
        return objects_in(arguments, self.serves_shared, self.guards.containers)

    @property
    def serves_shared(self) -> bool:
        """Whether it is for arguments of which some are one object."""
        return self.arguments is not None and trees.is_shared(self.arguments.structure)

    @lazy
    def uses_objects(self) -> bool:
        """Whether it changes or returns lists, dicts or objects among the arguments."""
        changes = self.trace.changes
        made = [self.trace.signature.outputs, *(x.items.outputs for x in changes)]
        return any(type(x) is Change for x in changes) or any(map(uses_objects, made))

    def __repr__(self) -> str:
        specs = trees.map_tree(_Shown, self.returned)
        return f"<concrete function {self.name}({', '.join(map(str, self.types))}) -> {specs!r}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature}"
