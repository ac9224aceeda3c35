"""Convert every module of real libraries: each converts, compiles, and converts to itself again.

    python -m tools.convert_library                    the standard library, but its tests
    python -m tools.convert_library numpy test         installed packages; `test` is Python's own

Nothing is imported or run. Prints what failed, and a table: how many files and lines, how many
files have something to convert, how many failed, and the time that all took.
"""

from __future__ import annotations

import importlib.util
import sys
import sysconfig
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograph.errors import InvalidSourceError
from autograph.files.modules import convert_module, read_module
from autograph.source.deep_recursion import call_deep
from autograph.source.parse import parse

STANDARD = "stdlib"
LEFT_OUT = {"site-packages", "test", "tests", "idle_test"}
"""Folders that are not the standard library itself."""


@dataclass
class Row:
    """A line of the table: what became of the files of a package."""

    package: str
    files: int = 0
    lines: int = 0
    converted: int = 0
    failures: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        """Return the line."""
        counts = (self.files, self.lines, self.converted, self.failures)
        return f"| {self.package} | {' | '.join(f'{n:,}' for n in counts)} | {self.seconds:.0f} s |"


def main(packages: Sequence[str]) -> int:
    """Convert all packages, print the table; the exit status tells whether a file failed."""
    warnings.simplefilter("ignore")
    rows = [row_of(package) for package in packages or [STANDARD]]
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"| Python {version} | files | lines | converted | failures | time |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        print(row)
    return int(any(row.failures for row in rows))


def row_of(package: str) -> Row:
    """Convert the files of a package, print what fails, and count."""
    row, start = Row(package), time.perf_counter()
    for path in files_of(package):
        source = path.read_bytes()
        if not is_python(source, path):
            continue
        changed, problem = checked(source, path)
        row.files += 1
        row.lines += source.count(b"\n")
        row.converted += changed
        if problem:
            row.failures += 1
            print(f"{path}: {problem}", flush=True)
    row.seconds = time.perf_counter() - start
    return row


def files_of(package: str) -> Iterator[Path]:
    """Yield the Python files of a package, or of the standard library, in a fixed order."""
    if package == STANDARD:
        library = Path(sysconfig.get_paths()["stdlib"])
        for path in sorted(library.rglob("*.py")):
            if LEFT_OUT.isdisjoint(path.relative_to(library).parts):
                yield path
        return
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"There is no package {package} here; install it, or leave it out.")
    origin = Path(spec.origin)
    folder = origin.parent if spec.submodule_search_locations else None
    yield from sorted(folder.rglob("*.py")) if folder else [origin]


def is_python(source: bytes, path: Path) -> bool:
    """Tell whether a file is valid on this Python: tests of syntax errors are not."""
    try:
        text = read_module(source, str(path)).text
        call_deep(lambda: compile(parse(text, str(path)), str(path), "exec", dont_inherit=True))
    except (InvalidSourceError, SyntaxError, ValueError, RecursionError):
        return False
    return True


def checked(source: bytes, path: Path) -> tuple[bool, str]:
    """Return whether anything of a file is converted, and what is wrong with the result."""
    try:
        converted = convert_module(source, str(path))
        call_deep(lambda: compile(converted, str(path), "exec", dont_inherit=True))
        again = convert_module(converted, str(path))
    except Exception as error:
        return True, f"{type(error).__name__}: {error}"
    return converted != source, "" if again == converted else "converting it again changes it"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
