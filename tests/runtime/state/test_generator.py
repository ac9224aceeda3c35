"""Random numbers: the same seed gives the same numbers, in Python and staged (row A-097)."""

from __future__ import annotations

import linecache
import random as python_random
from typing import Any

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf


def of_the_shared_generator(x):
    ag.random.seed(3)
    rows = ag.random.permutation(np.arange(5))
    ag.random.shuffle(rows)
    return (
        ag.random.uniform(size=2) + x,
        ag.random.normal(0.0, 2.0, 3),
        ag.random.randint(1, 7, 4),
        rows,
        ag.random.choice(10, 3, replace=False),
        ag.random.choice(np.array([5.0, 6.0]), (2, 2)),
        ag.random.choice(3, 50, p=np.array([0.5, 0.0, 0.5])),
        ag.random.choice(4),
    )


def of_keys(x):
    first, second = ag.random.split(ag.random.key(7))
    return (
        ag.random.uniform_of(first, 2) + x,
        ag.random.normal_of(second, 2),
        ag.random.permutation_of(first, 6),
        ag.random.permutation_of(second, np.array([1.0, 2.0, 3.0])),
    )


@pytest.mark.parametrize("function", [of_the_shared_generator, of_keys])
def test_the_same_seed_gives_the_same_numbers_staged_or_not(function: Any) -> None:
    staged = ag.function(function)
    for x in (np.float64(0.0), np.float64(1.0)):
        np.testing.assert_equal(staged(x), function(x))
    assert staged.trace_count == 1


def test_the_draws_are_what_they_are_called() -> None:
    found = of_the_shared_generator(0.0)
    assert sorted(found[3]) == [0, 1, 2, 3, 4]
    assert len(set(found[4])) == 3
    assert set(found[5].ravel()) <= {5.0, 6.0}
    assert set(found[6]) == {0, 2}
    assert 0 <= found[7] < 4
    _, _, order, rows = of_keys(0.0)
    assert sorted(order) == list(range(6))
    assert sorted(rows) == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="with replace=False draws all items equally likely"):
        ag.random.choice(3, 2, replace=False, p=[0.5, 0.25, 0.25])


def test_a_generator_is_a_resource_of_staged_functions() -> None:
    mine, theirs = ag.random.Generator(5), ag.random.Generator(5)

    def draw(source, n):
        total = 0.0
        for k in range(n):
            if source.uniform() > 0.5:
                total += source.normal()
        return total, source.integers(10, size=3), source.permutation(4)

    staged = ag.function(lambda n: draw(mine, n))
    for n in (np.int64(3), np.int64(0), np.int64(8)):
        np.testing.assert_equal(staged(n), draw(theirs, int(n)))
    assert mine.state.numpy().tolist() == theirs.state.numpy().tolist()
    assert not np.array_equal(staged(np.int64(0))[1:], staged(np.int64(0))[1:])
    assert ag.random.Generator().uniform() != ag.random.Generator().uniform()


def draws_of_numpy(x):
    return x + np.random.randn(2, 2)


def draws_of_python(x):
    return x + python_random.random()


@pytest.mark.parametrize("function", [draws_of_numpy, draws_of_python])
def test_numbers_of_numpy_and_python_are_drawn_when_the_graph_runs(function: Any) -> None:
    staged = ag.function(function)
    seeds = [np.random.seed, python_random.seed]
    found = []
    for run in (staged, function):
        for seed in seeds:
            seed(3)
        found.append([run(np.float64(1.0)), run(np.float64(2.0))])
    assert repr(found[0]) == repr(found[1])
    assert not np.array_equal(found[0][0], found[0][1] - 1)


@pytest.mark.parametrize("function", [draws_of_numpy, draws_of_python])
def test_with_tensorflows_rules_they_are_frozen_and_warned_of_a097(function: Any) -> None:
    staged = tf.function(function)
    with pytest.warns(ag.FrozenRandomWarning, match="draws its numbers while the function is trac"):
        first = staged(tf.constant(1.0, tf.float64))
    assert np.array_equal(staged(tf.constant(1.0, tf.float64)), first)


def test_the_warning_is_of_the_line_that_draws() -> None:
    noise = np.random.default_rng(1)
    with pytest.warns(ag.FrozenRandomWarning, match="Write ag.random.normal") as caught:
        tf.function(lambda x: x + noise.normal())(tf.constant(1.0))
    assert caught[0].filename == __file__


def test_a_generator_of_the_users_is_left_as_plain_numpy_leaves_it() -> None:
    mine, theirs = np.random.default_rng(5), np.random.default_rng(5)

    def draw(rng: Any, n: Any) -> Any:
        total = 0.0
        for _ in range(n):
            if rng.random() > 0.5:
                total += rng.normal()
        return total, rng.integers(10, size=3), rng.permutation(4)

    staged = ag.function(lambda n: draw(mine, n))
    for n in (np.int64(3), np.int64(0), np.int64(8)):
        np.testing.assert_equal(staged(n), draw(theirs, int(n)))
    assert mine.bit_generator.state == theirs.bit_generator.state


def test_a_generator_with_a_known_seed_is_made_anew_at_each_call() -> None:
    def noisy(x: Any) -> Any:
        return x + np.random.default_rng(3).normal(size=2)

    staged = ag.function(noisy)
    assert np.array_equal(staged(np.float64(1.0)), noisy(1.0))
    assert np.array_equal(staged(np.float64(2.0)), noisy(2.0))


def test_a_generator_without_a_seed_is_another_one_at_each_call() -> None:
    staged = ag.function(lambda x: x + np.random.default_rng().normal(size=4))
    assert not np.array_equal(staged(np.float64(1.0)), staged(np.float64(1.0)))


def test_a_generator_that_is_made_inside_draws_in_loops_and_for_staged_arguments() -> None:
    def draw(n: Any, scale: Any) -> Any:
        rng, total = np.random.default_rng(n), 0.0
        for _ in range(n):
            if rng.random() > 0.5:
                total += rng.normal(0.0, scale)
        return total, rng.integers(n, size=3)

    staged = ag.function(draw)
    for n in (np.int64(3), np.int64(8)):
        np.testing.assert_equal(staged(n, np.float64(2.0)), draw(n, 2.0))


DRAWS = [
    "beta(a, b)", "binomial(n, p)", "bytes(3)", "chisquare(a)", "choice(v, 2)", "dirichlet(v)",
    "exponential(a)", "f(a, b)", "gamma(a)", "geometric(p)", "gumbel(a, b)", "laplace(a, b)",
    "hypergeometric(n, n, n)", "logistic(a, b)", "lognormal(a, b)", "logseries(p)",
    "multinomial(n, [0.5, 0.5])", "multivariate_normal(v, np.eye(3))", "negative_binomial(n, p)",
    "noncentral_chisquare(a, b)", "noncentral_f(a, b, a)", "normal(v, b)", "pareto(a)",
    "permutation(v)", "poisson(a)", "power(a)", "rayleigh(a)", "standard_cauchy(2)",
    "standard_gamma(v)", "standard_normal(2)", "standard_t(a)", "triangular(0.0, p, b)",
    "uniform(v, 9.0)", "vonmises(a, b)", "wald(a, b)", "weibull(a)", "zipf(b)",
]  # fmt: skip
OF_GENERATORS = [
    "integers(n, size=2)", "random(3)", "permuted(v)", "multivariate_hypergeometric([3, n], 2)",
    "shuffle(v)", "spawn(1)[0].random()",
]  # fmt: skip
OF_PYTHON = [
    "random()", "gauss(a, b)", "uniform(a, b)", "randint(1, n)", "betavariate(a, b)",
    "expovariate(a)", "triangular(0.0, b, p)", "vonmisesvariate(a, b)", "choice([1, 2, 3])",
    "sample([1, 2, 3], 2)", "getrandbits(8)", "randrange(n)", "choices([1, 2], k=3)",
]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "draws"),
    [
        (np.random.default_rng, DRAWS + OF_GENERATORS),
        (np.random.RandomState, DRAWS),
        (python_random.Random, OF_PYTHON),
    ],
)
def test_all_that_generators_draw_is_drawn_in_the_graph(make: Any, draws: list[str]) -> None:
    lines = "".join(f"    found.append(rng.{draw})\n" for draw in draws)
    source = f"def draw(a, b, n, p, v):\n    found = []\n{lines}    return found, v\n"
    space: dict[str, Any] = {"np": np}
    name = f"<draws of {make.__name__}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), space)
    given = (np.float64(1.5), np.float64(2.5), np.int64(6), np.float64(0.4))
    found = []
    for run in (space["draw"], ag.function(space["draw"])):
        rng = space["rng"] = make(7)
        values = np.array([0.5, 1.5, 2.0])
        found.append([run(*given, values), rng.random()])
    assert repr(found[0]) == repr(found[1])
