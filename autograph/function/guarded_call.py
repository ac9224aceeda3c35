"""The short path of a call: a guard on the arguments, written for one trace, then its program.

    def f(x, n):
        if type(x) is ndarray and x.dtype is dtype_0 and x.shape == (2, 2) and n is value_1():
            return run(x)
        return miss(x, n)

All names but those of the parameters begin with `_entry_`. Where machine code can make calls
shorter (`quick`), the entry counts down to the call that pays for it.

`miss` is the guard of an earlier trace, and at the end of the chain the slow path, which is the
definition. A list in columns is read by its guard.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, repeat
from typing import TYPE_CHECKING, Any

from autograph.function.argument_guards import (
    ArgumentGuards,
    ColumnsType,
    ContainerType,
    Kind,
    arrays_of,
    kinds_of,
)
from autograph.function.argument_mutation import Change
from autograph.function.concrete import ConcreteFunction
from autograph.function.fallback import Undone
from autograph.function.native_call import OFTEN, record_of, serves
from autograph.operators.containers.results import Found
from runtime import default_graph, lower, trees
from runtime.deferred_results import Chosen
from runtime.errors import OverlapError
from runtime.graph.walk import effects
from runtime.lower.tracebacks import prune
from runtime.signature import Output, is_read_only, moved, overlaps
from runtime.tree_classes import kind_of

if TYPE_CHECKING:
    from runtime.kernels.jit import Table

Entry = Callable[..., Any]
Take = Callable[[Undone], Callable[..., Any]]
"""Returns what makes a call that was undone, or raises."""
LONGEST_CHAIN = 8
_FIRST, _KEYWORD = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.KEYWORD_ONLY
_BEFORE_KEYWORDS = {_KEYWORD, inspect.Parameter.VAR_POSITIONAL}
_STARS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def make_entry(
    signature: inspect.Signature,
    structure: Any,
    concrete: ConcreteFunction,
    miss: Entry,
    keep: Callable[[Table], None],
    take: Take,
) -> Entry:
    """Return a function that runs `concrete` when its guard fits, and else calls `miss`.

    Args:
        signature: of the Python function.
        structure: of the arguments.
        concrete: the trace.
        miss: is returned when no guard can be written for the arguments.
        keep: is given the record of the trace, when that pays.
        take: returns what makes a call whose run was undone.
    """
    parameters = list(signature.parameters.values())
    kinds = kinds_of(structure, concrete.types, parameters)
    if kinds is None or getattr(miss, "depth", 0) >= LONGEST_CHAIN:
        return miss
    writer = _Writer(concrete, parameters, kinds)
    if not writer.can_guard:
        return miss
    is_native = serves(concrete) and writer.is_flat and not concrete.trace.changes
    entry = writer.counted(miss, keep, take) if is_native else writer.compile(miss)
    entry.depth = getattr(miss, "depth", 0) + 1  # type: ignore[attr-defined]
    return entry


def _views(concrete: ConcreteFunction) -> list[tuple[int, int]]:
    """Return which results may be views of which that are written into arguments."""
    graph, signature = concrete.traced_graph, concrete.trace.signature
    if not signature.writes:
        return []
    classes, last = lower.alias.may_share(graph), len(graph.results) - len(signature.stores)
    written = range(last - len(signature.writes), last)
    returned = {x.position for x in signature.outputs if x.kind == "result"}
    return [
        (k, n)
        for k in returned
        for n in written
        if classes.share(graph.results[k], graph.results[n])
    ]


def _local(name: str) -> str:
    return name.replace("_reference_", "_variable_")


def leaves(error: BaseException) -> None:
    """Have an exception that leaves the outermost call show the user's frames only."""
    if default_graph.current() is None:
        prune(error)


def _is_of_list(change: Any) -> bool:
    """Tell whether a change is that of all items of a list, of which the graph tells how many."""
    return type(change) is Change and change.data is None and change.items.structure == trees.LEAF


class _Writer:
    """Writes the entry of one trace."""

    def __init__(
        self,
        concrete: ConcreteFunction,
        parameters: list[inspect.Parameter],
        kinds: Sequence[Kind],
    ) -> None:
        self.concrete = concrete
        self.parameters = parameters
        guards = ArgumentGuards()
        self.globals, self._global = guards.globals, guards.named
        self.globals |= {"_entry_mode": default_graph._MODE, "_entry_int": int}
        self.names = [p.name for p in parameters]
        self.keywords = {p.name for p in parameters if p.kind is _KEYWORD}
        self.stars = {p.name: _STARS[p.kind] for p in parameters if p.kind in _STARS}
        self.kinds = list(zip(self.names, kinds, strict=True))
        columns = [(n, kind) for n, kind in self.kinds if isinstance(kind, ColumnsType)]
        self.has_containers = any(isinstance(kind, ContainerType) for kind in kinds)
        self.types = [x for x in kinds if not isinstance(x, ColumnsType | ContainerType)]
        self.is_flat = not (columns or self.has_containers)
        lists = [name for name, _ in columns]
        # as traces number them: the names come in a dict behind the others
        self.objects = [x for x in lists if x not in self.keywords] + ["None"]
        self.objects += [x for x in lists if x in self.keywords]
        others = [pair for pair in self.kinds if pair not in columns]
        found = [guards.guard(*pair) for pair in (*others, *columns)]  # lists take time to be read
        self.can_guard = all(guard is not None for guard in found)
        self.of_arguments = [guard for guard in found if guard]
        self.guards: list[str] = []
        known = concrete.trace.signature
        if any(map(effects, concrete.traced_graph.nodes)) or known.reads or known.stores:
            self.guards.append("_entry_mode.builder is None")
        self.reads = [self._variable(slot.thing) for slot in known.reads]
        self.arrays = [self._variable(slot.thing) for slot in known.arrays]
        self.stores = [self._variable(slot.thing) for slot in known.stores]
        self.last = []
        if concrete.guards.places:
            self.last.append(f"{self._global('check', concrete.guards.check)}()")

    def _variable(self, reference: Any) -> str:
        """Return the local name of what the trace holds weakly; the guard says it is there."""
        known = (name for name in self.globals if name.startswith("_entry_reference_"))
        name = next((name for name in known if self.globals[name] is reference), None)
        if name is None:
            name = self._global("reference", reference)
            self.guards.append(f"({_local(name)} := {name}()) is not None")
        return _local(name)

    def compile(self, miss: Entry) -> Entry:
        """Return the entry as a function."""
        return self._compiled([*self.of_arguments, *self.guards, *self.last], self._body(), miss)

    def counted(self, miss: Entry, keep: Callable[[Table], None], take: Take) -> Entry:
        """Return the entry; when it has run often, the record of the trace is made."""

        def often() -> None:
            entry.__globals__["_entry_rest"] = repeat(None)
            target = partial(self.unguarded, miss, take)
            found = record_of(self.parameters, self.types, self.concrete, target)
            if found is not None:
                keep(found)

        self.globals["_entry_often"] = often
        self.globals["_entry_rest"] = repeat(None, OFTEN)
        count = ["for _ in _entry_rest:", "    break", "else:", "    _entry_often()"]
        guards = [*self.of_arguments, *self.guards, *self.last]
        entry = self._compiled(guards, [*count, *self._body()], miss)
        return entry

    def unguarded(self, miss: Entry, take: Take) -> Entry:
        """Return an entry for arguments that are known to fit, which is what calls end in."""
        self.globals |= {"_entry_leaves": leaves, "_entry_Undone": Undone}
        self.globals["_entry_take"] = take
        body = ["try:", *(f"    {line}" for line in self._body())]
        body += [
            "except _entry_Undone as _entry_error:",
            "    _entry_other = _entry_take(_entry_error)",
            "except BaseException as _entry_error:",
            "    _entry_leaves(_entry_error)",
            "    raise",
            f"return _entry_other({self._forwarded()})",
        ]
        return self._compiled(self.guards, body, miss)

    def _compiled(self, guards: list[str], body: list[str], miss: Entry) -> Entry:
        guard = " and ".join(guards) or "True"
        lines = [f"def entry({self._parameters()}):", f"    if {guard}:"]
        lines += [f"        {line}" for line in body]
        lines.append(f"    return _entry_miss({self._forwarded()})")
        source = "\n".join(lines)
        names = {**self.globals, "_entry_miss": miss}
        names["_entry_run"] = self.concrete.executable.function
        exec(compile(source, f"<entry of {self.concrete.name}>", "exec"), names)
        entry: Entry = names["entry"]
        entry.__name__ = entry.__qualname__ = self.concrete.name
        return entry

    def _parameters(self) -> str:
        parts, kinds = [], [p.kind for p in self.parameters]
        for position, parameter in enumerate(self.parameters):
            if parameter.kind is _KEYWORD and {*kinds[:position]}.isdisjoint(_BEFORE_KEYWORDS):
                parts.append("*")
            default = ""
            if parameter.default is not parameter.empty:
                default = f"={self._global('default', parameter.default)}"
            parts.append(self.stars.get(parameter.name, "") + parameter.name + default)
            if parameter.kind is _FIRST and _FIRST not in kinds[position + 1 :]:
                parts.append("/")
        return ", ".join(parts)

    def _forwarded(self) -> str:
        forms = {**self.stars, **{n: f"{n}=" for n in self.keywords}}
        return ", ".join(forms.get(n, "") + n for n in self.names)

    def _body(self) -> list[str]:
        """Return the lines that run the program and return what the function returns."""
        trace = self.concrete.trace
        known = trace.signature
        raw = [x for pair in self.kinds for x in arrays_of(*pair)]
        given = [x.removesuffix(".array") for x in raw]
        count = len(trace.graph.results)
        results = [f"_entry_result_{k}" for k in range(count)]
        lines = []
        if self.concrete.in_place is not None:
            leaves = [f"_entry_found[{k}]" for k in range(len(known.outputs))]
            write = self._global("write", self.concrete.write)
            lines.append(f"_entry_found = {write}(({', '.join([*raw, *self.arrays])},))")
            lines.append(f"if _entry_found is not None: return {self._returned(leaves)}")
        if known.in_rows:
            test = " and ".join(f"{raw[k]}.flags.c_contiguous" for k in known.in_rows)
            lines.append(f"if not ({test}): return _entry_miss({self._forwarded()})")
        if known.alone:
            test = self._global("overlaps", overlaps)
            outside = [f"{self._global('read', x)}()" for x in self.concrete.guards.arrays]
            arrays = ", ".join([*raw, *self.arrays, *outside])
            lines.append(f"if {test}(({arrays},), {tuple(known.alone)}):")
            lines.append(f"    return _entry_miss({self._forwarded()})")
        for k in known.writes:
            test = self._global("locked", is_read_only)
            lines.append(f"if {test}({raw[k]}): return _entry_miss({self._forwarded()})")
        if trace.relies_on_identity or self.concrete.uses_objects:
            if not self._changes_lists:
                run = self._global("whole", self.concrete.run)
                call = f"return {run}(({', '.join([*given, ''])}), {self._arguments()})"
                overlap = self._global("overlap", OverlapError)
                return [*lines, "try:", f"    {call}", f"except {overlap}:", "    pass"]
            lists = [name for name in self.objects if name != "None"]
            same = [f"{a} is {b}" for a, b in combinations(lists, 2)]
            if same:
                lines.append(f"if {' or '.join(same)}: return _entry_miss({self._forwarded()})")
        targets = ", ".join(results) or "_entry_nothing"
        held = [*(f"{name}._value" for name in self.reads), *self.arrays]
        lines += self._run(f"{targets} = _entry_run({', '.join([*raw, *held])})", raw)
        first_store = count - len(self.stores)
        first_write = first_store - len(known.writes)
        new = results[first_write:first_store]
        for position, result in zip(known.writes, new, strict=True):
            lines.append(f"{raw[position]}[...] = {result}")
        for k, n in _views(self.concrete):
            view = f"{self._global('moved', moved)}({results[k]}, {results[n]}"
            lines.append(f"{results[k]} = {view}, {raw[known.writes[n - first_write]]})")
        for name, result in zip(self.stores, results[first_store:], strict=True):
            lines.append(f"{name}.store({result})")
        return [*lines, *self._end(results, given)]

    def _end(self, results: list[str], given: list[str]) -> list[str]:
        """Return the lines that change lists among the arguments, and return what is returned."""
        known, changes = self.concrete.trace.signature, self.concrete.trace.changes
        lines, contents = [], [change.items.outputs[0] for change in changes]
        if any(output.kind == "list" for output in (*known.outputs, *contents)):
            given_to = f"({', '.join([*results, ''])}), ({', '.join([*self.objects, ''])})"
            last = f"{self.concrete.gives_tensors}, ({', '.join([*given, ''])})"
            lines.append(f"_entry_found = {self._global('Found', Found)}({given_to}, {last})")
        returned = self._returned([self._leaf(x, results, given) for x in known.outputs])
        if not changes:
            return [*lines, f"return {returned}"]
        owners = [self.objects[x.number] for x in changes if isinstance(x, Change)]
        lines += [f"_entry_returned = {returned}"]
        lines += [
            f"_entry_of_{owner} = {self._leaf(x, results, given)}"
            for owner, x in zip(owners, contents, strict=True)
        ]
        lines += [f"{owner}[:] = _entry_of_{owner}" for owner in owners]
        return [*lines, "return _entry_returned"]

    @property
    def _changes_lists(self) -> bool:
        """Whether all objects that it knows are lists of numbers among the arguments."""
        nested = (x.form.is_nested for _, x in self.kinds if isinstance(x, ColumnsType))
        is_flat = not (self.has_containers or any(nested) or self.concrete.guards.containers)
        return is_flat and all(map(_is_of_list, self.concrete.trace.changes))

    def _arguments(self) -> str:
        """Return the expression of all arguments, by position and by keyword."""
        forms = {**self.stars, **{n: f"{n!r}: " for n in self.keywords}}
        named = [n for n in self.names if forms.get(n, "*") != "*"]
        parts = [forms.get(n, "") + n for n in self.names if n not in named]
        named = [forms[n] + n for n in named]
        return f"(({', '.join([*parts, ''])}), {{{', '.join(named)}}})"

    def _run(self, call: str, raw: Sequence[str]) -> list[str]:
        """Return the lines that run the program; if it raises, arguments may have been written."""
        recover = self._global("recover", self.concrete.recover)
        failed = f"    {recover}(_entry_error, ({', '.join([*raw, ''])}), {self._arguments()})"
        return ["try:", f"    {call}", "except BaseException as _entry_error:", failed, "    raise"]

    def _leaf(self, output: Output, results: list[str], tensors: list[str]) -> str:
        if output.kind == "static":
            return self._global("value", output.value)
        if output.kind == "variable":
            return f"{self._global('returned', output.value)}()"
        if output.kind == "argument":
            return tensors[output.position]
        if output.kind == "object":
            return self.objects[output.position]
        if output.kind == "list":
            make = self._global("make", output.value.make)
            return f"{make}(_entry_found.results, {output.position}, _entry_found)"
        result = results[output.position]
        if self.concrete.gives_tensors:
            return f"_entry_Tensor({result})"
        if output.memory is None:
            return result
        array = self._global("array", output.memory.array)
        return f"{array}(({', '.join([*results, ''])}), ({', '.join([*tensors, ''])}))"

    def _returned(self, leaves: list[str]) -> str:
        return trees.fold(self.concrete.trace.signature.structure, leaves, self._container)

    def _container(self, cls: type, data: Any, items: list[str]) -> str:
        """Return the expression of a container of some items."""
        text = "".join(f"{x}, " for x in items)
        if cls in (tuple, list):
            return f"({text})" if cls is tuple else f"[{text}]"
        if cls is Chosen and all(option.is_number for option in data):
            return f"({text})[1 + _entry_int({items[0]})]"
        make = self._global("make", kind_of(cls).unflatten)
        return f"{make}({self._global('class', cls)}, {self._global('data', data)}, ({text}))"
