"""Loops over dicts and sets of Python's, whose bodies have them staged by a key of the graph's."""

from __future__ import annotations

import warnings
from itertools import cycle
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.operators.control_flow import loops
from tests.random_programs.comparing import compiled

DICT = "{1: 4, 2: 5, 7: 6}"
LISTS = "{1: [1], 2: [2, 3], 7: []}"
HEADS = (
    "for a in d:",
    "for a, b in d.items():",
    "for a in d.values():",
    "for n, a in enumerate(d):",
    "for a in {1, 2, 7}:",
    "for a in OrderedDict(d).keys():",
)
BODIES = (
    "d[k] = a",
    "d[k] += 1\n        if k > 1:\n            break",
    "t += d.get(k, 3) * a",
    "if k in d:\n            del d[k]",
)
OTHERS = (
    f"d = {LISTS}\n    for a in d:\n        if k in d:\n            d[k].append(a)",
    f"d = {LISTS}\n    for a, b in d.items():\n        t += len(d.get(k, b))\n        b.append(k)",
    f"d = defaultdict(list, {LISTS})\n    for a in list(d):\n        d[k].append(a)",
    "d = {1, 2}\n    for a in d:\n        t += k not in d and a\n        d.discard(k + 9)",
    f"d = {DICT}\n    i = iter(d.items())\n    t += next(i)[1]\n    d[k] = 2\n    t += next(i)[1]",
    f"d = {LISTS}\n    t = [len(d[k]) if k in d else 0 for a in d]",
)
PROGRAMS = [
    f"d = {DICT}\n    {head}\n        {body}"
    for head, body in zip(HEADS, cycle(BODIES), strict=False)
]


def differing(programs: list[str]) -> list[str]:
    wrong = []
    for program in programs:
        head = "from collections import OrderedDict, defaultdict\ndef f(k):\n    t = 0\n    "
        plain = compiled(f"{head}{program}\n    return t, d\n", program)
        staged = ag.function(plain)
        for k in (1, 7, 5):
            if found(staged, np.int64(k)) != found(plain, np.int64(k)):
                wrong.append(program)
    return wrong


def found(function: Any, k: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(function(k))
        except Exception as error:
            return repr(error)


def test_what_a_loop_goes_over_may_be_staged_in_it() -> None:
    assert differing([*PROGRAMS, *OTHERS]) == []


def test_these_are_staged() -> None:
    @ag.function
    def f(k: Any) -> Any:
        d = {1: 4, 2: 5, 7: 6}
        for a in d:
            d[k] += a
        return d

    assert f(np.int64(2)) == {1: 4, 2: 15, 7: 6}
    assert f.trace_count == 1


def test_that_these_see_pythons_own_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "is_keyed", lambda value: False)
    with pytest.raises(RuntimeError, match="changed size"):
        test_these_are_staged()
