"""The text of programs, which any process reads.

    program = "program" string "{" "takes" tree "uses" "(" used* ")" "returns" tree
              "writes" "(" target* ")" "}" graph
    tree = leaf | "(" tree* ")" | "[" tree* "]" | "{" (literal ":" tree)* "}"
         | "node" "(" class "," literal "," "[" tree* "]" ")"
    leaf = argument | "result" "(" number ("," literal)? ")" | literal
    argument = "argument" "(" string ")"
    used = "array" "(" string ")" | "variable" "(" string "," reference ")"
    target = argument | used

Items of lists have commas between them. `takes` is a dict by the names of the parameters. A class
is a string, `module:qualified name`, of a module that is imported: reading imports none, as that
runs code. Literals, references and
graphs are those of `runtime.graph.node`; a reference to a variable tells variables apart in the
text, and any process may bind another one in its place.

Comes in: a program, or its text. Goes out: the other one; a GraphFormatError for what another
process could not know, by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence, Sized
from functools import partial
from typing import Any

from runtime import trees
from runtime.deferred_results import Chosen
from runtime.errors import GraphFormatError
from runtime.graph.lexer import Words
from runtime.graph.literal import literal_text
from runtime.graph.node import Node
from runtime.graph.printer import print_graph
from runtime.graph.reader import read_graph
from runtime.graph.reference import Reference, named, portable_name
from runtime.graph.walk import walk
from runtime.io.program import Argument, Program, Result, Used, memory_of, with_functions
from runtime.tree_classes import find_kind


def print_program(program: Program, *, elide: bool = True) -> str:
    """Return the text of a program.

    Args:
        program: the program.
        elide: leave out what people do not need, as `print_graph` does; `read_program` reads what
            is written with `elide=False`.

    Raises GraphFormatError when another process could not know something, unless it is elided.
    """
    if not elide:
        _check_graph(program)
    text = _Text(elide)
    leaves, structure = trees.flatten(dict(program.takes))
    lines = [
        f"program {program.name!r} {{",
        f"  takes {text.tree(structure, leaves, 'the argument ')}",
        f"  uses {text.listed(program.uses)}",
        f"  returns {text.tree(program.structure, program.outputs, 'the result')}",
        f"  writes {text.listed(program.writes)}",
        "}",
        print_graph(program.graph, elide=elide),
    ]
    return "\n".join(lines)


def _check_graph(program: Program) -> None:
    """Raise GraphFormatError when the graph refers to what only this process has."""
    known = {x.reference for x in program.all_used.values()}
    for node in walk(program.graph):
        for name, value in node.attrs.items():
            what = _of_this_process(node, name, value, known)
            if what:
                place = f"\n{node.location.describe()}" if node.location else ""
                raise GraphFormatError(
                    f"{program.name} does not stand alone: it refers to {what}, which other "
                    f"processes do not find{place}"
                )


def _of_this_process(node: Node, name: str, value: Any, known: Container[Any]) -> str:
    """Return what an attribute refers to that only this process has; empty if nothing."""
    reference = getattr(value, "reference", value)
    if isinstance(reference, Reference):
        is_found = reference.is_portable or reference in known
        return "" if is_found else f"the {reference.kind} {reference.name!r}"
    if callable(value):
        return f"the Python object that `{node.op.name}` has as {name!r}"
    return ""


class _Text:
    """Writes the parts of a program."""

    def __init__(self, elide: bool) -> None:
        self._elide = elide

    def listed(self, items: Iterable[Argument | Used]) -> str:
        """Return the text of what is used or written."""
        return f"({', '.join(self._leaf(x, 'what it uses') for x in items)})"

    def tree(self, structure: trees.Structure, leaves: Iterable[Any], path: str) -> str:
        """Return the text of a tree; `path` is what messages call it."""
        pairs = zip(leaves, trees.paths(structure, path), strict=True)
        texts = [self._leaf(leaf, place) for leaf, place in pairs]
        return trees.fold(structure, texts, partial(self._node, path))

    def _node(self, path: str, cls: type, data: Any, items: Sequence[str]) -> str:
        if cls is dict:
            pairs = zip(data[0], items, strict=True)
            return f"{{{', '.join(f'{self._leaf(key, path)}: {text}' for key, text in pairs)}}}"
        if cls is tuple:
            return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
        if cls is type(None):
            return "None"
        listed = f"[{', '.join(items)}]"
        if cls is list:
            return listed
        name = portable_name(cls)
        if name is None or cls is Chosen:
            what = "one of several values" if cls is Chosen else f"a {cls.__qualname__}"
            raise GraphFormatError(
                f"{path} holds {what}, and other processes find the classes of modules only. "
                "Return arrays, tuples, dicts, or instances of a class that a module defines"
            )
        return f"node({name!r}, {self._leaf(data, path)}, {listed})"

    def _leaf(self, value: Any, path: str) -> str:
        if isinstance(value, Argument):
            return f"argument({value.name!r})"
        if isinstance(value, Result):
            memory = f", {literal_text(value.memory.data)}" if value.memory else ""
            return f"result({value.position}{memory})"
        if isinstance(value, Used):
            reference = f", {value.reference.text(self._elide)}" if value.reference else ""
            return f"{value.kind}({value.name!r}{reference})"
        try:
            return literal_text(value, elide=self._elide)
        except GraphFormatError as error:
            raise GraphFormatError(f"{path}: {error}") from None


def read_program(text: str, functions: Iterable[Callable[..., Any]] = ()) -> Program:
    """Return the program of a text that `print_program(program, elide=False)` wrote.

    Args:
        text: the text. Reading it imports nothing and runs nothing.
        functions: the functions of modules that the program may call, by `ag.py_function`.

    Raises GraphFormatError when the text is malformed, as `read_graph` does.
    """
    words = Words(text)
    words.expect("program")
    name = words.string()
    words.expect("{")
    words.expect("takes")
    structure, leaves = _Reader(words).tree()
    takes = trees.unflatten(structure, leaves)
    words.expect("uses")
    uses = _Reader(words).listed()
    words.expect("returns")
    returns, outputs = _Reader(words).tree()
    words.expect("writes")
    writes = _Reader(words).listed()
    if not isinstance(takes, dict) or not all(isinstance(x, Used) for x in uses):
        raise words.error("'takes' is a dict of trees, and 'uses' are variables and arrays")
    words.expect("}")
    before = text[: words.start]
    graph = read_graph("\n" * before.count("\n") + text[words.start :])
    return Program(name, takes, uses, returns, outputs, writes, with_functions(graph, functions))


class _Reader:
    """Reads a tree into its structure and its leaves."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._entries: list[trees.Entry] = []
        self._found: list[Any] = []
        self._leaves: dict[str, Callable[[], Any]] = {
            "argument": lambda: Argument(words.string()),
            "result": self._result,
            "array": lambda: Used(words.string()),
            "variable": self._variable,
        }

    def tree(self) -> tuple[trees.Structure, tuple[Any, ...]]:
        """Read a tree."""
        self._read()
        return trees.Structure(tuple(self._entries)), tuple(self._found)

    def listed(self) -> tuple[Any, ...]:
        """Read what is used or written."""
        self._words.expect("(")
        self._words.listed(")", self._read)
        return tuple(self._found)

    def _read(self) -> None:
        words, place = self._words, len(self._entries)
        if words.kind == "name" and words.word == "node":
            self._node()
        elif words.accept("["):
            self._add(place, list, None, words.listed("]", self._read))
        elif words.accept("{"):
            keys = tuple(words.listed("}", self._item))
            self._add(place, dict, (keys, tuple(map(type, keys))), keys)
        elif words.accept("("):
            self._tuple(place)
        elif words.kind == "name" and words.word == "None":
            words.advance()
            self._add(place, type(None), None, ())
        else:
            self._entries.append(None)
            self._found.append(self._leaf())

    def _add(self, place: int, cls: type, data: Any, items: Sized) -> None:
        """Put a container in front of its items."""
        self._entries.insert(place, (cls, data, len(items)))

    def _leaf(self) -> Any:
        words = self._words
        if words.kind != "name" or words.word not in self._leaves:
            return words.literal()
        read = self._leaves[words.advance()]
        words.expect("(")
        found = read()
        words.expect(")")
        return found

    def _tuple(self, place: int) -> None:
        count = 0
        if not self._words.accept(")"):
            self._read()
            self._words.expect(",")
            is_one = self._words.accept(")")
            count = 1 if is_one else 1 + len(self._words.listed(")", self._read))
        self._add(place, tuple, None, range(count))

    def _item(self) -> Any:
        """Read an item of a dict; returns its key."""
        key = self._words.literal()
        self._words.expect(":")
        self._read()
        return key

    def _result(self) -> Result:
        words = self._words
        position, start = words.size(), words.start
        try:
            return Result(position, memory_of(words.literal()) if words.accept(",") else None)
        except (TypeError, ValueError):
            raise words.error("this says nowhere that an array may lie", start) from None

    def _variable(self) -> Used:
        name = self._words.string()
        self._words.expect(",")
        reference = self._words.literal()
        if not isinstance(reference, Reference):
            raise self._words.error(f"the variable {name!r} has a reference")
        return Used(name, reference)

    def _node(self) -> None:
        words, place = self._words, len(self._entries)
        words.advance()
        words.expect("(")
        start, name = words.start, words.string()
        words.expect(",")
        data = words.literal()
        words.expect(",")
        words.expect("[")
        items = words.listed("]", self._read)
        words.expect(")")
        try:
            cls = named(name)
        except LookupError as error:
            raise words.error(error.args[0], start) from None
        if not isinstance(cls, type) or find_kind(cls) is None:
            raise words.error(f"{name!r} is no class of trees", start)
        self._add(place, cls, data, items)
