"""What conversion costs programs that have nothing to stage: plain loops, branches and calls."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import autograph
from autograph import operators
from autograph.files.modules import convert_module
from tools.bench import plain_samples
from tools.bench.timing import duration, side_by_side, table

SIZES = {
    "collatz": 97,
    "primes": 2000,
    "sort": 150,
    "histogram": 20_000,
    "logic": 20_000,
    "calls": 20_000,
    "methods": 20_000,
    "fibonacci": 17,
}


def converted_samples(folder: Path) -> ModuleType:
    """Return the samples as a file that the command has converted."""
    source = Path(plain_samples.__file__).read_text()
    path = folder / "converted_samples.py"
    text = convert_module(source, str(path))
    assert isinstance(text, str)
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(name: str, converted: ModuleType) -> dict[str, float]:
    """Return the seconds of a sample: plain, under the decorator, in a file, while tracing."""
    plain, size = getattr(plain_samples, name), SIZES[name]
    written, decorated = getattr(converted, name), autograph.function(plain).python_function
    outside: dict[str, Callable[[], Any]] = {
        "plain": lambda: plain(size),
        "outside": lambda: decorated(size),
        "file": lambda: written(size),
    }
    times = side_by_side(outside, rounds=15)
    inside: dict[str, Callable[[], Any]] = {
        "plain": lambda: plain(size),
        "tracing": lambda: operators.call(plain, size),
    }
    found: dict[str, float] = {}

    @autograph.do_not_convert
    def measured() -> None:
        operators.call(plain, size)
        found.update(side_by_side(inside, rounds=15))

    def traced(x: Any) -> Any:
        measured()
        return x

    autograph.function(traced)(np.ones(2))
    return {**times, "tracing": times["plain"] * found["tracing"] / found["plain"]}


def report() -> str:
    """Return the table."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        converted = converted_samples(Path(folder))
        for name in SIZES:
            times = measure(name, converted)
            ratios = (times[way] / times["plain"] for way in ("outside", "file", "tracing"))
            rows.append([name, duration(times["plain"]), *(f"{ratio:.2f}" for ratio in ratios)])
    return table(["program", "plain", "decorated", "converted file", "while tracing"], rows)
