"""Many plain items that are known: a staged index picks from columns, not from as many arms."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime.graph.walk import walk

MIXED = [np.int64(5), -1, 2.5, None, "a", True, np.float32(0.5), "b", 1j, *range(200)]
MANY = [
    MIXED,
    [*range(500), np.int64(3)],
    [str(k) for k in range(300)],
    ["x", *range(300)],
    [2**70, *range(100), 0.5],
    dict(enumerate(MIXED)),
    {str(k): k for k in range(300)},
    {k: str(k) for k in range(300)},
    {k: k if k % 2 else 0.5 for k in range(300)},
]


@pytest.mark.parametrize("items", MANY, ids=lambda items: repr(items)[:30])
def test_each_is_what_it_is_with_its_class(items):
    is_by_text = "0" in items and type(items) is dict

    @ag.function
    def f(x):
        return items[f"{x}" if is_by_text else x]

    for k in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 99):
        found, expected = f(np.int64(k)), items[str(k) if is_by_text else k]
        assert (found, type(found)) == (expected, type(expected))
    with pytest.raises((IndexError, KeyError)):
        f(np.int64(1000))
    graph = f.get_concrete_function(np.int64(3)).traced_graph
    assert len([*walk(graph)]) < 100 or 2**70 in items
