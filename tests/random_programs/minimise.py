"""Shrink a random program that goes wrong, by delta debugging on its tree.

    python -m tests.random_programs.minimise plain 662            the program of a seed
    python -m tests.random_programs.minimise array program.py     a program in a file

Statements are left out, compound ones replaced by their bodies, expressions by their parts or by
constants, as long as the finding stays of the same kind. Each candidate has the time limit of its
family. What comes out can be put into `corpus.txt`.
"""

from __future__ import annotations

import ast
import copy
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.random_programs.families import FAMILIES, check, kind_of

Edit = Callable[[ast.AST], None]
BODIES = ("body", "orelse", "finalbody")
PARTS = (
    "decorator_list",
    "handlers",
    "cases",
    "items",
    "keywords",
    "elts",
    "targets",
    "generators",
)
PARTS += ("defaults", "ifs", "values", "comparators", "args", "names", "bases")


def minimised(text: str, is_bad: Callable[[str], bool]) -> str:
    """Return a smallest program for which `is_bad` holds, as it does for `text`.

    >>> print(minimised("def f(a):\\n    b = a + (3 if a else 4)", lambda x: "3" in x))
    3
    """
    text, first = ast.unparse(ast.parse(text)), 0
    while True:
        for position, candidate in enumerate(_candidates(text, first), first):
            if len(candidate) < len(text) and is_bad(candidate):
                text, first = candidate, position
                break
        else:
            if not first:
                return text
            first = 0  # what was tried before may work now


def _candidates(text: str, first: int) -> Iterator[str]:
    """Yield smaller programs; the same position is about the same place in the next smaller one."""
    edits = [
        (place, edit)
        for place, node in enumerate(ast.walk(ast.parse(text)))
        for edit in _edits(node)
    ]
    for place, edit in edits[first:]:
        tree = ast.parse(text)
        edit(next(node for k, node in enumerate(ast.walk(tree)) if k == place))
        try:
            yield ast.unparse(ast.parse(ast.unparse(ast.fix_missing_locations(tree))))
        except (SyntaxError, ValueError, AttributeError, IndexError, TypeError):
            yield text  # no program


def _edits(node: ast.AST) -> Iterator[Edit]:
    """Yield what can be done to a node, the largest changes first."""
    for field, value in ast.iter_fields(node):
        if isinstance(value, list) and field in (*BODIES, *PARTS):
            yield from _parts(field, value)
        elif isinstance(value, ast.expr):
            yield from _simpler(field, None, value)
        elif isinstance(value, ast.AST | str) and field in ("guard", "optional_vars", "cause"):
            yield _setting(field, None, None)


def _parts(field: str, value: list[ast.AST]) -> Iterator[Edit]:
    size = len(value)
    while size:
        for start in range(0, len(value), size):
            yield _without(field, start, start + size)
        size //= 2
    for k, item in enumerate(value):
        if isinstance(item, ast.stmt):
            yield from (_replacing(field, k, part) for part in _bodies(item))
        elif isinstance(item, ast.expr):
            yield from _simpler(field, k, item)


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in BODIES:
        if getattr(node, name, None):
            yield getattr(node, name)
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def _simpler(field: str, index: int | None, value: ast.expr) -> Iterator[Edit]:
    if isinstance(value, ast.Constant):
        return
    if isinstance(getattr(value, "ctx", ast.Load()), ast.Load):
        yield from (_setting(field, index, ast.Constant(value=number)) for number in (0, 1))
    for part in ast.iter_child_nodes(value):
        if isinstance(part, ast.expr):
            yield _setting(field, index, part)


def _without(field: str, start: int, end: int) -> Edit:
    def edit(node: ast.AST) -> None:
        parts = getattr(node, field)
        del parts[start:end]
        if not parts and field == "body":
            parts.append(ast.Pass())

    return edit


def _replacing(field: str, index: int, part: list[ast.stmt]) -> Edit:
    def edit(node: ast.AST) -> None:
        getattr(node, field)[index : index + 1] = copy.deepcopy(part)

    return edit


def _setting(field: str, index: int | None, value: ast.AST | None) -> Edit:
    def edit(node: ast.AST) -> None:
        if index is None:
            setattr(node, field, copy.deepcopy(value))
        else:
            getattr(node, field)[index] = copy.deepcopy(value)

    return edit


def signature(finding: str) -> tuple[str, str, frozenset[str]]:
    """Return what has to stay the same of a finding: its kind, first word, and errors."""
    return kind_of(finding), finding.partition(" ")[0], frozenset(re.findall(r"\w+Error", finding))


def main(arguments: list[str]) -> int:
    """Shrink a program and print it with its finding."""
    family, what = arguments
    text = FAMILIES[family].write(int(what)) if what.isdigit() else Path(what).read_text("utf-8")
    finding = check(family, text, what)
    if kind_of(finding) == "same":
        print(f"{family} {what} is the same in all forms.")
        return 1
    wanted = signature(finding)
    small = minimised(text, lambda x: signature(check(family, x, "candidate")) == wanted)
    print(f"{small}\n\n# {check(family, small, what)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
