"""What one process converted, the next finds on disk; and it finds nothing else."""

from __future__ import annotations

import importlib.util
import linecache
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from autograph import conversion, operators
from autograph.conversion import convert, to_code
from autograph.errors import SourceNotFoundError, UnsupportedSyntaxError
from autograph.source import code_cache

TEXT = """\
import math


def count(n, limit=10):
    total = 0
    for k in range(n):
        if k > limit:
            total += math.floor(k / 2)
    return total


def fail(x):
    while x:
        x = 1 / (x - 1)
    return x


class Thing:
    def __init__(self):
        self.__hidden = 0

    def grow(self, n):
        while self.__hidden < n:
            self.__hidden += 1
        return self.__hidden


def power(exponent):
    def raised(x):
        return x**exponent if x > 0 else 0
    return raised
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUTOGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(conversion, "_cache", {})
    return tmp_path / "cache" / "code"


@pytest.fixture
def module(folder: Path, tmp_path: Path) -> ModuleType:
    return imported(tmp_path / "module.py")


def imported(path: Path, text: str = TEXT) -> ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    result = importlib.util.module_from_spec(spec)
    exec(compile(text, str(path), "exec", dont_inherit=True), vars(result))
    return result


def read(monkeypatch: pytest.MonkeyPatch, function: FunctionType) -> tuple[FunctionType, int]:
    """Convert a function as a new process does; return how often a source was read, too."""
    loaded = []

    def load(function: object) -> Any:
        loaded.append(function)
        return original(function)

    original = conversion.load
    with monkeypatch.context() as patch:
        patch.setattr(conversion, "_cache", {})
        patch.setattr(conversion, "load", load)
        return convert(function, operators), len(loaded)


def test_the_second_process_reads_no_source(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    converted, loaded = read(monkeypatch, module.count)
    again, loaded_again = read(monkeypatch, module.count)
    assert (loaded, loaded_again) == (1, 0)
    assert again.__code__ == converted.__code__
    assert again.__code__ is not converted.__code__
    assert again(20) == converted(20) == module.count(20) == 65
    assert again.__code__.co_filename == module.count.__code__.co_filename


@pytest.mark.usefixtures("folder")
def test_closures_methods_and_private_names_are_the_same(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for function in (module.power(3), module.Thing.grow):
        read(monkeypatch, function)
    raised, loaded = read(monkeypatch, module.power(2))
    assert (raised(3), loaded) == (9, 0)
    grow, loaded = read(monkeypatch, module.Thing.grow)
    assert (grow(module.Thing(), 4), loaded) == (4, 0)


def test_a_traceback_shows_the_same_lines(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(monkeypatch, module.fail)
    converted, loaded = read(monkeypatch, module.fail)
    assert loaded == 0
    with pytest.raises(ZeroDivisionError) as caught:
        converted(1)
    steps = traceback.extract_tb(caught.value.__traceback__)
    frames = [step for step in steps if step.filename == module.__file__]
    assert (frames[-1].name, frames[-1].line) == ("fail", "x = 1 / (x - 1)")


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nothing but the disk, as a new process."""
    monkeypatch.setattr(conversion, "_cache", {})
    monkeypatch.setattr(linecache, "cache", {})


def edit(text: str, **names: object) -> Callable[[Path], FunctionType]:
    def make(path: Path) -> FunctionType:
        module = imported(path, text)
        vars(module).update(names)
        return module.count  # type: ignore[no-any-return]

    return make


CHANGES = {
    "another text": edit(TEXT.replace("k > limit", "k >= limit")),
    "another line": edit("\n" + TEXT),
    "another future": edit("from __future__ import annotations; " + TEXT),
    "another module": edit(TEXT, math=os),
    "no module": edit(TEXT, math=None),
    "a slice": edit(TEXT, slice=1),
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_is_converted_again_after(
    change: str, module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(monkeypatch, module.count)
    assert read(monkeypatch, imported(tmp_path / "module.py").count)[1] == 0
    assert read(monkeypatch, CHANGES[change](tmp_path / "module.py"))[1] == 1


def test_an_edited_file_does_not_matter_to_what_was_imported_before(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(monkeypatch, module.count)
    (tmp_path / "module.py").write_text(TEXT.replace("k > limit", "k < limit"))
    forget(monkeypatch)
    converted, loaded = read(monkeypatch, module.count)
    assert (converted(20), loaded) == (65, 0)
    with pytest.raises(SourceNotFoundError, match="the file was edited after it was imported"):
        to_code(module.count)


def test_a_function_whose_file_is_gone_is_refused_as_ever(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(monkeypatch, module.count)
    (tmp_path / "module.py").unlink()
    forget(monkeypatch)
    with pytest.raises(SourceNotFoundError, match=r"module\.py cannot be read"):
        read(monkeypatch, module.count)


def test_the_text_is_shown_after_a_hit(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    text = to_code(module.count)
    read(monkeypatch, module.count)
    read(monkeypatch, module.count)
    assert to_code(module.count) == text


def test_a_damaged_file_is_made_again(
    module: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(monkeypatch, module.count)
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:-5])
    converted, loaded = read(monkeypatch, module.count)
    assert (converted(20), loaded) == (65, 1)
    assert read(monkeypatch, module.count)[1] == 0


def test_what_cannot_be_converted_is_not_stored(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise UnsupportedSyntaxError("No.")

    module = imported(tmp_path / "refused.py")
    with monkeypatch.context() as patch:
        patch.setattr(conversion, "rewrite", refuse)
        for _ in range(2):
            with pytest.raises(UnsupportedSyntaxError, match=r"No\."):
                read(monkeypatch, module.count)
    assert not folder.exists()


def test_nothing_is_stored_where_it_is_switched_off(
    module: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOGRAPH_CACHE_DIR", "")
    assert [read(monkeypatch, module.count)[1] for _ in range(2)] == [1, 1]
    assert not folder.exists()


def test_nothing_is_stored_where_the_rewriter_is_not_known(
    module: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def digest(*arguments: object) -> bytes:
        raise NotADirectoryError("archive.zip/autograph")

    monkeypatch.setattr(conversion, "digest", digest)
    assert read(monkeypatch, module.count)[0](20) == 65
    assert not folder.exists()


def test_processes_may_convert_at_the_same_time(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(TEXT)
    text = (
        "import module\n"
        "from autograph import conversion, operators\n"
        "for _ in range(20):\n"
        "    conversion._cache.clear()\n"
        "    converted = conversion.convert(module.count, operators)\n"
        "    assert converted(20) == 65\n"
        "conversion.load = None\n"
        "conversion._cache.clear()\n"
        "print(conversion.convert(module.count, operators)(20), end='')\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", text],
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    assert [process.communicate() for process in processes] == [("65", "")] * 3
    assert len(list(folder.iterdir())) == 1


def test_code_compiled_without_asserts_is_not_stored(
    module: ModuleType, folder: Path, tmp_path: Path
) -> None:
    text = (
        "import module\n"
        "from autograph import conversion, operators\n"
        "print(conversion.convert(module.count, operators)(20), end='')\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    found = subprocess.run(
        [sys.executable, "-O", "-c", text],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "65"
    assert not folder.exists()
    assert code_cache.is_on()
