"""What programs of many kinds give in another process is what they give here, bit for bit."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import autograph as ag
from runtime import trees
from runtime.io.program_text import print_program, read_program
from tests.autograph.function import program_samples as samples

FOLDER = Path(__file__).parents[3]
ELSEWHERE = f"""
import pickle, sys
import autograph as ag
from {__name__} import of_text

others = [ag.Variable(7.0) for _ in range(50)]
cases = pickle.load(sys.stdin.buffer)
found = [of_text(*case) for case in cases]
assert {{float(x) for x in others}} == {{7.0}}
pickle.dump(found, sys.stdout.buffer)
"""


def outcome(function: Any, *args: Any) -> Any:
    """Return what a function gives, its arguments afterwards and what it prints, to be compared."""
    printed = io.StringIO()
    try:
        with redirect_stdout(printed), np.errstate(all="ignore"):
            found = function(*args)
    except Exception as error:
        return type(error).__name__, str(error).partition("\n")[0]
    leaves = trees.flatten((found, args))[0]
    return [leaf(x) for x in leaves], printed.getvalue(), list(shared(leaves))


def shared(leaves: list[Any]) -> Iterator[tuple[bool, bool]]:
    """Tell of pairs of arrays whether they are one, and whether they share memory."""
    for x, y in combinations([x for x in leaves if isinstance(x, np.ndarray)], 2):
        yield x is y, np.shares_memory(x, y)


def leaf(x: Any) -> Any:
    kind = type(x).__name__
    if not isinstance(x, np.ndarray | np.generic):
        return kind, repr(x)
    x = np.asarray(x)
    return kind, x.dtype.name, x.shape, x.tolist() if x.dtype.kind == "T" else x.tobytes()


def of_text(text: str, args: Any, used: dict[str, Any]) -> Any:
    """Return what a program gives that was printed."""
    program = read_program(text, samples.FUNCTIONS)
    assert print_program(program, elide=False) == text
    kinds = {name: x.kind for name, x in program.all_used.items()}
    bound = {k: x if kinds[k] == "array" else ag.Variable(x) for k, x in used.items()}
    return outcome(program.bind(**bound), *args)


def test_programs_give_the_same_in_another_process() -> None:
    used = {
        "TABLE": samples.TABLE,
        "TEXTS": samples.TEXTS,
        "X": samples.X,
        "total": np.arange(3.0),
        "generator": ag.random.Generator(3).state.numpy(),
    }
    cases, wanted = [], []
    for function, args in samples.PROGRAMS.values():
        staged = ag.function(function)
        program = staged.get_concrete_function(*copy.deepcopy(args)).program
        things = {name: used[name] for name in program.all_used}
        cases.append((print_program(program, elide=False), args, things))
        wanted.append(outcome(staged, *copy.deepcopy(args)))
    command = [sys.executable, "-c", ELSEWHERE]
    run = subprocess.run(
        command, input=pickle.dumps(cases), capture_output=True, check=True, cwd=FOLDER
    )
    for name, here, there in zip(samples.PROGRAMS, wanted, pickle.loads(run.stdout), strict=True):
        assert there == here, name
