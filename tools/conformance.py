"""Run CPython's own tests before and after conversion: python -m tools.conformance [--short] ...

The runner is not part of this repository: it stands beside the checkout, in ../shared/conformance,
where the project is built. `--short` is the choice of jobs that .ci/run takes; all other arguments
go to the runner (--only lib:json, --list, --show 50). Results of the unchanged modules are kept in
.venv. Fails if a test that passed before does not pass after, but for those that look at frames or
lifetimes, and for those below.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RUNNER = ROOT.parent / "shared" / "conformance" / "run.py"
KEPT = ROOT / ".venv" / "conformance-originals.json"
SHORT = (
    "lib:http.cookies,lib:minidom,lib:plistlib,lib:posixpath,lib:pydecimal,lib:pyio,lib:statistics,"
    "lib:typing,test_argparse,test_asyncio.test_locks,test_configparser,test_queue,"
    "test_tokenize,test_zipfile"
)
EXCUSED = {
    "test.test_pickle.*.test_global_ext[124]": "NumPy imports pickle before it is converted",
    "test.test_pickle.*.test_dynamic_class": "NumPy imports pickle before it is converted",
    "test.test_ast.*.test_ast_asdl_signature": "gast adds classes to those of ast",
    "test.datetimetester.*.test_name_cleanup": "the module has one name more: _ag",
}
"""Tests that are lost by what a converted module imports, and why: patterns of their names."""


def main(arguments: list[str]) -> int:
    """Run the jobs; the exit status tells whether a test is lost."""
    is_short = "--short" in arguments
    missing = what_is_missing()
    if missing:
        print(f"{'skipped: ' if is_short else ''}conformance: {missing}")
        return 0 if is_short else 1
    own = [argument for argument in arguments if argument != "--short"]
    chosen = ["--only", SHORT] if is_short else []
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        status = subprocess.call([*command(report), *chosen, *own], cwd=folder)
        if status or not report.exists():
            return status
        lost = unexcused(json.loads(report.read_text("utf-8"))["rows"])
    for job, test in lost:
        print(f"lost by {job}: {test}")
    print(f"conformance: {len(lost)} tests are lost without an excuse")
    return int(bool(lost))


def what_is_missing() -> str:
    """Return what the run needs and does not find, and what to do; empty if all is there."""
    if not RUNNER.exists():
        return f"there is no {RUNNER}; it stands beside the checkout where the project is built."
    if importlib.util.find_spec("test") is None or importlib.util.find_spec("test.support") is None:
        return "this Python has no Lib/test; take one that has, or install its package of tests."
    return ""


def command(report: Path) -> list[str]:
    """Return the command of the runner, which writes a report."""
    convert = f"{sys.executable} -m autograph convert {{in}} -o {{out}}"
    options = ["--convert", convert, "--originals", str(KEPT), "--json", str(report)]
    return [sys.executable, str(RUNNER), *options]


def unexcused(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return the job and the name of each test that is lost and has no excuse."""
    return [
        (row["job"], test)
        for row in rows
        for test in row["lost"]
        if test not in row["inside"] and not any(fnmatch.fnmatchcase(test, x) for x in EXCUSED)
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
