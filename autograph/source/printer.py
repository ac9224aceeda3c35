"""From a gast tree to text that reads back as the same tree. The only user of astor.

In: gast nodes. Out: text, printed by astor with the gaps of its release 0.8.1 closed, parsed back
and compared. Where that fails, the top-level statement is printed by `ast.unparse`, and counted;
where that fails too, an error is raised: no unchecked text leaves this module.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

import gast

from autograph.errors import PrintingError
from autograph.source.compare import difference
from autograph.source.deep_recursion import call_deep
from autograph.source.parse import quietly, to_ast

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # astor touches names that 3.12 deprecates
    import astor
    from astor.code_gen import set_precedence
    from astor.op_util import Precedence
    from astor.source_repr import split_lines

LINE_LENGTH = 100
# Decimal text of larger integers is beyond the limit that Python sets to such conversions.
_LARGE_INTEGER = 1 << 4096

#: How often astor's text did not read back and `ast.unparse` stood in, by kind of statement.
fallbacks: Counter[str] = Counter()


def to_text(nodes: gast.AST | Sequence[gast.AST]) -> str:
    """Return the text of a module, of statements (ending in a newline) or of an expression.

    Raises:
        PrintingError: no text reads back as the tree; the tree is not one the parser makes.

    Example:
        >>> import gast
        >>> print(to_text(gast.parse("x = (1 +  2)")), end="")
        x = 1 + 2
        >>> to_text(gast.parse("f( x )", mode="eval").body)
        'f(x)'
    """
    if isinstance(nodes, gast.expr):
        return to_text([gast.Expr(nodes)]).rstrip("\n")
    if isinstance(nodes, gast.Module):
        nodes = nodes.body
    statements = list(nodes) if isinstance(nodes, Sequence) else [nodes]
    return call_deep(lambda: _printed(statements))


def pattern_text(pattern: gast.AST) -> str:
    """Return the text of a pattern of a `match` statement.

    Example:
        >>> match = gast.parse("match x:\\n    case Point(x=0 ,y=y): pass").body[0]
        >>> pattern_text(match.cases[0].pattern)
        'Point(x=0, y=y)'
    """
    return ast.unparse(to_ast(pattern))


def _printed(statements: list[gast.AST]) -> str:
    tree = to_ast(gast.Module(statements, []))
    assert isinstance(tree, ast.Module)
    return print_module(tree)


def print_module(tree: ast.Module) -> str:
    """Return the text of an ast module, printed and checked as `to_text` does it."""
    text = _by_astor(tree)
    if not _complaint(text, tree):
        return text
    return "".join(_printed_statement(statement) for statement in tree.body)


def _printed_statement(statement: ast.stmt) -> str:
    alone = ast.Module(body=[statement], type_ignores=[])
    text = _by_astor(alone)
    if not _complaint(text, alone):
        return text
    fallbacks[type(statement).__name__] += 1
    text = ast.unparse(ast.fix_missing_locations(alone)) + "\n"
    complaint = _complaint(text, alone)
    if complaint:
        raise PrintingError(f"A rewritten tree has no text: {complaint}.\n{text}")
    return text


def _by_astor(tree: ast.Module) -> str:
    def pretty(source: list[str]) -> str:
        return "".join(split_lines(source, LINE_LENGTH))

    text: str = astor.to_source(tree, source_generator_class=_Generator, pretty_source=pretty)
    return text.strip("\n") + "\n" if tree.body else ""


def _complaint(text: str, tree: ast.Module) -> str:
    """Say how the text differs from the tree; nothing if it does not."""
    try:
        return difference(quietly(lambda: ast.parse(text)), tree)
    except (SyntaxError, ValueError) as error:
        return str(error)


class _Generator(astor.SourceGenerator):
    """astor's generator with what Python 3.8 and later brought, and its gaps closed."""

    _in_function = False

    # Definitions

    def visit_FunctionDef(self, node: ast.FunctionDef, is_async: bool = False) -> None:
        self.decorators(node, 0 if self._in_function else 1 if self.indentation else 2)
        self.statement(node, "async def " if is_async else "def ", node.name)
        self._type_params(node)
        self.write("(")
        self.visit_arguments(node.args)
        self.write(")")
        self.conditional_write(" -> ", node.returns)
        self.write(":")
        self._body_of(node, in_function=True)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.decorators(node, 0 if self._in_function else 2)
        self.statement(node, "class ", node.name)
        self._type_params(node)
        if node.bases or node.keywords:
            self.write("(")
            self.comma_list([*node.bases, *node.keywords])
            self.write(")")
        self.write(":")
        self._body_of(node, in_function=False)

    def _body_of(self, node: ast.FunctionDef | ast.ClassDef, in_function: bool) -> None:
        before, self._in_function = self._in_function, in_function
        self.body(node.body)
        self._in_function = before
        if not self.indentation:
            self.newline(extra=2)

    def visit_keyword(self, node: ast.keyword) -> None:
        set_precedence(Precedence.Comma, node.value)
        self.write(f"{node.arg}=" if node.arg else "**", node.value)

    def _type_params(self, node: ast.AST) -> None:
        params = getattr(node, "type_params", ())
        if params:
            self.write("[", ", ".join(map(ast.unparse, params)), "]")

    def visit_TypeAlias(self, node: ast.AST) -> None:
        self.statement(node, "type ", self.get_name(node))
        self._type_params(node)
        self.write(" =", " ", self.get_value(node))

    def visit_arguments(self, node: ast.arguments) -> None:
        positional = [*node.posonlyargs, *node.args]
        defaults = [*[None] * (len(positional) - len(node.defaults)), *node.defaults]
        writers = [(arg, default) for arg, default in zip(positional, defaults, strict=True)]
        parts: list[tuple[object, ...]] = [self._parameter(*pair) for pair in writers]
        if node.posonlyargs:
            parts.insert(len(node.posonlyargs), ("/",))
        if node.vararg or node.kwonlyargs:
            parts.append(("*", node.vararg) if node.vararg else ("*",))
        parts += [self._parameter(*pair) for pair in zip_longest(node.kwonlyargs, node.kw_defaults)]
        if node.kwarg:
            parts.append(("**", node.kwarg))
        for index, part in enumerate(parts):
            self.write(", " if index else "", *part)

    def _parameter(self, arg: ast.arg, default: ast.expr | None) -> tuple[object, ...]:
        """The equals sign is never ` = `: the line wrapper takes that for an assignment."""
        if default is None:
            return (arg,)
        set_precedence(Precedence.Comma, default)
        return (arg, " =", " ", default) if arg.annotation else (arg, "=", default)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        with self.delimit(node) as delimiters:
            set_precedence(delimiters.p, node.body)
            arguments = node.args
            is_bare = not any(getattr(arguments, field) for field in arguments._fields)
            self.write("lambda" if is_bare else "lambda ")
            self.visit_arguments(arguments)
            self.write(": ", node.body)

    # Statements

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        set_precedence(node, node.target)
        set_precedence(Precedence.Comma, node.annotation, node.value)
        is_parenthesised = isinstance(node.target, ast.Name) and not node.simple
        begin, end = ("(", ")") if is_parenthesised else ("", "")
        self.statement(node, begin, node.target, end, ": ", node.annotation)
        self.conditional_write(" =", " ", node.value)

    def visit_Delete(self, node: ast.Delete) -> None:
        self.statement(node, "del", " ")
        self.comma_list(node.targets)

    def visit_TryStar(self, node: ast.Try) -> None:
        self.statement(node, "try:")
        self.body(node.body)
        for handler in node.handlers:
            self.statement(handler, "except* ", handler.type)
            self.conditional_write(" as ", handler.name)
            self.write(":")
            self.body(handler.body)
        self.else_body(node.orelse)
        if node.finalbody:
            self.statement(node, "finally:")
            self.body(node.finalbody)

    def visit_Match(self, node: ast.Match) -> None:
        set_precedence(Precedence.Comma, node.subject)
        self.statement(node, "match ", node.subject, ":")
        self.body(node.cases)

    def visit_match_case(self, node: ast.match_case) -> None:
        self.statement(node, "case ", ast.unparse(node.pattern))
        self.conditional_write(" if ", node.guard)
        self.write(":")
        self.body(node.body)

    # Expressions

    def visit_JoinedStr(self, node: ast.AST) -> None:
        self.write(ast.unparse(node))

    visit_TemplateStr = visit_JoinedStr

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, int) and abs(node.value) >= _LARGE_INTEGER:
            self.write(f"({node.value:#x})")
        else:
            super().visit_Constant(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        index = node.slice
        has_star = isinstance(index, ast.Tuple) and any(
            isinstance(item, ast.Starred) for item in index.elts
        )
        if not (has_star and sys.version_info < (3, 11)):
            set_precedence(node, index)
        self.write(node.value, "[", index, "]")

    def visit_Slice(self, node: ast.Slice) -> None:
        set_precedence(Precedence.Comma, node.lower, node.upper, node.step)
        self.conditional_write(node.lower)
        self.write(":")
        self.conditional_write(node.upper)
        self.conditional_write(":", node.step)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        set_precedence(Precedence.Comma, node.elt)
        super().visit_ListComp(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        set_precedence(Precedence.Comma, node.elt)
        super().visit_SetComp(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        with self.delimit("{}"):
            for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
                set_precedence(Precedence.BitOr if key is None else Precedence.Comma, value)
                set_precedence(Precedence.Comma, key)
                self.write(", " if index else "", *((key, ": ") if key else ("**",)), value)
