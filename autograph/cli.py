"""The command `autograph`: what the rewriting makes of a file, and what is wrong with the file.

In: arguments. Out: text, and an exit code: 0 done, 1 the file cannot be converted, or `check` found
something, 2 the command line is wrong. No file is imported or run by it.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata

from pygments import highlight
from pygments.formatters import TerminalFormatter
from pygments.lexers import PythonLexer

from autograph.errors import ConversionError
from autograph.explaining import explain_text
from autograph.files.disk import STANDARD, name_of, read, write
from autograph.files.modules import convert_module, converted_function, read_module
from autograph.lint import as_json, as_text, check_text
from autograph.source.parse import split_lines

_DONE, _FAILED, _MISUSED = 0, 1, 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        argv: the arguments; those of the process if None.
    """
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as exit_:  # from --help, --version and mistakes
        return exit_.code if isinstance(exit_.code, int) else _MISUSED
    command: Callable[[argparse.Namespace], int | None] = arguments.command
    try:
        return command(arguments) or _DONE
    except ConversionError as error:
        print(f"autograph: {error}", file=sys.stderr)
        return _FAILED
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="autograph", description="Show or write what the rewriting makes of Python functions."
    )
    parser.add_argument("--version", action="version", version=f"autograph {_version()}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_convert(commands.add_parser("convert", help="convert the functions of a file"))
    _add_show(commands.add_parser("show", help="show one function as it is converted"))
    _add_explain(commands.add_parser("explain", help="say what is converted in one function"))
    _add_check(commands.add_parser("check", help="find what goes wrong in staged functions"))
    return parser


def _add_convert(parser: argparse.ArgumentParser) -> None:
    parser.description = "Convert the functions of a file; all other text stays as it is."
    parser.add_argument("file", help="the Python file; - is the standard input")
    parser.add_argument("--function", metavar="NAME", help="only this one: f or Class.method")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("-o", "--output", metavar="FILE", default=STANDARD, help="where to write")
    output.add_argument("--diff", action="store_true", help="print what changes instead")
    parser.set_defaults(command=_convert)


def _add_show(parser: argparse.ArgumentParser) -> None:
    parser.description = "Show one function as it is converted."
    _add_function(parser)
    parser.set_defaults(command=_show)


def _add_explain(parser: argparse.ArgumentParser) -> None:
    parser.description = "Say which statements of one function are converted, and why others not."
    _add_function(parser)
    parser.add_argument("--json", action="store_true", help="write it for programs")
    parser.set_defaults(command=_explain)


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Find what goes wrong in staged functions. The exit code is 1 if there is anything; "
        "# noqa: AG101 on its line excuses it."
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="Python files; - is the input")
    parser.add_argument("--json", action="store_true", help="write it for programs")
    parser.set_defaults(command=_check)


def _add_function(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "function", type=_file_and_name, metavar="FILE::NAME", help="net.py::f or net.py::Class.f"
    )


def _file_and_name(text: str) -> tuple[str, str]:
    file, separator, name = text.rpartition("::")
    if not (file and separator and name):
        raise argparse.ArgumentTypeError(f"expected FILE::NAME, such as net.py::f, not {text!r}")
    return file, name


def _version() -> str:
    try:
        return metadata.version("autograph-runtime")
    except metadata.PackageNotFoundError:
        return "of a source checkout"


def _convert(arguments: argparse.Namespace) -> None:
    source = read(arguments.file)
    file = name_of(arguments.file)
    converted = convert_module(source, file, arguments.function)
    assert isinstance(converted, bytes)
    if arguments.diff:
        write(STANDARD, _difference(source, converted, file))
    else:
        write(arguments.output, converted, like=arguments.file)


def _difference(old: bytes, new: bytes, file: str) -> bytes:
    """Return a unified diff, in the encoding of the file."""
    before, after = read_module(old, file), read_module(new, file)
    lines = _diff_lines(split_lines(before.text), split_lines(after.text), file)
    return "".join(lines).encode(before.encoding or "utf-8", "backslashreplace")


def _diff_lines(old: list[str], new: list[str], file: str) -> Iterator[str]:
    for line in difflib.unified_diff(old, new, file, f"{file} (converted)"):
        is_whole = line.endswith(("\r", "\n"))
        yield line if is_whole else f"{line}\n\\ No newline at end of file\n"


def _show(arguments: argparse.Namespace) -> None:
    file, name = arguments.function
    text = converted_function(read(file), name_of(file), name)
    print(_coloured(text) if _has_colours() else text, end="")


def _explain(arguments: argparse.Namespace) -> None:
    file, name = arguments.function
    explanation = explain_text(read(file), name_of(file), name)
    print(_as_json(explanation.as_json()) if arguments.json else explanation)


def _check(arguments: argparse.Namespace) -> int:
    found = [one for file in arguments.files for one in check_text(read(file), name_of(file))]
    if arguments.json:
        print(_as_json(as_json(found)))
    elif found:
        print(as_text(found))
    return _FAILED if found else _DONE


def _as_json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _has_colours() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _coloured(text: str) -> str:
    coloured: str = highlight(text, PythonLexer(stripnl=False), TerminalFormatter())
    return coloured
