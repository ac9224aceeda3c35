"""Random programs: plain Python, staged and optimised, and staged by the interpreter agree.

More programs: RANDOM_PROGRAMS=5000 pytest tests/random_programs
"""

from __future__ import annotations

import linecache
import os
import warnings

import numpy as np
import pytest

import autograph as ag
from runtime.graph.interpret import interpret
from tests.random_programs.staged_programs import StagedPrograms

COUNT = int(os.environ.get("RANDOM_PROGRAMS", "150"))
ARGUMENTS = [
    (np.int64(3), np.int64(-2), np.array([1, 5, -4])),
    (np.float64(0.5), np.float64(7.0), np.array([2.0, -1.0, 0.0])),
]


def compiled(text, seed):
    file = f"<random program {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {"np": np}
    exec(compile(text, file, "exec"), space)
    return space["f"]


def outcome(function, arguments):
    a, b, v = arguments
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = function(a, b, v.copy())
        except NameError as error:
            return type(error).__name__
    return [np.asarray(x, float).tolist() for x in found]


def interpreted(staged, arguments):
    def run(*values):
        (concrete,) = [c for c in staged.concrete_functions if c.types[0].holder is type(values[0])]
        results = interpret(concrete.traced_graph, values, np)
        trace = concrete.trace
        first_write = len(results) - len(trace.writes)
        written = dict(zip(trace.writes, results[first_write:], strict=True))
        current = [written.get(k, value) for k, value in enumerate(values)]
        found = {"result": results, "argument": current}
        return [x.value if x.kind == "static" else found[x.kind][x.position] for x in trace.outputs]

    return outcome(run, arguments)


@pytest.mark.parametrize("seed", range(COUNT))
def test_random_programs_mean_the_same_plain_and_staged(seed):
    text = StagedPrograms(seed).program()
    plain = compiled(text, seed)
    staged = ag.function(plain)
    for arguments in ARGUMENTS:
        expected = outcome(plain, arguments)
        assert outcome(staged, arguments) == expected, text
        if any(c.types[0].holder is type(arguments[0]) for c in staged.concrete_functions):
            assert interpreted(staged, arguments) == expected, text
