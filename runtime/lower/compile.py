"""From a graph to a function that runs it.

Comes in: a graph. Goes out: an `Executable`: the driver, compiled for one backend, with the plan
and the graph that it was made from.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from itertools import chain
from types import TracebackType
from typing import Any

import numpy as np

from runtime.backends import get_backend
from runtime.backends.backend import Backend
from runtime.dtypes import is_string
from runtime.errors import BackendError, MutationError
from runtime.graph.location import entries
from runtime.graph.node import Graph, Node, Value
from runtime.graph.reference import Reference
from runtime.graph.walk import walk
from runtime.kernels.kernel import Kernel
from runtime.kernels.load import Account, Waiting
from runtime.kernels.maps import MapKernel
from runtime.kernels.products.pending_products import WaitingProduct
from runtime.lower.driver import SOURCES, Driver
from runtime.lower.emit_python import emit_python
from runtime.lower.plan import Plan
from runtime.lower.planner import make_plan
from runtime.lower.tracebacks import DRIVER, place_warnings, pruned
from runtime.ops.effects import keep, settle
from runtime.ops.safepoints import telling, tells
from runtime.passes.pipeline import optimise

place_warnings()


@dataclass(frozen=True, slots=True, eq=False)
class Executable:
    """A compiled graph.

    Args:
        function: the driver itself: takes the arguments, returns the result when there is exactly
            one, else a tuple of them. Its errors show the driver's lines; see `prune`.
        driver: its source.
        file: the file name under which the source can be read.
        plan: what it does.
        graph: what it was compiled from, before any optimisation.
        backend: where it runs.
    """

    function: Callable[..., Any]
    driver: Driver
    file: str
    plan: Plan
    graph: Graph
    backend: Backend

    @property
    def source(self) -> str:
        """The text of the driver, and of the functions that call themselves."""
        return self.driver.text

    @pruned
    def run(self, *arrays: Any) -> tuple[Any, ...]:
        """Run on arrays of the backend; returns all results.

        Raises what the ops raise, with the user's own line in the traceback.
        """
        found = self.function(*arrays)
        return (found,) if len(self.graph.results) == 1 else found


def compile_graph(
    graph: Graph,
    *,
    backend: str | Backend = "numpy",
    optimised: bool = True,
    donated: Sequence[int] = (),
) -> Executable:
    """Compile a graph.

    Args:
        graph: is not changed.
        backend: by name, or a backend itself.
        optimised: whether passes run first; the results are the same.
        donated: the numbers of parameters whose arrays the caller does not need afterwards: they
            may be written, and results may be these arrays.

    Raises:
        BackendError: there is no such backend here.
    """
    where = get_backend(backend) if isinstance(backend, str) else backend
    if where.xp is not np:
        _refuse_texts(graph, where)
    simple = optimise(graph) if optimised else graph
    plan = make_plan(simple, graph, where.scalars, where.target, where.fast, donated)
    driver = emit_python(plan, operators=where.operators)
    function, file = load_driver(driver, where)
    kept = frozenset(x.attrs["variable"] for x in walk(plan.graph) if x.op is keep)
    function = _settling(function, kept) if kept else function
    function = telling(function) if tells(graph) else function
    function = taking(function, donated) if donated else function
    return Executable(function, driver, file, plan, graph, where)


def load_driver(
    driver: Driver,
    backend: Backend,
    at_once: bool = False,
    around: Mapping[str, Callable[..., Any]] | None = None,
    name: str = "",
) -> tuple[Callable[..., Any], str]:
    """Return the function of a driver, and the name of the file under which it can be read.

    Args:
        driver: the source.
        backend: where it is to run.
        at_once: whether all kernels are compiled now, and not when that pays.
        around: the functions that call themselves around it, by name.
        name: of the function, if it calls itself.
    """
    file = SOURCES.add(driver.source)
    namespace = {name: binding(backend.xp) for name, binding in driver.bindings.items()}
    namespace[DRIVER] = driver
    with warnings.catch_warnings():
        # Code made of constants may look odd to Python's compiler.
        warnings.simplefilter("ignore", SyntaxWarning)
        exec(compile(driver.source, file, "exec"), namespace)
    SOURCES.release_with(namespace[driver.name], file)
    _add_functions(
        namespace, driver, partial(load_driver, backend=backend, at_once=at_once), around, name
    )
    accounts: dict[Kernel | MapKernel, Account] = {}
    for name, value in [*namespace.items()]:
        if isinstance(value, Waiting):
            value.account = accounts.setdefault(value.kernel, value.account)
        if isinstance(value, Waiting | WaitingProduct):
            value.settle = partial(namespace.__setitem__, name)
            if at_once:
                value.load()
    return namespace[driver.name], file


def _add_functions(
    namespace: dict[str, Any],
    driver: Driver,
    load: Callable[..., tuple[Callable[..., Any], str]],
    around: Mapping[str, Callable[..., Any]] | None,
    name: str,
) -> None:
    """Add the functions that call themselves to the namespace of a driver."""
    known = dict(around or {})
    if name:
        known[name] = namespace[driver.name]
    for inner, code in driver.functions.items():
        function, _ = load(code, around=known, name=inner)
        known[inner] = function if name else bounded(function, inner)
    namespace.update((local, known[called]) for local, called in driver.calls.items())


def _settling(function: Callable[..., Any], numbers: Collection[Reference]) -> Callable[..., Any]:
    """Return a function after whose failure no variable shares memory with what it ran on."""

    def run(*arrays: Any) -> Any:
        try:
            return function(*arrays)
        except BaseException:
            settle(numbers)
            raise

    return run


def _refuse_texts(graph: Graph, backend: Backend) -> None:
    """Raise BackendError when a graph has arrays of texts, which stay on the CPU."""
    made = ((node, value) for node in walk(graph) for value in node.results)
    found: list[tuple[Node | None, Value]] = [(None, value) for value in graph.params]
    text = next((x for x in chain(found, made) if is_string(x[1].spec.dtype)), None)
    if text is None:
        return
    node, value = text
    what = f"the argument {value.name}" if node is None else f"what {node.op.name} gives"
    place = "" if node is None or node.location is None else f"\n{node.location.describe()}"
    raise BackendError(
        f"a graph with texts is to run on {backend.name}, and texts stay on the CPU: {what} "
        f"({value.spec}). Do what needs them in a function of its own, with NumPy arrays, and give "
        f"the numbers that come out to the function on the GPU{place}"
    )


def bounded(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function whose RecursionError says how often it called itself.

    Args:
        function: calls itself.
        name: as the user wrote it.
    """

    @wraps(function)
    def outermost(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except RecursionError as error:
            raise too_deep(name, depth_of(error.__traceback__)) from None

    return outermost


def depth_of(trace: TracebackType | None) -> int:
    """Return how often the code that a traceback has most often was called."""
    found = Counter(entry.tb_frame.f_code for entry in entries(trace))
    return max(found.values(), default=0)


def too_deep(name: str, depth: int) -> RecursionError:
    """Return the error of a function that called itself too often."""
    return RecursionError(
        f"{name} called itself {depth} times and did not come back: Python's recursion limit is "
        f"{sys.getrecursionlimit()}. See that each call comes nearer to a case without a call; for "
        "deeper recursion raise the limit by sys.setrecursionlimit, or write a loop"
    )


def taking(function: Callable[..., Any], donated: Sequence[int]) -> Callable[..., Any]:
    """Return a function that writes arrays that are given away only where nobody can notice.

    One that is read-only, or has gaps, is copied.

    Raises:
        MutationError: one of them shares memory with another argument.
    """

    def run(*arrays: Any) -> Any:
        given = [*arrays]
        for k in donated:
            if isinstance(arrays[k], np.ndarray):
                _check_alone(arrays, k)
                flags = arrays[k].flags
                if not (flags.writeable and flags.c_contiguous):
                    given[k] = arrays[k].copy("K")
        return function(*given)

    return run


def _check_alone(arrays: Sequence[Any], k: int) -> None:
    for j, other in enumerate(arrays):
        if j != k and isinstance(other, np.ndarray) and np.may_share_memory(arrays[k], other):
            raise MutationError(
                f"argument {k + 1} is donated, and shares memory with argument {j + 1}, which the "
                "function reads; pass a copy of one of them"
            )
