"""Check how long functions and files are: python -m tools.sizes.

Reads the files of the packages and tools; comes out with a line for each function or file over its
limit, then the distribution of the functions. A function's size is its lines from `def` to its
end; nested functions count by themselves as well. Decorators do not count.
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
class File:
    """A file, its size in lines, and its functions."""

    path: Path
    size: int
    functions: tuple[Function, ...]


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
    functions = (
        Function(path, node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1)
        for node in ast.walk(ast.parse(text, str(path)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return File(path, len(text.splitlines()), tuple(functions))


def too_long(files: Sequence[File]) -> Iterator[str]:
    """Yield a message for each file and each function over its limit."""
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
