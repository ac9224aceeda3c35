"""A rewritten function as text that keeps every letter of what was not rewritten.

In: the layout of a text, a function in it, the function's rewritten tree. Out: the new text of
the function. A statement that the rewriting left as it was is copied with the comments around it,
also where it was moved into a branch or a loop body; only the rest is printed.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Sequence

from autograph.files.layout import Layout, Statement, blocks
from autograph.source.parse import split_lines
from autograph.source.printer import print_module

_MARK = "autograph_block_"
_MARK_LINE = re.compile(rf"^(\s*){_MARK}(\d+)$")


def splice(layout: Layout, original: ast.AST, rewritten: ast.AST) -> str:
    """Return the text that takes the place of the original function in the layout's text."""
    indent = layout.indentation(layout.statements[original].start) or ""
    return _Renderer(layout, original).statement(rewritten, indent)


def print_whole(layout: Layout, original: ast.AST, rewritten: ast.stmt) -> str:
    """Return the printed text of a whole function, the way out where splicing fails."""
    indent = layout.indentation(layout.statements[original].start) or ""
    unit = "\t" if indent.startswith("\t") else unit_of(layout)
    lines = indented(print_module(ast.Module([rewritten], [])), indent, unit)
    return layout.newline.join(lines).removeprefix(indent)


def unit_of(layout: Layout) -> str:
    """Return what the text is indented by: a tab, or the spaces of its first block."""
    for statement in layout.statements.values():
        inner = layout.indentation(statement.start)
        if inner:
            return "\t" if inner[0] == "\t" else inner
    return "    "


class Fingerprints:
    """Numbers that are equal for trees that mean the same; each subtree is visited once."""

    def __init__(self) -> None:
        self._known: dict[ast.AST, int] = {}

    def of(self, value: object) -> int:
        if isinstance(value, ast.AST):
            if value not in self._known:
                fields = tuple(self.of(getattr(value, name, None)) for name in value._fields)
                self._known[value] = hash((type(value).__name__, fields))
            return self._known[value]
        if isinstance(value, list):
            return hash(tuple(map(self.of, value)))
        return hash((type(value).__name__, value if isinstance(value, int) else repr(value)))

    def of_header(self, node: ast.AST) -> int:
        """Leave out the blocks of a statement, but not how many handlers or cases it has."""
        inner = [field for field, _ in blocks(node)]
        rest = [name for name in node._fields if name not in inner]
        parts = [self.of_header(part) for field in inner for part in self._clauses(node, field)]
        fields = tuple(self.of(getattr(node, name, None)) for name in rest)
        return hash((type(node).__name__, tuple(inner), fields, tuple(parts)))

    def _clauses(self, node: ast.AST, field: str) -> Sequence[ast.AST]:
        clauses: Sequence[ast.AST] = getattr(node, field) if field in ("handlers", "cases") else ()
        return clauses


class _Renderer:
    """One walk over a rewritten function that writes it down, statement by statement.

    The text of a statement has no indentation in front of its first line and no line end behind
    its last; all other lines have their whole indentation.
    """

    def __init__(self, layout: Layout, function: ast.AST) -> None:
        self._layout = layout
        self._default_unit = unit_of(layout)
        self._same = Fingerprints()
        inside = [node for node in ast.walk(function) if node in layout.statements]
        placed = [node for node in inside if hasattr(node, "lineno")]
        self._by_place = {_place(node): node for node in placed}
        self._by_line = {_place(node)[0]: node for node in reversed(placed)}
        self._used: set[ast.AST] = set()
        self._commented: set[ast.AST] = set()

    def statement(self, new: ast.AST, indent: str) -> str:
        """Return the text of a statement: copied, copied in part, or printed."""
        old = self._original(new)
        if old is not None and self._is_unchanged(old, new):
            return self._as_if(self._copied(old, indent))
        if old is not None and self._has_same_header(old, new):
            return self._as_if(self._copied_header(old, new, indent))
        if any(blocks(new)):
            return self._printed_header(new, indent)
        return self._printed(new, indent)

    @staticmethod
    def _as_if(text: str) -> str:
        """An arm of an if that became a statement of its own begins with another word."""
        return text.removeprefix("el") if re.match(r"elif\b", text) else text

    # Blocks, and what stands between their statements

    def _block(self, news: Sequence[ast.AST], olds: Sequence[ast.AST], indent: str) -> str:
        """Return the statements of a block behind a colon that was copied, in front of `olds`."""
        first, last = self._place(olds[0]), self._place(olds[-1])
        if len(news) == len(olds) and all(map(self._is_unchanged, olds, news)):
            self._use(*olds)
            end = self._layout.behind(last.end)
            return self._layout.shifted(first.before, end, self._indentation(first), indent)
        is_one_line = self._layout.indentation(first.start) is None
        return self._statements(news, indent, None if is_one_line else olds[0])

    def _statements(
        self, news: Sequence[ast.AST], indent: str, expected: ast.AST | None = None
    ) -> str:
        """Return statements and all that is between them; the expected one follows its own gap."""
        pieces: list[str] = []
        for new in news:
            old = self._original(new)
            is_copied = old is not None and self._is_unchanged(old, new)
            is_next = is_copied and old is expected
            pieces += [self._gap(new, indent, is_next=is_next), self.statement(new, indent)]
            expected = self._layout.followers.get(old) if is_copied and old else None
        return "".join(pieces)

    def _gap(self, new: ast.AST, indent: str, *, is_next: bool) -> str:
        """Return what stands in front of a statement: its comments, once, or just a new line."""
        owner = self._owner(new)
        if owner is not None and owner not in self._used:
            self._used.add(owner)
            place = self._place(owner)
            gap = self._layout.shifted(place.before, place.start, self._indentation(place), indent)
            if is_next or _is_clean(gap):
                return gap
        return self._layout.newline + indent

    # The ways to write a statement

    def _copied(self, old: ast.AST, indent: str) -> str:
        place = self._place(old)
        self._use(old)
        end = self._layout.behind(place.end)
        return self._layout.shifted(place.start, end, self._indentation(place), indent)

    def _copied_header(self, old: ast.AST, new: ast.AST, indent: str) -> str:
        """Copy header and clauses, and go on with the statements of the blocks."""
        place = self._place(old)
        base = self._indentation(place)
        pieces: list[str] = []
        done = place.start
        for (field, news), (_, olds) in zip(blocks(new), blocks(old), strict=True):
            clause_end, text = self._clause(field, news, olds, base, indent)
            pieces += [self._layout.shifted(done, clause_end, base, indent), text]
            done = self._layout.behind(self._place(olds[-1]).end)
        return "".join(pieces)

    def _clause(
        self, field: str, news: list[ast.AST], olds: list[ast.AST], base: str, indent: str
    ) -> tuple[int, str]:
        """Return where the copied text in front of a block ends, and the text of the block."""
        first = self._place(olds[0])
        if field in ("handlers", "cases"):
            return first.start, self._clauses(news, olds, base, indent)
        inner = self._inner(first, base, indent)
        if not self._is_elif(olds[0]):
            return first.before, self._block(news, olds, inner)
        if len(news) == 1 and self._original(news[0]) is olds[0]:
            if self._is_unchanged(olds[0], news[0]):
                return first.start, self._copied(olds[0], indent)
            if self._has_same_header(olds[0], news[0]):
                return first.start, self._copied_header(olds[0], news[0], indent)
        inner = indent + self._unit(indent)
        return first.before, f"{self._layout.newline}{indent}else:{self._statements(news, inner)}"

    def _clauses(self, news: list[ast.AST], olds: list[ast.AST], base: str, indent: str) -> str:
        pieces: list[str] = []
        done = self._place(olds[0]).start
        for new, old in zip(news, olds, strict=True):
            place = self._place(old)
            pieces.append(self._layout.shifted(done, place.start, base, indent))
            pieces.append(self._copied_header(old, new, self._inner(place, base, indent)))
            done = self._layout.behind(place.end)
        return "".join(pieces)

    def _inner(self, place: Statement, base: str, indent: str) -> str:
        """Return the new indentation of what is inside a statement that is copied."""
        own = self._layout.indentation(place.start)
        return indent + (self._unit(indent) if own is None else own.removeprefix(base))

    def _printed_header(self, new: ast.AST, indent: str) -> str:
        """Print a statement with marks for its blocks, and put the blocks in."""
        found: list[list[ast.AST]] = []
        skeleton = self._skeleton(new, found)
        assert isinstance(skeleton, ast.stmt)
        lines: list[str] = []
        for line in indented(print_module(ast.Module([skeleton], [])), indent, self._unit(indent)):
            mark = _MARK_LINE.match(line)
            if mark:
                lines[-1] += self._statements(found[int(mark[2])], mark[1])
            else:
                lines.append(line)
        return self._layout.newline.join(lines).removeprefix(indent)

    def _skeleton(self, new: ast.AST, found: list[list[ast.AST]]) -> ast.AST:
        """Return a statement without the statements in it, which are put aside."""
        copied = copy.copy(new)
        for field, block in blocks(new):
            if field in ("handlers", "cases") or self._continues(field, block):
                setattr(copied, field, [self._skeleton(part, found) for part in block])
            else:
                mark = ast.Expr(ast.Name(f"{_MARK}{len(found)}", ast.Load()))
                setattr(copied, field, [mark])
                found.append(block)
        return copied

    def _continues(self, field: str, block: list[ast.AST]) -> bool:
        """Whether a block is an `elif`."""
        if field != "orelse" or len(block) != 1 or not isinstance(block[0], ast.If):
            return False
        old = self._original(block[0])
        return old is None or self._is_elif(old)

    def _printed(self, new: ast.AST, indent: str) -> str:
        assert isinstance(new, ast.stmt)
        text = print_module(ast.Module([new], []))
        lines = indented(text, indent, self._unit(indent))
        return self._layout.newline.join(lines).removeprefix(indent) + self._comment(new)

    def _comment(self, new: ast.AST) -> str:
        """Return the comment at the end of the line that a new statement stands for, once."""
        owner = self._owner(new)
        if owner is None or any(blocks(owner)) or owner in self._commented:
            return ""
        self._commented.add(owner)
        return self._layout.comment_after(self._place(owner).end)

    # What is known of a statement

    def _place(self, node: ast.AST) -> Statement:
        return self._layout.statements[node]

    def _use(self, *nodes: ast.AST) -> None:
        """The comments in and around these statements were copied."""
        for node in nodes:
            inside = [part for part in ast.walk(node) if part in self._layout.statements]
            self._used.update(inside)
            self._commented.update(inside)

    def _unit(self, indent: str) -> str:
        return "\t" if indent.startswith("\t") else self._default_unit

    def _indentation(self, place: Statement) -> str:
        """Return the indentation of the line on which a statement begins."""
        start = self._layout.line_start(place.start)
        line = self._layout.text[start : place.start]
        return line[: len(line) - len(line.lstrip())]

    def _is_elif(self, old: ast.AST) -> bool:
        text = self._layout.text
        return isinstance(old, ast.If) and text.startswith("elif", self._place(old).start)

    def _original(self, new: ast.AST) -> ast.AST | None:
        """Return the statement of the same class that stood there before the rewriting."""
        old = self._by_place.get(_place(new))
        return old if type(old) is type(new) else None

    def _owner(self, new: ast.AST) -> ast.AST | None:
        """Return the statement that a new one stands for."""
        return self._by_place.get(_place(new)) or self._by_line.get(_place(new)[0])

    def _is_unchanged(self, old: ast.AST, new: ast.AST) -> bool:
        return self._same.of(old) == self._same.of(new)

    def _has_same_header(self, old: ast.AST, new: ast.AST) -> bool:
        return any(blocks(new)) and self._same.of_header(old) == self._same.of_header(new)


def indented(text: str, indent: str, unit: str) -> list[str]:
    """Return the lines of printed text with another indentation, except inside of strings."""
    tree = ast.parse(text)
    inside = {
        line
        for node in ast.walk(tree)
        if type(node).__name__ in ("Constant", "JoinedStr", "TemplateStr")
        for line in range(getattr(node, "lineno", 0) + 1, getattr(node, "end_lineno", 0) + 1)
    }
    lines = [line.rstrip("\r\n") for line in split_lines(text)]
    return [
        line if number in inside or not line else indent + _with_unit(line, unit)
        for number, line in enumerate(lines, 1)
    ]


def _with_unit(line: str, unit: str) -> str:
    rest = line.lstrip(" ")
    depth, remainder = divmod(len(line) - len(rest), 4)
    return unit * depth + " " * remainder + rest


def _place(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _is_clean(gap: str) -> bool:
    """Whether a gap is made of comments and of at least one line end."""
    lines = split_lines(gap)
    return len(lines) > 1 and all(not line.strip() or line.lstrip()[0] == "#" for line in lines)
