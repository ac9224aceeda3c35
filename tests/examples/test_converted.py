"""Every example, converted by the command line and by `to_code`, does what the original does."""

from __future__ import annotations

import contextlib
import copy
import importlib
import importlib.util
import inspect
import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import nn, operators
from autograph.__main__ import main as command_line
from examples import beam_search, mandelbrot, masked_rnn

EXAMPLES = Path(__file__).parents[2] / "examples"
DERIVED = {"gradients", "in_graph_training", "lbfgs", "maml", "seq2seq", "tree_lstm"}
"""Those that differentiate functions of their own, whose source a text does not have."""
NAMES = [x.stem for x in sorted(EXAMPLES.glob("[a-z]*.py")) if x.stem not in DERIVED]
DRAW = np.random.default_rng(7)
POINTS = DRAW.normal(size=(30, 2))

WITH_GENERATORS = {"beam_search"}
"""With a generator over a list that only the graph knows: it is Python's own in a text."""

LONG = {"digits"}
"""Whose programs train for seconds: they are run once, with the examples."""


def network() -> tuple[Any, Any]:
    """Return a small model that is built, and what changes it."""
    model = nn.Sequential([nn.Dense(3, "relu"), nn.Dense(4)])
    model(DRAW.normal(size=(2, 5)))
    return model, nn.optimizers.SGD(0.1, momentum=0.5)


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "beam_search": (beam_search.model(words=9, units=5), np.int64(0), 3, np.int64(5)),
    "step": (beam_search.model(words=9, units=5), 3, np.zeros(5)),
    "model": (5, 3),
    "bubble_sort": (DRAW.normal(size=9),),
    "longest_collatz": (np.int64(20),),
    "train": (
        *network(),
        DRAW.normal(size=(6, 5)),
        DRAW.integers(0, 4, 6),
        DRAW.integers(0, 6, (2, 3, 2)),
    ),
    "digits": (),
    "shuffled": (10, 2, 3),
    "kmeans": (POINTS, np.concatenate([POINTS[:2], [[50.0, 50.0]]])),
    "nearest": (POINTS, POINTS[:3]),
    "life": (DRAW.integers(0, 2, (6, 7)).astype(np.uint8), np.int64(3)),
    "mandelbrot": (mandelbrot.plane(12, 6), np.int64(20)),
    "plane": (5, 4),
    "masked_rnn": masked_rnn.arguments(3, 4, 2, 3),
    "arguments": (2, 3, 4, 5),
    "newton_sqrt": (np.array([2.0, 3.0, 1e6]), np.float64(1e-9)),
}


@cache
def converted_text(name: str) -> str:
    """Return what `python -m autograph convert` prints for an example."""
    said = io.StringIO()
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(said):
        assert command_line(["convert", str(EXAMPLES / f"{name}.py")]) == 0, said.getvalue()
    stream.seek(0)
    return stream.read()


def converted_module(name: str, folder: Path) -> ModuleType:
    """Return an example, converted, written to a file and imported from there."""
    path = folder / f"converted_{name}.py"
    path.write_text(converted_text(name), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the functions of an example but its `main`, as plain Python functions."""
    for name, value in inspect.getmembers(module):
        plain = getattr(value, "python_function", value)
        own = isinstance(plain, FunctionType) and plain.__module__ == module.__name__
        if own and name != "main":
            yield name, plain


def outcome(function: Callable[..., Any], name: str) -> tuple[Any, Any]:
    """Return what a function returns, and what it leaves of its arguments."""
    arguments = copy.deepcopy(ARGUMENTS[name])
    return function(*arguments), arguments


def assert_same(found: Any, expected: Any) -> None:
    """Compare types, dtypes and every bit."""
    assert type(found) is type(expected)
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected)
        for x, y in zip(found, expected, strict=True):
            assert_same(x, y)
    elif held := nn.variables(expected):
        close = [np.allclose(x, held[path]) for path, x in nn.variables(found).items()]
        assert close == [True] * len(held)
    else:
        assert getattr(found, "dtype", None) == getattr(expected, "dtype", None)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", NAMES)
def test_a_converted_file_runs_as_plain_python(name: str, tmp_path: Path) -> None:
    original = dict(functions(importlib.import_module(f"examples.{name}")))
    converted = dict(functions(converted_module(name, tmp_path)))
    assert list(converted) == list(original)
    for function, plain in original.items():
        assert_same(outcome(converted[function], function), outcome(plain, function))


@pytest.mark.parametrize("name", sorted({*NAMES} - WITH_GENERATORS))
def test_a_converted_file_is_staged_without_converting_it_again(name: str, tmp_path: Path) -> None:
    original = dict(functions(importlib.import_module(f"examples.{name}")))
    module = converted_module(name, tmp_path)
    for function, converted in functions(module):
        if hasattr(getattr(module, function), "python_function"):
            staged = ag.function(converted, autograph=False)
            assert_same(outcome(staged, function), outcome(original[function], function))


@pytest.mark.parametrize("name", sorted({*NAMES} - LONG))
def test_a_converted_file_prints_what_the_original_prints(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    importlib.import_module(f"examples.{name}").main()
    expected = capsys.readouterr().out
    converted_module(name, tmp_path).main()
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_a_function_parses_and_does_the_same(name: str) -> None:
    module = importlib.import_module(f"examples.{name}")
    for function, plain in functions(module):
        text = ag.to_code(getattr(module, function))
        space = {**vars(module), "ag_2" if "ag_2." in text else "ag": operators}
        exec(compile(text, f"<{function}>", "exec"), space)
        assert_same(outcome(space[function], function), outcome(plain, function))


def test_the_command_line_writes_a_file_that_runs(tmp_path: Path) -> None:
    output = tmp_path / "newton.py"
    command = [sys.executable, "-m", "autograph", "convert", str(EXAMPLES / "newton.py")]
    subprocess.run([*command, "-o", str(output)], check=True, timeout=60)
    found = subprocess.run(
        [sys.executable, str(output)], check=True, capture_output=True, text=True, timeout=60
    )
    assert output.read_text() == converted_text("newton")
    assert found.stdout.startswith("after 6 rounds: [1. ")
