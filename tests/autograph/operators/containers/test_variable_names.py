"""Containers are called by the variables of the traced function, not by those of its callers."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph as ag


class Watched(dict[str, Any]):
    """What may be large: nobody is to look into it."""

    def values(self) -> Any:
        raise AssertionError("what the caller holds was searched")


def counted(x):
    def counts(k, found):
        if k == 0:
            return found
        more = dict(found)
        more[k] = x[k - 1]
        return counts(k - 1, more)

    return counts(len([e for e in x if e > 0]), {})


def test_what_callers_hold_is_not_searched() -> None:
    held = Watched(more={})
    assert ag.function(counted)(np.array([4, -7, 2])) == {2: -7, 1: 4}
    assert held["more"] == {}
