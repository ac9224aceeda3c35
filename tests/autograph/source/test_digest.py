"""Code has another digest whenever its conversion may be another one, and else the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

import pytest

from autograph.source import digest as rooms
from autograph.source.digest import digest

TEXT = """\
def f(x, y=1):
    if x in {"a", "b", "c"}:
        return lambda: (x, 1.0, None, ..., b"x", 2j)
    return [y for y in x]
"""


def code_of(text: str, file: str = "net.py", flags: int = 0) -> CodeType:
    module = compile(text, file, "exec", flags=flags, dont_inherit=True)
    return next(value for value in module.co_consts if isinstance(value, CodeType))


def digest_of(text: str = TEXT, **options: Any) -> bytes:
    return digest(code_of(text, **options), "f", {"np": "numpy"})


CHANGES: dict[str, Callable[[], bytes]] = {
    "a constant": lambda: digest_of(TEXT.replace("2j", "3j")),
    "the type of a constant": lambda: digest_of(TEXT.replace("1.0", "1")),
    "the sign of a zero": lambda: digest_of(TEXT.replace("1.0", "-0.0")),
    "an item of a set": lambda: digest_of(TEXT.replace('"c"', '"d"')),
    "a name": lambda: digest_of(TEXT.replace("y", "z")),
    "a line": lambda: digest_of("\n" + TEXT),
    "a line inside": lambda: digest_of(TEXT.replace("    return [", "\n    return [")),
    "the file": lambda: digest_of(file="other.py"),
    "a future import": lambda: digest_of(flags=0x1000000),
    "the qualified name": lambda: digest(code_of(TEXT), "C.f", {"np": "numpy"}),
    "a module": lambda: digest(code_of(TEXT), "f", {"np": "numpy.linalg"}),
    "the name of a module": lambda: digest(code_of(TEXT), "f", {"xp": "numpy"}),
}


@pytest.mark.parametrize("what", CHANGES)
def test_another_digest_comes_from(what: str) -> None:
    assert CHANGES[what]() != digest_of()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python keeps no columns yet")
def test_another_column_has_another_digest() -> None:
    assert digest_of(TEXT.replace("return [y", "return  [y")) != digest_of()


@pytest.mark.parametrize("part", ["version of Python", "magic number"])
def test_another_python_has_another_digest(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_of()
    if part == "magic number":
        monkeypatch.setattr(rooms, "MAGIC_NUMBER", b"    ")
    else:
        monkeypatch.setattr(sys, "version", "3.99.0 (main)")
    monkeypatch.setattr(rooms, "rewriter", rooms.rewriter.__wrapped__)
    assert digest_of() != before


def test_another_rewriter_has_another_digest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    before = digest_of()
    (tmp_path / "gast.py").write_text("# another one")
    monkeypatch.setattr(rooms, "_GAST", tmp_path)
    monkeypatch.setattr(rooms, "rewriter", rooms.rewriter.__wrapped__)
    assert digest_of() != before


def test_all_rooms_of_the_rewriter_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    shutil.copytree(rooms._PACKAGE, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(rooms, "_PACKAGE", tmp_path)
    before = rooms.rewriter.__wrapped__()
    for file in ("converters/jump_lowering/try_.py", "analysis/scopes.py", "source/load.py"):
        with (tmp_path / file).open("a") as text:
            text.write("# another one")
        after = rooms.rewriter.__wrapped__()
        assert after != before
        before = after


def test_a_rewriter_without_files_is_said_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(rooms, "_PACKAGE", tmp_path / "archive.zip" / "autograph")
    with pytest.raises(OSError, match="archive"):
        rooms.rewriter.__wrapped__()


def test_each_process_finds_the_same_digest() -> None:
    text = (
        "from tests.autograph.source.test_digest import digest_of\nprint(digest_of().hex(), end='')"
    )
    for seed in ("1", "2"):  # sets of strings have another order
        found = subprocess.run(
            [sys.executable, "-c", text],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert found.stdout == digest_of().hex()


def test_running_code_keeps_its_digest() -> None:
    def often(n: int) -> int:
        total = 0
        for number in range(n):
            total += number
        return total

    before = digest(often.__code__, "often", {})
    for _ in range(100):
        often(100)
    assert digest(often.__code__, "often", {}) == before
