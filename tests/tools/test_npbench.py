"""The measurement of NPBench's kernels, on a folder with kernels of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.bench import npbench

KERNELS = {
    "halve": "def kernel(n, x):\n    for i in range(n):\n        x[i] /= 2\n",
    "refused": "def kernel(n, x):\n    if x.sum() > 0:\n        x.resize(n + 1)\n    return x\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bench_info").mkdir()
    for name, text in KERNELS.items():
        package = tmp_path / "npbench" / "benchmarks" / name
        package.mkdir(parents=True)
        start = "import numpy as np\n\ndef initialize(n):\n    return np.arange(n) + 1.0\n"
        (package / f"{name}.py").write_text(start)
        (package / f"{name}_numpy.py").write_text(text)
        info = {
            "relative_path": name,
            "module_name": name,
            "func_name": "kernel",
            "parameters": {"S": {"n": 6}},
            "init": {"func_name": "initialize", "input_args": ["n"], "output_args": ["x"]},
            "input_args": ["n", "x"],
        }
        (tmp_path / "bench_info" / f"{name}.json").write_text(json.dumps({"benchmark": info}))
    return tmp_path


def test_kernels_are_compared_and_measured(folder: Path, capsys: pytest.CaptureFixture) -> None:
    assert npbench.main([str(folder), "halve"]) == 0
    shown = capsys.readouterr().out
    assert "| halve  | exact " in shown
    assert "1 kernels beside NumPy" in shown
    assert npbench.main([str(folder), "refused"]) == 1
    assert "refused" in capsys.readouterr().out


def test_a_folder_is_needed(capsys: pytest.CaptureFixture) -> None:
    assert npbench.main([]) == 2
    assert "FOLDER" in capsys.readouterr().err
