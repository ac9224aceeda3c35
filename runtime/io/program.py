"""Programs: graphs that stand alone, called by the names of their arguments in any process.

Comes in: a graph, and what its parameters and results are, by name. Goes out: calls. What stands
for what in a tree of arguments or results is an `Argument`, a `Result` or a `Used`; everything else
is itself. `runtime.io.program_text` prints programs and reads them.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from runtime import data, trees
from runtime.data.stage import Stage
from runtime.errors import DtypeError, ShapeError
from runtime.graph.node import Graph, Node
from runtime.graph.opdef import find_op
from runtime.graph.reference import Reference
from runtime.graph.walk import walk
from runtime.lower.compile import Executable, compile_graph
from runtime.opaque import OPAQUE
from runtime.ops.effects import Called
from runtime.result_memory import Data, InMemory, OneInMemory, TakenView
from runtime.signature import Output, Signature, Slot
from runtime.spec import accepts, spec_of
from runtime.tensor import Tensor
from runtime.tree_classes import register_leaf


@register_leaf
@dataclass(frozen=True, slots=True)
class Argument:
    """An array among the arguments.

    Args:
        name: such as `x` or `batch['label']`.
    """

    name: str


@register_leaf
@dataclass(frozen=True, slots=True)
class Result:
    """A result of the graph.

    Args:
        position: which one.
        memory: for one that may be in memory of the caller's: where.
    """

    position: int
    memory: InMemory | OneInMemory | None = None


@register_leaf
@dataclass(frozen=True, slots=True)
class Used:
    """A variable or an array that the program uses, and that it is bound to by name.

    Args:
        name: the name.
        reference: what the graph calls a variable; None for an array.
    """

    name: str
    reference: Reference | None = None

    @property
    def kind(self) -> str:
        """What it is."""
        return "array" if self.reference is None else "variable"


@dataclass(frozen=True)
class Program:
    """A graph that stands alone.

    Args:
        name: of the function.
        takes: what each parameter of the function is, in order: trees of `Argument`s. The name of
            one that takes all other arguments has its stars.
        uses: the variables and arrays that are parameters of the graph after the arguments.
        structure: the tree that is returned.
        outputs: its leaves: `Result`s, `Argument`s, and what is itself.
        writes: what the last results of the graph are written into.
        graph: the graph.

    Called with the arguments of the function it returns what the function returns. What it uses
    has to be bound first.

    Raises:
        TypeError: an argument is missing, or is not what the program is for.
        DtypeError, ShapeError: an array has another dtype or shape.
    """

    name: str
    takes: Mapping[str, Any]
    uses: tuple[Used, ...]
    structure: trees.Structure
    outputs: tuple[Any, ...]
    writes: tuple[Argument | Used, ...]
    graph: Graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.bind()(*args, **kwargs)

    @property
    def all_used(self) -> dict[str, Used]:
        """The variables and arrays by their names."""
        written = (x for x in self.writes if isinstance(x, Used))
        return {x.name: x for x in (*self.uses, *written)}

    def bind(self, **things: Any) -> Bound:
        """Return the program with the variables and arrays that it uses.

        Args:
            things: a `Variable` or an array for each name.

        Raises:
            TypeError: one is missing, or the program uses nothing of that name.
            DtypeError, ShapeError: it is not what the graph takes.
        """
        for name in things.keys() - self.all_used.keys():
            known = ", ".join(map(repr, self.all_used)) or "nothing"
            raise TypeError(f"{self.name} uses no {name!r}; it uses {known}")
        for name, used in self.all_used.items():
            if name not in things:
                raise TypeError(
                    f"{self.name} uses the {used.kind} {name!r}: bind it by its name, as in "
                    f"program.bind({name}=...)"
                )
        first = len(self.graph.params) - len(self.uses)
        for used, param in zip(self.uses, self.graph.params[first:], strict=True):
            _check(f"the {used.kind} {used.name!r}", things[used.name], param.spec)
        return Bound(self, things)

    def _given(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments by the names of the parameters; those of the trace where none is."""
        try:
            given = self._parameters.bind_partial(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}; it takes ({', '.join(self.takes)})") from None
        for parameter, tree in self.takes.items():
            is_needed = any(isinstance(x, Argument) for x in trees.flatten(tree)[0])
            if is_needed and parameter.lstrip("*") not in given:
                raise TypeError(f"{self.name} needs the argument {parameter!r}")
        return {x: given.get(x.lstrip("*"), tree) for x, tree in self.takes.items()}

    @property
    def _parameters(self) -> inspect.Signature:
        """The parameters as Python binds them."""
        kinds, found = inspect.Parameter, []
        of_stars: list[Any] = [kinds.POSITIONAL_OR_KEYWORD, kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD]
        for name in self.takes:
            found.append(kinds(name.lstrip("*"), of_stars[name.count("*")]))
            if name.count("*") == 1:
                of_stars[0] = kinds.KEYWORD_ONLY
        return inspect.Signature(found)

    def arrays_of(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return the arrays among the arguments of a call, or raise the error of it."""
        given = self._given(args, kwargs)
        arrays: list[Any] = []
        for parameter, tree in self.takes.items():
            difference = trees.difference(tree, given[parameter], parameter)
            if difference is not None:
                raise TypeError(f"{self.name}: {difference}: the program and the call")
            pairs = zip(trees.flatten(tree)[0], trees.flatten(given[parameter])[0], strict=True)
            for wanted, found in pairs:
                if isinstance(wanted, Argument):
                    spec = self.graph.params[len(arrays)].spec
                    _check(f"{self.name}: the argument {wanted.name}", found, spec)
                    arrays.append(found)
                elif type(found) is not type(wanted) or found != wanted:
                    raise TypeError(
                        f"{self.name}: {parameter} holds {found!r}, and the program is for "
                        f"{wanted!r}; leave it out"
                    )
        return arrays


class Bound:
    """A program with the variables and arrays that it uses."""

    def __init__(self, program: Program, things: Mapping[str, Any]) -> None:
        self.program = program
        self._things = dict(things)  # the slots hold them weakly
        leaves = trees.flatten(dict(program.takes))[0]
        self.arguments = tuple(x.name for x in leaves if isinstance(x, Argument))
        self.executable = self._compiled()
        self.signature = self._signature()

    def _compiled(self) -> Executable:
        """Return the compiled program, whose variables are the bound ones."""
        references = {
            used.reference: self._things[name].reference
            for name, used in self.program.all_used.items()
            if used.reference is not None
        }
        return compile_graph(with_references(self.program.graph, references))

    def _signature(self) -> Signature:
        """Return what the parameters and results are in this process."""
        program = self.program
        slots = {
            name: Slot(name, weakref.ref(thing), program.all_used[name].reference)
            for name, thing in self._things.items()
        }
        return Signature(
            self.arguments,
            tuple(slots[x.name] for x in program.uses if x.reference is not None),
            tuple(slots[x.name] for x in program.uses if x.reference is None),
            program.structure,
            tuple(map(self._output, program.outputs)),
            tuple(self.arguments.index(x.name) for x in program.writes if type(x) is Argument),
            tuple(slots[x.name] for x in program.writes if type(x) is Used),
        )

    def _output(self, leaf: Any) -> Output:
        if isinstance(leaf, Argument):
            return Output("argument", self.arguments.index(leaf.name))
        if isinstance(leaf, Result):
            return Output("result", leaf.position, memory=leaf.memory)
        return Output("static", value=leaf)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program; see `Program`."""
        arrays = self.program.arrays_of(args, kwargs)
        raw = [x.array if type(x) is Tensor else x for x in arrays]
        signature = self.signature
        signature.check(raw)
        results = self.executable.run(*signature.given(raw))
        results = signature.store(results, raw)
        variables = [x for x in self._things.values() if hasattr(x, "gives_tensors")]
        tensors = Tensor in map(type, arrays) or any(x.gives_tensors for x in variables)
        leaves = (x.leaf(results, arrays, (), tensors) for x in signature.outputs)
        return trees.unflatten(signature.structure, leaves)


def memory_of(data: Data) -> InMemory | OneInMemory:
    """Return what says where an array lies, made of its `data`; TypeError, ValueError if none."""
    if len(data) == 4:
        return _in_memory(*data)
    value, which, options = data
    return OneInMemory(value, which, tuple(x and _in_memory(*x) for x in options))


def _in_memory(kind: str, position: int, memory: Data | None, views: Iterable[Data]) -> InMemory:
    if kind not in ("result", "argument"):
        raise ValueError(f"nothing lies in a {kind}")
    base = Output(kind, position, memory=memory_of(memory) if memory else None)
    return InMemory(base, tuple(_view_of(*x) for x in views))


def _view_of(name: str, attrs: Iterable[tuple[str, Any]], first: int, count: int) -> TakenView:
    op = find_op(name)
    if op is None:
        raise ValueError(f"there is no op {name!r}")
    return TakenView(op, op.attributes(dict(attrs)), first, count)


def _check(what: str, given: Any, spec: Any) -> None:
    """Raise the error of a value that is not what a parameter of the graph takes."""
    if spec == OPAQUE:  # what is called tells
        return
    try:
        found = given.spec if hasattr(given, "spec") else spec_of(given)
    except (TypeError, AttributeError):
        raise TypeError(f"{what} must be {spec}, not {given!r}") from None
    if not accepts(spec, found):
        is_dtype = (found.dtype, found.weak) != (spec.dtype, spec.weak)
        raise (DtypeError if is_dtype else ShapeError)(f"{what} must be {spec}, not {found}")


def with_functions(graph: Graph, functions: Iterable[Callable[..., Any]]) -> Graph:
    """Return a graph that may call some functions, which it names, and the stages of datasets.

    TypeError for what no module has under its name.
    """
    known = {}
    allowed: list[Callable[..., Any]] = [*functions, *_stages_in(graph)]
    for function in allowed:
        found = Called(function, is_public=False)
        if not found.reference.is_portable:
            raise TypeError(f"{function!r} is no function that a module has under its name")
        known[found.reference] = found
    return with_references(graph, known)


def _stages_in(graph: Graph) -> Iterator[type[Stage]]:
    """Yield the classes of the stages of datasets that a graph makes."""
    for node in walk(graph):
        found = node.attrs.get("make")
        module, _, name = found.name.partition(":") if isinstance(found, Reference) else ("",) * 3
        if module in _WITH_STAGES:
            stage = vars(import_module(module)).get(name)
            if isinstance(stage, type) and issubclass(stage, Stage):
                yield stage


_WITH_STAGES = frozenset(f"{data.__name__}.{x.name}" for x in iter_modules(data.__path__))


def with_references(graph: Graph, references: Mapping[Any, Any]) -> Graph:
    """Return a graph in which other references, or functions, stand for some."""
    return replace(graph, nodes=tuple(_renamed(node, references) for node in graph.nodes))


def _renamed(node: Node, references: Mapping[Any, Any]) -> Node:
    attrs = {name: _of(value, references) for name, value in node.attrs.items()}
    regions = tuple(with_references(region, references) for region in node.regions)
    return replace(node, attrs=attrs, regions=regions)


def _of(value: Any, references: Mapping[Any, Any]) -> Any:
    """Return what stands for an attribute, or for the parts of a tuple."""
    if type(value) is tuple:
        return tuple(_of(x, references) for x in value)
    return references.get(value, value) if isinstance(value, Reference) else value
