"""Files, rooms and modules that the documentation names are there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
ROOMS = ("autograph", "runtime", "tests", "tools", "examples", "docs")
FILES = [str(x.relative_to(ROOT)) for room in ROOMS for x in (ROOT / room).rglob("*.py")]
OURS = re.compile(r"(?:autograph|runtime|tests|tools)(?:\.\w+)+")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+")
ELSEWHERE = {
    "autograph-runtime/code": "the folder of stored conversions",
    "Library/Caches": "a folder of macOS",
    "df/dx": "a derivative",
    "df/dy": "a derivative",
    "model/dense_1/kernel/.ATTRIBUTES/VARIABLE_VALUE": "a key of a checkpoint",
}
"""What looks like a file, and is none of the project's."""


def code_in(text: str) -> list[str]:
    """Return what a page writes as code within its sentences."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.M))


def is_there(path: str) -> bool:
    """Tell whether a path is a file, a folder, or the end of a module's path."""
    if (ROOT / path).exists() or any((ROOT / room / path).is_dir() for room in ROOMS):
        return True
    ends = f"/{path}", f"/{path}.py"
    return any(f"/{file}".endswith(ends) for file in FILES)


def is_name(text: str) -> bool:
    """Tell whether a dotted text is a module, or what one has."""
    module, _, name = text.rpartition(".")
    try:
        importlib.import_module(text)
    except ModuleNotFoundError:
        return bool(module) and hasattr(importlib.import_module(module), name)
    return True


@pytest.mark.parametrize("path", ["passes/fold", "runtime/passes/fold.py", "passes"])
def test_what_is_there_is_found(path: str) -> None:
    assert is_there(path)


@pytest.mark.parametrize("path", ["passes/settled", "old.py", "runtime/passes/settled"])
def test_what_is_not_there_is_seen(path: str) -> None:
    assert not is_there(path)


def test_names_are_looked_up() -> None:
    assert is_name("runtime.passes.fold")
    assert is_name("runtime.passes.fold.fold_constants")
    assert not is_name("runtime.passes.settled")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_places_that_a_page_names_are_there(page: Path) -> None:
    code = code_in(page.read_text())
    paths = {x for text in code for x in PATH.findall(text) if x not in ELSEWHERE}
    assert [x for x in sorted(paths) if not is_there(x)] == []
    assert [x for x in code if OURS.fullmatch(x) and not is_name(x)] == []
