"""Run the standard library's own tests on converted modules: the results must be the same.

    python -m tools.test_library                  the modules below
    python -m tools.test_library heapq json       some modules

A module's tests run in a process of their own, once as it is and once with all its functions
converted, its submodules too. Prints a table, and each test with another result. It needs the
package `test`, which comes with most builds of Python.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import io
import json
import os
import subprocess
import sys
import unittest
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import autograph.operators  # noqa: F401  (converted modules import it, and it some of them)
from autograph.files.modules import convert_module

MODULES = (
    "argparse ast base64 bisect calendar cmd code codeop colorsys configparser contextlib copy "
    "csv dataclasses difflib dis enum fileinput filecmp fnmatch fractions functools getopt glob "
    "graphlib gzip heapq html ipaddress json linecache mimetypes numbers operator optparse "
    "pickle plistlib pprint queue quopri random reprlib sched secrets shelve shlex stat "
    "statistics string tempfile textwrap timeit tokenize traceback types uuid weakref zipapp"
)
SECONDS = 300
Outcomes = Mapping[str, str]


def main(names: Sequence[str]) -> int:
    """Compare the modules, print the table; the exit status tells whether one differs."""
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"| Python {version} | tests | passed | other result when converted |\n|---|---|---|---|")
    found: list[str] = []
    for name in names or MODULES.split():
        plain, converted = outcomes_of(name, False), outcomes_of(name, True)
        changed = differences(plain, converted)
        found += [f"{name}: {line}" for line in changed]
        passed = sum(outcome == "ok" for outcome in plain.values())
        print(f"| {name} | {len(plain)} | {passed} | {len(changed)} |", flush=True)
    print("\n".join(found) or "All tests end alike.")
    return int(bool(found))


def differences(plain: Outcomes, converted: Outcomes) -> list[str]:
    """Return a line for each test that ends in another way."""
    tests = dict.fromkeys([*plain, *converted])
    pairs = [(test, plain.get(test, "missing"), converted.get(test, "missing")) for test in tests]
    return [f"{test}: {one}, converted: {other}" for test, one, other in pairs if one != other]


def outcomes_of(name: str, is_converted: bool) -> Outcomes:
    """Run the tests of a module in a process of its own; returns how each ended."""
    how = "converted" if is_converted else "plain"
    command = [sys.executable, "-m", "tools.test_library", "--run", name, how]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    try:
        found = subprocess.run(
            command, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return {"all": "takes too long"}
    last = found.stdout.strip().rpartition("\n")[2]
    try:
        outcomes: Outcomes = json.loads(last)
    except ValueError:
        return {"all": f"does not run: {found.stderr.strip().rpartition(chr(10))[2]}"}
    return outcomes


class Converted(importlib.machinery.SourceFileLoader):
    """Loads a module with its functions converted."""

    def get_code(self, fullname: str) -> Any:
        """Return the code of the converted module, always from the source."""
        path = self.get_filename(fullname)
        return compile(convert_module(self.get_data(path), path), path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Finds a module and its submodules, and has them converted.

    Args:
        name: of the module.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """Return where a module is, if it is one of them and has a source."""
        if fullname.partition(".")[0] != self._name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = Converted(fullname, spec.loader.path)
        return spec


def run(name: str, how: str) -> Outcomes:
    """Run the tests of a module here, and return how each ended."""
    if how == "converted":
        sys.meta_path.insert(0, Finder(name))
    for loaded in [x for x in sys.modules if x.partition(".")[0] == name]:
        del sys.modules[loaded]  # fresh in both runs
    importlib.import_module(name)
    suite = unittest.defaultTestLoader.loadTestsFromName(f"test.test_{name}")
    result = Results()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        suite.run(result)
    return result.outcomes


class Results(unittest.TestResult):
    """Keeps how each test ended, by its name."""

    def __init__(self) -> None:
        super().__init__()
        self.outcomes: dict[str, str] = {}

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        """Note a test that nothing bad was said about."""
        super().stopTest(test)
        self.outcomes.setdefault(test.id(), "ok")

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        """Note an error."""
        self.outcomes[test.id()] = f"error {err[0].__name__}"

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        """Note a failure."""
        self.outcomes[test.id()] = "failure"

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        """Note what was wrong in a part of a test."""
        if err is not None:
            self.outcomes[test.id()] = f"failure {err[0].__name__}"

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        """Note a test that was left out."""
        self.outcomes[test.id()] = "skipped"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        warnings.simplefilter("ignore")
        os.chdir(Path(__file__).resolve().parent.parent)
        print(json.dumps(run(*sys.argv[2:])))
        sys.exit()
    sys.exit(main(sys.argv[1:]))
