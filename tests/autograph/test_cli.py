"""The command line: what it prints, writes, refuses, and with which exit code."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from autograph.cli import main

SOURCE = "def f(x):\n    return g(x)  # c\n"
CONVERTED = """\
import autograph.operators as _ag


@_ag.converted
def f(x):
    return _ag.call(g, x)  # c
"""


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text(SOURCE)
    return path


def test_convert_prints_the_module(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(net)]) == 0
    assert capsys.readouterr() == (CONVERTED, "")
    assert net.read_text() == SOURCE


def test_convert_writes_a_file_with_the_mode_of_the_source(net: Path) -> None:
    net.chmod(0o750)
    output = net.with_name("out.py")
    assert main(["convert", str(net), "-o", str(output)]) == 0
    assert output.read_text() == CONVERTED
    assert stat.S_IMODE(output.stat().st_mode) == 0o750
    assert sorted(os.listdir(net.parent)) == ["net.py", "out.py"]


def test_convert_in_place_keeps_mode_and_links(net: Path) -> None:
    link = net.with_name("link.py")
    link.symlink_to(net)
    net.chmod(0o600)
    assert main(["convert", str(net), "-o", str(link)]) == 0
    assert link.is_symlink()
    assert net.read_text() == CONVERTED
    assert stat.S_IMODE(net.stat().st_mode) == 0o600


def test_convert_reads_the_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SOURCE.encode())))
    assert main(["convert", "-"]) == 0
    assert capsys.readouterr().out == CONVERTED


def test_convert_takes_the_name_of_a_function(
    net: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    net.write_text(SOURCE + SOURCE.replace("f(", "h("))
    assert main(["convert", str(net), "--function", "h"]) == 0
    assert capsys.readouterr().out.count("_ag.call") == 1


def test_diff_shows_what_changes(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net.write_text("import x\n" + SOURCE.rstrip("\n"))
    assert main(["convert", "--diff", str(net)]) == 0
    assert capsys.readouterr().out == (
        f"--- {net}\n+++ {net} (converted)\n@@ -1,3 +1,5 @@\n"
        "+import autograph.operators as _ag\n import x\n+@_ag.converted\n def f(x):\n"
        "-    return g(x)  # c\n\\ No newline at end of file\n"
        "+    return _ag.call(g, x)  # c\n\\ No newline at end of file\n"
    )


def test_the_file_is_never_run(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net.write_text("print('run')\n" + SOURCE)
    main(["convert", str(net)])
    main(["show", f"{net}::f"])
    main(["explain", f"{net}::f"])
    main(["check", str(net)])
    assert "run\n" not in capsys.readouterr().out.replace("print('run')\n", "")


def test_explain_says_what_is_converted(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"{net}::f"]) == 0
    assert capsys.readouterr().out == (
        f"f in {net}, line 1, as it is written\n\n"
        "    2  g(x)  converted: what it calls is converted, too, where that is Python code\n\n"
        "no problems found\n"
    )


def test_explain_writes_json(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--json", f"{net}::f"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["function"], data["statements"][0]["text"]) == ("f", "g(x)")


HAZARD = "import autograph as ag, time\n@ag.function\ndef f(x):\n    return x * time.time()\n"


def test_check_prints_findings_of_all_files(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = net.with_name("bad.py")
    bad.write_text(HAZARD)
    assert main(["check", str(net), str(bad)]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"{bad}:4:16: AG104 `time.time` is called once, while tracing: ")
    assert out.endswith("\n\n1 finding\n")
    assert main(["check", str(net)]) == 0
    assert capsys.readouterr() == ("", "")


def test_check_writes_json(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", str(net)]) == 0
    assert json.loads(capsys.readouterr().out) == []
    net.write_text(HAZARD)
    assert main(["check", "--json", str(net)]) == 1
    assert [one["code"] for one in json.loads(capsys.readouterr().out)] == ["AG104"]


def test_show_prints_one_function_without_colours_to_a_pipe(
    net: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", f"{net}::f"]) == 0
    assert capsys.readouterr().out == "def f(x):\n    return _ag.call(g, x)  # c\n"


@pytest.mark.parametrize(("value", "colours"), [("", True), ("1", False)])
def test_show_has_colours_on_a_terminal_unless_they_are_unwanted(
    value: str,
    colours: bool,
    net: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["show", f"{net}::f"]) == 0
    assert ("\x1b[" in capsys.readouterr().out) == colours


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert", "{}/nut.py"], "There is no file {}/nut.py.\nTry: {}/net.py\n"),
        (["convert", "{}"], "{} is a directory, not a Python file.\nTry: one of its files: "),
        (["convert", "{}/no/net.py"], "Try: a folder that exists; there is no {}/no.\n"),
        (["convert", "{}/net.py", "--function", "F"], "There is no function F in {}/net.py.\n"),
        (["show", "{}/net.py::ff"], "There is no function ff in {}/net.py.\nTry: one of f.\n"),
        (
            ["convert", "{}/net.py", "-o", "{}/no/a.py"],
            "Try: making its folder first: mkdir -p {}/no",
        ),
        (["convert", "{}/net.py", "-o", "{}"], "Try: the name of a file; this is a directory."),
        (["convert", "{}/bad.py"], 'File "{}/bad.py", line 1\n    if x\n        ^\n'),
        (["convert", "{}/binary.py"], "This is not text in utf-8: invalid start byte (byte 4).\n"),
    ],
)
def test_what_cannot_be_done_is_said_with_exit_code_one(
    arguments: list[str], message: str, net: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(net.parent)
    net.with_name("bad.py").write_text("if x\n")
    net.with_name("binary.py").write_bytes(b"#\n#\n\xff\xfe")
    assert main([argument.replace("{}", folder) for argument in arguments]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("autograph: ")
    assert message.replace("{}", folder) in captured.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["show", "net.py"], "expected FILE::NAME, such as net.py::f, not 'net.py'"),
        (["convert", "a.py", "--diff", "-o", "b.py"], "not allowed with argument"),
        (["explain", "net.py"], "expected FILE::NAME, such as net.py::f, not 'net.py'"),
        (["check"], "the following arguments are required: FILE"),
        (["explode"], "invalid choice: 'explode'"),
    ],
)
def test_a_wrong_command_line_has_exit_code_two(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("autograph ")


def test_a_device_can_be_written_to(net: Path) -> None:
    assert main(["convert", str(net), "-o", os.devnull]) == 0
    assert not os.path.isfile(os.devnull)


def test_an_output_that_fails_leaves_the_old_file(
    net: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    assert main(["convert", str(net), "-o", str(net)]) == 1
    assert "cannot be written: No space left on device." in capsys.readouterr().err
    assert net.read_text() == SOURCE
    assert os.listdir(net.parent) == ["net.py"]


def test_a_reader_that_stops_is_no_error(net: Path) -> None:
    net.write_text(SOURCE * 1000)
    command = f"{sys.executable} -m autograph convert {net} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("import autograph.operators as _ag\n", "")
