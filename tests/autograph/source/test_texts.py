"""Functions are found in all the ways in which Python may be given a program."""

from __future__ import annotations

import subprocess
import sys
import zipapp
import zipfile
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """\
import autograph as ag
def f(x):
    while x > 1:
        x = x / 2
    return x

print("SAW", ag.function(f)(4), "while_" in ag.to_code(f))
print("SAW", ag.to_code(lambda x: x + 2 if x else 0).strip())
"""
SEEN = ["1.0 True", "lambda x: ag.if_exp(x, lambda: x + 2, lambda: 0)"]
KEEPS_PROMPTS = sys.version_info >= (3, 13)


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


def seen(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return what a program printed, without the prompts."""
    assert "SAW" in done.stdout, done.stderr
    return [line.partition("SAW ")[2] for line in done.stdout.splitlines() if "SAW " in line]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_a_program_in_a_file(file: Path) -> None:
    assert seen(run(str(file))) == SEEN


def test_a_program_on_the_command_line() -> None:
    assert seen(run("-c", PROGRAM)) == SEEN


@pytest.mark.parametrize("arguments", [["-"], []])
def test_a_program_from_a_file_as_standard_input(file: Path, arguments: list[str]) -> None:
    with file.open() as stream:
        assert seen(run(*arguments, stdin=stream)) == SEEN


def test_a_program_from_a_pipe_is_refused() -> None:
    assert run("-", input=PROGRAM).stderr.splitlines()[-2:] == [
        "autograph.errors.SourceNotFoundError: The source of f is not available: it was read from "
        "a pipe or typed at the prompt of an older Python (<stdin>), which keeps no text.",
        "Try: Write the function to a file and import it, or use IPython, a notebook or the prompt "
        "of Python 3.13.",
    ]


@pytest.mark.skipif(not KEEPS_PROMPTS, reason="Python keeps what is typed from 3.13 on")
def test_a_program_that_is_typed_at_the_prompt() -> None:
    assert seen(run("-i", input=PROGRAM)) == SEEN


@pytest.mark.skipif(KEEPS_PROMPTS, reason="Python keeps what is typed from 3.13 on")
def test_a_program_that_is_typed_at_the_prompt_is_refused_by_older_pythons() -> None:
    assert "typed at the prompt of an older Python (<stdin>)" in run("-i", input=PROGRAM).stderr


def test_a_program_that_another_one_runs(file: Path) -> None:
    assert seen(run("-c", f"import runpy; runpy.run_path({str(file)!r})")) == SEEN
    assert seen(run("-m", "program", cwd=file.parent)) == SEEN


def test_a_module_in_a_zip_file(file: Path) -> None:
    archive = file.parent / "archive.zip"
    with zipfile.ZipFile(archive, "w") as writer:
        writer.write(file, "zipped.py")
    assert seen(run("-c", f"import sys; sys.path[:0] = [{str(archive)!r}]; import zipped")) == SEEN


def test_an_application_in_a_zip_file(file: Path) -> None:
    folder = file.parent / "folder"
    folder.mkdir()
    (folder / "__main__.py").write_text(PROGRAM)
    zipapp.create_archive(folder, file.parent / "app.pyz")
    assert seen(run(str(file.parent / "app.pyz"))) == SEEN


def test_a_program_in_a_doctest(tmp_path: Path) -> None:
    path = tmp_path / "example.txt"
    path.write_text(
        ">>> import autograph as ag\n"
        ">>> def f(x):\n...     while x > 1:\n...         x = x / 2\n...     return x\n"
        ">>> ag.function(f)(4)\n1.0\n"
        ">>> ag.function(lambda x: x + 2 if x else 0)(4)\n6\n"
    )
    done = run("-m", "doctest", str(path))
    assert (done.returncode, done.stdout) == (0, "")


def test_the_cells_of_a_notebook(tmp_path: Path) -> None:
    cells = (
        "import linecache\n"
        "def run(number, text, scope={}):\n"
        "    name = f'/tmp/ipykernel_1/{number}.py'\n"
        "    linecache.cache[name] = (len(text), None, text.splitlines(True), name)\n"
        "    exec(compile(text, name, 'exec'), scope)\n"
        f"program = {PROGRAM!r}\n"
        "run(1, program)\n"
        "run(2, program.replace('x / 2', 'x / 4'))\n"
    )
    (tmp_path / "cells.py").write_text(cells)
    assert seen(run(str(tmp_path / "cells.py"))) == SEEN * 2


def test_a_module_whose_loader_has_the_source(tmp_path: Path) -> None:
    loading = (
        f"text = {PROGRAM!r}\n"
        "class Loader:\n    def get_source(self, name):\n        return text\n"
        "scope = {'__name__': 'made', '__loader__': Loader()}\n"
        "exec(compile(text, 'made.py', 'exec'), scope)\n"
    )
    (tmp_path / "loading.py").write_text(loading)
    assert seen(run(str(tmp_path / "loading.py"))) == SEEN


def test_a_module_without_its_source_is_refused(file: Path) -> None:
    run("-m", "compileall", "-q", "-b", str(file))
    file.unlink()
    error = run("-c", "import program", cwd=file.parent).stderr
    assert "The source of f is not available: its file" in error
    assert error.endswith("Try: Put the .py file there: a .pyc is not enough.\n")
