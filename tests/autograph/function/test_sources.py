"""Sources of random numbers as arguments: one trace for all, and the very object is drawn from."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.runtime.lower.same import same


def numbers(rng: Any, x: Any) -> Any:
    n = x.size
    return (
        rng.normal(size=n), rng.integers(5), rng.integers(0, 9, 3, np.uint32), rng.random(),
        rng.permutation(x), rng.choice(10, 3, replace=False), rng.normal(size=(2, n)),
    )  # fmt: skip


def legacy(rng: Any, x: Any) -> Any:
    state = rng.get_state()
    first = rng.normal()
    rng.set_state(state)
    return rng.randn(3), rng.normal() - first, rng.randint(0, 9, 3), rng.uniform(), rng.rand(2, 2)


def of_python(rng: Any, x: Any) -> Any:
    rng.gauss(0, 1)
    state = rng.getstate()
    first = rng.gauss(0, 1)
    rng.setstate(state)
    picked = rng.choice([1, 2, 3]), rng.choice("abc"), rng.sample(range(10), 3)
    return rng.random(), first, rng.gauss(0, 1), rng.randint(0, 9), *picked


def written(rng: Any, x: Any) -> Any:
    rng.shuffle(x)
    y = np.arange(3.0)
    rng.random(out=y)
    if x[0] > 1:
        rng.shuffle(y)
        y = y + rng.normal()
    return y


def left(rng: Any, x: Any) -> Any:
    try:
        a = rng.random()
        if x[0] < 2:
            raise ValueError("no")
        a += rng.normal()
    except ValueError:
        a = rng.uniform()
    x += rng.random(3)
    if x[1] > 0:
        raise KeyError("drawn before")
    return a


def rounds(rng: Any, x: Any) -> Any:
    total, some = 0.0, []
    while total < x[2] + 4:
        total += rng.exponential()
        some.append(rng.gamma(2.0))
    return total, some


def asked(rng: Any, x: Any) -> Any:
    if rng is None:
        rng = np.random.default_rng()
    other = np.random.default_rng(rng)
    state = rng.bit_generator.state
    first = rng.random()
    rng.bit_generator.state = state
    children = rng.spawn(2)
    known = isinstance(rng, np.random.Generator), type(rng) is np.random.Generator
    return other is rng, rng.random() - first, [y.random() for y in children], *known


def handed_on(rng: Any, x: Any) -> Any:
    model = Noisy(rng)
    return model.draw(3) + inner(rng, 3), [draw() for draw in (rng.random, model.rng.normal)]


class Noisy:
    def __init__(self, rng: Any) -> None:
        self.rng = rng

    def draw(self, n: int) -> Any:
        return self.rng.normal(size=n)


@ag.function
def inner(rng: Any, n: int) -> Any:
    return rng.uniform(size=n)


def _made(kind: str, seed: int) -> Any:
    if kind == "python":
        return random.Random(seed)
    return np.random.RandomState(seed) if kind == "legacy" else np.random.default_rng(seed)


def _state(rng: Any) -> str:
    if isinstance(rng, random.Random):
        return str(rng.getstate())
    held = rng.get_state(legacy=False) if hasattr(rng, "get_state") else rng.bit_generator.state
    return str(held)


def _outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except KeyError as error:
        return repr(error)


@pytest.mark.parametrize(
    ("function", "kind"),
    [(legacy, "legacy"), (of_python, "python")]
    + [(x, "new") for x in (numbers, written, left, rounds, asked, handed_on)],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_one_trace_serves_all_generators(function: Any, kind: str) -> None:
    staged = ag.function(function)
    for seed in range(3):
        args, others = ((_made(kind, seed), np.array([1.0, 2.0, 3.0])) for _ in range(2))
        wanted, found = _outcome(function, *args), _outcome(staged, *others)
        assert repr(found) == repr(wanted)
        assert _state(others[0]) == _state(args[0])
        assert same(others[1], args[1])
    assert staged.trace_count == 1


def test_other_bit_generators_are_other_traces() -> None:
    @ag.function
    def drawn(bits: Any) -> Any:
        return np.random.Generator(bits).random(), bits.random_raw()

    for kind in (np.random.PCG64, np.random.PCG64, np.random.Philox):
        wanted = kind(3)
        assert drawn(kind(3)) == (np.random.Generator(wanted).random(), wanted.random_raw())
    assert drawn.trace_count == 2
    assert "PCG64, not" in str(drawn.explain_retraces()) or "not PCG64" in str(
        drawn.explain_retraces()
    )


SHARED = np.random.default_rng(5)


def test_one_generator_by_several_names_is_one_stream() -> None:
    @ag.function
    def drawn(a: Any, some: Any, n: Any) -> Any:
        total = np.float64(0.0)
        for _ in range(n):
            total = total * 2 + a.random() - some["b"].random() + SHARED.random()
        return total, a is some["b"], a is SHARED

    for a, b in ((SHARED, SHARED), (SHARED, np.random.default_rng(2)), (_made("new", 1),) * 2):
        before = [x.bit_generator.state for x in (SHARED, a, b)]
        wanted = drawn.python_function(a, {"b": b}, 4)
        after = list(map(_state, (SHARED, a, b)))
        for x, state in zip((SHARED, a, b), before, strict=True):
            x.bit_generator.state = state
        assert drawn(a, {"b": b}, np.int64(4)) == wanted
        assert list(map(_state, (SHARED, a, b))) == after


def test_a_generator_that_is_returned_is_the_one_that_was_given() -> None:
    staged = ag.function(lambda rng: {"rng": rng, "drawn": rng.random()})
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        found = staged(rng)
        assert found["rng"] is rng
        assert found["drawn"] == np.random.default_rng(seed).random()


class Doubled(np.random.Generator):
    def random(self) -> Any:  # type: ignore[override]
        return super().random() * 2 + self.twice()

    def twice(self) -> Any:
        return 2 * self.normal()


def test_methods_of_classes_of_the_users_are_converted() -> None:
    @ag.function
    def drawn(rng: Any, x: Any) -> Any:
        return rng.random() + rng.twice() * x

    for seed in (1, 2):
        one, other = (Doubled(np.random.PCG64(seed)) for _ in range(2))
        assert drawn(one, np.float64(3)) == drawn.python_function(other, np.float64(3))
        assert _state(one) == _state(other)


def test_an_object_that_is_assigned_outside_is_the_callers() -> None:
    model = Noisy(None)

    @ag.function
    def keep(rng: Any) -> None:
        model.rng = rng

    for held in (np.random.default_rng(1), np.ma.array([1.0]), [1.0], {"a": [2.0]}):
        keep(held)
        assert model.rng is held


def test_generators_stay_as_they_are_where_a_call_is_only_measured_or_told_of() -> None:
    @ag.function
    def drawn(rng: Any, x: Any) -> Any:
        return rng.normal(size=3) * x

    rng, x = np.random.default_rng(1), np.ones(3)
    drawn.profile(rng, x)
    assert "traced with Generator of PCG64" in str(ag.explain(drawn, rng, x))
    assert ag.compare(drawn, rng, x)
    concrete = drawn.get_concrete_function(rng, x)
    assert "rng: Generator of PCG64" in concrete.pretty_printed_signature
    assert same(concrete(rng, x), np.random.default_rng(1).normal(size=3))
    with pytest.raises(TypeError, match="needs the argument 'rng'"):
        concrete(x=x)
