"""Where the statements of a text stand, letter by letter, and what is written between them.

In: a text and its ast tree. Out: for each statement its slice of the text, the comments before
and after it, its neighbours. It knows nothing of conversion.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from autograph.source.locate import first_line
from autograph.source.parse import split_lines

BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")

_SPACE = {tokenize.NL, tokenize.COMMENT, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}


@dataclass(frozen=True)
class Statement:
    """A statement, clause or case of the text.

    Attributes:
        node: its ast node.
        start, end: its slice of the text, decorators included.
        before: where the text ends that belongs to what stands in front of it.
    """

    node: ast.AST
    start: int
    end: int
    before: int


class Layout:
    """The text of a module with the places of its statements."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        self.text = text
        self.lines = split_lines(text)
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))
        self._tokens = _tokens(self.lines)
        self._token_starts = [self._at(token.start) for token in self._tokens]
        self._string_lines = frozenset(self._find_string_lines(tree))
        self.statements: dict[ast.AST, Statement] = {}
        #: For each statement the one behind it in the same block.
        self.followers: dict[ast.AST, ast.AST] = {}
        self._add_block(tree.body, 0)

    @property
    def newline(self) -> str:
        """The line end that the first line has."""
        return re.sub(r"[^\r\n]", "", self.lines[0]) or "\n" if self.lines else "\n"

    def offset(self, line: int, column: int) -> int:
        """Return the index of a place that ast counts in lines and UTF-8 bytes."""
        text = self.lines[line - 1]
        if not text.isascii():
            column = len(text.encode()[:column].decode("utf-8", "replace"))
        return self._starts[line - 1] + column

    def line_start(self, index: int) -> int:
        """Return the index at which the line of an index begins."""
        return self._starts[bisect_left(self._starts, index + 1) - 1]

    def line_end(self, index: int) -> int:
        """Return the index at which the line of an index ends, before the line end."""
        line = bisect_left(self._starts, index + 1) - 1
        if line >= len(self.lines):
            return len(self.text)
        return self._starts[line] + len(self.lines[line].rstrip("\r\n"))

    def indentation(self, index: int) -> str | None:
        """Return what stands before an index on its line, if that is nothing but white space."""
        prefix = self.text[self.line_start(index) : index]
        return None if prefix.strip() else prefix

    def comment_after(self, index: int) -> str:
        """Return the comment, with the space before it, if the line has nothing else after."""
        rest = self.text[index : self.line_end(index)]
        return rest.rstrip() if rest.lstrip().startswith("#") else ""

    def behind(self, end: int) -> int:
        """Return where the text of a statement ends with the comment on its last line."""
        return end + len(self.comment_after(end))

    def header_end(self, start: int, body_start: int) -> int:
        """Return the index behind the colon that opens a block."""
        last = bisect_left(self._token_starts, body_start) - 1
        while self._token_starts[last] >= start:
            if self._tokens[last].string == ":":
                return self._token_starts[last] + 1
            last -= 1
        raise ValueError("a block without a colon")

    def _clause_start(self, start: int) -> int:
        """Return the index of the first word at or behind an index that is no comment."""
        first = bisect_left(self._token_starts, start)
        while self._tokens[first].type in _SPACE:
            first += 1
        return self._token_starts[first]

    def shifted(self, start: int, end: int, old: str, new: str) -> str:
        """Return a slice of the text with another indentation, strings of several lines aside."""
        text = self.text[start:end]
        if old == new:
            return text
        pieces = split_lines(text)
        index = start
        for number, piece in enumerate(pieces):
            is_blank = not piece.strip() and piece.endswith(("\r", "\n"))
            is_free = number > 0 and not is_blank and index not in self._string_lines
            if is_free and piece.startswith(old):
                pieces[number] = new + piece[len(old) :]
            index += len(piece)
        if text.endswith(("\r", "\n")) and not old:  # the indentation that follows is empty
            pieces.append(new)
        return "".join(pieces)

    def _find_string_lines(self, tree: ast.Module) -> Iterator[int]:
        for node in ast.walk(tree):
            if type(node).__name__ in ("Constant", "JoinedStr", "TemplateStr"):
                first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
                yield from self._starts[first:last]

    def _at(self, place: tuple[int, int]) -> int:
        line, column = place
        if line > len(self.lines):
            return len(self.text)
        return self._starts[line - 1] + column

    def _add_block(self, nodes: list[ast.stmt] | list[ast.AST], before: int) -> int:
        for node in nodes:
            before = self._add(node, before)
        self.followers.update(pairwise(nodes))
        return before

    def _add(self, node: ast.AST, before: int) -> int:
        start, end = self._slice(node, before)
        self.statements[node] = Statement(node, start, end, before)
        inner = start
        for field, block in blocks(node):
            inner = self._add_block(block, self._opened(node, field, block[0], inner))
        return self.behind(end)

    def _opened(self, node: ast.AST, field: str, first: ast.AST, inner: int) -> int:
        """Return where a block's own text begins: behind its colon, if it has one of its own."""
        if isinstance(node, ast.Match):
            return self._behind_subject(node)
        start = self.start_of(first) if field != "handlers" else inner
        is_elif = isinstance(first, ast.If) and self.text.startswith("elif", start)
        return inner if field == "handlers" or is_elif else self.header_end(inner, start)

    def _behind_subject(self, node: ast.Match) -> int:
        end = self.offset(node.subject.end_lineno or 0, node.subject.end_col_offset or 0)
        index = bisect_left(self._token_starts, end)
        while self._tokens[index].string != ":":
            index += 1
        return self._token_starts[index] + 1

    def start_of(self, node: ast.AST) -> int:
        line = getattr(node, "lineno", 0)
        decorators = getattr(node, "decorator_list", None)
        if decorators:
            at = self.offset(first_line(node), decorators[0].col_offset)
            return self.text.rindex("@", 0, at)
        return self.offset(line, getattr(node, "col_offset", 0))

    def _slice(self, node: ast.AST, before: int) -> tuple[int, int]:
        """A case has no position of its own: it begins with its word, and ends with its body."""
        if isinstance(node, ast.match_case):
            last = node.body[-1]
            end = self.offset(last.end_lineno or 0, last.end_col_offset or 0)
            return self._clause_start(before), end
        end = self.offset(getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0))
        return self.start_of(node), end


def blocks(node: ast.AST) -> Iterator[tuple[str, list[ast.AST]]]:
    """Yield the names and the lists of the blocks of a statement, in the order of the text."""
    for field in BLOCKS:
        block = getattr(node, field, None)
        if isinstance(block, list) and block:
            yield field, block


def _tokens(lines: list[str]) -> list[tokenize.TokenInfo]:
    """Line ends are made alike for the tokenizer; columns stay what they are."""
    text = "".join(line.rstrip("\r\n") + "\n" for line in lines)
    return list(tokenize.generate_tokens(io.StringIO(text).readline))
