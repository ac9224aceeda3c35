"""Heavy steps that do not need each other run beside each other, and nobody notices."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available
from runtime.lower.async_call import HEAVY, AsyncCall
from tests.runtime.lower.same import all_same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    ag.set_threads(2)
    yield
    ag.set_threads(None)


def both(x: Any, y: Any) -> Any:
    return np.sort(x), np.sort(y)


def summed(x: Any, y: Any) -> Any:
    return np.sort(x) + np.argsort(y)


def chained(x: Any, y: Any) -> Any:
    a = np.sort(x)
    return np.cumsum(a), np.sort(y)


def written(x: Any, y: Any) -> Any:
    z = np.cumsum(x)
    a = np.sort(z)
    z[0] = 7
    return a, np.sort(z), np.sort(y)


def looped(x: Any, y: Any) -> Any:
    for _ in range(x.shape[0] // HEAVY):
        x, y = np.sort(y), np.sort(x)
    return x, y


SIZE = 2 * HEAVY
GIVEN = tuple(np.random.default_rng(1).standard_normal((2, SIZE)))


@pytest.mark.parametrize(
    ("function", "begun"), [(both, 1), (summed, 1), (chained, 1), (written, 1), (looped, 2)]
)
def test_results_are_those_of_one_thread(function: Any, begun: int) -> None:
    staged = ag.function(function)
    plan = staged.plan(*GIVEN).partition("def run")[0]
    assert (plan.count("begin "), plan.count("wait ")) == (begun, begun)
    wanted = function(*GIVEN)
    for count in (2, 1):
        ag.set_threads(count)
        found = staged(*GIVEN)
        if isinstance(wanted, tuple):
            assert all_same(list(found), list(wanted))
        else:
            assert all_same([found], [wanted])


def test_small_arrays_and_other_backends_have_no_threads() -> None:
    assert "begin " not in ag.function(both).plan(*(x[:1000] for x in GIVEN))
    assert "begin " not in ag.function(both, backend="numpy").plan(*GIVEN)


def test_what_lapack_does_in_threads_of_its_own_begins_none() -> None:
    spec = ag.TensorSpec((1100, 1100), np.float64)
    assert "begin " not in ag.function(lambda x: np.linalg.cholesky(x) + np.triu(x)).plan(spec)


def test_what_is_computed_beside_runs_in_another_thread() -> None:
    assert AsyncCall(threading.get_ident)() != threading.get_ident()
    ag.set_threads(1)
    assert AsyncCall(threading.get_ident)() == threading.get_ident()


def test_what_fails_or_warns_does_so_where_it_is_waited_for() -> None:
    found = AsyncCall(lambda: np.cumprod(np.full(400, 10.0)))
    with pytest.warns(RuntimeWarning, match="overflow encountered in accumulate"):
        assert np.isinf(found()[-1])
    with np.errstate(over="ignore"):
        assert np.isinf(AsyncCall(lambda: np.cumprod(np.full(400, 10.0)))()[-1])
    failing = AsyncCall(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        failing()


def test_profile_has_both_steps() -> None:
    steps = [x.text for x in ag.function(both).profile(*GIVEN).steps]
    assert next(iter(steps)).startswith("begin ")
    assert steps[-1].startswith("wait ")


def test_what_has_nothing_to_run_beside_is_part_of_an_expression() -> None:
    staged = ag.function(lambda x: np.linalg.cholesky(x) + np.triu(x, k=1))
    x = np.eye(1000) * 2
    assert "return cholesky(x) + triu(x, k=1)" in staged.plan(x)
    assert np.array_equal(staged(x), np.eye(1000) * np.sqrt(2))
