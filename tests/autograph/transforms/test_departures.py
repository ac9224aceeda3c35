"""Tensors that leave a tape are warned of where something is computed from them, and only there."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.autodiff.record import Record

DATA = np.array([3.0, 4.0])


def listed(w: Any) -> Any:
    return np.sum(np.array([w[0] * w[0], w[1]]) * w)


def added(w: Any) -> Any:
    return np.sum(np.add([w[0], w[1]], 1.0) * w)


def written(w: Any) -> Any:
    b = np.zeros(2)
    b[0] = w[0] * w[0]
    return np.sum(b * w)


def a_float(w: Any) -> Any:
    return (float(w[0]) * 2 + 1) * w[1]


def by_math(w: Any) -> Any:
    return math.sin(w[0]) * w[1]


def whole(w: Any) -> Any:
    return np.sum(np.asarray(w) * w)


def appended(w: Any) -> Any:
    rows: list[Any] = []
    rows.append(np.array([w[0], w[1]]))
    return np.sum(rows[0] * w)


def of_no_op(w: Any) -> Any:
    return np.sum(np.piecewise(w, [w < 1.5], [lambda x: x * x, lambda x: -x]) * w)


def looked_at(w: Any) -> Any:
    y, kept = np.sum(w * DATA), []
    kept.append(float(y))
    print(np.array([y, 1.0]), "%.3f" % y)  # noqa: UP031
    text = f"{y:.3f}", str(y), y.numpy(), y.item(), int(y)
    while float(y) < 1e3:
        y = y * 2.5
    if float(y) > 3 and text: y = y * 0.5  # fmt: skip  # noqa: E701
    assert float(y) > 0
    return y


def kept_at_the_end(w: Any) -> Any:
    y = np.sum(w * DATA)
    value, array = float(y), np.array(y)
    rank, where = np.linalg.matrix_rank(w[:, None] * w), np.argwhere(w > 1.0)
    return y if value == array and rank and where.size else None


def of_what_is_not_followed(w: Any) -> Any:
    return np.sum(np.array([ag.Tensor(2.0), float(ag.Tensor(3.0))]) * w)


def said(function: Callable[..., Any]) -> list[warnings.WarningMessage]:
    w = ag.Variable(np.array([1.0, 2.0]))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with ag.GradientTape() as tape:
            y = function(w)
        assert tape.gradient(y, w) is not None
    return found


@pytest.mark.parametrize(
    "function", [listed, added, written, a_float, by_math, whole, appended, of_no_op]
)
def test_what_leaves_a_tape_and_is_computed_with_is_warned_of_in_its_line(
    function: Callable[..., Any],
) -> None:
    one = said(function)[0]
    first = function.__code__.co_firstlineno
    assert issubclass(one.category, ag.GradientWarning)
    assert one.filename == __file__
    assert first < one.lineno < first + 4
    assert "the gradient has no part by what is computed from that" in str(one.message)


@pytest.mark.parametrize("function", [looked_at, kept_at_the_end, of_what_is_not_followed])
def test_what_is_only_looked_at_is_not_warned_of(function: Callable[..., Any]) -> None:
    assert said(function) == []


def test_a_planted_mistake_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Record, "_is_other", lambda *_: False)
    assert said(listed) == []
