"""What functions raise that a graph calls is caught as in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.numpy_surface.judging import same

NAN, ONES = np.full((2, 2), np.nan), np.eye(2)
BAD, GOOD = np.array([0.5, 0.6, 0.1]), np.array([0.2, 0.6, 0.2])


def eigenvalues(x: Any) -> Any:
    try:
        return np.linalg.eigvals(x)
    except np.linalg.LinAlgError as error:
        return str(error)


def finite(x: Any) -> Any:
    y = x
    try:
        y = np.asarray_chkfinite(x) * 2
    except ValueError:
        y = y - 1
    else:
        y = y + 1
    finally:
        y = y * 3
    return y


class Ignoring:
    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        return kind is ValueError


def ignored(x: Any) -> Any:
    y = x
    with Ignoring():
        y = np.asarray_chkfinite(x) * 2
    return y


def drawn(p: Any) -> Any:
    np.random.seed(3)
    total = 0.0
    for k in range(3):
        try:
            total = total + np.random.multinomial(k, p)[0]
        except ValueError:  # noqa: PERF203
            total = total - 1
        else:
            total = total * 2
    return total, np.random.random()


def without_places(x: Any) -> Any:
    try:
        np.log.at(x, np.array([int(x[0]), 5]))
    except IndexError as error:
        return str(error), x
    return "none", x


def _host(x: Any) -> Any:
    if x[0] > 0.3:
        raise ZeroDivisionError("host")
    return x * 2


def of_the_host(x: Any) -> Any:
    try:
        return ag.numpy_function(_host, [x], ag.TensorSpec(x.shape))
    except ArithmeticError as error:
        return str(error)


def not_caught(x: Any) -> Any:
    try:
        return np.asarray_chkfinite(x)
    except KeyError:
        return x


PROGRAMS: list[tuple[Callable[[Any], Any], Any, Any]] = [
    (eigenvalues, NAN, ONES),
    (finite, NAN, ONES),
    (ignored, NAN, ONES),
    (drawn, BAD * 2, GOOD),
    (not_caught, NAN, ONES),
    (of_the_host, np.ones(2), np.zeros(2)),
    (without_places, np.array([1.0, 2.0]), np.arange(1.0, 8.0)),
]


def _outcome(function: Any, x: Any) -> Any:
    x = x.copy()
    np.random.seed(0)
    try:
        return function(x), x
    except Exception as error:
        return type(error).__name__, str(error).partition("\n")[0], x


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(("program", "one", "other"), PROGRAMS)
def test_what_a_call_raises_is_caught_as_in_plain_python(
    program: Any, one: Any, other: Any, swapped: bool
) -> None:
    staged = ag.function(program)
    for x in (other, one, other) if swapped else (one, other, one):
        expected, actual = _outcome(program, x), _outcome(staged, x)
        assert same(expected, actual), (expected, actual)


def strings(x: Any) -> Any:
    try:
        return np.strings.index(x, "z")
    except ValueError:
        return np.array([-1])


def roots(x: Any) -> Any:
    try:
        return np.poly1d(x).roots
    except np.linalg.LinAlgError:
        return "none"


def chosen(x: Any, ask: Any) -> Any:
    if ask > 0:
        return np.strings.index(x, "z")
    return np.array([0])


def test_a_call_that_fails_in_all_trials_is_made_when_the_graph_runs() -> None:
    staged = ag.function(strings)
    assert staged(np.array(["a", "b"])).tolist() == [-1]
    with pytest.raises(ag.DtypeError, match="was expected from a trial with other values"):
        staged(np.array(["z", "z"]))
    in_an_arm = ag.function(chosen)
    assert in_an_arm(np.array(["a"]), np.int64(0)).tolist() == [0]
    with pytest.raises(ValueError, match="substring not found"):
        in_an_arm(np.array(["a"]), np.int64(1))
    with pytest.raises(ag.DtypeError, match="was expected from a trial"):
        in_an_arm(np.array(["z"]), np.int64(1))


def test_a_property_of_an_object_that_raises_is_asked_for_when_the_graph_runs() -> None:
    staged = ag.function(roots)
    assert staged(np.array([np.nan, 1.0, 2.0])) == "none"
    assert staged(np.arange(3.0)).tolist() == [-2.0]


def either(x: Any) -> Any:
    if x[0] > 0:
        return "none", np.ma.masked_less(x, 2.0)
    return 1.5, x


def test_an_arm_may_leave_an_object_and_another_one_a_number() -> None:
    staged = ag.function(either)
    for x in (np.arange(1.0, 4.0), -np.arange(1.0, 4.0)):
        assert repr(staged(x)) == repr(either(x))
