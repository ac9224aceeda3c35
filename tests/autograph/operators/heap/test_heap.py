"""Objects that staged branches and loops make mean what plain Python's do."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import MutationError, StagedValueError
from tests.autograph.operators.heap import heap_samples
from tests.autograph.operators.heap.heap_samples import Node


@pytest.mark.parametrize(
    ("function", "calls"), heap_samples.CASES, ids=lambda x: getattr(x, "__name__", "")
)
def test_they_are_the_same(function: Callable[..., Any], calls: Sequence[Any]) -> None:
    staged = ag.function(function)
    for arguments in calls:
        plain = outcome(function, arguments)
        assert [outcome(staged, arguments) for _ in range(2)] == [plain, plain]


def outcome(function: Callable[..., Any], arguments: Sequence[Any]) -> str:
    """Return the text of what a call gives, or of its error."""
    try:
        return shown(function(*copy.deepcopy(arguments)), {})
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def shown(value: Any, seen: dict[int, int]) -> str:
    """Return a text that tells what values hold, and which objects are the same."""
    if type(value).__module__ == heap_samples.__name__:
        if id(value) in seen:
            return f"#{seen[id(value)]}"
        seen[id(value)] = len(seen)
        held = sorted(vars(value).items())
        return f"{type(value).__name__}({', '.join(f'{k}={shown(x, seen)}' for k, x in held)})"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(shown(x, seen) for x in value)})"
    if isinstance(value, dict):
        return f"dict({', '.join(f'{k!r}: {shown(x, seen)}' for k, x in value.items())})"
    return f"{type(value).__name__} {value!r}"


def test_loops_that_make_objects_are_machine_code() -> None:
    @ag.function
    def fall(steps: Any) -> Any:
        node, rounds = Node(100.0, 0.0), 0
        while node.v > 0:
            node = Node(node.v + node.nxt / steps, node.nxt - 9.81 / steps)
            rounds += 1
        return rounds

    assert fall(np.float64(50.0)) == fall.python_function(np.float64(50.0))
    plan = fall.get_concrete_function(np.float64(50.0)).executable.plan
    assert not plan.refused, plan.refused


def test_an_attribute_of_two_kinds_in_a_try_puts_its_object_on_the_heap() -> None:
    def found(x: Any) -> Any:
        node = Node(None)
        try:
            if x > 0:
                node.v = x
            if x > 5:
                raise ValueError(x)
        except ValueError:
            node.v = None
        return node.v

    for x in (-1.0, 1.0, 6.0):
        assert ag.function(found)(np.float64(x)) == found(np.float64(x))


def test_gradients_go_through_them() -> None:
    def grown(x: Any) -> Any:
        node = Node(x)
        while node.v < 20:
            node = Node(node.v * 1.7, node.v)
        return node.v + node.nxt

    x, step = np.float64(2.0), 1e-6
    slope = (grown(x + step) - grown(x - step)) / (2 * step)
    assert abs(ag.grad(grown)(x) - slope) < 1e-6 * abs(slope)


def test_a_class_of_which_objects_come_in_has_others_made_beside_them() -> None:
    @ag.function
    def larger(node: Any, x: Any) -> Any:
        found = node if x < 1 else Node(x)
        return found.v

    node = Node(0.5)
    assert (larger(node, np.float64(0.0)), larger(node, np.float64(2.0))) == (0.5, 2.0)


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (lambda node: copy.deepcopy(node), MutationError, "make another one of its attributes"),
        (lambda node: vars(node), MutationError, "ask for each by its name"),
        (lambda node: id(node), StagedValueError, "Write `x is y`"),
        (lambda node: node.v.__setitem__(0, 1.0), MutationError, "kept there as a copy"),
    ],
)
def test_what_is_refused_says_so(use: Any, error: type[Exception], message: str) -> None:
    @ag.function
    def refused(x: Any) -> Any:
        node = Node(x)
        if x[0] > 0:
            node = Node(x + 1)
        return use(node)

    with pytest.raises(error, match=message):
        refused(np.array([1.0, 2.0]))


class Counted:
    made = 0

    def __init__(self, v: Any) -> None:
        Counted.made += 1
        self.v = v


def test_staged_branches_count_in_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counted, "made", 0)

    @ag.function
    def counted(x: Any) -> Any:
        node = Counted(x)
        if x > 0:
            node = Counted(x * 2)
        return node.v

    for x in (1.0, -1.0):
        counted(np.float64(x))
    assert Counted.made == 3


def test_an_object_that_is_chosen_may_be_kept_outside() -> None:
    kept: list[Any] = []
    holder = Node(0.0)

    def chosen(x: Any) -> Any:
        node = Node(x)
        return Node(x + 1) if x > 0 else node

    @ag.function
    def keep(x: Any) -> Any:
        holder.nxt = chosen(x)
        kept.append(chosen(x * 2))
        return holder.nxt

    for x in (1.0, -1.0):
        assert keep(np.float64(x)) is holder.nxt
        assert (holder.nxt.v, kept[-1].v) == (chosen(x).v, chosen(x * 2).v)
    assert len(kept) == 2
