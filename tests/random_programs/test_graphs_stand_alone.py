"""The texts of graphs, before and after passes, mean the same in another process."""

from __future__ import annotations

import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runtime.graph.interpret import interpret
from runtime.graph.printer import print_graph
from runtime.graph.reader import read_graph
from runtime.graph.verify import verify
from runtime.io.program import with_functions
from runtime.lower.compile import Executable, compile_graph
from tests.random_programs.families import check_seed, kind_of
from tests.runtime.lower.same import all_same

PROGRAMS = [
    ("staged", 1), ("scalar", 2), ("array", 1), ("write", 0), ("exception", 1), ("object", 0),
    ("derivative", 13), ("batch", 1), ("numpy", 0), ("iterator", 1), ("part", 2), ("list", 1),
    ("recursive", 0), ("rolled", 1), ("container", 1), ("derivative", 207), ("heap", 103),
    ("nested", 200), ("complex", 1), ("deque", 1), ("keyed", 0), ("buffer", 1), ("special", 1),
]  # fmt: skip
OF_ANOTHER_PROCESS = "of the process that traced it, and this is another process"
ELSEWHERE = f"""
import sys
from {__name__} import finding, pickle
cases = pickle.load(sys.stdin.buffer)
pickle.dump([finding(*case) for case in cases], sys.stdout.buffer)
"""


def outcome(function: Any, *args: Any) -> tuple[str, Any]:
    """Return what a function gives, or the class and the first line of what it raises."""
    try:
        return "gives", tuple(function(*args))
    except Exception as error:
        return type(error).__name__, str(error).partition("\n")[0]


def finding(text: str, arguments: bytes, wanted: tuple[str, Any]) -> str:
    """Read a graph, run it in both ways, and say what is different from what it gave before."""
    graph = with_functions(read_graph(text), ())
    verify(graph)
    if print_graph(graph, elide=False) != text:
        return "it is printed otherwise"
    ways = (lambda *xs: interpret(graph, list(xs), np), compile_graph(graph).run)
    with np.errstate(all="ignore"):
        found = [outcome(way, *pickle.loads(arguments)) for way in ways]
    if all(OF_ANOTHER_PROCESS in str(what) for _, what in found):
        return "refused"
    for kind, what in found:
        same = all_same if kind == "gives" == wanted[0] else str.__eq__
        if kind != wanted[0] or not same(what, wanted[1]):
            return f"{kind} {what} where it was {wanted}"
    return "same"


@pytest.fixture
def cases(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bytes, tuple[str, Any]]]:
    """Run programs; return the text of each graph, before and after passes, and its first call."""
    found: dict[Executable, list[tuple[str, bytes, tuple[str, Any]]]] = {}
    run = Executable.run

    def record(executable: Executable, *arrays: Any) -> Any:
        if executable in found:
            return run(executable, *arrays)
        graphs = (executable.graph, executable.plan.graph)
        texts = [print_graph(graph, elide=False) for graph in graphs]
        given = pickle.dumps(arrays)
        first = outcome(partial(run, executable), *pickle.loads(given))
        found[executable] = [(text, given, first) for text in texts]
        return run(executable, *arrays)

    monkeypatch.setattr(Executable, "run", record)
    for family, seed in PROGRAMS:
        assert kind_of(check_seed(family, seed)) != "wrong", (family, seed)
    return [case for each in found.values() for case in each]


@pytest.mark.filterwarnings("ignore")
def test_what_programs_are_traced_to_is_valid_and_is_run_in_another_process(
    cases: list[tuple[str, bytes, tuple[str, Any]]],
) -> None:
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ELSEWHERE],
        input=pickle.dumps(cases),
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    findings = pickle.loads(answer.stdout)
    assert {*findings} <= {"same", "refused"}
    assert findings.count("same") >= 2 * len(PROGRAMS)
