"""A trace as a program that stands alone, to be saved; see `runtime.io`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runtime import io, trees
from runtime.errors import GraphFormatError
from runtime.numpy.lent_operands import lent
from runtime.signature import Output

if TYPE_CHECKING:
    from autograph.function.concrete import ConcreteFunction
    from runtime.io.program import Program

_WHAT = {
    "object": "an object of the caller's",
    "variable": "a variable",
    "list": "a list whose length is known when the graph runs, or that is there twice",
}


def program_of(concrete: ConcreteFunction) -> Program:
    """Return a trace as a program.

    Raises:
        GraphFormatError: it does what a program cannot; the message says what.
    """
    name, trace, arguments = concrete.name, concrete.trace, concrete.arguments
    signature = trace.signature
    what = "asks which of its arguments share memory" if signature.are_apart else ""
    what = "asks which of its arguments are one object" if trace.tells_apart else what
    what = "is for arguments of which two are one object" if concrete.serves_shared else what
    what = "relies on arguments that lie in rows" if signature.in_rows else what
    if what or arguments is None or trace.changes or trace.error is not None:
        what = what or "changes lists, dicts or objects that it is given, or globals"
        what = "raises what is known while tracing" if trace.error is not None else what
        what = "has no arguments by name" if arguments is None else what
        raise GraphFormatError(f"{name} does not stand alone: it {what}")
    paths = trees.paths(signature.structure, "the result")
    outside = *signature.reads, *signature.arrays, *signature.stores
    used = {x.name: io.program.Used(x.name, x.reference) for x in outside}

    def leaf(path: str, output: Output) -> Any:
        if output.kind == "result":
            return io.program.Result(output.position, output.memory)
        if output.kind == "argument":
            return io.program.Argument(signature.arguments[output.position])
        if output.kind == "static":
            return output.value
        raise GraphFormatError(
            f"{name} does not stand alone: {path} is {_WHAT[output.kind]}, and a program "
            "returns arrays. Return np.array of it, or its items"
        )

    return io.program.Program(
        name,
        arguments.trees(),
        tuple(used[x.name] for x in (*signature.reads, *signature.arrays)),
        signature.structure,
        tuple(map(leaf, paths, signature.outputs)),
        (
            *(io.program.Argument(signature.arguments[k]) for k in signature.writes),
            *(used[x.name] for x in signature.stores),
        ),
        lent(concrete.traced_graph, signature, arguments.donated),
    )
