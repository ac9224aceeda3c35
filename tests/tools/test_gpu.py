"""What tools/gpu.py does where there is no GPU, and its parts that need none."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from runtime.graph.opdef import REGISTRY
from tests.runtime.backends.like_cupy import BACKEND, Array
from tools import gpu
from tools.gpu import CLOSE, OTHER, RAISED, SAME, Row


def test_without_a_gpu_it_says_so_in_one_line_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    sys.modules["runtime.backends.cupy"].load.cache_clear()
    assert gpu.main() == 2
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("there is no GPU to check here: the backend 'cupy' needs CuPy")


def test_the_table_has_a_line_for_each_row() -> None:
    rows = [Row("op sort", "the same bits"), Row("program", "other results", is_wrong=True)]
    assert gpu.table(rows) == [
        "what     found",
        "op sort  the same bits",
        "program  other results <- wrong",
    ]


def test_a_long_table_has_25_lines_and_keeps_what_is_wrong() -> None:
    rows = [Row(f"row {k}", "found", is_wrong=k == 60) for k in range(70)]
    lines = gpu.table(rows)
    assert len(lines) == 25
    assert lines[1] == "row 60  found <- wrong"
    assert lines[-1] == "more    47 rows are left out"


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (lambda xp, x: xp.sqrt(x), SAME),
        (lambda xp, x: xp.sqrt(x) * (1 if xp is np else 1 + 1e-12), CLOSE),
        (lambda xp, x: xp.sqrt(x) * (1 if xp is np else 2), OTHER),
        (lambda xp, x: xp.sqrt(x) if xp is np else xp.sqrt(x).astype("float32"), OTHER),
        (lambda xp, x: xp.sqrt(x) if xp is np else 1 / 0, RAISED),
        (lambda xp, x: 1 / 0, SAME),
    ],
)
def test_results_are_told_apart(kernel: Callable[..., Any], expected: str) -> None:
    class Op:
        multiple = False

    op: Any = Op()
    op.kernel = kernel
    found, text = gpu.likeness(op, [np.arange(1.0, 4.0)], {}, BACKEND)
    assert found == expected
    assert bool(text) == (expected != SAME)


@pytest.mark.parametrize("name", ["add", "gather", "floor_divide", "sort", "inv", "where"])
def test_an_op_is_compared_on_its_samples(name: str) -> None:
    assert gpu.compared(REGISTRY[name], BACKEND) == (SAME, "")


def test_arrays_are_moved_and_brought_back() -> None:
    moved = gpu.moved(np.ones(2), BACKEND)
    assert type(moved) is Array
    assert gpu.brought(moved).tolist() == [1, 1]
    assert gpu.moved(2.0, BACKEND) == 2.0


def test_programs_are_compared_with_numpys(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = lambda x: x * 2  # noqa: E731
    wrong = lambda x: x * 2 if type(x) is np.ndarray else x * 3  # noqa: E731

    def fails(x: Any) -> Any:
        if type(x) is not np.ndarray:
            raise ValueError("no")
        return x

    given = (np.ones(2),)
    found = [("a", twice, given), ("b", wrong, given), ("c", fails, given)]
    monkeypatch.setattr(gpu, "samples", lambda: found)
    assert list(gpu.programs(BACKEND)) == [
        Row("program a", "as NumPy"),
        Row("program b", "other results", True),
        Row("program c", "ValueError: no", True),
    ]


def test_its_programs_are_there() -> None:
    assert [name for name, *_ in gpu.samples()] == ["newton", "life", "kmeans", "mandelbrot"]
    x = np.linspace(-1, 1, 6).reshape(2, 3)
    assert np.allclose(gpu.softmax(np, x).sum(1), 1)
    assert np.allclose(gpu.chain(np, x)[0, 0], -0.1588, atol=1e-4)
