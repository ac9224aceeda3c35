"""Loops that write into the list that they go over, through two of `enumerate`, `zip`, ..."""

from __future__ import annotations

import logging
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.operators.iteration.iterator_adapters import Drawn
from autograph.operators.iteration.zipped_items import Rows
from tests.random_programs.comparing import compiled

ADAPTERS = (
    "enumerate({})", "zip({}, s)", "zip({}, s[1:])", "map(lambda v: v, {})", "reversed([*{}])",
    "filter(lambda v: True, {})", "iter({})", "zip(s, {})", "takewhile(lambda v: v, {})",
    "(v for v in {})",
)  # fmt: skip
LISTS = ([6, 11, 12, 4, 1, 5], [9, 0, -3, 2], [1])


def program(outer: str, inner: str) -> Any:
    over = outer.format(inner.format("s"))
    lines = [
        "from itertools import takewhile",
        "def f(s):",
        "    k, out = 0, []",
        f"    for v in {over}:",
        "        k += 1",
    ]
    lines += ["        s[k % len(s)] += k * s[0]", "        out.append(v)", "    return s, out", ""]
    return compiled("\n".join(lines), over)


def differing(pairs: Any) -> list[tuple[str, str]]:
    wrong = []
    for pair in pairs:
        plain = program(*pair)
        staged = ag.function(plain)
        for given in LISTS:
            for make in (int, np.int64):
                if repr(staged([*map(make, given)])) != repr(plain([*map(make, given)])):
                    wrong.append(pair)
    return wrong


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
def test_a_loop_reads_what_its_body_has_written() -> None:
    pairs = [x for k, x in enumerate(product(ADAPTERS, ADAPTERS)) if k % 4 == 1]
    assert differing(pairs) == []


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
def test_that_these_see_an_adapter_that_does_not_tell_its_list(monkeypatch: Any) -> None:
    monkeypatch.setattr(Drawn, "__setattr__", _but_sources)
    assert differing([("enumerate({})", "zip({}, s[1:])"), ("map(lambda v: v, {})", "iter({})")])


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
def test_that_these_see_rows_that_are_read_before_the_loop(monkeypatch: Any) -> None:
    monkeypatch.setattr(Rows, "__init__", _counted_first)
    assert differing([("zip(s, {})", "(v for v in {})")])


def _counted_first(rows: Rows, items: Any) -> None:
    rows._items, rows._counted, rows._lists, rows._before = items, items.counted(), [], []


def _but_sources(self: Any, name: str, value: Any) -> None:
    if name != "sources":
        object.__setattr__(self, name, value)
