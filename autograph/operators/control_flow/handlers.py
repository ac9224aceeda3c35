"""Which handler an exception has: of `except`, and of `except*`.

All `except*` of a statement are one handler, which lets Python itself go through them: it takes the
exception apart, gives each its group, and raises what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from autograph.errors import ConversionError
from autograph.operators.control_flow.undefined import evaluate
from autograph.operators.mutation.callee_writes import AssignedElsewhere
from autograph.staging.copies import Restart
from autograph.staging.deferred_errors import is_of_tracing
from autograph.staging.recursion import Widened
from autograph.staging.region import NeverReturns
from runtime import default_graph
from runtime.errors import StagedValueError
from runtime.graph.builder import Builder
from runtime.graph.node import Node
from runtime.graph.walk import effects
from runtime.ops.exceptions import GROUP
from runtime.passes.may_fail import may_fail

Handler = Callable[[BaseException], Any]
Handlers = Sequence[tuple[Callable[[], Any] | None, Handler]]


def matches(error: BaseException, classes: Any) -> bool:
    """Tell whether `except classes` catches an exception; `isinstance` could be overridden."""
    kinds = classes if isinstance(classes, tuple) else (classes,)
    if not all(isinstance(x, type) and issubclass(x, BaseException) for x in kinds):
        raise TypeError("catching classes that do not inherit from BaseException is not allowed")
    return any(kind in type(error).__mro__ for kind in kinds)


def find_star(handlers: Handlers, error: BaseException) -> Handler | None:
    """Return what goes through clauses of `except*`: with any group, of which it makes another."""
    if isinstance(error, GROUP):
        return partial(_run, handlers)
    for classes, _ in handlers:
        assert classes is not None
        if matches(error, classes()):
            return partial(_run, handlers)
    return None


def _run(handlers: Handlers, error: BaseException) -> None:
    ours: list[BaseException] = []
    clauses = [(x, _Clause(y, isinstance(error, GROUP), ours)) for x, y in handlers]
    try:
        _clauses(len(handlers))(error, clauses)
    finally:
        for found in ours:  # Python has put it into a group
            raise found from None


class _Clause:
    """What is done for one clause; a call tells whether the group that it is given is raised on.

    Args:
        handler: the block of the clause.
        is_of_group: whether a group was raised, of which other clauses have parts.
        ours: where exceptions about staging are added, which belong to no group.
    """

    def __init__(self, handler: Handler, is_of_group: bool, ours: list[BaseException]) -> None:
        self._handler = handler
        self._is_of_group = is_of_group
        self._ours = ours

    def __call__(self, group: BaseException) -> bool:
        builder, trace = default_graph.current(), group.__traceback__
        before = 0 if builder is None else builder.mark()
        try:
            evaluate(self._handler, group)
        except BaseException as error:
            if builder is not None and is_ours(builder, error):
                self._ours.append(error)
            if error is not group:
                raise
            group.__traceback__ = trace
            return True
        made = builder.nodes[before:] if builder is not None and self._is_of_group else ()
        if any(map(_may_raise, made)):
            self._ours.append(StagedValueError(_MAY_RAISE))
        return False


_MAY_RAISE = (
    "an `except*` of an exception group does what may raise when the graph runs, and whether the "
    "other clauses see that is known only then. Set a variable in it, and raise after the `try`"
)


def _may_raise(node: Node) -> bool:
    return may_fail(node) or "check" in effects(node)


@cache
def _clauses(count: int) -> Callable[[BaseException, Any], None]:
    """Return a function with so many clauses of `except*`; Python before 3.11 has none."""
    lines = ["def run(error, clauses):", "    try:", "        raise error"]
    for k in range(count):
        lines += [f"    except* clauses[{k}][0]() as group:"]
        lines += [f"        if clauses[{k}][1](group):", "            raise"]
    namespace: dict[str, Any] = {}
    exec(compile("\n".join(lines), "<entry of except*>", "exec"), namespace)
    run: Callable[[BaseException, Any], None] = namespace["run"]
    return run


_OURS = (AssignedElsewhere, ConversionError, NeverReturns, Restart, Widened)


def is_ours(builder: Builder, error: BaseException) -> bool:
    """Tell whether an exception is none of the program: no handler and no `finally` sees it."""
    return isinstance(error, _OURS) or is_of_tracing(builder, error)
