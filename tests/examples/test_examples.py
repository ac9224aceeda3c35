"""Every example: its staged function does what the plain one does, and its program runs."""

from __future__ import annotations

import copy
import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples import (
    beam_search,
    bubble_sort,
    collatz,
    digits,
    gradients,
    in_graph_training,
    kmeans,
    lbfgs,
    life,
    maml,
    mandelbrot,
    masked_rnn,
    newton,
    seq2seq,
    tree_lstm,
)

EXAMPLES = Path(__file__).parents[2] / "examples"
LONG = {EXAMPLES / f"{x.__name__.rpartition('.')[2]}.py" for x in (
    digits, gradients, in_graph_training, lbfgs, maml, seq2seq, tree_lstm
)}  # fmt: skip
"""Programs that would take many seconds as plain Python."""
DRAW = np.random.default_rng(5)


def compare(function: Any, *arguments: Any) -> None:
    """Run both versions on copies of the arguments; compare results and changed arguments."""
    ours, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
    staged = function(*ours)
    assert function.trace_count, "it was not staged"
    assert_same(staged, function.python_function(*theirs))
    assert_same(ours, theirs)


def assert_same(ours: Any, plain: Any) -> None:
    """Compare types, dtypes and every bit."""
    assert type(ours) is type(plain)
    if isinstance(plain, tuple | list):
        assert len(ours) == len(plain)
        for a, b in zip(ours, plain, strict=True):
            assert_same(a, b)
    elif isinstance(plain, np.ndarray):
        assert ours.dtype == plain.dtype
        np.testing.assert_array_equal(ours, plain)
    else:
        assert ours == plain


@pytest.mark.parametrize("tolerance", [1.0, 1e-3, 1e-12])
def test_newton_takes_as_many_rounds(tolerance: float) -> None:
    compare(newton.newton_sqrt, np.array([2.0, 3.0, 1e6]), np.float64(tolerance))


def test_newton_on_roots_that_are_exact_takes_no_round() -> None:
    compare(newton.newton_sqrt, np.ones(3), np.float64(1e-12))


@pytest.mark.parametrize("limit", [0, 1, 2, 10, 100])
def test_collatz_finds_the_longest(limit: int) -> None:
    compare(collatz.longest_collatz, np.int64(limit))


@pytest.mark.parametrize("limit", [0, 1, 30])
def test_mandelbrot_counts_the_same(limit: int) -> None:
    compare(mandelbrot.mandelbrot, mandelbrot.plane(20, 10), np.int64(limit))


def test_mandelbrot_ends_early_where_all_points_are_outside() -> None:
    compare(mandelbrot.mandelbrot, np.full((2, 2), 3 + 3j), np.int64(10**9))


def test_mandelbrot_takes_a_python_limit() -> None:
    compare(mandelbrot.mandelbrot, mandelbrot.plane(8, 4), 5)


@pytest.mark.parametrize("seed", range(3))
def test_rnn_masks_what_is_past_the_end(seed: int) -> None:
    compare(masked_rnn.masked_rnn, *masked_rnn.arguments(4, 7, 3, 5, seed))


def test_rnn_runs_as_far_as_the_longest_sequence() -> None:
    inputs, _, *weights = masked_rnn.arguments(2, 6, 3, 4)
    compare(masked_rnn.masked_rnn, inputs, np.array([2, 3]), *weights)
    compare(masked_rnn.masked_rnn, inputs, np.array([0, 0]), *weights)


@pytest.mark.parametrize("generations", [0, 1, 12])
@pytest.mark.parametrize("dtype", ["uint8", "int64"])
def test_life_goes_on_alike(generations: int, dtype: str) -> None:
    board = DRAW.integers(0, 2, (9, 12)).astype(dtype)
    compare(life.life, board, np.int64(generations))


@pytest.mark.parametrize("length", [0, 1, 2, 3, 12])
def test_bubble_sort_sorts_the_array_of_the_caller(length: int) -> None:
    compare(bubble_sort.bubble_sort, DRAW.normal(size=length))


def test_bubble_sort_is_traced_once_for_all_lengths() -> None:
    for length in (2, 5, 9):
        compare(bubble_sort.bubble_sort, DRAW.normal(size=length))
    assert bubble_sort.bubble_sort.trace_count == 1


def test_bubble_sort_leaves_not_a_number_where_comparing_leaves_it() -> None:
    compare(bubble_sort.bubble_sort, np.array([3.0, np.nan, 1.0, 2.0]))


@pytest.mark.parametrize("clusters", [1, 3])
def test_kmeans_ends_with_the_same_clusters(clusters: int) -> None:
    points = DRAW.normal(size=(40, 2))
    compare(kmeans.kmeans, points, points[:clusters].copy())


def test_kmeans_keeps_the_centre_of_an_empty_cluster() -> None:
    points = DRAW.normal(size=(30, 2))
    centres = np.array([[0.0, 0.0], [50.0, 50.0], [1.0, 0.0]])
    compare(kmeans.kmeans, points, centres)
    assert kmeans.kmeans(points, centres)[1][1].tolist() == [50.0, 50.0]


@pytest.mark.parametrize("longest", [0, 1, 6, np.int64(6)])
def test_beam_search_finds_the_same_sentences(longest: Any) -> None:
    model = beam_search.model(words=9, units=5)
    compare(beam_search.beam_search, model, np.int64(0), 3, longest)


def test_training_in_the_graph_takes_the_same_steps() -> None:
    compare(in_graph_training.train, *in_graph_training.arguments(3, 4, 20, pixels=5, classes=3))


@pytest.mark.parametrize("rounds", [0, 6])
def test_lbfgs_takes_the_same_rounds(rounds: int) -> None:
    sizes = {"batch": 6, "pixels": 3, "hidden": 2}
    compare(lbfgs.minimise, *lbfgs.arguments(rounds=rounds, memory=3, **sizes))


def test_maml_adapts_alike() -> None:
    compare(maml.meta_train, *maml.arguments(steps=2, tasks=2, examples=3, hidden=3))


@pytest.mark.parametrize("teacher", [True, False])
def test_seq2seq_has_the_same_loss_and_takes_the_same_steps(teacher: bool) -> None:
    given = seq2seq.arguments(batch=2, length=3, words=5, features=3, units=4)
    compare(seq2seq.evaluate, *given, teacher)
    compare(seq2seq.train, *given, teacher, np.int64(2), np.float32(0.5))


def test_a_tree_is_read_and_learned_alike() -> None:
    given = tree_lstm.arguments(sentences=2, leaves=3, words=5, units=2)
    compare(tree_lstm.evaluate, *given)
    compare(tree_lstm.train, *given, 0.1)


@pytest.mark.parametrize(
    "program",
    [in_graph_training, lbfgs, maml, seq2seq, tree_lstm],
    ids=lambda x: x.__name__.rpartition(".")[2],
)
def test_programs_print_that_what_is_trained_becomes_better(
    program: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    program.main()
    figures = [float(x) for x in re.findall(r"\d+\.\d+", capsys.readouterr().out)]
    assert figures[-1] < 0.75 * figures[0]


def test_digits_are_learned(capsys: pytest.CaptureFixture[str]) -> None:
    digits.main()
    *_, known, _, _ = capsys.readouterr().out.split()
    assert float(known.rstrip("%")) >= 97


@pytest.mark.parametrize(
    "path", sorted({*EXAMPLES.glob("[a-z]*.py")} - LONG), ids=lambda path: path.stem
)
def test_program_prints_what_plain_numpy_prints(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(f"examples.{path.stem}")
    module.main()
    staged = capsys.readouterr().out
    for name, function in inspect.getmembers(module, lambda x: hasattr(x, "python_function")):
        monkeypatch.setattr(module, name, _plain(function))
    module.main()
    assert staged == capsys.readouterr().out
    assert staged


def _plain(function: Any) -> Callable[..., Any]:
    return function.python_function  # type: ignore[no-any-return]


def test_models_are_fitted_and_differentiated(capsys: pytest.CaptureFixture[str]) -> None:
    """The rate is 1.3, the orbit's derivative that of its formula, and the variances of the Nile
    those of the literature (Durbin and Koopman, 2012: 15099 and 1469)."""
    gradients.main()
    assert capsys.readouterr().out.splitlines() == [
        "decay: the rate is 1.3000",
        "ball: at 0.2447, by height 1.3282, by speed 0.3910",
        "orbit: 1.390247, by the mean 1.120752 (1.120752)",
        "Nile: variances 15099 and 1469",
    ]
    above, below = (gradients.bounce(1.0 + e, 2.0, 2.5) for e in (1e-6, -1e-6))
    assert abs((above - below) / 2e-6 - 1.3282) < 1e-4
