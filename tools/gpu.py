"""Check a machine that has a GPU: python3 tools/gpu.py.

It needs what `pip install '.[gpu]' pytest` installs. Prints the versions, runs `pytest -m gpu`,
compares every op and some programs on CuPy's arrays with NumPy, measures a few programs beside
CuPy alone (and JAX and PyTorch, where they are there), and ends with a table of at most 25 lines.
It takes less than ten minutes. The exit status is 0 when all is as it should be, 1 when something
differs that should not, 2 where there is no GPU.
"""

from __future__ import annotations

import importlib
import platform
import subprocess
import sys
import time
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

import autograph  # noqa: E402
from runtime.backends import get_backend, is_foreign  # noqa: E402
from runtime.backends.backend import DIFFERENCES, Backend  # noqa: E402
from runtime.dtypes import is_string  # noqa: E402
from runtime.errors import BackendError  # noqa: E402
from runtime.graph.opdef import REGISTRY, OpDef  # noqa: E402
from tools.bench.timing import Work, side_by_side  # noqa: E402

MOST_LINES = 25
TEST_SECONDS, OP_SECONDS = 200, 200
SAME, CLOSE, OTHER, RAISED = "the same bits", "close", "other", "raised"
TOLERANCES = {"float16": 2e-2, "float32": 2e-4, "complex64": 2e-4}


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Args:
        what: was looked at.
        found: what was found.
        is_wrong: whether that should be otherwise.
    """

    what: str
    found: str
    is_wrong: bool = False


def main() -> int:
    """Run all parts and print the table; return the exit status."""
    try:
        backend = get_backend("cupy")
    except BackendError as error:
        print(f"there is no GPU to check here: {error}")
        return 2
    rows: list[Row] = []
    for part in (versions, tests, ops, programs, rates):
        start = time.perf_counter()
        print(f"{part.__name__} ...", flush=True)
        rows += part(backend)
        print(f"{part.__name__}: {time.perf_counter() - start:.0f} s", flush=True)
    print("\n".join(table(rows)))
    return int(any(row.is_wrong for row in rows))


def table(rows: Sequence[Row]) -> list[str]:
    """Return the lines of the table: what is wrong first, where there are too many."""
    shown = [*rows]
    if len(shown) > MOST_LINES - 1:
        shown.sort(key=lambda row: not row.is_wrong)
        left = len(shown) - (MOST_LINES - 2)
        shown = [*shown[: MOST_LINES - 2], Row("more", f"{left} rows are left out")]
    width = max((len(row.what) for row in shown), default=0)
    title = f"{'what'.ljust(width)}  found"
    return [title, *(f"{x.what.ljust(width)}  {x.found}{' <- wrong' * x.is_wrong}" for x in shown)]


def versions(backend: Backend) -> Iterator[Row]:
    """Yield what is installed, and what the device is."""
    library = backend.xp.library
    device = library.cuda.runtime.getDeviceProperties(0)
    driver = library.cuda.runtime.driverGetVersion()
    name = device["name"].decode()
    yield Row("device", f"{name}, {device['totalGlobalMem'] >> 30} GiB, driver API {driver}")
    found = [f"Python {platform.python_version()}", f"NumPy {np.__version__}"]
    others = (module_or_none(x) for x in ("cupy", "jax", "torch"))
    found += [f"{x.__name__} {x.__version__}" for x in others if x is not None]
    yield Row("versions", ", ".join(found))


def module_or_none(name: str) -> Any:
    """Return a module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def tests(backend: Backend) -> Iterator[Row]:
    """Run the tests that need a GPU."""
    command = [sys.executable, "-m", "pytest", "-m", "gpu", "-q", "tests/gpu", "-p", "no:xdist"]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=TEST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        yield Row("pytest -m gpu", f"took more than {TEST_SECONDS} s", is_wrong=True)
        return
    lines = done.stdout.splitlines()
    yield from (Row("test", x[:120], True) for x in lines if x.startswith("FAILED"))
    yield Row("pytest -m gpu", lines[-1] if lines else done.stderr[-120:], bool(done.returncode))


def ops(backend: Backend) -> Iterator[Row]:
    """Compare every op with NumPy on its samples, as long as there is time."""
    end = time.perf_counter() + OP_SECONDS
    known = {name for names in DIFFERENCES.values() for name in names.split()}
    count: Counter[str] = Counter()
    for op in REGISTRY.values():
        if op.samples is None or time.perf_counter() > end:
            continue
        worst, example = compared(op, backend)
        count[worst] += 1
        is_wrong = worst in (OTHER, RAISED) if op.name in known else worst != SAME
        if is_wrong:
            yield Row(f"op {op.name}", f"{worst}: {example}"[:160], is_wrong=True)
    yield Row("ops like NumPy", ", ".join(f"{n} {what}" for what, n in count.most_common()))


def compared(op: OpDef, backend: Backend) -> tuple[str, str]:
    """Return how what an op gives goes with NumPy, at worst, and for what."""
    assert op.samples is not None
    order, found = (SAME, CLOSE, OTHER, RAISED), (SAME, "")
    rng = np.random.default_rng(zlib.crc32(op.name.encode()))
    for dtype in op.samples.dtypes:
        for inputs, given in () if is_string(dtype) else op.samples.draw(rng, dtype):
            attrs = op.attributes(given)
            here = likeness(op, inputs, attrs, backend)
            if order.index(here[0]) > order.index(found[0]):
                found = (here[0], f"{dtype} {attrs} {here[1]}")
    return found


def likeness(
    op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], backend: Backend
) -> tuple[str, str]:
    """Return how what an op gives for some operands goes with NumPy, and more of it."""
    wanted, given = results(op, np, inputs, attrs), [moved(x, backend) for x in inputs]
    found = results(op, backend.xp, given, attrs)
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        is_same = type(wanted) is type(found)
        return (SAME, "") if is_same else (RAISED, f"{found!r}, not {wanted!r}")
    pairs = [(brought(x), np.asarray(y)) for x, y in zip(found, wanted, strict=True)]
    if any(x.dtype != y.dtype or x.shape != y.shape for x, y in pairs):
        x, y = next((x, y) for x, y in pairs if x.dtype != y.dtype or x.shape != y.shape)
        return OTHER, f"{x.dtype}{list(x.shape)}, not {y.dtype}{list(y.shape)}"
    if all(np.array_equal(x, y, equal_nan=y.dtype.kind in "fc") for x, y in pairs):
        return SAME, ""
    is_close = all(np.allclose(x, y, *tolerance(y), equal_nan=True) for x, y in pairs)
    return CLOSE if is_close else OTHER, f"{pairs[0][0].ravel()[:3]}, not {pairs[0][1].ravel()[:3]}"


def tolerance(array: Any) -> tuple[float, float]:
    """Return the relative and absolute tolerance of last digits."""
    own = TOLERANCES.get(array.dtype.name, 1e-9)
    return own, own


def results(op: OpDef, xp: Any, inputs: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """Return what a kernel gives, or the error that it raises."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = op.kernel(xp, *inputs, **attrs)
    except Exception as error:
        return error
    return found if op.multiple else (found,)


def moved(x: Any, backend: Backend) -> Any:
    """Return an array on the device; numbers stay as they are."""
    return backend.xp.asarray(x) if isinstance(x, np.ndarray) else x


def brought(x: Any) -> Any:
    """Return a result as a NumPy array."""
    return np.asarray(x.get() if is_foreign(x) else x)


def samples() -> list[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """Return programs of `examples/`, with what they are given."""
    example = {x: importlib.import_module(f"examples.{x}") for x in ("newton", "life", "kmeans")}
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(x, 0.5, (2000, 2)) for x in (0.0, 3.0, 6.0)])
    mandelbrot = importlib.import_module("examples.mandelbrot")
    board = (rng.random((256, 256)) < 0.3).astype(np.uint8)
    return [
        ("newton", example["newton"].newton_sqrt, (np.arange(1.0, 1e6), np.float64(1e-9))),
        ("life", example["life"].life, (board, np.int64(20))),
        ("kmeans", example["kmeans"].kmeans, (points, points[[0, 2000, 4000]])),
        ("mandelbrot", mandelbrot.mandelbrot, (mandelbrot.plane(640, 480), np.int64(50))),
    ]


def programs(backend: Backend) -> Iterator[Row]:
    """Compare programs with what they give for NumPy's arrays."""
    for name, staged, given in samples():
        try:
            wanted, found = staged(*given), staged(*(moved(x, backend) for x in given))
        except Exception as error:
            yield Row(f"program {name}", f"{type(error).__name__}: {error}"[:160], is_wrong=True)
            continue
        rows = wanted if isinstance(wanted, tuple) else (wanted,)
        both = zip(found if isinstance(wanted, tuple) else (found,), rows, strict=True)
        is_like = all(np.allclose(brought(x), brought(y)) for x, y in both)
        yield Row(f"program {name}", "as NumPy" if is_like else "other results", not is_like)


def chain(xp: Any, x: Any) -> Any:
    """Return the GELU activation, by tanh."""
    return 0.5 * x * (1 + xp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def softmax(xp: Any, x: Any) -> Any:
    """Return the softmax of rows; PyTorch's `max` gives more than the maximum."""
    e = xp.exp(x - xp.max(x, 1)[:, None])
    return e / xp.sum(e, 1)[:, None]


def product(xp: Any, x: Any) -> Any:
    """Return a product of matrices, and an activation of it."""
    return xp.tanh(x @ x)


RATES = ((chain, (4096, 4096)), (softmax, (4096, 4096)), (product, (2048, 2048)), (chain, (1000,)))


def rates(backend: Backend) -> Iterator[Row]:
    """Measure programs beside CuPy alone, and beside JAX and PyTorch where they are there."""
    for function, shape in RATES:
        host = np.random.default_rng(0).normal(size=shape).astype(np.float32)
        times = side_by_side(works_of(function, host, backend.xp.library))
        text = ", ".join(f"{name} {1e3 * t:.3f} ms" for name, t in times.items())
        yield Row(f"rate {function.__name__}{list(shape)}", text)


def works_of(function: Callable[..., Any], host: Any, library: Any) -> dict[str, Work]:
    """Return what computes a function of an array, by library, until the GPU has done it."""
    x, wait = library.asarray(host), library.cuda.get_current_stream().synchronize
    staged = autograph.function(lambda x: function(np, x))
    works: dict[str, Work] = {
        "autograph": lambda: (staged(x), wait()),
        "cupy": lambda: (function(library, x), wait()),
    }
    jax, torch = module_or_none("jax"), module_or_none("torch")
    if jax is not None:
        y, compiled = jax.numpy.asarray(host), jax.jit(lambda x: function(jax.numpy, x))
        works["jax"] = lambda: compiled(y).block_until_ready()
    if torch is not None and torch.cuda.is_available() and function is not softmax:
        z = torch.asarray(host).cuda()
        works["torch"] = lambda: (function(torch, z), torch.cuda.synchronize())
    return works


if __name__ == "__main__":
    sys.exit(main())
