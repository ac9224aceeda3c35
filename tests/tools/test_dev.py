"""The command line of tools/dev.py, with its commands and its set-up replaced."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools import dev

Commands = list[tuple[str, ...]]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Replace the running of modules: what would have run is listed, and ruff finds something."""
    commands: Commands = []

    def run_module(*command: str, environment: dict[str, str] | None = None) -> int:
        commands.append(command)
        return int(command == ("ruff", "check"))

    monkeypatch.setattr(dev, "run_module", run_module)
    monkeypatch.setattr(dev, "set_up", lambda: None)
    return commands


def test_arguments_after_test_go_to_pytest(ran: Commands) -> None:
    assert dev.main(["test", "-k", "name"]) == 0
    defaults = ["-q", "-n", "auto", "--maxprocesses", "8", "--dist", "worksteal"]
    assert ran == [("pytest", *defaults, "-k", "name")]


def test_arguments_after_demo_go_to_the_demonstration(ran: Commands) -> None:
    assert dev.main(["demo", "--help"]) == 0
    assert ran == [("tools.demo", "--help")]


def test_check_goes_on_after_a_failure_and_fails(
    ran: Commands, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dev.main(["check"]) == 1
    assert [command[0] for command in ran] == [
        "ruff",
        "ruff",
        "mypy",
        "tools.layers",
        "tools.sizes",
    ]
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "dev: checks: format ok, lint FAILED, types ok, layers ok, sizes ok"


def test_fix_repairs_before_it_checks(ran: Commands) -> None:
    assert dev.main(["check", "--fix", "format"]) == 0
    assert ran[-2:] == [("ruff", "format"), ("ruff", "format", "--check")]


def test_unknown_check_is_an_error(ran: Commands, capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.main(["check", "colour"]) == 1
    assert capsys.readouterr().err == (
        "dev: no check is named 'colour'; there are format, lint, types, layers, sizes\n"
    )


@pytest.mark.parametrize("arguments", [[], ["fly"]])
def test_without_a_known_command_the_usage_is_shown(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert dev.main(arguments) == 2
    assert "tools/dev.py COMMAND" in capsys.readouterr().err


def test_help_succeeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.main(["--help"]) == 0
    assert "--fix" in capsys.readouterr().out


def test_old_python_is_refused_with_advice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev, "OLDEST", (9, 9))
    assert dev.main(["test"]) == 2
    assert "dev: Python 9.9 or newer is needed, but" in capsys.readouterr().err


def test_interrupt_ends_with_the_usual_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dev, "set_up", interrupt)
    assert dev.main(["test"]) == 130
    assert capsys.readouterr().err == "\ndev: interrupted\n"


def test_set_up_is_done_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    work: list[str] = []
    monkeypatch.setattr(dev, "PYTHON", Path(sys.executable))
    monkeypatch.setattr(dev, "STAMP", tmp_path / "stamp")
    monkeypatch.setattr(dev, "make_venv", lambda: work.append("venv"))
    monkeypatch.setattr(dev, "install", lambda: work.append("install"))
    dev.set_up()
    dev.set_up()
    assert work == ["install"]


def test_environment_of_another_python_is_made_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    work: list[str] = []
    monkeypatch.setattr(dev, "STAMP", tmp_path / "stamp")
    monkeypatch.setattr(dev, "venv_version", lambda: (3, 9))
    monkeypatch.setattr(dev, "make_venv", lambda: work.append("venv"))
    monkeypatch.setattr(dev, "install", lambda: work.append("install"))
    dev.set_up()
    assert work == ["venv", "install"]


def test_file_starts_without_the_project_installed() -> None:
    command = [sys.executable, "-I", "-S", str(dev.ROOT / "tools/dev.py"), "help"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_what_is_run_keeps_its_bytecode_and_finds_no_other_modules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in dev.LEFT_OUT:
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    code = f"import os, sys; sys.exit(any(x in os.environ for x in {dev.LEFT_OUT}))"
    assert dev.run([sys.executable, "-c", code], dev.ONE_THREAD) == 0
    code = "import os, sys; sys.exit(int(os.environ['OMP_NUM_THREADS']))"
    assert dev.run([sys.executable, "-c", code], dev.ONE_THREAD) == 3


def test_no_link_is_a_file_of_the_repository():
    """A link to somebody's environment was, once: a fresh clone could not make its own."""
    if not (dev.ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    command = ["git", "-C", str(dev.ROOT), "ls-files", "--stage"]
    files = subprocess.check_output(command, text=True).splitlines()
    assert files
    assert [line for line in files if line.startswith("120000")] == []
