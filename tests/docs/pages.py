"""Running the code of a page of documentation and comparing what it prints.

    page   = (prose | python [text])*
    python = "```python" line* "```"       is run; all of them share their names
    text   = "```text" line* "```"         right after a python block: what that block prints

Functions on the page have their source: for Python, the page is a module in which everything that
is not code is an empty line.
"""

from __future__ import annotations

import contextlib
import io
import linecache
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Fence:
    """The lines between two fences, without them: `lines[start:stop]` of the page."""

    language: str
    start: int
    stop: int


def fences(lines: list[str]) -> list[Fence]:
    """Return the fenced blocks of a page."""
    marks = [k for k, line in enumerate(lines) if line.startswith("```")]
    assert len(marks) % 2 == 0, "a fence is not closed"
    return [
        Fence(lines[start][3:].strip(), start + 1, stop)
        for start, stop in zip(marks[::2], marks[1::2], strict=True)
    ]


def run(path: Path) -> str:
    """Run a page and return its text as it should be: with what its code prints now."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    found = fences(lines)
    code = _as_module(lines, found, path.name)
    namespace: dict[str, Any] = {"__name__": path.stem}
    printed = [_printed(code, fence, path.name, namespace) for fence in found]
    following_ones = [*found[1:], None]
    for fence, following, text in [*zip(found, following_ones, printed, strict=True)][::-1]:
        if fence.language != "python":
            continue
        if following is not None and _shows_output(lines, fence, following):
            lines[following.start : following.stop] = [text]
        else:
            assert not text, f"line {fence.start} prints, and no text block follows: {text}"
    return "".join(lines)


def _as_module(lines: list[str], found: list[Fence], name: str) -> list[str]:
    code = ["\n"] * len(lines)
    for fence in found:
        if fence.language == "python":
            code[fence.start : fence.stop] = lines[fence.start : fence.stop]
    linecache.cache[name] = (len("".join(code)), None, code, name)
    return code


def _printed(code: list[str], fence: Fence, name: str, namespace: dict[str, Any]) -> str:
    if fence.language != "python":
        return ""
    text = "\n" * fence.start + "".join(code[fence.start : fence.stop])
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(text, name, "exec"), namespace)
    return "".join(f"{line.rstrip()}\n" for line in output.getvalue().rstrip().splitlines())


def _shows_output(lines: list[str], fence: Fence, following: Fence) -> bool:
    between = lines[fence.stop + 1 : following.start - 1]
    return following.language == "text" and not any(line.strip() for line in between)


def check(path: Path, update: bool) -> None:
    """Compare a page with what its code prints now, or write that into it."""
    now = run(path)
    if update:
        path.write_text(now, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == now
