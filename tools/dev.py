"""Set the project up and run its parts: python3 tools/dev.py COMMAND [ARGUMENTS].

  demo    the demonstration (arguments go to tools/demo.py)
  test    the test suite (arguments go to pytest: test -k name, test -n0 tests/tools)
  check   format, lint, types, layers, sizes (--fix formats first; names pick some of them)
  bench   the benchmarks (names pick some of them)
  conformance   CPython's own tests, before and after conversion (--short: a choice of them)

The first run makes .venv and installs the project with its development tools into it; a later
run installs again only when pyproject.toml, the Python version or the folder has changed.
This file uses the standard library only.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "installed-by-dev"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
OLDEST = (3, 10)
INTERRUPTED = 130
# Several processes of tests share the cores; a pool of BLAS threads in each would fight over them.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# The tests start hundreds of processes: each would compile every module if none kept the bytecode.
LEFT_OUT = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE")
FIXES = {
    "lint": ["ruff", "check", "--fix", "--exit-zero", "--quiet"],
    "format": ["ruff", "format"],
}
CHECKS = {
    "format": ["ruff", "format", "--check"],
    "lint": ["ruff", "check"],
    "types": ["mypy"],
    "layers": ["tools.layers"],
    "sizes": ["tools.sizes"],
}


def main(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    commands = {
        "demo": demo,
        "test": test,
        "check": check,
        "bench": bench,
        "conformance": conformance,
    }
    if arguments and arguments[0] in ("-h", "--help", "help"):
        print(__doc__)
        return 0
    if not arguments or arguments[0] not in commands:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.version_info < OLDEST:
        print(too_old(sys.version_info[:2], sys.executable), file=sys.stderr)
        return 2
    try:
        set_up()
        return commands[arguments[0]](arguments[1:])
    except SetupError as failure:
        print(f"dev: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ndev: interrupted", file=sys.stderr)
        return INTERRUPTED


class SetupError(Exception):
    """A step of the set-up did not succeed; the message says which and what to try."""


def demo(arguments: list[str]) -> int:
    """Run the demonstration."""
    return run_module("tools.demo", *arguments)


def test(arguments: list[str]) -> int:
    """Run the tests, one process for each core; later arguments win over these.

    A process that has none left takes some of another's: the slowest ones stand together.
    """
    defaults = ["-q", "-n", "auto", "--maxprocesses", "8", "--dist", "worksteal"]
    return run_module("pytest", *defaults, *arguments, environment=ONE_THREAD)


def bench(arguments: list[str]) -> int:
    """Run the benchmarks."""
    return run_module("tools.bench", *arguments)


def conformance(arguments: list[str]) -> int:
    """Run CPython's own tests before and after conversion."""
    return run_module("tools.conformance", *arguments)


def check(arguments: list[str]) -> int:
    """Run every check, even after one has failed, and say at the end which did."""
    names = [a for a in arguments if a != "--fix"] or list(CHECKS)
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        raise SetupError(f"no check is named {unknown[0]!r}; there are {', '.join(CHECKS)}")
    if "--fix" in arguments:
        for command in FIXES.values():
            run_module(*command)
    status = {}
    for name in names:
        say(f"checking {name}")
        status[name] = run_module(*CHECKS[name])
    say("checks: " + ", ".join(f"{n} {'FAILED' if s else 'ok'}" for n, s in status.items()))
    return 1 if any(status.values()) else 0


def set_up() -> None:
    """Make .venv and install the project into it, unless that is done already."""
    wanted = fingerprint()
    if PYTHON.exists() and STAMP.exists() and STAMP.read_text() == wanted:
        return
    if venv_version() != sys.version_info[:2]:
        timed(f"making .venv with Python {sys.version.split()[0]}", make_venv)
    timed("installing the project and its development tools into .venv", install)
    STAMP.write_text(wanted)


def fingerprint() -> str:
    """Return what an installation depends on, as one line."""
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    return "{}.{} {} {}\n".format(*sys.version_info[:2], digest, ROOT)


def venv_version() -> tuple[int, int] | None:
    """Return the Python version of a .venv that works, pip included."""
    if not PYTHON.exists():
        return None
    code = "import sys, pip; print(*sys.version_info[:2])"
    answer = subprocess.run([str(PYTHON), "-c", code], capture_output=True, text=True, check=False)
    if answer.returncode:
        return None
    major, minor = answer.stdout.split()
    return int(major), int(minor)


def make_venv() -> None:
    """Make .venv afresh; some systems ship venv without ensurepip, then our own pip fills in."""
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    if subprocess.run(command, capture_output=True, check=False).returncode == 0:
        return
    say("venv has no pip of its own here; giving it one")
    if run([*command[:-1], "--without-pip", str(VENV)]):
        raise SetupError(f"{sys.executable} cannot make a virtual environment; is venv installed?")
    query = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.check_output([str(PYTHON), "-c", query], text=True).strip()
    if run([sys.executable, "-m", "pip", "install", "--target", packages, "pip"]):
        raise SetupError(f"{sys.executable} cannot install pip into .venv; is pip installed?")


def install() -> None:
    """Install the project, editable, with its development tools."""
    if run_module("pip", "install", "--disable-pip-version-check", "--editable", ".[dev]"):
        raise SetupError("pip could not install the project; its own message stands above")


def run_module(name: str, *arguments: str, environment: dict[str, str] | None = None) -> int:
    """Run a module with the Python of .venv and return its exit status."""
    return run([str(PYTHON), "-m", name, *arguments], environment)


def run(command: list[str], environment: dict[str, str] | None = None) -> int:
    """Run a command in the project's folder, its output going straight to the terminal.

    Variables that are set already win over `environment`, but for those that are left out. An
    interrupt reaches the command as well; it has ten seconds to say its last words.
    """
    variables = {**(environment or {}), **os.environ}
    for name in LEFT_OUT:
        variables.pop(name, None)
    process = subprocess.Popen(command, cwd=str(ROOT), env=variables)
    try:
        return process.wait()
    except KeyboardInterrupt:
        stop(process)
        raise


def stop(process: subprocess.Popen[bytes]) -> None:
    """Wait for an interrupted command and kill it if it does not end."""
    try:
        process.wait(timeout=10)
    except (KeyboardInterrupt, subprocess.TimeoutExpired):
        process.kill()
        process.wait()


def timed(what: str, work: Callable[[], None]) -> None:
    """Say what is being done, do it, and say how long it took."""
    say(f"{what} ...")
    start = time.monotonic()
    work()
    say(f"... done in {time.monotonic() - start:.1f} s")


def say(text: str) -> None:
    """Print a line of our own between the output of the commands."""
    print(f"dev: {text}", flush=True)


def too_old(found: tuple[int, ...], executable: str) -> str:
    """Say that the running Python is too old and what to do about it."""
    return (
        "dev: Python {}.{} or newer is needed, but {} is Python {}.{}.\n"
        "dev: Run this file with a newer one, for example: python3.12 tools/dev.py test"
    ).format(*OLDEST, executable, *found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
