"""Every public NumPy callable, with staged arguments, is equal to plain NumPy or refused."""

from __future__ import annotations

import re
import warnings
from functools import cache

import numpy as np
import pytest

from tests.numpy_surface.judging import EQUAL, judge
from tests.numpy_surface.page import OF_ARGUMENTS, PAGE, page, reason_of
from tests.numpy_surface.surface import FORMS, calls, names

PARTS = 12
SHARE = 8
"""The tests make each eighth call; `python -m tests.numpy_surface.sweep` makes them all."""
MOST = 4
"""How many calls of each name there are."""


@cache
def all_calls() -> list[str]:
    """Return some calls of each name, which plain NumPy takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [call for name in names() for call in calls(name, MOST)]


def name_of(call: str) -> str:
    """Return the name that a call is of.

    >>> name_of("np.linalg.eig(m)"), name_of("x.astype(int)"), name_of("[x, y].flat")
    ('np.linalg.eig', 'ndarray.astype', 'ndarray.flat')
    """
    function = re.match(r"np\.[\w.]+(?=\()", call)
    if function is not None:
        return function[0]
    method = re.search(r"\.(\w+)(\(.*\))?$", call)
    assert method is not None
    return f"ndarray.{method[1]}"


def _verdicts(texts: list[str], form: str) -> dict[str, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {call: judge(call, form) for call in texts}


@pytest.mark.parametrize("part", range(PARTS))
def test_a_staged_call_is_equal_to_plain_numpys_or_refused(part: int) -> None:
    found = _verdicts(all_calls()[part::PARTS][::SHARE], FORMS[0])
    wrong = {k: v for k, v in found.items() if v != EQUAL and not v.startswith("refused")}
    assert not wrong
    refused = {name_of(call) for call, verdict in found.items() if verdict != EQUAL}
    assert not {name for name in refused if reason_of(name) is None and name not in OF_ARGUMENTS}


@pytest.mark.parametrize("form", FORMS[1:])
def test_a_call_in_a_branch_or_a_loop_is_so_too(form: str) -> None:
    found = _verdicts(all_calls()[::47], form)
    assert not {k: v for k, v in found.items() if v != EQUAL and not v.startswith("refused")}


@pytest.mark.skipif(not np.__version__.startswith("2.4"), reason="the names of another NumPy")
def test_the_page_says_what_stands_for_each_name(update_golden: bool) -> None:
    if update_golden:
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()
