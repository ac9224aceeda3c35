"""A whole module as text or bytes goes in, the same module with converted functions comes out.

All that is not converted stays letter by letter: comments, layout, encoding, line ends. The
operators are imported only if something was converted. The result is read back and compared.

Of lambdas, those in simple statements of a module and its classes are rewritten; those in
decorators and defaults of functions, and in headers of compound statements, are not.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from autograph.converters.pipeline import rewrite
from autograph.errors import ConversionError, PrintingError
from autograph.files.functions import Function, chosen, functions_of, modules_of
from autograph.files.layout import Layout, blocks
from autograph.files.splice import print_whole, splice
from autograph.source.compare import difference
from autograph.source.deep_recursion import call_deep
from autograph.source.names import Namer, identifiers
from autograph.source.parse import decode, parse, split_lines, to_ast, to_gast
from autograph.source.printer import fallbacks

OPERATORS = "autograph.operators"
MARK = "converted"
"""The name of the decorator of converted functions; see `files.written`."""

_BOM = "\ufeff"


@dataclass(frozen=True)
class Module:
    """A module that was read: its text without byte order mark, and how to write it again."""

    file: str
    text: str
    encoding: str | None
    has_mark: bool

    def restore(self, text: str) -> str | bytes:
        """Return a text in the form in which the module came: text or bytes, mark or none."""
        if self.encoding is None:
            return _BOM + text if self.has_mark else text
        try:
            return text.encode(self.encoding)
        except UnicodeEncodeError:  # a printed string has a letter where an escape was
            return text.encode(self.encoding, "backslashreplace")


def read_module(source: str | bytes, file: str) -> Module:
    """Return a module's text, decoded as Python does it.

    Raises:
        InvalidSourceError: the bytes are no text.
    """
    if isinstance(source, bytes):
        text, encoding = decode(source, file)
        return Module(file, text, encoding, False)
    return Module(file, source.removeprefix(_BOM), None, source.startswith(_BOM))


def convert_module(source: str | bytes, file: str, only: str | None = None) -> str | bytes:
    """Return a module with its functions converted, as text for text and bytes for bytes.

    Args:
        source: the module; bytes are decoded by their mark or cookie, as Python does it.
        file: its name, for errors.
        only: the qualified name of the one function to convert, `Class.method`.

    Raises:
        InvalidSourceError: it is not valid Python.
        UnknownFunctionError: it has no function of that name.
        UnsupportedSyntaxError: something in it has no staged meaning.
    """
    module = read_module(source, file)
    converted = call_deep(lambda: _Conversion(module, only).text())
    restored = module.restore(converted)
    if isinstance(restored, bytes) and decode(restored, file)[0] != converted:
        found = difference(parse(decode(restored, file)[0], file), parse(converted, file))
        if found:
            raise PrintingError(f"The result cannot be written in {module.encoding}: {found}.")
    return restored


def converted_function(source: str | bytes, file: str, name: str) -> str:
    """Return the text of one converted function, at its place in the file's indentation."""
    module = read_module(source, file)
    return call_deep(lambda: _Conversion(module, name).texts())


class _Conversion:
    """The conversion of one module.

    Args:
        module: what is converted.
        only: the qualified name of the one function to convert.
    """

    def __init__(self, module: Module, only: str | None) -> None:
        self._module = module
        self._tree = parse(module.text, module.file)
        self._functions = chosen(functions_of(self._tree), only, module.file, module.text)
        self._imported = _imported_as(self._tree)  # a function that names it is converted already
        self._operators = self._imported or Namer(to_gast(self._tree)).fresh("_ag")
        self._modules = modules_of(self._tree)
        self._rewritten = dict(filter(None, map(self._rewrite, self._functions)))
        if only is None:
            lambdas = map(self._rewrite_lambdas, statements_with_lambdas(self._tree))
            self._rewritten.update(filter(None, lambdas))

    def text(self) -> str:
        """Return the text of the converted module."""
        if not self._rewritten:
            return self._module.text
        layout = Layout(self._module.text, self._tree)
        edits = [self._edit(layout, old, new) for old, new in self._rewritten.items()]
        index = _import_index(layout, self._tree)
        if not self._imported:
            edits.append(_import_edit(layout, self._tree, index, self._operators))
        text = _edited(self._module.text, edits)
        self._check(text, index)
        return text

    def texts(self) -> str:
        """Return the texts of the converted functions alone."""
        layout = Layout(self._module.text, self._tree)
        parts = []
        for function in self._functions:
            place = layout.statements[function.node]
            new = self._rewritten.get(function.node, function.node)
            start = layout.line_start(place.start)
            parts.append(
                self._module.text[start : place.start] + _spliced(layout, function.node, new)
            )
        return layout.newline.join(parts) + layout.newline

    def _rewrite(self, function: Function) -> tuple[ast.AST, ast.stmt] | None:
        """Return a function's old and new node, if they differ."""
        node = to_gast(function.node)
        if self._imported in identifiers(node):
            return None
        decorators, node.decorator_list = node.decorator_list, []
        rewritten = _definition(self._converted(node, function.class_name), decorators)
        return (function.node, rewritten) if difference(function.node, rewritten) else None

    def _rewrite_lambdas(
        self, found: tuple[ast.stmt, str | None]
    ) -> tuple[ast.AST, ast.stmt] | None:
        """Return a statement with lambdas and its new form, if they differ."""
        node, class_name = found
        if self._imported in identifiers(to_gast(node)):
            return None
        rewritten = with_lambdas(node, lambda x: to_ast(self._converted(to_gast(x), class_name)))
        return (node, rewritten) if difference(node, rewritten) else None

    def _converted(self, node: Any, class_name: str | None) -> Any:
        try:
            return rewrite(
                node, operators=self._operators, modules=self._modules, class_name=class_name
            )
        except ConversionError as error:
            error.locate(self._module.file, split_lines(self._module.text))
            raise

    def _edit(self, layout: Layout, old: ast.AST, new: ast.stmt) -> tuple[int, int, str]:
        place = layout.statements[old]
        text = _spliced(layout, old, new)
        if old in self._marked:
            text = _with_decorator(text, layout, old, f"@{self._operators}.{MARK}")
        return place.start, layout.behind(place.end), text

    def _check(self, text: str, index: int) -> None:
        """The result must read back as the rewritten tree."""
        marks = {old: self._with_mark(self._rewritten[old]) for old in self._marked}
        expected = with_statements(self._tree, {**self._rewritten, **marks})
        if not self._imported:
            expected.body.insert(index, ast.parse(_import(self._operators)).body[0])
        found = difference(parse(text, self._module.file), expected)
        if found:
            raise PrintingError(f"The text of {self._module.file} is not what was meant: {found}.")

    @property
    def _marked(self) -> set[ast.AST]:
        """The functions to decorate: what is defined once, and may run often."""
        outer: set[ast.AST] = {x.node for x in self._functions if not x.is_inner}
        return outer & self._rewritten.keys()

    def _with_mark(self, node: Any) -> ast.stmt:
        mark = ast.parse(f"{self._operators}.{MARK}", mode="eval").body
        marked: ast.stmt = copy.copy(node)
        vars(marked)["decorator_list"] = [*node.decorator_list, mark]
        return marked


def _definition(node: Any, decorators: list[Any]) -> ast.FunctionDef:
    node.decorator_list = decorators
    tree = to_ast(node)
    assert isinstance(tree, ast.FunctionDef)
    return tree


def _spliced(layout: Layout, old: ast.AST, new: ast.stmt) -> str:
    """Return the new text of a function: spliced, or printed as a whole where that fails."""
    text = splice(layout, old, new)
    complaint = _complaint(layout, old, new, text)
    if not complaint:
        return text
    fallbacks["splice"] += 1
    text = print_whole(layout, old, new)
    complaint = _complaint(layout, old, new, text)
    if complaint:
        raise PrintingError(f"A rewritten function has no text: {complaint}.\n{text}")
    return text


def _with_decorator(text: str, layout: Layout, old: ast.AST, decorator: str) -> str:
    """Return the text of a function with one more decorator, next to `def`."""
    indent = layout.indentation(layout.statements[old].start) or ""
    line = _parsed(text, indent)[0].lineno - (2 if indent else 1)
    lines = split_lines(text)
    rest = "".join(lines[line:]).removeprefix(indent if line else "")
    head = "".join(lines[:line]) + (indent if line else "")
    return f"{head}{decorator}{layout.newline}{indent}{rest}"


def _parsed(text: str, indent: str) -> list[ast.stmt]:
    """Return the statements of a text that stands behind an indentation."""
    body = parse(f"if 1:\n{indent}{text}\n" if indent else f"{text}\n", "<spliced>").body
    return body[0].body if indent and isinstance(body[0], ast.If) else body


def _complaint(layout: Layout, old: ast.AST, new: ast.stmt, text: str) -> str:
    try:
        found = _parsed(text, layout.indentation(layout.statements[old].start) or "")
    except SyntaxError as error:
        return str(error)
    return difference(found, [new])


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    pieces, done = [], 0
    for start, end, new in sorted(edits):
        pieces += [text[done:start], new]
        done = end
    return "".join([*pieces, text[done:]])


def with_statements(tree: ast.Module, new: Mapping[ast.AST, ast.stmt]) -> ast.Module:
    """Return the module with new functions; the tree itself is shared and not changed."""

    def replaced(node: ast.AST) -> ast.AST:
        if node in new:
            return new[node]
        copied = copy.copy(node)
        for field, block in blocks(node):
            setattr(copied, field, [replaced(child) for child in block])
        return copied

    module = replaced(tree)
    assert isinstance(module, ast.Module)
    return module


# The import of the operators


def _import(operators: str) -> str:
    return f"import {OPERATORS} as {operators}"


def _imported_as(tree: ast.Module) -> str | None:
    """Return the name of the operators in a module that was converted before."""
    aliases = [alias for node in tree.body if isinstance(node, ast.Import) for alias in node.names]
    return next((alias.asname for alias in aliases if alias.name == OPERATORS), None)


def _import_index(layout: Layout, tree: ast.Module) -> int:
    """Return the index in the body for the import: behind docstring and `__future__` imports."""
    index = 0
    if ast.get_docstring(tree, clean=False) is not None:
        index = 1
    while index < len(tree.body) and _is_future(tree.body[index]):
        index += 1
    while 0 < index < len(tree.body) and not _is_below(layout, tree, index):
        index += 1
    return index


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_below(layout: Layout, tree: ast.Module, index: int) -> bool:
    """Whether a statement begins on a line of its own, below the one in front of it."""
    start = layout.statements[tree.body[index]].start
    return layout.indentation(start) is not None


def _import_edit(
    layout: Layout, tree: ast.Module, index: int, operators: str
) -> tuple[int, int, str]:
    newline = layout.newline
    if index == 0:
        start = layout.line_start(layout.statements[tree.body[0]].start)
        is_definition = isinstance(tree.body[0], (ast.FunctionDef, ast.ClassDef))
        space = newline * (3 if is_definition else 1)
        return start, start, _import(operators) + space
    end = layout.line_end(layout.statements[tree.body[index - 1]].end)
    gap = newline * (1 if _is_future(tree.body[index - 1]) else 2)
    return end, end, gap + _import(operators)


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def statements_with_lambdas(tree: ast.Module) -> Iterator[tuple[ast.stmt, str | None]]:
    """Yield each simple statement with a lambda, and the innermost class around it.

    Example:
        >>> tree = ast.parse("f = lambda x: x\\nclass C:\\n    g = [lambda x: x]\\n    h = 1")
        >>> [(node.lineno, name) for node, name in statements_with_lambdas(tree)]
        [(1, None), (3, 'C')]
    """
    yield from _inside(tree, None)


def _inside(node: ast.AST, class_name: str | None) -> Iterator[tuple[ast.stmt, str | None]]:
    for _, block in blocks(node):
        for child in block:
            if isinstance(child, _FUNCTIONS):
                continue
            if any(blocks(child)):
                name = child.name if isinstance(child, ast.ClassDef) else class_name
                yield from _inside(child, name)
            elif isinstance(child, ast.stmt) and _has_lambda(child):
                yield child, class_name


def _has_lambda(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Lambda) for part in ast.walk(node))


def with_lambdas(node: ast.stmt, rewritten: Callable[[ast.Lambda], ast.AST]) -> ast.stmt:
    """Return a copy of a statement in which the outermost lambdas are rewritten."""
    statement = _Rewriting(rewritten).visit(copy.deepcopy(node))
    assert isinstance(statement, ast.stmt)
    return statement


class _Rewriting(ast.NodeTransformer):
    def __init__(self, rewritten: Callable[[ast.Lambda], ast.AST]) -> None:
        self._rewritten = rewritten

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._rewritten(node)
