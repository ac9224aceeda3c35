"""Check how long functions and files are: python -m tools.sizes.

Reads the files of the packages and tools; comes out with a line for each function, class or file
over its limit, then the distribution of the functions. A function's size is its lines from `def` to
its end; nested functions count by themselves as well. Decorators do not count. A class that is over
its limit says why:

    class Writer:  # Long: the vocabulary of all that writes LLVM, a few lines a word.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("autograph", "runtime", "tools")
LONGEST_FUNCTION = 60
LONGEST_FILE = 400
LONGEST_FAMILY = 500
LONGEST_CLASS = 250
LONG = "  # Long: "
# Of all functions, at least this share of a hundred has fewer lines than that.
SHARES = ((50, 8), (90, 30))


@dataclass(frozen=True)
class Function:
    """A function and its size in lines."""

    path: Path
    name: str
    line: int
    size: int


@dataclass(frozen=True)
class Class:
    """A class, its size in lines, and whether it says why it is long."""

    path: Path
    name: str
    line: int
    size: int
    has_reason: bool


@dataclass(frozen=True)
class File:
    """A file, its size in lines, its functions and its classes."""

    path: Path
    size: int
    functions: tuple[Function, ...]
    classes: tuple[Class, ...] = ()


def main() -> int:
    """Check the project that this file belongs to."""
    files = list(read_files(Path(__file__).resolve().parent.parent))
    functions = [function for file in files for function in file.functions]
    found = [*too_long(files), *missed_shares(functions)]
    for message in found:
        print(message)
    outcome = f"{len(found)} too long" if found else "all within their limits"
    print(f"sizes: {len(files)} files, {len(functions)} functions, {outcome}; {summary(functions)}")
    return 1 if found else 0


def read_files(root: Path) -> Iterator[File]:
    """Measure the Python files in FOLDERS under `root`, in a fixed order."""
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*.py")):
            yield measure(file.relative_to(root), file.read_text(encoding="utf-8"))


def measure(path: Path, text: str) -> File:
    """Measure one file."""
    lines, tree = text.splitlines(), ast.parse(text, str(path))
    functions = (
        Function(path, node.name, node.lineno, _size(node))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    classes = (
        Class(path, node.name, node.lineno, _size(node), LONG in lines[node.lineno - 1])
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )
    return File(path, len(lines), tuple(functions), tuple(classes))


def _size(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def too_long(files: Sequence[File]) -> Iterator[str]:
    """Yield a message for each file, function and class over its limit."""
    for file in files:
        limit = LONGEST_FAMILY if file.path.parts[:2] == ("runtime", "ops") else LONGEST_FILE
        if file.size > limit:
            yield f"{file.path}:1: {file.size} lines, the limit is {limit}; make two files of it"
        for function in file.functions:
            if function.size > LONGEST_FUNCTION:
                yield (
                    f"{file.path}:{function.line}: {function.name} has {function.size} lines, "
                    f"the limit is {LONGEST_FUNCTION}"
                )
        for each in file.classes:
            yield from _unexplained(each)


def _unexplained(each: Class) -> Iterator[str]:
    """Yield a message for a class that is long and does not say why, or says so and is not."""
    place = f"{each.path}:{each.line}: {each.name} has {each.size} lines"
    if each.size > LONGEST_CLASS and not each.has_reason:
        yield f"{place}, the limit is {LONGEST_CLASS}; make two of it, or say why:{LONG}..."
    elif each.has_reason and each.size <= LONGEST_CLASS:
        yield f"{place}, and needs no reason"


def missed_shares(functions: Sequence[Function]) -> Iterator[str]:
    """Yield a message for each share of SHARES that the functions do not reach."""
    for percent, lines in SHARES:
        found = share_under(functions, lines)
        if found < percent:
            yield f"only {found:.0f} % of the functions are under {lines} lines, not {percent} %"


def summary(functions: Sequence[Function]) -> str:
    """Return the distribution in words: `61 % under 8 lines, 97 % under 30, the longest 44`."""
    shares = ", ".join(f"{share_under(functions, n):.0f} % under {n} lines" for _, n in SHARES)
    longest = max((function.size for function in functions), default=0)
    return f"{shares}, the longest {longest}"


def share_under(functions: Sequence[Function], lines: int) -> float:
    """Return how many of a hundred functions have fewer lines; 100 when there are none."""
    if not functions:
        return 100.0
    return 100 * sum(function.size < lines for function in functions) / len(functions)


if __name__ == "__main__":
    sys.exit(main())
