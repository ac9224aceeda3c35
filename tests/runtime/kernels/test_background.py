"""Kernels are compiled beside the program, which goes on in NumPy meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels import background, load, threads
from runtime.kernels.jit import is_available
from runtime.lower.steps import kernels_of

needs_llvm = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")
LARGE = np.linspace(0.0, 1.0, 1_000_000)


@pytest.fixture(autouse=True)
def _two_threads() -> Iterator[None]:
    before = threads.get_threads()
    threads.set_threads(2)
    yield
    background.wait()
    threads.set_threads(before)


def waiting(function: Any, x: Any) -> load.Waiting:
    """Return the first kernel of a function, not compiled yet."""
    plan = ag.function(function).get_concrete_function(x).executable.plan
    kernel: Any = next(kernels_of(plan.block))
    return load.Waiting(kernel)


@needs_llvm
def test_what_a_call_would_cost_goes_by_its_own_arguments() -> None:
    kernel = waiting(lambda x: np.sqrt(x * x + 1), np.ones((4, 3)))
    sizes = [kernel.elements([np.ones(shape)]) for shape in ((4, 3), (4, 3), (9, 3), (4, 3))]
    assert sizes == [12, 12, 27, 12]


def test_work_is_done_and_waited_for() -> None:
    done: list[int] = []
    assert background.begin(lambda: done.append(1)) is not None
    background.wait()
    assert done == [1]


def test_what_work_raises_is_dropped() -> None:
    thread = background.begin(lambda: 1 / 0)
    background.wait()
    assert thread is not None
    assert not thread.is_alive()


def test_without_threads_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert background.begin(lambda: 1) is None
    background.wait()


@needs_llvm
def test_a_kernel_has_no_result_until_it_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, may = waiting(lambda x: x * 2 + 1 - x, LARGE), threading.Event()
    compiled = load.load_now

    def slowly(kernel: Any) -> Any:
        assert may.wait(60)
        return compiled(kernel)

    monkeypatch.setattr(load, "load_now", slowly)
    monkeypatch.setattr(load, "PATIENCE", 1e-3)
    assert kernel(LARGE) is None
    assert kernel(LARGE) is None
    may.set()
    background.wait()
    assert np.array_equal(kernel(LARGE), LARGE * 2 + 1 - LARGE)


@needs_llvm
def test_an_error_of_the_compiler_is_met_by_the_next_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(kernel: Any) -> Any:
        raise OSError("no memory for code")

    monkeypatch.setattr(load, "load_now", fail)
    monkeypatch.setattr(load, "PATIENCE", 1e-3)
    kernel = waiting(lambda x: x * 3 + 1 - x, LARGE)
    assert kernel(LARGE) is None
    background.wait()
    with pytest.raises(OSError, match="no memory for code"):
        kernel(LARGE)


@needs_llvm
def test_a_call_that_is_long_waits_and_so_does_one_of_a_single_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(load, "PATIENCE", 1e-4)
    assert waiting(lambda x: x * 4 + 1 - x, LARGE)(LARGE) is not None
    monkeypatch.setattr(load, "PATIENCE", 1e-3)
    threads.set_threads(1)
    assert waiting(lambda x: x * 5 + 1 - x, LARGE)(LARGE) is not None


@needs_llvm
def test_a_kernel_pays_by_the_elements_that_it_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "PATIENCE", 1e-4)
    x, y = np.linspace(0.0, 1.0, 2000)[:, None], np.linspace(0.0, 1.0, 3000)
    plan = ag.function(lambda x, y: x * y + 1 - y).get_concrete_function(x, y).executable.plan
    kernel: Any = next(kernels_of(plan.block))
    assert load.Waiting(kernel)(x, y) is not None
    assert load.Waiting(kernel)(x[:2], y[:2]) is None
    assert load.Waiting(kernel)(x, y[:7][:, None]) is None, "they do not go together"


PROGRAM = """
import os
import numpy as np
import autograph as ag
from runtime.kernels import load

load.PATIENCE = 1e-3
ag.set_threads(2)
chain = ag.function(lambda x: np.tanh(x * 2 + 1) - x)
x = np.linspace(0.0, 1.0, 400_000)
chain(x)
child = os.fork()
other = ag.function(lambda x: np.tanh(x * 3 + 1) - x)
ok = np.array_equal(chain(x), chain.python_function(x))
load.LONG = 0
ok = ok and np.array_equal(other(x), other.python_function(x))
if child == 0:
    os._exit(0 if ok else 1)
print(ok, os.waitpid(child, 0)[1])
"""


@needs_llvm
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_is_forked_while_a_kernel_is_compiled_goes_on() -> None:
    environment = {**os.environ, "AUTOGRAPH_CACHE_DIR": "", "PYTHONWARNINGS": "ignore"}
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        env=environment,
        timeout=100,
        check=False,
    )
    assert (found.stdout, found.stderr) == ("True 0\n", "")


NO_MEMORY = """
import resource
import sys
import numpy as np
import autograph as ag
from runtime.kernels import background, load

load.PATIENCE = 1e-3
ag.set_threads(2)
chain = ag.function(lambda x: np.tanh(x * 3 + 1) - x)
x = np.linspace(0.0, 1.0, 400_000)
with open("/proc/self/statm") as file:
    pages = int(file.read().split()[0])
limit = pages * resource.getpagesize() + int(sys.argv[1]) * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for _ in range(3):
    found = chain(x)
    background.wait()
print(np.array_equal(found, chain.python_function(x)))
"""


@needs_llvm
@pytest.mark.skipif(sys.platform != "linux", reason="memory is not limited so elsewhere")
@pytest.mark.parametrize("free", [60, 180, 200, 240])
def test_numpy_goes_on_when_there_is_no_memory_for_machine_code(free: int) -> None:
    environment = {**os.environ, "AUTOGRAPH_CACHE_DIR": "", "OPENBLAS_NUM_THREADS": "1"}
    found = subprocess.run(
        [sys.executable, "-c", NO_MEMORY, str(free)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=100,
        check=False,
    )
    assert (found.returncode, found.stdout) == (0, "True\n"), found.stderr


def counted(items: Any, n: Any) -> Any:
    found = {0: 0.5}
    for i in range(n):
        found[items[i]] = found.get(items[i], 0.25) * 1.5 + i
    return list(found.values()), len(found)


@needs_llvm
def test_a_long_kernel_runs_in_its_first_calls_as_it_was_compiled_in_a_hurry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled, linked, done = load.load_now, load.load, list[str]()

    def noting(kernel: Any) -> Any:
        done.append("optimised")
        return compiled(kernel)

    def linking(text: Any, name: str, in_a_hurry: bool = False) -> Any:
        done.append("in a hurry" if in_a_hurry else "linked")
        return linked(text, name, in_a_hurry)

    monkeypatch.setattr(load, "load_now", noting)
    monkeypatch.setattr(load, "load", linking)
    monkeypatch.setattr(load, "HASTY", 100)
    load._loaded.cache_clear()
    items, staged = np.array([3, 1, 3, 7, 1, 3]), ag.function(counted)
    for k in range(2):
        assert staged(items + k, np.int64(6)) == counted(items + k, 6)
    assert done == ["in a hurry"]
    for k in range(3):
        assert staged(items + k, np.int64(6)) == counted(items + k, 6)
        background.wait()
    assert done == ["in a hurry", "optimised", "linked"]


@needs_llvm
def test_a_call_with_much_waits_for_code_that_is_optimised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "HASTY", 100)
    monkeypatch.setattr(load, "MOST_GIVEN", 5)
    hurried = load._function
    made: list[bool] = []
    monkeypatch.setattr(
        load, "_function", lambda *x, **by: made.append(bool(by)) or hurried(*x, **by)
    )
    items = np.array([3, 1, 3, 7, 1, 9])
    assert ag.function(counted)(items, np.int64(6)) == counted(items, 6)
    assert made == [False]


HASTY = """
import numpy as np
import autograph as ag
from runtime.kernels.entry import write_entry
from runtime.kernels.jit import load
from runtime.kernels.target import host_target
from runtime.lower.whole_graph import whole_kernel
from tools.bench.derivative_loops import rows

concrete = ag.value_and_grad(rows).get_concrete_function(np.linspace(0.5, 1.5, 64))
kernel = whole_kernel(concrete.executable.plan, host_target()).kernel
load(write_entry(kernel), "rows", in_a_hurry=True)
print("made")
"""


@needs_llvm
def test_truth_values_in_vectors_become_floats_without_optimisations() -> None:
    """LLVM aborted the process."""
    found = subprocess.run(
        [sys.executable, "-c", HASTY], capture_output=True, text=True, check=False
    )
    assert found.stdout == "made\n", found.stderr
